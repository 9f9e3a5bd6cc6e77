"""Replay tables: built from predictions, written and read."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.difficulty.levels import difficulty_levels
from adaptive_sampling.errors import InputError
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.recordings.replay_format import (
    LEVELS,
    REPLAY_COLUMNS,
    check_replay_table,
    read_replay_columns,
)
from adaptive_sampling.tables import write_table


def build_replay_table(
    case: Case,
    labels: ArrayLike,
    old: ArrayLike,
    new: ArrayLike,
    confidences: Mapping[str, ArrayLike | None],
    seed: int,
) -> pd.DataFrame:
    """Count the items of a case by difficulty source, true label, level, old and new prediction.

    Parameters
    ----------
    case : Case
    labels, old, new : array of int, shape (items,)
        True labels, and predictions at the two dates.
    confidences : mapping of str to array of float, shape (items,), or None
        For each difficulty source, what ranks the items, low values being difficult; None is chance.
    seed : int
        Breaks ties between equal confidences.

    Returns
    -------
    DataFrame
        Columns `REPLAY_COLUMNS`, sorted by all but the last.

    Raises
    ------
    InputError
        If an array has another length than the case has items.
    """
    columns = {"label": np.asarray(labels), "old": np.asarray(old), "new": np.asarray(new)}
    for name, column in columns.items():
        if column.shape != (case.items,):
            raise InputError(f"case {case.case}: {name} has shape {column.shape}, expected ({case.items},)")
    shape = (len(case.labels), LEVELS, len(case.predicted_labels), len(case.predicted_labels))
    tables = []
    for difficulty in sorted(confidences):
        level = levels_of(case, columns["label"], difficulty, confidences[difficulty], seed)
        # One number for each cell: sorting them takes a fraction of the memory that grouping by four columns does.
        cell, items = np.unique(
            np.ravel_multi_index((columns["label"], level, columns["old"], columns["new"]), shape),
            return_counts=True,
        )
        places = dict(zip(("label", "level", "old", "new"), np.unravel_index(cell, shape)))
        tables.append(pd.DataFrame({"difficulty": difficulty, **places, "items": items}))
    return _typed(pd.concat(tables, ignore_index=True))


def levels_of(
    case: Case, labels: NDArray[np.int64], difficulty: str, confidences: ArrayLike | None, seed: int
) -> NDArray[np.int64]:
    """Level of every item of a case under one difficulty source.

    Parameters
    ----------
    case : Case
    labels : ndarray of int64, shape (items,)
        True labels.
    difficulty : str
        Name of the source.
    confidences : array of float, shape (items,), or None
        What ranks the items, low values being difficult; None is chance.
    seed : int
        Breaks ties between equal confidences.

    Returns
    -------
    ndarray of int64, shape (items,)
        As `difficulty_levels`.
    """
    rng = named_generator(seed, f"recordings/{case.case}/levels/{difficulty}")
    return difficulty_levels(labels, confidences, rng)


def read_replay_table(path: str | Path, case: Case) -> pd.DataFrame:
    """Read a replay table and check it against its contract.

    Parameters
    ----------
    path : str or Path
    case : Case
        The case it belongs to.

    Returns
    -------
    DataFrame
        Columns `REPLAY_COLUMNS`: difficulty is text, the others int64.

    Raises
    ------
    InputError
        As `check_replay_table`.
    """
    check_replay_table(path, case)
    return _typed(pd.DataFrame(dict(zip(REPLAY_COLUMNS, read_replay_columns(path)))))


def write_replay_table(table: pd.DataFrame, path: str | Path, case: Case) -> None:
    """Write a replay table in one step, and check what was written.

    Parameters
    ----------
    table : DataFrame
        From `build_replay_table`.
    path : str or Path
    case : Case

    Raises
    ------
    InputError
        As `check_replay_table`.
    """
    write_table(table, path)
    check_replay_table(path, case)


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    kinds = {name: "str" if name == "difficulty" else "int64" for name in REPLAY_COLUMNS}
    return table[list(REPLAY_COLUMNS)].astype(kinds)
