"""The ablation on a, MASA's weight of exploration (the paper sets a=1)."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.confusion import sources
from adaptive_sampling.figures.curves import NORMAL_95
from adaptive_sampling.figures.style import PAGE, case_panels, note

BUDGETS: Final = (0.1, 0.25, 1.0)
"""Shown budgets, as parts of the largest."""
BUDGET_COLOURS: Final = ("#56B4E9", "#009E73", "#0072B2")


def ablation_a(errors: pd.DataFrame, cases: Mapping[str, Case]) -> Figure:
    """Draw how much larger the error is at each a than at the best a of the grid, one panel a case.

    Parameters
    ----------
    errors : DataFrame
        ``a_ablation.csv``.
    cases : mapping of str to Case
    """
    names = list(dict.fromkeys(errors["case"]))
    budgets = shown_budgets(errors)
    figure, axes = case_panels(len(names), width=PAGE)
    for axis, name in zip(axes, names):
        for budget, colour in zip(budgets, BUDGET_COLOURS):
            line = errors[(errors["case"] == name) & (errors["budget"] == budget)].sort_values("a")
            excess = 100 * (line["mse"] / line["mse"].min() - 1)
            band = 100 * NORMAL_95 * line["mse_se"] / line["mse"].min()
            axis.plot(line["a"], excess, "o-", ms=2, color=colour, label=f"{budget:,} queries")
            axis.fill_between(line["a"], excess - band, excess + band, color=colour, alpha=0.2, lw=0)
        axis.axvline(1, color="black", lw=0.6, ls=":")
        axis.set_xscale("log")
        axis.set_ylim(bottom=0)
        axis.set_title(cases[name].title)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(budgets))
    figure.supylabel("squared error above that of the best a (%)", fontsize=7.5)
    note(
        figure,
        f"x: a, the weight of exploration; dotted: the paper's a=1. MASA with K={errors['K'].iloc[0]}, "
        f"{errors['trials'].max()} trials, the same answers for every a; bands: 95% interval of each mean. "
        f"{sources([cases[name] for name in names])}",
    )
    return figure


def shown_budgets(errors: pd.DataFrame) -> Sequence[int]:
    """Budgets of the table nearest to `BUDGETS` that every case and value has."""
    counts = errors.groupby("budget").size()
    whole = counts.index[counts == counts.max()].to_numpy()
    last = whole.max()
    return sorted({int(whole[abs(whole - part * last).argmin()]) for part in BUDGETS})
