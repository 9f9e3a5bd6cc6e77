"""The loops over answers, in numba: literal Algorithm 1, and reading off estimates at given counts.

Both take their answers from the same counter-based streams: the k-th answer drawn from stratum g in trial t
is a pure function of (seed, case, t, g, k). A sampler decides only how many answers it takes.
"""

from typing import Any

import numba
import numpy as np

from adaptive_sampling.randomness import uniform_pair


@numba.njit(inline="always")
def kth_answer(answers, start, words, trial, stratum, k, spare):  # type: ignore[no-untyped-def]
    """Draw the k-th answer (from 0) of a stratum: a random item, with replacement, and what the API says.

    One block of the generator serves answers 2m and 2m + 1, so k must run 0, 1, 2, ... for `spare` to hold.

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
    size = start[stratum + 1] - start[stratum]
    return np.int64(answers[start[stratum] + np.int64(number * size)]), spare


@numba.njit(inline="always")
def squared_error(frequency, count, weight, stratum_label, new, estimate):  # type: ignore[no-untyped-def]
    """Squared Frobenius norm of dC - dC_hat, where C_hat[i,j] = sum_k weight[i,k] H[i,k,j] / n[i,k].

    C_old cancels: the error of the shift is the error of the new confusion matrix.

    Parameters
    ----------
    frequency : ndarray of int, shape (G, J)
        H[i,k,j], how often each answer was seen.
    count : ndarray of int, shape (G,)
        n[i,k]. A stratum with none adds nothing to the estimate.
    weight : ndarray of float, shape (G,)
        p[i,k], or n[i,k] / N for the raw frequency of uniform sampling.
    stratum_label : ndarray of int, shape (G,)
    new : ndarray of float, shape (L, J)
    estimate : ndarray of float, shape (L, J)
        Scratch space.
    """
    estimate[:] = new
    for g in range(len(count)):
        if count[g] > 0:
            factor = weight[g] / count[g]
            row = estimate[stratum_label[g]]
            for j in range(frequency.shape[1]):
                row[j] -= factor * frequency[g, j]
    total = 0.0
    for i in range(estimate.shape[0]):
        for j in range(estimate.shape[1]):
            total += estimate[i, j] * estimate[i, j]
    return total


@numba.njit(nogil=True, cache=True)
def masa_literal(  # type: ignore[no-untyped-def]
    answers, start, share, stratum_label, new, budgets, a, as_printed, words, first_trial, count, error
) -> None:
    """Algorithm 1, line by line, for a block of trials.

    Parameters
    ----------
    answers, start, share, stratum_label, new
        The population's arrays.
    budgets : ndarray of int, shape (B,)
        Increasing; the first at least 2 G.
    a : float
        Weight of exploration.
    as_printed : bool
        Update sigma_hat2 by line 7 as printed (factor 1/n), instead of by the U-statistic (3.1).
    words : ndarray of uint32, shape (2,)
        Which family of streams.
    first_trial : int
    count : ndarray of int32, shape (trials, B, G)
        Filled with n[i,k] at each budget.
    error : ndarray of float, shape (trials, B)
        Filled with the squared Frobenius error at each budget.
    """
    strata, predicted = len(share), new.shape[1]
    estimate = np.empty_like(new)
    for trial in range(count.shape[0]):
        n = np.zeros(strata, np.int64)
        frequency = np.zeros((strata, predicted), np.int64)  # H
        differing = np.zeros(strata, np.int64)  # ordered pairs of different answers: n^2 - sum_j H^2
        squared = np.zeros(strata)  # sigma_hat2
        score = np.zeros(strata)
        spare = np.zeros(strata)
        b = 0
        for step in range(budgets[-1]):
            # Line 3: two sweeps over the strata, then the highest score; ties to the lowest index.
            g = step % strata if step < 2 * strata else np.argmax(score)
            # Line 4: draw an item and ask the API.
            j, spare[g] = kth_answer(answers, start, words, first_trial + trial, g, n[g], spare[g])
            # Lines 5, 7 and 8. The estimate of line 6 is H / n.
            differing[g] += 2 * (n[g] - frequency[g, j])
            n[g] += 1
            if n[g] > 1:
                if as_printed:
                    squared[g] += (1.0 - frequency[g, j] / (n[g] - 1) - squared[g]) / n[g]
                else:
                    squared[g] = differing[g] * (1.0 / (n[g] * (n[g] - 1)))
            frequency[g, j] += 1
            score[g] = share[g] * (1.0 / n[g]) * (np.sqrt(squared[g]) + np.sqrt(np.sqrt(a / n[g])))
            if step + 1 == budgets[b]:
                count[trial, b] = n
                error[trial, b] = squared_error(frequency, n, share, stratum_label, new, estimate)
                b += 1


@numba.njit(nogil=True, cache=True)
def errors_at_counts(  # type: ignore[no-untyped-def]
    answers, start, share, stratum_label, new, raw, words, first_trial, count, error
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

    The other parameters are those of `masa_literal`.
    """
    strata = len(share)
    estimate = np.empty_like(new)
    for trial in range(count.shape[0]):
        n = np.zeros(strata, np.int64)
        frequency = np.zeros((strata, new.shape[1]), np.int64)
        spare = np.zeros(strata)
        for b in range(count.shape[1]):
            for g in range(strata):
                while n[g] < count[trial, b, g]:
                    j, spare[g] = kth_answer(answers, start, words, first_trial + trial, g, n[g], spare[g])
                    frequency[g, j] += 1
                    n[g] += 1
            weight = n / n.sum() if raw else share
            error[trial, b] = squared_error(frequency, n, weight, stratum_label, new, estimate)


@numba.njit(nogil=True, cache=True)
def answers_at_counts(answers, start, predicted, words, trial, count) -> Any:  # type: ignore[no-untyped-def]
    """Frequencies H of the answers of one trial at one count per stratum, shape (G, J)."""
    frequency = np.zeros((len(count), predicted), np.int64)
    for g in range(len(count)):
        spare = 0.0
        for k in range(count[g]):
            j, spare = kth_answer(answers, start, words, trial, g, k, spare)
            frequency[g, j] += 1
    return frequency


@numba.njit(nogil=True, cache=True)
def divisor_allocation(weight, budgets) -> Any:  # type: ignore[no-untyped-def]
    """Whole numbers of samples in proportion to weights, never falling as the budget grows.

    Huntington and Hill's method: each next sample goes where weight / sqrt(n (n + 1)) is highest, the first
    one of each stratum before any second. With weight p sigma this is the exact integer minimum of
    sum (p sigma)^2 / n, the loss of a stratified sample; largest remainders would let counts fall.

    Parameters
    ----------
    weight : ndarray of float, shape (G,)
        At least 0.
    budgets : ndarray of int, shape (B,)
        Increasing; the first at least G.

    Returns
    -------
    ndarray of int32, shape (B, G)
    """
    strata = len(weight)
    n = np.zeros(strata, np.int32)
    count = np.empty((len(budgets), strata), np.int32)
    priority = np.empty(strata)
    b = 0
    for step in range(budgets[-1]):
        g = step if step < strata else np.argmax(priority)
        n[g] += 1
        priority[g] = weight[g] / np.sqrt(float(n[g]) * (n[g] + 1.0))
        if step + 1 == budgets[b]:
            count[b] = n
            b += 1
    return count
