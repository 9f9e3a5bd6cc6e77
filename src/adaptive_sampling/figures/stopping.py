"""Where the bounds of Appendix B stop, beside Table 1 and beside what is really required."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels

RULES: Final = {
    "lemma_3": ("Lemma 3", "D", COLOURS["stratified_difficulty"]),
    "calibrated": ("calibrated c", "s", COLOURS["masa"]),
    "plug_in": ("no bound, c=0", "o", COLOURS["stratified_proportional"]),
}
"""Name, marker and colour of MASA's rules."""


def stopping_figure(
    table: pd.DataFrame, cases: Mapping[str, Case], *, confidence: float, trials: int
) -> Figure:
    """Draw queries at the stop, their coverage, and the c that explains the paper's uniform column.

    Parameters
    ----------
    table : DataFrame
        ``stopping.csv``.
    cases : mapping of str to Case
    confidence : float
        What the rules ask for.
    trials : int
    """
    names = list(dict.fromkeys(table["case"]))
    place = pd.Series(-np.arange(len(names), dtype=float), index=names)
    figure, (sizes, coverage, constants) = panels(1, 3, width=PAGE, height=1.2 + 0.19 * max(len(names), 4))
    masa = table[table["sampler"] == "masa"]
    for shift, (rule, (label, marker, colour)) in zip((0.22, 0.0, -0.22), RULES.items()):
        rows = masa[masa["rule"] == rule]
        at = place[rows["case"]].to_numpy() + shift
        sizes.plot(rows["n_stop"], at, marker, ms=3.5, color=colour, label=label)
        coverage.errorbar(
            rows["coverage"], at, xerr=1.96 * rows["coverage_se"], fmt=marker, ms=3.5, lw=0.8, color=colour
        )
    first = masa[masa["rule"] == "lemma_3"]
    at = place[first["case"]].to_numpy()
    sizes.plot(first["n95"].astype(float), at, "|", ms=9, color="black", label="really required")
    sizes.plot(first["paper"].astype(float), at, "x", ms=4, color="#888888", label="paper's Table 1")
    sizes.set_xscale("log")
    sizes.set_yticks(place, [cases[name].title for name in names])
    sizes.set_xlabel("queries at the stop")
    sizes.set_title("MASA")
    coverage.axvline(confidence, color="black", ls="--", lw=0.8)
    coverage.set_yticks(place, [])
    coverage.set_xlabel("runs within the target error")
    coverage.set_title("MASA, coverage")
    uniform = table[table["sampler"] == "uniform"]
    for rule, marker, colour, label in (
        ("paper_us", "x", "#888888", "_the same cross as on the left"),
        ("uniform_limit", "s", COLOURS["uniform"], "uniform's own quantile"),
        ("label_limit", "o", COLOURS["stratified_equal"], "an API always right"),
    ):
        rows = uniform[uniform["rule"] == rule]
        constants.plot(rows["c"], place[rows["case"]], marker, ms=3.5, color=colour, label=label)
    constants.set_yticks(place, [])
    constants.set_xlabel("c, of stopping at n = c / target²")
    constants.set_title("uniform")
    handles = [line for axis in (sizes, constants) for line in axis.get_legend_handles_labels()[0]]
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    sources = " and ".join(sorted({cases[name].source for name in names}))
    note(
        figure,
        f"{trials} trials, half of them to calibrate c, half to measure; bars: 95% interval of the coverage. "
        f"2021: {sources}.",
    )
    return figure
