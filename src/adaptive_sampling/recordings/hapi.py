"""The recorded answers of later years: the HAPI archive (Chen, Jin, Eyuboglu, Re, Zaharia and Zou, NeurIPS 2022).

The archive holds ``tasks/meta.csv`` (task,dataset,api,date,path,cost_per_10k) and, for each of its rows, a JSON
list of records ``example_id``, ``predicted_label``, ``confidence``. It has no true labels beside the answers, and
example names repeat in COMMAND; so its answers are put beside those of 2020 and used only if both the accuracy
and the overlap come out as published.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.frugalml import Recording
from adaptive_sampling.recordings.published import COMMAND_ROWS, PublishedPair
from adaptive_sampling.tables import read_table

META_COLUMNS: Final = {
    "task": "text",
    "dataset": "text",
    "api": "text",
    "date": "text",
    "path": "text",
    "cost_per_10k": "number?",
}
"""Columns of ``tasks/meta.csv``."""

_DATASETS: Final[Mapping[str, str]] = {"FER+": "ferplus", "AFFECTNET": "afnet"}


def read_later_answers(
    folder: str | Path, case: Case, recording: Recording, published: PublishedPair, year: int = 2021
) -> NDArray[np.int64]:
    """Read the answers of 2021 and put them in the order of the recording of 2020.

    Parameters
    ----------
    folder : str or Path
        The unpacked archive, which holds ``tasks``.
    case : Case
    recording : Recording
        The answers of 2020, whose names are matched.
    published : PublishedPair
        Accuracy and overlap that must come out.
    year : int
        Of the answers.

    Returns
    -------
    ndarray of int64, shape (items,)
        Predicted labels.

    Raises
    ------
    InputError
        If a file is missing or not as expected, an item has no answer or more than one, or the accuracy or the
        overlap is not the published one.
    """
    tasks = Path(folder) / "tasks"
    path = tasks / _path(tasks / "meta.csv", case, year)
    names, answers = _records(path, len(case.predicted_labels))
    wanted = [_example(name) for name in recording.names]
    new = answers if names == wanted else answers[_rows(path, names, wanted, recording.labels)]
    correct = int(np.count_nonzero(new == recording.labels))
    if correct != round(case.items * published.accuracy_2021):
        raise InputError(
            f"{path}: {correct} correct answers but an accuracy of {published.accuracy_2021} published, expected "
            "the same"
        )
    changed = int(np.count_nonzero(new != recording.predictions))
    # COMMAND's overlap was published for part of the items, so the rest may differ either way.
    unsure = case.items - COMMAND_ROWS if case.published_dataset == "COMMAND" else 0
    if abs(changed - round(case.items * (1 - published.overlap))) > unsure:
        raise InputError(
            f"{path}: {changed} answers changed but an overlap of {published.overlap} published, expected the same"
        )
    return new


def _rows(path: Path, names: list[str], wanted: list[str], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the row of each item of 2020 among the answers, by its name, or by name and label where names repeat."""
    there: list[tuple[str, int]] = [(name, 0) for name in names]
    here = [(name, 0) for name in wanted]
    if len(set(there)) < len(there) or len(set(here)) < len(here):
        true = _true_labels(path.parent.parent / "labels.json", names)
        there, here = list(zip(names, true)), list(zip(wanted, labels.tolist()))
        if len(set(there)) < len(there) or len(set(here)) < len(here):
            raise InputError(
                f"{path}: names repeat, even beside their true labels, and are not in the order of 2020, so items "
                "cannot be told apart"
            )
    rows = {item: row for row, item in enumerate(there)}
    missing, extra = [item for item in here if item not in rows], set(there) - set(here)
    if missing or extra:
        example = (missing or sorted(extra))[0][0]
        raise InputError(
            f"{path}: no answer for {len(missing)} items of 2020, and {len(extra)} answers for items that 2020 lacks, "
            f"expected the same items (the first that differs is {example!r})"
        )
    return np.array([rows[item] for item in here], dtype=np.int64)


def _true_labels(path: Path, names: list[str]) -> list[int]:
    """Read the true labels of a dataset, which must be in the order of its answers."""
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
        pairs = [(_example(str(record["example_id"])), int(record["true_label"])) for record in records]
    except FileNotFoundError:
        raise InputError(f"{path}: no such file, and names repeat among the answers") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a list of true labels ({error!r})") from None
    if [name for name, _ in pairs] != names:
        raise InputError(
            f"{path}: names repeat and are not in the order of the answers, so they cannot be joined"
        )
    return [label for _, label in pairs]


def _path(meta: Path, case: Case, year: int) -> str:
    """Path of a case's answers in one year, from the archive's list."""
    table = read_table(meta, META_COLUMNS)
    dataset = _DATASETS.get(str(case.published_dataset), str(case.published_dataset).lower())
    api = f"{str(case.published_api).lower()}_{case.task}"
    rows = table[
        (table["task"] == case.task)
        & (table["dataset"] == dataset)
        & (table["api"] == api)
        & table["date"].str.startswith(f"{year % 100:02d}-")
    ]
    if len(rows) != 1:
        raise InputError(f"{meta}: {len(rows)} rows of {case.task}/{dataset}/{api} in {year}, expected one")
    return str(rows["path"].iloc[0])


def _records(path: Path, labels: int) -> tuple[list[str], NDArray[np.int64]]:
    """Names and answers, in the order of the file."""
    try:
        table = pd.DataFrame(
            json.loads(path.read_text(encoding="utf-8")), columns=["example_id", "predicted_label"]
        )
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except ValueError as error:
        raise InputError(f"{path}: not a list of recorded answers ({str(error).strip()})") from None
    answers = pd.to_numeric(table["predicted_label"], errors="coerce")
    fine = answers.isin(range(labels)) & table["example_id"].notna()
    if not fine.all():
        row = int(np.argmin(fine))
        raise InputError(
            f"{path}: record {row + 1}: found {table.iloc[row].to_dict()}, expected a name and a label from 0 to "
            f"{labels - 1}"
        )
    return [_example(str(name)) for name in table["example_id"]], np.array(answers, dtype=np.int64)


def _example(name: str) -> str:
    """Name of an item without the extension of its file, which some of the archive's names have lost."""
    for suffix in (".jpg", ".jpeg", ".png", ".txt", ".wav"):
        name = name.removesuffix(suffix)
    return name
