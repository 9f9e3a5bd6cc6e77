"""Watching only some cells: the weighted norm ||W (dC - dC_hat)||_F that Section 3.2 names and does not show."""

from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.shift.experiment import Setting
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.reading import errors_at_counts
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters, kernel_arrays

WEIGHT_COLUMNS: Final = {
    "case": "text",
    "weights": "text",
    "cell": "text?",
    "method": "text",
    "budget": "integer",
    "mse": "number",
    "mse_se": "number",
    "over_uniform": "number",
    "over_oracle": "number",
}
"""Columns of ``weights.csv``: mean squared weighted error at one budget, and that over uniform sampling's and over the
oracle's. ``cell`` is the confusion that ``one_confusion`` watches, label > predicted."""

METHODS: Final = ("uniform", "stratified_proportional", "masa_unweighted", "masa", "oracle")
"""`masa_unweighted` is MASA with W = 1 while it samples; `masa` and `oracle` know what will be judged."""


def weight_matrices(population: Population) -> dict[str, NDArray[np.float64]]:
    """Return the three choices of W.

    Parameters
    ----------
    population : Population

    Returns
    -------
    dict of str to ndarray of float, shape (L, J)
        ``accuracy``: the identity, the cells of right answers alone. ``one_confusion``: 1 at the wrong answer whose
        share moved most, 0 elsewhere. ``per_class``: 1 / (L p_i) in row i, so that rare labels count as much as
        frequent ones; all ones where labels are equally frequent.
    """
    labels, predicted = population.new.shape
    wrong = np.abs(population.shift) * (1.0 - np.eye(labels, predicted))
    one = np.zeros((labels, predicted))
    one[np.unravel_index(wrong.argmax(), wrong.shape)] = 1.0
    share = population.new.sum(axis=1, keepdims=True)
    return {
        "accuracy": np.eye(labels, predicted),
        "one_confusion": one,
        "per_class": np.broadcast_to(1.0 / (labels * share), one.shape).copy(),
    }


def _block(
    chooser: Population,
    judge: Population,
    sampler: str,
    budgets: NDArray[np.int64],
    parameters: Parameters,
    seed: int,
    trials: Trials,
) -> NDArray[np.float64]:
    """Errors under the judge's weights of counts chosen under the chooser's.

    Both see the same streams of answers. A function of the module, so that any joblib backend can send it.
    """
    result = SAMPLERS[sampler].simulate(chooser, budgets, parameters, seed, trials)
    if chooser is judge:
        return result.error
    error = np.empty(result.error.shape)
    errors_at_counts(
        *kernel_arrays(judge),
        False,
        parameters.replacement,
        stream_words(seed, f"shift/{judge.name}"),
        trials.first,
        result.count,
        error,
    )
    return error


def weights_study(
    populations: dict[str, Population],
    parameters: Parameters,
    budget: int,
    setting: Setting,
    names: tuple[str, ...],
) -> pd.DataFrame:
    """Compare samplers on one case under each W.

    Parameters
    ----------
    populations : dict
        The case under each kind of strata.
    parameters : Parameters
        Of MASA; its uncertainty is the U-statistic, since the paper prints no weighted update.
    budget : int
    setting : Setting
    names : tuple of str
        Names of the predicted labels; the true labels come first.

    Returns
    -------
    DataFrame
        Columns `WEIGHT_COLUMNS`.
    """
    budgets = np.array([budget], dtype=np.int64)
    rows = []
    for weights, matrix in weight_matrices(populations["label"]).items():
        errors = {}
        for method in METHODS:
            sampler = "masa" if method == "masa_unweighted" else method
            plain = populations[SAMPLERS[sampler].strata]
            judge = replace(plain, weights=matrix)
            chooser = plain if method == "masa_unweighted" else judge
            run = partial(_block, chooser, judge, sampler, budgets, parameters, setting.seed)
            title = f"{plain.name} {weights} {method}"
            blocks = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
            errors[method] = np.concatenate(blocks)[:, 0]
        i, j = np.unravel_index(matrix.argmax(), matrix.shape)
        for method, error in errors.items():
            rows.append(
                {
                    "case": populations["label"].name,
                    "weights": weights,
                    "cell": f"{names[i]} > {names[j]}" if weights == "one_confusion" else None,
                    "method": method,
                    "budget": budget,
                    "mse": error.mean(),
                    "mse_se": error.std(ddof=1) / np.sqrt(len(error)),
                    "over_uniform": error.mean() / errors["uniform"].mean(),
                    "over_oracle": error.mean() / errors["oracle"].mean(),
                }
            )
    return pd.DataFrame(rows, columns=list(WEIGHT_COLUMNS))
