"""Figure 2 of the MASA paper: accuracy change of every API on every dataset, by task."""

from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.figures.confusion import signed
from adaptive_sampling.figures.style import PAGE, note, panels

TASKS: Final = {
    "sa": "(a) sentiment analysis",
    "fer": "(b) facial emotion recognition",
    "scr": "(c) spoken command recognition",
}

API_COLOURS: Final = {
    "Amazon": "#E69F00",
    "Google": "#0072B2",
    "Baidu": "#CC79A7",
    "Microsoft": "#009E73",
    "Face++": "#56B4E9",
    "IBM": "#D55E00",
}
"""One colour an API."""


def figure_2(accuracy: pd.DataFrame) -> Figure:
    """Draw the accuracy change from 2020 to 2021 of all pairs, in percentage points.

    Parameters
    ----------
    accuracy : DataFrame
        ``accuracy.csv``.
    """
    figure, axes = panels(1, 3, width=PAGE, height=2.5)
    for axis, (task, title) in zip(axes, TASKS.items()):
        rows = accuracy[accuracy["task"] == task]
        datasets, apis = list(dict.fromkeys(rows["dataset"])), list(dict.fromkeys(rows["api"]))
        change = rows.set_index(["dataset", "api"])["change"] * 100
        width = 0.8 / len(apis)
        for a, api in enumerate(apis):
            places = [d + (a - (len(apis) - 1) / 2) * width for d in range(len(datasets))]
            heights = [change[dataset, api] for dataset in datasets]
            axis.bar(places, heights, width * 0.9, color=API_COLOURS[api], label=api)
            for place, height in zip(places, heights):
                if abs(height) > 1:
                    offset = (0, 1.5 if height > 0 else -1.5)
                    # Flush with the bar's right edge, so that a taller neighbour does not cover it.
                    axis.annotate(
                        signed(height),
                        (place + 0.45 * width, height),
                        offset,
                        textcoords="offset points",
                        ha="right",
                        va="bottom" if height > 0 else "top",
                        fontsize=5.5,
                    )
        axis.axhline(0, color="black", linewidth=0.6)
        axis.axhspan(-1, 1, color="#DDDDDD", zorder=0, linewidth=0)
        axis.set_xticks(range(len(datasets)), datasets)
        axis.set_xlim(-0.75, len(datasets) - 0.4)
        axis.set_title(title)
        axis.margins(y=0.2)
        axis.legend(loc="best", handlelength=1, borderpad=0.2)
    axes[0].set_ylabel("accuracy change 2020 to 2021\n(percentage points)")
    moved, pairs = int(accuracy["shifted"].sum()), len(accuracy)
    note(
        figure,
        f"{moved} of {pairs} pairs moved by more than 1 point (numbered). "
        "2020: recorded predictions; 2021: published accuracies.",
    )
    return figure
