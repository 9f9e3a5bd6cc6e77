"""Figure 1 of the MASA paper: IBM on AMNIST in 2020 and 2021, and the error of MASA and uniform sampling."""

from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.confusion import accuracy, draw_matrix, matrix_of, rows_of, signed, sources
from adaptive_sampling.figures.curves import draw_errors, queries_axis
from adaptive_sampling.figures.style import PAGE, note, panels

CASE: Final = "ibm_amnist"


def figure_1(confusion: pd.DataFrame, errors: pd.DataFrame, case: Case) -> Figure:
    """Draw the confusion matrices at both dates, the error curves, and the shift itself.

    Parameters
    ----------
    confusion : DataFrame
        ``confusion.csv``.
    errors : DataFrame
        ``errors.csv``.
    case : Case
        The row of `CASE`.

    Raises
    ------
    InputError
        If a table does not have the case.
    """
    rows = rows_of(confusion, CASE, "Figure 1")
    lines = rows_of(errors, CASE, "Figure 1")
    figure, axes = panels(2, 2, width=PAGE, height=6.4)
    limit = max(matrix_of(rows, column)[0].max() for column in ("old", "new"))
    for axis, column, title in zip(axes, ("old", "new"), ("(a) 2020", "(b) 2021")):
        title = f"{title}, accuracy {accuracy(rows, column):.1f}%"
        draw_matrix(axis, rows, column, title=title, limit=limit)
    draw_errors(axes[2], lines, ("uniform", "masa"), label_lines=True)
    queries_axis(axes[2], lines["budget"].max())
    axes[2].set_title("(c) error of the estimated shift")
    axes[2].set_ylabel("squared Frobenius error")
    title = f"(d) shift, accuracy {signed(accuracy(rows, 'shift'))} points"
    draw_matrix(axes[3], rows, "shift", title=title)
    for axis in (axes[0], axes[1], axes[3]):
        axis.set_ylabel("true label")
        axis.set_xlabel("predicted label")
    masa = lines[lines["sampler"] == "masa"]
    note(
        figure,
        f"{case.title}. Cells: per cent of all items, none below 0.05. (c): mean of {masa['trials'].max()} trials, "
        f"MASA with K={masa['K'].max()}; bands: 95% interval of the mean. {sources([case])}",
    )
    return figure
