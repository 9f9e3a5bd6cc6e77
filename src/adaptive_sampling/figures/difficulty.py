"""MASA's required size under each source of difficulty, one panel a case."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import PAGE, note, panels

SOURCES: Final[Mapping[str, tuple[str, str]]] = {
    "none": ("no difficulty (K=1)", "#555555"),
    "open_source_model": ("open-source model, recorded", "#0072B2"),
    "old_api_confidence": ("the API's own confidence", "#E69F00"),
    "vader": ("VADER, run here", "#56B4E9"),
    "bixin": ("Bixin, run here", "#56B4E9"),
    "pocketsphinx": ("PocketSphinx, run here", "#56B4E9"),
    "trained": ("trained here", "#009E73"),
    "trial_division": ("trial division", "#009E73"),
    "confidence": ("given confidence", "#0072B2"),
}
"""How each source is called, and its colour."""


def difficulty_figure(table: pd.DataFrame, cases: Mapping[str, Case]) -> Figure:
    """Draw the required sizes with their intervals.

    Parameters
    ----------
    table : DataFrame
        ``results/difficulty/required_size.csv``.
    cases : mapping of str to Case
    """
    names = list(dict.fromkeys(table["case"]))
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    figure, axes = panels(rows, columns, width=PAGE, height=0.5 + 1.3 * rows)
    for axis in axes[len(names) :]:
        axis.set_visible(False)
    for place, (axis, name) in enumerate(zip(axes, names)):
        of_case = table[(table["case"] == name) & table["n95"].notna()].reset_index(drop=True)
        for height, row in of_case.iterrows():
            title, colour = SOURCES[row["difficulty"]]
            high = row["n95"] if pd.isna(row["n95_high"]) else row["n95_high"]
            spread = [[row["n95"] - row["n95_low"]], [high - row["n95"]]]
            axis.errorbar(row["n95"], height, xerr=spread, fmt="o", color=colour, markersize=4, capsize=2)
            if not pd.isna(row["model_accuracy"]):
                title += f" ({row['model_accuracy']:.0%})"
            axis.annotate(
                title, (row["n95"], height), (0, 4), textcoords="offset points", fontsize=5.5, ha="center"
            )
        axis.set_yticks([])
        axis.invert_yaxis()
        axis.margins(x=0.35, y=0.2)
        axis.set_title(cases[name].title)
        if place >= len(names) - columns:
            axis.set_xlabel("queries required")
    K = table["K"].max()
    sources = " and ".join(sorted({cases[name].source for name in names}))
    note(
        figure,
        f"MASA with K={K} levels ranked by each source; bars: 95% bootstrap interval; in brackets the model's "
        f"accuracy. Later answers: {sources}.",
    )
    return figure
