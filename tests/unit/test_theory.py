"""Lemma 1 and Theorem 2: closed forms by hand, and measurements against them."""

import numpy as np
import pandas as pd
import pytest
from conftest import toy_population

from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.shift.closed_form import oracle_loss
from adaptive_sampling.shift.experiment import Setting
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters
from adaptive_sampling.shift.theory import (
    counts_without_noise,
    gap_without_noise,
    least_a,
    lemma_1,
    log_log_slope,
    loss_gap,
    theorem_2,
)

SETTING = Setting(400, 1000, 100, 0.01, 0.95, 100, seed=3)


def test_the_condition_on_a_by_hand():
    """L=10, K=3, N=10,000: 2 ln 10 + ln 3 + 9/4 ln 10000 = 4.605 + 1.099 + 20.723."""
    assert least_a(10, 3, 10_000) == pytest.approx(26.427, abs=0.001)


@pytest.mark.parametrize("exponent", [-1.0, -1.25, -1.5])
def test_the_slope_of_a_power_is_its_exponent(exponent):
    x = np.array([1e3, 3e3, 1e4, 7e4])
    slope = log_log_slope(x, 5 * x**exponent, np.array([0.01, 0.02, 0.01, 0.05]) * 5 * x**exponent)
    assert slope.value == pytest.approx(exponent)
    assert slope.low < slope.value < slope.high


def test_the_interval_of_the_slope_covers_it():
    """95% of 2,000 intervals, up to three standard errors of that share."""
    rng, x = np.random.default_rng(0), np.array([1e3, 2e3, 4e3, 8e3, 16e3])
    y = x**-1.25
    covered = 0
    for _ in range(2000):
        noisy = y * (1 + 0.02 * rng.standard_normal(5))
        slope = log_log_slope(x, noisy, 0.02 * y)
        covered += slope.low <= -1.25 <= slope.high
    assert covered / 2000 >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 2000)


def test_two_points_over_zero_have_no_slope():
    slope = log_log_slope(np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, 2.0]), np.ones(3))
    assert np.isnan([slope.value, slope.low, slope.high]).all()


def test_counts_without_noise_are_level_and_spend_the_budget():
    share, sigma = np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.2, 0.0])
    n = counts_without_noise(share, sigma, 1.0, 5000.0)
    score = share / n * (sigma + (1.0 / n) ** 0.25)
    assert n.sum() == pytest.approx(5000.0)
    assert score == pytest.approx(np.full(3, score[0]), rel=1e-9)


def test_the_gap_without_noise_falls_as_derived():
    """N^(-3/2) where all strata are uncertain, N^(-6/5) where one is certain."""
    p = toy_population()
    far = np.array([1e14, 1e16])

    def slope(population):
        gap = [gap_without_noise(population, 1.0, budget) for budget in far]
        return np.log(gap[1] / gap[0]) / np.log(100)

    assert slope(p) == pytest.approx(-1.5, abs=0.01)
    certain = p.distribution.copy()
    certain[0] = 0.0
    certain[0, 0] = 1.0
    object.__setattr__(p, "distribution", certain)
    assert slope(p) == pytest.approx(-1.2, abs=0.01)


def test_the_paired_gap_agrees_with_the_plain_one_and_is_sharper():
    """Against 4,000 unpaired trials of another seed, within four standard errors."""
    p, budgets = toy_population(), np.array([300, 1000], dtype=np.int64)
    gap, gap_se = loss_gap(p, budgets, 1.0, SETTING)
    error = SAMPLERS["masa"].simulate(p, budgets, Parameters(), 11, Trials(0, 4000)).error
    plain, plain_se = error.mean(axis=0) - oracle_loss(p, budgets), error.std(axis=0) / np.sqrt(4000)
    assert (np.abs(gap - plain) <= 4 * np.hypot(gap_se, plain_se)).all()
    assert (gap_se * np.sqrt(400) < 0.6 * plain_se * np.sqrt(4000)).all()


def test_theorem_2_has_a_row_for_each_condition_and_budget():
    p = toy_population()
    table = theorem_2(p, labels=2, K=3, budgets=[10, 200, 400, 800], setting=SETTING)
    assert len(table) == 6  # 10 is not over 4 L K = 24
    asked = table[table["condition"] == "respected"]
    assert (asked["a"] > [least_a(2, 3, n) for n in asked["budget"]]).all()
    assert (table.loc[table["condition"] == "violated", "a"] == 1).all()
    assert (table["certain_strata"] == 0).all()


def test_too_few_budgets_for_theorem_2_are_refused():
    with pytest.raises(InputError, match="needs three over 4 L K = 24"):
        theorem_2(toy_population(), labels=2, K=3, budgets=[10, 200, 400], setting=SETTING)


def test_lemma_1_compares_the_oracle_alone():
    p = toy_population()
    errors = pd.DataFrame(
        {"case": "toy", "sampler": ["oracle", "masa"], "budget": 1000, "mse": [2e-3, 9.0], "mse_se": 1e-5}
    )
    (row,) = lemma_1(errors, [p]).to_dict("records")
    assert row["loss"] == pytest.approx((p.share * np.sqrt(p.uncertainty)).sum() ** 2 / 1000)
    assert row["ratio"] == pytest.approx(2e-3 / row["loss"])
