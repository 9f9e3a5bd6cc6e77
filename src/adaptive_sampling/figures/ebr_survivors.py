"""How many arms survive each round: who eliminates early, who late."""

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.figures.ebr_common import RECONSTRUCTED, label_ends, setup_title
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels


def ebr_survivors(rounds: pd.DataFrame) -> Figure:
    """Draw mean survivors after each round with 5% to 95% bands, a panel a setup.

    Parameters
    ----------
    rounds : DataFrame
        ``rounds.csv``.
    """
    rounds = rounds[rounds["rounds"] == rounds.groupby("algorithm")["round"].transform("max")]
    setups = list(dict.fromkeys(rounds["setup"]))
    figure, axes = panels(1, len(setups), width=PAGE, height=2.3)
    for axis, setup in zip(axes, setups):
        axis.set_yscale("log")
        ends = {}
        for name, rows in rounds[rounds["setup"] == setup].groupby("algorithm", sort=False):
            x = [0, *rows["round"]]
            start = [rows["arms"].iloc[0]]
            axis.step(x, start + list(rows["survivors"]), where="post", color=COLOURS[str(name)])
            low, high = start + list(rows["survivors_q05"]), start + list(rows["survivors_q95"])
            axis.fill_between(x, low, high, step="post", color=COLOURS[str(name)], alpha=0.2, linewidth=0)
            middle = len(x) // 2
            ends[str(name)] = float((start + list(rows["survivors"]))[middle])
        axis.set_ylim(0.9, 1.15 * float(rounds["arms"].max()))
        axis.set_yticks([1, 10, 100], ["1", "10", "100"])
        label_ends(axis, ends)
        axis.set_title(setup_title(setup))
        axis.set_xlabel("round")
    axes[0].set_ylabel("arms left after the round")
    first = rounds.iloc[0]
    note(
        figure,
        f"T = {first['rounds']}, epsilon = {first['epsilon']:g}, {first['trials']} trials, band: 5% to 95%. "
        + RECONSTRUCTED,
    )
    return figure
