"""Rules that stop by themselves once the error is, with the wanted confidence, as small as wanted.

The squared error of the estimate is a quadratic form in nearly normal variables. Its mean m and variance w follow
from the covariances V_i of the rows of the estimate, and a scaled chi-squared distribution with the same two
moments (Satterthwaite) gives its quantile. Rules differ in what they take V_i to be:

- ``change_model``, for strata of one old answer each: the posterior of `adaptive_sampling.beyond.change_model`. As this
  trusts groups to be alike, no group may be able to cause the whole error alone, judged by its own answers.
- ``pooled``: the same without that last condition.
- ``cautious``, for any strata: `cautious_means`. A stratum that has not been seen to change is not taken to be
  certain, but given half a change in two answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from adaptive_sampling.beyond import reading
from adaptive_sampling.beyond.change_model import change_prior
from adaptive_sampling.beyond.experiment import Dataset, Setting, grown, strata_for, table_of
from adaptive_sampling.beyond.samplers import (
    Knowledge,
    Method,
    known_arrays,
    least_budget,
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

RULE_COLUMNS: Final = {
    "case": "text",
    "rule": "text",
    "margin": "number",
    **{name: kind for name, kind in STOPPING_COLUMNS.items() if name not in ("case", "method")},
}
"""Columns of ``stopping_rules.csv``: rules and margins on the proposed sampler."""

MARGINS: Final = {"change_model": 1.1, "pooled": 1.1, "cautious": 1.1}
"""The margin of each rule."""

TRADED: Final = (0.8, 0.9, 1.0, 1.1)
"""Margins whose coverage and cost are compared; none is above those of `MARGINS`."""

COMPARED: Final = 200
"""Trials, at most, of a rule that a method does not stop by, for comparison."""


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
    reach : float
        Largest factor on the quantile of the error with which any rule decides.
    looks : int
        How many looks in a row must agree.
    """

    first_look: int = 100
    growth: float = 0.04
    least_growth: int = 25
    reach: float = 1.1
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
    alone : ndarray of float, shape (trials, B, C)
        Largest error that one group alone could cause, at each confidence; 0 where the rule does not ask.
    """

    queries: NDArray[np.int64]
    looked: NDArray[np.bool_]
    error: NDArray[np.float64]
    moments: NDArray[np.float64]
    alone: NDArray[np.float64]

    def bound(self, place: int, confidence: float, margin: float, alone: bool = True) -> NDArray[np.float64]:
        """Bound on the error at every look, shape (trials, looks), at the confidence of that place."""
        bound = margin * error_quantile(self.moments[:, self.looked], confidence)
        return np.maximum(bound, self.alone[:, self.looked, place]) if alone else bound


def models_change(method: Method) -> bool:
    """Whether a method's strata hold one old answer each, which the rule ``change_model`` needs."""
    return "old" in method.choice and method.least == 0


def _paths_of_block(
    strata: KnownStrata,
    method: Method,
    queries: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    cautious: bool,
    settled: float,
    confidences: Sequence[float],
    looks: int,
    early: int,
    seed: int,
    trials: Trials,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Errors, moments and errors of one group alone; moments until a squared error of `settled` is certain enough."""
    population = strata.population
    count = method.counts(strata, queries, knowledge, replacement, seed, trials)
    error, moments = np.empty(count.shape[:2]), np.empty((*count.shape[:2], 2))
    alone = np.zeros((*count.shape[:2], len(confidences)))
    normals = special.ndtri(np.array(confidences))
    if cautious:
        reading.bounds_at_counts(
            *known_arrays(strata),
            population.new,
            smoothing(method, knowledge),
            knowledge.caution,
            knowledge.unseen,
            knowledge.kappa,
            settled,
            float(normals[-1]),
            looks,
            early,
            replacement,
            words(strata, seed),
            trials.first,
            count,
            error,
            moments,
        )
    else:
        reading.change_bounds_at_counts(
            *known_arrays(strata),
            population.new,
            strata.item_old[population.start[:-1]].astype(np.int64),
            change_prior(),
            normals,
            smoothing(method, knowledge),
            knowledge.kappa,
            settled,
            looks,
            early,
            replacement,
            words(strata, seed),
            trials.first,
            count,
            error,
            moments,
            alone,
        )
    return error, moments, alone


def stopping_tables(
    dataset: Dataset,
    chosen: Sequence[Method],
    replacements: Sequence[bool],
    targets: Sequence[float],
    confidences: Sequence[float],
    last: int,
    knowledge: Knowledge,
    rule: Rule,
    setting: Setting,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How often rules stop at an error that is as small as wanted, and after how many queries.

    Parameters
    ----------
    dataset : Dataset
    chosen : sequence of Method
    replacements : sequence of bool
    targets, confidences : sequence of float
        Every pair of the two is measured, on the same trials; confidences rise.
    last : int
        Queries after which a trial that has not stopped is stopped.
    knowledge : Knowledge
    rule : Rule
    setting : Setting
        Its target, confidence and budgets are not read.

    Returns
    -------
    stopping, rules : DataFrame
        Columns `STOPPING_COLUMNS` and `RULE_COLUMNS`. In the first, a method stops by ``change_model`` where its strata
        allow that, else by ``cautious``. The second compares all rules and margins on the proposed sampler.
        `queries_needed` is the smallest look, or smaller number of queries on a grid of the same growth, at which
        enough trials have the wanted error.
    """
    rows: list[tuple[object, ...]] = []
    compared: list[tuple[object, ...]] = []
    for replacement, method in product(replacements, chosen):
        strata = strata_for(dataset, method, setting.K)
        own = "change_model" if models_change(method) else "cautious"
        for cautious in (False, True) if models_change(method) else (True,):
            aside = cautious and own != "cautious"
            runs = replace(setting, trials=min(setting.trials, COMPARED)) if aside else setting
            paths = _far_enough(
                strata, method, replacement, cautious, min(targets), confidences, last, knowledge, rule, runs
            )
            for (place, confidence), target in product(enumerate(confidences), targets):
                key = (replacement, target, confidence)
                for name in ("cautious",) if cautious else ("change_model", "pooled"):
                    margins = sorted({*TRADED, MARGINS[name]}) if models_change(method) else [MARGINS[name]]
                    for margin in margins:
                        bound = paths.bound(place, confidence, margin, name != "pooled")
                        measured = _measured(paths, bound, target, confidence, rule)
                        if name == own and margin == MARGINS[name]:
                            rows.append((dataset.name, method.name, *key, *measured))
                        if method.name == "posterior":
                            compared.append((dataset.name, name, margin, *key, *measured))
    return table_of(rows, STOPPING_COLUMNS), table_of(compared, RULE_COLUMNS)


def _measured(
    paths: Paths, bound: NDArray[np.float64], target: float, confidence: float, rule: Rule
) -> tuple[float, float, float, int | None]:
    """Coverage, its standard error, mean queries, and queries needed."""
    stopped = np.minimum(stopping_looks(bound, target, rule.looks), bound.shape[1] - 1)
    error = np.take_along_axis(paths.error[:, paths.looked], stopped[:, None], axis=1)[:, 0]
    coverage = float((error <= target**2).mean())
    reached = (paths.error <= target**2).mean(axis=0) >= confidence - 1e-12
    return (
        coverage,
        float(np.sqrt(coverage * (1.0 - coverage) / len(error))),
        float(paths.queries[paths.looked][stopped].mean()),
        int(paths.queries[reached.argmax()]) if reached.any() else None,
    )


def _far_enough(
    strata: KnownStrata,
    method: Method,
    replacement: bool,
    cautious: bool,
    target: float,
    confidences: Sequence[float],
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
            cautious,
            (target / rule.reach) ** 2,
            confidences,
            rule.looks,
            len(early),
            setting.seed,
        )
        title = f"{strata.population.name} {method.name} stopping"
        parts = run_blocks(block, trials, jobs=setting.jobs, backend=setting.backend, title=title)
        error, moments, alone = (np.concatenate(part) for part in zip(*parts))
        looked = np.arange(len(queries)) >= len(early)
        return Paths(queries if replacement else np.minimum(queries, items), looked, error, moments, alone)

    def enough(paths: Paths) -> bool:
        bound = paths.bound(len(confidences) - 1, confidences[-1], rule.reach)
        return bool((stopping_looks(bound, target, rule.looks) < bound.shape[1]).all())

    # The first reach holds a few looks, whatever the strata need.
    return grown(run, enough, first=max(1000, 2 * least), last=max(last, 2 * least), trials=setting.trials)
