"""Every sampler against closed forms, and invariants that hold for all of them."""

import numpy as np
import pytest
from conftest import toy_population
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.shift import closed_form, kernels
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters, estimated_shift

BUDGETS = np.array([40, 100, 400, 1000], dtype=np.int64)


def simulate(name, p, budgets=BUDGETS, parameters=Parameters(), seed=1, trials=Trials(0, 400)):  # noqa: B008
    return SAMPLERS[name].simulate(p, budgets, parameters, seed, trials)


def for_sampler(name, **options):
    return toy_population(strata=SAMPLERS[name].strata, **options)


def agrees(sample, expected, level=1e-4):
    """Say whether all means lie in their normal intervals, at a level over all of them together."""
    error = sample.std(axis=0, ddof=1) / np.sqrt(len(sample))
    bound = stats.norm.isf(level / 2 / error.size) * error + 1e-12  # for cells that never vary
    return (np.abs(sample.mean(axis=0) - expected) <= bound).all()


@pytest.mark.parametrize("name", SAMPLERS)
@settings(max_examples=15, deadline=None)
@given(
    labels=st.integers(1, 4),
    items=st.integers(1, 200),
    K=st.sampled_from([1, 2, 3, 5]),
    seed=st.integers(0, 1000),
    budgets=st.lists(st.integers(40, 300), min_size=1, max_size=5, unique=True),
)
def test_budgets_are_spent_exactly(name, labels, items, K, seed, budgets):
    p = for_sampler(name, labels=labels, predicted=labels + 1, items=items, seed=seed, K=K)
    budgets = np.array(sorted(budgets), dtype=np.int64)
    result = simulate(name, p, budgets, seed=seed, trials=Trials(0, 3))
    assert (result.count.sum(axis=2) == budgets).all()
    assert (result.count >= SAMPLERS[name].least).all()
    assert (np.diff(result.count, axis=1) >= 0).all()
    assert (result.error >= 0).all()
    assert (result.error <= 4).all()


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_population_without_change_or_confusion_is_estimated_without_error(name):
    p = for_sampler(name, labels=1, predicted=1, items=50)
    assert (simulate(name, p).error < 1e-28).all()


@pytest.mark.parametrize(
    "name", ["stratified_equal", "stratified_proportional", "stratified_difficulty", "oracle"]
)
def test_loss_of_fixed_counts_equals_its_closed_form(name):
    """Mean of 2,000 trials within its 1e-4 normal interval, at every budget."""
    p = for_sampler(name)
    result = simulate(name, p, trials=Trials(0, 2000))
    assert agrees(result.error, closed_form.stratified_loss(p, result.count[0]))


def test_loss_of_uniform_sampling_equals_its_closed_form():
    p = for_sampler("uniform")
    assert agrees(simulate("uniform", p, trials=Trials(0, 2000)).error, closed_form.uniform_loss(p, BUDGETS))


def test_loss_of_the_oracle_equals_lemma_1():
    """Rounding to whole samples costs less than 0.1% from 1,000 queries on."""
    p, budgets = toy_population(), np.array([1000, 5000], dtype=np.int64)
    count = simulate("oracle", p, budgets, trials=Trials(0, 1)).count[0]
    whole, limit = closed_form.stratified_loss(p, count), closed_form.oracle_loss(p, budgets)
    assert (whole >= limit).all()
    assert (whole <= 1.001 * limit).all()


@pytest.mark.parametrize(
    "name", ["stratified_equal", "stratified_proportional", "stratified_difficulty", "oracle"]
)
def test_estimators_of_fixed_counts_are_unbiased(name):
    """Each cell's mean over 2,000 trials, at a level of 1e-4 over all cells."""
    p = for_sampler(name)
    count = simulate(name, p, trials=Trials(0, 1)).count[0, 1]
    estimates = np.array([estimated_shift(p, count, 1, trial) for trial in range(2000)])
    assert agrees(estimates, p.shift)


def test_the_estimator_of_uniform_sampling_is_unbiased():
    """The raw frequency of each cell over 2,000 trials; the kernel's errors are checked against the same sums."""
    p = toy_population()
    result = simulate("uniform", p, trials=Trials(0, 2000))
    raw = np.zeros((2000, *p.new.shape))
    words = stream_words(1, "shift/toy")
    for t in range(2000):
        frequency = kernels.answers_at_counts(
            p.answers, p.start, p.new.shape[1], True, words, t, result.count[t, 1]
        )
        np.add.at(raw[t], p.stratum_label, frequency / BUDGETS[1])
    assert agrees(raw, p.new)
    assert ((raw - p.new) ** 2).sum(axis=(1, 2)) == pytest.approx(result.error[:, 1], rel=1e-9)


def test_the_bias_of_masa_is_small_but_there():
    """A quiet start gets few more samples, so adaptive counts make answers that change look rarer.

    The algorithm itself has this bias. Over 4,000 trials it shows in the accuracy change of the toy case at 100
    queries (17 a stratum), is less than half the estimate's standard deviation, and falls with the budget.
    """
    p, trials = toy_population(), 4000
    count = simulate("masa", p, trials=Trials(0, trials)).count
    change = np.array(
        [[np.trace(estimated_shift(p, count[t, b], 1, t)) for b in (1, 3)] for t in range(trials)]
    )
    bias, deviation = change.mean(axis=0) - np.trace(p.shift), change.std(axis=0)
    assert 5 * deviation[0] / np.sqrt(trials) < bias[0] < 0.5 * deviation[0]
    assert abs(bias[1]) < 0.25 * bias[0]


def test_the_error_is_that_of_the_estimate():
    """The kernel's running error equals the norm of the estimated shift, read again from the streams."""
    p = toy_population()
    result = simulate("masa", p, trials=Trials(5, 3))
    for t in range(3):
        for b in range(len(BUDGETS)):
            difference = estimated_shift(p, result.count[t, b], 1, 5 + t) - p.shift
            assert result.error[t, b] == pytest.approx((difference**2).sum(), rel=1e-9, abs=1e-18)


def shares_without_noise(p, budget, a=1.0):
    """Shares at which all scores p/n (sigma + (a/n)^(1/4)) with the true sigma are level."""
    sigma = np.sqrt(p.uncertainty)

    def counts(level):
        low, high = np.full(p.strata, 1e-9), np.full(p.strata, 1e16)
        for _ in range(200):
            middle = np.sqrt(low * high)
            above = p.share / middle * (sigma + (a / middle) ** 0.25) > level
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return low

    level = optimize.brentq(lambda log: counts(np.exp(log)).sum() - budget, -60, 5, xtol=1e-12)
    return counts(np.exp(level)) / budget


def test_masas_shares_converge_to_lemma_1():
    """MASA's mean shares are those at which its scores are level, and these go to Lemma 1, like N^(-1/4)."""
    p, budgets = toy_population(), np.array([2_000, 20_000, 200_000], dtype=np.int64)
    shares = simulate("masa", p, budgets, trials=Trials(0, 20)).count.mean(axis=0) / budgets[:, None]
    level = np.array([shares_without_noise(p, budget) for budget in budgets])
    assert np.abs(shares - level).max(axis=1) == pytest.approx(np.zeros(3), abs=0.003)
    optimum = closed_form.optimal_shares(p)
    distance = np.abs(shares - optimum).max(axis=1)
    assert distance[0] > distance[1] > distance[2]
    assert shares_without_noise(p, 1e14) == pytest.approx(optimum, abs=1e-3)


def test_masa_beats_uniform_and_lies_above_the_oracle():
    p = toy_population()
    loss = {name: simulate(name, p).error.mean(axis=0)[-1] for name in ("masa", "uniform", "oracle")}
    assert closed_form.oracle_loss(p, BUDGETS)[-1] * 0.9 < loss["masa"] < loss["uniform"] / 2


def test_a_large_a_samples_all_strata_alike():
    """With a without bound, the stratum with the fewest samples per share is taken (Section 3.4)."""
    p = toy_population()
    count = simulate("masa", p, parameters=Parameters(a=1e12), trials=Trials(0, 2)).count[:, -1]
    # p/n (a/n)^(1/4) is level where n is proportional to p^(4/5).
    expected = p.share**0.8 / (p.share**0.8).sum() * BUDGETS[-1]
    assert np.abs(count - expected).max() <= 2


def test_the_printed_update_is_another_estimator():
    p = toy_population()
    printed = simulate("masa", p, parameters=Parameters(uncertainty="as_printed"))
    assert (printed.count != simulate("masa", p).count).any()


@pytest.mark.parametrize("name", SAMPLERS)
def test_trials_do_not_depend_on_their_block(name):
    """Counts of uniform sampling are drawn a block at a time; all else is a function of the trial alone."""
    p = for_sampler(name)
    whole = simulate(name, p, trials=Trials(0, 50))
    again = simulate(name, p, trials=Trials(0, 50))
    assert (whole.error == again.error).all()
    if name != "uniform":
        part = simulate(name, p, trials=Trials(20, 7))
        assert (whole.error[20:27] == part.error).all()


def test_answers_depend_on_seed_and_trial_only():
    """Equal counts give equal estimates whichever sampler chose them; another seed or trial gives others."""
    p = toy_population()
    fixed = simulate("stratified_difficulty", p, trials=Trials(3, 1)).count[0, -1]
    first = estimated_shift(p, fixed, 1, 3)
    assert (first != estimated_shift(p, fixed, 1, 4)).any()
    assert (first != estimated_shift(p, fixed, 2, 3)).any()
    assert (first == estimated_shift(p, fixed.copy(), 1, 3)).all()


@pytest.mark.parametrize(("name", "needed"), [("masa", 12), ("oracle", 6), ("stratified_equal", 2)])
def test_a_budget_below_the_least_is_refused(name, needed):
    p = for_sampler(name)
    with pytest.raises(
        InputError, match=rf"case toy: budgets {needed - 1} to {needed - 1}, .* from {needed}"
    ):
        simulate(name, p, np.array([needed - 1], dtype=np.int64))
    simulate(name, p, np.array([needed], dtype=np.int64), trials=Trials(0, 1))
