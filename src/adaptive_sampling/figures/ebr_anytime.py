"""What if the deadline came early: how often the arm returned would be epsilon-optimal, and at what cost."""

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.figures.ebr_common import RECONSTRUCTED, setup_title
from adaptive_sampling.figures.style import COLOURS, NAMES, PAGE, note, panels


def ebr_anytime(rounds: pd.DataFrame) -> Figure:
    """Draw the chance of an epsilon-optimal arm, were each round the last, against the pulls so far.

    Parameters
    ----------
    rounds : DataFrame
        ``rounds.csv``.
    """
    setups = list(dict.fromkeys(rounds["setup"]))
    figure, axes = panels(1, len(setups), width=PAGE, height=2.3)
    for axis, setup in zip(axes, setups):
        axis.set_xscale("log")
        for name, rows in rounds[rounds["setup"] == setup].groupby("algorithm", sort=False):
            rows = rows[(rows["round"] == 1) | (rows["pulls"].diff() != 0)]
            alone = len(rows) == 1
            axis.plot(
                rows["pulls"],
                rows["success"],
                marker="D" if alone else "o",
                markersize=4 if alone else 2.5,
                zorder=3 if alone else 2,
                color=COLOURS[str(name)],
                label=NAMES[str(name)],
            )
            if name == "ebr":
                for t, pulls, success in rows[["round", "pulls", "success"]].itertuples(
                    index=False, name=None
                ):
                    if t % 3 == 1:
                        axis.annotate(
                            str(t),
                            (pulls, success),
                            (0, -9),
                            textcoords="offset points",
                            ha="center",
                            fontsize=6,
                            color=COLOURS["ebr"],
                        )
        axis.set_ylim(max(0.0, float(rounds["success"].min()) - 0.12), 1.03)
        axis.set_title(setup_title(setup))
        axis.set_xlabel("pulls by the end of the round")
    axes[0].set_ylabel("chance of an $\\epsilon$-optimal arm\nif this round were the last")
    axes[0].legend(loc="lower right")
    first = rounds.iloc[0]
    note(
        figure,
        f"T = {rounds['rounds'].max()}, epsilon = {first['epsilon']:g}, {first['trials']} trials; a point a "
        "round, EBR's rounds numbered. " + RECONSTRUCTED,
    )
    return figure
