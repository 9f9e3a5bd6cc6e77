"""How fast MASA's loss comes down to the optimum, beside Theorem 2's rate."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels
from adaptive_sampling.shift.theory import CONDITIONS, EXPONENT

COLOUR = {"respected": COLOURS["stratified_proportional"], "violated": COLOURS["masa"]}
TITLE = {"respected": "a as Theorem 2 asks", "violated": "a=1, as in the paper's runs"}


def theorem_2_figure(table: pd.DataFrame, cases: Mapping[str, Case], *, trials: int) -> Figure:
    """Draw the loss gap against the budget, and its slope in each case.

    Parameters
    ----------
    table : DataFrame
        ``theorem_2.csv``.
    cases : mapping of str to Case
    trials : int
    """
    names = list(dict.fromkeys(table["case"]))
    figure, (respected, violated, slopes) = panels(1, 3, width=PAGE, height=2.9)
    top, bottom = 1.3 * table["gap"].max(), 0.7 * table.loc[table["gap"] > 0, "gap"].min()
    for axis, condition in zip((respected, violated), CONDITIONS):
        rows = table[table["condition"] == condition]
        for _, line in rows.groupby("case"):
            axis.plot(
                line["budget"], line["gap"].where(line["gap"] > 0), color=COLOUR[condition], lw=0.8, alpha=0.7
            )
        budget = np.array([rows["budget"].min(), rows["budget"].max()], dtype=float)
        guide = rows.loc[rows["budget"] == budget[0], "gap"].max() * 1.15 * (budget / budget[0]) ** EXPONENT
        axis.plot(budget, guide, "--", color="black", lw=0.9)
        axis.annotate(
            "slope $-$5/4",
            (budget.prod() ** 0.5, guide.prod() ** 0.5),
            xytext=(4, 2),
            textcoords="offset points",
        )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_ylim(bottom, top)
        axis.set_title(TITLE[condition])
        axis.set_xlabel("queries N")
    respected.set_ylabel("loss of MASA minus optimum")
    violated.tick_params(labelleft=False)
    place = -np.arange(len(names), dtype=float)
    for shift, condition in zip((0.17, -0.17), CONDITIONS):
        rows = table[table["condition"] == condition].groupby("case").first().loc[names]
        error = np.abs(rows[["slope_low", "slope_high"]].to_numpy().T - rows["slope"].to_numpy())
        slopes.errorbar(
            rows["slope"],
            place + shift,
            xerr=error,
            fmt="o",
            ms=3,
            lw=0.9,
            color=COLOUR[condition],
            label=TITLE[condition],
        )
        slopes.plot(rows["slope_without_noise"], place + shift, "x", ms=4, color="black", mew=0.7)
    slopes.set_xlim(-2.6, -0.4)
    slopes.axvline(EXPONENT, color="black", ls="--", lw=0.9)
    slopes.set_yticks(place, [cases[name].title for name in names])
    slopes.set_xlabel("slope of the gap, 95% interval")
    slopes.set_title("by case")
    note(
        figure,
        f"One line a case, {trials} trials paired with fixed counts whose loss is known exactly. Dashed: Theorem 2's "
        "rate.\nCrosses: slope of exploration alone, without noise in the uncertainty scores. "
        f"2021: {' and '.join(sorted({cases[name].source for name in names}))}.",
    )
    return figure
