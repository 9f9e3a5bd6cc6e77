"""The frame of every command: what is refused is said in one sentence, with exit status 2."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from adaptive_sampling.errors import InputError


def command_parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """Make the parser of a command.

    Parameters
    ----------
    module : str
        The module that is run, as in ``python -m module``.
    description : str or None
        Its docstring.

    Returns
    -------
    ArgumentParser
        With the option ``--cases``, the table of cases.

    Examples
    --------
    >>> command_parser("adaptive_sampling.shift.cost", "Time and memory.").parse_args([]).cases.name
    'cases.csv'
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--cases", type=Path, default=Path("config/cases.csv"), help="table of cases")
    return parser


def run_command(
    parser: argparse.ArgumentParser,
    work: Callable[[argparse.Namespace], None],
    arguments: Sequence[str] | None,
) -> int:
    """Parse the arguments and do the work.

    Parameters
    ----------
    parser : ArgumentParser
    work : callable
        Takes the options.
    arguments : sequence of str or None
        Those of the process if None.

    Returns
    -------
    int
        Exit status: 0 if all went well, 2 where the work raised `InputError`, whose sentence goes to stderr.
    """
    options = parser.parse_args(arguments)
    try:
        work(options)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
