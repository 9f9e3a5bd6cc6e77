"""Accuracy at both dates, counted from replay tables."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.recordings.facts import replay_facts
from adaptive_sampling.shift.summary import SHIFTED

COUNTED_COLUMNS: Final = {
    "case": "text",
    "api": "text",
    "dataset": "text",
    "items": "integer",
    "accuracy_old": "number",
    "accuracy_new": "number",
    "change": "number",
    "overlap": "number",
    "shifted": "flag",
    "source": "text",
}
"""Columns of ``results/accuracy.csv``."""


def accuracy_table(tables: Sequence[pd.DataFrame], cases: Sequence[Case]) -> pd.DataFrame:
    """Count the right answers of every case at both dates.

    Parameters
    ----------
    tables : sequence of DataFrame
        Replay tables.
    cases : sequence of Case
        The cases they belong to.

    Returns
    -------
    DataFrame
        Columns `COUNTED_COLUMNS`; `overlap` is the share of items that got the same answer at both dates.
    """
    rows = []
    for table, case in zip(tables, cases):
        facts = replay_facts(table, case)
        old, new = (int(np.trace(counts)) for counts in (facts.old, facts.new))
        changed = facts.to_right + facts.to_wrong + facts.to_other
        rows.append(
            {
                "case": case.case,
                "api": case.api,
                "dataset": case.dataset,
                "items": facts.items,
                "accuracy_old": old / facts.items,
                "accuracy_new": new / facts.items,
                "change": (new - old) / facts.items,
                "overlap": 1 - changed / facts.items,
                "shifted": abs(new - old) > SHIFTED * facts.items,
                "source": case.source,
            }
        )
    return pd.DataFrame(rows, columns=list(COUNTED_COLUMNS))
