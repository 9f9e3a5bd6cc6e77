"""The contract of a replay table: the counts from which every experiment on a case can be replayed.

A replay table is a CSV file with the columns ``difficulty,label,level,old,new,items``: for each difficulty
source, how many items of a true label, at a difficulty level, were predicted `old` then and `new` now.
Standard library only: tables are checked while the workflow is being planned.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Final

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

LEVELS: Final = 120
"""Levels of difficulty: 120 divides by 1, 2, 3, 4, 5, 6, 8, 10 and 12, so each such K is exact."""

REPLAY_COLUMNS: Final = ("difficulty", "label", "level", "old", "new", "items")
"""The columns of a replay table, in order; its rows are sorted by all but the last."""

_COUNT: Final = "(0|[1-9][0-9]*)"
_ROW: Final = re.compile(f"^([a-z_]+),{_COUNT},{_COUNT},{_COUNT},{_COUNT},{_COUNT}$", re.MULTILINE)

ReplayRow = tuple[str, int, int, int, int, int]


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
    rows = read_replay_rows(path)
    true_labels, predicted_labels = len(case.labels), len(case.predicted_labels)
    previous: tuple[str, int, int, int, int] = ("", 0, 0, 0, 0)
    totals: Counter[str] = Counter()
    transitions: dict[str, Counter[tuple[int, int, int]]] = {}
    for number, (difficulty, label, level, old, new, items) in enumerate(rows, start=2):
        key = (difficulty, label, level, old, new)
        if key <= previous:
            fault = "the same as the line before" if key == previous else "out of order"
            raise InputError(
                f"{path}: line {number}: {fault}, rows are unique and sorted by {','.join(REPLAY_COLUMNS[:-1])}"
            )
        if label >= true_labels:
            raise _out_of_range(path, number, "label", label, true_labels)
        if level >= LEVELS:
            raise _out_of_range(path, number, "level", level, LEVELS)
        if old >= predicted_labels:
            raise _out_of_range(path, number, "old", old, predicted_labels)
        if new >= predicted_labels:
            raise _out_of_range(path, number, "new", new, predicted_labels)
        if items < 1:
            raise InputError(f"{path}: line {number}, column items: found 0, expected at least 1")
        previous = key
        totals[difficulty] += items
        transitions.setdefault(difficulty, Counter())[label, old, new] += items
    for difficulty, total in totals.items():
        if total != case.items:
            raise InputError(
                f"{path}: difficulty {difficulty}: {total} items, expected {case.items} of case {case.case}: "
                "the table is cut short or belongs to another case"
            )
    first, *others = transitions
    for other in others:
        if transitions[other] != transitions[first]:
            label, old, new = min(
                cell
                for cell in transitions[first].keys() | transitions[other].keys()
                if transitions[first][cell] != transitions[other][cell]
            )
            raise InputError(
                f"{path}: label {label}, old {old}, new {new}: {transitions[first][label, old, new]} items under "
                f"difficulty {first} but {transitions[other][label, old, new]} under {other}, expected the same"
            )
    return tuple(totals)


def read_replay_rows(path: str | Path) -> list[ReplayRow]:
    """Read the rows of a replay table, checking only that each can be read.

    Parameters
    ----------
    path : str or Path
        The table.

    Returns
    -------
    list of (str, int, int, int, int, int)
        Cells of `REPLAY_COLUMNS`, row by row.

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
    header, _, body = text.partition("\n")
    if header != ",".join(REPLAY_COLUMNS):
        raise InputError(f"{path}: line 1: found {header[:80]!r}, expected {','.join(REPLAY_COLUMNS)}")
    if not body:
        raise InputError(f"{path}: no rows below the header: the table is cut short")
    if not text.endswith("\n"):
        last = text.rpartition("\n")[2]
        raise InputError(
            f"{path}: line {text.count(chr(10)) + 1}: the last line {last[:80]!r} has no end: the table is cut short"
        )
    found = _ROW.findall(body)
    if len(found) != body.count("\n"):
        raise _unreadable(path, body)
    return [
        (difficulty, int(label), int(level), int(old), int(new), int(items))
        for difficulty, label, level, old, new, items in found
    ]


def _unreadable(path: Path, body: str) -> InputError:
    """Name the first line that is not a row, and the first cell in it that is wrong."""
    for number, line in enumerate(body.split("\n"), start=2):
        if _ROW.fullmatch(line):
            continue
        cells = line.split(",")
        if len(cells) != len(REPLAY_COLUMNS):
            return InputError(
                f"{path}: line {number}: found {line[:80]!r}, expected {len(REPLAY_COLUMNS)} cells: "
                f"{','.join(REPLAY_COLUMNS)}"
            )
        for column, cell in zip(REPLAY_COLUMNS, cells):
            word = column == "difficulty"
            if not re.fullmatch("[a-z_]+" if word else _COUNT, cell):
                expected = "lower-case letters and _" if word else "a whole number of at least 0"
                return InputError(
                    f"{path}: line {number}, column {column}: found {cell[:80]!r}, expected {expected}"
                )
    raise AssertionError("the number of rows differs, so some line is not a row")


def _out_of_range(path: str | Path, number: int, column: str, found: int, count: int) -> InputError:
    return InputError(f"{path}: line {number}, column {column}: found {found}, expected 0 to {count - 1}")
