"""What the answers say at given counts: estimates, their errors, and what can be known of these.

The k-th answer of a stratum is the one that the sampler saw, see `adaptive_sampling.beyond.kernels`.
"""

import numba
import numpy as np

from adaptive_sampling.beyond.change_model import assess, learn, normalised_weights
from adaptive_sampling.beyond.kernels import change_rates, kth_item


@numba.njit(inline="always")
def read_up_to(  # type: ignore[no-untyped-def]
    answers, item_old, start, pool, order, replacement, words, trial, wanted, n, frequency, spare, seen
):
    """Read the streams of one trial up to the wanted counts, from the start again where counts fell.

    Parameters
    ----------
    wanted : ndarray of int, shape (G,)
    n, frequency, spare
        What has been read so far: counts, H and spare numbers, brought up to date.
    seen : ndarray of float, shape (2, P)
        Changes and queries of each pool, brought up to date.
    """
    fell = False
    for g in range(len(n)):
        fell |= n[g] > wanted[g]
    if fell:
        n[:] = 0
        frequency[:] = 0.0
        seen[:] = 0.0
        if not replacement:
            for item in range(len(order)):
                order[item] = item
    for g in range(len(n)):
        while n[g] < wanted[g]:
            item, spare[g] = kth_item(start, order, words, trial, g, n[g], spare[g], replacement)
            frequency[g, answers[item]] += 1.0
            seen[0, pool[g]] += answers[item] != item_old[item]
            seen[1, pool[g]] += 1.0
            n[g] += 1


@numba.njit(inline="always")
def estimate_at(  # type: ignore[no-untyped-def]
    start, share, stratum_label, pool, kept, moved, smoothing, replacement, n, frequency, rate, estimate
):
    """Estimate C_new: sum over strata of p (H + t m) / (n + t), with m = (1 - f_b) kept + f_b moved.

    An exhausted stratum is known (t = 0); one without answers, at t = 0, is taken to be m.
    """
    estimate[:] = 0.0
    for g in range(len(n)):
        t = smoothing
        if not replacement and n[g] == start[g + 1] - start[g]:
            t = 0.0
        if n[g] == 0:
            t = 1.0
        factor = share[g] / (n[g] + t)
        on_kept, on_moved = factor * t * (1.0 - rate[pool[g]]), factor * t * rate[pool[g]]
        row = estimate[stratum_label[g]]
        for j in range(len(row)):
            row[j] += factor * frequency[g, j] + on_kept * kept[g, j] + on_moved * moved[g, j]


@numba.njit(inline="always")
def difference_at(stratum_label, kept, old, n, frequency, estimate):  # type: ignore[no-untyped-def]
    """Prediction-powered difference: C_old plus the mean over all answers of (new answer - old answer).

    On strata that mix old answers, `kept` stands for the old answer of each item, its mean in the stratum.
    """
    estimate[:] = old
    queries = n.sum()
    for g in range(len(n)):
        row = estimate[stratum_label[g]]
        for j in range(len(row)):
            row[j] += (frequency[g, j] - n[g] * kept[g, j]) / queries


@numba.njit(inline="always")
def squared_distance(first, second):  # type: ignore[no-untyped-def]
    """Squared Frobenius norm of a difference."""
    total = 0.0
    for i in range(first.shape[0]):
        for j in range(first.shape[1]):
            total += (first[i, j] - second[i, j]) ** 2
    return total


@numba.njit(inline="always")
def variance_factor(share, size, n, replacement):  # type: ignore[no-untyped-def]
    """Return what multiplies a stratum's covariance: p^2 / n, times 1 - n/M without replacement; p^2 at n = 0."""
    if n == 0:
        return share * share
    return share * share / n * (1.0 if replacement else 1.0 - n / size)


@numba.njit(inline="always")
def cautious_means(  # type: ignore[no-untyped-def]
    pool, kept, moved, smoothing, least, n, frequency, rate, mean
):
    """Fill in mt = (H + sv ((1 - f_v) kept + f_v moved)) / (n + sv), the means behind all variances.

    f_v = max(f_b, `least`): a stratum that has not been seen to change may still change.

    Parameters
    ----------
    mean : ndarray of float, shape (J, G)
        Filled in; strata follow each other in memory, which is the order of `covariance_traces`.
    """
    for g in range(len(n)):
        f = max(rate[pool[g]], least)
        for j in range(len(mean)):
            prior = (1.0 - f) * kept[g, j] + f * moved[g, j]
            mean[j, g] = (frequency[g, j] + smoothing * prior) / (n[g] + smoothing)


@numba.njit(inline="always")
def covariance_traces(first, factor, mean, inner):  # type: ignore[no-untyped-def]
    """Sum over labels tr V_i and tr V_i^2, where V_i = sum_g c_g (diag mt_g - mt_g mt_g').

    With x = sum_g c_g mt_g, tr V_i^2 = sum_j x_j (x_j - 2 sum_g c_g mt_gj^2) + sum_gh c_g c_h (mt_g mt_h)^2, so
    that no matrix is ever built.

    Parameters
    ----------
    first : ndarray of int64, shape (L + 1,)
        Where the strata of each label begin.
    factor : ndarray of float, shape (G,)
        c.
    mean : ndarray of float, shape (J, G)
        mt.
    inner : ndarray of float, shape (G,)
        Scratch space.
    """
    trace, trace_of_square = 0.0, 0.0
    for i in range(len(first) - 1):
        for j in range(len(mean)):
            x, y = 0.0, 0.0
            for g in range(first[i], first[i + 1]):
                cm = factor[g] * mean[j, g]
                x += cm
                y += cm * mean[j, g]
            trace += x - y
            trace_of_square += x * (x - 2.0 * y)
        for g in range(first[i], first[i + 1]):
            inner[g : first[i + 1]] = 0.0
            for j in range(len(mean)):
                m = mean[j, g]
                if m > 0.0:
                    for h in range(g, first[i + 1]):
                        inner[h] += m * mean[j, h]
            trace_of_square += factor[g] * factor[g] * inner[g] * inner[g]
            for h in range(g + 1, first[i + 1]):
                trace_of_square += 2.0 * factor[g] * factor[h] * inner[h] * inner[h]
    return trace, max(trace_of_square, 0.0)


@numba.njit(nogil=True, cache=True)
def errors_at_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, stratum_label, pool, pools, kept, moved, old, new,
    smoothing, difference, kappa, replacement, words, first_trial, count, error,
) -> None:  # fmt: skip
    """Measure the estimate at given counts, for a block of trials.

    Parameters
    ----------
    smoothing : float
        t of `estimate_at`.
    difference : bool
        Estimate by `difference_at` instead.
    count : ndarray of int32, shape (trials, B, G)
    error : ndarray of float, shape (trials, B)
        Filled with the squared Frobenius norm of dC - dC_hat.

    The other parameters are arrays of `KnownStrata` and those of `posterior_counts`.
    """
    strata, predicted = kept.shape
    estimate = np.empty_like(new)
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    rate = np.empty(pools)
    n, frequency = np.ones(strata, np.int64), np.zeros((strata, predicted))
    spare, seen = np.zeros(strata), np.zeros((2, pools))
    for trial in range(count.shape[0]):
        n[:] = 2**62  # more than any count: the first reading starts anew
        for b in range(count.shape[1]):
            read_up_to(
                answers, item_old, start, pool, order, replacement, words, first_trial + trial,
                count[trial, b], n, frequency, spare, seen,
            )  # fmt: skip
            if difference:
                difference_at(stratum_label, kept, old, n, frequency, estimate)
            else:
                change_rates(seen[0], seen[1], kappa, rate)
                estimate_at(
                    start, share, stratum_label, pool, kept, moved, smoothing, replacement,
                    n, frequency, rate, estimate,
                )  # fmt: skip
            error[trial, b] = squared_distance(estimate, new)


@numba.njit(nogil=True, cache=True)
def bounds_at_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, stratum_label, pool, pools, kept, moved, new,
    smoothing, caution, least, kappa, settled, normal, looks, early, replacement, words, first_trial, count,
    error, moments,
) -> None:  # fmt: skip
    """Measure the estimate, and what the sampler itself can know of its error, at given counts.

    Parameters
    ----------
    caution : float
        sv of `cautious_means`.
    least : float
        The least change rate of every stratum there.
    moments : ndarray of float, shape (trials, B, 2)
        Filled with m = sum tr V_i and w = 2 sum tr V_i^2: estimated mean and variance of the squared error.
    settled : float
        Moments are not renewed once the quantile of the squared error has been clearly (10%) below this at
        `looks` looks running: whoever looks for it has stopped.
    normal : float
        The quantile of the normal distribution at the same probability, for Wilson and Hilferty's approximation.
    looks, early : int
        The first `early` numbers of queries are no looks.

    The other parameters are those of `errors_at_counts`.
    """
    strata, predicted = kept.shape
    estimate, mean = np.empty_like(new), np.empty((predicted, strata))
    factor, inner = np.empty(strata), np.empty(strata)
    first = np.searchsorted(stratum_label, np.arange(len(new) + 1))
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    size = start[1:] - start[:-1]
    rate = np.empty(pools)
    n, frequency = np.ones(strata, np.int64), np.zeros((strata, predicted))
    spare, seen = np.zeros(strata), np.zeros((2, pools))
    for trial in range(count.shape[0]):
        n[:] = 2**62
        agreed = 0
        for b in range(count.shape[1]):
            read_up_to(
                answers, item_old, start, pool, order, replacement, words, first_trial + trial,
                count[trial, b], n, frequency, spare, seen,
            )  # fmt: skip
            change_rates(seen[0], seen[1], kappa, rate)
            estimate_at(
                start, share, stratum_label, pool, kept, moved, smoothing, replacement,
                n, frequency, rate, estimate,
            )  # fmt: skip
            error[trial, b] = squared_distance(estimate, new)
            if agreed >= looks:
                moments[trial, b] = moments[trial, b - 1]
                continue
            cautious_means(pool, kept, moved, caution, least, n, frequency, rate, mean)
            for g in range(strata):
                factor[g] = variance_factor(share[g], size[g], n[g], replacement)
            trace, trace_of_square = covariance_traces(first, factor, mean, inner)
            moments[trial, b, 0] = trace
            moments[trial, b, 1] = 2.0 * trace_of_square
            ninth = trace_of_square / (9.0 * trace * trace) * 2.0 if trace > 0.0 else 0.0
            quantile = trace * (1.0 - ninth + normal * np.sqrt(ninth)) ** 3
            agreed = agreed + 1 if b >= early and 1.1 * quantile <= settled else 0


@numba.njit(inline="always")
def largest_alone(share, size, n, changes, normal, replacement):  # type: ignore[no-untyped-def]
    """Largest error that one group alone could cause, at Wilson's upper limit of its own change rate.

    max_g p_g sqrt(2) (U_g - changes_g / n_g), times 1 - n/M without replacement, where U = 1 at n = 0. It borrows
    nothing from other groups.
    """
    largest, z2 = 0.0, normal * normal
    for g in range(len(n)):
        beyond = 1.0
        if n[g] > 0:
            k, answers = float(changes[g]), float(n[g])
            root = np.sqrt(k * (answers - k) / answers + 0.25 * z2)
            beyond = (k + 0.5 * z2 + normal * root) / (answers + z2) - k / answers
        if not replacement:
            beyond *= 1.0 - n[g] / size[g]
        largest = max(largest, share[g] * np.sqrt(2.0) * beyond)
    return largest


@numba.njit(nogil=True, cache=True)
def change_bounds_at_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, stratum_label, pool, pools, kept, moved, new,
    old_answer, prior, normals, smoothing, kappa, settled, looks, early, replacement,
    words, first_trial, count, error, moments, alone,
) -> None:  # fmt: skip
    """Measure the estimate, and what the change model knows of its error, on strata of one old answer each.

    The error of the estimate E is that of the posterior mean C plus C - E, so that the squared error has the mean
    m = sum tr V_i + |C - E|^2 and the variance w = 2 sum tr V_i^2 + 4 (C - E)' V (C - E), plus fourth cumulants.

    Parameters
    ----------
    old_answer : ndarray of int64, shape (G,)
    prior : ndarray of float, shape (Q, 3)
        From `change_prior`.
    normals : ndarray of float, shape (C,)
        Normal quantiles of the confidences, rising.
    moments : ndarray of float, shape (trials, B, 2)
        Filled with m and w.
    alone : ndarray of float, shape (trials, B, C)
        Filled with `largest_alone` at each confidence.

    The other parameters are those of `bounds_at_counts`.
    """
    strata, predicted = kept.shape
    estimate, centre = np.empty_like(new), np.empty_like(new)
    mean, turned = np.empty((strata, predicted)), np.empty((predicted, strata))
    factor, inner = np.empty(strata), np.empty(strata)
    first = np.searchsorted(stratum_label, np.arange(len(new) + 1))
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    size = start[1:] - start[:-1]
    rate = np.empty(pools)
    n, frequency = np.ones(strata, np.int64), np.zeros((strata, predicted))
    spare, seen = np.zeros(strata), np.zeros((2, pools))
    learned, changes = np.zeros(strata, np.int64), np.zeros(strata, np.int64)
    weight, scaled = np.empty((pools, len(prior))), np.empty((pools, len(prior)))
    for trial in range(count.shape[0]):
        n[:] = 2**62
        learned[:] = 2**62
        agreed = 0
        for b in range(count.shape[1]):
            read_up_to(
                answers, item_old, start, pool, order, replacement, words, first_trial + trial,
                count[trial, b], n, frequency, spare, seen,
            )  # fmt: skip
            change_rates(seen[0], seen[1], kappa, rate)
            estimate_at(
                start, share, stratum_label, pool, kept, moved, smoothing, replacement,
                n, frequency, rate, estimate,
            )  # fmt: skip
            error[trial, b] = squared_distance(estimate, new)
            if agreed >= looks:
                moments[trial, b] = moments[trial, b - 1]
                alone[trial, b] = alone[trial, b - 1]
                continue
            learn_up_to(prior, pool, old_answer, n, frequency, learned, changes, weight)
            normalised_weights(weight, scaled)
            heavy = assess(
                stratum_label, old_answer, pool, size, share, moved, prior, scaled, n, frequency, replacement,
                mean, factor, centre,
            )  # fmt: skip
            turned[:] = mean.T
            trace, trace_of_square = covariance_traces(first, factor, turned, inner)
            offset, crossed = 0.0, 0.0
            for i in range(len(new)):
                for j in range(predicted):
                    centre[i, j] -= estimate[i, j]
                    offset += centre[i, j] ** 2
                for g in range(first[i], first[i + 1]):
                    x, y = 0.0, 0.0
                    for j in range(predicted):
                        y += mean[g, j] * centre[i, j]
                        x += mean[g, j] * centre[i, j] ** 2
                    crossed += factor[g] * (x - y * y)
            m = trace + offset
            # Light tails count for half at most: the cumulants are those of a model.
            w = max(2.0 * trace_of_square + heavy, trace_of_square) + 4.0 * crossed
            moments[trial, b, 0], moments[trial, b, 1] = m, w
            for c in range(len(normals)):
                alone[trial, b, c] = largest_alone(share, size, n, changes, normals[c], replacement)
            ninth = w / (9.0 * m * m) if m > 0.0 else 0.0
            # The approximation fails below one degree of freedom, where no quantile up to 99% is above 30 m.
            quantile = m * (1.0 - ninth + normals[-1] * np.sqrt(ninth)) ** 3 if ninth < 0.22 else 30.0 * m
            below = max(1.1 * quantile, alone[trial, b, -1] ** 2) <= settled
            agreed = agreed + 1 if b >= early and below else 0


@numba.njit(inline="always")
def learn_up_to(prior, pool, old_answer, n, frequency, learned, changes, weight):  # type: ignore[no-untyped-def]
    """Bring the weights of all pools up to what has been read, from the prior again where counts fell.

    Parameters
    ----------
    learned, changes : ndarray of int64, shape (G,)
        Answers of each group that the weights know, and the changed ones among them, brought up to date.
    weight : ndarray of float, shape (P, Q)
    """
    fell = False
    for g in range(len(n)):
        fell |= learned[g] > n[g]
    if fell:
        learned[:] = 0
        changes[:] = 0
        for b in range(len(weight)):
            weight[b] = prior[:, 2]
    for g in range(len(n)):
        more = n[g] - learned[g]
        if more > 0:
            now = n[g] - np.int64(frequency[g, old_answer[g]])
            learn(prior, weight[pool[g]], changes[g], learned[g], now - changes[g], more)
            learned[g], changes[g] = n[g], now


@numba.njit(inline="always")
def read_groups_up_to(  # type: ignore[no-untyped-def]
    answers, start, of_item, order, replacement, words, trial, wanted, taken, spare, n, frequency
):
    """Read the streams of one trial as `read_up_to` does, and count answers by group.

    Parameters
    ----------
    wanted, taken : ndarray of int, shape (strata,)
        Counts wanted, and read so far, brought up to date.
    n, frequency
        Answers of each group, shape (G,), and how many of each kind, shape (G, J), brought up to date.
    """
    fell = False
    for s in range(len(taken)):
        fell |= taken[s] > wanted[s]
    if fell:
        taken[:] = 0
        n[:] = 0
        frequency[:] = 0.0
        if not replacement:
            for item in range(len(order)):
                order[item] = item
    for s in range(len(taken)):
        while taken[s] < wanted[s]:
            item, spare[s] = kth_item(start, order, words, trial, s, taken[s], spare[s], replacement)
            frequency[of_item[item], answers[item]] += 1.0
            n[of_item[item]] += 1
            taken[s] += 1


@numba.njit(inline="always")
def paired_cells(label, old_answer, n, frequency, queries, shift, variance):  # type: ignore[no-untyped-def]
    """Estimate cells from uniform answers: means of (new answer is j) - (old answer is j), and their variances.

    One change more in two queries more keeps a cell that was never seen to change from looking certain.
    """
    shift[:] = 0.0
    variance[:] = 0.0
    for g in range(len(n)):
        i, o = label[g], old_answer[g]
        for j in range(shift.shape[1]):
            if j != o and frequency[g, j] > 0.0:
                shift[i, j] += frequency[g, j]
                variance[i, j] += frequency[g, j]
                shift[i, o] -= frequency[g, j]
                variance[i, o] += frequency[g, j]
    for i in range(len(shift)):
        for j in range(shift.shape[1]):
            shift[i, j] /= queries
            square = (variance[i, j] + 1.0) / (queries + 2.0)
            variance[i, j] = max(square - shift[i, j] ** 2, 0.0) / queries


@numba.njit(nogil=True, cache=True)
def change_at_counts(  # type: ignore[no-untyped-def]
    answers, start, old, pools, of_item, label, old_answer, pool, size, share, moved, prior, paired, replacement,
    eta, alpha, words, first_trial, count, accuracy, cells,
) -> None:  # fmt: skip
    """Estimate the accuracy change and how far any cell may have changed, at given counts of any strata.

    Parameters
    ----------
    old : ndarray of float, shape (L, J)
        C_old.
    of_item, label, old_answer, pool, size, share, moved
        Arrays of `ChangeGroups`.
    prior : ndarray of float, shape (Q, 3)
        From `change_prior`.
    paired : bool
        For items drawn uniformly: `paired_cells` instead of the change model.
    eta, alpha : float
        Where the intervals of cells are narrow, and the probability that any of them ever fails, which the
        cells share equally.
    accuracy : ndarray of float, shape (trials, B)
        Filled with the accuracy change.
    cells : ndarray of float, shape (trials, B, 2)
        Filled with the highest lower and the highest upper limit of any |cell change|.

    The other parameters are those of `bounds_at_counts`.
    """
    groups, predicted = moved.shape
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    taken, spare = np.ones(len(start) - 1, np.int64), np.zeros(len(start) - 1)
    n, frequency = np.zeros(groups, np.int64), np.zeros((groups, predicted))
    learned, changes = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    weight, scaled = np.empty((pools, len(prior))), np.empty((pools, len(prior)))
    mean, factor = np.empty((groups, predicted)), np.empty(groups)
    shift, variance = np.empty_like(old), np.empty_like(old)
    share_of_alpha = alpha / old.size
    for trial in range(count.shape[0]):
        taken[:] = 2**62
        learned[:] = 2**62
        for b in range(count.shape[1]):
            read_groups_up_to(
                answers, start, of_item, order, replacement, words, first_trial + trial, count[trial, b],
                taken, spare, n, frequency,
            )  # fmt: skip
            if paired:
                queries = float(n.sum())
                paired_cells(label, old_answer, n, frequency, queries, shift, variance)
                variance *= 1.0 if replacement else 1.0 - queries / len(answers)
            else:
                learn_up_to(prior, pool, old_answer, n, frequency, learned, changes, weight)
                normalised_weights(weight, scaled)
                assess(
                    label, old_answer, pool, size, share, moved, prior, scaled, n, frequency, replacement,
                    mean, factor, shift,
                )  # fmt: skip
                shift -= old
                variance[:] = 0.0
                for g in range(groups):
                    for j in range(predicted):
                        variance[label[g], j] += factor[g] * mean[g, j] * (1.0 - mean[g, j])
            accuracy[trial, b] = 0.0
            lower, upper = 0.0, 0.0
            for i in range(len(old)):
                accuracy[trial, b] += shift[i, i]
                for j in range(predicted):
                    half = ever_half_width(variance[i, j], eta, share_of_alpha)
                    lower = max(lower, abs(shift[i, j]) - half)
                    upper = max(upper, abs(shift[i, j]) + half)
            cells[trial, b, 0], cells[trial, b, 1] = lower, upper


@numba.njit(inline="always")
def ever_half_width(variance, eta, alpha):  # type: ignore[no-untyped-def]
    """Half the width of Robbins' interval that holds at all looks, see `adaptive_sampling.beyond.detection`."""
    if variance <= 0.0:
        return 0.0
    information = 1.0 / variance + eta
    return variance * np.sqrt(information * np.log(information / (eta * alpha * alpha)))


@numba.njit(nogil=True, cache=True)
def cells_at_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, stratum_label, pool, pools, kept, moved, old,
    smoothing, kappa, replacement, words, first_trial, count, shift, variance,
) -> None:  # fmt: skip
    """Estimate every cell of the shift, with its variance, at given counts.

    A cell that few items ever reach is mostly seen empty, and a variance from what was seen would say that it is.
    Cells therefore use Agresti and Coull's q = (H + 2) / (n + 4) ("Approximate is better than exact for interval
    estimation of binomial proportions", 1998), which reaches what n empty answers leave possible.

    Parameters
    ----------
    shift, variance : ndarray of float, shape (trials, B, L, J)
        Filled with dC_hat and with sum over strata of p^2 (1 - n/M) / n q (1 - q).

    The other parameters are those of `bounds_at_counts`.
    """
    strata, predicted = kept.shape
    estimate = np.empty_like(old)
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    size = start[1:] - start[:-1]
    rate = np.empty(pools)
    n, frequency = np.ones(strata, np.int64), np.zeros((strata, predicted))
    spare, seen = np.zeros(strata), np.zeros((2, pools))
    for trial in range(count.shape[0]):
        n[:] = 2**62
        for b in range(count.shape[1]):
            read_up_to(
                answers, item_old, start, pool, order, replacement, words, first_trial + trial,
                count[trial, b], n, frequency, spare, seen,
            )  # fmt: skip
            change_rates(seen[0], seen[1], kappa, rate)
            estimate_at(
                start, share, stratum_label, pool, kept, moved, smoothing, replacement,
                n, frequency, rate, estimate,
            )  # fmt: skip
            shift[trial, b] = estimate - old
            variance[trial, b] = 0.0
            for g in range(strata):
                factor = variance_factor(share[g], size[g], n[g], replacement)
                i = stratum_label[g]
                for j in range(predicted):
                    q = (frequency[g, j] + 2.0) / (n[g] + 4.0)
                    variance[trial, b, i, j] += factor * q * (1.0 - q)


@numba.njit(nogil=True, cache=True)
def right_at_counts(  # type: ignore[no-untyped-def]
    answers, start, stratum_label, words, first_trial, count, right
) -> None:
    """Count the right ones among the first answers of each stratum, drawn with replacement.

    Parameters
    ----------
    count : ndarray of int, shape (trials, G)
    right : ndarray of int64, shape (trials, G)
        Filled.

    The other parameters are those of `posterior_counts` and of the population.
    """
    unused = np.empty(0, np.int32)
    for trial in range(count.shape[0]):
        for g in range(count.shape[1]):
            right[trial, g] = 0
            spare = 0.0
            for k in range(count[trial, g]):
                item, spare = kth_item(start, unused, words, first_trial + trial, g, k, spare, True)
                right[trial, g] += answers[item] == stratum_label[g]


@numba.njit(nogil=True, cache=True)
def accuracy_at_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, stratum_label, pool, pools, kept, moved, old,
    smoothing, caution, least, difference, kappa, replacement, words, first_trial, count, accuracy,
) -> None:  # fmt: skip
    """Estimate the accuracy change and its variance at given counts.

    Parameters
    ----------
    difference : bool
        For items drawn uniformly: the mean of (new right - old right), with the variance of that mean, where
        one change more in two queries more keeps a quiet start from looking certain.
    accuracy : ndarray of float, shape (trials, B, 2)
        Filled with the estimate and its variance.

    The other parameters are those of `bounds_at_counts`.
    """
    strata, predicted = kept.shape
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    size, items = start[1:] - start[:-1], start[-1]
    rate = np.empty(pools)
    n, frequency = np.ones(strata, np.int64), np.zeros((strata, predicted))
    spare, seen = np.zeros(strata), np.zeros((2, pools))
    before = 0.0
    for i in range(len(old)):
        before += old[i, i]
    for trial in range(count.shape[0]):
        n[:] = 2**62
        for b in range(count.shape[1]):
            read_up_to(
                answers, item_old, start, pool, order, replacement, words, first_trial + trial,
                count[trial, b], n, frequency, spare, seen,
            )  # fmt: skip
            change_rates(seen[0], seen[1], kappa, rate)
            mean, square, variance = 0.0, 0.0, 0.0
            for g in range(strata):
                i = stratum_label[g]
                right = frequency[g, i]
                if difference:
                    # Old answers of a stratum are all right or all wrong.
                    mean += right - n[g] * kept[g, i]
                    square += n[g] - right if kept[g, i] > 0.5 else right
                    continue
                t = smoothing if n[g] > 0 else 1.0
                if not replacement and n[g] == size[g]:
                    t = 0.0
                f = rate[pool[g]]
                prior = (1.0 - f) * kept[g, i] + f * moved[g, i]
                mean += share[g] * (right + t * prior) / (n[g] + t)
                f = max(f, least)
                prior = (1.0 - f) * kept[g, i] + f * moved[g, i]
                q = (right + caution * prior) / (n[g] + caution)
                variance += variance_factor(share[g], size[g], n[g], replacement) * q * (1.0 - q)
            if difference:
                queries = n.sum()
                mean /= queries
                square = (square + 1.0) / (queries + 2.0)
                left = 1.0 if replacement else 1.0 - queries / items
                accuracy[trial, b, 0] = mean
                accuracy[trial, b, 1] = max(square - mean * mean, 0.0) / queries * left
            else:
                accuracy[trial, b, 0] = mean - before
                accuracy[trial, b, 1] = variance
