"""Figure 5 of the MASA paper: squared Frobenius error against the number of queries, twelve cases."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.confusion import sources
from adaptive_sampling.figures.curves import draw_errors, queries_axis
from adaptive_sampling.figures.style import PAGE, case_panels, note

SHOWN: Final = ("uniform", "stratified_proportional", "masa", "oracle")
"""Samplers of the figure: the paper's two, what known label shares buy, and the limit."""

FITTED: Final = 0.025
"""Part of the largest budget from which on errors set the scale; the steep beginning would flatten the rest."""


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
    last = errors["budget"].max()
    figure, axes = case_panels(len(names), width=PAGE)
    for place, (axis, name) in enumerate(zip(axes, names)):
        of_case = errors[(errors["case"] == name) & errors["sampler"].isin(shown)]
        draw_errors(axis, of_case, shown)
        fitted = of_case.loc[of_case["budget"] >= FITTED * last, "mse"]
        # A scale of powers has no place for an error of 0.
        fitted = fitted[fitted > 0]
        if not fitted.empty:
            axis.set_ylim(0.8 * fitted.min(), 1.25 * fitted.max())
        queries_axis(axis, last, label=place >= len(names) - 4)
        axis.set_title(cases[name].title, parse_math=False)
        _say_ratio(axis, of_case)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(shown))
    figure.supylabel("squared Frobenius error", fontsize=7.5)
    K, trials = errors.loc[errors["sampler"] == "masa", "K"].max(), errors["trials"].max()
    note(
        figure,
        f"Mean squared Frobenius error of the estimated shift, {trials} trials, MASA and oracle with K={K}; bands: 95% "
        f"interval of the mean. {sources([cases[name] for name in names])}",
    )
    return figure


def _say_ratio(axis: Axes, of_case: pd.DataFrame) -> None:
    """Write how many times MASA's error uniform sampling has at the largest budget, where both were run."""
    final = of_case[of_case["budget"] == of_case["budget"].max()].set_index("sampler")["mse"]
    if {"uniform", "masa"} <= set(final.index) and final["masa"] > 0:
        ratio = final["uniform"] / final["masa"]
        text = f"uniform {ratio:.1f} × MASA"
        axis.text(0.99, 0.97, text, transform=axis.transAxes, ha="right", va="top", fontsize=6.5)
