"""Blocks of trials, and equal results for any way of sharing them out."""

import hashlib
from functools import partial

import numpy as np
import pytest
from conftest import toy_population
from hypothesis import given
from hypothesis import strategies as st

from adaptive_sampling.montecarlo import BLOCK, blocks_of, run_blocks
from adaptive_sampling.shift.experiment import Setting, budget_grid, compare
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters


@given(st.integers(0, 500))
def test_blocks_hold_each_trial_once(trials):
    blocks = blocks_of(trials)
    assert [t for b in blocks for t in range(b.first, b.first + b.count)] == list(range(trials))
    assert [b.block for b in blocks] == list(range(len(blocks)))
    assert all(b.first % BLOCK == 0 for b in blocks)


def test_answers_come_back_in_order():
    firsts = run_blocks(lambda block: block.first, 1000, jobs=4, backend="threading", title="order")
    assert firsts == list(range(0, 1000, BLOCK))


def table_hash(jobs, backend, samplers=tuple(SAMPLERS)):
    setting = Setting(
        trials=120,
        last_budget=300,
        budget_step=50,
        target_error=0.05,
        confidence=0.9,
        resamples=100,
        seed=3,
        jobs=jobs,
        backend=backend,
    )
    populations = {strata: toy_population(strata=strata) for strata in ("label", "label_difficulty")}
    errors, sizes = compare(populations, samplers, Parameters(), 3, setting)
    keep = errors["sampler"] == "masa"
    csv = errors[keep].to_csv() if len(samplers) == 1 else errors.to_csv() + sizes.to_csv()
    return hashlib.sha256(csv.encode()).hexdigest(), errors


@pytest.mark.parametrize(("jobs", "backend"), [(2, "threading"), (2, "loky"), (1, "loky")])
def test_results_do_not_depend_on_cores_or_backend(jobs, backend):
    assert table_hash(jobs, backend)[0] == table_hash(1, "threading")[0]


def test_results_do_not_depend_on_the_other_samplers():
    alone, all_of_them = table_hash(1, "threading", ("masa",))[1], table_hash(1, "threading")[1]
    together = all_of_them[all_of_them["sampler"] == "masa"].reset_index(drop=True)
    assert (alone == together).all(axis=None)


def test_budgets_begin_where_every_stratum_can_be_paid_for():
    setting = partial(
        Setting, trials=2, budget_step=100, target_error=0.01, confidence=0.95, resamples=100, seed=0
    )
    assert budget_grid(93, 2, setting(last_budget=500)).tolist() == [200, 300, 400, 500]
    assert budget_grid(93, 0, setting(last_budget=250)).tolist() == [100, 200]
    assert budget_grid(50, 2, setting(last_budget=100)).tolist() == [100]
    with pytest.raises(ValueError, match=r"budget.last: found 100, allowed are budgets from 186 on"):
        budget_grid(93, 2, setting(last_budget=100))


def test_means_and_standard_errors_are_those_of_the_trials():
    _, errors = table_hash(1, "threading", ("masa",))
    from adaptive_sampling.montecarlo import Trials

    p = toy_population()
    budgets = np.array(errors["budget"])
    raw = SAMPLERS["masa"].simulate(p, budgets, Parameters(), 3, Trials(0, 120)).error
    assert np.array(errors["mse"]) == pytest.approx(raw.mean(axis=0))
    assert np.array(errors["mse_se"]) == pytest.approx(raw.std(axis=0, ddof=1) / np.sqrt(120))
    assert np.array(errors["q95"]) == pytest.approx(np.sqrt(np.quantile(raw, 0.95, axis=0)))


def test_without_replacement_budgets_end_with_the_last_item_and_so_does_the_error():
    setting = Setting(
        trials=20,
        last_budget=5000,
        budget_step=300,
        target_error=0.01,
        confidence=0.95,
        resamples=100,
        seed=3,
    )
    populations = {strata: toy_population(strata=strata) for strata in ("label", "label_difficulty")}
    errors, sizes = compare(populations, list(SAMPLERS), Parameters(replacement=False), 3, setting)
    assert set(errors.groupby("sampler")["budget"].max()) == {2000}
    assert (errors.loc[errors["budget"] == 2000, "mse"] < 1e-28).all()
    assert (errors.loc[errors["budget"] < 2000, "mse"] > 1e-8).all()
    assert (sizes["n95"] <= 2000).all()
