"""MASA over all cases at one value of K and a (Figure 7 and the ablation on a)."""

from collections.abc import Mapping, Sequence

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.shift.experiment import Setting, compare, populations
from adaptive_sampling.shift.samplers import Parameters


def masa_on_cases(
    replays: Mapping[str, pd.DataFrame],
    cases: Sequence[Case],
    *,
    difficulty: str,
    K: int,
    parameters: Parameters,
    setting: Setting,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run MASA on every case.

    Trial t of a case reads the same streams of answers at every value of a, and equal settings give the rows
    that `compare` gives for that case alone.

    Parameters
    ----------
    replays : mapping of str to DataFrame
        Replay table of each case, by name.
    cases : sequence of Case
    difficulty : str
        What ranks items from hard to easy.
    K : int
        Difficulty levels per label.
    parameters : Parameters
    setting : Setting

    Returns
    -------
    errors, sizes : DataFrame
        As `compare` returns, case under case.
    """
    tables = [
        compare(
            populations(replays[case.case], case, difficulty=difficulty, K=K),
            ["masa"],
            parameters,
            K,
            setting,
        )
        for case in cases
    ]
    errors, sizes = zip(*tables)
    return pd.concat(errors, ignore_index=True), pd.concat(sizes, ignore_index=True)
