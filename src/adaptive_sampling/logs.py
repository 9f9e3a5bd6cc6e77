"""One log a job: what it says, why it failed and what it cost, in its own file."""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final

from adaptive_sampling.errors import InputError

COST: Final = "processor time, s: "
"""How the last line of a job's log begins."""


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send all that the block prints to a log file, line by line, and end the process if it fails.

    Parameters
    ----------
    path : str or Path
        Replaced if it exists.

    The last line is the processor time of the process so far, from its start, with threads and ended children.

    Raises
    ------
    SystemExit
        If the block raises: the log then holds one sentence for bad input, a traceback for anything else.
    """
    with (
        Path(path).open("w", encoding="utf-8", buffering=1) as log,
        redirect_stdout(log),
        redirect_stderr(log),
    ):
        try:
            yield
            print(f"{COST}{sum(os.times()[:4]):.1f}")  # noqa: T201
        except InputError as error:
            print(error, file=sys.stderr)  # noqa: T201
            raise SystemExit(1) from None
        except Exception:
            traceback.print_exc()
            raise SystemExit(1) from None
