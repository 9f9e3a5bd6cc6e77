"""The recordings of 2020: the FrugalML files (Chen, Zaharia and Zou, NeurIPS 2020), one value a line."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

EMPTY_ANSWERS: Final[Mapping[str, int]] = {"DIGIT": 10, "AUDIOMNIST": 10, "COMMAND": 30, "FLUENT": 29}
"""Where each speech dataset puts an answer without words: outside the digits, at "background noise", and
(a fault of the recordings) at "set language to German"."""


@dataclass(frozen=True)
class Recording:
    """What one API answered for every item of one dataset in 2020.

    Attributes
    ----------
    names : tuple of str
        File names of the items; not unique in COMMAND, where a name and a label together are.
    labels, predictions : ndarray of int64, shape (items,)
        Indices of `Case.labels` and of `Case.predicted_labels`.
    confidences, open_source_confidences : ndarray of float, shape (items,)
        Of the API and of the open-source model, in [0, 1].
    empty_answer : int or None
        Index of the predicted label that holds empty answers.
    """

    names: tuple[str, ...]
    labels: NDArray[np.int64]
    predictions: NDArray[np.int64]
    confidences: NDArray[np.float64]
    open_source_confidences: NDArray[np.float64]
    empty_answer: int | None


def read_recording(folder: str | Path, case: Case) -> Recording:
    """Read the 2020 recording of a case.

    Parameters
    ----------
    folder : str or Path
        The FrugalML repository, which holds ``dataset/mlserviceperformance_YELP`` and so on.
    case : Case
        A case with FrugalML names.

    Returns
    -------
    Recording

    Raises
    ------
    InputError
        If a file is missing, has another number of lines than the case has items, or a line is not a number
        in its range; the sentence names the file and the line.
    """
    models = _dataset(folder, case)
    labels = read_labels(models / "Model0_TrueLabel.txt", case.items, len(case.labels))
    return Recording(
        names=read_names(models / "Model0_ImageName.txt", case.items),
        labels=labels,
        predictions=read_predictions(folder, case),
        confidences=read_confidences(models / f"Model{case.frugalml_model}_Confidence.txt", case.items),
        open_source_confidences=read_confidences(
            models / f"Model{case.open_source_model}_Confidence.txt", case.items
        ),
        empty_answer=EMPTY_ANSWERS.get(models.name.removeprefix("mlserviceperformance_")),
    )


def read_predictions(folder: str | Path, case: Case) -> NDArray[np.int64]:
    """Read only the API's 2020 predictions: all that AFFECTNET has besides its labels.

    `PredictedLabel` is used, not `OriginalPredictedLabel`, which is in each vendor's own order for faces.

    Parameters
    ----------
    folder, case
        As for `read_recording`.

    Returns
    -------
    ndarray of int64, shape (items,)

    Raises
    ------
    InputError
        As `read_recording`.
    """
    path = _dataset(folder, case) / f"Model{case.frugalml_model}_PredictedLabel.txt"
    return read_labels(path, case.items, len(case.predicted_labels))


def correct_answers(folder: str | Path, case: Case) -> int:
    """Count the API's correct answers of 2020.

    Parameters
    ----------
    folder, case
        As for `read_recording`.

    Returns
    -------
    int
    """
    labels = read_labels(_dataset(folder, case) / "Model0_TrueLabel.txt", case.items, len(case.labels))
    return int(np.count_nonzero(labels == read_predictions(folder, case)))


def read_labels(path: str | Path, items: int, labels: int) -> NDArray[np.int64]:
    """Read whole numbers below `labels`, one a line.

    Parameters
    ----------
    path : str or Path
    items : int
        Lines expected.
    labels : int
        Numbers allowed are 0 to ``labels - 1``.

    Returns
    -------
    ndarray of int64, shape (items,)

    Raises
    ------
    InputError
        If the file is missing, has another number of lines, or a line is no such number.
    """
    lines = _lines(path, items)
    wrong = next((n for n, line in enumerate(lines) if not (line.isascii() and line.isdecimal())), None)
    if wrong is None:
        values = np.array(lines, dtype=np.int64)
        if (values < labels).all():
            return values
        wrong = int(np.argmax(values >= labels))
    raise InputError(
        f"{path}: line {wrong + 1}: found {lines[wrong][:80]!r}, expected a whole number from 0 to {labels - 1}"
    )


def read_confidences(path: str | Path, items: int) -> NDArray[np.float64]:
    """Read numbers in [0, 1], one a line.

    Parameters
    ----------
    path : str or Path
    items : int
        Lines expected.

    Returns
    -------
    ndarray of float, shape (items,)

    Raises
    ------
    InputError
        If the file is missing, has another number of lines, or a line is no such number.
    """
    lines = _lines(path, items)
    values = np.array([_number(line) for line in lines])
    within = (values >= 0) & (values <= 1)
    if not within.all():
        wrong = int(np.argmin(within))
        raise InputError(
            f"{path}: line {wrong + 1}: found {lines[wrong][:80]!r}, expected a number from 0 to 1"
        )
    return values


def read_names(path: str | Path, items: int) -> tuple[str, ...]:
    """Read names, one a line; all but the last end in a comma.

    Parameters
    ----------
    path : str or Path
    items : int
        Lines expected.

    Returns
    -------
    tuple of str

    Raises
    ------
    InputError
        If the file is missing, has another number of lines, or a line is empty.
    """
    names = tuple(line.removesuffix(",") for line in _lines(path, items))
    if "" in names:
        raise InputError(f"{path}: line {names.index('') + 1}: found nothing, expected a name")
    return names


def _dataset(folder: str | Path, case: Case) -> Path:
    if case.frugalml_dataset is None or case.frugalml_model is None:
        raise InputError(
            f"case {case.case}: no FrugalML names in the table of cases, so it has no 2020 files"
        )
    return Path(folder) / "dataset" / f"mlserviceperformance_{case.frugalml_dataset}"


def _lines(path: str | Path, items: int) -> list[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error})") from None
    if lines[-1] == "":
        del lines[-1]
    if len(lines) != items:
        raise InputError(f"{path}: {len(lines)} lines, expected {items}, one for each item")
    return lines


def _number(line: str) -> float:
    """Turn a line into a number, or into one that is out of any range."""
    try:
        return float(line)
    except ValueError:
        return float("nan")
