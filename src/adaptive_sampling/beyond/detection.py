"""Did the accuracy, or any cell of the confusion matrix, change by more than x? Queries until a decision.

A sequence of intervals that holds at all looks at once (Robbins, "Statistical methods related to the law of the
iterated logarithm", 1970): for a normal estimate with variance s^2 that shrinks as queries are added,

    |estimate - truth| <= s^2 sqrt((1/s^2 + eta) log((1/s^2 + eta) / (eta alpha^2)))

at every look with probability 1 - alpha, whatever eta > 0. The test stops when the interval lies on one side of the
threshold.
With eta = 1/x^2 the interval is near its narrowest when s is about x/3, where decisions fall. For cells, each of them
gets an equal share of alpha: some cell changed if one interval lies above x, none did if all lie below.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.beyond.experiment import Dataset, Setting, grown, strata_for
from adaptive_sampling.beyond.intervals import accuracy_change, model_change
from adaptive_sampling.beyond.samplers import (
    METHODS,
    Knowledge,
    Method,
)
from adaptive_sampling.beyond.stopping import Rule, look_grid
from adaptive_sampling.beyond.strata import KnownStrata
from adaptive_sampling.beyond.stress import StressShift, stress_replay
from adaptive_sampling.montecarlo import Trials, run_blocks

DETECTION_COLUMNS: Final = {
    "case": "text",
    "of": "text",
    "method": "text",
    "replacement": "flag",
    "threshold": "number",
    "change": "number",
    "changed": "flag",
    "said_changed": "number",
    "undecided": "number",
    "wrong": "number",
    "wrong_se": "number",
    "mean_queries": "number",
}
"""Columns of ``detection.csv``: shares of the trials. `of` is ``accuracy`` or ``cells``, `change` the true change of
the accuracy or of the cell that changed most, `changed` whether that is over the threshold; `mean_queries` counts
undecided trials with all the queries that they made."""

TESTED: Final = {"uniform": METHODS["prediction_powered"], "posterior": METHODS["posterior"]}
"""The test on uniform sampling, which compares new with old answers, and on the proposed sampler."""

POWER: Final = tuple(
    StressShift(f"power_{round(1000 * change):03d}", 8, 20_000, 0.8, change, "hard")
    for change in (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08)
)
"""One dataset with a growing share of changed answers, for power curves."""


def detection_table(
    datasets: Sequence[Dataset],
    replacements: Sequence[bool],
    threshold: float,
    confidence: float,
    knowledge: Knowledge,
    rule: Rule,
    setting: Setting,
) -> pd.DataFrame:
    """Run the test to its decision, or to the last budget of the setting, on every dataset.

    Parameters
    ----------
    datasets : sequence of Dataset
    replacements : sequence of bool
    threshold : float
        x, the accuracy change that matters.
    confidence : float
        1 - alpha.
    knowledge : Knowledge
    rule : Rule
        When to look.
    setting : Setting

    Returns
    -------
    DataFrame
        Columns `DETECTION_COLUMNS`.
    """
    rows = []
    alpha = 1.0 - confidence
    for dataset, replacement, (name, method) in product(datasets, replacements, TESTED.items()):
        strata = strata_for(dataset, method, setting.K)
        population = strata.population
        looks, limits = _far_enough(strata, method, replacement, threshold, alpha, knowledge, rule, setting)
        shift = population.shift
        truths = {"accuracy": float(np.trace(shift)), "cells": float(shift.flat[np.abs(shift).argmax()])}
        for of, truth in truths.items():
            decided, yes = decisions(limits[of], threshold)
            changed = abs(truth) > threshold
            wrong = float(((decided < len(looks)) & (yes != changed)).mean())
            rows.append(
                (
                    dataset.name,
                    of,
                    name,
                    replacement,
                    threshold,
                    truth,
                    changed,
                    float(((decided < len(looks)) & yes).mean()),
                    float((decided == len(looks)).mean()),
                    wrong,
                    np.sqrt(wrong * (1.0 - wrong) / setting.trials),
                    float(looks[np.minimum(decided, len(looks) - 1)].mean()),
                )
            )
    return pd.DataFrame(rows, columns=list(DETECTION_COLUMNS))


def _far_enough(
    strata: KnownStrata,
    method: Method,
    replacement: bool,
    threshold: float,
    alpha: float,
    knowledge: Knowledge,
    rule: Rule,
    setting: Setting,
) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
    """Look until all are decided: the looks, and limits of the accuracy change and of the largest cell change."""
    items = int(strata.population.size.sum())
    last = setting.last if replacement else min(setting.last, items)
    eta = 1.0 / threshold**2

    def run(trials: int, reach: int) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
        looks = np.unique(np.append(look_grid(1, reach, rule), reach)).astype(np.int64)
        block = partial(
            _limits_of_block, strata, method, looks, knowledge, replacement, eta, alpha, setting.seed
        )
        title = f"{strata.population.name} {method.name} detection"
        parts = run_blocks(block, trials, jobs=setting.jobs, backend=setting.backend, title=title)
        accuracy, cells = (np.concatenate(part) for part in zip(*parts))
        estimate, half = np.abs(accuracy[..., 0]), half_width(accuracy[..., 1], eta, alpha)
        return looks, {"accuracy": np.stack([estimate - half, estimate + half], axis=-1), "cells": cells}

    def enough(result: tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]) -> bool:
        looks, limits = result
        return all(bool((decisions(each, threshold)[0] < len(looks)).all()) for each in limits.values())

    return grown(run, enough, first=500, last=last, trials=setting.trials)


def half_width(variance: NDArray[np.float64], eta: float, alpha: float) -> NDArray[np.float64]:
    """Half the width of an interval that holds at all looks at once; 0 where the variance is 0.

    Parameters
    ----------
    variance : ndarray of float
        s^2.
    eta : float
        Where the interval is narrow, over 0.
    alpha : float
        Probability that it ever fails.
    """
    information = 1.0 / np.where(variance > 0, variance, 1.0) + eta
    width: NDArray[np.float64] = variance * np.sqrt(information * np.log(information / (eta * alpha**2)))
    return width


def decisions(limits: NDArray[np.float64], threshold: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """First look at which the interval lies on one side of the threshold, and on which.

    Parameters
    ----------
    limits : ndarray of float, shape (trials, B, 2)
        Lower and upper limits of what changed.
    threshold : float

    Returns
    -------
    look : ndarray of int64, shape (trials,)
        B where there is no decision.
    changed : ndarray of bool, shape (trials,)

    Examples
    --------
    >>> decisions(np.array([[[0.02, 0.04]], [[0.0, 0.01]]]), 0.01)[1].tolist()
    [True, False]
    """
    above, below = limits[..., 0] > threshold, limits[..., 1] <= threshold
    either = above | below
    look: NDArray[np.int64] = np.where(either.any(axis=1), either.argmax(axis=1), either.shape[1])
    at = np.minimum(look, either.shape[1] - 1)
    changed: NDArray[np.bool_] = np.take_along_axis(above, at[:, None], axis=1)[:, 0]
    return look, changed


def power_datasets(seed: int) -> list[Dataset]:
    """Make the datasets of the power curves."""
    return [Dataset(shift.name, stress_replay(shift, seed), shift.labels, shift.labels) for shift in POWER]


def _limits_of_block(
    strata: KnownStrata,
    method: Method,
    looks: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    eta: float,
    alpha: float,
    seed: int,
    trials: Trials,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy changes and their variances, and limits of the cell that changed most, of one block."""
    count = method.counts(strata, looks, knowledge, replacement, seed, trials)
    accuracy = accuracy_change(strata, method, count, knowledge, replacement, seed, trials)
    return accuracy, model_change(strata, method, count, replacement, eta, alpha, seed, trials)[1]
