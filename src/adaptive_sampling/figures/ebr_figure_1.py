"""Figure 1 of the EBR paper: which arms are pulled how often, passively, in a few rounds, and one at a time."""

import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from adaptive_sampling.figures.ebr_common import RECONSTRUCTED
from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels

TITLES = {
    "passive": "passive ($T = 1$)",
    "ebr": "EBR ($T = {rounds}$)",
    "sequential": r"sequential ($T = \infty$)",
}


def ebr_figure_1(arms: pd.DataFrame) -> Figure:
    """Draw the pulls of every arm in one real run, stacked by round.

    Parameters
    ----------
    arms : DataFrame
        ``arms.csv``.
    """
    figure, axes = panels(1, 3, width=PAGE, height=2.3)
    for axis, (name, title) in zip(axes, TITLES.items()):
        rows = arms[arms["algorithm"] == name]
        rounds = int(rows["rounds"].max())
        base = to_rgb(COLOURS[name])
        start = dict.fromkeys(rows["arm"], 0)
        for arm, mean, t, pulls in rows[["arm", "mean", "round", "pulls"]].itertuples(index=False, name=None):
            # Later rounds are paler, so that what the survivors cost shows.
            fade = 0.0 if rounds <= 1 else 0.75 * (t - 1) / (rounds - 1)
            colour = tuple(c + (1 - c) * fade for c in base)
            axis.barh(mean, pulls, 0.032, left=start[arm], color=colour, edgecolor="white", lw=0.3)
            start[arm] += pulls
        chosen = rows[rows["recommended"]].iloc[0]
        axis.annotate(
            "returned", (start[chosen["arm"]], chosen["mean"]), (3, 0), textcoords="offset points",
            va="center", fontsize=6.5,
        )  # fmt: skip
        axis.set_title(title.format(rounds=rounds) + f": {sum(start.values()):,} pulls")
        axis.set_xlabel("pulls of the arm")
        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
        axis.margins(x=0.28)
        axis.set_xlim(left=0)
    axes[0].set_ylabel("mean of the arm")
    epsilon = arms["epsilon"].iloc[0]
    note(
        figure,
        f"One run each, {arms['arm'].nunique()} Bernoulli arms, epsilon = {epsilon:g}; darker: earlier rounds. "
        + RECONSTRUCTED,
    )
    return figure
