"""The two elimination algorithms that EBR is compared with: Aggressive Elimination and top-k delta-elimination.

Both toss the surviving arms afresh in every round, keep a fixed number of the best, and go on.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from adaptive_sampling.bestarm.deviations import check_parameters
from adaptive_sampling.bestarm.draws import draw_sums
from adaptive_sampling.bestarm.instances import Instance
from adaptive_sampling.bestarm.outcome import STAYED, Outcome, one_arm

Plan = list[tuple[int, int]]
"""For each round: pulls of every survivor, and how many arms are kept."""


def iterated_log(a: float, times: int) -> float:
    """ilog^r(a): ilog^0(a) = a, ilog^r(a) = max(log ilog^(r-1)(a), 1) [primary].

    Examples
    --------
    >>> [round(iterated_log(100, r), 3) for r in range(4)]
    [100, 4.605, 1.527, 1]
    """
    for _ in range(times):
        if a == 1:
            break
        a = max(math.log(a), 1)
    return a


def aggressive_elimination_plan(arms: int, sigma: float, epsilon: float, delta: float, rounds: int) -> Plan:
    """Plan Aggressive Elimination with k = 1 and the gap set to epsilon.

    Agarwal, Agarwal, Assadi and Khanna, "Learning with limited rounds of adaptivity", COLT 2017, Algorithm 1
    [primary]; k = 1 and their gap set to epsilon [text].

    Call (S, r, delta) with m = |S|: toss every arm (8 sigma^2 / epsilon^2)(ilog^r(m) + log(8/delta)) times;
    if r = 1 return the best, else keep the best min(m, ceil(1 + m / ilog^(r-1)(m))) and call with r - 1 and
    delta / 2, with r = 1 if at most two are kept.
    """

    def calls(m: int, r: int, delta: float) -> Iterator[tuple[int, int]]:
        while True:
            pulls = math.ceil(8 * sigma**2 / epsilon**2 * (iterated_log(m, r) + math.log(8 / delta)))
            if r == 1:
                yield pulls, 1
                return
            m_kept = min(m, math.ceil(1 + m / iterated_log(m, r - 1)))
            yield pulls, m_kept
            m, r, delta = m_kept, (1 if m_kept <= 2 else r - 1), delta / 2

    return list(calls(arms, rounds, delta))


def top_k_delta_elimination_plan(
    arms: int,
    sigma: float,
    epsilon: float,
    delta: float,
    rounds: int,
    *,
    whole: Callable[[float], int] = math.ceil,
) -> Plan:
    """Plan top-k delta-elimination with limited rounds, k = 1.

    Jin, Shi, Xiao and Chen, NeurIPS 2019 [reconstructed: only the abstract could be read].

    What is left of epsilon and delta is halved in every round but the last, which takes the rest. A round that
    has d of delta keeps 1 + ceil(d m) of m arms, the last (t = T, or m <= 2) one. It tosses every arm
    ceil((8 sigma^2 / e^2) log(1/q)) times with q = d / (1 + m/m'), m' the number kept.

    Parameters
    ----------
    arms, sigma, epsilon, delta, rounds
        n, sigma, epsilon, delta, T.
    whole : callable
        How d m is made whole: ceil, or floor in the sensitivity study.
    """
    plan: Plan = []
    m, epsilon_left, delta_left = arms, epsilon, delta
    for t in range(1, rounds + 1):
        last = t == rounds or m <= 2
        e, d = (epsilon_left, delta_left) if last else (epsilon_left / 2, delta_left / 2)
        kept = 1 if last else min(m, 1 + whole(d * m))
        q = d / (1 + m / kept)
        plan.append((math.ceil(8 * sigma**2 / e**2 * math.log(1 / q)), kept))
        if kept == 1:
            break
        m, epsilon_left, delta_left = kept, epsilon_left - e, delta_left - d
    return plan


def follow(plan: Plan, instance: Instance, rounds: int, trials: int, rng: np.random.Generator) -> Outcome:
    """Toss and keep as planned, in all trials at once; equal means go to the lower index.

    Parameters
    ----------
    plan : list of (pulls, kept)
        At most `rounds` long; the last keeps one arm.
    instance : Instance
    rounds : int
        T, the width of `Outcome.leaders` and `Outcome.spent`.
    trials : int
    rng : numpy.random.Generator

    Returns
    -------
    Outcome
    """
    n = instance.arms
    rows = np.arange(trials)[:, None]
    arms = np.tile(np.arange(n), (trials, 1))
    pulls = np.zeros((trials, n), np.int64)
    eliminated = np.full((trials, n), STAYED)
    leaders = np.zeros((trials, rounds), np.int64)
    spent = np.zeros((trials, rounds), np.int64)
    for t, (tosses, kept) in enumerate(plan, start=1):
        sums = draw_sums(instance, arms, tosses, rng)
        pulls[rows, arms] += tosses
        order = np.argsort(-sums, axis=1, kind="stable")
        leaders[:, t - 1 :] = arms[rows, order[:, :1]]
        spent[:, t - 1 :] = pulls.sum(axis=1, keepdims=True)
        eliminated[rows, arms[rows, order[:, kept:]]] = t
        arms = np.sort(arms[rows, order[:, :kept]], axis=1)
    used = np.full(trials, len(plan), np.int64)
    return Outcome(pulls, used, arms[:, 0], eliminated, leaders, spent)


def aggressive_elimination(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """Run Aggressive Elimination; see `aggressive_elimination_plan`. Parameters and errors as for `ebr`."""
    check_parameters(epsilon, delta, rounds)
    if instance.arms == 1:
        return one_arm(trials, rounds)
    plan = aggressive_elimination_plan(instance.arms, instance.sigma, epsilon, delta, rounds)
    return follow(plan, instance, rounds, trials, rng)


def top_k_delta_elimination(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """Run top-k delta-elimination; see `top_k_delta_elimination_plan`. Parameters and errors as for `ebr`."""
    check_parameters(epsilon, delta, rounds)
    if instance.arms == 1:
        return one_arm(trials, rounds)
    plan = top_k_delta_elimination_plan(instance.arms, instance.sigma, epsilon, delta, rounds)
    return follow(plan, instance, rounds, trials, rng)


def top_k_delta_elimination_floor(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """`top_k_delta_elimination` that keeps 1 + floor(d m): the other reading of the number kept."""
    check_parameters(epsilon, delta, rounds)
    if instance.arms == 1:
        return one_arm(trials, rounds)
    plan = top_k_delta_elimination_plan(
        instance.arms, instance.sigma, epsilon, delta, rounds, whole=math.floor
    )
    return follow(plan, instance, rounds, trials, rng)
