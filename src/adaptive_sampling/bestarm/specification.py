"""The sequential algorithm as its rule reads, one pull at a time: slow, short, and what the fast one is held to.

n arms in a round-robin over the survivors, with the deviation of Jun et al. (AISTATS 2016) [primary], EBR's
elimination with slack epsilon/n [text], and an end at one survivor or when even the best of the others cannot
be more than epsilon better than the leader [reconstructed].
"""

import math
from typing import Final

import numba
import numpy as np

STOP_LEADER: Final = 1
STOP_WIDTH: Final = 2
STOPS: Final = {"one_survivor": 0, "leader": STOP_LEADER, "width": STOP_WIDTH}
"""When the sequential algorithm ends, besides at one survivor.

``leader``: as soon as max_(j != leader) U_j - L_leader <= epsilon [reconstructed], the default;
``one_survivor``: not before; ``width``: when 2 D(tau) <= epsilon, whoever leads.
"""


@numba.njit(nogil=True, cache=True)
def _deviation(tau, sigma, log_inverse_w):  # type: ignore[no-untyped-def]
    """D(tau) of Jun et al., equation (2)."""
    return 4 * sigma * math.sqrt((math.log(math.log2(2.0 * tau)) + log_inverse_w) / tau)


@numba.njit(nogil=True, cache=True)
def _decide(tau, sums, alive, deviation, epsilon, stop, pulls, eliminated):  # type: ignore[no-untyped-def]
    """Apply the rule after sweep tau: drop arms, and say whether all ends."""
    n = sums.size
    leader = -1
    for i in range(n):
        if alive[i] and (leader < 0 or sums[i] > sums[leader]):
            leader = i
    highest = sums[leader] / tau - deviation
    left = 0
    for i in range(n):
        if alive[i]:
            if i != leader and sums[i] / tau + deviation < highest + epsilon / n:
                alive[i] = False
                pulls[i] = tau
                eliminated[i] = tau
            else:
                left += 1
    second = -math.inf
    for i in range(n):
        if alive[i] and i != leader:
            second = max(second, sums[i] / tau)
    ended = left == 1
    if stop == STOP_LEADER:
        ended |= second + deviation - (sums[leader] / tau - deviation) <= epsilon
    if stop == STOP_WIDTH:
        ended |= 2 * deviation <= epsilon
    if ended:
        for i in range(n):
            if alive[i]:
                pulls[i] = tau
    return ended, leader


@numba.njit(nogil=True, cache=True)
def one_pull_at_a_time(rng, means, gaussian, sigma, log_inverse_w, epsilon, stop, pulls, eliminated):  # type: ignore[no-untyped-def]
    """One trial, every reward drawn by itself.

    Parameters
    ----------
    rng : numpy.random.Generator
    means : ndarray, shape (arms,)
    gaussian : bool
        Gaussian rewards of standard deviation sigma, else Bernoulli.
    sigma, log_inverse_w, epsilon : float
        sigma, log(1/w), epsilon.
    stop : int
        One of `STOPS`.
    pulls, eliminated : ndarray of int64, shape (arms,)
        Filled: pulls, and the sweep after which an arm was dropped.

    Returns
    -------
    sweeps, recommendation : int
    """
    n = means.size
    sums = np.zeros(n)
    alive = np.ones(n, np.bool_)
    tau = 0
    while True:
        tau += 1
        for i in range(n):
            if alive[i]:
                if gaussian:
                    sums[i] += means[i] + sigma * rng.standard_normal()
                elif rng.random() < means[i]:
                    sums[i] += 1.0
        ended, leader = _decide(
            tau, sums, alive, _deviation(tau, sigma, log_inverse_w), epsilon, stop, pulls, eliminated
        )
        if ended:
            return tau, leader


@numba.njit(nogil=True, cache=True)
def plain_skip(rng, means, sigma, log_inverse_w, epsilon, stop, pulls, eliminated):  # type: ignore[no-untyped-def]
    """One trial of Bernoulli arms, jumping over the sweeps in which certainly nothing happens.

    Differences of successes grow by at most one a sweep and tau D(tau) increases, so that nothing is dropped
    for another (2 tau D - tau epsilon/n - (X_max - X_min)) / (1 + epsilon/n) sweeps, and nothing stops for
    (2 tau D - tau epsilon - (X_max - X_second)) / (1 + epsilon). Parameters as for `one_pull_at_a_time`.
    """
    n = means.size
    sums = np.zeros(n)
    alive = np.ones(n, np.bool_)
    tau = 0
    jump = 1
    while True:
        tau += jump
        for i in range(n):
            if alive[i]:
                sums[i] += rng.binomial(jump, means[i])
        deviation = _deviation(tau, sigma, log_inverse_w)
        ended, leader = _decide(tau, sums, alive, deviation, epsilon, stop, pulls, eliminated)
        if ended:
            return tau, leader
        jump = certain_sweeps(tau, sums, alive, leader, deviation, epsilon, stop)


@numba.njit(nogil=True, cache=True)
def certain_sweeps(tau, sums, alive, leader, deviation, epsilon, stop):  # type: ignore[no-untyped-def]
    """How many sweeps may be drawn at once; the last of them is the first at which anything may happen."""
    n = sums.size
    lowest = math.inf
    second = -math.inf
    for i in range(n):
        if alive[i]:
            lowest = min(lowest, sums[i])
            if i != leader:
                second = max(second, sums[i])
    drop = (2 * tau * deviation - tau * epsilon / n - (sums[leader] - lowest)) / (1 + epsilon / n)
    jump = drop
    if stop == STOP_LEADER:
        jump = min(jump, (2 * tau * deviation - tau * epsilon - (sums[leader] - second)) / (1 + epsilon))
    if stop == STOP_WIDTH:
        # The same step with all arms level: 2 D(tau) <= epsilon needs no difference at all.
        jump = min(jump, (2 * tau * deviation - tau * epsilon) / epsilon)
    return max(1, math.floor(jump))
