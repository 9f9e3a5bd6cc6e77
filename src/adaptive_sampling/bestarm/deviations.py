"""How far an empirical mean may lie from the true one, and how many pulls make it close enough.

Tags as in docs/ebr.md: [text] stands in the paper's text, [primary] in the source the paper cites,
[reconstructed] derived so that every sentence of the text holds.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from adaptive_sampling.errors import InputError


def check_parameters(epsilon: float, delta: float, rounds: int) -> None:
    """Refuse parameters outside of the problem (Section 2): epsilon, delta in (0, 1), rounds at least 1.

    Raises
    ------
    InputError
        One sentence that names the parameter, what was found and what is allowed.
    """
    if not 0.0 < epsilon < 1.0:
        raise InputError(f"epsilon: found {epsilon}, the error tolerance lies strictly between 0 and 1")
    if not 0.0 < delta < 1.0:
        raise InputError(f"delta: found {delta}, the error probability lies strictly between 0 and 1")
    if isinstance(rounds, bool) or int(rounds) != rounds or rounds < 1:
        raise InputError(f"rounds: found {rounds}, the deadline is a whole number of at least 1")


def ebr_deviation(
    pulls: ArrayLike, sigma: float, arms: int, rounds: int, delta: float
) -> NDArray[np.float64]:
    """D(tau, delta) = sqrt(5 sigma^2 log(n T / delta) / tau), EBR's deviation [reconstructed].

    Parameters
    ----------
    pulls : array_like
        tau, pulls of an arm so far, at least 1.
    sigma, arms, rounds, delta
        sigma, n, T and delta.

    Returns
    -------
    ndarray
        As `pulls`.
    """
    return np.sqrt(5 * sigma**2 * math.log(arms * rounds / delta) / np.asarray(pulls, dtype=np.float64))


def hoeffding_deviation(
    pulls: ArrayLike, sigma: float, arms: int, rounds: int, delta: float
) -> NDArray[np.float64]:
    """Return sqrt(2 sigma^2 log(2 n T / delta) / tau): two-sided Hoeffding, a union over arms and rounds."""
    return np.sqrt(2 * sigma**2 * math.log(2 * arms * rounds / delta) / np.asarray(pulls, dtype=np.float64))


def pulls_by_round(
    epsilon: float, sigma: float, rounds: int, log_term: float, *, factor: float = 80.0
) -> NDArray[np.int64]:
    """C_t = ceil(80 sigma^2 epsilon^(-2t/T) log(nT/delta)), an arm's pulls by the end of round t.

    Algorithm 1 of the EBR paper [reconstructed]: "at least O(epsilon^(-2t/T))" pulls by round t, and at
    T = 1 the text's 80 sigma^2 / epsilon^2 log(n/delta). Before rounding, 4 D(C_t) = epsilon^(t/T).

    Parameters
    ----------
    epsilon, sigma, rounds
        epsilon, sigma and T.
    log_term : float
        log(nT/delta), or what stands in its place.
    factor : float
        80 in the paper; other radii need fewer.

    Returns
    -------
    ndarray of int64, shape (rounds,)
        Not decreasing.

    Examples
    --------
    >>> pulls_by_round(0.01, 0.5, 1, math.log(100 / 0.01)) * 100
    array([184206900])
    """
    t = np.arange(1, rounds + 1)
    exact = factor * sigma**2 * epsilon ** (-2 * t / rounds) * log_term
    # A value that is whole but for rounding must not gain a pull.
    return np.ceil(exact * (1 - 1e-12)).astype(np.int64)


def sequential_deviation(pulls: ArrayLike, sigma: float, arms: int, delta: float) -> NDArray[np.float64]:
    """D(tau) = 4 sigma sqrt(log(log2(2 tau) / w) / tau) with w = sqrt(delta / (6 n)).

    Jun, Jamieson, Nowak and Zhu, "Top arm identification in multi-armed bandits with batch arm pulls",
    AISTATS 2016, Lemma 1 and equation (2) [primary].
    """
    tau = np.asarray(pulls, dtype=np.float64)
    return 4 * sigma * np.sqrt(np.log(np.log2(2 * tau) / math.sqrt(delta / (6 * arms))) / tau)


def kl_bounds(
    means: NDArray[np.float64], pulls: float, log_term: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper Chernoff bounds of Bernoulli means: all q with pulls * kl(mean, q) <= log_term.

    Parameters
    ----------
    means : ndarray
        Empirical means in [0, 1].
    pulls : float
        Pulls behind each mean.
    log_term : float
        log(1 / error probability of one side).

    Returns
    -------
    lower, upper : ndarray
        As `means`. Found by bisection, then by Newton's method from outside: kl(mean, q) is convex in q, so
        that every iterate stays on the safe side.
    """
    level = log_term / pulls
    # Many arms have the same mean while pulls are few: each is bounded once.
    distinct, place = np.unique(means, return_inverse=True)
    kl = kl_from(distinct)

    def bound(sign: float) -> NDArray[np.float64]:
        # Pinsker: kl(p, q) >= 2 (p - q)^2, so the bound is no farther than Hoeffding's.
        near, far = distinct, np.clip(distinct + sign * math.sqrt(level / 2), 0.0, 1.0)
        for _ in range(20):
            middle = (near + far) / 2
            inside = kl(middle) <= level
            near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        for _ in range(3):
            with np.errstate(divide="ignore", invalid="ignore"):
                step = (kl(far) - level) * far * (1 - far) / (far - distinct)
            far = np.where(np.isfinite(step) & (step * sign > 0), far - step, far)
        return far[place]

    return bound(-1.0), bound(1.0)


def bernoulli_kl(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """kl(p, q) = p log(p/q) + (1-p) log((1-p)/(1-q)), with 0 log 0 = 0 and infinite where q excludes p."""
    return kl_from(p)(q)


def kl_from(p: NDArray[np.float64]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return `bernoulli_kl` as a function of q, its terms in p alone worked out once."""
    one, other = xlogy(p, p), xlogy(1 - p, 1 - p)

    def kl(q: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore", invalid="ignore"):
            value = one - xlogy(p, q) + other - xlogy(1 - p, 1 - q)
        return np.asarray(value, dtype=np.float64)

    return kl


def pac_loss(
    arms: int, rounds: int, epsilon: float, delta: float, *, sigma: float = 0.5, scale: float = 1.0
) -> float:
    """How much of epsilon EBR can lose at most, as a fraction; below 1 means that it is (epsilon, delta)-PAC.

    With r^2 = (2/5) log(2nT/delta) / log(nT/delta) / scale, Hoeffding's inequality and a union over arms
    and rounds give |mean - mu| <= r D everywhere with probability 1 - delta. Dropping the best survivor after
    round t costs less than epsilon/m - 2 (1 - r) D(C_t), m = min(n, T); this happens at most m - 1 times, in
    different rounds before the last; the last choice costs at most 2 r D(C_T).

    Parameters
    ----------
    arms, rounds, epsilon, delta
        n, T, epsilon, delta.
    sigma : float
        Only the rounding of C_t depends on it.
    scale : float
        Multiplies 5 in D^2 and 80 in C_t alike; 1 is the paper's.

    Returns
    -------
    float
        The worst loss divided by epsilon; infinite if the intervals need not cover (r > 1).

    Examples
    --------
    >>> round(pac_loss(100, 15, 0.01, 0.01), 3)
    0.325
    """
    log_term = math.log(arms * rounds / delta)
    r = math.sqrt(0.4 * math.log(2 * arms * rounds / delta) / log_term / scale)
    if r > 1:
        return math.inf
    deviations = math.sqrt(scale) * ebr_deviation(
        pulls_by_round(epsilon, sigma, rounds, log_term, factor=80 * scale), sigma, arms, rounds, delta
    )
    m = min(arms, rounds)
    drops = np.sort(np.maximum(epsilon / m - 2 * (1 - r) * deviations[:-1], 0.0))[::-1][: m - 1]
    return float((drops.sum() + 2 * r * deviations[-1]) / epsilon)


def smallest_scale(arms: int, rounds: int, epsilon: float, delta: float, *, sigma: float = 0.5) -> float:
    """Return the smallest `scale` (to 1e-6, from above) at which `pac_loss` still stays below 1.

    EBR with D^2 and C_t multiplied by it keeps its guarantee with that fraction of the pulls.

    Examples
    --------
    >>> scale = smallest_scale(100, 15, 0.01, 0.01)
    >>> pac_loss(100, 15, 0.01, 0.01, scale=scale) < 1 < 1 / scale
    True
    """
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        if middle > 0 and pac_loss(arms, rounds, epsilon, delta, sigma=sigma, scale=middle) < 1:
            high = middle
        else:
            low = middle
    return high
