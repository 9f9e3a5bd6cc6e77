"""The loops over answers: how many each sampler takes from each stratum, and what they say at given counts.

As in `adaptive_sampling.shift.kernels`, the k-th answer drawn from stratum g in trial t is a pure function of
(seed, case, t, g, k), with or without replacement, so that a sampler decides only how many answers it takes.
"""

from typing import Any

import numba
import numpy as np

from adaptive_sampling.randomness import uniform_pair

CHANGE_GUESS = 0.1
"""Change rate assumed before the first query, with weight `kappa`."""


@numba.njit(inline="always")
def kth_item(start, order, words, trial, stratum, k, spare, replacement):  # type: ignore[no-untyped-def]
    """Draw the k-th item (from 0) of a stratum.

    Parameters
    ----------
    order : ndarray of int32, shape (n,)
        Without replacement: the items in an order of which the first k of each stratum are drawn; the draw
        moves one item to place k (Fisher and Yates). Not read with replacement.
    k : int
        Must run 0, 1, 2, ...: one block of the generator serves items 2m and 2m + 1.

    Returns
    -------
    item : int
    spare : float
        The number that item k + 1 will use, where k is even.
    """
    if k % 2 == 0:
        number, spare = uniform_pair(words, trial, stratum, k // 2)
    else:
        number = spare
    first = start[stratum]
    size = start[stratum + 1] - first
    if replacement:
        return first + np.int64(number * size), spare
    place = first + k + np.int64(number * (size - k))
    item = np.int64(order[place])
    order[place] = order[first + k]
    order[first + k] = item
    return item, spare


@numba.njit(inline="always")
def set_score(tree, score, g, value):  # type: ignore[no-untyped-def]
    """Write one score and find the winners on its way to the root again; ties go to the lowest index."""
    score[g] = value
    half = len(tree) // 2
    node = (half + g) // 2
    while node >= 1:
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if score[left] >= score[right] else right
        node //= 2


@numba.njit(inline="always")
def rank_scores(tree, score):  # type: ignore[no-untyped-def]
    """Find all winners anew; `tree[1]` is then the stratum with the highest score."""
    half = len(tree) // 2
    for node in range(half - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if score[left] >= score[right] else right


@numba.njit
def new_tree(strata):  # type: ignore[no-untyped-def]
    """Make a tournament of all strata, padded to a power of two, and scores that no stratum has yet."""
    half = 2
    while half < strata:
        half *= 2
    tree = np.zeros(2 * half, np.int64)
    tree[half:] = np.arange(half)
    return tree, np.full(half, -np.inf)


@numba.njit(inline="always")
def change_rates(changes, queries, kappa, rate):  # type: ignore[no-untyped-def]
    """Change rate f_b of each pool, drawn towards that of all pools, fbar.

    fbar = (changes + 0.1 kappa) / (queries + kappa); f_b = (changes_b + kappa fbar) / (queries_b + kappa).
    """
    overall = (changes.sum() + CHANGE_GUESS * kappa) / (queries.sum() + kappa)
    for b in range(len(rate)):
        rate[b] = (changes[b] + kappa * overall) / (queries[b] + kappa)


@numba.njit(inline="always")
def posterior_uncertainty(squares, on_kept, on_moved, kk, km, mm, n, f, strength):  # type: ignore[no-untyped-def]
    """Posterior mean of the uncertainty score 1 - sum_j mu_j^2 under a Dirichlet prior.

    The prior is alpha = s ((1 - f) kept + f moved); with A = n + s, the mean is
    1 - (sum_j (H_j + alpha_j)^2 + A) / (A (A + 1)). The square is expanded, so that a new f costs no sum over j.

    Parameters
    ----------
    squares, on_kept, on_moved : float
        sum H^2, sum H kept, sum H moved.
    kk, km, mm : float
        sum kept^2, sum kept moved, sum moved^2.
    n : int
    f : float
        Change rate.
    strength : float
        s.
    """
    total = n + strength
    prior = (1.0 - f) ** 2 * kk + 2.0 * f * (1.0 - f) * km + f * f * mm
    cross = (1.0 - f) * on_kept + f * on_moved
    square = squares + 2.0 * strength * cross + strength * strength * prior
    return max(1.0 - (square + total) / (total * (total + 1.0)), 0.0)


@numba.njit(nogil=True, cache=True)
def posterior_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, pool, pools, kept, moved, budgets,
    strength, floor, kappa, replacement, words, first_trial, count,
) -> None:  # fmt: skip
    """Query the stratum with the highest share times root posterior uncertainty per answer.

    Parameters
    ----------
    answers, item_old, start, share, pool, pools, kept, moved
        Arrays of `KnownStrata` and its population.
    budgets : ndarray of int, shape (B,)
        Increasing, at least 1.
    strength, floor, kappa : float
        s and amin of the prior, weight of the overall change rate.
    replacement : bool
    words : ndarray of uint32, shape (2,)
    first_trial : int
    count : ndarray of int32, shape (trials, B, G)
        Filled with n at each budget.
    """
    strata = len(share)
    kk, km, mm = (kept * kept).sum(axis=1), (kept * moved).sum(axis=1), (moved * moved).sum(axis=1)
    tree, score = new_tree(strata)
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    rate = np.empty(pools)
    for trial in range(count.shape[0]):
        n = np.zeros(strata, np.int64)
        frequency = np.zeros((strata, kept.shape[1]), np.int64)
        squares, on_kept, on_moved = np.zeros(strata), np.zeros(strata), np.zeros(strata)
        changes, queries = np.zeros(pools), np.zeros(pools)
        spare = np.zeros(strata)
        if not replacement:
            for item in range(len(order)):
                order[item] = item
        b = 0
        for step in range(budgets[-1]):
            if step % 10 == 0 and (step <= 200 or step % 50 == 0):
                change_rates(changes, queries, kappa, rate)
                for g in range(strata):
                    if replacement or n[g] < start[g + 1] - start[g]:
                        f = max(rate[pool[g]], floor / strength)
                        v = posterior_uncertainty(
                            squares[g], on_kept[g], on_moved[g], kk[g], km[g], mm[g], n[g], f, strength
                        )
                        score[g] = share[g] * np.sqrt(v) / (n[g] + 0.5)
                    else:
                        score[g] = -np.inf
                rank_scores(tree, score)
            g = tree[1]
            if score[g] == -np.inf:
                break
            item, spare[g] = kth_item(
                start, order, words, first_trial + trial, g, n[g], spare[g], replacement
            )
            j, o = answers[item], item_old[item]
            n[g] += 1
            squares[g] += 2 * frequency[g, j] + 1
            frequency[g, j] += 1
            on_kept[g] += kept[g, j]
            on_moved[g] += moved[g, j]
            queries[pool[g]] += 1
            changes[pool[g]] += j != o
            f = max(rate[pool[g]], floor / strength)
            if replacement or n[g] < start[g + 1] - start[g]:
                v = posterior_uncertainty(
                    squares[g], on_kept[g], on_moved[g], kk[g], km[g], mm[g], n[g], f, strength
                )
                set_score(tree, score, g, share[g] * np.sqrt(v) / (n[g] + 0.5))
            else:
                set_score(tree, score, g, -np.inf)
            if step + 1 == budgets[b]:
                count[trial, b] = n
                b += 1
        # Everything has been asked: more budget buys nothing.
        while b < len(budgets):
            count[trial, b] = n
            b += 1


@numba.njit(nogil=True, cache=True)
def masa_counts(  # type: ignore[no-untyped-def]
    answers, start, share, budgets, a, replacement, words, first_trial, count
) -> None:
    """Algorithm 1 of the MASA paper, with the U-statistic, on any strata, with or without replacement.

    Without replacement a stratum leaves once exhausted; one with a single item is asked once. The other
    parameters are those of `posterior_counts`; a is the weight of exploration.
    """
    strata = len(share)
    tree, score = new_tree(strata)
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    predicted = np.int64(answers.max()) + 1
    for trial in range(count.shape[0]):
        n = np.zeros(strata, np.int64)
        frequency = np.zeros((strata, predicted), np.int64)
        matching = np.zeros(strata, np.int64)
        spare = np.zeros(strata)
        if not replacement:
            for item in range(len(order)):
                order[item] = item
        score[:strata] = 0.0
        b, step, sweep = 0, 0, 0
        while step < budgets[-1]:
            if sweep < 2 * strata:
                g = sweep % strata
                sweep += 1
                if not replacement and n[g] == start[g + 1] - start[g]:
                    continue
                if sweep == 2 * strata:
                    rank_scores(tree, score)
            else:
                g = tree[1]
                if score[g] == -np.inf:
                    break
            item, spare[g] = kth_item(
                start, order, words, first_trial + trial, g, n[g], spare[g], replacement
            )
            j = answers[item]
            n[g] += 1
            matching[g] += 2 * frequency[g, j]
            frequency[g, j] += 1
            squared = 1.0 - matching[g] / (n[g] * (n[g] - 1)) if n[g] > 1 else 0.0
            value = share[g] / n[g] * (np.sqrt(squared) + np.sqrt(np.sqrt(a / n[g])))
            if not replacement and n[g] == start[g + 1] - start[g]:
                value = -np.inf
            set_score(tree, score, g, value)
            step += 1
            if step == budgets[b]:
                count[trial, b] = n
                b += 1
        while b < len(budgets):
            count[trial, b] = n
            b += 1


@numba.njit(nogil=True, cache=True)
def uniform_counts(start, budgets, replacement, words, first_trial, count) -> None:  # type: ignore[no-untyped-def]
    """Uniform sampling from all items: how many fall into each stratum.

    Parameters are those of `posterior_counts`, but `words` must name a family of streams of its own: what the
    items answer is read from the strata's streams.
    """
    strata, items = len(start) - 1, start[-1]
    stratum = np.empty(items, np.int32)
    for g in range(strata):
        stratum[start[g] : start[g + 1]] = g
    everything = np.array([0, items])
    order = np.arange(items if not replacement else 1).astype(np.int32)
    for trial in range(count.shape[0]):
        n = np.zeros(strata, np.int64)
        spare = 0.0
        if not replacement:
            for item in range(items):
                order[item] = item
        k = 0
        for b in range(len(budgets)):
            while k < budgets[b] and (replacement or k < items):
                item, spare = kth_item(
                    everything, order, words, first_trial + trial, 0, k, spare, replacement
                )
                n[stratum[item]] += 1
                k += 1
            count[trial, b] = n


@numba.njit
def levelled(weight, least, most, total):  # type: ignore[no-untyped-def]
    """Answers per stratum if, from `least` on, each next one goes where weight / (n + 1/2) is highest.

    Found by bisection of the level at which all strata end; where ties leave some over, these one by one.

    Parameters
    ----------
    weight : ndarray of float, shape (G,)
    least, most : ndarray of int64, shape (G,)
        Answers there already, and at most.
    total : int

    Returns
    -------
    ndarray of int64, shape (G,)
        Sums to `total`, or to the sum of `most` if that is less.
    """
    strata = len(weight)
    total = min(total, most.sum())
    n = least.copy()
    # At level x a stratum has all answers k with weight / (k + 1/2) > x.
    low, high = 0.0, 2.0 * weight.max() + 1e-300
    for _ in range(60):
        x = 0.5 * (low + high)
        reached = 0.0
        for g in range(strata):
            reached += max(float(least[g]), min(float(most[g]), np.ceil(weight[g] / x - 0.5)))
        if reached <= total:
            high = x
            if reached == total:
                break
        else:
            low = x
    for g in range(strata):
        n[g] = max(least[g], min(most[g], np.int64(np.ceil(weight[g] / high - 0.5))))
    for _ in range(total - n.sum()):
        best, best_score = -1, -1.0
        for g in range(strata):
            if n[g] < most[g] and weight[g] / (n[g] + 0.5) > best_score:
                best, best_score = g, weight[g] / (n[g] + 0.5)
        n[best] += 1
    return n


@numba.njit(nogil=True, cache=True)
def levelled_counts(weight, least, most, budgets) -> Any:  # type: ignore[no-untyped-def]
    """Answers per stratum at each budget for fixed weights, see `levelled`; shape (B, G)."""
    count = np.empty((len(budgets), len(weight)), np.int32)
    for b in range(len(budgets)):
        count[b] = levelled(weight, least, most, budgets[b])
    return count


@numba.njit(nogil=True, cache=True)
def two_stage_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, pool, pools, kept, moved, budgets, pilot,
    strength, floor, kappa, replacement, words, first_trial, count,
) -> None:  # fmt: skip
    """Two-stage Neyman allocation: a proportional pilot, then the rest by what the pilot says.

    Parameters
    ----------
    pilot : ndarray of int32, shape (B, G)
        Answers of the pilot of each budget, never falling along the budgets.

    The other parameters are those of `posterior_counts`, whose uncertainty score this sampler uses too, once.
    """
    strata = len(share)
    kk, km, mm = (kept * kept).sum(axis=1), (kept * moved).sum(axis=1), (moved * moved).sum(axis=1)
    most = np.full(strata, np.int64(2**31 - 1))
    if not replacement:
        most = start[1:] - start[:-1]
    order = np.arange(len(answers) if not replacement else 1).astype(np.int32)
    rate, weight = np.empty(pools), np.empty(strata)
    for trial in range(count.shape[0]):
        n = np.zeros(strata, np.int64)
        frequency = np.zeros((strata, kept.shape[1]), np.int64)
        squares, on_kept, on_moved = np.zeros(strata), np.zeros(strata), np.zeros(strata)
        changes, queries = np.zeros(pools), np.zeros(pools)
        spare = np.zeros(strata)
        if not replacement:
            for item in range(len(order)):
                order[item] = item
        for b in range(len(budgets)):
            for g in range(strata):
                while n[g] < pilot[b, g]:
                    item, spare[g] = kth_item(
                        start, order, words, first_trial + trial, g, n[g], spare[g], replacement
                    )
                    j = answers[item]
                    n[g] += 1
                    squares[g] += 2 * frequency[g, j] + 1
                    frequency[g, j] += 1
                    on_kept[g] += kept[g, j]
                    on_moved[g] += moved[g, j]
                    queries[pool[g]] += 1
                    changes[pool[g]] += j != item_old[item]
            change_rates(changes, queries, kappa, rate)
            for g in range(strata):
                f = max(rate[pool[g]], floor / strength)
                v = posterior_uncertainty(
                    squares[g], on_kept[g], on_moved[g], kk[g], km[g], mm[g], n[g], f, strength
                )
                weight[g] = share[g] * np.sqrt(v)
            count[trial, b] = levelled(weight, n, most, budgets[b])


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
        f = max(rate[pool[g]], least[g])
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
    smoothing, caution, least, kappa, settled, normal, looks, replacement, words, first_trial, count, error, moments,
) -> None:  # fmt: skip
    """Measure the estimate, and what the sampler itself can know of its error, at given counts.

    Parameters
    ----------
    caution : float
        sv of `cautious_means`.
    least : ndarray of float, shape (G,)
        The least change rate of each stratum there.
    moments : ndarray of float, shape (trials, B, 2)
        Filled with m = sum tr V_i and w = 2 sum tr V_i^2: estimated mean and variance of the squared error.
    settled : float
        Moments are not renewed once the quantile of the squared error has been clearly (10%) below this at
        `looks` looks running: whoever looks for it has stopped.
    normal : float
        The quantile of the normal distribution at the same probability, for Wilson and Hilferty's approximation.
    looks : int

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
            agreed = agreed + 1 if 1.1 * quantile <= settled else 0


@numba.njit(nogil=True, cache=True)
def cells_at_counts(  # type: ignore[no-untyped-def]
    answers, item_old, start, share, stratum_label, pool, pools, kept, moved, old,
    smoothing, caution, least, kappa, replacement, words, first_trial, count, shift, variance, accuracy,
) -> None:  # fmt: skip
    """Estimate every cell of the shift, with its variance and that of the accuracy change, at given counts.

    A cell that few items ever reach is mostly seen empty, and a variance from what was seen would say that it is.
    Cells therefore use Agresti and Coull's q = (H + 2) / (n + 4) ("Approximate is better than exact for interval
    estimation of binomial proportions", 1998), which reaches what n empty answers leave possible.

    Parameters
    ----------
    shift, variance : ndarray of float, shape (trials, B, L, J)
        Filled with dC_hat and with sum over strata of p^2 (1 - n/M) / n q (1 - q).
    accuracy : ndarray of float, shape (trials, B)
        Filled with sum over strata of p^2 (1 - n/M) / n mt (1 - mt), mt the mean of right answers.

    The other parameters are those of `bounds_at_counts`.
    """
    strata, predicted = kept.shape
    estimate, mean = np.empty_like(old), np.empty((predicted, strata))
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
            cautious_means(pool, kept, moved, caution, least, n, frequency, rate, mean)
            variance[trial, b] = 0.0
            accuracy[trial, b] = 0.0
            for g in range(strata):
                factor = variance_factor(share[g], size[g], n[g], replacement)
                i = stratum_label[g]
                accuracy[trial, b] += factor * mean[i, g] * (1.0 - mean[i, g])
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
                f = max(f, least[g])
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
