"""Bounds and stops: the formulas by brute force, laws against simulation; and the misprint of line 7."""

import math

import numpy as np
import pandas as pd
import pytest
from conftest import toy_population
from scipy import stats

from adaptive_sampling.cases import read_cases
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.shift import kernels, misprint, stopping
from adaptive_sampling.shift.experiment import Setting
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

SETTING = Setting(100, 2000, 50, 0.06, 0.95, 100, seed=5)
CASE = read_cases("config/cases.csv")["amazon_yelp"]


def test_the_bound_along_a_run_equals_its_formula():
    """B(c) = sum p^2 / n (sigma_hat + (c/n)^(1/4))^2 from the answers of each trial, at each budget and c."""
    p, budgets, c = toy_population(), np.array([50, 300], dtype=np.int64), np.array([0.0, 0.5, 8.0])
    count = SAMPLERS["masa"].simulate(p, budgets, Parameters(), 5, Trials(7, 3)).count
    words = stream_words(5, "shift/toy")
    bound, held = np.empty((3, 2, 3)), np.empty(3, dtype=bool)
    arrays = (p.answers, p.start, p.share, p.uncertainty, p.new.shape[1])
    stopping.bounds_along(*arrays, words, 7, count, c, 1e9, bound, held)
    assert held.all()
    for t in range(3):
        for b in range(2):
            n = count[t, b]
            H = kernels.answers_at_counts(p.answers, p.start, p.new.shape[1], True, words, 7 + t, n)
            sigma = np.sqrt(1 - (H * (H - 1)).sum(axis=1) / (n * (n - 1)))
            for i in range(3):
                expected = (p.share**2 / n * (sigma + (c[i] / n) ** 0.25) ** 2).sum()
                assert bound[t, b, i] == pytest.approx(expected, rel=1e-12)
    stopping.bounds_along(*arrays, words, 7, count, c, 1e-9, bound, held)
    assert not held.any()


def test_the_c_of_lemma_3_by_hand():
    """6 strata, N=1000, 95%: delta = 0.05 / 6000, so log(2/delta) / 2 = log(240000) / 2."""
    assert stopping.lemma_3_c(6, 1000, 0.95) == pytest.approx(math.log(240_000) / 2)


def test_the_first_stop_and_its_coverage_by_hand():
    bound = np.array([[4.0, 1.0, 0.5], [3.0, 2.0, 1.5], [0.9, 2.0, 0.1]])
    error = np.array([[9.0, 0.5, 9.0], [9.0, 9.0, 0.1], [2.0, 0.0, 0.0]])
    stop = stopping.first_stops(bound, 1.0)
    assert stop.tolist() == [1, 3, 0]
    # Run 0 stops within the target, run 1 never stops, run 2 stops too early.
    assert stopping.coverage_of(error, stop, 1.0) == pytest.approx(1 / 3)


def test_the_smallest_c_that_covers_is_chosen():
    error = np.tile([4.0, 2.0, 0.5], (10, 1))
    stop = np.tile([0, 1, 2, 2], (10, 1))
    assert stopping.calibrated(error, stop, 1.0, 0.95) == 2
    assert stopping.calibrated(error, stop[:, :2], 1.0, 0.95) is None


def test_the_limit_law_of_equal_cells_is_chi_square():
    """For m equal cells all m - 1 eigenvalues are 1/m; 20,000 draws tell the quantile to about 1%."""
    c = stopping.limit_c(np.full((2, 5), 0.1), 0.95, np.random.default_rng(1))
    assert c == pytest.approx(0.1 * stats.chi2.ppf(0.95, 9), rel=0.03)


def test_the_limit_law_is_that_of_uniform_sampling():
    """Coverage of sqrt(c/n) over 2,000 runs lies within four standard errors of 95%."""
    p = toy_population()
    c = stopping.limit_c(p.new.ravel(), 0.95, np.random.default_rng(2))
    budgets = np.array([2000], dtype=np.int64)
    error = SAMPLERS["uniform"].simulate(p, budgets, Parameters(), 1, Trials(0, 2000)).error[:, 0]
    assert (error <= c / 2000).mean() == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 2000))


def test_the_distribution_free_bound_holds():
    p, budgets = toy_population(), np.array([300], dtype=np.int64)
    error = SAMPLERS["uniform"].simulate(p, budgets, Parameters(), 1, Trials(0, 500)).error[:, 0]
    assert (error <= stopping.distribution_free_c(0.95) / 300).all()


@pytest.fixture(scope="module")
def table():
    of_strata = {name: toy_population(strata=name) for name in ("label", "label_difficulty")}
    sizes = pd.DataFrame({"case": "amazon_yelp", "sampler": ["masa", "uniform"], "n95": [500, None]})
    return stopping.stopping([CASE], {"amazon_yelp": of_strata}, sizes, Parameters(), SETTING)


def test_every_rule_has_its_row(table):
    assert list(table.columns) == list(stopping.STOPPING_COLUMNS)
    assert table["sampler"].value_counts().to_dict() == {"masa": 4, "uniform": 4, "stratified_equal": 4}
    us = table[(table["sampler"] == "uniform") & (table["rule"] == "paper_us")].iloc[0]
    assert us["c"] == pytest.approx(19_700 * 0.06**2)
    assert us["n_stop"] == 19_700
    assert pd.isna(us["n95"])


def test_a_wider_bound_stops_later(table):
    masa = table[table["sampler"] == "masa"].set_index("rule")
    assert masa.loc["plug_in", "c"] == 0
    assert masa.loc["plug_in", "n_stop"] < masa.loc["calibrated", "n_stop"] < masa.loc["lemma_3", "n_stop"]
    assert masa.loc["plug_in", "coverage"] < masa.loc["calibrated", "coverage"] <= 1
    assert masa.loc["lemma_3", "bound_coverage"] >= 0.95
    assert (masa["n95"] == 500).all()


def test_factor_2_is_the_u_statistic_and_factor_1_is_biased():
    """Line 7 as printed has mean (n - 1)/n sigma2: 0.9 at 10 samples. 20,000 runs, four standard errors."""
    rng = np.random.default_rng(3)
    answers = rng.choice(3, p=[0.5, 0.3, 0.2], size=(20_000, 10))
    counts = np.stack([(answers == j).sum(axis=1) for j in range(3)], axis=1)
    direct = 1 - (counts * (counts - 1)).sum(axis=1) / 90
    assert misprint.estimates(answers, 2) == pytest.approx(direct, abs=1e-12)
    printed = misprint.estimates(answers, 1)
    expected = 0.9 * (1 - 0.25 - 0.09 - 0.04)
    assert abs(printed.mean() - expected) < 4 * printed.std() / np.sqrt(20_000)


def test_the_row_of_the_misprint():
    row = misprint.misprint(toy_population(), 1.0, SETTING)
    assert list(misprint.as_table([row]).columns) == list(misprint.MISPRINT_COLUMNS)
    assert row["budget"] == 500
    assert row["printed_bias_at_10"] == pytest.approx(0.9, abs=0.02)
    assert row["bias_at_10"] == pytest.approx(1.0, abs=0.02)
    assert 0 < row["share_moved"] < 0.1
