"""Run samplers on one case, trial by trial, and sum up: error at every budget, and the required size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.room import check_room
from adaptive_sampling.shift.population import STRATA, Population, population
from adaptive_sampling.shift.required_size import required_size
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

ERROR_BYTES: Final = 24
"""For each trial and budget: the error, the same in blocks, and whether it is small enough."""

ROUNDING: Final = 1e-25
"""Squared errors below this come from rounding: one item of five million in 50,000 queries makes over 1e-23."""


@dataclass(frozen=True)
class Setting:
    """What all runs of an experiment share.

    Attributes
    ----------
    trials : int
    last_budget, budget_step : int
        Errors are recorded at every multiple of the step up to the last, in queries.
    target_error : float
        Frobenius error that Table 1 asks for.
    confidence : float
        Probability with which it must be reached.
    resamples : int
        Bootstrap resamples behind the interval of the required size.
    seed : int
    jobs : int
        Blocks of trials at once.
    backend : str
        joblib's backend.
    """

    trials: int
    last_budget: int
    budget_step: int
    target_error: float
    confidence: float
    resamples: int
    seed: int
    jobs: int = 1
    backend: str = "threading"


def budget_grid(strata: int, least: int, setting: Setting) -> NDArray[np.int64]:
    """Multiples of the step, from the first that pays for `least` samples of every stratum to the last.

    Raises
    ------
    InputError
        If not even the last budget does.
    """
    budgets = np.arange(setting.budget_step, setting.last_budget + 1, setting.budget_step, dtype=np.int64)
    budgets = budgets[budgets >= least * strata]
    if len(budgets) == 0:
        raise InputError(
            f"key budget.last: found {setting.last_budget}, allowed are budgets from {least * strata} on: "
            f"{least} queries for each of {strata} strata"
        )
    return budgets


def _errors_of_block(
    population: Population,
    sampler: str,
    budgets: NDArray[np.int64],
    parameters: Parameters,
    seed: int,
    trials: Trials,
) -> NDArray[np.float64]:
    """Errors of one block. A function of the module, so that any joblib backend can send it."""
    return SAMPLERS[sampler].simulate(population, budgets, parameters, seed, trials).error


def trial_errors(
    population: Population, sampler: str, parameters: Parameters, setting: Setting
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Squared errors of one sampler in all trials.

    Returns
    -------
    budgets : ndarray of int64, shape (B,)
    error : ndarray of float, shape (trials, B)

    Raises
    ------
    InputError
        If no budget pays for the least samples, or the errors of all trials would not fit.
    """
    budgets = budget_grid(population.strata, SAMPLERS[sampler].least, setting)
    if not parameters.replacement:
        # Nobody can ask for more than all items: the grid ends with them.
        budgets = np.unique(np.minimum(budgets, len(population.answers)))
    check_room(
        ERROR_BYTES * setting.trials * len(budgets),
        f"case {population.name}: errors of {setting.trials} trials at {len(budgets)} budgets",
        "take a smaller montecarlo.trials or a larger shift.budget.step",
    )
    run = partial(_errors_of_block, population, sampler, budgets, parameters, setting.seed)
    title = f"{population.name} {sampler}"
    errors = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
    error = np.concatenate(errors)
    # No error at all, but for the last digits of sums: not a number that others may be divided by.
    error[error < ROUNDING] = 0.0
    return budgets, error


def compare(
    populations: dict[str, Population],
    samplers: Sequence[str],
    parameters: Parameters,
    K: int,
    setting: Setting,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run samplers on one case.

    Parameters
    ----------
    populations : dict
        The case under each kind of strata, ``"label"`` and ``"label_difficulty"``.
    samplers : sequence of str
        Names of `SAMPLERS`.
    parameters : Parameters
    K : int
        Difficulty levels per label in ``"label_difficulty"``, as written to the tables.
    setting : Setting

    Returns
    -------
    errors : DataFrame
        Columns case, sampler, strata, K, a, budget, trials, mse (mean squared Frobenius error), mse_se (its
        standard error) and q95 (95% quantile of the Frobenius error).
    sizes : DataFrame
        Columns case, sampler, K, a, n95, n95_low, n95_high; empty cells where no budget suffices.
    """
    errors, sizes = [], []
    for name in samplers:
        sampler = SAMPLERS[name]
        population = populations[sampler.strata]
        budgets, error = trial_errors(population, name, parameters, setting)
        a = parameters.a if sampler.adaptive else None
        parts = K if sampler.strata == "label_difficulty" else 1
        errors.append(
            pd.DataFrame(
                {
                    "case": population.name,
                    "sampler": name,
                    "strata": sampler.strata,
                    "K": parts,
                    "a": a,
                    "budget": budgets,
                    "trials": setting.trials,
                    "mse": error.mean(axis=0),
                    "mse_se": error.std(axis=0, ddof=1) / np.sqrt(setting.trials),
                    "q95": np.sqrt(np.quantile(error, 0.95, axis=0)),
                }
            )
        )
        size = required_size(
            error,
            budgets,
            target=setting.target_error,
            confidence=setting.confidence,
            resamples=setting.resamples,
            rng=named_generator(setting.seed, f"shift/{population.name}/{name}/K={parts}/a={a}/bootstrap"),
        )
        sizes.append((population.name, name, parts, a, size.size, size.low, size.high))
    columns = ["case", "sampler", "K", "a", "n95", "n95_low", "n95_high"]
    whole = dict.fromkeys(columns[4:], "Int64")
    return pd.concat(errors, ignore_index=True), pd.DataFrame(sizes, columns=columns).astype(whole)


def setting(shift: Mapping[str, Any], montecarlo: Mapping[str, Any], *, seed: int, jobs: int) -> Setting:
    """Make a `Setting` of the config's sections ``shift`` and ``montecarlo``."""
    return Setting(
        trials=montecarlo["trials"],
        last_budget=shift["budget"]["last"],
        budget_step=shift["budget"]["step"],
        target_error=shift["target_error"],
        confidence=shift["confidence"],
        resamples=shift["resamples"],
        seed=seed,
        jobs=jobs,
        backend=montecarlo["backend"],
    )


def parameters(shift: Mapping[str, Any]) -> Parameters:
    """Make the samplers' `Parameters` of the config's section ``shift``."""
    return Parameters(a=shift["a"], uncertainty=shift["uncertainty"], replacement=shift["replacement"])


def populations(replay: pd.DataFrame, case: Case, *, difficulty: str, K: int) -> dict[str, Population]:
    """Return the case under each kind of strata."""
    return {
        strata: population(
            replay,
            name=case.case,
            labels=len(case.labels),
            predicted_labels=len(case.predicted_labels),
            difficulty=difficulty,
            strata=strata,
            K=K,
        )
        for strata in STRATA
    }


def compile_kernels() -> None:
    """Run every sampler once on two items, so that numba's cache holds the kernels."""
    replay = pd.DataFrame(
        [("none", 0, 0, 0, 0, 1), ("none", 1, 0, 1, 0, 1)],
        columns=["difficulty", "label", "level", "old", "new", "items"],
    )
    tiny = population(
        replay, name="tiny", labels=2, predicted_labels=2, difficulty="none", strata="label", K=1
    )
    for sampler in SAMPLERS.values():
        sampler.simulate(tiny, np.array([4, 8], dtype=np.int64), Parameters(), 0, Trials(0, 1))
