"""A cheap model of how hard it is to tell whether a number is prime: the work of trial division."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def trial_divisions(numbers: ArrayLike) -> NDArray[np.int64]:
    """Count the divisors 2, 3, 4, ... that trial division tries before it knows.

    A composite number is known at its smallest factor p, after ``p - 1`` divisions; a prime only when the
    divisors pass its square root. The count needs no training and no query, and more work is harder.

    Parameters
    ----------
    numbers : array of int, shape (items,)
        At least 2.

    Returns
    -------
    ndarray of int64, shape (items,)

    Examples
    --------
    >>> trial_divisions([10, 35, 7, 101])
    array([1, 4, 1, 9])
    """
    number = np.asarray(numbers, dtype=np.int64)
    work = np.array([int(n) for n in np.sqrt(number)], dtype=np.int64) - 1
    for divisor in range(int(np.sqrt(number.max(initial=4))), 1, -1):
        work[(number % divisor == 0) & (number >= divisor**2)] = divisor - 1
    return work
