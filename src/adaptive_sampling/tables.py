"""Tables as files: CSV with stated rounding, written whole or not at all, and checked when read."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pandas as pd

from adaptive_sampling.errors import InputError

SIGNIFICANT_DIGITS: Final = 10
"""Floats are written with ten significant digits: coarser than any difference between processors."""


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside `path`, and move it there only if the block ends well.

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
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes the file private; give it the permissions any other new file would have.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


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
        Column names in order, each with its kind: ``"text"``, ``"integer"``, ``"number"`` or ``"flag"``;
        a trailing ``?`` allows empty cells.
    rows : int, optional
        The exact number of rows, where it is known.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If the file is missing, or its columns, types or number of rows differ.
    """
    path = Path(path)
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8", na_filter=False)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a readable CSV table ({str(error).strip()})") from None
    if list(table.columns) != list(columns):
        raise InputError(
            f"{path}: columns are {','.join(map(str, table.columns))}, expected {','.join(columns)}"
        )
    for name, kind in columns.items():
        table[name] = _typed(path, name, table[name], kind)
    if rows is not None and len(table) != rows:
        raise InputError(f"{path}: {len(table)} rows, expected {rows}: the file is cut short or mixed up")
    return table


def _typed(path: Path, name: str, cells: "pd.Series[str]", kind: str) -> "pd.Series[Any]":
    """Turn the text of one column into its kind, or say which cell is wrong."""
    empty = cells == ""
    if not kind.endswith("?") and empty.any():
        raise InputError(f"{path}: column {name}, row {int(empty.argmax()) + 2}: empty, expected {kind}")
    optional, kind = kind.endswith("?"), kind.rstrip("?")
    if kind == "text":
        return cells
    if kind == "flag":
        converted: pd.Series[Any] = cells.map({"True": True, "False": False})
        wrong = converted.isna() & ~empty
    else:
        converted = pd.to_numeric(cells.where(~empty), errors="coerce")
        wrong = converted.isna() & ~empty
        if kind == "integer":
            wrong |= (converted % 1 != 0) & ~empty
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise InputError(
            f"{path}: column {name}, row {row + 2}: found {cells.iloc[row]!r}, expected {kind}"
        )
    if kind == "flag":
        return converted.astype("boolean" if optional else "bool")
    if kind == "integer":
        return converted.astype("Int64" if optional else "int64")
    return converted.astype("float64")
