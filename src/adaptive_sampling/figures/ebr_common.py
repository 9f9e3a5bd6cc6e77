"""What the figures of the EBR paper share: titles, labels at the ends of lines, and the note on formulas."""

import math
from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from adaptive_sampling.figures.style import COLOURS, NAMES

RECONSTRUCTED: Final = (
    "EBR's D and C_t, the sequential stop and k-δER are reconstructed from the text (docs/ebr.md)."
)
"""Which formulas are inferred: stands under every figure."""

FORMS: Final = {
    **NAMES,
    "ebr_used_up": "EBR, argument used up",
    "ebr_hoeffding": "EBR, Hoeffding",
    "ebr_kl": "EBR, KL",
}
"""How forms of EBR are called where a person reads it."""

FORM_COLOURS: Final = {**COLOURS, "ebr_used_up": "#56B4E9", "ebr_hoeffding": "#009E73", "ebr_kl": "#CC79A7"}
"""One colour a form."""


X_LABELS: Final = {
    "rounds": "deadline $T$ in rounds (log scale)",
    "epsilon": r"error tolerance $\epsilon$ (log scale)",
}
"""What each sweep varies."""


def setup_title(setup: str) -> str:
    """Write ``setup-1`` as a title."""
    return setup.replace("-", " ").capitalize()


def label_ends(axis: Axes, ends: Mapping[str, float], *, least: float = 0.085) -> None:
    """Write each line's name to the right of its last point, moved apart where they would overlap.

    Parameters
    ----------
    axis : Axes
        With a logarithmic scale and everything drawn.
    ends : mapping of str to float
        Height at which each line ends, by algorithm.
    least : float
        Least distance between names, as a share of the axis' height.
    """
    low, high = (math.log(limit) for limit in axis.get_ylim())
    heights = sorted(((math.log(height) - low) / (high - low), name) for name, height in ends.items())
    placed: list[float] = []
    for height, _ in heights:
        placed.append(max(height, placed[-1] + least) if placed else height)
    # Spread evenly about where the names belong, within the axis.
    shift = sum(height - place for (height, _), place in zip(heights, placed)) / len(placed)
    shift = min(max(shift, -placed[0]), 1.0 - placed[-1]) if placed[-1] - placed[0] < 1 else -placed[0]
    for place, (_, name) in zip(placed, heights):
        axis.annotate(
            FORMS[name],
            (1.02, place + shift),
            xycoords="axes fraction",
            color=FORM_COLOURS[name],
            va="center",
            fontsize=7,
            annotation_clip=False,
        )


def draw_band(axis: Axes, rows: pd.DataFrame, x: str, name: str) -> float:
    """Draw the mean of one algorithm with its 5% to 95% band; return the height at its end."""
    rows = rows.sort_values(x)
    # The sequential algorithm has no deadline: its line over T is a level, drawn without points.
    marker = "" if name in ("sequential", "passive") and x == "rounds" else "o"
    axis.plot(rows[x], rows["mean"], marker=marker, markersize=2.2, color=FORM_COLOURS[name])
    axis.fill_between(rows[x], rows["q05"], rows["q95"], color=FORM_COLOURS[name], alpha=0.2, linewidth=0)
    return float(rows["mean"].iloc[-1])


def scale_of_sweep(axis: Axes, rows: pd.DataFrame, sweep: str) -> str:
    """Set both scales of a panel of a sweep; return what stays fixed in it, for the title."""
    axis.set_yscale("log")
    axis.set_xscale("log")
    ticks = sorted({float(tick) for tick in rows[sweep]})
    if sweep == "rounds":
        ticks = [tick for tick in (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0) if ticks[0] <= tick <= ticks[-1]]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlabel(X_LABELS[sweep])
    axis.set_ylabel("pulls")
    if sweep == "rounds":
        return rf"$\epsilon = {rows['epsilon'].iloc[0]:g}$"
    return f"$T = {rows['rounds'].iloc[0]}$"
