"""Reading errors off the streams at counts that are already chosen.

Only the cells (stratum, answer) that occur are visited: confusion matrices are large and mostly empty.
"""

import numba
import numpy as np

from adaptive_sampling.shift.kernels import kth_answer
from adaptive_sampling.shift.level_sort import cells, squared_error


@numba.njit(nogil=True, cache=True)
def errors_at_counts(  # type: ignore[no-untyped-def]
    answers,
    start,
    share,
    stratum_label,
    new,
    weights,
    raw,
    replacement,
    words,
    first_trial,
    count,
    error,
) -> None:
    """Read the streams up to given counts and measure the estimate there.

    Parameters
    ----------
    raw : bool
        Estimate by the raw frequency of all answers (uniform sampling) instead of by known shares.
    count : ndarray of int32, shape (trials, B, G)
        Answers taken from each stratum at each budget; never falling along the budgets.
    error : ndarray of float, shape (trials, B)
        Filled with the squared Frobenius error at each budget.

    The other parameters are those of `kernels.masa_literal`.
    """
    strata = len(share)
    cell_of_item, cell_stratum, cell_target, target = cells(answers, start, stratum_label, new)
    target_new, target_weight = new.ravel()[target], weights.ravel()[target]
    factor, estimate = np.empty(strata), np.empty(len(target))
    frequency, spare = np.empty(len(cell_stratum), np.int32), np.empty(strata)
    weight = share.copy()
    for trial in range(count.shape[0]):
        items = cell_of_item if replacement else cell_of_item.copy()
        n = np.zeros(strata, np.int32)
        frequency[:] = 0
        for b in range(count.shape[1]):
            for g in range(strata):
                for k in range(n[g], count[trial, b, g]):
                    cell, spare[g] = kth_answer(
                        items, start, replacement, words, first_trial + trial, g, k, spare[g]
                    )
                    frequency[cell] += 1
                n[g] = count[trial, b, g]
            if raw:
                weight[:] = n / n.sum()
            error[trial, b] = squared_error(
                frequency,
                n,
                weight,
                cell_stratum,
                cell_target,
                target_new,
                target_weight,
                factor,
                estimate,
            )
