"""Pulls over H against the deadline, beside the bound epsilon^(-2/T) of Theorem 2."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.bestarm.experiment import Setup, setup_hardness
from adaptive_sampling.figures.ebr_common import RECONSTRUCTED, label_ends, setup_title
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels


def ebr_bound(pulls: pd.DataFrame, setups: Sequence[Setup]) -> Figure:
    """Draw EBR's and the sequential algorithm's pulls over H, and the bound with its constant and logarithm.

    Parameters
    ----------
    pulls : DataFrame
        ``pulls.csv``.
    setups : sequence of Setup
    """
    rows = pulls[(pulls["sweep"] == "rounds") & pulls["algorithm"].isin(["ebr", "sequential"])]
    epsilon, delta = float(rows["epsilon"].iloc[0]), float(rows["delta"].iloc[0])
    hardness = setup_hardness(setups, epsilon)
    figure, axes = panels(1, len(setups), width=PAGE, height=2.3)
    for axis, setup in zip(axes, setups):
        axis.set_yscale("log")
        ends = {}
        for name, line in rows[rows["setup"] == setup.name].groupby("algorithm", sort=False):
            x, y = line["rounds"].to_numpy(), line["mean"].to_numpy() / hardness[setup.name]
            axis.plot(x, y, marker="o" if name == "ebr" else "", markersize=2.5, color=COLOURS[str(name)])
            ends[str(name)] = float(y[-1])
        T = np.array(sorted(set(rows["rounds"])), dtype=float)
        logarithm = 20 * np.log(setup.arms * T / delta)
        axis.plot(T, logarithm * epsilon ** (-2 / T), color="black", linestyle="--", linewidth=0.8)
        axis.annotate(
            r"$80\sigma^2\log(nT/\delta)\,\epsilon^{-2/T}$", (T[len(T) // 2], logarithm[len(T) // 2] * 3.0),
            fontsize=7,
        )  # fmt: skip
        axis.plot(T, epsilon ** (-2 / T), color="#888888", linestyle=":", linewidth=0.9)
        axis.annotate(r"$\epsilon^{-2/T}$", (T[len(T) // 6], 14.0), fontsize=7, color="#666666")
        label_ends(axis, ends)
        axis.set_title(f"{setup_title(setup.name)}, $H$ = {hardness[setup.name]:,.0f}")
        axis.set_xlabel("deadline $T$ (rounds)")
    axes[0].set_ylabel("pulls / $H$")
    note(
        figure,
        f"epsilon = {epsilon:g}, mean of {pulls['trials'].max()} trials. H up to constants and the bound's "
        "constant are reconstructed too. " + RECONSTRUCTED,
    )
    return figure
