"""Confusion matrices of the cases at both dates, cell by cell."""

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case

CONFUSION_COLUMNS: Final = {
    "case": "text",
    "label": "text",
    "predicted": "text",
    "old": "number",
    "new": "number",
    "shift": "number",
}
"""Columns of ``confusion.csv``; joint shares, each matrix sums to 1 (its shift to 0)."""


def confusion(replay: pd.DataFrame, case: Case) -> pd.DataFrame:
    """List C_old, C_new and their difference dC, cell by cell.

    Parameters
    ----------
    replay : DataFrame
        The case's replay table.
    case : Case

    Returns
    -------
    DataFrame
        Columns `CONFUSION_COLUMNS`, true label by true label, with the cells that are 0.

    Examples
    --------
    >>> from adaptive_sampling.cases import read_cases
    >>> from adaptive_sampling.recordings.replay import read_replay_table
    >>> case = read_cases("config/cases.csv")["amazon_yelp"]  # doctest: +SKIP
    >>> confusion(read_replay_table("data/replay/amazon_yelp.csv", case), case)  # doctest: +SKIP
    """
    rows = replay[replay["difficulty"] == replay["difficulty"].iloc[0]]
    old, new = _counts(rows, case, "old"), _counts(rows, case, "new")
    total = old.sum()
    return pd.DataFrame(
        {
            "case": case.case,
            "label": np.repeat(case.labels, len(case.predicted_labels)),
            "predicted": np.tile(case.predicted_labels, len(case.labels)),
            "old": old.ravel() / total,
            "new": new.ravel() / total,
            "shift": (new - old).ravel() / total,
        }
    )


def _counts(rows: pd.DataFrame, case: Case, date: str) -> NDArray[np.int64]:
    """Items of each (true label, predicted label) at one date."""
    counts = np.zeros((len(case.labels), len(case.predicted_labels)), dtype=np.int64)
    np.add.at(counts, (rows["label"].to_numpy(), rows[date].to_numpy()), rows["items"].to_numpy())
    return counts
