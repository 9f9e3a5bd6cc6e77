"""The contract of a replay table: the counts from which every experiment on a case can be replayed.

A replay table is a CSV file with the columns ``difficulty,label,level,old,new,items``: for each difficulty
source, how many items of a true label, at a difficulty level, were predicted `old` then and `new` now.
Standard library only: tables are checked while the workflow is being planned.
"""

import io
import operator
import re
import sys
from array import array
from collections.abc import Sequence
from itertools import islice, pairwise, starmap
from pathlib import Path
from typing import Final, TypeAlias

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

LEVELS: Final = 120
"""Levels of difficulty: 120 divides by 1, 2, 3, 4, 5, 6, 8, 10 and 12, so each such K is exact."""

REPLAY_COLUMNS: Final = ("difficulty", "label", "level", "old", "new", "items")
"""The columns of a replay table, in order; its rows are sorted by all but the last."""

_COUNT: Final = "(?:0|[1-9][0-9]{0,15}+)"
_ROWS: Final = re.compile(f"(?:[a-z_]++(?:,{_COUNT}){{5}}\\n)*+")

_BLOCK: Final = 50_000
"""Rows whose cells are text at the same time: all at once, millions of rows would take gigabytes."""

Counts: TypeAlias = "array[int]"
"""Whole numbers, eight bytes each."""

ReplayColumns: TypeAlias = tuple[list[str], Counts, Counts, Counts, Counts, Counts]
"""One column for each of `REPLAY_COLUMNS`."""


def check_replay_table(path: str | Path, case: Case) -> tuple[str, ...]:
    """Check a replay table against its contract, in a few milliseconds.

    Parameters
    ----------
    path : str or Path
        The table.
    case : Case
        The case it belongs to.

    Returns
    -------
    tuple of str
        The names of its difficulty sources, in alphabetical order.

    Raises
    ------
    InputError
        If the file is missing, cut short, or breaks the contract; the sentence names the file and the line.
    """
    columns = read_replay_columns(path)
    difficulty, label, level, old, new, items = columns
    if not all(starmap(operator.lt, pairwise(zip(difficulty, label, level, old, new)))):
        keys = list(zip(difficulty, label, level, old, new))
        row = next(n for n in range(1, len(keys)) if keys[n] <= keys[n - 1])
        fault = "the same as the line before" if keys[row] == keys[row - 1] else "out of order"
        sorting = ",".join(REPLAY_COLUMNS[:-1])
        raise InputError(f"{path}: line {row + 2}: {fault}, rows are unique and sorted by {sorting}")
    _check_range(path, "label", label, len(case.labels))
    _check_range(path, "level", level, LEVELS)
    _check_range(path, "old", old, len(case.predicted_labels))
    _check_range(path, "new", new, len(case.predicted_labels))
    if min(items) < 1:
        raise InputError(f"{path}: line {items.index(0) + 2}, column items: found 0, expected at least 1")
    transitions = _transitions(columns)
    for name, counts in transitions.items():
        total = sum(counts.values())
        if total != case.items:
            raise InputError(
                f"{path}: difficulty {name}: {total} items, expected {case.items} of case {case.case}: "
                "the table is cut short or belongs to another case"
            )
    first, *others = transitions
    for other in others:
        here, there = transitions[first], transitions[other]
        if here != there:
            cell = min(cell for cell in here.keys() | there.keys() if here.get(cell) != there.get(cell))
            raise InputError(
                f"{path}: label {cell[0]}, old {cell[1]}, new {cell[2]}: {here.get(cell, 0)} items under difficulty "
                f"{first} but {there.get(cell, 0)} under {other}, expected the same"
            )
    return tuple(transitions)


def read_replay_columns(path: str | Path) -> ReplayColumns:
    """Read the columns of a replay table, checking only that each cell can be read.

    Parameters
    ----------
    path : str or Path
        The table.

    Returns
    -------
    ReplayColumns
        Text, then whole numbers.

    Raises
    ------
    InputError
        If the file is missing or empty, its header is wrong, its last line is cut, or a row is not a word and
        five whole numbers.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error})") from None
    except (OSError, ValueError) as error:  # a folder, no right to read it, or no name of a file at all
        raise InputError(
            f"{str(path)[:200]!r}: cannot be read ({getattr(error, 'strerror', error)})"
        ) from None
    header, _, body = text.partition("\n")
    if header != ",".join(REPLAY_COLUMNS):
        raise InputError(f"{path}: line 1: found {header[:80]!r}, expected {','.join(REPLAY_COLUMNS)}")
    if not body:
        raise InputError(f"{path}: no rows below the header: the table is cut short")
    if not text.endswith("\n"):
        last = text.rpartition("\n")[2]
        raise InputError(
            f"{path}: line {text.count(chr(10)) + 1}: the last line {last[:80]!r} has no end: "
            "the table is cut short"
        )
    if not _ROWS.fullmatch(body):
        raise _unreadable(path, body)
    return _columns(body)


def _columns(body: str) -> ReplayColumns:
    """Take rows apart, all of which are known to be whole."""
    width = len(REPLAY_COLUMNS)
    difficulty: list[str] = []
    counts = (array("q"), array("q"), array("q"), array("q"), array("q"))
    lines = io.StringIO(body)
    while block := list(islice(lines, _BLOCK)):
        cells = "".join(block).replace("\n", ",").split(",")
        difficulty.extend(map(sys.intern, cells[:-1:width]))
        for n, column in enumerate(counts, start=1):
            column.extend(map(int, cells[n::width]))
    return (difficulty, *counts)


def _unreadable(path: Path, body: str) -> InputError:
    """Name the first line that is not a row, and the first cell in it that is wrong."""
    for number, line in enumerate(body.split("\n"), start=2):
        cells = line.split(",")
        if len(cells) != len(REPLAY_COLUMNS):
            return InputError(
                f"{path}: line {number}: found {line[:80]!r}, expected {len(REPLAY_COLUMNS)} cells: "
                f"{','.join(REPLAY_COLUMNS)}"
            )
        for column, cell in zip(REPLAY_COLUMNS, cells):
            word = column == "difficulty"
            if not re.fullmatch("[a-z_]+" if word else _COUNT, cell):
                expected = (
                    "lower-case letters and _" if word else "a whole number of at least 0, of up to 16 digits"
                )
                return InputError(
                    f"{path}: line {number}, column {column}: found {cell[:80]!r}, expected {expected}"
                )
    raise AssertionError("the number of rows differs, so some line is not a row")


def _check_range(path: str | Path, column: str, values: Sequence[int], count: int) -> None:
    """Refuse a column with a value of `count` or more, naming the first such line."""
    if max(values) >= count:
        row = next(n for n, value in enumerate(values) if value >= count)
        raise InputError(
            f"{path}: line {row + 2}, column {column}: found {values[row]}, expected 0 to {count - 1}"
        )


def _transitions(columns: ReplayColumns) -> dict[str, dict[tuple[int, int, int], int]]:
    """Count the items of each (label, old, new), for each difficulty."""
    difficulty, label, _, old, new, items = columns
    counts: dict[str, dict[tuple[int, int, int], int]] = {name: {} for name in dict.fromkeys(difficulty)}
    for name, count, *cell in zip(difficulty, items, label, old, new):
        of_name, transition = counts[name], (cell[0], cell[1], cell[2])
        of_name[transition] = of_name.get(transition, 0) + count
    return counts
