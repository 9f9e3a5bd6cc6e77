"""Tables over all cases: errors, required sizes, and the accuracy changes of Figure 2."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.tables import read_table

ERROR_COLUMNS: Final = {
    "case": "text",
    "sampler": "text",
    "strata": "text",
    "K": "integer",
    "a": "number?",
    "budget": "integer",
    "trials": "integer",
    "mse": "number",
    "mse_se": "number",
    "q95": "number",
}
"""Columns of ``errors.csv``."""

CASE_SIZE_COLUMNS: Final = {
    "case": "text",
    "sampler": "text",
    "K": "integer",
    "a": "number?",
    "n95": "integer?",
    "n95_low": "integer?",
    "n95_high": "integer?",
}
"""Columns of one case's ``required_size.csv``."""

SIZE_COLUMNS: Final = {**CASE_SIZE_COLUMNS, "paper": "integer?"}
"""Columns of ``required_size.csv``."""

PUBLISHED_COLUMNS: Final = {
    "case": "text",
    "task": "text",
    "api": "text",
    "dataset": "text",
    "items": "integer",
    "accuracy_2020": "number",
    "accuracy_2021": "number",
    "overlap": "number",
    "source": "text",
    "remark": "text?",
}
"""Columns of ``data/published/accuracy.csv``."""

ACCURACY_COLUMNS: Final = {
    "task": "text",
    "dataset": "text",
    "api": "text",
    "items": "integer",
    "accuracy_2020": "number",
    "accuracy_2021": "number",
    "change": "number",
    "overlap": "number",
    "shifted": "flag",
}
"""Columns of ``accuracy.csv``."""

SHIFTED: Final = 0.01
"""A change of accuracy counts as a shift if it is larger than this (Section 2 of the paper)."""


def all_errors(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Put the error tables of all cases under each other."""
    return pd.concat([read_table(path, ERROR_COLUMNS) for path in paths], ignore_index=True)


def all_sizes(paths: Iterable[str | Path], cases: Mapping[str, Case]) -> pd.DataFrame:
    """Put the required sizes of all cases under each other, beside the paper's figure.

    The paper has one figure for MASA and one for both uniform and stratified sampling.
    """
    sizes = pd.concat([read_table(path, CASE_SIZE_COLUMNS) for path in paths], ignore_index=True)
    paper = []
    for name, sampler in zip(sizes["case"], sizes["sampler"]):
        case = cases[name]
        of_sampler = {
            "masa": case.paper_masa,
            "uniform": case.paper_uniform_stratified,
            "stratified_equal": case.paper_uniform_stratified,
        }
        paper.append(of_sampler.get(sampler))
    return sizes.assign(paper=pd.array(paper, dtype="Int64"))


def accuracy_changes(published: str | Path) -> pd.DataFrame:
    """List the accuracy of every pair of API and dataset at both dates.

    Parameters
    ----------
    published : str or Path
        ``data/published/accuracy.csv``.

    Returns
    -------
    DataFrame
        Columns `ACCURACY_COLUMNS`; `overlap` is the share of items answered alike at both dates.
    """
    table = read_table(published, PUBLISHED_COLUMNS)
    table["change"] = table["accuracy_2021"] - table["accuracy_2020"]
    table["shifted"] = table["change"].abs() > SHIFTED
    return table[list(ACCURACY_COLUMNS)]
