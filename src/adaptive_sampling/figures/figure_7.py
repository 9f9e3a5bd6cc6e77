"""Figure 7 of the MASA paper: the effect of K, the number of difficulty levels per label."""

from collections.abc import Mapping

import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.confusion import sources
from adaptive_sampling.figures.curves import draw_line
from adaptive_sampling.figures.style import PAGE, case_panels, note


def figure_7(errors: pd.DataFrame, cases: Mapping[str, Case]) -> Figure:
    """Draw the error of MASA at each budget for each K, one panel a case.

    Parameters
    ----------
    errors : DataFrame
        ``k_ablation.csv``.
    cases : mapping of str to Case
    """
    names, values = list(dict.fromkeys(errors["case"])), sorted(set(errors["K"]))
    figure, axes = case_panels(len(names), width=PAGE)
    shades = colormaps["viridis"].resampled(len(values) + 1)
    for axis, name in zip(axes, names):
        for place, K in enumerate(values):
            line = errors[(errors["case"] == name) & (errors["K"] == K)]
            draw_line(axis, line, colour=to_hex(shades(place)), label=f"K={K}")
        axis.set_yscale("log")
        axis.set_xscale("log")
        axis.set_title(cases[name].title)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(values))
    figure.supylabel("squared Frobenius error", fontsize=7.5)
    trials, a = errors["trials"].max(), errors["a"].iloc[0]
    note(
        figure,
        f"x: queries. Mean squared Frobenius error of MASA over {trials} trials, a={a:g}; "
        f"bands: 95% interval of the mean. {sources([cases[name] for name in names])}",
    )
    return figure
