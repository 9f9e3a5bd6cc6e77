"""Level sort against literal Algorithm 1: equal counts at every budget, whatever the population."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import replay_of, toy_population
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive_sampling.cases import read_cases
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift import kernels, level_sort
from adaptive_sampling.shift.population import population
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

ROOT = Path(__file__).parents[2]
CASES = read_cases(ROOT / "config" / "cases.csv")
REPLAYS = sorted(path.stem for path in (ROOT / "data" / "replay").glob("*.csv"))
BLOCKS = [2, 8, 64, 512]


def run(kernel, p, budgets, *options, a=1.0, as_printed=False, replacement=True, seed=0, trials=Trials(0, 3)):  # noqa: B008
    budgets = np.asarray(budgets, dtype=np.int64)
    count = np.full((trials.count, len(budgets), p.strata), -1, np.int32)
    error = np.full(count.shape[:2], np.nan)
    weights = np.broadcast_to(p.weights, p.new.shape).copy()
    arrays = (p.answers, p.start, p.share, p.stratum_label, p.new, weights)
    words = stream_words(seed, "test")
    kernel(*arrays, budgets, a, as_printed, replacement, words, trials.first, *options, count, error)
    return count, error


def literal(p, budgets, **options):
    return run(kernels.masa_literal, p, budgets, **options)


def sort(p, budgets, block=level_sort.BLOCK, **options):
    return run(level_sort.masa_level_sort, p, budgets, block, **options)


def assert_equal(p, budgets, blocks=(level_sort.BLOCK,), **options):
    count, error = literal(p, budgets, **options)
    for block in blocks:
        ours_count, ours_error = sort(p, budgets, block, **options)
        assert (ours_count == count).all()
        assert np.abs(ours_error - error).max() <= 1e-15


def every_budget(p, last):
    return np.arange(2 * p.strata, last + 1)


@settings(max_examples=60, deadline=None)
@given(
    labels=st.integers(1, 5),
    extra=st.integers(0, 2),
    items=st.integers(1, 400),
    K=st.sampled_from([1, 2, 3, 5, 12]),
    seed=st.integers(0, 10_000),
    a=st.sampled_from([1e-9, 0.1, 1.0, 10.0, 1e9]),
    as_printed=st.booleans(),
    replacement=st.booleans(),
    block=st.sampled_from(BLOCKS),
)
def test_equal_at_every_budget(labels, extra, items, K, seed, a, as_printed, replacement, block):
    p = toy_population(labels, labels + extra, items, seed, K=K)
    options = {"a": a, "as_printed": as_printed, "replacement": replacement, "seed": seed}
    assert_equal(p, every_budget(p, 2 * p.strata + 500), [block], **options)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["any", "identity", "one cell", "zero"]))
def test_equal_under_weights(seed, kind):
    p = toy_population(3, 4, 300, seed)
    weights = {
        "any": np.random.default_rng(seed).random((3, 4)),
        "identity": np.eye(3, 4),
        "one cell": np.eye(3, 4, k=1) * [[1], [0], [0]],
        "zero": np.zeros((3, 4)),
    }[kind]
    p = replace(p, weights=weights)
    for replacement in (True, False):
        assert_equal(p, every_budget(p, 600), replacement=replacement, seed=seed)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("labels", [2, 7, 40])
def test_equal_with_ties_of_equal_strata(labels, replacement):
    """Strata of equal share and one answer each have equal scores throughout; all others tie now and then."""
    rows = [(i, level, i, i, 20) for i in range(labels) for level in (0, 60)]
    p = population(
        replay_of(rows),
        name="ties",
        labels=labels,
        predicted_labels=labels,
        difficulty="none",
        strata="label_difficulty",
        K=2,
    )
    assert_equal(p, every_budget(p, 2 * p.strata + 40 * labels), BLOCKS, replacement=replacement)
    rows = [
        (i, level, i, (i + changed) % labels, 10)
        for i in range(labels)
        for level in (0, 60)
        for changed in (0, 1)
    ]
    p = population(
        replay_of(rows),
        name="ties",
        labels=labels,
        predicted_labels=labels,
        difficulty="none",
        strata="label_difficulty",
        K=2,
    )
    assert_equal(p, every_budget(p, 2 * p.strata + 40 * labels), BLOCKS, replacement=replacement)


@pytest.mark.parametrize("name", REPLAYS)
def test_equal_on_every_replay_table(name):
    """All difficulty sources, K = 3; budgets odd on purpose, so that they cut buckets; the last is the paper's."""
    case = CASES[name]
    replay = read_replay_table(ROOT / "data" / "replay" / f"{name}.csv", case)
    for difficulty in sorted(set(replay["difficulty"])):
        p = population(
            replay,
            name=name,
            labels=len(case.labels),
            predicted_labels=len(case.predicted_labels),
            difficulty=difficulty,
            strata="label_difficulty",
            K=3,
        )
        budgets = np.append(np.arange(2 * p.strata, 20_000, 97), 20_000)
        assert_equal(p, budgets, trials=Trials(0, 2))
        assert_equal(p, budgets, [32], trials=Trials(7, 1), replacement=False)


def test_equal_with_more_strata_than_a_window_holds():
    p = toy_population(30, 31, 20_000, 8, K=120)
    assert p.strata > level_sort.WINDOW
    budgets = np.arange(2 * p.strata, 15_000, 37)
    for replacement in (True, False):
        assert_equal(p, budgets, [8, 64], replacement=replacement, trials=Trials(0, 1))


def test_bytes_do_not_depend_on_the_block():
    p = toy_population(4, 5, 3000, 3)
    budgets = every_budget(p, 5000)
    for replacement in (True, False):
        count, error = sort(p, budgets, replacement=replacement)
        for block in BLOCKS:
            again_count, again_error = sort(p, budgets, block, replacement=replacement)
            assert again_count.tobytes() == count.tobytes()
            assert again_error.tobytes() == error.tobytes()


def test_without_replacement_the_error_ends_at_zero():
    p = toy_population(2, 3, 300, 5)
    for kernel in (literal, sort):
        count, error = kernel(p, every_budget(p, 400), replacement=False)
        spent = count.sum(axis=2)
        assert (spent == np.minimum(every_budget(p, 400), 300)).all()
        assert (count <= p.size).all()
        assert (error[:, -101:] < 1e-30).all()
        assert (error[:, -102] > 0).any()


def test_the_sampler_is_the_level_sort():
    p = toy_population()
    budgets = np.array([40, 300, 5000], dtype=np.int64)
    result = SAMPLERS["masa"].simulate(p, budgets, Parameters(a=0.5), 9, Trials(4, 6))
    count = np.empty_like(result.count)
    error = np.empty_like(result.error)
    weights = np.ones_like(p.new)
    arrays = (p.answers, p.start, p.share, p.stratum_label, p.new, weights)
    kernels.masa_literal(*arrays, budgets, 0.5, False, True, stream_words(9, "shift/toy"), 4, count, error)
    assert (result.count == count).all()
    assert result.error == pytest.approx(error, abs=1e-15)
