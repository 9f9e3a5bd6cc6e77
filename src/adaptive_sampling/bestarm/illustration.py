"""One real run of three algorithms, arm by arm and round by round, behind Figure 1."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from adaptive_sampling.bestarm.algorithms import algorithm
from adaptive_sampling.bestarm.deviations import pulls_by_round
from adaptive_sampling.bestarm.instances import evenly_spaced
from adaptive_sampling.randomness import named_generator

ARMS_COLUMNS: Final = {
    "algorithm": "text",
    "rounds": "integer",
    "epsilon": "number",
    "arm": "integer",
    "mean": "number",
    "round": "integer",
    "pulls": "integer",
    "recommended": "flag",
}
"""Columns of ``arms.csv``: pulls of an arm in a round (the sequential algorithm has one row an arm, round 0)."""


def one_run(study: Mapping[str, Any], delta: float, seed: int) -> pd.DataFrame:
    """Run passive, EBR and sequential once on the same arms.

    Parameters
    ----------
    study : mapping
        The config's ``bestarm.illustration``: arms, lowest, highest, epsilon, rounds.
    delta : float
    seed : int

    Returns
    -------
    DataFrame
        Columns `ARMS_COLUMNS`.
    """
    instance = evenly_spaced(study["lowest"], study["highest"], study["arms"])
    epsilon = study["epsilon"]
    rows = []
    for name, T in (("passive", 1), ("ebr", study["rounds"]), ("sequential", 0)):
        rng = named_generator(seed, f"bestarm/illustration/{name}")
        outcome = algorithm(name)(instance, epsilon, delta, max(T, 1), 1, rng)
        total, chosen = outcome.pulls[0], int(outcome.recommendation[0])
        if name == "ebr":
            log_term = float(np.log(instance.arms * T / delta))
            steps = [0, *map(int, pulls_by_round(epsilon, instance.sigma, T, log_term))]
        else:
            steps = [0, int(total.max())]
        for arm, mean in enumerate(instance.means):
            for t in range(1, len(steps)):
                pulls = min(int(total[arm]), steps[t]) - steps[t - 1]
                if pulls > 0:
                    rows.append((name, T, epsilon, arm, mean, t if T else 0, pulls, arm == chosen))
    return pd.DataFrame(rows, columns=list(ARMS_COLUMNS))
