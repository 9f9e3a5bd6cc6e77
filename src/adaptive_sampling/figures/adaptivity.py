"""What adaptivity buys: queries that each sampler needs, relative to uniform sampling, case by case."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import COLOURS, NAMES, PAGE, note, panels
from adaptive_sampling.shift.adaptivity import STEPS

MARKERS = {
    "uniform": "|",
    "stratified_proportional": "o",
    "stratified_difficulty": "D",
    "masa": "s",
    "oracle": "x",
}
"""A marker a sampler, so that colour is not all that tells them apart."""


def adaptivity_figure(
    table: pd.DataFrame, cases: Mapping[str, Case], *, target: float, confidence: float, trials: int
) -> Figure:
    """Draw one line a case, from uniform sampling (100%) down to the oracle.

    Parameters
    ----------
    table : DataFrame
        ``adaptivity.csv``.
    cases : mapping of str to Case
    target, confidence : float
        What the required sizes ask for.
    trials : int
    """
    shown = table.dropna(subset=["uniform", "masa"]).reset_index(drop=True)
    figure, (axis,) = panels(1, 1, width=PAGE, height=0.9 + 0.22 * max(len(shown), 3))
    place = -np.arange(len(shown), dtype=float)
    share = shown[list(STEPS)].astype(float).div(shown["uniform"].astype(float), axis="index")
    axis.hlines(place, share.min(axis=1), 1.0, color="#bbbbbb", lw=0.8)
    for step in STEPS:
        axis.plot(
            100 * share[step],
            place,
            MARKERS[step],
            color=COLOURS[step],
            markersize=5 if step != "uniform" else 8,
            markerfacecolor="none" if step in ("stratified_proportional", "stratified_difficulty") else None,
            label=NAMES[step],
        )
    axis.set_xscale("log")
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100) if t >= 50 * float(np.nanmin(share))]
    axis.set_xticks(ticks, [f"{t}%" for t in ticks])
    axis.minorticks_off()
    axis.set_xlim(90 * float(np.nanmin(share)), 110)
    difficulties = list(dict.fromkeys(shown["difficulty"]))
    titles = [
        f"{cases[name].title}{'*' * difficulties.index(difficulty)} ({uniform / 1000:.1f}K)"
        for name, difficulty, uniform in zip(shown["case"], shown["difficulty"], shown["uniform"])
    ]
    axis.set_yticks(place, titles)
    axis.set_xlabel("queries needed, relative to uniform sampling")
    axis.grid(axis="x", lw=0.3, color="#dddddd")
    axis.set_axisbelow(True)
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper center", ncols=len(STEPS))
    difficulties = [f"{name.replace('_', ' ')}{'*' * stars}" for stars, name in enumerate(difficulties)]
    sources = " and ".join(f"{source} ({n})" for source, n in shown["source"].value_counts().items())
    note(
        figure,
        f"Queries for a Frobenius error of {target:g} with probability {confidence:g}, {trials} trials. "
        f"Items ranked by {', '.join(difficulties)}. Later answers: {sources}.",
    )
    return figure
