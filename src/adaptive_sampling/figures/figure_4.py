"""Figure 4 of the MASA paper: the case study of Amazon on YELP."""

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.confusion import accuracy, draw_matrix, matrix_of, signed, sources
from adaptive_sampling.figures.curves import draw_errors, queries_axis
from adaptive_sampling.figures.style import PAGE, note, panels

SIGNS: Final = {"positive": "+", "negative": "-"}
PARTITION_COLOURS: Final = {
    ("positive", "low"): "#0072B2",
    ("positive", "high"): "#7FBFE6",
    ("negative", "low"): "#B04A00",
    ("negative", "high"): "#F0A66B",
}
"""Blue for positive and orange for negative texts, dark for low and light for high quality scores."""
STARS: Final = 4
"""Budgets at which the optimal share is marked."""


def figure_4(
    shift: pd.DataFrame,
    partitions: pd.DataFrame,
    sampling: pd.DataFrame,
    errors: pd.DataFrame,
    case: Case,
    seed: int,
) -> Figure:
    """Draw the eight panels of the case study.

    Parameters
    ----------
    shift, partitions, sampling, errors : DataFrame
        The tables of `adaptive_sampling.shift.case_study.CaseStudy`.
    case : Case
    seed : int
        Seed of the single run that (d) and (g) show, for the line under the figure.
    """
    figure, axes = panels(2, 4, width=PAGE, height=4.1)
    _draw_matrices(axes[:4], shift)
    names = [f"$D_{{{SIGNS[label]},{quality[0]}}}$" for label, quality in _keys(partitions)]
    colours = [PARTITION_COLOURS[key] for key in _keys(partitions)]
    for axis, column, form in ((axes[4], "items", "{:,.0f}"), (axes[5], "uncertainty", "{:.2f}")):
        bars = axis.bar(names, partitions[column], color=colours, width=0.7)
        axis.bar_label(bars, [form.format(value) for value in partitions[column]], fontsize=6, padding=1)
        axis.margins(y=0.12)
    axes[4].set_title("(e) partition size")
    axes[4].set_ylabel("items")
    axes[5].set_title("(f) uncertainty score")
    axes[5].set_ylabel("$\\sigma^2$")
    _draw_sampling(axes[6], sampling)
    draw_errors(axes[7], errors, ("uniform", "masa"), label_lines=True)
    queries_axis(axes[7], errors["budget"].max())
    axes[7].set_title("(h) squared error")
    budget, trials = errors["budget"].max(), errors["trials"].max()
    note(
        figure,
        f"{case.title}, budget {budget:,} queries. Partitions: positive (+) or negative (−) texts whose 2020 quality "
        "score is below (l) or above (h) the median of their label. "
        f"Cells: per cent of all items; rows: true label. (d), (g): one run, trial 0 of seed {seed}; stars: optimal "
        f"shares (Lemma 1). (h): mean of {trials} trials, bands: 95% interval of the mean. {sources([case])}",
    )
    return figure


def _draw_matrices(axes: list[Axes], shift: pd.DataFrame) -> None:
    """Draw (a) to (d); both dates share one scale, and so do both shifts."""
    shares = max(matrix_of(shift, column)[0].max() for column in ("old", "new"))
    shifts = max(np.abs(matrix_of(shift, column)[0]).max() for column in ("shift", "estimated"))
    titles = {
        "old": f"(a) 2020: {accuracy(shift, 'old'):.1f}% right",
        "new": f"(b) 2021: {accuracy(shift, 'new'):.1f}% right",
        "shift": f"(c) true shift: {signed(accuracy(shift, 'shift'))}",
        "estimated": f"(d) estimated: {signed(accuracy(shift, 'estimated'))}",
    }
    for axis, (column, title) in zip(axes, titles.items()):
        limit = shares if column in ("old", "new") else shifts
        draw_matrix(axis, shift, column, title=title, limit=limit, true_labels=column == "old", fontsize=8)
    axes[0].set_ylabel("true label")


def _draw_sampling(axis: Axes, sampling: pd.DataFrame) -> None:
    """Draw (g): how the queries of one run are shared among the partitions."""
    last = sampling["budget"].max()
    marked = [last * (star + 1) // STARS for star in range(STARS)]
    optima = {}
    for key in dict.fromkeys(_keys(sampling)):
        line = sampling[(sampling["label"] == key[0]) & (sampling["quality"] == key[1])]
        optima[key] = 100 * float(line["optimal_share"].iloc[-1])
        colour = PARTITION_COLOURS[key]
        axis.plot(line["budget"], 100 * line["share"], color=colour)
        stars = [optima[key]] * STARS
        axis.plot(marked, stars, "*", color=colour, mec="black", mew=0.4, ms=6, clip_on=False)
    queries_axis(axis, last)
    axis.set_ylim(bottom=0)
    lowest, gap = 0.0, 0.09 * axis.get_ylim()[1]
    for key, optimum in sorted(optima.items(), key=lambda item: item[1]):
        place = (last, max(optimum, lowest))
        name = f"$D_{{{SIGNS[key[0]]},{key[1][0]}}}$"
        axis.annotate(name, place, (5, 0), textcoords="offset points", va="center", annotation_clip=False)
        lowest = place[1] + gap
    axis.set_title("(g) share of the queries")
    axis.set_ylabel("% of N")


def _keys(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Label and quality of each row."""
    return list(zip(table["label"], table["quality"]))
