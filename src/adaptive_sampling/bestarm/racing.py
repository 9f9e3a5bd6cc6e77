"""Elastic Batch Racing (Algorithm 1 of the EBR paper), its passive form, and forms with tighter radii."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.bestarm.deviations import (
    check_parameters,
    ebr_deviation,
    hoeffding_deviation,
    kl_bounds,
    pulls_by_round,
    smallest_scale,
)
from adaptive_sampling.bestarm.draws import draw_sums
from adaptive_sampling.bestarm.instances import Instance
from adaptive_sampling.bestarm.outcome import STAYED, Outcome, one_arm
from adaptive_sampling.errors import InputError

Bounds = Callable[[NDArray[np.float64], int], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""From empirical means and the pulls behind each to lower and upper bounds L and U."""

Draw = Callable[[NDArray[np.int64], int, np.random.Generator], NDArray[np.float64]]
"""From indices of arms, pulls of each and a generator to the sum of each one's rewards."""


def race(
    n: int,
    draw: Draw,
    pulls_by: NDArray[np.int64],
    bounds: Bounds,
    slack: float,
    trials: int,
    rng: np.random.Generator,
    *,
    close_enough: float | None = None,
) -> Outcome:
    """Race the arms in batches: the loop of Algorithm 1, in all trials at once.

    In round t every survivor is pulled C_t - C_(t-1) times. After each round but the last, every arm with
    U_i < max_j L_j + slack is dropped, never the empirical leader. A trial ends when one arm is left or after
    the last round, and returns the survivor with the highest mean (the lowest index of several).

    Parameters
    ----------
    n : int
        Number of arms.
    draw : callable
        What pulling does: from indices of arms, a number of pulls and a generator to sums of rewards.
    pulls_by : ndarray of int64, shape (T,)
        C_t, not decreasing.
    bounds : callable
        L and U from empirical means and pulls.
    slack : float
        epsilon / min(n, T) in the paper.
    trials : int
    rng : numpy.random.Generator
    close_enough : float, optional
        If given, a trial also ends when max_(j != leader) U_j - L_leader is at most this.

    Returns
    -------
    Outcome
    """
    rounds = len(pulls_by)
    if n == 1:
        return one_arm(trials, rounds)
    sums = np.zeros((trials, n))
    pulls = np.zeros((trials, n), np.int64)
    eliminated = np.full((trials, n), STAYED)
    alive = np.ones((trials, n), np.bool_)
    running = np.ones(trials, np.bool_)
    used = np.zeros(trials, np.int64)
    leader = np.zeros(trials, np.int64)
    leaders = np.zeros((trials, rounds), np.int64)
    spent = np.zeros((trials, rounds), np.int64)
    before = 0
    for t, total in enumerate(map(int, pulls_by), start=1):
        active = np.flatnonzero(running)
        if active.size:
            racing = alive & running[:, None]
            trial, arm = np.nonzero(racing)
            sums[trial, arm] += draw(arm, total - before, rng)
            pulls[racing] = total
            used[active] = t
            here = alive[active]
            means = np.where(here, sums[active] / total, -np.inf)
            leader[active] = means.argmax(axis=1)
            if t < rounds:
                rows = np.arange(active.size)
                lower = np.full_like(means, -np.inf)
                upper = np.full_like(means, -np.inf)
                lower[here], upper[here] = bounds(means[here], total)
                dropped = here & (upper < lower.max(axis=1, keepdims=True) + slack)
                dropped[rows, leader[active]] = False
                here &= ~dropped
                alive[active] = here
                eliminated[active] = np.where(dropped, t, eliminated[active])
                ends = here.sum(axis=1) == 1
                if close_enough is not None:
                    others = np.where(here, upper, -np.inf)
                    others[rows, leader[active]] = -np.inf
                    ends |= others.max(axis=1) - lower[rows, leader[active]] <= close_enough
                running[active[ends]] = False
        leaders[:, t - 1] = leader
        spent[:, t - 1] = pulls.sum(axis=1)
        before = total
    return Outcome(pulls, used, leader, eliminated, leaders, spent)


def around(deviation: Callable[[int], NDArray[np.float64]]) -> Bounds:
    """Bounds a deviation to either side of the empirical mean."""

    def bounds(means: NDArray[np.float64], pulls: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return means - deviation(pulls), means + deviation(pulls)

    return bounds


def ebr(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """Run Elastic Batch Racing (Algorithm 1) in `trials` independent trials.

    D(tau) = sqrt(5 sigma^2 log(nT/delta) / tau), C_t = ceil(80 sigma^2 epsilon^(-2t/T) log(nT/delta))
    [reconstructed], slack epsilon / min(n, T) [text].

    Parameters
    ----------
    instance : Instance
    epsilon, delta : float
        Error tolerance and error probability, each in (0, 1).
    rounds : int
        T, the deadline.
    trials : int
    rng : numpy.random.Generator

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        If a parameter lies outside of its range.

    Examples
    --------
    >>> outcome = ebr(Instance((0.9, 0.5)), 0.1, 0.1, 5, 3, np.random.default_rng(0))
    >>> outcome.recommendation
    array([0, 0, 0])
    """
    check_parameters(epsilon, delta, rounds)
    return _ebr_scaled(instance, epsilon, delta, rounds, trials, rng, scale=1.0)


def _ebr_scaled(
    instance: Instance,
    epsilon: float,
    delta: float,
    rounds: int,
    trials: int,
    rng: np.random.Generator,
    *,
    scale: float,
) -> Outcome:
    """EBR with D^2 and C_t multiplied by a scale."""
    n, sigma = instance.arms, instance.sigma
    return race(
        instance.arms,
        partial(draw_sums, instance),
        pulls_by_round(epsilon, sigma, rounds, math.log(n * rounds / delta), factor=80 * scale),
        around(lambda pulls: math.sqrt(scale) * ebr_deviation(pulls, sigma, n, rounds, delta)),
        epsilon / min(n, rounds),
        trials,
        rng,
    )


def passive(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """Pull all arms ceil(80 sigma^2 / epsilon^2 log(n/delta)) times in one round; return the best mean [text].

    Parameters, returns and errors as for `ebr`; a longer deadline is left unused.
    """
    check_parameters(epsilon, delta, rounds)
    log_term = math.log(instance.arms / delta)
    pulls = pulls_by_round(epsilon, instance.sigma, 1, log_term)
    # One round, after which nothing is dropped: bounds are never asked for.
    draw = partial(draw_sums, instance)
    return race(instance.arms, draw, pulls, around(lambda _: np.zeros(())), 0.0, trials, rng)


def ebr_paper_schedule_hoeffding(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """EBR's schedule and slack with D(tau) = sqrt(2 sigma^2 log(2nT/delta) / tau), the other defensible radius.

    Plain Hoeffding coverage: the argument for EBR's guarantee does not carry over (docs/ebr.md).
    """
    check_parameters(epsilon, delta, rounds)
    n, sigma = instance.arms, instance.sigma
    return race(
        instance.arms,
        partial(draw_sums, instance),
        pulls_by_round(epsilon, sigma, rounds, math.log(n * rounds / delta)),
        around(lambda pulls: hoeffding_deviation(pulls, sigma, n, rounds, delta)),
        epsilon / min(n, rounds),
        trials,
        rng,
    )


def ebr_used_up(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """EBR with D^2 and C_t scaled down together until the argument for its guarantee has nothing to spare.

    The scale is `smallest_scale`; everything else is the paper's. Parameters and errors as for `ebr`.
    """
    check_parameters(epsilon, delta, rounds)
    if instance.arms == 1:
        return one_arm(trials, rounds)
    scale = smallest_scale(instance.arms, rounds, epsilon, delta, sigma=instance.sigma)
    return _ebr_scaled(instance, epsilon, delta, rounds, trials, rng, scale=scale)


def race_own_arms(
    n: int,
    draw: Draw,
    sigma: float,
    epsilon: float,
    delta: float,
    rounds: int,
    rng: np.random.Generator,
    *,
    trials: int = 1,
) -> Outcome:
    """Choose the best of your own arms in at most T rounds: EBR with Hoeffding's radius.

    C_t = ceil(8 sigma^2 epsilon^(-2t/T) log(2nT/delta)), no slack. Where all intervals cover, the best arm is
    never dropped, and the last choice costs less than 2 D(C_T) <= epsilon: the guarantee needs a tenth of the
    pulls of the paper's form. A trial also ends once nobody can be more than epsilon better than the leader.

    Parameters
    ----------
    n : int
        Number of arms.
    draw : callable
        What pulling does: from indices of arms, a number of pulls and a generator to sums of rewards. One
        call is one round; all its pulls may run in parallel.
    sigma : float
        Rewards are sigma-sub-Gaussian; half the range will do for bounded ones.
    epsilon, delta : float
        Error tolerance and error probability, each in (0, 1).
    rounds : int
        T, the deadline.
    rng : numpy.random.Generator
        Handed to `draw`.
    trials : int
        Independent repetitions.

    Returns
    -------
    Outcome
        With probability 1 - delta the recommendation's mean lies less than epsilon below the best.

    Raises
    ------
    InputError
        If a parameter lies outside of its range.

    Examples
    --------
    >>> quality = np.array([0.2, 0.8, 0.5])
    >>> outcome = race_own_arms(
    ...     3, lambda arms, pulls, rng: pulls * quality[arms], 0.1, 0.1, 0.05, 4, np.random.default_rng(0)
    ... )
    >>> outcome.recommendation
    array([1])
    """
    check_parameters(epsilon, delta, rounds)
    return race(
        n,
        draw,
        pulls_by_round(epsilon, sigma, rounds, math.log(2 * n * rounds / delta), factor=8.0),
        around(lambda pulls: hoeffding_deviation(pulls, sigma, n, rounds, delta)),
        0.0,
        trials,
        rng,
        close_enough=epsilon,
    )


def ebr_hoeffding(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """EBR with Hoeffding's radius: `race_own_arms` on an instance. Parameters and errors as for `ebr`."""
    draw = partial(draw_sums, instance)
    return race_own_arms(instance.arms, draw, instance.sigma, epsilon, delta, rounds, rng, trials=trials)


def ebr_kl(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, rng: np.random.Generator
) -> Outcome:
    """`ebr_hoeffding` with Chernoff's (KL) bounds for Bernoulli means: never wider, far narrower near 0 and 1.

    Parameters and errors as for `ebr`; rewards must be Bernoulli.
    """
    check_parameters(epsilon, delta, rounds)
    if instance.rewards != "bernoulli":
        raise InputError(f"rewards: found {instance.rewards}, KL bounds are for Bernoulli rewards")
    log_term = math.log(2 * instance.arms * rounds / delta)
    return race(
        instance.arms,
        partial(draw_sums, instance),
        pulls_by_round(epsilon, 0.5, rounds, log_term, factor=8.0),
        lambda means, pulls: kl_bounds(means, pulls, log_term),
        0.0,
        trials,
        rng,
        close_enough=epsilon,
    )
