"""The fast best-arm algorithms against one-pull-at-a-time simulation and against their guarantee.

Every Kolmogorov-Smirnov test has a fixed seed and the level 1e-3.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adaptive_sampling.bestarm import sequential as first_passages
from adaptive_sampling.bestarm.algorithms import PAPER, TUNED, algorithm
from adaptive_sampling.bestarm.deviations import ebr_deviation, pulls_by_round, sequential_deviation
from adaptive_sampling.bestarm.instances import Instance, evenly_spaced, hard_instance, shuffled
from adaptive_sampling.bestarm.outcome import STAYED, Outcome
from adaptive_sampling.bestarm.sequential import hypergeometric, sequential
from adaptive_sampling.bestarm.specification import (
    STOP_LEADER,
    STOP_WIDTH,
    STOPS,
    certain_sweeps,
    one_pull_at_a_time,
    plain_skip,
)

LEVEL = 1e-3


def specified(
    instance: Instance, epsilon: float, delta: float, trials: int, seed: int, *, stop: str, skip: bool = False
) -> Outcome:
    """Run the specification trial by trial."""
    rng = np.random.default_rng(seed)
    n, means = instance.arms, np.array(instance.means)
    log_inverse_w = -0.5 * math.log(delta / (6 * n))
    pulls, eliminated = np.zeros((trials, n), np.int64), np.full((trials, n), STAYED)
    ended = []
    for t in range(trials):
        if skip:
            end = plain_skip(
                rng, means, instance.sigma, log_inverse_w, epsilon, STOPS[stop], pulls[t], eliminated[t]
            )
        else:
            end = one_pull_at_a_time(
                rng, means, False, instance.sigma, log_inverse_w, epsilon, STOPS[stop], pulls[t],
                eliminated[t],
            )  # fmt: skip
        ended.append(end)
    sweeps, chosen = np.array(ended).T
    nothing = np.zeros((trials, 0), np.int64)
    return Outcome(pulls, sweeps, chosen, eliminated, nothing, nothing)


def p_value(a: np.ndarray, b: np.ndarray) -> float:
    """Kolmogorov-Smirnov, large-sample form (conservative for counts, which have ties)."""
    return float(stats.ks_2samp(a, b, method="asymp").pvalue)


def assert_same_law(fast: Outcome, slow: Outcome) -> None:
    """Compare total pulls, every arm's pulls, sweeps, eliminations and recommendations."""
    for a, b in zip(fast.pulls.T, slow.pulls.T, strict=True):
        assert p_value(a, b) > LEVEL
    assert p_value(fast.pulls.sum(axis=1), slow.pulls.sum(axis=1)) > LEVEL
    assert p_value(fast.rounds, slow.rounds) > LEVEL
    for counts in (
        (np.bincount(o.recommendation, minlength=o.pulls.shape[1]) for o in (fast, slow)),
        ((o.eliminated != STAYED).sum(axis=0) for o in (fast, slow)),
    ):
        table = np.array(list(counts))
        table = np.array([table[:, j] for j in range(table.shape[1]) if table[:, j].sum() > 10])
        if len(table) > 1:
            assert stats.chi2_contingency(table).pvalue > LEVEL


INSTANCES = {
    "spread": (evenly_spaced(0.2, 0.8, 5), 0.1, 0.1),
    "twenty": (evenly_spaced(0.02, 0.98, 20), 0.1, 0.01),
    "equal": (Instance((0.5, 0.5, 0.5)), 0.2, 0.2),
    "certain": (Instance((1.0, 0.9, 0.0, 0.4)), 0.1, 0.1),
    "two certain": (Instance((1.0, 1.0, 1.0 - 1e-12, 0.5)), 0.2, 0.1),
    "best last": (Instance((0.2, 0.3, 0.25, 0.35)), 0.1, 0.3),
    "hopeless": (Instance((0.0, 0.0, 0.05)), 0.15, 0.3),
}


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("stop", ["leader", "one_survivor", "width"])
def test_first_passages_have_the_law_of_single_pulls(name: str, stop: str) -> None:
    instance, epsilon, delta = INSTANCES[name]
    trials = (1000 if stop == "leader" else 300) // (4 if name == "twenty" else 1)
    fast = sequential(instance, epsilon, delta, 1, trials, np.random.default_rng(1), stop=stop)
    slow = specified(instance, epsilon, delta, trials, 2, stop=stop)
    assert_same_law(fast, slow)


def test_first_passages_have_the_law_of_the_plain_skip_on_setup_2() -> None:
    # A hundred close arms, and an epsilon at which the leaders change and the stop decides.
    instance = evenly_spaced(0.65, 0.9, 100)
    fast = sequential(instance, 0.1, 0.01, 1, 120, np.random.default_rng(3))
    slow = specified(instance, 0.1, 0.01, 120, 4, stop="leader", skip=True)
    assert_same_law(fast, slow)


@pytest.mark.parametrize("stop", ["leader", "width"])
def test_plain_skip_has_the_law_of_single_pulls(stop: str) -> None:
    instance, epsilon, delta = INSTANCES["spread"]
    assert_same_law(
        specified(instance, epsilon, delta, 1000, 1, stop=stop, skip=True),
        specified(instance, epsilon, delta, 1000, 2, stop=stop),
    )


def test_order_of_the_arms_does_not_matter() -> None:
    instance, epsilon, delta = INSTANCES["spread"]
    order = [3, 0, 4, 1, 2]
    straight = sequential(instance, epsilon, delta, 1, 2000, np.random.default_rng(5))
    mixed = sequential(shuffled(instance, order), epsilon, delta, 1, 2000, np.random.default_rng(6))
    for position, arm in enumerate(order):
        assert p_value(straight.pulls[:, arm], mixed.pulls[:, position]) > LEVEL


@given(
    sums=st.lists(st.integers(0, 400), min_size=2, max_size=6),
    epsilon=st.floats(0.01, 0.5),
    delta=st.floats(0.01, 0.5),
    stop=st.sampled_from(sorted(STOPS.values())),
    gains=st.integers(0, 2**30),
)
@settings(max_examples=200, deadline=None)
def test_a_skip_never_passes_a_possible_event(
    sums: list[int], epsilon: float, delta: float, stop: int, gains: int
) -> None:
    # Whatever the rewards in the sweeps that are skipped, nothing could have happened before the last.
    n, tau = len(sums), 400
    now = np.array(sums, dtype=float)
    alive = np.ones(n, np.bool_)
    leader = int(now.argmax())
    deviation = float(sequential_deviation(tau, 0.5, n, delta))
    jump = certain_sweeps(tau, now, alive, leader, deviation, epsilon, stop)
    rng = np.random.default_rng(gains)
    worst = rng.integers(0, 2, n) if gains % 2 else (np.arange(n) == leader).astype(int)
    for ahead in range(1, min(jump, 3000)):
        d = float(sequential_deviation(tau + ahead, 0.5, n, delta))
        means = np.sort((now + worst * ahead) / (tau + ahead))[::-1]
        assert not means[-1] + d < means[0] - d + epsilon / n - 1e-12
        if stop == STOP_LEADER:
            assert means[1] + d - (means[0] - d) > epsilon - 1e-12
        if stop == STOP_WIDTH:
            assert 2 * d > epsilon


@given(
    n=st.integers(2, 500),
    delta=st.floats(0.001, 0.999),
    start=st.integers(1, 10**7),
    step=st.integers(1, 10**6),
)
@settings(max_examples=300, deadline=None)  # fmt: skip
def test_threshold_is_concave_and_grows(n: int, delta: float, start: int, step: int) -> None:
    # What the first passages rest on: 2 tau D(tau) is concave and increasing in tau.
    tau = np.array([start, start + step, start + 2 * step])
    spread = 2 * tau * sequential_deviation(tau, 0.5, n, delta)
    assert spread[0] < spread[1] < spread[2]
    assert spread[1] >= (spread[0] + spread[2]) / 2 * (1 - 1e-12)


@given(
    tau=st.integers(150, 10**6),
    share=st.floats(0, 1),
    q=st.floats(0.001, 1),
    epsilon=st.floats(0.005, 0.3),
    stop=st.booleans(),
    seed=st.integers(0, 2**30),
)
@settings(max_examples=300, deadline=None)
def test_a_passage_never_passes_a_possible_event(
    tau: int, share: float, q: float, epsilon: float, stop: bool, seed: int
) -> None:
    # Between now and the drawn check, an arm that fails as early as it can stays below the threshold.
    n, delta, least = 20, 0.05, 7
    log_inverse_w, slack = -0.5 * math.log(delta / (6 * n)), epsilon if stop else epsilon / n

    def threshold(t: np.ndarray) -> np.ndarray:
        return 2 * t * sequential_deviation(t, 0.5, n, delta) - slack * t

    now = float(threshold(np.array([tau]))[0])
    gap = int(share * max(now, 0.0))
    state = np.zeros((6, 1), np.int64)
    state[first_passages.KNOWN_AT] = tau
    state[first_passages.FAILURES] = least + gap
    state[first_passages.PASSAGE_AT] = -1
    spread = first_passages._spread(tau, 0.5, log_inverse_w)
    peak = first_passages._last_above(0.5, log_inverse_w, slack, 2.0)
    chances, rng = np.array([q]), np.random.default_rng(seed)
    certain = first_passages._certain_until(state, 0, tau, spread, least, 0.5, log_inverse_w, slack)
    first_passages._draw_passage(rng, state, chances, 0, tau, spread, least, 0.5, log_inverse_w, slack, peak)
    check, at = int(state[first_passages.CHECK_AT, 0]), int(state[first_passages.PASSAGE_AT, 0])
    assert check > tau
    for end, most in ((certain, 2**62), (check, int(state[first_passages.PASSAGE_FAILURES, 0]) - 1 - least)):
        ahead = np.unique(np.linspace(tau + 1, max(end - 1, tau + 1), 400).astype(np.int64))
        ahead = ahead[(ahead > tau) & (ahead < end)]
        assert (np.minimum(gap + ahead - tau, most) < threshold(ahead)).all()
    if at >= 0:
        # The passage takes as many sweeps as failures, at least, and its learning is consistent.
        more = int(state[first_passages.PASSAGE_FAILURES, 0]) - least - gap
        assert at - tau >= more >= 1
        middle = (tau + at) // 2
        first_passages._learn(rng, state, chances, 0, middle)
        assert least + gap <= state[first_passages.FAILURES, 0] < least + gap + more or middle == at
        first_passages._learn(rng, state, chances, 0, at)
        assert state[first_passages.FAILURES, 0] == least + gap + more


@pytest.mark.parametrize(
    ("marked", "unmarked", "sample"),
    [(3, 5, 4), (40, 7, 30), (500, 1500, 700), (5, 4000, 3000), (900, 30, 60)],
)
def test_hypergeometric_has_its_law(marked: int, unmarked: int, sample: int) -> None:
    rng = np.random.default_rng(7)
    draws = np.array([hypergeometric(rng, marked, unmarked, sample) for _ in range(20_000)])
    law = stats.hypergeom(marked + unmarked, marked, sample)
    values = np.arange(max(0, sample - unmarked), min(marked, sample) + 1)
    assert set(draws) <= set(values)
    expected = law.pmf(values) * draws.size
    seen = np.bincount(draws - values[0], minlength=values.size)
    large = expected > 5
    observed = np.append(seen[large], seen[~large].sum())
    awaited = np.append(expected[large], expected[~large].sum())
    keep = awaited > 1e-9
    statistic = ((observed - awaited)[keep] ** 2 / awaited[keep]).sum()
    assert stats.chi2(keep.sum() - 1).sf(statistic) > LEVEL


def test_hypergeometric_at_its_edges() -> None:
    rng = np.random.default_rng(8)
    assert hypergeometric(rng, 0, 5, 3) == 0
    assert hypergeometric(rng, 5, 0, 3) == 3
    assert hypergeometric(rng, 5, 5, 0) == 0
    assert hypergeometric(rng, 5, 5, 10) == 5


def ebr_one_pull_at_a_time(
    instance: Instance, epsilon: float, delta: float, rounds: int, trials: int, seed: int
) -> Outcome:
    """EBR in plain Python, each reward drawn by itself."""
    rng = np.random.default_rng(seed)
    n, m = instance.arms, min(instance.arms, rounds)
    schedule = pulls_by_round(epsilon, instance.sigma, rounds, math.log(n * rounds / delta))
    pulls, eliminated = np.zeros((trials, n), np.int64), np.full((trials, n), STAYED)
    used, chosen = np.zeros(trials, np.int64), np.zeros(trials, np.int64)
    for trial in range(trials):
        alive, sums = list(range(n)), [0.0] * n
        for t in range(1, rounds + 1):
            before = schedule[t - 2] if t > 1 else 0
            for i in alive:
                sums[i] += (rng.random(schedule[t - 1] - before) < instance.means[i]).sum()
                pulls[trial, i] = schedule[t - 1]
            used[trial] = t
            means = {i: sums[i] / schedule[t - 1] for i in alive}
            leader = max(alive, key=lambda i: (means[i], -i))
            chosen[trial] = leader
            if t == rounds:
                break
            d = ebr_deviation(schedule[t - 1], instance.sigma, n, rounds, delta)
            highest = max(means[j] - d for j in alive)
            for i in list(alive):
                if i != leader and means[i] + d < highest + epsilon / m:
                    alive.remove(i)
                    eliminated[trial, i] = t
            if len(alive) == 1:
                break
    nothing = np.zeros((trials, 0), np.int64)
    return Outcome(pulls, used, chosen, eliminated, nothing, nothing)


def test_ebr_has_the_law_of_single_pulls() -> None:
    instance, epsilon, delta, rounds = Instance((0.3, 0.75, 0.6, 0.72, 0.1)), 0.1, 0.2, 4
    fast = algorithm("ebr")(instance, epsilon, delta, rounds, 1500, np.random.default_rng(1))
    assert_same_law(fast, ebr_one_pull_at_a_time(instance, epsilon, delta, rounds, 400, 2))


def test_ebr_in_one_round_is_passive() -> None:
    instance = evenly_spaced(0.1, 0.9, 20)
    for outcomes in zip(
        *(
            vars(algorithm(name)(instance, 0.1, 0.05, 1, 50, np.random.default_rng(4))).values()
            for name in ("ebr", "passive")
        )
    ):
        np.testing.assert_array_equal(*outcomes)


@pytest.mark.parametrize("name", [*PAPER, *TUNED])
def test_outcomes_are_consistent(name: str) -> None:
    instance = evenly_spaced(0.1, 0.9, 12)
    outcome = algorithm(name)(instance, 0.1, 0.1, 6, 40, np.random.default_rng(9))
    trial = np.arange(40)
    assert (outcome.eliminated[trial, outcome.recommendation] >= outcome.rounds).all()
    assert (outcome.survivors(0) == 12).all()
    assert (np.diff([outcome.survivors(t) for t in range(7)], axis=0) <= 0).all()
    if name != "sequential":
        assert outcome.leaders.shape == outcome.spent.shape == (40, 1 if name == "passive" else 6)
        np.testing.assert_array_equal(outcome.leaders[:, -1], outcome.recommendation)
        np.testing.assert_array_equal(outcome.spent[:, -1], outcome.pulls.sum(axis=1))
        assert (np.diff(outcome.spent, axis=1) >= 0).all()


def allowed_errors(delta: float, trials: int) -> int:
    """Most errors that an error rate of delta explains at level 1e-3."""
    return int(stats.binom(trials, delta).isf(LEVEL))


@pytest.mark.parametrize("name", [*PAPER, *TUNED])
def test_error_rate_stays_below_delta_on_hard_instances(name: str) -> None:
    # The best arm lies just over epsilon above all others, which are equal: every other answer is an error.
    delta, epsilon, trials = 0.3, 0.2, 1500
    for arms, rounds in ((2, 2), (10, 3), (30, 6)):
        instance = hard_instance(arms, 1.02 * epsilon)
        outcome = algorithm(name)(instance, epsilon, delta, rounds, trials, np.random.default_rng(10))
        errors = int((~instance.good(epsilon)[outcome.recommendation]).sum())
        assert errors <= allowed_errors(delta, trials)


def test_the_check_of_the_error_rate_can_fail() -> None:
    # The same check refuses an algorithm that is promised ten times its true delta's confidence.
    instance = hard_instance(10, 0.204)
    outcome = algorithm("ebr_hoeffding")(instance, 0.9, 0.9, 3, 1500, np.random.default_rng(10))
    errors = int((~instance.good(0.2)[outcome.recommendation]).sum())
    assert errors > allowed_errors(0.3, 1500)
