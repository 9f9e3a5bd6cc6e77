"""The paper's case study (Figure 4): Amazon on YELP, one run of MASA with 2000 queries seen from inside."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.shift.closed_form import optimal_shares
from adaptive_sampling.shift.confusion import CONFUSION_COLUMNS, confusion
from adaptive_sampling.shift.experiment import Setting, budget_grid, compare, populations
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters, estimated_shift
from adaptive_sampling.shift.summary import ERROR_COLUMNS

CASE: Final = "amazon_yelp"
K: Final = 2
"""Difficulty levels per label: above and below the median."""
DIFFICULTY: Final = "old_api_confidence"
"""What the median is taken of: the quality score that the API itself gave in 2020."""
BUDGET: Final = 2000
"""Queries of the run."""
STEP: Final = 20
"""Queries between two points of a curve."""
LEVEL_NAMES: Final = ("low", "high")
"""Quality score below and above the median of its true label."""

PARTITION_COLUMNS: Final = {
    "label": "text",
    "quality": "text",
    "items": "integer",
    "share": "number",
    "uncertainty": "number",
    "optimal_share": "number",
}
"""Columns of ``partitions.csv``: p, the uncertainty score sigma2 (Definition 1) and Lemma 1's share."""

SAMPLING_COLUMNS: Final = {
    "label": "text",
    "quality": "text",
    "budget": "integer",
    "queries": "integer",
    "share": "number",
    "optimal_share": "number",
}
"""Columns of ``sampling.csv``: what each partition got of the first `budget` queries of one run."""

SHIFT_COLUMNS: Final = {**CONFUSION_COLUMNS, "estimated": "number"}
"""Columns of ``shift.csv``; `estimated` is dC_hat of one run."""


@dataclass(frozen=True)
class CaseStudy:
    """The tables behind Figure 4.

    Attributes
    ----------
    partitions : DataFrame
        Columns `PARTITION_COLUMNS`, four rows.
    sampling : DataFrame
        Columns `SAMPLING_COLUMNS`, one run.
    shift : DataFrame
        Columns `SHIFT_COLUMNS`, estimated by the same run.
    errors : DataFrame
        Columns of ``errors.csv``: MASA and uniform sampling over all trials.
    """

    partitions: pd.DataFrame
    sampling: pd.DataFrame
    shift: pd.DataFrame
    errors: pd.DataFrame


def case_study(replay: pd.DataFrame, case: Case, parameters: Parameters, setting: Setting) -> CaseStudy:
    """Run the case study.

    Parameters
    ----------
    replay : DataFrame
        The case's replay table, with the difficulty source `DIFFICULTY`.
    case : Case
    parameters : Parameters
    setting : Setting
        Its budgets are those of the study, see `study_setting`. The single run is trial 0 of its seed.
    """
    of_strata = populations(replay, case, difficulty=DIFFICULTY, K=K)
    population = of_strata["label_difficulty"]
    names = _names(population, case)
    optimal = optimal_shares(population)
    budgets = budget_grid(population.strata, SAMPLERS["masa"].least, setting)
    run = SAMPLERS["masa"].simulate(population, budgets, parameters, setting.seed, Trials(0, 1))
    count = run.count[0]
    estimate = estimated_shift(population, count[-1], setting.seed, 0, replacement=parameters.replacement)
    errors, _ = compare(of_strata, ["uniform", "masa"], parameters, K, setting)
    sampling = names.merge(pd.DataFrame({"budget": budgets}), how="cross")
    queries = count.T.ravel()
    return CaseStudy(
        partitions=names.assign(
            items=population.size,
            share=population.share,
            uncertainty=population.uncertainty,
            optimal_share=optimal,
        ),
        sampling=sampling.assign(
            queries=queries,
            share=queries / sampling["budget"],
            optimal_share=np.repeat(optimal, len(budgets)),
        ),
        shift=confusion(replay, case).assign(estimated=estimate.ravel()),
        errors=errors[list(ERROR_COLUMNS)],
    )


def study_setting(setting: Setting) -> Setting:
    """Return a setting with the budgets of the case study."""
    return replace(setting, last_budget=BUDGET, budget_step=STEP)


def _names(population: Population, case: Case) -> pd.DataFrame:
    """Label and quality of each partition; a label's partitions come in the order low, high."""
    labels = [case.labels[i] for i in population.stratum_label]
    return pd.DataFrame({"label": labels, "quality": list(LEVEL_NAMES) * len(case.labels)})
