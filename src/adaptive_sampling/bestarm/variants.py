"""Other forms of the paper's algorithms against the paper's: other readings, and tighter radii."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from adaptive_sampling.bestarm.experiment import PULLS_COLUMNS, MonteCarlo, Setup, Sweeps, sweep

VARIANTS_COLUMNS: Final = {**PULLS_COLUMNS, "compared_with": "text", "ratio": "number", "ratio_se": "number"}
"""Columns of ``tuning.csv`` and ``sensitivity.csv``: as ``pulls.csv``, and mean pulls over those of the paper's
own form, with a standard error (delta method)."""

READINGS: Final = {
    "ebr_paper_schedule_hoeffding": "ebr",
    "sequential_one_survivor": "sequential",
    "sequential_width": "sequential",
    "top_k_delta_elimination_floor": "top_k_delta_elimination",
}
"""Each other reading of what the text leaves open, and the form it stands in for."""

TIGHTER: Final = {"ebr_used_up": "ebr", "ebr_hoeffding": "ebr", "ebr_kl": "ebr"}
"""Each form of EBR with a tighter radius."""


def compare(
    forms: Mapping[str, str],
    setups: Sequence[Setup],
    sweeps: Sweeps,
    study: Mapping[str, Any],
    how: MonteCarlo,
) -> pd.DataFrame:
    """Run forms of algorithms and what they are compared with over both sweeps.

    Parameters
    ----------
    forms : mapping of str to str
        `READINGS` or `TIGHTER`.
    setups, sweeps
        As for `sweep`; the deadlines are the study's.
    study : mapping
        The config's ``bestarm.sensitivity`` or ``bestarm.tuning``: rounds and trials.
    how : MonteCarlo
        Seed, jobs and backend.

    Returns
    -------
    DataFrame
        Columns `VARIANTS_COLUMNS`.
    """
    algorithms = list(dict.fromkeys([*forms.values(), *forms]))
    sweeps, how = replace(sweeps, rounds=tuple(study["rounds"])), replace(how, trials=study["trials"])
    pulls, _ = sweep(setups, algorithms, sweeps, how)
    pulls["compared_with"] = pulls["algorithm"].map(lambda name: forms.get(name, name))
    point = ["sweep", "setup", "rounds", "epsilon"]
    base = pulls[[*point, "algorithm", "mean", "se"]].rename(
        columns={"algorithm": "compared_with", "mean": "base", "se": "base_se"}
    )
    table = pulls.merge(base, on=[*point, "compared_with"], how="left", validate="many_to_one")
    table["ratio"] = table["mean"] / table["base"]
    spread = ((table["se"] / table["mean"]) ** 2 + (table["base_se"] / table["base"]) ** 2) ** 0.5
    table["ratio_se"] = (table["ratio"] * spread).where(table["algorithm"] != table["compared_with"], 0.0)
    return table[list(VARIANTS_COLUMNS)]
