"""Did the accuracy change by more than x at all? Queries until a decision that is right with 95%.

A sequence of intervals that holds at all looks at once (Robbins, "Statistical methods related to the law of the
iterated logarithm", 1970): for a normal estimate with variance s^2 that shrinks as queries are added,

    |estimate - truth| <= s^2 sqrt((1/s^2 + eta) log((1/s^2 + eta) / (eta alpha^2)))

at every look with probability 1 - alpha, whatever eta > 0. The test stops when the interval lies on one side of the
threshold.
With eta = 1/x^2 the interval is near its narrowest when s is about x/3, where decisions fall.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.beyond import kernels
from adaptive_sampling.beyond.experiment import Dataset, Setting, strata_for
from adaptive_sampling.beyond.samplers import (
    METHODS,
    Knowledge,
    Method,
    known_arrays,
    least_rates,
    smoothing,
    words,
)
from adaptive_sampling.beyond.stopping import Rule, look_grid
from adaptive_sampling.beyond.strata import KnownStrata
from adaptive_sampling.beyond.stress import StressShift, stress_replay
from adaptive_sampling.montecarlo import Trials, run_blocks

DETECTION_COLUMNS: Final = {
    "case": "text",
    "method": "text",
    "replacement": "flag",
    "threshold": "number",
    "accuracy_change": "number",
    "changed": "flag",
    "said_changed": "number",
    "undecided": "number",
    "wrong": "number",
    "wrong_se": "number",
    "mean_queries": "number",
}
"""Columns of ``detection.csv``: shares of the trials; `changed` is the truth, `mean_queries` counts undecided trials
with all the queries that they made."""

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
    for dataset, replacement, (name, method) in product(datasets, replacements, TESTED.items()):
        strata = strata_for(dataset, method, setting.K)
        population = strata.population
        last = setting.last if replacement else min(setting.last, int(population.size.sum()))
        looks = look_grid(1, last, rule)
        looks = np.unique(np.append(looks, last)).astype(np.int64)
        run = partial(_accuracy_of_block, strata, method, looks, knowledge, replacement, setting.seed)
        title = f"{dataset.name} {name} detection"
        parts = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
        decided, yes = decisions(np.concatenate(parts), threshold, 1.0 - confidence)
        truth = float(np.trace(population.shift))
        changed = abs(truth) > threshold
        wrong = float(((decided < len(looks)) & (yes != changed)).mean())
        rows.append(
            (
                dataset.name,
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


def decisions(
    accuracy: NDArray[np.float64], threshold: float, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """First look at which the interval lies on one side of the threshold, and on which.

    Parameters
    ----------
    accuracy : ndarray of float, shape (trials, B, 2)
        Estimates and their variances.
    threshold, alpha : float

    Returns
    -------
    look : ndarray of int64, shape (trials,)
        B where there is no decision.
    changed : ndarray of bool, shape (trials,)

    Examples
    --------
    >>> exact = np.array([[[0.03, 0.0]], [[0.001, 0.0]]])
    >>> decisions(exact, 0.01, 0.05)[1].tolist()
    [True, False]
    """
    estimate = np.abs(accuracy[..., 0])
    half = half_width(accuracy[..., 1], 1.0 / threshold**2, alpha)
    above, below = estimate - half > threshold, estimate + half <= threshold
    either = above | below
    look: NDArray[np.int64] = np.where(either.any(axis=1), either.argmax(axis=1), either.shape[1])
    at = np.minimum(look, either.shape[1] - 1)
    changed: NDArray[np.bool_] = np.take_along_axis(above, at[:, None], axis=1)[:, 0]
    return look, changed


def power_datasets(seed: int) -> list[Dataset]:
    """Make the datasets of the power curves."""
    return [Dataset(shift.name, stress_replay(shift, seed), shift.labels, shift.labels) for shift in POWER]


def _accuracy_of_block(
    strata: KnownStrata,
    method: Method,
    looks: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.float64]:
    """Estimates and variances of one block, shape (trials, B, 2)."""
    population = strata.population
    count = method.counts(strata, looks, knowledge, replacement, seed, trials)
    accuracy = np.empty((*count.shape[:2], 2))
    kernels.accuracy_at_counts(
        *known_arrays(strata),
        population.old,
        smoothing(method, knowledge),
        knowledge.caution,
        least_rates(strata, knowledge),
        method.estimator == "difference",
        knowledge.kappa,
        replacement,
        words(strata, seed),
        trials.first,
        count,
        accuracy,
    )
    return accuracy
