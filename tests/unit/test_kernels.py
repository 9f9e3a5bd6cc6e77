"""The kernels against slow transcriptions, brute force and invariants."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import numba
import numpy as np
import pytest
from conftest import toy_population
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import literal
from scipy import stats

from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.shift import closed_form, kernels, level_sort
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.reading import errors_at_counts
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

WORDS = stream_words(0, "test")


def strata_of(p):
    """List the answers of each stratum's items."""
    return [p.answers[p.start[g] : p.start[g + 1]].tolist() for g in range(p.strata)]


def weights_of(p):
    return np.broadcast_to(p.weights, p.new.shape).copy()


@numba.njit
def first_answers(answers, start, replacement, words, trial, stratum, number):
    items = answers.copy()
    found = np.empty(number, np.int64)
    spare = 0.0
    for k in range(number):
        found[k], spare = kernels.kth_answer(items, start, replacement, words, trial, stratum, k, spare)
    return found


@pytest.mark.parametrize("replacement", [True, False])
def test_the_kth_answer_is_that_of_the_definition(replacement):
    p = toy_population(2, 4, 150, 2)
    for g, items in enumerate(strata_of(p)):
        number = 60 if replacement else len(items)
        found = first_answers(p.answers, p.start, replacement, WORDS, 4, g, number)
        expected = literal.answers(items, WORDS.tolist(), 4, g, replacement=replacement)
        assert found.tolist() == [next(expected) for _ in range(number)]


def test_every_item_is_drawn_alike():
    """One stratum of 7 items, each with its own answer: 70,000 draws at a level of 1e-4."""
    answers, start = np.arange(7, dtype=np.uint16), np.array([0, 7])
    found = first_answers(answers, start, True, WORDS, 0, 0, 70_000)
    assert stats.chisquare(np.bincount(found)).pvalue > 1e-4


def test_without_replacement_every_order_is_drawn_alike():
    """The 24 orders of 4 items over 24,000 trials, and each order holds each item once."""
    answers, start = np.arange(4, dtype=np.uint16), np.array([0, 4])
    orders = np.array([first_answers(answers, start, False, WORDS, trial, 0, 4) for trial in range(24_000)])
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize(
    ("labels", "items", "K", "seed", "a"), [(2, 260, 3, 0, 1.0), (1, 40, 1, 1, 0.1), (4, 120, 5, 2, 7.0)]
)
def test_literal_masa_step_by_step(as_printed, replacement, labels, items, K, seed, a):
    """Same pull at every step as the transcription, and the same error at every budget."""
    p = toy_population(labels, labels + 1, items, seed, K=K)
    strata, trial = strata_of(p), 3
    budgets = np.arange(2 * p.strata, 300)
    count, error = np.empty((1, len(budgets), p.strata), np.int32), np.empty((1, len(budgets)))
    arrays = (p.answers, p.start, p.share, p.stratum_label, p.new, weights_of(p))
    kernels.masa_literal(*arrays, budgets, a, as_printed, replacement, WORDS, trial, count, error)

    options = {"a": a, "words": WORDS.tolist(), "trial": trial}
    pulls = list(
        literal.masa(
            strata, p.stratum_label, budgets[-1], as_printed=as_printed, replacement=replacement, **options
        )
    )
    streams = [
        literal.answers(s, WORDS.tolist(), trial, g, replacement=replacement) for g, s in enumerate(strata)
    ]
    seen = [[] for _ in strata]
    for step, g in enumerate(pulls, start=1):
        seen[g].append(next(streams[g]))
        if step >= budgets[0]:
            b = step - budgets[0]
            assert count[0, b].tolist() == [len(s) for s in seen]
            if b % 7 == 0:
                exact = literal.squared_error(strata, p.stratum_label, p.new.shape[1], seen)
                assert error[0, b] == pytest.approx(float(exact), rel=1e-9, abs=1e-18)
    assert (count[0, len(pulls) - budgets[0] :] == count[0, -1]).all()  # all items queried


@settings(deadline=None)
@given(
    seen=st.lists(st.integers(0, 4), min_size=2, max_size=30),
    weights=st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=5, max_size=5),
)
def test_the_running_uncertainty_is_estimator_3_1(seen, weights):
    """Against all ordered pairs, after all answers; exactly so, for the weights are short in binary."""
    n, table = len(seen), level_sort.tables(len(seen), 1.0)
    for weight in (np.ones(5), np.array(weights)):
        pairs, mass, _ = level_sort.levels(
            np.array(seen, np.uint32),
            0,
            0.5,
            *table,
            np.zeros(5, np.int32),
            weight**2,
            0.0,
            0.0,
            np.inf,
            np.empty(n),
        )
        assert Fraction(pairs) == n * (n - 1) * literal.u_statistic(seen, weight.tolist())
        assert mass == (weight[seen] ** 2).sum()
    assert literal.u_statistic(seen) == literal.u_statistic(seen, [1.0] * 5)


@settings(deadline=None)
@given(seen=st.lists(st.integers(0, 3), min_size=2, max_size=30))
def test_the_printed_uncertainty_is_line_7(seen):
    n = len(seen)
    inverse, _, bonus = level_sort.tables(n, 1.0)
    squared, _ = level_sort.printed_levels(
        np.array(seen, np.uint32), 0, 0.5, inverse, bonus, np.zeros(4, np.int32), 0.0, np.inf, np.empty(n)
    )
    assert squared == pytest.approx(float(literal.printed(seen)), abs=1e-15)


@settings(deadline=None)
@given(
    seen=st.lists(st.integers(0, 3), min_size=3, max_size=30),
    cut=st.integers(0, 30),
    as_printed=st.booleans(),
)
def test_levels_are_running_minima_of_scores(seen, cut, as_printed):
    """In one piece and in two, with exact uncertainties; infinite before the third answer."""
    cell, share, cut = np.array(seen, np.uint32), 0.3, min(cut, len(seen))
    inverse, inverse_pairs, bonus = level_sort.tables(len(seen), 2.0)
    found, frequency = np.empty(len(seen)), np.zeros(4, np.int32)
    state = (0.0, np.inf) if as_printed else (0.0, 0.0, np.inf)
    for n, end in ((0, cut), (cut, len(seen))):
        if as_printed:
            tables = (inverse[n:], bonus[n:], frequency)
            state = level_sort.printed_levels(cell[n:end], n, share, *tables, *state, found[n:end])
        else:
            tables = (inverse[n:], inverse_pairs[n:], bonus[n:], frequency, np.ones(4))
            state = level_sort.levels(cell[n:end], n, share, *tables, *state, found[n:end])
    uncertainty = literal.printed if as_printed else literal.u_statistic
    score = [
        share / n * (float(uncertainty(seen[:n])) ** 0.5 + (2.0 / n) ** 0.25) for n in range(2, len(seen))
    ]
    assert np.isinf(found[:2]).all()
    assert found[2:] == pytest.approx(np.minimum.accumulate(score), rel=1e-12)


@settings(deadline=None)
@given(seen=st.lists(st.integers(0, 3), min_size=2, max_size=20))
def test_estimator_3_1_obeys_the_update_with_two(seen):
    """s2 += (2/n) (1 - H/(n - 1) - s2), exactly: the printed line 7 lacks the 2."""
    squared = Fraction(0)
    for n in range(2, len(seen) + 1):
        surprise = 1 - Fraction(seen[: n - 1].count(seen[n - 1]), n - 1)
        squared += Fraction(2, n) * (surprise - squared)
        assert squared == literal.u_statistic(seen[:n])


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_the_printed_uncertainty_is_low_by_its_factor_on_average_only(n):
    """E[printed] = (n - 1)/n sigma2 exactly, over all sequences; single sequences differ by other factors."""
    mu = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    sigma2 = 1 - sum(m**2 for m in mu)
    mean_printed = mean_u = Fraction(0)
    ratios = set()
    for seen in product(range(3), repeat=n):
        chance = Fraction(1)
        for j in seen:
            chance *= mu[j]
        printed, u = literal.printed(seen), literal.u_statistic(seen)
        mean_printed += chance * printed
        mean_u += chance * u
        if u:
            ratios.add(printed / u)
    assert mean_u == sigma2
    assert mean_printed == Fraction(n - 1, n) * sigma2
    assert (ratios == {Fraction(1, 2)}) == (n == 2)


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("replacement", [True, False])
def test_errors_at_counts_by_brute_force(raw, replacement):
    p = toy_population(3, 4, 90, 4, K=2)
    strata, trial = strata_of(p), 5
    rng = np.random.default_rng(0)
    steps = rng.integers(0 if raw else 1, 4, size=(1, 4, p.strata))
    count = np.minimum(steps.cumsum(axis=1), p.size).astype(np.int32)
    error = np.empty((1, 4))
    arrays = (p.answers, p.start, p.share, p.stratum_label, p.new, weights_of(p))
    errors_at_counts(*arrays, raw, replacement, WORDS, trial, count, error)
    for b in range(4):
        seen = []
        for g, items in enumerate(strata):
            stream = literal.answers(items, WORDS.tolist(), trial, g, replacement=replacement)
            seen.append([next(stream) for _ in range(count[0, b, g])])
        exact = literal.squared_error(strata, p.stratum_label, 4, seen, raw=raw)
        assert error[0, b] == pytest.approx(float(exact), rel=1e-9)
        frequency = kernels.answers_at_counts(p.answers, p.start, 4, replacement, WORDS, trial, count[0, b])
        assert frequency.tolist() == [np.bincount(s, minlength=4).tolist() for s in seen]


def allocate(weight, budgets, most=None):
    weight = np.asarray(weight, dtype=float)
    most = np.full(len(weight), 10**9) if most is None else np.asarray(most)
    return kernels.divisor_allocation(weight, most, np.asarray(budgets))


def allocations(strata, budget, most):
    """All ways to give each stratum at least 1 and at most its number of samples."""
    if strata == 1:
        if 1 <= budget <= most[0]:
            yield (budget,)
        return
    for n in range(1, min(budget, most[0]) + 1):
        for rest in allocations(strata - 1, budget - n, most[1:]):
            yield (n, *rest)


@settings(deadline=None, max_examples=60)
@given(
    weight=st.lists(st.integers(0, 20), min_size=1, max_size=4),
    extra=st.integers(0, 9),
    most=st.lists(st.integers(1, 6), min_size=4, max_size=4),
)
def test_the_allocation_is_the_exact_integer_optimum(weight, extra, most):
    """No other allocation has a smaller sum of weight^2 / n, with and without a cap on the strata."""
    strata, budget = len(weight), len(weight) + extra
    for cap in ([budget] * strata, most[:strata]):
        spent = min(budget, sum(cap))

        def loss(count):
            return sum(Fraction(w**2, int(n)) for w, n in zip(weight, count))

        found = allocate(weight, [budget], cap)[0]
        assert found.sum() == spent
        assert (found <= cap).all()
        assert loss(found) == min(loss(count) for count in allocations(strata, spent, cap))


@settings(deadline=None)
@given(
    weight=st.lists(st.floats(0, 1e6), min_size=1, max_size=12),
    steps=st.lists(st.integers(1, 50), min_size=1, max_size=6),
)
def test_allocations_rise_and_spend_all(weight, steps):
    budgets = len(weight) - 1 + np.cumsum(steps)
    count = allocate(weight, budgets)
    assert (count.sum(axis=1) == budgets).all()
    assert (count >= 1).all()
    assert (np.diff(count, axis=0) >= 0).all()


def test_allocation_of_equal_weights_differs_by_at_most_one():
    count = allocate(np.ones(7), np.arange(7, 60))
    assert (np.ptp(count, axis=1) <= 1).all()
    assert count[-1].tolist() == [9, 9, 9, 8, 8, 8, 8]  # ties to the lowest index


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize(("labels", "items", "K"), [(1, 1, 1), (1, 7, 3), (2, 12, 12), (3, 100, 3)])
def test_without_replacement_no_item_is_paid_twice(name, labels, items, K):
    """One item per stratum, one label, empty strata: never over the items, and no error once all are known."""
    p = toy_population(labels, labels + 1, items, 6, strata=SAMPLERS[name].strata, K=K)
    budgets = np.arange(max(1, 2 * p.strata), 2 * p.strata + items + 20)
    result = SAMPLERS[name].simulate(p, budgets, Parameters(replacement=False), 2, Trials(0, 4))
    spent = result.count.sum(axis=2)
    assert (spent == np.minimum(budgets, items)).all()
    assert (result.count <= p.size).all()
    assert (result.count >= np.minimum(SAMPLERS[name].least, p.size)).all()
    assert (np.diff(result.count, axis=1) >= 0).all()
    assert (result.error[spent == items] < 1e-30).all()


@pytest.mark.parametrize("name", ["uniform", "stratified_equal", "stratified_proportional", "oracle"])
def test_loss_without_replacement_equals_its_closed_form(name):
    """The finite-population factor, by 3,000 trials within their 1e-4 normal interval."""
    p = toy_population(2, 3, 300, 1, strata=SAMPLERS[name].strata)
    budgets = np.array([30, 150, 280])
    result = SAMPLERS[name].simulate(p, budgets, Parameters(replacement=False), 4, Trials(0, 3000))
    if name == "uniform":
        expected = closed_form.uniform_loss(p, budgets, replacement=False)
    else:
        expected = closed_form.stratified_loss(p, result.count[0], replacement=False)
    error = result.error.std(axis=0, ddof=1) / np.sqrt(3000)
    assert (np.abs(result.error.mean(axis=0) - expected) <= stats.norm.isf(1e-4 / 6) * error).all()


def test_uniform_counts_without_replacement_are_hypergeometric():
    """The count of a stratum at one budget over 4,000 trials, against its law, by chi-square."""
    p = toy_population(2, 2, 40, 3, K=2)
    sampler = SAMPLERS["uniform"]
    count = sampler.simulate(p, np.array([10]), Parameters(replacement=False), 1, Trials(0, 4000)).count[
        :, 0, 0
    ]
    size, total = int(p.size[0]), int(p.size.sum())
    law = np.array([comb(size, k) * comb(total - size, 10 - k) / comb(total, 10) for k in range(11)])
    likely = law * 4000 >= 5
    found = np.bincount(count, minlength=11)
    observed, expected = (
        [*found[likely], found[~likely].sum()],
        [*(law[likely] * 4000), law[~likely].sum() * 4000],
    )
    assert stats.chisquare(observed, np.array(expected) + 1e-9, sum_check=False).pvalue > 1e-4


def weighted(p, weights):
    return replace(p, weights=np.asarray(weights, dtype=float))


@pytest.mark.parametrize("name", ["uniform", "stratified_equal", "stratified_difficulty", "oracle"])
def test_weighted_loss_equals_its_closed_form(name):
    """W arbitrary, the identity, and one cell; 2,000 trials within their 1e-4 normal interval."""
    one = np.zeros((2, 3))
    one[1, 0] = 1
    for weights in (np.array([[1, 2, 0.5], [0, 1, 3]]), np.eye(2, 3), one):
        p = weighted(toy_population(strata=SAMPLERS[name].strata), weights)
        budgets = np.array([40, 400])
        result = SAMPLERS[name].simulate(p, budgets, Parameters(), 4, Trials(0, 2000))
        if name == "uniform":
            expected = closed_form.uniform_loss(p, budgets)
        else:
            expected = closed_form.stratified_loss(p, result.count[0])
        error = result.error.std(axis=0, ddof=1) / np.sqrt(2000)
        assert (np.abs(result.error.mean(axis=0) - expected) <= stats.norm.isf(1e-4 / 4) * error).all()


def test_weights_of_one_change_nothing_and_weights_move_samples():
    p = toy_population()
    budgets = np.array([40, 1000])
    plain = SAMPLERS["masa"].simulate(p, budgets, Parameters(), 1, Trials(0, 5))
    ones = SAMPLERS["masa"].simulate(weighted(p, np.ones((2, 3))), budgets, Parameters(), 1, Trials(0, 5))
    assert (plain.count == ones.count).all()
    assert (plain.error == ones.error).all()
    watched = np.zeros((2, 3))
    watched[0, :] = 1  # only the first label matters
    first = SAMPLERS["masa"].simulate(weighted(p, watched), budgets, Parameters(), 1, Trials(0, 5))
    label_0 = p.stratum_label == 0
    assert (first.count[:, 1, label_0].sum(axis=1) > plain.count[:, 1, label_0].sum(axis=1)).all()
    assert p.uncertainty == pytest.approx(1 - (p.distribution**2).sum(axis=1), abs=1e-15)


def test_what_masa_cannot_do_is_refused():
    p = toy_population()
    budgets = np.array([40])
    for a in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"key a: found .*, allowed are numbers over 0"):
            SAMPLERS["masa"].simulate(p, budgets, Parameters(a=a), 1, Trials(0, 1))
    with pytest.raises(InputError, match="found as_printed together with weights other than 1"):
        SAMPLERS["masa"].simulate(
            weighted(p, np.eye(2, 3)), budgets, Parameters(uncertainty="as_printed"), 1, Trials(0, 1)
        )


@pytest.mark.parametrize("name", SAMPLERS)
def test_counts_that_cannot_fit_are_refused(name):
    p = toy_population(strata=SAMPLERS[name].strata)
    budgets, block = np.arange(100, 1_000_100), Trials(0, 1200)
    with pytest.raises(InputError, match=r"counts of 1200 trials at 1000000 budgets .* GiB, allowed are 4"):
        SAMPLERS[name].simulate(p, budgets, Parameters(), 1, block)


def test_a_population_of_equal_shares_with_ties_goes_round():
    """Pure strata of equal share never differ in score: they are sampled in turn."""
    strata = 5
    p = Population(
        name="ties",
        stratum_label=np.arange(strata),
        size=np.full(strata, 10),
        share=np.full(strata, 1 / strata),
        distribution=np.eye(strata),
        answers=np.repeat(np.arange(strata, dtype=np.uint16), 10),
        start=np.arange(strata + 1) * 10,
        old=np.eye(strata) / strata,
        new=np.eye(strata) / strata,
    )
    result = SAMPLERS["masa"].simulate(p, np.arange(10, 101), Parameters(), 0, Trials(0, 2))
    for b, budget in enumerate(range(10, 101)):
        expected = np.full(strata, budget // strata)
        expected[: budget % strata] += 1
        assert (result.count[:, b] == expected).all()
    assert (result.error < 1e-30).all()
