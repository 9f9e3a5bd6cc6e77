"""Theorem 2 of the EBR paper seen on random instances: pulls are of the order epsilon^(-2/T) H(nu).

The theorem's display is lost. What Algorithm 1 as reconstructed gives (docs/ebr.md): where all intervals
cover and the best arm survives, an arm of gap Delta is gone after the first round with epsilon^(t/T) <= Delta, so
that pulls <= 80 sigma^2 log(nT/delta) epsilon^(-2/T) H(nu), up to one pull an arm for rounding.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from adaptive_sampling.bestarm.algorithms import algorithm
from adaptive_sampling.bestarm.experiment import MonteCarlo
from adaptive_sampling.bestarm.instances import hardness, random_instance
from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import named_generator

HARDNESS_COLUMNS: Final = {
    "instance": "integer",
    "arms": "integer",
    "epsilon": "number",
    "delta": "number",
    "hardness": "number",
    "algorithm": "text",
    "rounds": "integer",
    "trials": "integer",
    "mean": "number",
    "largest": "number",
    "bound": "number?",
    "success": "number",
}
"""Columns of ``hardness.csv``: H(nu), mean and largest pulls, and the bound above (empty: none)."""


def pulls_bound(hard: float, sigma: float, arms: int, rounds: int, epsilon: float, delta: float) -> float:
    """80 sigma^2 log(nT/delta) epsilon^(-2/T) H(nu) + n [reconstructed]."""
    return 80 * sigma**2 * math.log(arms * rounds / delta) * float(epsilon ** (-2 / rounds)) * hard + arms


def _one_instance(
    number: int, *, arms: int, epsilon: float, delta: float, rounds: Sequence[int], trials: int, seed: int
) -> list[tuple[Any, ...]]:
    """Rows of one random instance."""
    instance = random_instance(arms, named_generator(seed, f"bestarm/hardness/instance={number}"))
    hard = hardness(instance, epsilon)
    rows = []
    for name, T in [*(("ebr", T) for T in rounds), ("sequential", 1)]:
        rng = named_generator(seed, f"bestarm/hardness/instance={number}/{name}/T={T}")
        outcome = algorithm(name)(instance, epsilon, delta, T, trials, rng)
        pulls = outcome.pulls.sum(axis=1)
        bound = pulls_bound(hard, instance.sigma, arms, T, epsilon, delta) if name == "ebr" else np.nan
        success = instance.good(epsilon)[outcome.recommendation].mean()
        rows.append(
            (number, arms, epsilon, delta, hard, name, T, trials, pulls.mean(), pulls.max(), bound, success)
        )
    return rows


def _block(numbers: Trials, **settings: Any) -> list[tuple[Any, ...]]:
    """Rows of a block of instances."""
    first = numbers.first
    return [row for n in range(first, first + numbers.count) for row in _one_instance(n, **settings)]


def pulls_against_hardness(study: Mapping[str, Any], delta: float, how: MonteCarlo) -> pd.DataFrame:
    """Run EBR at several deadlines, and the sequential algorithm, on random instances.

    Parameters
    ----------
    study : mapping
        The config's ``bestarm.hardness``: instances, arms, epsilon, rounds, trials.
    delta : float
    how : MonteCarlo
        Seed, jobs and backend; the number of trials is the study's own.

    Returns
    -------
    DataFrame
        Columns `HARDNESS_COLUMNS`.
    """
    function = partial(
        _block,
        arms=study["arms"],
        epsilon=study["epsilon"],
        delta=delta,
        rounds=tuple(study["rounds"]),
        trials=study["trials"],
        seed=how.seed,
    )
    blocks = run_blocks(
        function, study["instances"], jobs=how.jobs, backend=how.backend, title="random instances"
    )
    return pd.DataFrame([row for block in blocks for row in block], columns=list(HARDNESS_COLUMNS))
