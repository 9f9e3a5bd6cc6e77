"""How many samples reach the wanted error with the wanted probability (Table 1)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

WEIGHTS: Final = 2**22
"""Weights of trials that the bootstrap holds at once: all resamples together would take 1.6 GB at 100,000 trials."""


@dataclass(frozen=True)
class RequiredSize:
    """The smallest budget of the grid that suffices, with a bootstrap interval over the trials.

    Attributes
    ----------
    size, low, high : int or None
        None where no budget of the grid suffices; the interval covers 95%.
    """

    size: int | None
    low: int | None
    high: int | None


def required_size(
    error: NDArray[np.float64],
    budgets: NDArray[np.int64],
    *,
    target: float,
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
) -> RequiredSize:
    """Smallest N with Pr[ ||dC - dC_hat||_F <= target ] >= confidence, over the trials.

    Parameters
    ----------
    error : ndarray of float, shape (trials, B)
        Squared Frobenius errors.
    budgets : ndarray of int64, shape (B,)
    target : float
        Wanted Frobenius error (not squared), such as 0.01.
    confidence : float
        Wanted probability, such as 0.95.
    resamples : int
        Bootstrap resamples of the trials.
    rng : numpy.random.Generator

    Returns
    -------
    RequiredSize

    Examples
    --------
    >>> error = np.array([[4e-4, 1e-4, 0.5e-4]] * 20)
    >>> required_size(
    ...     error, np.array([100, 200, 300]), target=0.01, confidence=0.95, resamples=10,
    ...     rng=np.random.default_rng(0),
    ... )
    RequiredSize(size=200, low=200, high=200)
    """
    success = (error <= target**2).astype(np.float64)
    trials = len(error)
    first = _first(success.sum(axis=0)[None], trials * confidence)[0]
    resampled = np.empty(resamples, np.int64)
    some = max(1, WEIGHTS // trials)
    for begin in range(0, resamples, some):
        part = resampled[begin : begin + some]
        weights = rng.multinomial(trials, np.full(trials, 1 / trials), size=len(part)).astype(np.float64)
        part[:] = _first(weights @ success, trials * confidence)
    resampled.sort()
    low, high = resampled[int(0.025 * (resamples - 1))], resampled[int(np.ceil(0.975 * (resamples - 1)))]
    sizes = [int(budgets[i]) if i < len(budgets) else None for i in (first, low, high)]
    return RequiredSize(*sizes)


def _first(successes: NDArray[np.float64], needed: float) -> NDArray[np.int64]:
    """Column at which each row first holds `needed` successes; the number of columns where it never does."""
    # Successes are whole numbers: the tolerance only absorbs the rounding of trials * confidence.
    reached = successes >= needed - 1e-6
    first: NDArray[np.int64] = np.where(reached.any(axis=1), reached.argmax(axis=1), successes.shape[1])
    return first
