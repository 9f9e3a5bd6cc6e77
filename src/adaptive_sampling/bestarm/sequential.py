"""The sequential algorithm (T = infinity), drawn by first passages: exact in law, a few draws an arm.

The rule itself is in `adaptive_sampling.bestarm.specification`, one pull at a time: sweep tau pulls every
survivor once; arm i is dropped when U_i < max_j L_j + epsilon/n, and all ends at one survivor or when
max_(j != leader) U_j - L_leader <= epsilon. Counting *failures* F_i (pulls without reward), this reads::

    drop i   when  F_i - min_j F_j >  E(tau),  E(tau) = 2 tau D(tau) - tau epsilon / n
    stop     when  F_second - F_min >= S(tau), S(tau) = 2 tau D(tau) - tau epsilon

A good arm fails rarely, and failures never decrease. So the algorithm keeps, for every arm, only its failures
at the last sweep where they had to be known. If c is the smallest of these, min_j F_j >= c for ever after: arm
i cannot be dropped before it has failed m more times, m the smallest whole number with F_i + m - c > E. The
sweep of that m-th failure is m plus one negative binomial draw, however many pulls it takes. Only there is
the leader drawn too (one binomial), and the arm dropped or given a new m. Both E and S are concave in tau,
which bounds them from below over an interval by their values at its ends.

Knowing that an arm's m-th failure comes at sweep s, its m - 1 earlier failures are a uniformly random subset
of the sweeps between; how many of them came by an earlier sweep is hypergeometric. With this the arm can still
be asked for its failures at any sweep, for instance when it may have overtaken the leader.
"""

import math
from typing import Final

import numba
import numpy as np

from adaptive_sampling.bestarm.deviations import check_parameters
from adaptive_sampling.bestarm.instances import Instance
from adaptive_sampling.bestarm.outcome import STAYED, Outcome, one_arm
from adaptive_sampling.bestarm.specification import STOP_LEADER, STOP_WIDTH, STOPS, one_pull_at_a_time
from adaptive_sampling.errors import InputError

# Rows of a trial's state; its columns are arms.
ARM: Final = 0
KNOWN_AT: Final = 1
FAILURES: Final = 2
PASSAGE_AT: Final = 3
PASSAGE_FAILURES: Final = 4
CHECK_AT: Final = 5

_NEVER: Final = np.int64(2**62)
_NONE: Final = np.int64(-1)
_LONGEST: Final = 2.0**40
REFRESH: Final = 0.25
"""Arms known to be worth less than this part of a step are asked again before the step is drawn; any value
gives the same law, this one the fewest draws."""
_LN_2: Final = math.log(2.0)
_HALF_LOG_2_PI: Final = 0.5 * math.log(2 * math.pi)
_LOG_FACTORIALS: Final = np.array([math.lgamma(k + 1.0) for k in range(32)])
_RARE: Final = 1e-9
"""A chance of failing below which waits are not drawn."""
_ROUNDING: Final = 1e-9
"""Bounds are kept this far on the safe side, far above the error of a double at a few thousand pulls."""


@numba.njit(inline="always")
def _log_factorial(k):  # type: ignore[no-untyped-def]
    """Logarithm of k!: a table, then Stirling's series, whose error stays below 1e-13."""
    if k < 32:
        return _LOG_FACTORIALS[k]
    x = float(k)
    inverse = 1.0 / x
    return (
        (x + 0.5) * math.log(x)
        - x
        + _HALF_LOG_2_PI
        + inverse * (1 / 12 - inverse * inverse * (1 / 360 - inverse * inverse / 1260))
    )


@numba.njit(nogil=True, cache=True)
def hypergeometric(rng, marked, unmarked, sample):  # type: ignore[no-untyped-def]
    """Draw how many of a sample without replacement are marked: inversion, outwards from the mode.

    Parameters
    ----------
    rng : numpy.random.Generator
    marked, unmarked : int
        How many of either kind there are.
    sample : int
        Size of the sample, at most marked + unmarked.

    Returns
    -------
    int
    """
    if marked == 0 or sample == 0:
        return np.int64(0)
    if unmarked == 0:
        return np.int64(sample)
    total = marked + unmarked
    lowest = max(0, sample - unmarked)
    highest = min(marked, sample)
    mode = ((sample + 1) * (marked + 1)) // (total + 2)
    mode = min(max(mode, lowest), highest)
    top = math.exp(
        _log_factorial(marked)
        - _log_factorial(mode)
        - _log_factorial(marked - mode)
        + _log_factorial(unmarked)
        - _log_factorial(sample - mode)
        - _log_factorial(unmarked - sample + mode)
        - _log_factorial(total)
        + _log_factorial(sample)
        + _log_factorial(total - sample)
    )
    left = rng.random() - top
    up, down = mode, mode
    chance_up, chance_down = top, top
    while left > 0.0:
        if up == highest and down == lowest:
            return np.int64(mode)  # all that rounding left over
        if up < highest:
            chance_up *= (float(marked - up) * float(sample - up)) / (
                float(up + 1) * float(unmarked - sample + up + 1)
            )
            up += 1
            left -= chance_up
            if left <= 0.0:
                return np.int64(up)
        if down > lowest:
            chance_down *= (float(down) * float(unmarked - sample + down)) / (
                float(marked - down + 1) * float(sample - down + 1)
            )
            down -= 1
            left -= chance_down
            if left <= 0.0:
                return np.int64(down)
    return np.int64(mode)


@numba.njit(inline="always")
def _spread(tau, sigma, log_inverse_w):  # type: ignore[no-untyped-def]
    """2 tau D(tau): how far failures must differ at sweep tau, but for the slack; concave in tau."""
    t = float(tau)
    return 8.0 * sigma * math.sqrt(t * (math.log(math.log(2.0 * t) / _LN_2) + log_inverse_w))


@numba.njit(nogil=True, cache=True)
def _last_above(sigma, log_inverse_w, slack, level):  # type: ignore[no-untyped-def]
    """Last sweep at which 2 tau D(tau) still exceeds level * tau * slack; all earlier ones do too."""
    low, high = np.int64(1), np.int64(2)
    while high < _LONGEST and _spread(high, sigma, log_inverse_w) > level * slack * high:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if _spread(middle, sigma, log_inverse_w) > level * slack * middle:
            low = middle
        else:
            high = middle
    return low


@numba.njit(nogil=True, cache=True)
def _learn(rng, state, q, j, tau):  # type: ignore[no-untyped-def]
    """Draw arm j's failures by sweep tau, given all that is known of it."""
    gone = tau - state[KNOWN_AT, j]
    if gone == 0:
        return
    at = state[PASSAGE_AT, j]
    if at != _NONE and at <= tau:
        state[FAILURES, j] = state[PASSAGE_FAILURES, j]
        state[PASSAGE_AT, j] = _NONE
        gone = tau - at
        at = _NONE
    if at != _NONE:
        between = at - 1 - state[KNOWN_AT, j]
        marked = state[PASSAGE_FAILURES, j] - 1 - state[FAILURES, j]
        state[FAILURES, j] += hypergeometric(rng, marked, between - marked, gone)
    elif gone > 0:
        state[FAILURES, j] += rng.binomial(gone, q[j])
    state[KNOWN_AT, j] = tau


@numba.njit(nogil=True, cache=True)
def _certain_until(state, j, tau, spread, least, sigma, log_inverse_w, slack):  # type: ignore[no-untyped-def]
    """First sweep after tau at which arm j may lie as far above the least as the threshold; tau if now.

    The threshold is 2 tau D(tau) - tau slack, and `spread` is 2 tau D(tau).
    """
    now = spread - slack * tau - _ROUNDING
    at = state[PASSAGE_AT, j]
    if at > tau:
        before = state[PASSAGE_FAILURES, j] - 1 - least
        if before < now and before < _spread(at, sigma, log_inverse_w) - slack * at - _ROUNDING:
            return at
    margin = now - (state[FAILURES, j] + (tau - state[KNOWN_AT, j]) - least)
    if margin <= 0.0:
        return tau
    # One failure a sweep at most, while the threshold loses at most `slack` a sweep.
    return tau + max(np.int64(math.ceil(margin / (1.0 + slack))), np.int64(1))


@numba.njit(nogil=True, cache=True)
def _draw_passage(rng, state, q, j, tau, spread, least, sigma, log_inverse_w, slack, peak):  # type: ignore[no-untyped-def]
    """Draw when arm j, known at tau, may next lie as far above the least as the threshold.

    Writes the arm's passage and when to check it. `peak` is a sweep up to which the threshold grows.
    """
    now = spread - slack * tau - _ROUNDING
    gap = float(state[FAILURES, j] - least)
    state[CHECK_AT, j] = tau + 1
    if now < gap:
        return
    # Up to the horizon the threshold is at least the lesser of its values at both ends, for it is concave.
    horizon = np.int64(min(4.0 * (now - gap + 16.0) / max(q[j], _RARE), _LONGEST))
    level = now
    grows = tau + horizon <= peak
    while not grows:
        end = _spread(tau + horizon, sigma, log_inverse_w) - slack * (tau + horizon) - _ROUNDING
        level = min(now, end)
        if level >= gap:
            break
        if horizon == 1:
            return
        horizon //= 2
        grows = tau + horizon <= peak
    if grows:
        level = now
    more = np.int64(level - gap) + 1
    if grows and more > 1:
        # The m-th failure takes at least m sweeps, by when the threshold has grown.
        soon = tau + more - 1
        level = _spread(soon, sigma, log_inverse_w) - slack * soon - _ROUNDING
        more = max(more, np.int64(level - gap) + 1)
        if soon + more > peak:
            more = np.int64(now - gap) + 1
    at = tau + more
    if q[j] < _RARE:
        # An arm that (nearly) never fails: no draw could hold the wait, but m failures take m sweeps at least.
        state[CHECK_AT, j] = tau + horizon if q[j] <= 0.0 else at
        return
    if q[j] < 1.0:
        at += rng.negative_binomial(more, q[j])
    state[PASSAGE_AT, j] = at
    state[PASSAGE_FAILURES, j] = state[FAILURES, j] + more
    state[CHECK_AT, j] = min(at, tau + horizon)


@numba.njit(nogil=True, cache=True)
def _least(values, left):  # type: ignore[no-untyped-def]
    """Smallest of the first `left` values."""
    least = values[0]
    for j in range(1, left):
        least = min(least, values[j])
    return least


@numba.njit(nogil=True, cache=True)
def _first_passages(rng, means, sigma, log_inverse_w, epsilon, stop, pulls, eliminated):  # type: ignore[no-untyped-def]
    """One trial: fill `pulls` and `eliminated` and return (sweeps, recommendation)."""
    n = means.size
    drop_slack = epsilon / n
    q = 1.0 - means
    state = np.zeros((6, n), np.int64)
    state[PASSAGE_AT] = _NONE
    state[ARM] = np.arange(n)
    # Survivors fill the first `left` columns. The leader and the witness are two with few failures: asking
    # them first mostly settles a question. Which two does not matter for the law.
    left = n
    leader, witness = 0, 1
    peak = _last_above(sigma, log_inverse_w, drop_slack, 2.0)
    stop_peak = _last_above(sigma, log_inverse_w, epsilon, 2.0)

    # Nothing happens before tau failures reach S(tau) <= E(tau).
    tau = np.int64(1)
    while float(tau) < _spread(tau, sigma, log_inverse_w) - epsilon * tau - _ROUNDING:
        tau += 1
    state[CHECK_AT] = tau
    stop_at = tau if stop == STOP_LEADER else _NEVER
    if stop == STOP_WIDTH:
        stop_at = _last_above(sigma, log_inverse_w, epsilon, 1.0) + 1

    while left > 1:
        tau = _least(state[CHECK_AT], left)
        if tau > stop_at:
            tau = stop_at
            if stop == STOP_WIDTH:
                break
            spread = _spread(tau, sigma, log_inverse_w)
            # Nothing stops while two arms lie closer to the least than S. Ask for as little as shows it.
            for step in range(4):
                if step == 0:
                    _learn(rng, state, q, leader, tau)
                elif step == 1:
                    _learn(rng, state, q, witness, tau)
                elif step == 2:
                    for j in range(left):
                        if state[FAILURES, j] < state[FAILURES, leader]:
                            _learn(rng, state, q, j, tau)
                            if state[FAILURES, j] < state[FAILURES, leader]:
                                leader = j
                else:
                    expected = np.inf
                    for j in range(left):
                        guess = state[FAILURES, j] + q[j] * (tau - state[KNOWN_AT, j])
                        if j != leader and guess < expected:
                            expected = guess
                            witness = j
                    _learn(rng, state, q, witness, tau)
                if witness == leader:
                    witness = 0 if leader != 0 else 1
                least = _least(state[FAILURES], left)
                stop_at = min(
                    _certain_until(state, leader, tau, spread, least, sigma, log_inverse_w, epsilon),
                    _certain_until(state, witness, tau, spread, least, sigma, log_inverse_w, epsilon),
                )
                if stop_at > tau:
                    break
            if stop_at > tau:
                continue
            for j in range(left):
                _learn(rng, state, q, j, tau)
            fewest, second = _NEVER, _NEVER
            for j in range(left):
                failures = state[FAILURES, j]
                if failures < fewest:
                    second, fewest = fewest, failures
                else:
                    second = min(second, failures)
            if second - fewest >= spread - epsilon * tau:
                break
            stop_at = tau + 1
            continue

        # May arm j be dropped? Ask it and the leader, then whoever may have few enough failures.
        j = 0
        while state[CHECK_AT, j] != tau:
            j += 1
        spread = _spread(tau, sigma, log_inverse_w)
        _learn(rng, state, q, j, tau)
        _learn(rng, state, q, leader, tau)
        limit = state[FAILURES, j] - (spread - drop_slack * tau)
        if limit > state[FAILURES, j]:
            # 2 D(tau) < epsilon/n: all but the leader go, even those level with it.
            break
        least = _least(state[FAILURES], left)
        if state[FAILURES, leader] >= limit:
            # Old news of other arms would make the next step of this one short: they are asked again too.
            stale = state[FAILURES, leader] - REFRESH * (state[FAILURES, leader] - limit)
            stale = max(stale, limit)
            if least < stale:
                for i in range(left):
                    if state[FAILURES, i] < stale:
                        _learn(rng, state, q, i, tau)
                        if state[FAILURES, i] < state[FAILURES, leader]:
                            leader = i
                least = _least(state[FAILURES], left)
        if state[FAILURES, leader] < limit:
            pulls[state[ARM, j]] = tau
            eliminated[state[ARM, j]] = tau
            left -= 1
            state[:, j] = state[:, left]
            q[j] = q[left]
            leader = j if leader == left else leader
            witness = j if witness == left else witness
            if witness >= left or witness == leader:
                witness = 0 if leader != 0 else 1
            continue
        if j != leader and state[PASSAGE_AT, j] == _NONE:
            gap = state[FAILURES, j] - least
            closest = spread - epsilon * tau
            if stop == STOP_LEADER and gap < (closest if j == witness else 0.5 * closest):
                # It may serve to show that nothing stops.
                _draw_passage(rng, state, q, j, tau, spread, least, sigma, log_inverse_w, epsilon, stop_peak)
            else:
                _draw_passage(rng, state, q, j, tau, spread, least, sigma, log_inverse_w, drop_slack, peak)
        else:
            until = _certain_until(state, j, tau, spread, least, sigma, log_inverse_w, drop_slack)
            state[CHECK_AT, j] = max(until, tau + 1)
        if state[PASSAGE_AT, leader] == _NONE:
            until = _certain_until(state, leader, tau, spread, least, sigma, log_inverse_w, drop_slack)
            state[CHECK_AT, leader] = max(until, tau + 1)

    # Who is left has been pulled to the end; the one with the fewest failures (and the lowest index) is returned.
    fewest, chosen = _NEVER, np.int64(n)
    for j in range(left):
        _learn(rng, state, q, j, tau)
        arm, failures = state[ARM, j], state[FAILURES, j]
        pulls[arm] = tau
        if failures < fewest or (failures == fewest and arm < chosen):
            fewest, chosen = failures, arm
    limit = fewest + _spread(tau, sigma, log_inverse_w) - drop_slack * tau
    for j in range(left):
        if state[ARM, j] != chosen and state[FAILURES, j] > limit:
            eliminated[state[ARM, j]] = tau
    return tau, chosen


@numba.njit(nogil=True, cache=True)
def _all_first_passages(rng, means, sigma, log_inverse_w, epsilon, stop, pulls, eliminated, sweeps, chosen):  # type: ignore[no-untyped-def]
    """All trials, one after the other, from one generator."""
    for trial in range(sweeps.size):
        sweeps[trial], chosen[trial] = _first_passages(
            rng, means, sigma, log_inverse_w, epsilon, stop, pulls[trial], eliminated[trial]
        )


def sequential(
    instance: Instance,
    epsilon: float,
    delta: float,
    rounds: int,
    trials: int,
    rng: np.random.Generator,
    *,
    stop: str = "leader",
) -> Outcome:
    """Run the sequential algorithm (T = infinity) of Section 5 in `trials` independent trials.

    Parameters
    ----------
    instance : Instance
    epsilon, delta : float
        Error tolerance and error probability.
    rounds : int
        Checked, and otherwise without meaning: the algorithm has no deadline.
    trials : int
    rng : numpy.random.Generator
    stop : {"leader", "one_survivor", "width"}
        See `adaptive_sampling.bestarm.specification.STOPS`.

    Returns
    -------
    Outcome
        Without `leaders` and `spent`; `rounds` counts sweeps.

    Raises
    ------
    InputError
        If a parameter lies outside of its range.
    """
    check_parameters(epsilon, delta, rounds)
    if stop not in STOPS:
        raise InputError(f"stop: found {stop!r}, allowed are {', '.join(STOPS)}")
    n = instance.arms
    if n == 1:
        return one_arm(trials, 0)
    means = np.array(instance.means)
    log_inverse_w = -0.5 * math.log(delta / (6 * n))
    pulls = np.zeros((trials, n), np.int64)
    eliminated = np.full((trials, n), STAYED)
    sweeps = np.zeros(trials, np.int64)
    chosen = np.zeros(trials, np.int64)
    if instance.rewards == "gaussian":
        # A Gaussian sum can cross any distance at once: there is nothing to skip.
        for trial in range(trials):
            sweeps[trial], chosen[trial] = one_pull_at_a_time(
                rng,
                means,
                True,
                instance.sigma,
                log_inverse_w,
                epsilon,
                STOPS[stop],
                pulls[trial],
                eliminated[trial],
            )
    else:
        _all_first_passages(
            rng, means, instance.sigma, log_inverse_w, epsilon, STOPS[stop], pulls, eliminated, sweeps, chosen
        )
    nothing = np.zeros((trials, 0), np.int64)
    return Outcome(pulls, sweeps, chosen, eliminated, nothing, nothing)
