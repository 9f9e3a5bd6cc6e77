"""The ablation on a, MASA's weight of exploration (the paper sets a=1)."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.confusion import sources
from adaptive_sampling.figures.curves import NORMAL_95, log_axis
from adaptive_sampling.figures.style import PAGE, case_panels, note

BUDGETS: Final = (0.1, 0.25, 1.0)
"""Shown budgets, as parts of the largest."""
LEAST_SCALE: Final = 10.0
"""Every panel shows at least so many per cent, so that noise does not look like an effect."""
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
    for place, (axis, name) in enumerate(zip(axes, names)):
        highest = 0.0
        for budget, colour in zip(budgets, BUDGET_COLOURS):
            line = errors[(errors["case"] == name) & (errors["budget"] == budget)].sort_values("a")
            # Nothing is a multiple of no error.
            least = line["mse"].min() or math.nan
            excess = 100 * (line["mse"] / least - 1)
            band = 100 * NORMAL_95 * line["mse_se"] / least
            highest = max(highest, excess.max())
            axis.plot(line["a"], excess, "o-", ms=2, color=colour, label=f"{budget:,} queries")
            axis.fill_between(line["a"], excess - band, excess + band, color=colour, alpha=0.12, lw=0)
        log_axis(axis, errors["a"].tolist())
        axis.axvline(1, color="black", lw=0.6, ls=":")
        axis.set_ylim(0, max(LEAST_SCALE, 1.1 * highest))
        axis.set_title(cases[name].title, parse_math=False)
        if place >= len(names) - 4:
            axis.set_xlabel("a")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(budgets))
    figure.supylabel("squared error above that of the best a (%)", fontsize=7.5)
    trials, K = errors["trials"].max(), errors["K"].iloc[0]
    note(
        figure,
        f"a: weight of exploration; dotted: the paper's a=1. MASA with K={K}, {trials} trials. Bands: 95% interval of "
        "each mean alone; differences between values of a are surer, since all of them see the same answers. "
        f"{sources([cases[name] for name in names])}",
    )
    return figure


def shown_budgets(errors: pd.DataFrame) -> Sequence[int]:
    """Budgets of the table nearest to `BUDGETS` that every case and value has."""
    counts = errors.groupby("budget").size()
    whole = counts.index[counts == counts.max()].to_numpy()
    last = whole.max()
    return sorted({int(whole[abs(whole - part * last).argmin()]) for part in BUDGETS})
