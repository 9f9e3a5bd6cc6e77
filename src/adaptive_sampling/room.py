"""How much memory one step may ask for: what would need more is refused in a sentence, before it starts."""

from typing import Final

from adaptive_sampling.errors import InputError

ROOM: Final = 2**32
"""Bytes that the arrays of one step may take."""


def check_room(needed: int, what: str, instead: str) -> None:
    """Raise `InputError` if a step would need more than `ROOM`.

    Parameters
    ----------
    needed : int
        Bytes.
    what : str
        What needs them, in the plural, with its sizes.
    instead : str
        What to change: a key, or a command.

    Examples
    --------
    >>> check_room(2**33, "errors of 9 trials", "take fewer")
    Traceback (most recent call last):
    ...
    adaptive_sampling.errors.InputError: errors of 9 trials need 8.0 GiB, allowed are 4: take fewer
    """
    if needed > ROOM:
        raise InputError(f"{what} need {needed / 2**30:.1f} GiB, allowed are {ROOM / 2**30:g}: {instead}")
