"""MASA without an argmax: the order of all pulls is a sort.

The k-th answer drawn from stratum g is a pure function of (trial, g, k), so the score of g after n answers,

    s_g(n) = p/n (sigma_hat + (a/n)^(1/4)),

depends on the stream of g alone, and the whole path of its scores can be computed without knowing when they are
used. Algorithm 1 takes the next answer from the stratum with the highest score, ties to the lowest index. Let

    m_g(n) = min(s_g(2), ..., s_g(n))

be the running minimum, the *level* at which g gives up its answer n + 1. **The pulls of Algorithm 1 are all answers
in the order of falling level, ties to the lowest stratum, then in the order of the stream.**

Proof. Suppose the first pulls agree with the sorted order, and let g* be the stratum of the next answer in it. Any
stratum g whose score lies above its level, s_g(n) > m_g(n), has not moved its level with its last answer, so
m_g(n) = m_g(n - 1): its last and its next answer have equal levels and are neighbours in the sorted order. The last
answer is taken, so the next one follows at once: g = g*. For every other stratum score and level are therefore
equal, s_g = m_g <= m_g* <= s_g*. If s_g = s_g*, all four are equal and g* has the lower index, since the sort breaks
ties so. Hence g* is the argmax that Algorithm 1 takes. At the start, after two answers each, s_g(2) = m_g(2).

Nothing is asked of the scores but that each depends on its own stream: they may rise, as they do whenever an answer
surprises, and the uncertainty may be the U-statistic, the printed update, or a weighted one. A stratum that runs out
of items (sampling without replacement) has no next answer, which is a level of minus infinity. The argument fails
for scores that see other strata or the clock: a pooled uncertainty, a bonus log(t)/n in the total number t of pulls,
prices that change, or a choice that is random.

The kernel walks down the levels in windows of a few thousand answers. It extends each stream, in blocks, until
its level falls below the window; sorts the window's answers into buckets of level; and counts them off. Answers of
one bucket are put in exact order only where a budget cuts the bucket in two. It equals `masa_literal` at every
budget.
"""

from typing import Any, Final

import numba
import numpy as np

from adaptive_sampling.randomness import philox, uniform_53

BLOCK: Final = 64
"""Answers by which a stream is extended at once, at most. Even, for the generator makes numbers in pairs."""

WINDOW: Final = 2048
"""Answers that a window of levels holds, about, and number of its buckets: as many as fit the cache."""


def block_length(last: int, strata: int) -> int:
    """Answers by which to extend a stream at once: shorter where strata give few, whose rest would be wasted.

    Examples
    --------
    >>> block_length(20_000, 93), block_length(50_000, 10_000)
    (64, 8)
    """
    block = BLOCK
    while block > max(8, last // strata):
        block //= 2
    return block


@numba.njit(nogil=True, cache=True)
def masa_level_sort(  # type: ignore[no-untyped-def]
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
    block,
    count,
    error,
) -> None:
    """Algorithm 1 for a block of trials, by sorting levels.

    Parameters
    ----------
    block : int
        Answers by which a stream is extended at once; even. Results do not depend on it.

    The other parameters are those of `masa_literal`.
    """
    strata, last = len(share), budgets[-1]
    cell_of_item, cell_stratum, layer, target = cells(answers, start, stratum_label, new)
    target_new, target_weight = new.ravel()[target], weights.ravel()[target]
    cell_weight = np.empty(len(cell_stratum))
    for k in range(len(layer) - 1):
        cell_weight[layer[k] : layer[k + 1]] = target_weight[: layer[k + 1] - layer[k]] ** 2
    # A stream ends at most two blocks after the last budget. Nothing checks bounds, so the tables reach as far.
    inverse, inverse_pairs, bonus = tables(last + 2 * block, a)

    pool = cell_of_item.copy()
    number = np.empty(block)
    level, cell = np.empty((strata, block)), np.empty((strata, block), np.uint32)
    drawn, place = np.empty(strata, np.int64), np.empty(strata, np.int64)
    pairs, mass, lowest = np.empty(strata), np.empty(strata), np.empty(strata)
    ahead, frequency = np.empty(len(cell_stratum), np.int32), np.empty(len(cell_stratum), np.int32)
    taken = np.empty(strata, np.int32)
    factor, estimate = np.empty(strata), np.empty(len(target))
    window_level, window_cell = np.empty(0), np.empty(0, np.uint32)
    window_bucket, order = np.empty(0, np.uint32), np.empty(0, np.uint32)
    end = np.empty(WINDOW, np.int32)

    for trial in range(count.shape[0]):
        if not replacement:
            pool[:] = cell_of_item
        ahead[:] = 0
        frequency[:] = 0
        taken[:] = 0
        drawn[:] = 0
        place[:] = block
        pairs[:] = 0.0
        mass[:] = 0.0
        lowest[:] = np.inf
        level[:] = np.inf
        total, b = 0, 0
        while b < len(budgets):
            # The next window of levels: from `top` down to `bottom`. The first holds two answers of each stratum.
            top = bottom = np.inf
            if total > 0:
                top = -np.inf
                for g in range(strata):
                    top = max(top, level[g, place[g]])
                if top < 0.0:  # every item has been queried
                    break
                aim = min(total, max(WINDOW, strata), 1.02 * (last - total) + 8.0)
                bottom = top * (total / (total + aim))

            # Collect the window, stratum by stratum.
            size = 0
            for g in range(strata):
                while True:
                    first, after = place[g], reaching(level[g], bottom)
                    if size + block > len(window_level):
                        room = 2 * (size + block)
                        window_level, window_cell = grown(window_level, room), grown(window_cell, room)
                        window_bucket, order = np.empty(room, np.uint32), np.empty(room, np.uint32)
                    copy(level[g, first:after], window_level[size : size + after - first])
                    copy(cell[g, first:after], window_cell[size : size + after - first])
                    size += after - first
                    place[g] = after
                    if after < block or drawn[g] >= last:
                        break
                    # The stream is used up: extend it by a block.
                    n = drawn[g]
                    uniform(words, first_trial + trial, g, n, number)
                    length = block
                    if replacement:
                        draw(cell_of_item[start[g] : start[g + 1]], number, cell[g])
                    else:
                        length = min(block, start[g + 1] - start[g] - n)
                        draw_and_remove(pool[start[g] : start[g + 1] - n], number, cell[g, :length])
                    if as_printed:
                        pairs[g], lowest[g] = printed_levels(
                            cell[g, :length],
                            n,
                            share[g],
                            inverse[n:],
                            bonus[n:],
                            ahead,
                            pairs[g],
                            lowest[g],
                            level[g],
                        )
                    else:
                        pairs[g], mass[g], lowest[g] = levels(
                            cell[g, :length],
                            n,
                            share[g],
                            inverse[n:],
                            inverse_pairs[n:],
                            bonus[n:],
                            ahead,
                            cell_weight,
                            pairs[g],
                            mass[g],
                            lowest[g],
                            level[g],
                        )
                    level[g, length:] = -np.inf
                    drawn[g] += block
                    place[g] = 0

            # Sort it into buckets, stably: answers of a bucket stay in the order of strata and streams.
            scale = (WINDOW - 1) / (top - bottom) if top > bottom else 0.0
            if scale > 0.0:
                buckets(window_level[:size], top, scale, window_bucket)
            else:
                window_bucket[:size] = 0
            end[:] = 0
            for i in range(size):
                end[window_bucket[i]] += 1
            before = 0
            for i in range(WINDOW):
                before, end[i] = before + end[i], before
            for i in range(size):
                at = end[window_bucket[i]]
                order[at] = i
                end[window_bucket[i]] = at + 1

            # Count it off, budget by budget.
            done = 0
            while done < size and b < len(budgets):
                stop = min(size, budgets[b] - total)
                if stop < size and scale > 0.0:
                    # The budget may cut a bucket in two: put this one in exact order.
                    i = window_bucket[order[stop]]
                    sort_falling(window_level, order[end[i - 1] if i > 0 else 0 : end[i]])
                count_off(order[done:stop], window_cell, cell_stratum, frequency, taken)
                done = stop
                if total + done == budgets[b]:
                    count[trial, b] = taken
                    error[trial, b] = squared_error(
                        frequency,
                        taken,
                        share,
                        cell_stratum,
                        layer,
                        target_new,
                        target_weight,
                        factor,
                        estimate,
                    )
                    b += 1
            total += size
        for later in range(b, len(budgets)):  # budgets beyond the last item
            count[trial, later] = taken
            error[trial, later] = squared_error(
                frequency,
                taken,
                share,
                cell_stratum,
                layer,
                target_new,
                target_weight,
                factor,
                estimate,
            )


@numba.njit(nogil=True, cache=True)
def cells(answers, start, stratum_label, new) -> Any:  # type: ignore[no-untyped-def]
    """List the pairs (stratum, answer) that occur, and the entries of the confusion matrix that they add to.

    Most pairs never occur (a spoken "four" is heard as few other words), and an estimate that never leaves its
    cells is read off many times faster than whole matrices. Cells are numbered in layers: layer k holds the k-th
    stratum of each entry, entries with more strata first, so that an estimate adds up slice by slice.

    Returns
    -------
    cell_of_item : ndarray of uint32, shape (n,)
    cell_stratum : ndarray of uint32, shape (cells,)
        The stratum of each cell.
    layer : ndarray of int64, shape (layers + 1,)
        Layer k holds the cells layer[k] up to layer[k + 1], which add to the first entries of `target` in turn.
    target : ndarray of int64, shape (targets,)
        Positions (i, j) in the flattened confusion matrix where C_new is not 0.
    """
    predicted = new.shape[1]
    room = min(len(answers), len(stratum_label) * predicted)
    cell_of_item, stratum, entry = (
        np.empty(len(answers), np.uint32),
        np.empty(room, np.uint32),
        np.empty(room, np.int64),
    )
    known, depth = np.empty(predicted, np.int32), np.zeros(new.size, np.int64)
    found = 0
    for g in range(len(stratum_label)):
        known[:] = -1
        for item in range(start[g], start[g + 1]):
            j = answers[item]
            if known[j] < 0:
                known[j] = found
                stratum[found], entry[found] = g, stratum_label[g] * predicted + j
                depth[entry[found]] += 1
                found += 1
            cell_of_item[item] = known[j]

    target = np.flatnonzero(new)
    target = target[np.argsort(-depth[target], kind="mergesort")]
    layer = np.zeros(depth.max() + 1, np.int64)
    for k in range(len(layer) - 1):
        layer[k + 1] = layer[k] + (depth > k).sum()
    place = np.empty(new.size, np.int64)
    place[target] = np.arange(len(target))
    number, cell_stratum = np.empty(found, np.uint32), np.empty(found, np.uint32)
    depth[:] = 0
    for c in range(found):
        number[c] = layer[depth[entry[c]]] + place[entry[c]]
        depth[entry[c]] += 1
        cell_stratum[number[c]] = stratum[c]
    return number[cell_of_item], cell_stratum, layer, target


@numba.njit(nogil=True, cache=True)
def tables(length, a) -> Any:  # type: ignore[no-untyped-def]
    """Tabulate 1/n, 1/(n (n - 1)) and (a/n)^(1/4) for n < length.

    At n = 0 and 1 they make the score infinite: every stratum gives two answers before any score counts.
    """
    inverse, inverse_pairs, bonus = np.empty(length), np.empty(length), np.empty(length)
    inverse[:2], inverse_pairs[:2], bonus[:2] = np.inf, 0.0, 1.0
    for n in range(2, length):
        inverse[n] = 1.0 / n
        inverse_pairs[n] = 1.0 / (n * (n - 1))
        bonus[n] = np.sqrt(np.sqrt(a / n))
    return inverse, inverse_pairs, bonus


@numba.njit(nogil=True, cache=True)
def uniform(words, trial, stratum, n, number):  # type: ignore[no-untyped-def]
    """Numbers n, n + 1, ... of a stream, n even."""
    word_0, word_1, key_0, key_1 = words[0], words[1], np.uint32(trial), np.uint32(stratum)
    pair = np.uint32(n // 2)
    for m in range(len(number) // 2):
        x0, x1, x2, x3 = philox(np.uint32(pair + m), np.uint32(0), word_0, word_1, key_0, key_1)
        number[2 * m] = uniform_53(x0, x1)
        number[2 * m + 1] = uniform_53(x2, x3)


@numba.njit(nogil=True, cache=True)
def draw(items, number, cell):  # type: ignore[no-untyped-def]
    """Draw items with replacement."""
    for i in range(len(cell)):
        cell[i] = items[np.uint64(number[i] * len(items))]


@numba.njit(nogil=True, cache=True)
def draw_and_remove(items, number, cell):  # type: ignore[no-untyped-def]
    """Draw items without replacement: the last one left moves to the place of the one drawn."""
    left = len(items)
    for i in range(len(cell)):
        at = np.uint64(number[i] * left)
        left -= 1
        cell[i] = items[at]
        items[at] = items[left]


@numba.njit(nogil=True, cache=True)
def levels(  # type: ignore[no-untyped-def]
    cell, n, share, inverse, inverse_pairs, bonus, frequency, cell_weight, pairs, mass, lowest, level
) -> Any:
    """Levels before each of the next answers: running minima of p/n (sigma_hat + (a/n)^(1/4)).

    Parameters
    ----------
    cell : ndarray of uint32, shape (length,)
        The next answers, from answer n + 1 on.
    inverse, inverse_pairs, bonus : ndarray of float
        The tables of `tables` from n on.
    frequency : ndarray of int32, shape (cells,)
        H of each cell after n answers; brought up to date.
    pairs, mass : float
        The weighted number of ordered pairs of different answers among the first n, n (n - 1) sigma_hat^2, and
        their summed weight.
    level : ndarray of float
        Filled up to `length`.
    """
    for i in range(len(cell)):
        sigma = np.sqrt(max(pairs * inverse_pairs[i], 0.0))
        lowest = min(lowest, share * inverse[i] * (sigma + bonus[i]))
        level[i] = lowest
        seen, weight = frequency[cell[i]], cell_weight[cell[i]]
        frequency[cell[i]] = seen + 1
        pairs += mass + weight * (n + i - 2 * seen)
        mass += weight
    return pairs, mass, lowest


@numba.njit(nogil=True, cache=True)
def printed_levels(  # type: ignore[no-untyped-def]
    cell, n, share, inverse, bonus, frequency, squared, lowest, level
) -> Any:
    """Levels before each of the next answers, with sigma_hat^2 by line 7 as printed."""
    for i in range(len(cell)):
        lowest = min(lowest, share * inverse[i] * (np.sqrt(max(squared, 0.0)) + bonus[i]))
        level[i] = lowest
        seen = frequency[cell[i]]
        frequency[cell[i]] = seen + 1
        if n + i > 0:
            squared += (1.0 - seen / (n + i) - squared) / (n + i + 1)
    return squared, lowest


@numba.njit(nogil=True, cache=True)
def reaching(level, bottom) -> Any:  # type: ignore[no-untyped-def]
    """Count the levels that reach `bottom`: no search, for a comparison each without branches is faster."""
    number = 0
    for i in range(len(level)):
        number += level[i] >= bottom
    return number


@numba.njit(nogil=True, cache=True)
def buckets(level, top, scale, bucket):  # type: ignore[no-untyped-def]
    """Find the bucket of each level, counted from the highest down."""
    for i in range(len(level)):
        bucket[i] = np.uint32((top - level[i]) * scale)


@numba.njit(nogil=True, cache=True)
def sort_falling(level, order):  # type: ignore[no-untyped-def]
    """Sort the places of a bucket by falling level, in place and stably, by insertion: it holds a few answers."""
    for i in range(1, len(order)):
        moved = order[i]
        at = i
        while at > 0 and level[order[at - 1]] < level[moved]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = moved


@numba.njit(nogil=True, cache=True)
def count_off(order, cell, cell_stratum, frequency, taken):  # type: ignore[no-untyped-def]
    """Take the answers at the given places of a window."""
    for i in range(len(order)):
        taken_cell = cell[order[i]]
        frequency[taken_cell] += 1
        taken[cell_stratum[taken_cell]] += 1


@numba.njit(nogil=True, cache=True)
def copy(source, destination):  # type: ignore[no-untyped-def]
    """Copy one slice to another."""
    for i in range(len(source)):
        destination[i] = source[i]


@numba.njit(nogil=True, cache=True)
def grown(array, room) -> Any:  # type: ignore[no-untyped-def]
    """Copy an array into a larger one."""
    larger = np.empty(room, array.dtype)
    larger[: len(array)] = array
    return larger


@numba.njit(nogil=True, cache=True)
def squared_error(  # type: ignore[no-untyped-def]
    frequency, taken, weight, cell_stratum, layer, target_new, target_weight, factor, estimate
) -> Any:
    """Squared Frobenius norm of W (dC - dC_hat), over the cells that occur.

    Parameters
    ----------
    frequency : ndarray of int32, shape (cells,)
        H of each cell.
    taken : ndarray of int32, shape (G,)
    weight : ndarray of float, shape (G,)
    cell_stratum : ndarray of uint32, shape (cells,)
    layer : ndarray of int64, shape (layers + 1,)
    target_new, target_weight : ndarray of float, shape (targets,)
        C_new and W where C_new is not 0.
    factor : ndarray of float, shape (G,)
    estimate : ndarray of float, shape (targets,)
        Scratch space.
    """
    for g in range(len(taken)):
        factor[g] = weight[g] / max(taken[g], 1)
    copy(target_new, estimate)
    for k in range(len(layer) - 1):
        subtract(
            factor,
            cell_stratum[layer[k] : layer[k + 1]],
            frequency[layer[k] : layer[k + 1]],
            estimate,
        )
    for t in range(len(estimate)):
        difference = target_weight[t] * estimate[t]
        estimate[t] = difference * difference
    # Sum by halves: shorter chains of additions than one by one, and smaller rounding.
    length = len(estimate)
    while length > 1:
        half = (length + 1) // 2
        add(estimate[half:length], estimate[: length - half])
        length = half
    return estimate[0]


@numba.njit(nogil=True, cache=True)
def add(source, destination):  # type: ignore[no-untyped-def]
    """Add one slice to another."""
    for i in range(len(source)):
        destination[i] += source[i]


@numba.njit(nogil=True, cache=True)
def subtract(factor, cell_stratum, frequency, estimate):  # type: ignore[no-untyped-def]
    """Subtract the estimates of a layer of cells from the first entries."""
    for c in range(len(frequency)):
        estimate[c] -= factor[cell_stratum[c]] * frequency[c]
