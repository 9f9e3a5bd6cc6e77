"""How MASA spends its queries on each partition, beside the items' shares and the optimal ones."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.recordings.replay_format import LEVELS
from adaptive_sampling.shift.population import population
from adaptive_sampling.shift.samplers import Parameters, masa

SHARE_COLUMNS: Final = {
    "case": "text",
    "difficulty": "text",
    "label": "text",
    "level": "count",
    "budget": "count",
    "items": "share",
    "optimal": "share",
    "masa": "share",
    "masa_low": "share",
    "masa_high": "share",
}
"""Columns of ``shares.csv``; level 1 is the most difficult, low and high hold nine trials in ten."""

BUDGETS: Final = (500, 2000, 5000, 20000)
"""Budgets at which shares are shown, in queries, as far as the settings go."""


def sampling_shares(
    replay: pd.DataFrame,
    case: Case,
    *,
    difficulty: str,
    K: int,
    parameters: Parameters,
    last_budget: int,
    trials: int,
    seed: int,
) -> pd.DataFrame:
    """Run MASA on one case and list what share of its queries went to each partition.

    Parameters
    ----------
    replay : DataFrame
        The case's replay table.
    case : Case
    difficulty : str
        What ranks items from hard to easy.
    K : int
        Difficulty levels per label.
    parameters : Parameters
    last_budget : int
        Largest budget, in queries; those of `BUDGETS` up to it that pay for two queries a partition are listed.
    trials, seed : int

    Returns
    -------
    DataFrame
        Columns `SHARE_COLUMNS`, a row a budget and partition; `optimal` is Lemma 1's p sigma / sum(p sigma).
    """
    strata = population(
        replay,
        name=case.case,
        labels=len(case.labels),
        predicted_labels=len(case.predicted_labels),
        difficulty=difficulty,
        strata="label_difficulty",
        K=K,
    )
    wanted = [budget for budget in (*BUDGETS, last_budget) if 2 * strata.strata <= budget <= last_budget]
    budgets = np.array(sorted(set(wanted)), dtype=np.int64)
    spent = masa(strata, budgets, parameters, seed, Trials(0, trials)).count / budgets[:, None]
    ideal = strata.share * np.sqrt(strata.uncertainty)
    ideal = ideal / ideal.sum() if ideal.any() else strata.share
    low, high = np.quantile(spent, [0.05, 0.95], axis=0)
    frames = [
        pd.DataFrame(
            {
                "case": case.case,
                "difficulty": difficulty,
                "label": [case.labels[label] for label in strata.stratum_label],
                "level": _levels(replay, difficulty, K),
                "budget": budget,
                "items": strata.share,
                "optimal": ideal,
                "masa": spent[:, place].mean(axis=0),
                "masa_low": low[place],
                "masa_high": high[place],
            }
        )
        for place, budget in enumerate(budgets)
    ]
    return pd.concat(frames, ignore_index=True)[list(SHARE_COLUMNS)]


def _levels(replay: pd.DataFrame, difficulty: str, K: int) -> Sequence[int]:
    """Level of each stratum of a population, from 1, in the order of the population."""
    rows = replay[replay["difficulty"] == difficulty]
    strata = sorted(set(zip(rows["label"], rows["level"] * K // LEVELS)))
    return [int(level) + 1 for _, level in strata]
