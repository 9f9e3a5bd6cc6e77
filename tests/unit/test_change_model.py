"""The change model against likelihoods, enumeration and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from test_beyond_samplers import KNOWLEDGE, ask, drawn, strata_of

from adaptive_sampling.beyond import reading
from adaptive_sampling.beyond.change_model import (
    DIRECTION,
    assess,
    change_groups,
    change_prior,
    learn,
    normalised_weights,
    rate_moments,
    remaining_moments,
)
from adaptive_sampling.beyond.detection import half_width
from adaptive_sampling.beyond.intervals import model_change
from adaptive_sampling.beyond.samplers import METHODS, words
from adaptive_sampling.montecarlo import Trials

PRIOR = change_prior()


def weights_of(groups, changes, n):
    """Weights of each pool by the beta-binomial likelihood of its groups."""
    weight = np.tile(PRIOR[:, 2], (6, 1))
    for b in range(6):
        for g in np.flatnonzero(groups.pool == b):
            weight[b] *= stats.betabinom.pmf(changes[g], n[g], PRIOR[:, 0], PRIOR[:, 1])
    return weight / weight.sum(axis=1, keepdims=True)


@given(
    groups=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=5),
    cut=st.floats(0, 1),
)
@settings(deadline=None, max_examples=50)
def test_weights_are_those_of_the_beta_binomial_likelihood(groups, cut):
    """However the answers of a group are cut into portions."""
    weight, expected = PRIOR[:, 2].copy(), PRIOR[:, 2].copy()
    for changes, others in groups:
        first, more = int(cut * changes), int(cut * others)
        learn(PRIOR, weight, 0, 0, first, first + more)
        learn(PRIOR, weight, first, first + more, changes - first, changes + others - first - more)
        expected *= stats.betabinom.pmf(changes, changes + others, PRIOR[:, 0], PRIOR[:, 1])
    assert weight / weight.sum() == pytest.approx(expected / expected.sum(), rel=1e-6, abs=1e-12)


@given(changes=st.integers(0, 9), others=st.integers(0, 30), q=st.integers(0, len(PRIOR) - 1))
@settings(deadline=None)
def test_moments_are_those_of_the_beta_posterior(changes, others, q):
    weight = np.zeros(len(PRIOR))
    np.add.at(weight, [q, 0], 0.5)
    moment = np.empty(4)
    rate_moments(PRIOR, weight, changes, changes + others, moment)
    parts = [stats.beta(PRIOR[k, 0] + changes, PRIOR[k, 1] + others) for k in (q, 0)]
    assert moment == pytest.approx(
        [np.mean([part.moment(k) for part in parts]) for k in (1, 2, 3, 4)], rel=1e-8
    )


@given(left=st.integers(0, 12), taken=st.integers(0, 5), a=st.floats(0.1, 5), b=st.floats(0.1, 5))
@settings(deadline=None)
def test_remaining_moments_are_those_of_the_beta_binomial(left, taken, a, b):
    size, x = max(left + taken, 1), np.arange(left + 1)
    moment = np.array([stats.beta(a, b).moment(k) for k in (1, 2, 3, 4)])
    remaining_moments(moment, float(left), float(size))
    pmf = stats.betabinom.pmf(x, left, a, b)
    assert moment == pytest.approx([(pmf * (x / size) ** k).sum() for k in (1, 2, 3, 4)], rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("replacement", [True, False])
def test_the_posterior_is_that_of_its_model(replacement):
    """Mean and variance against 200,000 draws from the model, levels of 1e-4; the fourth cumulant exactly."""
    rng, draws, M = np.random.default_rng(0), 200_000, 12
    frequency, moved, n = np.array([[5.0, 1.0, 1.0]]), np.array([[0.0, 0.7, 0.3]]), np.array([7])
    weight = np.zeros((1, len(PRIOR)))
    weight[0, [33, 95]] = 0.4, 0.6
    mean, factor, centre = np.empty((1, 3)), np.empty(1), np.empty((1, 3))
    zero = np.zeros(1, np.int64)
    share = np.array([0.5])
    heavy = assess(
        zero,
        zero,
        zero,
        np.array([M]),
        share,
        moved,
        PRIOR,
        weight,
        n,
        frequency,
        replacement,
        mean,
        factor,
        centre,
    )
    q = rng.choice([33, 95], p=[0.4, 0.6], size=draws)
    phi = rng.beta(PRIOR[q, 0] + 2, PRIOR[q, 1] + 5)
    theta = rng.dirichlet(DIRECTION * moved[0, 1:] + frequency[0, 1:], size=draws)
    matrix = np.column_stack([1 - phi, phi[:, None] * theta])
    if not replacement:
        matrix = (frequency[0] + rng.multinomial(M - 7, matrix)) / M
    error = 4.0 * np.sqrt(((0.5 * matrix) ** 2).var(axis=0).sum() / draws)
    assert centre[0] == pytest.approx(0.5 * matrix.mean(axis=0), abs=4 * 0.5 * matrix.std() / np.sqrt(draws))
    trace = (0.25 * matrix.var(axis=0)).sum()
    assert factor[0] * (1 - (mean[0] ** 2).sum()) == pytest.approx(trace, abs=error)
    parts = [(PRIOR[k, 0] + 2, PRIOR[k, 1] + 5) for k in (33, 95)]
    x = np.arange(M - 7 + 1)
    m1, m2, m3, m4 = (
        0.4 * first + 0.6 * second
        for first, second in (
            [
                stats.beta(*part).moment(k)
                if replacement
                else (stats.betabinom.pmf(x, M - 7, *part) * (x / M) ** k).sum()
                for part in parts
            ]
            for k in (1, 2, 3, 4)
        )
    )
    fourth = m4 - 4 * m1 * m3 - 3 * m2**2 + 12 * m1**2 * m2 - 6 * m1**4
    e = DIRECTION * moved[0, 1:] + frequency[0, 1:]
    of_square = (e * (e + 1)).sum() / (e.sum() * (e.sum() + 1))
    assert heavy == pytest.approx(0.5**4 * fourth * (1 + of_square) ** 2, rel=1e-7)


@pytest.mark.parametrize("replacement", [True, False])
def test_what_the_rule_sees_is_its_literal_transcription(replacement):
    strata, method = strata_of(items=500), METHODS["posterior"]
    p, groups = strata.population, change_groups(strata)
    assert groups.of_item.tolist() == np.repeat(np.arange(p.strata), p.size).tolist()
    assert groups.pool.tolist() == strata.pool.tolist()
    assert groups.moved == pytest.approx(strata.moved)
    budgets, normals = np.array([40, 200]), stats.norm.ppf([0.9, 0.95])
    count = method.counts(strata, budgets, KNOWLEDGE, replacement, 3, Trials(0, 2))
    error, moments, alone = np.empty((2, 2)), np.empty((2, 2, 2)), np.empty((2, 2, 2))
    reading.change_bounds_at_counts(
        p.answers, strata.item_old, p.start, p.share, p.stratum_label, strata.pool, strata.pools,
        strata.kept, strata.moved, p.new, groups.old, PRIOR, normals, 0.3, 1.0, 0.0, 2, 0, replacement,
        words(strata, 3), 0, count, error, moments, alone,
    )  # fmt: skip
    for trial in range(2):
        each = drawn(strata, 3, trial, replacement)
        for b in range(2):
            for g in range(p.strata):
                while each[g].n < count[trial, b, g]:
                    ask(strata, each, g, [0] * strata.pools, [0] * strata.pools)
            H, n = np.array([s.seen for s in each], float), count[trial, b].astype(np.int64)
            changes = np.round(n - H[np.arange(p.strata), groups.old]).astype(int)
            scaled = np.empty((6, len(PRIOR)))
            normalised_weights(weights_of(groups, changes, n), scaled)
            mean, factor, centre = np.empty_like(p.distribution), np.empty(p.strata), np.empty_like(p.new)
            heavy = assess(
                groups.label, groups.old, groups.pool, groups.size, groups.share, groups.moved, PRIOR, scaled,
                n, H, replacement, mean, factor, centre,
            )  # fmt: skip
            V = np.zeros((3, 4, 4))
            for g in range(p.strata):
                V[groups.label[g]] += factor[g] * (np.diag(mean[g]) - np.outer(mean[g], mean[g]))
            offset = centre - estimate_of(strata, n, H, replacement)
            m = np.trace(V, axis1=1, axis2=2).sum() + (offset**2).sum()
            twice = 2 * np.trace(V @ V, axis1=1, axis2=2).sum()
            w = max(twice + heavy, twice / 2) + 4 * sum(o @ v @ o for o, v in zip(offset, V))
            assert moments[trial, b] == pytest.approx([m, w], rel=1e-6)
            for c, level in enumerate((0.8, 0.9)):
                limits = [
                    stats.binomtest(int(k), int(a)).proportion_ci(level, "wilson").high - k / a if a else 1.0
                    for k, a in zip(changes, n)
                ]
                left = 1.0 if replacement else 1 - n / p.size
                largest = (p.share * np.sqrt(2) * np.array(limits) * left).max()
                assert alone[trial, b, c] == pytest.approx(largest, rel=1e-9)


def estimate_of(strata, n, H, replacement):
    """Return the sampler's estimate of the new confusion matrix from its answers."""
    p = strata.population
    changes = n - (H * (strata.kept > 0.5)).sum(axis=1)
    in_pool = strata.pool[:, None] == np.arange(strata.pools)
    seen, queries = changes @ in_pool, n @ in_pool
    overall = (seen.sum() + 0.1) / (queries.sum() + 1)
    f = ((seen + overall) / (queries + 1))[strata.pool][:, None]
    prior = (1 - f) * strata.kept + f * strata.moved
    t = np.where(n == 0, 1.0, np.where((n == p.size) & (not replacement), 0.0, 0.3))[:, None]
    estimate = np.zeros_like(p.new)
    np.add.at(estimate, p.stratum_label, p.share[:, None] * (H + t * prior) / (n[:, None] + t))
    return estimate


def test_groups_of_mixed_strata_are_their_items_by_old_answer():
    strata = strata_of(choice=("label", "difficulty"))
    groups, p = change_groups(strata), strata.population
    stratum = np.repeat(np.arange(p.strata), p.size)
    for g in range(len(groups.size)):
        items = np.flatnonzero(groups.of_item == g)
        assert len(set(stratum[items])) == 1
        assert set(strata.item_old[items]) == {groups.old[g]}
        assert groups.size[g] == len(items)
        assert groups.label[g] == p.stratum_label[stratum[items[0]]]
    assert groups.share.sum() == pytest.approx(1)
    assert ((groups.pool < 3) == (groups.old == groups.label)).all()


@pytest.mark.parametrize("name", ["posterior", "masa", "prediction_powered"])
def test_asking_every_item_tells_the_change_and_its_largest_cell(name):
    method = METHODS[name]
    choice = ("label", "difficulty") if name == "masa" else ("label", "old", "difficulty")
    strata = strata_of(choice=choice, items=300, least=method.least or 1)
    count = np.tile(strata.population.size.astype(np.int32), (2, 1, 1))
    accuracy, cells = model_change(strata, method, count, False, 1e4, 0.05, 3, Trials(0, 2))
    shift = strata.population.shift
    assert accuracy == pytest.approx(np.trace(shift), abs=1e-12)
    assert cells[..., 0] == pytest.approx(np.abs(shift).max(), abs=1e-12)
    assert cells[..., 1] == pytest.approx(np.abs(shift).max(), abs=1e-12)


def test_half_widths_agree():
    for variance in (0.0, 1e-6, 1e-3):
        own = reading.ever_half_width(variance, 1e4, 0.01)
        assert own == pytest.approx(half_width(np.array(variance), 1e4, 0.01))
