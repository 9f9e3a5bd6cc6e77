"""Confusion matrices at two dates and their shift, as panels of a figure."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.figures.style import PAGE, note, panels

NUMBERED: Final = 10
"""Matrices of up to this many labels show a number in each cell; larger ones list their largest changes."""

NAMED: Final = 60
"""Axes of more labels than this have no names: they would lie on top of each other."""

LISTED: Final = 10
"""How many changes are listed beside a large matrix."""

SHARE_COLOURS: Final = "Blues"
SHIFT_COLOURS: Final = "RdBu_r"
"""Blue for less, red for more, white for no change."""

_LEAST: Final = 0.05
"""Percentages that round to 0.0 are left out."""


def rows_of(table: pd.DataFrame, case: str, figure: str) -> pd.DataFrame:
    """Return the rows of one case, or raise `InputError` if the run has none."""
    rows = table[table["case"] == case]
    if rows.empty:
        found = ", ".join(dict.fromkeys(table["case"]))
        raise InputError(f"{figure} shows {case}, which is not among the cases of this run: {found}")
    return rows


def dates(case: Case) -> tuple[str, str]:
    """Return when the two predictions of a case were made."""
    return {"llm": ("March 2023", "June 2023"), "own": ("before", "after")}.get(case.task, ("2020", "2021"))


def sources(cases: Sequence[Case]) -> str:
    """Say where the predictions of each date come from, for the line under a figure."""
    said: dict[str, None] = {}
    for case in cases:
        old, new = dates(case)
        own = case.source == "own predictions"
        said[f"{old} and {new}: own predictions" if own else f"{old}: recorded; {new}: {case.source}"] = None
    return "; ".join(said) + "."


def matrix_of(rows: pd.DataFrame, column: str) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Arrange one column of ``confusion.csv`` as a matrix in per cent.

    Parameters
    ----------
    rows : DataFrame
        One case.
    column : str
        ``"old"``, ``"new"``, ``"shift"`` or another with a share in each cell.

    Returns
    -------
    ndarray of float, shape (L, J)
    list of str
        True labels, from top to bottom.
    list of str
        Predicted labels, from left to right.
    """
    labels, predicted = list(dict.fromkeys(rows["label"])), list(dict.fromkeys(rows["predicted"]))
    matrix = rows[column].to_numpy(dtype=np.float64).reshape(len(labels), len(predicted))
    return 100 * matrix, labels, predicted


def accuracy(rows: pd.DataFrame, column: str) -> float:
    """Return the trace of one column of ``confusion.csv``, in per cent."""
    return 100 * float(rows.loc[rows["label"] == rows["predicted"], column].sum())


def draw_matrix(
    axis: Axes,
    rows: pd.DataFrame,
    column: str,
    *,
    title: str,
    limit: float | None = None,
    true_labels: bool = True,
    predicted_labels: bool = True,
    fontsize: float = 6.5,
) -> None:
    """Draw one matrix: shares on a sequential scale, shifts on a diverging one centred at 0.

    Parameters
    ----------
    axis : Axes
    rows : DataFrame
        One case of ``confusion.csv``.
    column : str
        ``"old"`` and ``"new"`` are shares, anything else a shift.
    title : str
    limit : float, optional
        Where the scale ends, in per cent; the largest value of the matrix by default.
    true_labels, predicted_labels : bool
        Whether to write the names at the left and below.
    fontsize : float
        Of the numbers in the cells, in points.
    """
    matrix, labels, predicted = matrix_of(rows, column)
    true_labels = true_labels and len(labels) <= NAMED
    predicted_labels = predicted_labels and len(predicted) <= NAMED
    is_shift = column not in ("old", "new")
    limit = limit or float(np.abs(matrix).max()) or 1.0
    image = axis.imshow(
        matrix,
        cmap=SHIFT_COLOURS if is_shift else SHARE_COLOURS,
        vmin=-limit if is_shift else 0,
        vmax=limit,
        aspect="auto" if len(labels) == len(predicted) == 2 else "equal",
        interpolation="nearest",
    )
    if len(labels) <= NUMBERED:
        _write_numbers(axis, matrix, limit, "{:+.1f}" if is_shift else "{:.1f}", fontsize)
    else:
        unit = "percentage points" if is_shift else "% of all items"
        axis.figure.colorbar(image, ax=axis, shrink=0.75, pad=0.02, label=unit)
    # Labels are any text: a pair of dollar signs in one is no formula.
    small: dict[str, Any] = {"parse_math": False} | ({"fontsize": 4.5} if len(labels) > NUMBERED else {})
    slanted: dict[str, Any] = {"rotation": 90} if max(map(len, predicted)) > 3 and len(predicted) > 3 else {}
    axis.set_xticks(range(len(predicted)), predicted if predicted_labels else [], **small, **slanted)
    upright: dict[str, Any] = {"rotation": 90, "va": "center"} if len(labels) == 2 else {}
    axis.set_yticks(range(len(labels)), labels if true_labels else [], **small, **upright)
    axis.tick_params(length=0, pad=1.5)
    axis.spines[:].set_visible(False)
    axis.set_title(title)


def largest_changes(rows: pd.DataFrame, count: int = LISTED) -> list[str]:
    """Describe the cells that moved most, the largest first.

    Examples
    --------
    >>> rows = pd.DataFrame(
    ...     {"label": ["a", "a"], "predicted": ["a", "b"], "shift": [-0.0123, 0.0123], "case": "toy"}
    ... )
    >>> largest_changes(rows, 1)
    ['a as a: −1.23']
    """
    order = rows["shift"].abs().sort_values(ascending=False, kind="stable").index[:count]
    largest = rows.loc[order]
    return [
        f"{label} as {predicted}: {signed(100 * shift, 2)}"
        for label, predicted, shift in zip(largest["label"], largest["predicted"], largest["shift"])
        if shift
    ]


def confusion_figure(table: pd.DataFrame, case: Case) -> Figure:
    """Draw one case at both dates, and its shift.

    Parameters
    ----------
    table : DataFrame
        ``confusion.csv``.
    case : Case

    Raises
    ------
    InputError
        If the table does not have the case.
    """
    rows = rows_of(table, case.case, "this figure")
    large = len(case.labels) > NUMBERED
    if large:
        figure, axes = panels(2, 2, width=PAGE, height=6.6)
    else:
        figure, axes = panels(1, 3, width=PAGE, height=2.75)
    draw_three(axes, rows, case, fontsize=5 if len(case.labels) > 7 else 6.5, left_names_only=not large)
    if large:
        text = "\n".join(largest_changes(rows))
        axes[3].axis("off")
        axes[3].text(
            0,
            1,
            f"Largest changes (true label as answer,\npercentage points of all items):\n\n{text}",
            va="top",
            parse_math=False,
        )
    axes[0].set_ylabel("true label")
    figure.suptitle(case.title, fontsize=8.5, parse_math=False)
    note(figure, f"Columns: predicted label; cells: per cent of all items. {sources([case])}")
    return figure


def draw_three(
    axes: Sequence[Axes],
    rows: pd.DataFrame,
    case: Case,
    *,
    fontsize: float,
    left_names_only: bool = True,
    predicted_labels: bool = True,
) -> None:
    """Draw C_old, C_new and dC of one case side by side; both dates share one scale."""
    limit = max(matrix_of(rows, column)[0].max() for column in ("old", "new"))
    for axis, column, date in zip(axes, ("old", "new"), dates(case)):
        draw_matrix(
            axis,
            rows,
            column,
            title=f"{date}, accuracy {accuracy(rows, column):.1f}%",
            limit=limit,
            true_labels=column == "old" or not left_names_only,
            predicted_labels=predicted_labels,
            fontsize=fontsize,
        )
    draw_matrix(
        axes[2],
        rows,
        "shift",
        title=f"shift, accuracy {signed(accuracy(rows, 'shift'))} points",
        true_labels=not left_names_only,
        predicted_labels=predicted_labels,
        fontsize=fontsize,
    )


def signed(value: float, digits: int = 1) -> str:
    """Write a number with its sign, a true minus, and no sign where it rounds to 0."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def _write_numbers(axis: Axes, matrix: NDArray[np.float64], limit: float, form: str, fontsize: float) -> None:
    for (i, j), value in np.ndenumerate(matrix):
        if abs(value) >= _LEAST or len(matrix) == 2:
            axis.text(
                j,
                i,
                form.format(value).replace("-", "−"),
                ha="center",
                va="center",
                fontsize=fontsize,
                color="white" if abs(value) > 0.6 * limit else "black",
            )
