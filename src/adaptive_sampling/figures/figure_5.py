"""Figure 5 of the MASA paper: squared Frobenius error against the number of queries, twelve cases."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import COLOURS, NAMES, PAGE, note, panels

SHOWN: Final = ("uniform", "stratified_proportional", "masa", "oracle")
"""Samplers of the figure: the paper's two, what known label shares buy, and the limit."""


def figure_5(errors: pd.DataFrame, cases: Mapping[str, Case]) -> Figure:
    """Draw the expected squared error of each sampler at each budget, one panel a case.

    Parameters
    ----------
    errors : DataFrame
        ``errors.csv``.
    cases : mapping of str to Case
    """
    names = list(dict.fromkeys(errors["case"]))
    shown = [sampler for sampler in SHOWN if sampler in set(errors["sampler"])]
    columns = min(4, len(names))
    rows = -(-len(names) // columns)
    figure, axes = panels(rows, columns, width=PAGE, height=0.55 + 1.6 * rows)
    for axis in axes[len(names) :]:
        axis.set_visible(False)
    for place, (axis, name) in enumerate(zip(axes, names)):
        for sampler in shown:
            line = errors[(errors["case"] == name) & (errors["sampler"] == sampler)]
            style = "--" if sampler == "oracle" else "-"
            axis.plot(line["budget"], line["mse"], style, color=COLOURS[sampler], label=NAMES[sampler])
            band = 1.96 * line["mse_se"]
            axis.fill_between(
                line["budget"],
                line["mse"] - band,
                line["mse"] + band,
                color=COLOURS[sampler],
                alpha=0.25,
                lw=0,
            )
        axis.set_yscale("log")
        axis.set_title(cases[name].title)
        axis.set_xlim(0, errors["budget"].max())
        axis.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}K")
        if place % columns == 0:
            axis.set_ylabel("squared error")
        if place >= len(names) - columns:
            axis.set_xlabel("queries")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(shown))
    K, trials = errors.loc[errors["sampler"] == "masa", "K"].max(), errors["trials"].max()
    sources = " and ".join(sorted({cases[name].source for name in names}))
    note(
        figure,
        f"Mean squared Frobenius error of the estimated shift, {trials} trials, MASA and oracle with K={K}; "
        f"bands: 95% interval of the mean. 2021: {sources}.",
    )
    return figure
