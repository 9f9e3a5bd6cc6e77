"""How far long work is: a bar on a terminal, a plain line every few seconds in a log."""

import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from tqdm import tqdm

ON_TERMINAL: Final = 0.5
"""Seconds between two looks of a bar."""

IN_LOG: Final = 5.0
"""Seconds between two lines of a log."""


class _Lines:
    """Takes what is meant to overwrite one line of a terminal, and writes each state as a line of its own."""

    def __init__(self, log: TextIO) -> None:
        self._log = log

    def write(self, text: str) -> None:
        if state := text.strip():
            self._log.write(state + "\n")

    def flush(self) -> None:
        self._log.flush()


def progress(
    title: str, total: int | None, unit: str, *, done: int = 0, leave: bool = True, logged: bool = True
) -> "tqdm[Any]":
    """Begin to show progress on standard error; call ``update`` with each part done, and close it with ``with``.

    Parameters
    ----------
    title : str
        Whose progress it is.
    total : int or None
        How many units the whole is, if known.
    unit : str
        What is counted, such as ``"blocks"``; ``"B"`` are bytes, shown in thousands and millions.
    done : int
        Units done before.
    leave : bool
        Whether a bar stays on the terminal at the end.
    logged : bool
        Whether a log gets lines too.

    Examples
    --------
    >>> with progress("items", 3, "items", logged=False) as shown:
    ...     for _ in range(3):
    ...         _ = shown.update()
    """
    from tqdm import tqdm

    terminal = sys.stderr.isatty()
    return tqdm(
        desc=title,
        total=total,
        unit=unit if unit == "B" else f" {unit}",
        unit_scale=unit == "B",
        initial=done,
        leave=leave or not terminal,
        disable=not (terminal or logged),
        mininterval=ON_TERMINAL if terminal else IN_LOG,
        file=sys.stderr if terminal else _Lines(sys.stderr),
        position=None if terminal else 0,  # in a log nothing moves the cursor to the place of an outer bar
        bar_format=None if terminal else "{desc}: {n_fmt} of {total_fmt}{unit}, {elapsed}",
    )
