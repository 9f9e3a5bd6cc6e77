"""What a best-arm algorithm did in many trials at once."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

STAYED: Final = np.iinfo(np.int64).max
"""In `Outcome.eliminated`: the arm was never eliminated."""


@dataclass(frozen=True)
class Outcome:
    """The result of an algorithm; the leading axis of every array is the trial.

    Attributes
    ----------
    pulls : ndarray of int64, shape (trials, arms)
        Pulls of each arm.
    rounds : ndarray of int64, shape (trials,)
        Rounds used; for the sequential algorithm, sweeps over the surviving arms.
    recommendation : ndarray of int64, shape (trials,)
        Index of the arm that is returned.
    eliminated : ndarray of int64, shape (trials, arms)
        The round after which an arm was dropped, `STAYED` if it never was.
    leaders : ndarray of int64, shape (trials, T)
        What would be returned if the deadline came after round t = 1..T; no columns for the sequential
        algorithm, one for the passive.
    spent : ndarray of int64, shape (trials, T)
        Pulls of all arms by the end of round t; no columns for the sequential algorithm.
    """

    pulls: NDArray[np.int64]
    rounds: NDArray[np.int64]
    recommendation: NDArray[np.int64]
    eliminated: NDArray[np.int64]
    leaders: NDArray[np.int64]
    spent: NDArray[np.int64]

    def survivors(self, round_number: int) -> NDArray[np.int64]:
        """Count the arms left after a round (0 is the start); shape (trials,)."""
        left: NDArray[np.int64] = (self.eliminated > round_number).sum(axis=1)
        return left


def one_arm(trials: int, rounds: int) -> Outcome:
    """Return the outcome when there is nothing to choose: arm 0, without a pull."""
    zeros = np.zeros(trials, dtype=np.int64)
    by_round = np.zeros((trials, rounds), dtype=np.int64)
    return Outcome(zeros[:, None], zeros, zeros, np.full((trials, 1), STAYED), by_round, by_round)
