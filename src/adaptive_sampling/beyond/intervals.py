"""Intervals for each cell of the shift and for the accuracy change, and the bias of adaptive sampling.

A stratum that starts quiet is asked less, so that its late changes are seen less often than they are there. Means
of adaptively chosen numbers of answers therefore undercount change. Two ways out:

- A posterior does not depend on how the counts came about, but on its model. The change model reads the answers of
  any sampler, and errs in other ways than the sampler's own means: where the two disagree, the interval says so.
- What a *fresh* second half of the answers says, taken in numbers that the first half has fixed, has no bias whatever
  the truth: given the numbers, each stratum's mean is an average of independent draws.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from adaptive_sampling.beyond import reading
from adaptive_sampling.beyond.change_model import change_groups, change_prior
from adaptive_sampling.beyond.experiment import Dataset, Setting, strata_for
from adaptive_sampling.beyond.samplers import (
    METHODS,
    Knowledge,
    Method,
    known_arrays,
    least_budget,
    smoothing,
    words,
)
from adaptive_sampling.beyond.strata import KnownStrata
from adaptive_sampling.montecarlo import Trials, run_blocks

WIDTHS: Final = (1.0, 1.2, 1.4)
"""Factors on the normal interval whose coverage is measured."""

ROUNDING: Final = 1e-12
"""Differences of shares below this are rounding."""

INTERVAL_COLUMNS: Final = {
    "case": "text",
    "method": "text",
    "replacement": "flag",
    "queries": "integer",
    "width": "number",
    "accuracy_change": "number",
    "bias": "number",
    "bias_se": "number",
    "sd": "number",
    "model_bias": "number?",
    "model_sd": "number?",
    "coverage": "number",
    "half_width": "number",
    "cells": "integer",
    "cell_coverage": "number?",
    "worst_cell_coverage": "number?",
    "cell_half_width": "number?",
}
"""Columns of ``intervals.csv``. Bias and standard deviation are those of the method's own estimate of the accuracy
change; those of the change model follow, then the coverage and mean half width of the intervals. The last three
columns are the mean and the lowest coverage over all cells that hold an item at either date, and the mean half width
of their intervals."""


def interval_table(
    dataset: Dataset,
    chosen: Sequence[Method],
    replacements: Sequence[bool],
    queries: dict[bool, int],
    confidence: float,
    knowledge: Knowledge,
    setting: Setting,
) -> pd.DataFrame:
    """Measure bias and coverage of every method at one number of queries.

    Parameters
    ----------
    dataset : Dataset
    chosen : sequence of Method
    replacements : sequence of bool
    queries : dict of bool to int
        Queries with and without replacement; a method that needs more to start makes those.
    confidence : float
        Nominal coverage.
    knowledge : Knowledge
    setting : Setting

    Returns
    -------
    DataFrame
        Columns `INTERVAL_COLUMNS`, one row a method, kind of replacement and width. The method
        ``posterior_fresh`` (with replacement) is the proposed sampler with half the queries, and the estimate of
        as many fresh answers.
    """
    z = float(special.ndtri(0.5 + 0.5 * confidence))
    rows: list[tuple[object, ...]] = []
    for replacement, method in product(replacements, chosen):
        strata = strata_for(dataset, method, setting.K)
        population = strata.population
        made = max(queries[replacement], least_budget(strata, method))
        run = partial(_cells_of_block, strata, method, made, knowledge, replacement, setting.seed)
        title = f"{dataset.name} {method.name} intervals"
        parts = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
        shift, variance, own, modelled = (np.concatenate(part) for part in zip(*parts))
        there = (population.old > 0) | (population.new > 0)
        accuracy, spread = own[:, 0], own[:, 1] + (own[:, 0] - modelled) ** 2
        truth = float(np.trace(population.shift))
        for width in WIDTHS:
            inside = np.abs(shift - population.shift) <= z * width * np.sqrt(variance) + ROUNDING
            by_cell = inside.mean(axis=0)[there]
            rows.append(
                (
                    dataset.name,
                    method.name,
                    replacement,
                    made,
                    width,
                    truth,
                    accuracy.mean() - truth,
                    accuracy.std(ddof=1) / np.sqrt(setting.trials),
                    accuracy.std(ddof=1),
                    modelled.mean() - truth,
                    modelled.std(ddof=1),
                    *_covered(accuracy, spread, truth, z * width),
                    int(there.sum()),
                    by_cell.mean(),
                    by_cell.min(),
                    z * width * np.sqrt(variance)[:, there].mean(),
                )
            )
    if True in replacements:
        rows.extend(_fresh_rows(dataset, queries[True], z, knowledge, setting))
    return pd.DataFrame(rows, columns=list(INTERVAL_COLUMNS))


def _cells_of_block(
    strata: KnownStrata,
    method: Method,
    queries: int,
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Read one block.

    Returns estimate and variance of every cell, shape (trials, L, J), the accuracy change and its variance, shape
    (trials, 2), and the accuracy change by the change model, shape (trials,).
    """
    population = strata.population
    count = method.counts(strata, np.array([queries], dtype=np.int64), knowledge, replacement, seed, trials)
    shift, variance = np.empty((2, trials.count, 1, *population.old.shape))
    reading.cells_at_counts(
        *known_arrays(strata),
        population.old,
        smoothing(method, knowledge),
        knowledge.kappa,
        replacement,
        words(strata, seed),
        trials.first,
        count,
        shift,
        variance,
    )
    own = accuracy_change(strata, method, count, knowledge, replacement, seed, trials)
    # Only the accuracy change of the model is read, not its limits for cells.
    modelled, _ = model_change(strata, method, count, replacement, 1.0, 1.0, seed, trials)
    return shift[:, 0], variance[:, 0], own[:, 0], modelled[:, 0]


def accuracy_change(
    strata: KnownStrata,
    method: Method,
    count: NDArray[np.int32],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.float64]:
    """Accuracy change by a method's own estimate, and its cautious variance, shape (trials, B, 2)."""
    accuracy = np.empty((*count.shape[:2], 2))
    reading.accuracy_at_counts(
        *known_arrays(strata),
        strata.population.old,
        smoothing(method, knowledge),
        knowledge.caution,
        knowledge.unseen,
        method.estimator == "difference",
        knowledge.kappa,
        replacement,
        words(strata, seed),
        trials.first,
        count,
        accuracy,
    )
    return accuracy


def model_change(
    strata: KnownStrata,
    method: Method,
    count: NDArray[np.int32],
    replacement: bool,
    eta: float,
    alpha: float,
    seed: int,
    trials: Trials,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy change by the change model, and how far any cell may have changed, at given counts of any strata.

    Parameters
    ----------
    strata : KnownStrata
    method : Method
        One that draws uniformly and compares answers is read without the model, by paired differences.
    count : ndarray of int32, shape (trials, B, strata)
    replacement : bool
    eta, alpha : float
        Of the limits of cells, see `adaptive_sampling.beyond.reading.change_at_counts`.
    seed : int
    trials : Trials

    Returns
    -------
    accuracy : ndarray of float, shape (trials, B)
    cells : ndarray of float, shape (trials, B, 2)
    """
    accuracy, cells = np.empty(count.shape[:2]), np.empty((*count.shape[:2], 2))
    reading.change_at_counts(
        strata.population.answers,
        strata.population.start,
        strata.population.old,
        strata.pools,
        *change_groups(strata).arrays,
        change_prior(),
        method.estimator == "difference",
        replacement,
        eta,
        alpha,
        words(strata, seed),
        trials.first,
        count,
        accuracy,
        cells,
    )
    return accuracy, cells


def _covered(
    estimate: NDArray[np.float64], variance: NDArray[np.float64], truth: float, z: float
) -> tuple[float, float]:
    """How often estimate +- z standard errors holds the truth, and its mean half width."""
    half = z * np.sqrt(variance)
    return float((np.abs(estimate - truth) <= half + ROUNDING).mean()), float(half.mean())


def fresh_accuracy(
    strata: KnownStrata, queries: int, knowledge: Knowledge, seed: int, trials: Trials
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Accuracy change from fresh answers, in numbers that the proposed sampler fixed with half the queries.

    With replacement. A stratum that the first half left out gets one fresh answer, so that the estimate is unbiased:
    E[sum_g p_g Hfresh_g / n_g] = sum_g p_g mu_g for any n_g >= 1 that do not depend on the fresh answers.

    Parameters
    ----------
    strata : KnownStrata
    queries : int
    knowledge : Knowledge
    seed : int
    trials : Trials

    Returns
    -------
    change, variance : ndarray of float, shape (trials,)
    made : ndarray of int64, shape (trials,)
        Queries made in all.
    """
    population = strata.population
    half = np.array([max(1, queries // 2)], dtype=np.int64)
    count = METHODS["posterior"].counts(strata, half, knowledge, True, seed, trials)[:, 0]
    fresh = np.maximum(count, 1)
    right = np.empty((2, trials.count, population.strata), np.int64)
    for place, upto in enumerate((count, count + fresh)):
        reading.right_at_counts(
            population.answers,
            population.start,
            population.stratum_label,
            words(strata, seed),
            trials.first,
            upto,
            right[place],
        )
    seen = right[1] - right[0]
    change = (population.share * seen / fresh).sum(axis=1) - np.trace(population.old)
    # A stratum with few fresh answers is drawn towards its pool's share of right ones.
    in_pool = (strata.pool[:, None] == np.arange(strata.pools)).astype(np.float64)
    pooled = ((seen @ in_pool + 0.5) / (fresh @ in_pool + 1.0))[:, strata.pool]
    rate = (seen + knowledge.caution * pooled) / (fresh + knowledge.caution)
    variance = (population.share**2 * rate * (1.0 - rate) / fresh).sum(axis=1)
    return change, variance, count.sum(axis=1) + fresh.sum(axis=1)


def _fresh_rows(
    dataset: Dataset, queries: int, z: float, knowledge: Knowledge, setting: Setting
) -> list[tuple[object, ...]]:
    """Rows of ``posterior_fresh``: it speaks of the accuracy change alone."""
    strata = strata_for(dataset, METHODS["posterior"], setting.K)
    run = partial(fresh_accuracy, strata, queries, knowledge, setting.seed)
    title = f"{dataset.name} posterior_fresh intervals"
    parts = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
    change, variance, made = (np.concatenate(part) for part in zip(*parts))
    truth = float(np.trace(strata.population.shift))
    deviation = change.std(ddof=1)
    return [
        (
            dataset.name,
            "posterior_fresh",
            True,
            round(made.mean()),
            width,
            truth,
            change.mean() - truth,
            deviation / np.sqrt(setting.trials),
            deviation,
            None,
            None,
            *_covered(change, variance, truth, z * width),
            0,
            None,
            None,
            None,
        )
        for width in WIDTHS
    ]
