"""A rule that stops by itself once the error is, with the wanted confidence, as small as wanted.

The squared error of the estimate is a quadratic form in nearly normal variables. Its mean m and variance w follow
from the covariances V_i of the rows of the estimate, and a scaled chi-squared distribution with the same two
moments (Satterthwaite) gives its quantile. What makes the rule safe is `cautious_means`: a stratum that has not
been seen to change is not taken to be certain, but given half a change in two answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from adaptive_sampling.beyond import kernels
from adaptive_sampling.beyond.experiment import Dataset, Setting, grown, strata_for, table_of
from adaptive_sampling.beyond.samplers import (
    Knowledge,
    Method,
    known_arrays,
    least_budget,
    least_rates,
    smoothing,
    words,
)
from adaptive_sampling.beyond.strata import KnownStrata
from adaptive_sampling.montecarlo import Trials, run_blocks

STOPPING_COLUMNS: Final = {
    "case": "text",
    "method": "text",
    "replacement": "flag",
    "target": "number",
    "confidence": "number",
    "coverage": "number",
    "coverage_se": "number",
    "mean_queries": "number",
    "queries_needed": "integer?",
}
"""Columns of ``stopping.csv``."""


@dataclass(frozen=True)
class Rule:
    """When to stop.

    Attributes
    ----------
    first_look : int
        Queries before the first look.
    growth : float
        Queries between two looks, as a share of those made so far.
    least_growth : int
        The same in queries, at least.
    margin : float
        Factor on the quantile of the error.
    looks : int
        How many looks in a row must agree.
    """

    first_look: int = 100
    growth: float = 0.04
    least_growth: int = 25
    margin: float = 1.1
    looks: int = 2


def look_grid(least: int, last: int, rule: Rule) -> NDArray[np.int64]:
    """Numbers of queries at which the rule looks, from the first that it may to `last`.

    Examples
    --------
    >>> look_grid(1, 200, Rule()).tolist()
    [100, 125, 150, 175, 200]
    """
    looks = [rule.first_look]
    while looks[-1] < last:
        looks.append(looks[-1] + max(rule.least_growth, int(np.ceil(rule.growth * looks[-1]))))
    grid = np.array(looks, dtype=np.int64)
    return grid[(grid >= least) & (grid <= last)]


def error_quantile(moments: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
    """Quantile of the Frobenius error: sqrt(w / (2m) chi2_q(2 m^2 / w)).

    Parameters
    ----------
    moments : ndarray of float, shape (..., 2)
        m and w, mean and variance of the squared error.
    confidence : float

    Returns
    -------
    ndarray of float, shape (...)
        0 where m is 0: everything is known.
    """
    m, w = moments[..., 0], moments[..., 1]
    known = m <= 0
    w = np.where(known, 1.0, np.maximum(w, 1e-300))
    freedom = np.where(known, 1.0, 2.0 * m**2 / w)
    quantile: NDArray[np.float64] = np.sqrt(
        np.where(known, 0.0, w / np.where(known, 1.0, 2.0 * m) * special.chdtri(freedom, 1.0 - confidence))
    )
    return quantile


def stopping_looks(bound: NDArray[np.float64], target: float, looks: int) -> NDArray[np.int64]:
    """Index of the look at which each trial stops: the last of the first `looks` in a row at or below the target.

    Parameters
    ----------
    bound : ndarray of float, shape (trials, B)
    target : float
    looks : int

    Returns
    -------
    ndarray of int64, shape (trials,)
        B where a trial never stops.

    Examples
    --------
    >>> stopping_looks(np.array([[3.0, 1.0, 2.0, 1.0, 1.0], [3.0, 3.0, 3.0, 3.0, 1.0]]), 1.0, 2).tolist()
    [4, 5]
    """
    below = bound <= target
    run = np.ones_like(below[:, : below.shape[1] - looks + 1])
    for k in range(looks):
        run &= below[:, k : below.shape[1] - looks + 1 + k]
    stopped: NDArray[np.int64] = np.where(run.any(axis=1), run.argmax(axis=1) + looks - 1, below.shape[1])
    return stopped


@dataclass(frozen=True)
class Paths:
    """Trials at every look.

    Attributes
    ----------
    queries : ndarray of int64, shape (B,)
    looked : ndarray of bool, shape (B,)
        Where the rule looks; at the other numbers of queries errors are only measured.
    error : ndarray of float, shape (trials, B)
        Squared Frobenius error.
    moments : ndarray of float, shape (trials, B, 2)
        What the rule sees, see `error_quantile`.
    """

    queries: NDArray[np.int64]
    looked: NDArray[np.bool_]
    error: NDArray[np.float64]
    moments: NDArray[np.float64]


def _paths_of_block(
    strata: KnownStrata,
    method: Method,
    queries: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    settled: float,
    confidence: float,
    looks: int,
    seed: int,
    trials: Trials,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Errors and moments of one block; moments until a squared error of `settled` is certain enough."""
    population = strata.population
    count = method.counts(strata, queries, knowledge, replacement, seed, trials)
    error, moments = np.empty(count.shape[:2]), np.empty((*count.shape[:2], 2))
    kernels.bounds_at_counts(
        *known_arrays(strata),
        population.new,
        smoothing(method, knowledge),
        knowledge.caution,
        least_rates(strata, knowledge),
        knowledge.kappa,
        settled,
        float(special.ndtri(confidence)),
        looks,
        replacement,
        words(strata, seed),
        trials.first,
        count,
        error,
        moments,
    )
    return error, moments


def stopping_table(
    dataset: Dataset,
    chosen: Sequence[Method],
    replacements: Sequence[bool],
    targets: Sequence[float],
    confidences: Sequence[float],
    last: int,
    knowledge: Knowledge,
    rule: Rule,
    setting: Setting,
) -> pd.DataFrame:
    """How often the rule stops at an error that is as small as wanted, and after how many queries.

    Parameters
    ----------
    dataset : Dataset
    chosen : sequence of Method
    replacements : sequence of bool
    targets, confidences : sequence of float
        Every pair of the two is measured, on the same trials.
    last : int
        Queries after which a trial that has not stopped is stopped.
    knowledge : Knowledge
    rule : Rule
    setting : Setting
        Its target, confidence and budgets are not read.

    Returns
    -------
    DataFrame
        Columns `STOPPING_COLUMNS`. `queries_needed` is the smallest look, or smaller number of queries on a
        grid of the same growth, at which enough trials have the wanted error.
    """
    rows = []
    for replacement, method in product(replacements, chosen):
        strata = strata_for(dataset, method, setting.K)
        paths = _far_enough(
            strata, method, replacement, min(targets), max(confidences), last, knowledge, rule, setting
        )
        looked = paths.looked
        for confidence in confidences:
            bound = rule.margin * error_quantile(paths.moments[:, looked], confidence)
            for target in targets:
                stopped = np.minimum(stopping_looks(bound, target, rule.looks), bound.shape[1] - 1)
                error = np.take_along_axis(paths.error[:, looked], stopped[:, None], axis=1)[:, 0]
                coverage = float((error <= target**2).mean())
                reached = (paths.error <= target**2).mean(axis=0) >= confidence - 1e-12
                rows.append(
                    (
                        dataset.name,
                        method.name,
                        replacement,
                        target,
                        confidence,
                        coverage,
                        np.sqrt(coverage * (1.0 - coverage) / setting.trials),
                        float(paths.queries[looked][stopped].mean()),
                        int(paths.queries[reached.argmax()]) if reached.any() else None,
                    )
                )
    return table_of(rows, STOPPING_COLUMNS)


def _far_enough(
    strata: KnownStrata,
    method: Method,
    replacement: bool,
    target: float,
    confidence: float,
    last: int,
    knowledge: Knowledge,
    rule: Rule,
    setting: Setting,
) -> Paths:
    """Trials at all looks until every one of them has stopped."""
    least = least_budget(strata, method)
    items = int(strata.population.size.sum())

    def run(trials: int, reach: int) -> Paths:
        early = np.unique(np.round(1.08 ** np.arange(80)).astype(np.int64))
        early = early[(early >= least) & (early < min(rule.first_look, reach))]
        looks = look_grid(least, reach, rule)
        if not replacement:
            # Once every item has been asked, two looks confirm that nothing is left to know.
            beyond = looks >= items
            looks = looks[~beyond | (beyond.cumsum() <= rule.looks)]
        queries = np.concatenate([early, looks])
        block = partial(
            _paths_of_block,
            strata,
            method,
            queries,
            knowledge,
            replacement,
            (target / rule.margin) ** 2,
            confidence,
            rule.looks,
            setting.seed,
        )
        title = f"{strata.population.name} {method.name} stopping"
        parts = run_blocks(block, trials, jobs=setting.jobs, backend=setting.backend, title=title)
        error, moments = (np.concatenate(part) for part in zip(*parts))
        looked = np.arange(len(queries)) >= len(early)
        return Paths(queries if replacement else np.minimum(queries, items), looked, error, moments)

    def enough(paths: Paths) -> bool:
        bound = rule.margin * error_quantile(paths.moments[:, paths.looked], confidence)
        return bool((stopping_looks(bound, target, rule.looks) < bound.shape[1]).all())

    # The first reach holds a few looks, whatever the strata need.
    return grown(run, enough, first=max(1000, 2 * least), last=max(last, 2 * least), trials=setting.trials)
