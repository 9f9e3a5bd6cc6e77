"""The loops over answers: how many each sampler takes from each stratum.

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
