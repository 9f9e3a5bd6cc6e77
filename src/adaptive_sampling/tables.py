"""Tables as files: CSV with stated rounding, written whole or not at all, and checked when read."""

import csv
import glob
import io
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pandas as pd

from adaptive_sampling.errors import InputError

if sys.platform != "win32":
    import fcntl

SIGNIFICANT_DIGITS: Final = 10
"""Floats are written with ten significant digits: coarser than any difference between processors."""

MARK: Final = ".writing-"
"""Stands in temporary names, between the final name's stem and a random part: ``.errors.writing-k3x_9a.csv``."""


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside `path`, and move it there only if the block ends well.

    A process that is killed leaves its temporary file; the next that writes `path` removes it. A writer holds a lock
    on its file, which the system takes back when the writer dies, so that no file of a living writer is removed.

    Parameters
    ----------
    path : str or Path
        The final name. Its folder is made if need be.

    Yields
    ------
    Path
        The temporary name to write to, with the same suffix.

    Examples
    --------
    >>> with written_whole("results/a.txt") as temporary:  # doctest: +SKIP
    ...     temporary.write_text("all or nothing")
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    handle, temporary = _claim(path)
    try:
        yield temporary
        # mkstemp makes the file private; give it the permissions any other new file would have.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        os.close(handle)


def _claim(path: Path) -> tuple[int, Path]:
    """Make a temporary file for `path` and lock it: the lock ends when the handle is closed, or the process dies."""
    while True:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}{MARK}", suffix=path.suffix, dir=path.parent)
        _lock(handle, wait=True)
        # Between its making and its lock another writer can have taken it for a leftover.
        if Path(name).exists():
            return handle, Path(name)
        os.close(handle)


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for `path` that nobody holds a lock on."""
    for leftover in path.parent.glob(f".{glob.escape(path.stem + MARK)}*{glob.escape(path.suffix)}"):
        try:
            handle = os.open(leftover, os.O_RDWR)
        except OSError:  # moved or removed meanwhile, or another user's
            continue
        try:
            if _lock(handle, wait=False):
                leftover.unlink(missing_ok=True)
        finally:
            os.close(handle)


def _lock(handle: int, *, wait: bool) -> bool:
    """Lock an open file; False if another process has it, or the file system knows no locks."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV: UTF-8, Unix line ends, ten significant digits, no index.

    Parameters
    ----------
    table : DataFrame
    path : str or Path
        Replaced in one step: a reader never sees half a table.
    """
    with written_whole(path) as temporary:
        table.to_csv(
            temporary,
            index=False,
            float_format=f"%.{SIGNIFICANT_DIGITS}g",
            lineterminator="\n",
            encoding="utf-8",
        )


def write_text(text: str, path: str | Path) -> None:
    """Write text as UTF-8 with Unix line ends, in one step.

    Parameters
    ----------
    text : str
    path : str or Path
    """
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read_table(path: str | Path, columns: Mapping[str, str], *, rows: int | None = None) -> pd.DataFrame:
    """Read a CSV and check it against its contract.

    Parameters
    ----------
    path : str or Path
    columns : mapping of str to str
        Column names in order, each with its kind: ``"text"``, ``"flag"``, ``"integer"``, ``"number"`` (finite),
        ``"count"`` (an integer of at least 0), ``"amount"`` (a number of at least 0) or ``"share"`` (a number
        from 0 to 1); a trailing ``?`` allows empty cells.
    rows : int, optional
        The exact number of rows, where it is known.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If the file is missing or cut short, or its columns, types, ranges or number of rows differ.
    """
    path = Path(path)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
        header, *cells = csv.reader(io.StringIO(text, newline=""), strict=True)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (csv.Error, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{path}: not a readable CSV table ({str(error).strip()})") from None
    if header != list(columns):
        raise InputError(f"{path}: columns are {','.join(header)}, expected {','.join(columns)}")
    if not text.endswith("\n"):
        raise InputError(f"{path}: row {len(cells) + 1}: the last row has no end: the file is cut short")
    for number, row in enumerate(cells, start=2):
        if len(row) != len(header):
            raise InputError(f"{path}: row {number}: {len(row)} cells, expected {len(header)}")
    if rows is not None and len(cells) != rows:
        raise InputError(f"{path}: {len(cells)} rows, expected {rows}: the file is cut short or mixed up")
    table = pd.DataFrame(cells, columns=header, dtype=str)
    for name, kind in columns.items():
        table[name] = _typed(path, name, table[name], kind)
    return table


RANGES: Final = {"count": (0.0, math.inf), "amount": (0.0, math.inf), "share": (0.0, 1.0)}
"""Least and largest value of the kinds of numbers that have one."""


def _typed(path: Path, name: str, cells: "pd.Series[str]", kind: str) -> "pd.Series[Any]":
    """Turn the text of one column into its kind, or say which cell is wrong."""
    empty = cells == ""
    if not kind.endswith("?") and empty.any():
        raise InputError(f"{path}: column {name}, row {int(empty.argmax()) + 2}: empty, expected {kind}")
    optional, kind = kind.endswith("?"), kind.rstrip("?")
    if kind == "text":
        return cells
    whole = kind in ("integer", "count")
    if kind == "flag":
        converted: pd.Series[Any] = cells.map({"True": True, "False": False})
        wrong = converted.isna() & ~empty
    else:
        converted = pd.to_numeric(cells.where(~empty), errors="coerce")
        least, most = RANGES.get(kind, (-math.inf, math.inf))
        wrong = ~(converted.between(least, most) & (converted.abs() < math.inf)) & ~empty
        if whole:
            wrong |= (converted % 1 != 0) & ~empty
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise InputError(f"{path}: column {name}, row {row + 2}: found {cells.iloc[row]!r}, expected {kind}")
    if kind == "flag":
        return converted.astype("boolean" if optional else "bool")
    if whole:
        return converted.astype("Int64" if optional else "int64")
    return converted.astype("float64")
