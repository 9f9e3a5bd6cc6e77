"""The paper's theory, measured: Lemma 1's loss, and how fast MASA's loss comes down to it (Theorem 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.shift.closed_form import oracle_loss, stratified_loss
from adaptive_sampling.shift.experiment import Setting
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.reading import errors_at_counts
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters, kernel_arrays

EXPONENT: Final = -1.25
"""Theorem 2: the loss gap is O(N^(-5/4) log^(1/4) N)."""

CONDITIONS: Final = ("respected", "violated")
"""The theorem asks for a > 2 log L + log K + 9/4 log N; the paper runs a=1, which violates it."""

LEMMA_1_COLUMNS: Final = {
    "case": "text",
    "budget": "integer",
    "loss": "number",
    "measured": "number",
    "measured_se": "number",
    "ratio": "number",
}
"""Columns of ``lemma_1.csv``: (sum p sigma)^2 / N, and the oracle's mean squared error with its standard error."""

THEOREM_2_COLUMNS: Final = {
    "case": "text",
    "condition": "text",
    "a": "number",
    "budget": "integer",
    "optimum": "number",
    "gap": "number",
    "gap_se": "number",
    "gap_without_noise": "number",
    "slope": "number?",
    "slope_low": "number?",
    "slope_high": "number?",
    "slope_without_noise": "number",
    "slope_far": "number",
    "certain_strata": "integer",
}
"""Columns of ``theorem_2.csv``; the slopes are those of the case and condition, the same in all its rows.
They are empty where too few gaps are over 0.
`slope_without_noise` is that of exploration alone over the same budgets, `slope_far` the same from `FAR` on, and
`certain_strata` counts the strata without uncertainty, which Theorem 2 supposes away."""

FAR: Final = (1e12, 1e13, 1e14)
"""Budgets at which the slope of exploration alone has settled."""


def least_a(labels: int, K: int, budget: float) -> float:
    """Return Theorem 2's bound on a: 2 log L + log K + 9/4 log N.

    Examples
    --------
    >>> round(least_a(2, 3, 1000), 3)
    18.027
    """
    return float(2 * np.log(labels) + np.log(K) + 2.25 * np.log(budget))


def lemma_1(errors: pd.DataFrame, populations: Sequence[Population]) -> pd.DataFrame:
    """Compare the oracle's measured loss with (sum p sigma)^2 / N.

    Parameters
    ----------
    errors : DataFrame
        ``errors.csv``; only the oracle's rows are read.
    populations : sequence of Population
        The cases over (label, difficulty).

    Returns
    -------
    DataFrame
        Columns `LEMMA_1_COLUMNS`, one row a case and budget.
    """
    tables = []
    for population in populations:
        rows = errors[(errors["case"] == population.name) & (errors["sampler"] == "oracle")]
        loss = oracle_loss(population, rows["budget"].to_numpy(np.int64))
        tables.append(
            pd.DataFrame(
                {
                    "case": population.name,
                    "budget": rows["budget"],
                    "loss": loss,
                    "measured": rows["mse"],
                    "measured_se": rows["mse_se"],
                    "ratio": rows["mse"] / loss,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


@dataclass(frozen=True)
class Slope:
    """Slope of a line on log-log axes.

    Attributes
    ----------
    value, low, high : float
        The interval covers 95%.
    """

    value: float
    low: float
    high: float


def log_log_slope(x: NDArray[Any], y: NDArray[np.float64], y_se: NDArray[np.float64]) -> Slope:
    """Weighted least squares of log y on log x; weights (y / y_se)^2, for y_se / y is the error of log y.

    The interval takes the larger of the known errors and the scatter around the line, so that a bent curve widens
    it. Points at or below 0 have no logarithm and are left out.

    Parameters
    ----------
    x, y, y_se : ndarray, shape (n,)

    Returns
    -------
    Slope
        Of nan if fewer than three points are left.

    Examples
    --------
    >>> x = np.array([1.0, 10.0, 100.0])
    >>> round(log_log_slope(x, x**-1.25, 0.01 * x**-1.25).value, 6)
    -1.25
    """
    kept = (y > 0) & (y_se > 0)
    if kept.sum() < 3:
        return Slope(np.nan, np.nan, np.nan)
    log_x, log_y, weight = np.log(x[kept]), np.log(y[kept]), (y[kept] / y_se[kept]) ** 2
    centre = np.average(log_x, weights=weight)
    spread = (weight * (log_x - centre) ** 2).sum()
    value = (weight * (log_x - centre) * log_y).sum() / spread
    residual = log_y - np.average(log_y, weights=weight) - value * (log_x - centre)
    scatter = (weight * residual**2).sum() / (len(log_x) - 2)
    half = 1.96 * np.sqrt(max(1.0, scatter) / spread)
    return Slope(float(value), float(value - half), float(value + half))


def _masa_block(
    population: Population, budgets: NDArray[np.int64], parameters: Parameters, seed: int, trials: Trials
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Squared errors and counts of MASA in one block. Of the module, so that any joblib backend can send it."""
    result = SAMPLERS["masa"].simulate(population, budgets, parameters, seed, trials)
    return result.error, result.count


def _control_block(
    population: Population, fixed: NDArray[np.int32], seed: int, trials: Trials
) -> NDArray[np.float64]:
    """Squared errors of fixed counts, shape (trials, B), on the answers that MASA sees in the same trials."""
    error = np.empty((trials.count, len(fixed)))
    errors_at_counts(
        *kernel_arrays(population),
        False,
        True,
        stream_words(seed, f"shift/{population.name}"),
        trials.first,
        np.broadcast_to(fixed, (trials.count, *fixed.shape)).copy(),
        error,
    )
    return error


def loss_gap(
    population: Population, budgets: NDArray[np.int64], a: float, setting: Setting
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Measure MASA's loss minus the optimum (sum p sigma)^2 / N.

    Each trial is paired with a sampler that takes MASA's mean counts in every trial and sees the same answers. Its
    loss is known exactly, so only the small difference of the two errors has to be averaged.

    Parameters
    ----------
    population : Population
    budgets : ndarray of int64, shape (B,)
    a : float
    setting : Setting

    Returns
    -------
    gap, gap_se : ndarray of float, shape (B,)
    """
    title = f"{population.name} a={a:.3g}"
    run = partial(_masa_block, population, budgets, Parameters(a=a), setting.seed)
    blocks = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
    error = np.concatenate([block[0] for block in blocks])
    mean = np.concatenate([block[1] for block in blocks]).mean(axis=0)
    fixed = np.maximum(np.rint(mean), 1).astype(np.int32)
    paired = partial(_control_block, population, fixed, setting.seed)
    control = run_blocks(paired, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
    difference = error - np.concatenate(control)
    gap = difference.mean(axis=0) + stratified_loss(population, fixed) - oracle_loss(population, budgets)
    return gap, difference.std(axis=0, ddof=1) / np.sqrt(len(error))


def counts_without_noise(
    share: NDArray[np.float64], sigma: NDArray[np.float64], a: float, budget: float
) -> NDArray[np.float64]:
    """Find the counts at which all scores p/n (sigma + (a/n)^(1/4)) with the true sigma are level.

    They are what MASA's counts come to when its estimates of sigma carry no noise, at any budget, however large.

    Parameters
    ----------
    share, sigma : ndarray of float, shape (G,)
    a : float
    budget : float

    Returns
    -------
    ndarray of float, shape (G,)
        Their sum is the budget.
    """
    from scipy.optimize import brentq

    log_share = np.log(share)

    def counts(level: float) -> NDArray[np.float64]:
        low, high = np.full(len(share), -30.0), np.full(len(share), np.log(budget) + 1.0)
        middle, before = (low + high) / 2, low
        while (middle != before).any():  # halve until no number lies between low and high
            above = log_share - middle + np.log(sigma + (a / np.exp(middle)) ** 0.25) > level
            low, high = np.where(above, middle, low), np.where(above, high, middle)
            middle, before = (low + high) / 2, middle
        solved: NDArray[np.float64] = np.exp(low)
        return solved

    level = brentq(
        lambda level: np.log(counts(level).sum() / budget), -np.log(budget) - 30.0, 30.0, xtol=1e-13
    )
    n = counts(float(level))
    scaled: NDArray[np.float64] = n * (budget / n.sum())
    return scaled


def gap_without_noise(population: Population, a: float, budget: float) -> float:
    """Loss at `counts_without_noise` minus the optimum: what exploration alone costs.

    Strata without any uncertainty take a share of about N^(-1/5) of the budget, since only (a/n)^(1/4) drives
    them; then the gap falls like N^(-6/5). Where all sigma are over 0, as Theorem 2 supposes, it falls like
    N^(-3/2) in the end.
    """
    sigma = np.sqrt(population.uncertainty)
    n = counts_without_noise(population.share, sigma, a, budget)
    weight = population.share * sigma
    return float((weight**2 / n).sum() - weight.sum() ** 2 / budget)


def _a(condition: str, labels: int, K: int, budget: float) -> float:
    """Return 1, or a little more than Theorem 2 asks for: the condition is strict."""
    return 1.01 * least_a(labels, K, budget) if condition == "respected" else 1.0


def theorem_2(
    population: Population, *, labels: int, K: int, budgets: Sequence[int], setting: Setting
) -> pd.DataFrame:
    """Measure the loss gap of one case at every budget, with a as the theorem asks and with a=1.

    Parameters
    ----------
    population : Population
        The case over (label, difficulty).
    labels, K : int
    budgets : sequence of int
        Each over 4 L K, as the theorem asks.
    setting : Setting

    Returns
    -------
    DataFrame
        Columns `THEOREM_2_COLUMNS`.

    Raises
    ------
    InputError
        If fewer than three budgets are over 4 L K.
    """
    used = [budget for budget in budgets if budget > 4 * labels * K]
    if len(used) < 3:
        raise InputError(
            f"key studies.theorem_2.budgets: found {list(budgets)}, case {population.name} needs three over "
            f"4 L K = {4 * labels * K}"
        )
    n = np.array(used, dtype=np.int64)
    tables = []
    for condition in CONDITIONS:
        a = [_a(condition, labels, K, budget) for budget in used]
        if condition == "respected":  # a grows with N: one run a budget
            parts = [loss_gap(population, n[i : i + 1], a[i], setting) for i in range(len(used))]
            gap, gap_se = (np.concatenate(columns) for columns in zip(*parts))
        else:
            gap, gap_se = loss_gap(population, n, a[0], setting)
        quiet = np.array([gap_without_noise(population, a_n, budget) for budget, a_n in zip(used, a)])
        slope = log_log_slope(n, gap, gap_se)
        far = np.array([gap_without_noise(population, _a(condition, labels, K, N), N) for N in FAR])
        tables.append(
            pd.DataFrame(
                {
                    "case": population.name,
                    "condition": condition,
                    "a": a,
                    "budget": used,
                    "optimum": oracle_loss(population, n),
                    "gap": gap,
                    "gap_se": gap_se,
                    "gap_without_noise": quiet,
                    "slope": slope.value,
                    "slope_low": slope.low,
                    "slope_high": slope.high,
                    "slope_without_noise": log_log_slope(n, quiet, 0.01 * quiet).value,
                    "slope_far": log_log_slope(np.array(FAR), far, 0.01 * far).value,
                    "certain_strata": int((population.uncertainty < 1e-12).sum()),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)[list(THEOREM_2_COLUMNS)]
