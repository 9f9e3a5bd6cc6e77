"""Queries needed by every method, all cases: the gain beyond the paper at a glance."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels

METHODS: Final = {
    "masa": ("MASA (K=3, cheap model)", COLOURS["masa"], "o"),
    "masa_old_confidence": ("MASA (old confidence)", COLOURS["masa"], "s"),
    "masa_old_prediction": ("MASA (old prediction and confidence)", COLOURS["masa"], "D"),
    "prediction_powered": ("prediction-powered difference", COLOURS["stratified_equal"], "v"),
    "uniform_post_stratified": ("uniform, post-stratified", COLOURS["uniform"], "^"),
    "two_stage": ("two-stage Neyman", COLOURS["stratified_difficulty"], "P"),
    "posterior": ("posterior (proposed)", COLOURS["stratified_proportional"], "o"),
    "oracle": ("oracle, same strata", COLOURS["oracle"], "|"),
}
"""Name, colour and marker of each method, in the order of the legend."""


def beyond_queries(required: pd.DataFrame, cases: Mapping[str, Case], *, target: float) -> Figure:
    """Draw the required sizes of all methods, with replacement on the left and without on the right.

    Parameters
    ----------
    required : DataFrame
        ``required_size.csv``.
    cases : mapping of str to Case
    target : float
        The wanted Frobenius error, for the axis.
    """
    names = list(dict.fromkeys(required["case"]))
    kinds = [kind for kind in (True, False) if (required["replacement"] == kind).any()]
    figure, axes = panels(1, len(kinds), width=PAGE, height=1.3 + 0.24 * len(names))
    place = {name: len(names) - 1 - k for k, name in enumerate(names)}
    for axis, kind in zip(axes, kinds):
        for method, (label, colour, marker) in METHODS.items():
            rows = required[(required["method"] == method) & (required["replacement"] == kind)]
            rows = rows.dropna(subset="n95")
            proposed = method == "posterior"
            y = [place[name] for name in rows["case"]]
            axis.hlines(y, rows["n95_low"], rows["n95_high"].fillna(rows["n95"]), color=colour, lw=0.8)
            axis.plot(
                rows["n95"].astype(float),
                y,
                marker,
                color=colour,
                markersize=5.5 if proposed else 4,
                markerfacecolor=colour if proposed or method == "masa" else "white",
                markeredgewidth=1.4 if marker == "|" else 0.9,
                label=label,
                zorder=4 if proposed else 3,
            )
        axis.set_xscale("log")
        axis.set_xlim(0.8 * required["n95_low"].min(), 1.25 * required["n95"].max())
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_yticks(list(place.values()), [cases[name].title for name in place] if kind else [])
        axis.set_title("with replacement" if kind else "without replacement")
        axis.set_xlabel(f"queries for an error of {target:g}")
        axis.grid(axis="y", lw=0.3, color="#cccccc")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    sources = " and ".join(sorted({cases[name].source for name in names}))
    note(figure, f"Bars: 95% bootstrap interval over the trials. Later predictions: {sources}.")
    return figure
