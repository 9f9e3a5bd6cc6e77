"""A replay table from your own recorded predictions.

Run as ``python -m adaptive_sampling.recordings.own --case my_api --predictions mine.csv``, where the case is a row
of the table of cases and the file has the columns ``label,old,new`` (names of labels, as in that row) and, if
items are to be ranked by difficulty, ``confidence`` (a cheap model's, high values being easy).
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.reconstruct import DEFAULT_SEED
from adaptive_sampling.recordings.replay import build_replay_table, write_replay_table
from adaptive_sampling.tables import read_table

PREDICTION_COLUMNS: Final = {"label": "text", "old": "text", "new": "text"}
"""Columns of a file of predictions, one row for each item; `CONFIDENCE` may follow."""

CONFIDENCE: Final = {"confidence": "number"}
"""The column that ranks items by difficulty."""


def own_replay_table(path: str | Path, case: Case, difficulty: str, seed: int) -> pd.DataFrame:
    """Read recorded predictions and count them into a replay table.

    Parameters
    ----------
    path : str or Path
        Columns `PREDICTION_COLUMNS`, and `CONFIDENCE` if `difficulty` is not ``none``.
    case : Case
        Names the labels and gives the number of items.
    difficulty : str
        Name of the difficulty source: ``old_api_confidence``, ``open_source_model``, ..., or ``none``.
    seed : int
        Breaks ties.

    Returns
    -------
    DataFrame
        As `build_replay_table`.

    Raises
    ------
    InputError
        If the file is missing, its columns or number of rows differ, or a cell is no label of the case.
    """
    columns = PREDICTION_COLUMNS if difficulty == "none" else {**PREDICTION_COLUMNS, **CONFIDENCE}
    table = read_table(path, columns, rows=case.items)
    labels, old, new = (
        _indices(path, name, table[name], names)
        for name, names in (
            ("label", case.labels),
            ("old", case.predicted_labels),
            ("new", case.predicted_labels),
        )
    )
    confidence = None if difficulty == "none" else table["confidence"].to_numpy()
    return build_replay_table(case, labels, old, new, {difficulty: confidence}, seed)


def _indices(
    path: str | Path, column: str, cells: "pd.Series[Any]", names: Sequence[str]
) -> NDArray[np.int64]:
    indices = cells.map({name: index for index, name in enumerate(names)})
    if indices.isna().any():
        row = int(indices.isna().to_numpy().argmax())
        raise InputError(
            f"{path}: column {column}, row {row + 2}: found {cells.iloc[row]!r}, allowed are {', '.join(names)}"
        )
    return np.array(indices, dtype=np.int64)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if not given.

    Returns
    -------
    int
        0 if all went well, else 2.
    """
    parser = argparse.ArgumentParser(prog="python -m adaptive_sampling.recordings.own", description=__doc__)
    parser.add_argument("--case", required=True, help="name of the row in the table of cases")
    parser.add_argument("--predictions", required=True, type=Path, help="CSV file, one row for each item")
    parser.add_argument("--difficulty", default="none", help="name of what the column confidence holds")
    parser.add_argument("--out", type=Path, default=Path("data/replay"), help="folder for CASE.csv")
    parser.add_argument("--cases", type=Path, default=Path("config/cases.csv"), help="table of cases")
    parser.add_argument(
        "--seed", type=int, default=DEFAULT_SEED, help="breaks ties between equal confidences"
    )
    options = parser.parse_args(arguments)
    try:
        cases = read_cases(options.cases)
        if options.case not in cases:
            raise InputError(f"--case: found {options.case}, allowed are {', '.join(cases)}")
        case = cases[options.case]
        table = own_replay_table(options.predictions, case, options.difficulty, options.seed)
        write_replay_table(table, options.out / f"{case.case}.csv", case)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
