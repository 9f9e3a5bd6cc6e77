"""Pulls against H(nu) on random instances: the relation of Theorem 2."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.figures.ebr_common import RECONSTRUCTED
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels


def ebr_hardness(hardness: pd.DataFrame) -> Figure:
    """Draw mean pulls against H, a panel a deadline and one for the sequential algorithm.

    Parameters
    ----------
    hardness : DataFrame
        ``hardness.csv``.
    """
    kinds = list(dict.fromkeys(zip(hardness["algorithm"], hardness["rounds"])))
    figure, axes = panels(1, len(kinds), width=PAGE, height=2.0)
    top = float(max(hardness["bound"].max(), hardness["mean"].max()))
    for axis, (name, T) in zip(axes, kinds):
        rows = hardness[(hardness["algorithm"] == name) & (hardness["rounds"] == T)].sort_values("hardness")
        axis.loglog(rows["hardness"], rows["mean"], "o", markersize=1.8, color=COLOURS[name], alpha=0.7)
        slope = np.polyfit(np.log(rows["hardness"]), np.log(rows["mean"]), 1)[0]
        if name == "ebr":
            axis.loglog(rows["hardness"], rows["bound"], "--", color="black", linewidth=0.8)
        axis.set_ylim(0.5 * float(hardness["mean"].min()), 2 * top)
        axis.set_title(f"EBR, $T = {T}$" if name == "ebr" else "sequential")
        axis.annotate(f"slope {slope:.2f}", (0.95, 0.06), xycoords="axes fraction", ha="right", fontsize=6.5)
        axis.set_xlabel("$H$")
        axis.minorticks_off()
        if axis is not axes[0]:
            axis.set_yticklabels([])
    axes[0].set_ylabel("pulls")
    first = hardness.iloc[0]
    note(
        figure,
        f"{hardness['instance'].nunique()} random instances of {first['arms']} arms, epsilon = "
        f"{first['epsilon']:g}, mean of {first['trials']} trials; dashed: the bound. " + RECONSTRUCTED,
    )
    return figure
