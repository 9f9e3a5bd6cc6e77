"""Each kernel against a literal, slow transcription of what it is meant to do."""

import math

import numpy as np
import pytest
from conftest import random_replay, replay_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adaptive_sampling.beyond import kernels
from adaptive_sampling.beyond.samplers import (
    METHODS,
    Knowledge,
    least_budget,
    most,
    squared_errors,
    words,
)
from adaptive_sampling.beyond.strata import CHOICES, expected_moves, known_strata
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.randomness import stream_words, uniform_pair
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

KNOWLEDGE = Knowledge()


def mixed_replay(labels=3, predicted=4, items=600, seed=0):
    """Old answers wrong for a quarter of the items, changes for a fifth, more of them among hard items."""
    rng = np.random.default_rng(seed)
    table = random_replay(labels, predicted, items, seed)
    old = np.where(rng.random(len(table)) < 0.25, rng.integers(predicted, size=len(table)), table["label"])
    table["new"] = np.where(rng.random(len(table)) < 0.8, old, table["new"])
    table["old"] = old
    return table.groupby(list(table.columns[:-1]), as_index=False)["items"].sum()


def strata_of(choice=("label", "old", "difficulty"), labels=3, predicted=4, items=600, seed=0, K=3, least=1):
    table = mixed_replay(labels, predicted, items, seed)
    table["difficulty"] = "ranked"
    return known_strata(
        table,
        name="toy",
        labels=labels,
        predicted_labels=predicted,
        difficulty="ranked",
        choice=choice,
        K=K,
        least=least,
    )


class Stratum:
    """One stratum of one trial: items, the stream they are drawn by, and what has been seen."""

    def __init__(self, strata, g, names, trial, replacement):
        population = strata.population
        self.items = list(range(population.start[g], population.start[g + 1]))
        self.numbers = (number for block in range(10**6) for number in uniform_pair(names, trial, g, block))
        self.replacement = replacement
        self.n = 0
        self.seen = np.zeros(strata.kept.shape[1])

    @property
    def exhausted(self):
        return not self.replacement and self.n == len(self.items)

    def draw(self):
        number = next(self.numbers)
        if self.replacement:
            item = self.items[int(number * len(self.items))]
        else:
            place = self.n + int(number * (len(self.items) - self.n))
            item = self.items[place]
            self.items[place], self.items[self.n] = self.items[self.n], item
        self.n += 1
        return item


def drawn(strata, seed, trial, replacement):
    names = words(strata, seed)
    return [Stratum(strata, g, names, trial, replacement) for g in range(strata.population.strata)]


def rates_of(changes, queries):
    overall = (sum(changes) + 0.1 * KNOWLEDGE.kappa) / (sum(queries) + KNOWLEDGE.kappa)
    return [(c + KNOWLEDGE.kappa * overall) / (q + KNOWLEDGE.kappa) for c, q in zip(changes, queries)]


def posterior_mean_uncertainty(seen, alpha):
    total = seen.sum() + alpha.sum()
    return 1 - (((seen + alpha) ** 2).sum() + total) / (total * (total + 1))


def alpha_of(strata, g, rate):
    s = KNOWLEDGE.strength
    f = max(rate, KNOWLEDGE.floor / s)
    return s * (1 - f) * strata.kept[g] + s * f * strata.moved[g]


def ask(strata, each, g, changes, queries):
    item = each[g].draw()
    new, old = strata.population.answers[item], strata.item_old[item]
    each[g].seen[new] += 1
    changes[strata.pool[g]] += new != old
    queries[strata.pool[g]] += 1


def slow_posterior(strata, budgets, replacement, seed, trial):
    share = strata.population.share
    each = drawn(strata, seed, trial, replacement)
    changes, queries = [0] * strata.pools, [0] * strata.pools
    counts = []
    for step in range(budgets[-1] + 1):
        if step in budgets:
            counts.append([stratum.n for stratum in each])
        if step % (10 if step <= 200 else 50) == 0:
            rates = rates_of(changes, queries)
        scores = [
            -math.inf
            if each[g].exhausted
            else share[g]
            * math.sqrt(posterior_mean_uncertainty(each[g].seen, alpha_of(strata, g, rates[strata.pool[g]])))
            / (each[g].n + 0.5)
            for g in range(len(each))
        ]
        if max(scores) > -math.inf:
            # Scores that differ by rounding alone are ties.
            best = max(scores)
            ask(strata, each, next(g for g, x in enumerate(scores) if x >= best), changes, queries)
    return counts


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("choice", CHOICES)
def test_posterior_is_its_literal_transcription(choice, replacement):
    strata = strata_of(choice, items=330)
    budgets = np.array([1, 7, 60, 205, 290], dtype=np.int64)
    fast = METHODS["posterior"].counts(strata, budgets, KNOWLEDGE, replacement, 3, Trials(4, 3))
    slow = [slow_posterior(strata, list(budgets), replacement, 3, trial) for trial in (4, 5, 6)]
    assert fast.tolist() == slow


def slow_levelled(weight, least, cap, total):
    n = list(least)
    while sum(n) < min(total, sum(cap)):
        scores = [w / (k + 0.5) if k < m else -1 for w, k, m in zip(weight, n, cap)]
        n[int(np.argmax(scores))] += 1
    return n


@pytest.mark.parametrize("replacement", [True, False])
def test_two_stage_is_its_literal_transcription(replacement):
    strata = strata_of(items=400)
    budgets = np.array([20, 90, 300], dtype=np.int64)
    share, cap = strata.population.share, most(strata, replacement)
    fast = METHODS["two_stage"].counts(strata, budgets, KNOWLEDGE, replacement, 3, Trials(0, 2))
    for trial in range(2):
        for b, budget in enumerate(budgets):
            pilot = slow_levelled(share, [0] * len(share), cap, int(0.3 * budget))
            each = drawn(strata, 3, trial, replacement)
            changes, queries = [0] * strata.pools, [0] * strata.pools
            for g, taken in enumerate(pilot):
                for _ in range(taken):
                    ask(strata, each, g, changes, queries)
            rates = rates_of(changes, queries)
            scores = [
                posterior_mean_uncertainty(stratum.seen, alpha_of(strata, g, rates[strata.pool[g]]))
                for g, stratum in enumerate(each)
            ]
            assert fast[trial, b].tolist() == slow_levelled(share * np.sqrt(scores), pilot, cap, budget)


@settings(deadline=None)
@given(
    weight=st.lists(st.floats(0, 1).map(lambda w: round(w, 4)), min_size=1, max_size=8),
    total=st.integers(0, 60),
    data=st.data(),
)
def test_levelled_counts_are_the_greedy_ones(weight, total, data):
    weight = np.array(weight) + 1e-3 * np.arange(1, len(weight) + 1)
    cap = np.array(data.draw(st.lists(st.integers(0, 20), min_size=len(weight), max_size=len(weight))))
    least = np.minimum(cap, data.draw(st.integers(0, 3)))
    n = kernels.levelled(weight, least, cap, total)
    wanted = max(min(total, cap.sum()), least.sum())
    assert n.sum() == wanted
    scores = weight / (n + 0.5)
    taken = n > least
    # Every answer taken scored at least as high as any that was left.
    if taken.any() and (n < cap).any():
        assert (weight / (n - 0.5))[taken].min() >= scores[n < cap].max() * (1 - 1e-9)


def test_masa_with_replacement_is_the_papers():
    """The same streams give the counts and errors of Algorithm 1 as `adaptive_sampling.shift` runs it."""
    strata = strata_of(("label", "difficulty"))
    p, budgets = strata.population, np.array([20, 100, 900], dtype=np.int64)
    papers = SAMPLERS["masa"].simulate(p, budgets, Parameters(), 3, Trials(2, 5))
    count = np.empty_like(papers.count)
    kernels.masa_counts(
        p.answers, p.start, p.share, budgets, 1.0, True, stream_words(3, "shift/toy"), 2, count
    )
    assert (count == papers.count).all()
    other = METHODS["masa"].counts(strata, budgets, KNOWLEDGE, True, 3, Trials(2, 5))
    assert (other != count).any()


def test_masa_without_replacement_is_its_literal_transcription():
    strata = strata_of(("label", "difficulty"), items=120)
    budgets = np.array([20, 50, 100], dtype=np.int64)
    share = strata.population.share
    fast = METHODS["masa"].counts(strata, budgets, KNOWLEDGE, False, 3, Trials(0, 3))
    for trial in range(3):
        each = drawn(strata, 3, trial, False)
        pools = [0] * strata.pools, [0] * strata.pools
        sweeps = [g for _ in range(2) for g in range(len(each))]
        counts = []
        while sum(stratum.n for stratum in each) < budgets[-1]:
            if sweeps:
                g = sweeps.pop(0)
                if each[g].exhausted:
                    continue
            else:
                scores = []
                for p, stratum in zip(share, each):
                    n, H = stratum.n, stratum.seen
                    squared = 1 - (H * (H - 1)).sum() / (n * (n - 1)) if n > 1 else 0
                    score = p / n * (math.sqrt(max(squared, 0)) + (1 / n) ** 0.25)
                    scores.append(-math.inf if stratum.exhausted else score)
                g = int(np.argmax(scores))
            ask(strata, each, g, *pools)
            if sum(stratum.n for stratum in each) in budgets:
                counts.append([stratum.n for stratum in each])
        assert fast[trial].tolist() == counts


def slow_estimate(strata, count, replacement, seed, trial, t):
    """Estimate of C_new with its strata's answers, drawn one by one."""
    p = strata.population
    each = drawn(strata, seed, trial, replacement)
    changes, queries = [0] * strata.pools, [0] * strata.pools
    for g, taken in enumerate(count):
        for _ in range(taken):
            ask(strata, each, g, changes, queries)
    rates = rates_of(changes, queries)
    estimate = np.zeros_like(p.new)
    for g, stratum in enumerate(each):
        f = rates[strata.pool[g]]
        m = (1 - f) * strata.kept[g] + f * strata.moved[g]
        weight = 1 if stratum.n == 0 else 0 if stratum.exhausted else t
        estimate[p.stratum_label[g]] += p.share[g] * (stratum.seen + weight * m) / (stratum.n + weight)
    return estimate, each, rates


@pytest.mark.parametrize("replacement", [True, False])
def test_errors_are_those_of_the_literal_estimate(replacement):
    strata = strata_of(items=500)
    method, budgets = METHODS["posterior"], np.array([3, 40, 499], dtype=np.int64)
    count = method.counts(strata, budgets, KNOWLEDGE, replacement, 3, Trials(0, 2))
    shuffled = count[:, [1, 0, 2]]  # falling counts are read from the start again
    error = squared_errors(strata, method, shuffled, KNOWLEDGE, replacement, 3, Trials(0, 2))
    for trial in range(2):
        for b in range(3):
            estimate, *_ = slow_estimate(strata, shuffled[trial, b], replacement, 3, trial, 0.3)
            assert estimate.sum() == pytest.approx(1, abs=1e-12)
            expected = ((estimate - strata.population.new) ** 2).sum()
            assert error[trial, b] == pytest.approx(expected, rel=1e-9, abs=1e-20)


def test_prediction_powered_error_is_that_of_the_mean_difference():
    strata = strata_of(("label", "old"))
    p, method, budgets = strata.population, METHODS["prediction_powered"], np.array([30, 200])
    count = method.counts(strata, budgets, KNOWLEDGE, True, 3, Trials(0, 2))
    error = squared_errors(strata, method, count, KNOWLEDGE, True, 3, Trials(0, 2))
    for trial in range(2):
        for b, budget in enumerate(budgets):
            each = drawn(strata, 3, trial, True)
            mean = np.zeros_like(p.new)
            for g, stratum in enumerate(each):
                for _ in range(count[trial, b, g]):
                    item = stratum.draw()
                    mean[p.stratum_label[g], p.answers[item]] += 1 / budget
                    mean[p.stratum_label[g], strata.item_old[item]] -= 1 / budget
            assert error[trial, b] == pytest.approx(((mean - p.shift) ** 2).sum(), rel=1e-9)


@pytest.mark.parametrize("replacement", [True, False])
def test_uniform_counts_are_multinomial_or_hypergeometric(replacement):
    """Means and variances of 4,000 trials, at a level of 1e-4 over all strata."""
    strata, trials = strata_of(("label", "old")), 4000
    budget, items = 200, int(strata.population.size.sum())
    count = METHODS["uniform_post_stratified"].counts(
        strata, np.array([50, budget]), KNOWLEDGE, replacement, 3, Trials(0, trials)
    )
    assert (count.sum(axis=2) == [50, budget]).all()
    share, last = strata.population.share, count[:, 1].astype(float)
    variance = budget * share * (1 - share) * (1 if replacement else (items - budget) / (items - 1))
    z = stats.norm.isf(0.5e-4 / len(share))
    assert (np.abs(last.mean(axis=0) - budget * share) < z * np.sqrt(variance / trials)).all()
    ratio = last.var(axis=0, ddof=1) / variance
    spread = ((last - last.mean(axis=0)) ** 2).std(axis=0) / np.sqrt(trials) / variance
    assert (np.abs(ratio - 1) < z * spread).all()


@given(
    weight=st.lists(st.floats(0.05, 5), min_size=3, max_size=5),
    seen=st.lists(st.integers(0, 6), min_size=5, max_size=5),
    f=st.floats(0.01, 0.99),
)
@settings(max_examples=10, deadline=None)
def test_posterior_uncertainty_is_the_mean_over_the_dirichlet(weight, seen, f):
    """Closed form against 20,000 draws of the Dirichlet, within five standard errors."""
    moved = np.array([0.0, *weight[1:]])
    moved /= moved.sum()
    kept = np.eye(len(moved))[0]
    H = np.array(seen[: len(moved)], dtype=float)
    s = 16.0
    v = kernels.posterior_uncertainty(
        (H**2).sum(), H @ kept, H @ moved, kept @ kept, kept @ moved, moved @ moved, H.sum(), f, s
    )
    mu = np.random.default_rng(0).dirichlet(H + s * (1 - f) * kept + s * f * moved, size=20_000)
    sample = 1 - (mu**2).sum(axis=1)
    assert abs(v - sample.mean()) < 5 * sample.std() / np.sqrt(len(sample)) + 1e-12


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("name", METHODS)
def test_budgets_are_spent_exactly_and_errors_are_possible(name, replacement):
    method = METHODS[name]
    strata = strata_of(method.choice, least=method.least)
    first = least_budget(strata, method)
    budgets = np.array([first, first + 1, 400], dtype=np.int64)
    count = method.counts(strata, budgets, KNOWLEDGE, replacement, 5, Trials(0, 4))
    # The oracle never asks what is certain.
    askable = strata.population.size[strata.population.uncertainty > 0] if name == "oracle" else [1000]
    assert (count.sum(axis=2) == (budgets if replacement else np.minimum(budgets, np.sum(askable)))).all()
    if not replacement:
        assert (count <= strata.population.size).all()
    error = squared_errors(strata, method, count, KNOWLEDGE, replacement, 5, Trials(0, 4))
    assert ((error >= 0) & (error <= 4)).all()
    again = method.counts(strata, budgets, KNOWLEDGE, replacement, 5, Trials(0, 2))
    assert (again == count[:2]).all()


@pytest.mark.parametrize("name", ["posterior", "two_stage", "masa", "masa_old_prediction"])
def test_asking_every_item_leaves_no_error(name):
    method = METHODS[name]
    strata = strata_of(method.choice, items=150, least=method.least)
    items = int(strata.population.size.sum())
    count = method.counts(strata, np.array([items, 2 * items]), KNOWLEDGE, False, 5, Trials(0, 3))
    assert (count == strata.population.size).all()
    assert squared_errors(strata, method, count, KNOWLEDGE, False, 5, Trials(0, 3)) == pytest.approx(
        0, abs=1e-25
    )


def test_strata_know_what_can_be_known():
    strata = strata_of()
    p = strata.population
    assert p.start[-1] == len(p.answers) == len(strata.item_old) == 600
    for g in range(p.strata):
        items = slice(p.start[g], p.start[g + 1])
        new = np.bincount(p.answers[items], minlength=4) / p.size[g]
        old = np.bincount(strata.item_old[items], minlength=4) / p.size[g]
        assert p.distribution[g] == pytest.approx(new)
        assert strata.kept[g] == pytest.approx(old)
        assert old.max() == 1  # one old answer a stratum
        o = int(old.argmax())
        assert strata.moved[g] == pytest.approx(expected_moves(p.old)[p.stratum_label[g], o])
        assert strata.pool[g] // 3 == (o != p.stratum_label[g])
    assert p.share.sum() == pytest.approx(1)


def test_expected_moves_by_hand():
    old = np.array([[0.50, 0.04, 0.01], [0.02, 0.30, 0.03], [0.05, 0.0, 0.05]])
    moves = expected_moves(old)
    # Label 0, old answer 0: row errors 4:1, column errors 0.04 to 0.04.
    assert moves[0, 0] == pytest.approx([0, 0.5 * 0.8 + 0.5 * 0.5, 0.5 * 0.2 + 0.5 * 0.5])
    # Label 0, old answer 1: to the truth, or to the only other label.
    assert moves[0, 1] == pytest.approx([0.8, 0, 0.2])
    assert moves.sum(axis=2) == pytest.approx(np.ones((3, 3)))


@given(labels=st.integers(1, 4), extra=st.integers(0, 2), seed=st.integers(0, 50))
def test_expected_moves_are_distributions_away_from_the_old_answer(labels, extra, seed):
    rng = np.random.default_rng(seed)
    old = rng.dirichlet(np.full(labels * (labels + extra), 0.2)).reshape(labels, labels + extra)
    moves = expected_moves(old)
    assert moves.sum(axis=2) == pytest.approx(np.ones(moves.shape[:2]))
    if labels + extra > 1:
        assert moves[:, np.arange(labels + extra), np.arange(labels + extra)] == pytest.approx(0)


def test_rare_strata_are_merged_within_their_label():
    table = replay_of(
        [(0, 0, 0, 0, 9), (0, 0, 1, 0, 1), (0, 0, 2, 0, 1), (1, 0, 1, 1, 5), (1, 0, 0, 1, 1), (2, 0, 2, 2, 1)]
    )
    arguments = {"name": "toy", "labels": 3, "predicted_labels": 3, "difficulty": "none", "K": 1}
    strata = known_strata(table, choice=("label", "old"), least=2, **arguments)
    assert strata.population.stratum_label.tolist() == [0, 0, 1, 2]
    assert strata.population.size.tolist() == [9, 2, 6, 1]
    assert strata.kept[1].tolist() == [0, 0.5, 0.5]
    untouched = known_strata(table, choice=("label", "old"), **arguments)
    assert untouched.population.size.tolist() == [9, 1, 1, 1, 5, 1]


def test_unknown_choices_and_small_budgets_are_refused():
    with pytest.raises(
        InputError, match="key strata: found old, label, allowed are label; label, difficulty"
    ):
        strata_of(("old", "label"))
    strata = strata_of(("label", "difficulty"))
    with pytest.raises(InputError, match="case toy: budgets from 17, allowed for MASA are those from 18"):
        METHODS["masa"].counts(strata, np.array([17]), KNOWLEDGE, True, 0, Trials(0, 1))


def test_streams_are_named():
    assert (words(strata_of(), 3) == stream_words(3, "beyond/toy/label+old+difficulty")).all()
