"""Error against budget: lines with bands, as panels of a figure."""

import math
from collections.abc import Sequence
from typing import Final

import pandas as pd
from matplotlib.axes import Axes

from adaptive_sampling.figures.style import COLOURS, NAMES

NORMAL_95: Final = 1.96
"""Standard errors to each side of a mean that make a 95% interval."""


def draw_errors(
    axis: Axes, errors: pd.DataFrame, samplers: Sequence[str], *, label_lines: bool = False
) -> None:
    """Draw the mean squared error of samplers on one case, with the 95% interval of the mean.

    Parameters
    ----------
    axis : Axes
    errors : DataFrame
        One case of ``errors.csv``.
    samplers : sequence of str
        Those that are not in the table are left out.
    label_lines : bool
        Write each sampler's name beside its line.
    """
    for sampler in samplers:
        line = errors[errors["sampler"] == sampler]
        if not line.empty:
            draw_line(axis, line, colour=COLOURS[sampler], label=NAMES[sampler], dashed=sampler == "oracle")
            if label_lines:
                middle = line.iloc[int(0.55 * len(line))]
                axis.annotate(
                    NAMES[sampler],
                    (middle["budget"], middle["mse"]),
                    (0, 4),
                    textcoords="offset points",
                    color=COLOURS[sampler],
                    va="bottom",
                )
    axis.set_yscale("log")


def draw_line(axis: Axes, line: pd.DataFrame, *, colour: str, label: str, dashed: bool = False) -> None:
    """Draw one line of mean squared errors and its band."""
    axis.plot(line["budget"], line["mse"], "--" if dashed else "-", color=colour, label=label)
    band = NORMAL_95 * line["mse_se"]
    axis.fill_between(line["budget"], line["mse"] - band, line["mse"] + band, color=colour, alpha=0.25, lw=0)


def log_axis(axis: Axes, values: Sequence[float]) -> None:
    """Put a panel's horizontal axis on a log scale that spans `values` even where no line could be drawn.

    Lines of ratios are not there for a case that MASA gets right without any error.
    """
    axis.set_xscale("log")
    if not math.isfinite(axis.dataLim.minposx):
        axis.set_xlim(0.9 * min(values), 1.1 * max(values))
        axis.text(0.5, 0.5, "no error", transform=axis.transAxes, ha="center", va="center", fontsize=6.5)


def queries_axis(axis: Axes, last: int, *, label: bool = True) -> None:
    """Let the budget run from 0 to `last` queries, ticks in thousands."""
    axis.set_xlim(0, last)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}K" if value else "0")
    if label:
        axis.set_xlabel("queries")
