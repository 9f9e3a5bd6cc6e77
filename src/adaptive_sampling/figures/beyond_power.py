"""How many queries it takes to tell whether the accuracy changed: uniform sampling against the proposed sampler."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels

SHOWN: Final = {
    "uniform": ("uniform, paired difference", COLOURS["uniform"], "^"),
    "posterior": ("posterior (proposed)", COLOURS["stratified_proportional"], "o"),
}
"""Name, colour and marker of each test."""


def beyond_power(detection: pd.DataFrame, cases: Mapping[str, Case]) -> Figure:
    """Draw the power curve over the true change, and the queries until a decision on every case.

    Without replacement where that was run, else with it.

    Parameters
    ----------
    detection : DataFrame
        ``detection.csv``.
    cases : mapping of str to Case
    """
    replacement = bool(detection["replacement"].all())
    rows = detection[(detection["replacement"] == replacement) & (detection["of"] == "accuracy")]
    recorded = rows[rows["case"].isin([name for name, case in cases.items() if case.source != "published"])]
    made = rows[~rows["case"].isin(list(cases))]
    threshold = rows["threshold"].iloc[0]
    names = list(dict.fromkeys(recorded["case"]))
    place = {name: len(names) - 1 - k for k, name in enumerate(names)}
    figure, axes = panels(1, 3, width=PAGE, height=1.2 + 0.16 * max(len(names), 8))
    for method, (label, colour, marker) in SHOWN.items():
        line = made[made["method"] == method]
        change = 100 * line["change"].abs()
        axes[0].plot(change, line["said_changed"], marker + "-", color=colour, markersize=3.5, label=label)
        axes[1].plot(change, line["mean_queries"], marker + "-", color=colour, markersize=3.5)
        own = recorded[recorded["method"] == method]
        undecided = np.where(own["undecided"] > 0.05, "white", colour)
        y = [place[name] for name in own["case"]]
        axes[2].scatter(own["mean_queries"], y, c=undecided, edgecolors=colour, marker=marker, s=14, zorder=3)
    for axis in axes[:2]:
        axis.axvline(100 * threshold, color="#888888", lw=0.6, ls=":")
        axis.set_xlabel("true change of accuracy (%)")
    axes[0].set_ylabel("probability of saying: changed")
    axes[1].set_ylabel("mean queries until a decision")
    axes[1].set_yscale("log")
    axes[2].set_xscale("log")
    axes[2].set_xlabel("mean queries until a decision")
    axes[2].set_yticks(list(place.values()), [cases[name].title for name in place])
    axes[2].grid(axis="y", lw=0.3, color="#cccccc")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    how = "with" if replacement else "without"
    sources = " and ".join(sorted({cases[name].source for name in names}))
    text = f"Threshold {100 * threshold:g}% (dotted), {how} replacement; hollow: over 5% of trials undecided."
    note(figure, f"{text} Left and middle: synthetic. Right, later predictions: {sources}.")
    return figure
