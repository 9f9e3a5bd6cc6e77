"""Figure 6 of the MASA paper: three cases at both dates, and their shifts."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.figures.confusion import draw_three, sources
from adaptive_sampling.figures.style import PAGE, note, panels

CASES: Final = ("amazon_imdb", "microsoft_ferplus", "google_digit")


def figure_6(confusion: pd.DataFrame, cases: Mapping[str, Case]) -> Figure:
    """Draw one row a case: 2020, 2021, shift. Cases that the run does not have are left out.

    Parameters
    ----------
    confusion : DataFrame
        ``confusion.csv``.
    cases : mapping of str to Case

    Raises
    ------
    InputError
        If the table has none of `CASES`.
    """
    found = list(dict.fromkeys(confusion["case"]))
    shown = [cases[name] for name in CASES if name in found]
    if not shown:
        raise InputError(
            f"Figure 6 shows {', '.join(CASES)}, none of which is among the cases of this run: {', '.join(found)}"
        )
    heights = [1.8 if len(case.labels) == 2 else 2.6 for case in shown]
    figure, axes = panels(len(shown), 3, width=PAGE, height=0.3 + sum(heights), height_ratios=heights)
    for row, case in enumerate(shown):
        rows = confusion[confusion["case"] == case.case]
        of_row = axes[3 * row : 3 * row + 3]
        draw_three(of_row, rows, case, fontsize=5 if len(case.labels) > 7 else 6.5)
        for place, axis in enumerate(of_row):
            axis.set_title(f"({'abcdefghi'[3 * row + place]}) {axis.get_title()}")
        of_row[0].set_ylabel(f"{case.title}\ntrue label")
    note(figure, f"Columns: predicted label. Cells: per cent of all items, none below 0.05. {sources(shown)}")
    return figure
