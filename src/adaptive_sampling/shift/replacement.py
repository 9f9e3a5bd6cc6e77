"""Never paying twice for one item: required sizes without replacement, beside the paper's model with it."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.shift.experiment import Setting, compare
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.samplers import Parameters

REPLACEMENT_COLUMNS: Final = {
    "case": "text",
    "items": "integer",
    "sampler": "text",
    "n95_with": "integer?",
    "n95_without": "integer?",
    "n95_without_low": "integer?",
    "n95_without_high": "integer?",
    "saved": "number?",
    "share_of_items": "number?",
}
"""Columns of ``replacement.csv``: required sizes with and without replacement, what drawing no item twice saves in per
cent, and the share of all items that is then queried. No size exceeds the number of items: all known, no error."""

COMPARED: Final = ("uniform", "stratified_proportional", "masa")
"""Samplers of the study."""


def replacement_study(
    cases: Sequence[Case],
    populations: dict[str, dict[str, Population]],
    sizes: pd.DataFrame,
    parameters: Parameters,
    K: int,
    setting: Setting,
) -> pd.DataFrame:
    """Measure required sizes without replacement.

    Parameters
    ----------
    cases : sequence of Case
    populations : dict
        By case, then by kind of strata.
    sizes : DataFrame
        ``required_size.csv``, with replacement.
    parameters : Parameters
        With ``replacement=False``.
    K : int
    setting : Setting

    Returns
    -------
    DataFrame
        Columns `REPLACEMENT_COLUMNS`.
    """
    known = sizes.set_index(["case", "sampler"])["n95"]
    rows: list[dict[str, Any]] = []
    for case in cases:
        _, without = compare(populations[case.case], COMPARED, parameters, K, setting)
        for row in without.to_dict("records"):
            n, before = row["n95"], known.get((case.case, row["sampler"]))
            both = not pd.isna(n) and not pd.isna(before)
            rows.append(
                {
                    "case": case.case,
                    "items": case.items,
                    "sampler": row["sampler"],
                    "n95_with": before,
                    "n95_without": n,
                    "n95_without_low": row["n95_low"],
                    "n95_without_high": row["n95_high"],
                    "saved": 100 * (1 - n / before) if both else None,
                    "share_of_items": None if pd.isna(n) else n / case.items,
                }
            )
    whole = {name: "Int64" for name, kind in REPLACEMENT_COLUMNS.items() if kind == "integer?"}
    table = pd.DataFrame(rows, columns=list(REPLACEMENT_COLUMNS))
    return table.astype({**whole, "saved": "float64", "share_of_items": "float64"})
