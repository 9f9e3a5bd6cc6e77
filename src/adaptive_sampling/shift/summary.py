"""Tables over all cases: errors, required sizes, and the accuracy changes of Figure 2."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.tables import read_table

ERROR_COLUMNS: Final = {
    "case": "text",
    "sampler": "text",
    "strata": "text",
    "K": "count",
    "a": "amount?",
    "budget": "count",
    "trials": "count",
    "mse": "amount",
    "mse_se": "amount",
    "q95": "amount",
}
"""Columns of ``errors.csv``."""

CASE_SIZE_COLUMNS: Final = {
    "case": "text",
    "sampler": "text",
    "K": "count",
    "a": "amount?",
    "n95": "count?",
    "n95_low": "count?",
    "n95_high": "count?",
}
"""Columns of one case's ``required_size.csv``."""

SIZE_COLUMNS: Final = {**CASE_SIZE_COLUMNS, "paper": "integer?"}
"""Columns of ``required_size.csv``."""

PUBLISHED_COLUMNS: Final = {
    "case": "text",
    "task": "text",
    "api": "text",
    "dataset": "text",
    "items": "count",
    "accuracy_2020": "share",
    "accuracy_2021": "share",
    "overlap": "share",
    "source": "text",
    "remark": "text?",
}
"""Columns of ``data/published/accuracy.csv``."""

ACCURACY_COLUMNS: Final = {
    "task": "text",
    "dataset": "text",
    "api": "text",
    "items": "count",
    "accuracy_2020": "share",
    "accuracy_2021": "share",
    "change": "number",
    "overlap": "share",
    "shifted": "flag",
}
"""Columns of ``accuracy.csv``."""

SHIFTED: Final = 0.01
"""A change of accuracy counts as a shift if it is larger than this (Section 2 of the paper)."""


def read_errors(
    path: str | Path, *, cases: Sequence[str] | None = None, samplers: Sequence[str] | None = None
) -> pd.DataFrame:
    """Read a table of errors and check that nothing of it is missing or belongs elsewhere.

    Parameters
    ----------
    path : str or Path
        A table with the columns `ERROR_COLUMNS`.
    cases : sequence of str, optional
        The cases it must hold, in order.
    samplers : sequence of str, optional
        The samplers that it must hold of each case, in order; those of its first case if not given.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If the table breaks its contract, a case or a sampler is missing, or the budgets of one of them do not go
        in even steps to the last budget of all.
    """
    table = read_table(path, ERROR_COLUMNS)
    _check_present(path, table, cases, samplers)
    last = table["budget"].max()
    for key, budgets in table.groupby(["case", "sampler", "K", "a"], dropna=False)["budget"]:
        steps = budgets.diff().iloc[1:]
        if budgets.iloc[-1] != last or (steps <= 0).any() or len(set(steps)) > 1:
            name, sampler, *_ = key
            raise InputError(
                f"{path}: case {name}, sampler {sampler}: {len(budgets)} budgets from {budgets.min()} to "
                f"{budgets.max()}, expected even steps to {last}: the file is cut short or mixed up"
            )
    return table


def read_sizes(
    path: str | Path,
    columns: Mapping[str, str],
    *,
    cases: Sequence[str] | None = None,
    samplers: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Read a table of required sizes and check that nothing of it is missing or belongs elsewhere.

    Parameters
    ----------
    path : str or Path
    columns : mapping of str to str
        `SIZE_COLUMNS` or `CASE_SIZE_COLUMNS`.
    cases, samplers
        As for `read_errors`.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If the table breaks its contract, or a case or a sampler is missing.
    """
    table = read_table(path, columns)
    _check_present(path, table, cases, samplers)
    return table


def _check_present(
    path: str | Path, table: pd.DataFrame, cases: Sequence[str] | None, samplers: Sequence[str] | None
) -> None:
    """Refuse a table without rows, of other cases, or with other samplers in one case than wanted."""
    found = list(dict.fromkeys(table["case"]))
    if not found:
        raise InputError(f"{path}: no rows below the header: the file is cut short")
    if cases is not None and found != list(cases):
        raise InputError(f"{path}: cases are {', '.join(found)}, expected {', '.join(cases)}")
    of_case: dict[str, list[str]] = {name: [] for name in found}
    for name, sampler in table[["case", "sampler"]].drop_duplicates().itertuples(index=False):
        of_case[name].append(sampler)
    wanted = of_case[found[0]] if samplers is None else list(samplers)
    for name, present in of_case.items():
        if present != wanted:
            raise InputError(
                f"{path}: case {name}: samplers are {', '.join(present)}, expected {', '.join(wanted)}: the file is "
                "cut short or mixed up"
            )


def all_errors(
    paths: Iterable[str | Path],
    cases: Sequence[str] | None = None,
    samplers: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Put error tables under each other.

    Parameters
    ----------
    paths : iterable of str or Path
    cases : sequence of str, optional
        The case of each table, if each is of one.
    samplers : sequence of str, optional
        As for `read_errors`.
    """
    tables = [
        read_errors(path, cases=None if cases is None else [cases[place]], samplers=samplers)
        for place, path in enumerate(paths)
    ]
    return pd.concat(tables, ignore_index=True)


def all_sizes(
    paths: Iterable[str | Path],
    cases: Mapping[str, Case],
    names: Sequence[str] | None = None,
    samplers: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Put the required sizes of all cases under each other, beside the paper's figure.

    The paper has one figure for MASA and one for both uniform and stratified sampling.

    Parameters
    ----------
    paths : iterable of str or Path
    cases : mapping of str to Case
        The table of cases.
    names : sequence of str, optional
        The case of each table, if each is of one.
    samplers : sequence of str, optional
        As for `read_errors`.
    """
    tables = [
        read_sizes(
            path, CASE_SIZE_COLUMNS, cases=None if names is None else [names[place]], samplers=samplers
        )
        for place, path in enumerate(paths)
    ]
    sizes = pd.concat(tables, ignore_index=True)
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
