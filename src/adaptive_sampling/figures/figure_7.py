"""Figure 7 of the MASA paper: the effect of K, the number of difficulty levels per label."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.confusion import sources
from adaptive_sampling.figures.curves import NORMAL_95, log_axis
from adaptive_sampling.figures.style import PAGE, case_panels, note

LEAST: Final = 4
"""Queries a partition from which on a line is drawn: Theorem 2 asks for N > 4 L K."""


def figure_7(errors: pd.DataFrame, cases: Mapping[str, Case]) -> Figure:
    """Draw the error of MASA for each K relative to the smallest K at the same budget, one panel a case.

    The paper draws the errors themselves, whose lines lie on top of each other.

    Parameters
    ----------
    errors : DataFrame
        ``k_ablation.csv``.
    cases : mapping of str to Case
    """
    names, values = list(dict.fromkeys(errors["case"])), sorted(set(errors["K"]))
    figure, axes = case_panels(len(names), width=PAGE)
    shades = colormaps["viridis"].resampled(len(values) + 1)
    for place, (axis, name) in enumerate(zip(axes, names)):
        of_case = errors[errors["case"] == name].set_index(["K", "budget"])
        for shade, K in enumerate(values):
            line = relative(of_case, K, values[0])
            line = line[line["budget"] > LEAST * len(cases[name].labels) * K]
            colour = to_hex(shades(shade))
            axis.plot(line["budget"], line["ratio"], color=colour, label=f"K={K}")
            low, high = line["ratio"] - line["band"], line["ratio"] + line["band"]
            axis.fill_between(line["budget"], low, high, color=colour, alpha=0.1, lw=0)
        log_axis(axis, errors["budget"].tolist())
        axis.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}K")
        axis.set_title(cases[name].title, parse_math=False)
        if place >= len(names) - 4:
            axis.set_xlabel("queries")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(9, len(values)))
    figure.supylabel(f"squared error, relative to K={values[0]}", fontsize=7.5)
    trials, a = errors["trials"].max(), errors["a"].iloc[0]
    note(
        figure,
        f"Mean squared Frobenius error of MASA over {trials} trials, a={a:g}, from {LEAST} queries a partition on; "
        f"bands: 95% interval of the ratio. {sources([cases[name] for name in names])}",
    )
    return figure


def relative(of_case: pd.DataFrame, K: int, base: int) -> pd.DataFrame:
    """Error for K over that for another K at the same budgets, with half the width of its 95% interval.

    Parameters
    ----------
    of_case : DataFrame
        One case of ``k_ablation.csv``, indexed by K and budget.
    K, base : int

    Returns
    -------
    DataFrame
        Columns budget, ratio, band; the band is 0 where K is the base.
    """
    both = of_case.loc[K].join(of_case.loc[base].add_suffix("_base"), how="inner")
    ratio = both["mse"] / both["mse_base"]
    spread = np.hypot(both["mse_se"] / both["mse"], both["mse_se_base"] / both["mse_base"])
    band = NORMAL_95 * ratio * (0.0 if base == K else spread)
    return pd.DataFrame({"budget": both.index, "ratio": ratio.to_numpy(), "band": band.to_numpy()})
