"""Instances, deviations and schedules of the best-arm part, against closed forms and the paper's numbers."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adaptive_sampling.bestarm.algorithms import ALGORITHMS, algorithm
from adaptive_sampling.bestarm.deviations import (
    bernoulli_kl,
    ebr_deviation,
    hoeffding_deviation,
    kl_bounds,
    pac_loss,
    pulls_by_round,
    sequential_deviation,
    smallest_scale,
)
from adaptive_sampling.bestarm.draws import draw_sums
from adaptive_sampling.bestarm.elimination import (
    aggressive_elimination_plan,
    iterated_log,
    top_k_delta_elimination_plan,
)
from adaptive_sampling.bestarm.instances import Instance, evenly_spaced, hardness, needed_pulls
from adaptive_sampling.bestarm.outcome import STAYED
from adaptive_sampling.errors import InputError


def test_hardness_of_both_setups() -> None:
    assert round(hardness(evenly_spaced(0.1, 0.9, 100), 0.01)) == 29_723
    assert round(hardness(evenly_spaced(0.65, 0.9, 100), 0.01)) == 82_932


def test_gap_of_the_best_arm_is_its_lead() -> None:
    instance = Instance((0.2, 0.9, 0.6))
    assert instance.best == 1
    assert instance.gaps == pytest.approx([0.7, 0.3, 0.3])
    assert needed_pulls(instance, 0.5) == pytest.approx([0.7**-2, 4, 4])


def test_an_arm_exactly_epsilon_below_is_not_optimal() -> None:
    assert Instance((0.9, 0.8, 0.81)).good(0.1).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (((),), "no arm"),
        (((0.5, 1.5),), "1.5"),
        (((0.5, math.nan),), "nan"),
        (((0.5,), 0.5, "poisson"), "poisson"),
        (((0.5,), 0.3), "0.3"),
        (((0.5,), -1.0, "gaussian"), "-1"),
    ],
)
def test_bad_instances_are_refused_in_a_sentence(arguments: tuple, names: str) -> None:
    with pytest.raises(InputError, match=names) as caught:
        Instance(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    ("epsilon", "delta", "rounds", "key"),
    [(0.0, 0.1, 3, "epsilon"), (1.0, 0.1, 3, "epsilon"), (math.nan, 0.1, 3, "epsilon"), (0.1, 0.0, 3, "delta"),
     (0.1, 1.0, 3, "delta"), (0.1, 0.1, 0, "rounds"), (0.1, 0.1, 2.5, "rounds"), (0.1, 0.1, True, "rounds")],
)  # fmt: skip
def test_bad_parameters_are_refused_by_every_algorithm(
    name: str, epsilon: float, delta: float, rounds: int, key: str
) -> None:
    with pytest.raises(InputError, match=f"^{key}: found"):
        algorithm(name)(Instance((0.5, 0.6)), epsilon, delta, rounds, 2, np.random.default_rng(0))


def test_an_unknown_algorithm_is_named() -> None:
    with pytest.raises(InputError, match=r"ucb.*ebr, passive, sequential"):
        algorithm("ucb")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_one_arm_is_returned_without_a_pull(name: str) -> None:
    outcome = algorithm(name)(Instance((0.3,)), 0.1, 0.1, 4, 3, np.random.default_rng(0))
    assert outcome.recommendation.tolist() == [0, 0, 0]
    assert outcome.pulls.sum() == 0
    assert (outcome.eliminated == STAYED).all()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_equal_arms_end_with_some_arm(name: str) -> None:
    outcome = algorithm(name)(Instance((0.5, 0.5, 0.5)), 0.3, 0.1, 4, 40, np.random.default_rng(0))
    assert set(outcome.recommendation.tolist()) == {0, 1, 2}
    assert (outcome.pulls > 0).all()


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "ebr_kl"])
def test_gaussian_arms_of_any_sigma(name: str) -> None:
    # An instance whose lead is many times epsilon: every algorithm must find it, with pulls as sigma^2
    # (sequential: times a log log).
    pulls = {}
    for sigma in (0.25, 0.5):
        instance = Instance((0.1, 0.9, 0.3), sigma, "gaussian")
        outcome = algorithm(name)(instance, 0.2, 0.05, 3, 30, np.random.default_rng(0))
        assert (outcome.recommendation == 1).all()
        pulls[sigma] = outcome.pulls.sum(axis=1).mean()
    assert pulls[0.5] / pulls[0.25] == pytest.approx(4, rel=0.15)


def test_ebr_schedule_is_tied_to_its_deviation() -> None:
    arms, rounds, epsilon, delta, sigma = 100, 15, 0.01, 0.01, 0.5
    schedule = pulls_by_round(epsilon, sigma, rounds, math.log(arms * rounds / delta))
    t = np.arange(1, rounds + 1)
    # C_t is the first whole number of pulls with 4 D(C_t) <= epsilon^(t/T).
    assert (4 * ebr_deviation(schedule, sigma, arms, rounds, delta) <= epsilon ** (t / rounds)).all()
    assert (4 * ebr_deviation(schedule - 1, sigma, arms, rounds, delta) > epsilon ** (t / rounds)).all()
    assert schedule[-1] == math.ceil(80 * sigma**2 / epsilon**2 * math.log(arms * rounds / delta))


def test_passive_pulls_of_the_text() -> None:
    assert pulls_by_round(0.01, 0.5, 1, math.log(100 / 0.01))[0] == math.ceil(200_000 * math.log(10_000))


def test_hoeffding_radius_covers_at_the_stated_level() -> None:
    # P(|mean - mu| > radius) <= delta / (nT) for a single arm and round, computed exactly.
    pulls, n, T, delta = 400, 2, 2, 0.2
    radius = float(hoeffding_deviation(pulls, 0.5, n, T, delta))
    for mu in (0.5, 0.7, 0.95):
        law = stats.binom(pulls, mu)
        inside = law.cdf(math.floor(pulls * (mu + radius))) - law.cdf(math.ceil(pulls * (mu - radius)) - 1)
        assert 1 - inside <= delta / (n * T)


def test_sequential_deviation_by_hand() -> None:
    w = math.sqrt(0.01 / 600)
    assert sequential_deviation(1000, 0.5, 100, 0.01) == pytest.approx(
        2 * math.sqrt(math.log(math.log2(2000) / w) / 1000)
    )


def test_ebr_argument_has_slack_everywhere_on_the_grid() -> None:
    losses = {
        (n, T, epsilon, delta): pac_loss(n, T, epsilon, delta)
        for n in (2, 3, 5, 10, 30, 100, 300, 1000)
        for T in (1, 2, 3, 5, 8, 15, 30, 50, 100, 200)
        for epsilon in (0.001, 0.01, 0.1, 0.5, 0.99)
        for delta in (0.001, 0.01, 0.1, 0.5, 0.99)
    }
    worst = max(losses, key=losses.__getitem__)
    assert worst == (2, 2, 0.99, 0.99)
    assert losses[worst] == pytest.approx(0.7713, abs=1e-4)


def test_plain_coverage_would_not_be_enough() -> None:
    # With r = 1 every drop may cost epsilon/m and the last choice epsilon/2: more than epsilon.
    arms, rounds, epsilon, delta = 100, 15, 0.01, 0.01
    r_squared = 0.4 * math.log(2 * arms * rounds / delta) / math.log(arms * rounds / delta)
    assert pac_loss(arms, rounds, epsilon, delta, scale=r_squared * (1 + 1e-9)) > 1


def test_used_up_scale_sits_at_the_edge() -> None:
    for n, T in ((2, 1), (5, 3), (100, 15)):
        scale = smallest_scale(n, T, 0.01, 0.01)
        assert pac_loss(n, T, 0.01, 0.01, scale=scale) < 1
        assert pac_loss(n, T, 0.01, 0.01, scale=scale - 2e-6) >= 1


@given(
    successes=st.integers(0, 200),
    log_term=st.floats(0.1, 30),
)
@settings(max_examples=60, deadline=None)
def test_kl_bounds_solve_their_equation_and_lie_inside_hoeffding(successes: int, log_term: float) -> None:
    pulls, mean = 200, np.array([successes / 200])
    lower, upper = kl_bounds(mean, pulls, log_term)
    radius = math.sqrt(log_term / (2 * pulls))
    assert max(0.0, mean[0] - radius) - 1e-12 <= lower[0] <= mean[0] <= upper[0]
    assert upper[0] <= min(1.0, mean[0] + radius) + 1e-12
    for bound, edge in ((lower, 0.0), (upper, 1.0)):
        if bound[0] != edge:
            inward = bound + np.sign(mean - bound) * 2e-6 * radius
            assert pulls * bernoulli_kl(mean, bound)[0] >= log_term * (1 - 1e-9)
            assert pulls * bernoulli_kl(mean, inward)[0] <= log_term


def test_iterated_log_by_hand() -> None:
    assert iterated_log(100, 0) == 100
    assert iterated_log(100, 1) == pytest.approx(math.log(100))
    assert iterated_log(100, 2) == pytest.approx(math.log(math.log(100)))
    assert iterated_log(2, 1) == 1


def test_plans_by_hand() -> None:
    # One round: AE (8 s^2/e^2)(log n + log(8/d)); k-deltaER (8 s^2/e^2) log((1 + n)/d); each keeps one arm.
    assert aggressive_elimination_plan(100, 0.5, 0.01, 0.01, 1) == [
        (math.ceil(20_000 * (math.log(100) + math.log(800))), 1)
    ]
    assert top_k_delta_elimination_plan(100, 0.5, 0.01, 0.01, 1) == [
        (math.ceil(20_000 * math.log(101 / 0.01)), 1)
    ]
    # Two rounds of k-deltaER: half of each, then the rest on 1 + ceil(0.5) = 2 arms.
    assert top_k_delta_elimination_plan(100, 0.5, 0.01, 0.01, 2) == [
        (math.ceil(80_000 * math.log((1 + 100 / 2) / 0.005)), 2),
        (math.ceil(80_000 * math.log((1 + 2) / 0.005)), 1),
    ]
    # AE with many rounds keeps all until ilog leaves 1.
    kept = [kept for _, kept in aggressive_elimination_plan(100, 0.5, 0.01, 0.01, 10)]
    assert kept[:6] == [100] * 6
    assert kept[-1] == 1


@given(
    arms=st.integers(2, 300), epsilon=st.floats(0.01, 0.9), delta=st.floats(0.01, 0.9), rounds=st.integers(1, 40)
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_plans_end_in_time_with_one_arm_and_never_grow(
    arms: int, epsilon: float, delta: float, rounds: int
) -> None:
    for make in (aggressive_elimination_plan, top_k_delta_elimination_plan):
        plan = make(arms, 0.5, epsilon, delta, rounds)
        kept = [arms, *(k for _, k in plan)]
        assert 1 <= len(plan) <= rounds
        assert kept[-1] == 1
        assert all(before >= after >= 1 for before, after in pairwise(kept))
        assert all(pulls >= 1 for pulls, _ in plan)


def test_batches_have_the_law_of_single_pulls() -> None:
    rng = np.random.default_rng(5)
    arms = np.repeat([0, 1], 20_000)
    bernoulli = draw_sums(Instance((0.3, 0.8)), arms, 12, rng)
    for arm, mean in enumerate((0.3, 0.8)):
        seen = np.bincount(bernoulli[arms == arm].astype(int), minlength=13)
        expected = stats.binom(12, mean).pmf(range(13)) * 20_000
        large = expected > 5
        statistic = ((seen - expected)[large] ** 2 / expected[large]).sum()
        assert stats.chi2(large.sum() - 1).sf(statistic) > 1e-3
    gaussian = draw_sums(Instance((0.3, 0.8), 0.7, "gaussian"), arms, 12, rng)
    assert stats.kstest(gaussian[arms == 1], stats.norm(9.6, 0.7 * math.sqrt(12)).cdf).pvalue > 1e-3
