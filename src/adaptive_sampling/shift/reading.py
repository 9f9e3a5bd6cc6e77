"""Reading errors off the streams at counts that are already chosen.

Only the cells (stratum, answer) that occur are visited: confusion matrices are large and mostly empty.
"""

import numba
import numpy as np

from adaptive_sampling.shift.level_sort import cells, copy, draw, draw_and_remove, squared_error, uniform


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
    cell_of_item, cell_stratum, layer, target = cells(answers, start, stratum_label, new)
    target_new, target_weight = new.ravel()[target], weights.ravel()[target]
    factor, estimate = np.empty(strata), np.empty(len(target))
    frequency, first = np.empty(len(cell_stratum), np.int32), np.empty(strata, np.int64)
    most = 0
    for trial in range(count.shape[0]):
        most = max(most, count[trial, -1].sum())
    # A stream's numbers come in pairs: one more than it gives may be drawn.
    number, cell = np.empty(most + 1), np.empty(most, np.uint32)
    pool, weight = cell_of_item.copy(), share.copy()
    for trial in range(count.shape[0]):
        # Draw all answers of the trial at once, stratum by stratum; the counts then say when each is read.
        end = 0
        for g in range(strata):
            taken = count[trial, -1, g]
            first[g], end = end, end + taken
            uniform(words, first_trial + trial, g, 0, number[: taken + taken % 2])
            if replacement:
                draw(cell_of_item[start[g] : start[g + 1]], number, cell[first[g] : end])
            else:
                copy(cell_of_item[start[g] : start[g + 1]], pool[start[g] : start[g + 1]])
                draw_and_remove(pool[start[g] : start[g + 1]], number, cell[first[g] : end])
        n = np.zeros(strata, np.int32)
        frequency[:] = 0
        for b in range(count.shape[1]):
            for g in range(strata):
                for i in range(first[g] + n[g], first[g] + count[trial, b, g]):
                    frequency[cell[i]] += 1
                n[g] = count[trial, b, g]
            if raw:
                weight[:] = n / n.sum()
            error[trial, b] = squared_error(
                frequency,
                n,
                weight,
                cell_stratum,
                layer,
                target_new,
                target_weight,
                factor,
                estimate,
            )
