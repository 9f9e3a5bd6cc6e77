"""The loops over answers, in numba: literal Algorithm 1, and reading off estimates at given counts.

Both take their answers from the same counter-based streams: the k-th answer drawn from stratum g in trial t
is a pure function of (seed, case, t, g, k). A sampler decides only how many answers it takes.
"""

from typing import Any, Final

import numba
import numpy as np

from adaptive_sampling.randomness import uniform_pair

SECOND_SWEEP: Final = np.finfo(np.float64).max
"""Score of a stratum sampled once: below infinity, that of one never sampled, and above all others."""


@numba.njit(inline="always")
def kth_answer(items, start, replacement, words, trial, stratum, k, spare):  # type: ignore[no-untyped-def]
    """Draw the k-th answer (from 0) of a stratum: a random item, and what the API says of it.

    One block of the generator serves answers 2m and 2m + 1, so k must run 0, 1, 2, ... for `spare` to hold.

    Parameters
    ----------
    items : ndarray of uint16, shape (n,)
        The answers of all items, stratum by stratum. Without replacement, a copy of this trial's own: an item
        drawn is overwritten by the last one left of its stratum.

    Returns
    -------
    answer : int
    spare : float
        The number that answer k + 1 will use, where k is even.
    """
    if k % 2 == 0:
        number, spare = uniform_pair(words, trial, stratum, k // 2)
    else:
        number = spare
    left = start[stratum + 1] - start[stratum]
    if not replacement:
        left -= k
    place = start[stratum] + np.int64(number * left)
    answer = np.int64(items[place])
    if not replacement:
        items[place] = items[start[stratum] + left - 1]
    return answer, spare


@numba.njit(inline="always")
def squared_error(frequency, count, factor, stratum_label, new, weights, estimate):  # type: ignore[no-untyped-def]
    """Squared Frobenius norm of W (dC - dC_hat), where C_hat[i,j] = sum_k factor[i,k] H[i,k,j] / n[i,k].

    C_old cancels: the error of the shift is the error of the new confusion matrix.

    Parameters
    ----------
    frequency : ndarray of int, shape (G, J)
        H[i,k,j], how often each answer was seen.
    count : ndarray of int, shape (G,)
        n[i,k]. A stratum with none adds nothing to the estimate.
    factor : ndarray of float, shape (G,)
        p[i,k], or n[i,k] / N for the raw frequency of uniform sampling.
    stratum_label : ndarray of int, shape (G,)
    new, weights : ndarray of float, shape (L, J)
        C_new and W.
    estimate : ndarray of float, shape (L, J)
        Scratch space.
    """
    estimate[:] = new
    for g in range(len(count)):
        if count[g] > 0:
            row = estimate[stratum_label[g]]
            for j in range(frequency.shape[1]):
                row[j] -= factor[g] / count[g] * frequency[g, j]
    total = 0.0
    for i in range(estimate.shape[0]):
        for j in range(estimate.shape[1]):
            total += (weights[i, j] * estimate[i, j]) ** 2
    return total


@numba.njit(nogil=True, cache=True)
def masa_literal(  # type: ignore[no-untyped-def]
    answers,
    start,
    share,
    stratum_label,
    new,
    weights,
    budgets,
    a,
    as_printed,
    replacement,
    words,
    first_trial,
    count,
    error,
) -> None:
    """Algorithm 1, line by line, for a block of trials.

    Parameters
    ----------
    answers, start, share, stratum_label, new, weights
        The population's arrays.
    budgets : ndarray of int, shape (B,)
        Increasing; the first at least 2 G.
    a : float
        Weight of exploration.
    as_printed : bool
        Update sigma_hat2 by line 7 as printed (factor 1/n), instead of by the U-statistic (3.1). Only for W = 1.
    replacement : bool
        Whether an item may be queried again. If not, a stratum leaves when its items are used up, and the counts
        stay as they are when all are.
    words : ndarray of uint32, shape (2,)
        Which family of streams.
    first_trial : int
    count : ndarray of int32, shape (trials, B, G)
        Filled with n[i,k] at each budget.
    error : ndarray of float, shape (trials, B)
        Filled with the squared Frobenius error at each budget.

    Notes
    -----
    The U-statistic of the uncertainty score sum_j W^2 mu (1 - mu) is (n S1 - S2) / (n (n - 1)) with
    S1 = sum_j W^2 H and S2 = sum_j W^2 H^2. For W = 1 its numerator counts the ordered pairs of different answers
    among n, a whole number, so that nothing is lost by adding it up.
    """
    strata, predicted = len(share), new.shape[1]
    estimate = np.empty_like(new)
    for trial in range(count.shape[0]):
        items = answers if replacement else answers.copy()
        n = np.zeros(strata, np.int64)
        frequency = np.zeros((strata, predicted), np.int64)  # H
        mass = np.zeros(strata)  # S1
        pairs = np.zeros(strata)  # n S1 - S2
        squared = np.zeros(strata)  # sigma_hat2
        # Line 3: a stratum with n < 2 is above all others, so that two sweeps come first.
        score = np.full(strata, np.inf)
        spare = np.zeros(strata)
        step = 0
        for b in range(len(budgets)):
            while step < budgets[b]:
                # Line 3: the highest score; ties to the lowest index.
                g = np.argmax(score)
                if score[g] < 0.0:
                    break  # every item has been queried
                # Line 4: draw an item and ask the API.
                j, spare[g] = kth_answer(
                    items, start, replacement, words, first_trial + trial, g, n[g], spare[g]
                )
                # Lines 5, 7 and 8. The estimate of line 6 is H / n.
                weight = weights[stratum_label[g], j] ** 2
                pairs[g] += mass[g] + weight * (n[g] - 2 * frequency[g, j])
                mass[g] += weight
                n[g] += 1
                if n[g] > 1:
                    if as_printed:
                        squared[g] += (1.0 - frequency[g, j] / (n[g] - 1) - squared[g]) / n[g]
                    else:
                        squared[g] = max(pairs[g] * (1.0 / (n[g] * (n[g] - 1))), 0.0)
                    score[g] = share[g] * (1.0 / n[g]) * (np.sqrt(squared[g]) + np.sqrt(np.sqrt(a / n[g])))
                else:
                    score[g] = SECOND_SWEEP
                frequency[g, j] += 1
                if not replacement and n[g] == start[g + 1] - start[g]:
                    score[g] = -np.inf
                step += 1
            count[trial, b] = n
            error[trial, b] = squared_error(frequency, n, share, stratum_label, new, weights, estimate)


@numba.njit(nogil=True, cache=True)
def answers_at_counts(  # type: ignore[no-untyped-def]
    answers, start, predicted, replacement, words, trial, count
) -> Any:
    """Frequencies H of the answers of one trial at one count per stratum, shape (G, J)."""
    items = answers if replacement else answers.copy()
    frequency = np.zeros((len(count), predicted), np.int64)
    for g in range(len(count)):
        spare = 0.0
        for k in range(count[g]):
            j, spare = kth_answer(items, start, replacement, words, trial, g, k, spare)
            frequency[g, j] += 1
    return frequency


@numba.njit(nogil=True, cache=True)
def divisor_allocation(weight, most, budgets) -> Any:  # type: ignore[no-untyped-def]
    """Whole numbers of samples in proportion to weights, never falling as the budget grows.

    Huntington and Hill's method: each next sample goes where weight / sqrt(n (n + 1)) is highest, the first
    one of each stratum before any second. With weight p sigma this is the exact integer minimum of
    sum (p sigma)^2 / n, the loss of a stratified sample; largest remainders would let counts fall.

    Parameters
    ----------
    weight : ndarray of float, shape (G,)
        At least 0.
    most : ndarray of int, shape (G,)
        Samples that a stratum can give, at least 1. Counts stay as they are once all are used up.
    budgets : ndarray of int, shape (B,)
        Increasing; the first at least G.

    Returns
    -------
    ndarray of int32, shape (B, G)
    """
    n = np.zeros(len(weight), np.int32)
    count = np.empty((len(budgets), len(weight)), np.int32)
    priority = np.full(len(weight), np.inf)
    step = 0
    for b in range(len(budgets)):
        while step < budgets[b]:
            g = np.argmax(priority)
            if priority[g] < 0.0:
                break  # all are used up
            n[g] += 1
            priority[g] = weight[g] / np.sqrt(n[g] * (n[g] + 1.0)) if n[g] < most[g] else -np.inf
            step += 1
        count[b] = n
    return count


@numba.njit(nogil=True, cache=True)
def counts_in_order(stratum, budgets, count):  # type: ignore[no-untyped-def]
    """Count the strata of items taken in the given order.

    Parameters
    ----------
    stratum : ndarray of int, shape (n,)
        The stratum of each item.
    budgets : ndarray of int, shape (B,)
        Increasing. Beyond the last item the counts stay as they are.
    count : ndarray of int32, shape (B, G)
        Filled with the counts at each budget.
    """
    n = np.zeros(count.shape[1], np.int32)
    item = 0
    for b in range(len(budgets)):
        while item < min(budgets[b], len(stratum)):
            n[stratum[item]] += 1
            item += 1
        count[b] = n
