"""How much the misprint of Algorithm 1 matters: line 7 as printed against estimator (3.1)."""

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.shift.experiment import Setting, budget_grid
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.required_size import required_size
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

MISPRINT_COLUMNS: Final = {
    "case": "text",
    "n95": "integer?",
    "n95_low": "integer?",
    "n95_high": "integer?",
    "n95_printed": "integer?",
    "n95_printed_low": "integer?",
    "n95_printed_high": "integer?",
    "budget": "integer",
    "loss_ratio": "number",
    "loss_ratio_se": "number",
    "share_moved": "number",
    "bias_at_10": "number",
    "printed_bias_at_10": "number",
}
"""Columns of ``misprint.csv``: required sizes under both updates; at one budget the ratio of the printed update's mean
squared error to the other's, paired trial by trial, and the share of queries that go elsewhere; and the mean of both
estimates over the true score at 10 samples of the most uncertain stratum."""

SAMPLES: Final = 10
"""Samples at which the estimates themselves are compared."""

DRAWS: Final = 20_000
"""Runs behind that comparison."""


def estimates(answers: NDArray[np.integer[Any]], factor: float) -> NDArray[np.float64]:
    """Update sigma_hat2 sample by sample: s += (factor / n) (1 - H / (n - 1) - s), from s = 0 at n = 1.

    Parameters
    ----------
    answers : ndarray of int, shape (runs, n)
        Predicted labels in the order they were seen.
    factor : float
        2 gives estimator (3.1), 1 is line 7 of Algorithm 1 as printed.

    Returns
    -------
    ndarray of float, shape (runs,)

    Examples
    --------
    >>> estimates(np.array([[0, 0, 1, 1]]), 2).round(4).tolist()  # 1 - 4 / (4 * 3)
    [0.6667]
    """
    squared = np.zeros(len(answers))
    for n in range(2, answers.shape[1] + 1):
        seen = (answers[:, : n - 1] == answers[:, n - 1 : n]).sum(axis=1)
        squared += factor / n * (1.0 - seen / (n - 1) - squared)
    return squared


def _block(
    population: Population, budgets: NDArray[np.int64], parameters: Parameters, seed: int, trials: Trials
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Errors and counts of MASA in one block. Of the module, so that any joblib backend can send it."""
    result = SAMPLERS["masa"].simulate(population, budgets, parameters, seed, trials)
    return result.error, result.count[:, _place(budgets)]


def _place(budgets: NDArray[np.int64]) -> int:
    """Place of the budget nearest to a quarter of the largest."""
    return int(np.abs(budgets - budgets[-1] / 4).argmin())


def misprint(population: Population, a: float, setting: Setting) -> dict[str, Any]:
    """Run MASA with both updates on the same streams of answers.

    Parameters
    ----------
    population : Population
        The case over (label, difficulty).
    a : float
    setting : Setting

    Returns
    -------
    dict
        One row of ``misprint.csv``; its budget is a quarter of the largest.
    """
    budgets = budget_grid(population.strata, SAMPLERS["masa"].least, setting)
    place = _place(budgets)
    error, count, sizes = {}, {}, {}
    for name in ("u_statistic", "as_printed"):
        run = partial(_block, population, budgets, Parameters(a=a, uncertainty=name), setting.seed)
        title = f"{population.name} {name}"
        blocks = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
        error[name], count[name] = (np.concatenate([block[part] for block in blocks]) for part in (0, 1))
        sizes[name] = required_size(
            error[name],
            budgets,
            target=setting.target_error,
            confidence=setting.confidence,
            resamples=setting.resamples,
            rng=named_generator(setting.seed, f"shift/{population.name}/misprint/{name}/bootstrap"),
        )
    ours, printed = error["u_statistic"][:, place], error["as_printed"][:, place]
    ratio = printed.mean() / ours.mean()
    moved = np.abs(count["as_printed"].astype(float) - count["u_statistic"]).sum(axis=1) / 2
    bias = [_bias(population, factor, setting.seed) for factor in (2.0, 1.0)]
    return {
        "case": population.name,
        **_cells("n95", sizes["u_statistic"]),
        **_cells("n95_printed", sizes["as_printed"]),
        "budget": int(budgets[place]),
        "loss_ratio": ratio,
        "loss_ratio_se": (printed - ratio * ours).std(ddof=1) / ours.mean() / np.sqrt(len(ours)),
        "share_moved": moved.mean() / budgets[place],
        "bias_at_10": bias[0],
        "printed_bias_at_10": bias[1],
    }


def _bias(population: Population, factor: float, seed: int) -> float:
    """Mean estimate over the true score at `SAMPLES` samples of the most uncertain stratum."""
    stratum = int(population.uncertainty.argmax())
    rng = named_generator(seed, f"shift/{population.name}/misprint/bias")
    drawn = rng.integers(population.start[stratum], population.start[stratum + 1], size=(DRAWS, SAMPLES))
    return float(estimates(population.answers[drawn], factor).mean() / population.uncertainty[stratum])


def _cells(name: str, size: Any) -> dict[str, int | None]:
    return {name: size.size, f"{name}_low": size.low, f"{name}_high": size.high}


def as_table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Put the rows of all cases under each other, in the types of `MISPRINT_COLUMNS`."""
    whole = {name: "Int64" for name, kind in MISPRINT_COLUMNS.items() if kind == "integer?"}
    return pd.DataFrame(rows, columns=list(MISPRINT_COLUMNS)).astype(whole)
