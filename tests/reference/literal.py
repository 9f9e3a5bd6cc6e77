"""Slow, literal transcriptions in plain Python: lists, whole numbers and fractions, nothing shared with the kernels."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

WORD = 0xFFFFFFFF


def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Philox4x32-10 from its definition (Salmon et al. 2011, Section 3.3)."""
    x, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(second >> 32) ^ x[1] ^ k[0], second & WORD, (first >> 32) ^ x[3] ^ k[1], first & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return x


def number(words: Sequence[int], trial: int, stratum: int, k: int) -> Fraction:
    """Return the k-th number of a stream, exactly: 53 bits over 2**53."""
    x = philox([k // 2, 0, *words], [trial, stratum])
    high, low = x[2 * (k % 2)], x[2 * (k % 2) + 1]
    return Fraction((high << 32 | low) >> 11, 2**53)


def answers(
    items: Sequence[int], words: Sequence[int], trial: int, stratum: int, *, replacement: bool
) -> Iterator[int]:
    """Yield the answers that a stratum gives, one after the other."""
    left = list(items)
    k = 0
    while left:
        place = math.floor(number(words, trial, stratum, k) * len(left))
        yield left[place]
        if not replacement:
            left[place] = left[-1]
            left.pop()
        k += 1


def u_statistic(seen: Sequence[int], weights: Sequence[float] | None = None) -> Fraction:
    """Estimator (3.1) over all ordered pairs; weighted, half the squared weighted distance of each pair."""
    pairs = list(permutations(range(len(seen)), 2))
    total = Fraction(0)
    for s, t in pairs:
        if seen[s] != seen[t]:
            total += (
                1
                if weights is None
                else (Fraction(weights[seen[s]]) ** 2 + Fraction(weights[seen[t]]) ** 2) / 2
            )
    return total / len(pairs)


def printed(seen: Sequence[int]) -> Fraction:
    """Line 7 of Algorithm 1 as it stands in print, with its case for n < 2 left out: it adds 0."""
    squared = Fraction(0)
    for n in range(2, len(seen) + 1):
        before = seen[: n - 1]
        squared += Fraction(1, n) * (1 - Fraction(before.count(seen[n - 1]), n - 1) - squared)
    return squared


def masa(
    strata: Sequence[Sequence[int]],
    labels: Sequence[int],
    budget: int,
    *,
    a: float,
    words: Sequence[int],
    trial: int,
    as_printed: bool,
    replacement: bool,
) -> Iterator[int]:
    """Algorithm 1 on strata given as lists of answers: yields the stratum of each pull."""
    stream = [answers(items, words, trial, g, replacement=replacement) for g, items in enumerate(strata)]
    sizes = [len(items) for items in strata]
    return masa_on(stream, sizes, budget, a=a, as_printed=as_printed, replacement=replacement)


def masa_on(
    stream: Sequence[Iterator[int]],
    sizes: Sequence[int],
    budget: int,
    *,
    a: float,
    as_printed: bool,
    replacement: bool,
) -> Iterator[int]:
    """Algorithm 1 on one stream of answers for each stratum: yields the stratum of each pull.

    The uncertainty is recomputed from all answers at each step, as a fraction; only the score is a float.
    """
    share = [Fraction(size, sum(sizes)) for size in sizes]
    seen: list[list[int]] = [[] for _ in sizes]
    score = [0.0] * len(sizes)
    for _ in range(budget):
        able = [g for g, size in enumerate(sizes) if replacement or len(seen[g]) < size]
        if not able:
            return
        fewest = min(len(seen[g]) for g in able)
        if fewest < 2:
            pulled = next(g for g in able if len(seen[g]) == fewest)
        else:
            pulled = max(able, key=lambda g: (score[g], -g))
        seen[pulled].append(next(stream[pulled]))
        n = len(seen[pulled])
        if n >= 2:
            if as_printed:
                squared = printed(seen[pulled])
            else:
                counts = [seen[pulled].count(j) for j in set(seen[pulled])]
                squared = 1 - Fraction(sum(h * (h - 1) for h in counts), n * (n - 1))
            score[pulled] = float(share[pulled] / n) * (math.sqrt(squared) + (a / n) ** 0.25)
        yield pulled


def squared_error(
    strata: Sequence[Sequence[int]],
    labels: Sequence[int],
    predicted: int,
    seen: Sequence[Sequence[int]],
    *,
    raw: bool = False,
) -> Fraction:
    """Squared Frobenius norm of C_new - C_hat, as a fraction."""
    total, queries = sum(len(items) for items in strata), sum(len(answers) for answers in seen)
    error = Fraction(0)
    for i in set(labels):
        for j in range(predicted):
            difference = Fraction(0)
            for items, label, got in zip(strata, labels, seen):
                if label == i:
                    difference += Fraction(list(items).count(j), total)
                    if got:
                        weight = Fraction(len(got), queries) if raw else Fraction(len(items), total)
                        difference -= weight * Fraction(list(got).count(j), len(got))
            error += difference**2
    return error
