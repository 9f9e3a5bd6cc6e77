"""Claims of a paper against the tables of a run: a measure gives a value, a rule gives the verdict.

The claims, their measures and their rules are data (`config/claims.yaml`), so that a reader can check each verdict
without reading code; what the words mean is said at the head of that file and in docs/claims.md. A measure reads
finished tables only. What a table does not hold, because fewer cases or budgets were run, is never guessed: the claim
is then not testable in this run.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

CLAIM_COLUMNS: Final = {
    "paper": "text",
    "claim": "text",
    "where": "text",
    "paper_value": "text?",
    "measured": "text?",
    "verdict": "text",
    "evidence": "text",
}
"""Columns of ``claims.csv``."""

VERDICTS: Final = ("reproduced", "partly", "not reproduced", "not testable")
"""All verdicts, best first."""

REPRODUCED, PARTLY, NOT_REPRODUCED, NOT_TESTABLE = VERDICTS

REDUCTIONS: Final[Mapping[str, Callable[["pd.Series[Any]"], float]]] = {
    "only": lambda values: _only(values),
    "count": lambda values: float(len(values)),
    "sum": lambda values: float(values.sum()),
    "min": lambda values: float(values.min()),
    "max": lambda values: float(values.max()),
    "mean": lambda values: float(values.mean()),
    "median": lambda values: float(values.median()),
    "spread": lambda values: float(values.max() / values.min()),
}
"""Ways from the values of many rows to one number; `spread` is the largest over the smallest."""


@dataclass(frozen=True)
class Held:
    """In how many rows a statement holds.

    Attributes
    ----------
    held, rows : int
    """

    held: int
    rows: int


@dataclass(frozen=True)
class Table:
    """A finished table and where it stands.

    Attributes
    ----------
    rows : DataFrame
    path : str
        Named as evidence.
    """

    rows: pd.DataFrame
    path: str


def _only(values: "pd.Series[Any]") -> float:
    """Return the value of the one row there is."""
    if len(values) != 1:
        raise InputError(f"reduce only: found {len(values)} rows, allowed is 1")
    return float(values.iloc[0])


def read_claims(path: str | Path) -> list[dict[str, Any]]:
    """Read the claims of a paper.

    Parameters
    ----------
    path : str or Path
        A YAML file such as ``config/claims.yaml``.

    Raises
    ------
    InputError
        If the file is missing, or a claim lacks a key, has an unknown one or asks for an unknown rule.
    """
    import yaml

    try:
        claims = yaml.safe_load(Path(path).read_text("utf-8"))["claims"]
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    needed, allowed = {"claim", "where", "paper_value", "rule"}, {"measure", "forced", "each", "needs"}
    for claim in claims:
        name = claim.get("claim", "without a name")
        if missing := sorted(needed - set(claim)):
            raise InputError(f"{path}: claim {name!r}: key {missing[0]} is missing")
        if unknown := sorted(set(claim) - needed - allowed):
            raise InputError(f"{path}: claim {name!r}: unknown key {unknown[0]}")
        kind = claim["rule"].get("kind")
        if kind not in {*_RULES, "holds", "untestable"}:
            known = ", ".join([*_RULES, "holds", "untestable"])
            raise InputError(f"{path}: claim {name!r}: found rule {kind!r}, allowed are {known}")
        if kind != "untestable" and "measure" not in claim:
            raise InputError(f"{path}: claim {name!r}: key measure is missing")
    return list(claims)


def judge_all(
    claims: Iterable[Mapping[str, Any]],
    tables: Mapping[str, Table],
    cases: Iterable[Case],
    settings: Mapping[str, Any],
    *,
    paper: str,
) -> pd.DataFrame:
    """Judge every claim.

    Parameters
    ----------
    claims : iterable of mapping
        From `read_claims`.
    tables : mapping of str to Table
        By the names that measures use. A table that the run did not make may be missing.
    cases : iterable of Case
        What ``each: cases`` goes through.
    settings : mapping
        The run's settings, nested as in the config, which ``needs`` speaks of.
    paper : str
        What the column of that name says.

    Returns
    -------
    DataFrame
        Columns `CLAIM_COLUMNS`, in the order of the claims.
    """
    cases = list(cases)
    single = [copy for claim in claims for copy in _each(claim, cases)]
    rows = [{"paper": paper, **_row(claim, tables, settings)} for claim in single]
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))


def _each(claim: Mapping[str, Any], cases: list[Case]) -> list[Mapping[str, Any]]:
    """Return the claim itself, or one copy a case with the case filled in."""
    if "each" not in claim:
        return [claim]
    copies: list[Mapping[str, Any]] = []
    for case in cases:
        measure = {
            key: value.replace("{case}", case.case) if isinstance(value, str) else value
            for key, value in claim["measure"].items()
        }
        title = claim["claim"].replace("{title}", case.title)
        paper_value = getattr(case, claim["paper_value"])
        copies.append({**claim, "claim": title, "paper_value": paper_value, "measure": measure})
    return copies


def _row(
    claim: Mapping[str, Any], tables: Mapping[str, Table], settings: Mapping[str, Any]
) -> dict[str, str]:
    """Judge one claim."""
    rule = claim["rule"]
    row = {"claim": claim["claim"], "where": claim["where"], "paper_value": shown(claim["paper_value"])}
    if rule["kind"] == "untestable":
        return {**row, "measured": "", "verdict": NOT_TESTABLE, "evidence": rule["reason"]}
    measure = claim["measure"]
    if measure["table"] not in tables:
        reason = f"this run has no table {measure['table']}"
        return {**row, "measured": "", "verdict": NOT_TESTABLE, "evidence": reason}
    for key, wanted in claim.get("needs", {}).items():
        if (found := _setting(settings, key)) != wanted:
            reason = f"it needs {key} {wanted}, this run has {found}"
            return {**row, "measured": "", "verdict": NOT_TESTABLE, "evidence": reason}
    evidence = f"{tables[measure['table']].path}: {_in_words(measure)}; rule: {_rule_in_words(rule)}"
    if "forced" in claim:
        evidence = f"by construction: {claim['forced']}; {evidence}"
    try:
        value = measured(measure, tables[measure["table"]].rows)
    except InputError as error:
        raise InputError(f"claim {claim['claim']!r}: {error}") from None
    return {
        **row,
        "measured": shown(value),
        "verdict": verdict(rule, value, claim["paper_value"]),
        "evidence": evidence,
    }


def _setting(settings: Mapping[str, Any], key: str) -> Any:
    """Read a setting by its dotted key."""
    value: Any = settings
    for part in key.split("."):
        value = value[part]
    return value


def measured(measure: Mapping[str, Any], rows: pd.DataFrame) -> float | Held | None:
    """Read one measure off a table.

    Parameters
    ----------
    measure : mapping
        Keys table, pivot, where, keep, value, over, within, then, rank_of and reduce, see docs/claims.md.
    rows : DataFrame

    Returns
    -------
    float, Held or None
        `Held` if there is no `reduce`: in how many rows the value is true. None if no row, or no value, is left.

    Examples
    --------
    >>> table = pd.DataFrame({"case": ["x", "y"], "n": [10, 30]})
    >>> measured({"value": "n / 10", "reduce": "max"}, table)
    3.0
    >>> measured({"value": "n > 20"}, table)
    Held(held=1, rows=2)
    """
    if "where" in measure:
        rows = rows.query(measure["where"], engine="python")
    if "pivot" in measure:
        rows = _pivot(rows, measure["pivot"])
    if "keep" in measure:
        rows = rows.query(measure["keep"], engine="python")
    if rows.empty:
        return None
    if missing := _unknown_columns(measure, rows):
        # A sampler, budget or parameter that was not run has no column.
        if "pivot" in measure:
            return None
        columns = ", ".join(map(str, rows.columns))
        raise InputError(f"found column {missing[0]}, the table has {columns}")
    values = _evaluate(measure["value"], rows)
    if "within" in measure:
        grouped = values.groupby(rows[measure["within"]["by"]].to_numpy())
        values = grouped.agg(measure["within"]["reduce"])
    if "then" in measure:
        values = _evaluate(measure["then"], pd.DataFrame({"value": values}))
    if "rank_of" in measure:
        at = rows.query(measure["rank_of"], engine="python").index
        return float((values > values.loc[at].max()).sum() + 1) if len(at) else None
    if "reduce" not in measure:
        return Held(int(values.fillna(False).astype(bool).sum()), len(values))
    value = REDUCTIONS[measure["reduce"]](values.dropna()) if values.notna().any() else math.nan
    if "over" in measure:
        value /= REDUCTIONS[measure["reduce"]](_evaluate(measure["over"], rows))
    return None if math.isnan(value) else value


def _unknown_columns(measure: Mapping[str, Any], rows: pd.DataFrame) -> list[str]:
    """Names in the value that are neither columns nor functions."""
    text = re.sub(r"'[^']*'", "", f"{measure['value']} {measure.get('over', '')}")
    names = re.findall(r"(?<![\w.])[A-Za-z_]\w*", text)
    known = {*map(str, rows.columns), "abs", "and", "or", "not", "in", "True", "False"}
    return [name for name in names if name not in known]


def _evaluate(expression: str, rows: pd.DataFrame) -> "pd.Series[Any]":
    """Compute an expression in every row."""
    values = rows.eval(expression, engine="python")
    return values if isinstance(values, pd.Series) else pd.Series(values, index=rows.index)


def _pivot(rows: pd.DataFrame, pivot: Mapping[str, Any]) -> pd.DataFrame:
    """Make one row an index and one column a sampler, say.

    Columns are named by their keys joined by an underscore, such as ``masa_2000``; one that would begin with a digit
    gets its column's name before it, such as ``K_3``. Added are ``lowest`` and ``last``, of numbers in increasing
    order.
    """
    index, columns = _listed(pivot["index"]), _listed(pivot["columns"])
    rows = rows.astype({pivot["values"]: float})
    wide = rows.assign(_all=0).pivot_table(
        index=index or "_all", columns=columns, values=pivot["values"], aggfunc="first"
    )
    keys: list[Any] = list(wide.columns)
    names = ["_".join(map(_name, key if isinstance(key, tuple) else (key,))) for key in keys]
    wide.columns = pd.Index([f"{columns[0]}_{name}" if name[:1].isdigit() else name for name in names])
    if wide.empty:
        return wide.reset_index()
    extra = {"lowest": wide.min(axis=1), "last": wide.iloc[:, -1]}
    return wide.assign(**extra).reset_index()


def _name(key: object) -> str:
    return f"{key:g}" if isinstance(key, float) else str(key)


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def verdict(rule: Mapping[str, Any], value: float | Held | None, paper_value: Any = None) -> str:
    """Judge a measured value by a rule.

    Parameters
    ----------
    rule : mapping
        Its kind, and the bounds that the kind needs: see the head of ``config/claims.yaml``.
    value : float, Held or None
    paper_value : number, optional
        What `equals`, `within` and `near` compare with.

    Returns
    -------
    str
        One of `VERDICTS`. Nothing measured, or fewer rows than the rule speaks of, is not testable.

    Examples
    --------
    >>> verdict({"kind": "within", "tolerance": 0.25, "partly": 0.5}, 1300.0, 1000)
    'partly'
    >>> verdict({"kind": "holds", "of": 12, "needed": 9, "partly": 7}, Held(10, 12))
    'reproduced'
    """
    if value is None:
        return NOT_TESTABLE
    if rule["kind"] == "holds":
        if not isinstance(value, Held):
            raise InputError("rule holds: found a measure with reduce, allowed is one without")
        if value.rows < rule["of"]:
            return NOT_TESTABLE
        return _graded(value.held >= rule["needed"], value.held >= rule.get("partly", rule["needed"]))
    if isinstance(value, Held):
        raise InputError(f"rule {rule['kind']}: found a measure without reduce")
    if rule["kind"] in ("equals", "within", "near") and paper_value is None:
        return NOT_TESTABLE
    return _graded(*_RULES[rule["kind"]](rule, value, paper_value))


def _graded(holds: bool, partly: bool) -> str:
    return REPRODUCED if holds else PARTLY if partly else NOT_REPRODUCED


# Room for rounding alone: a bound that is met to ten digits is met.
_ROUNDING: Final = 1e-9


def _off_by(difference: float, rule: Mapping[str, Any]) -> tuple[bool, bool]:
    tolerance = rule.get("tolerance", 0.0)
    return difference <= tolerance + _ROUNDING, difference <= rule.get("partly", tolerance) + _ROUNDING


_RULES: Final[Mapping[str, Callable[[Mapping[str, Any], float, Any], tuple[bool, bool]]]] = {
    "equals": lambda rule, value, paper: _off_by(abs(value - paper), rule),
    "near": lambda rule, value, paper: _off_by(abs(value - paper), rule),
    "within": lambda rule, value, paper: _off_by(abs(value / paper - 1), rule),
    "at_least": lambda rule, value, _: (
        value >= rule["bound"] - abs(rule["bound"]) * _ROUNDING,
        value >= rule.get("partly", rule["bound"]),
    ),
    "at_most": lambda rule, value, _: (
        value <= rule["bound"] + abs(rule["bound"]) * _ROUNDING,
        value <= rule.get("partly", rule["bound"]),
    ),
}


def shown(value: object) -> str:
    """Write a value for a person: four significant digits, "11 of 12", or as it stands.

    Examples
    --------
    >>> shown(12345.6), shown(0.000081234), shown(Held(11, 12)), shown("usually"), shown(None)
    ('12346', '8.123e-05', '11 of 12', 'usually', '')
    """
    if value is None:
        return ""
    if isinstance(value, Held):
        return f"{value.held} of {value.rows}"
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.4g}"
    return str(value)


def _in_words(measure: Mapping[str, Any]) -> str:
    """Say how a measure is computed."""
    text = str(measure["value"])
    if "within" in measure:
        text = f"{measure['within']['reduce']} by {measure['within']['by']} of {text}"
    if "then" in measure:
        text = f"{measure['then'].replace('value', f'({text})')}"
    if "rank_of" in measure:
        text = f"place of {measure['rank_of']} by {text}"
    if "over" in measure:
        text = f"{text} over {measure['over']}"
    if measure.get("reduce", "only") != "only":
        text = f"{measure['reduce']} of {text}"
    conditions = [measure[key] for key in ("where", "keep") if key in measure]
    return text + (f" where {' and '.join(conditions)}" if conditions else "")


def _rule_in_words(rule: Mapping[str, Any]) -> str:
    """Say what a rule asks."""
    partly = f", partly {rule['partly']}" if "partly" in rule else ""
    if rule["kind"] == "holds":
        return f"in {rule['needed']} of {rule['of']}{partly}"
    amount = rule.get("bound", rule.get("tolerance", ""))
    return f"{rule['kind'].replace('_', ' ')} {amount}".rstrip() + partly


def merged(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Put the claims of several papers under each other."""
    return pd.concat(list(tables), ignore_index=True)[list(CLAIM_COLUMNS)]


def as_markdown(claims: pd.DataFrame) -> str:
    """Write claims as Markdown: how many of each verdict, then a table a paper.

    Parameters
    ----------
    claims : DataFrame
        Columns `CLAIM_COLUMNS`.
    """
    lines = []
    for paper, rows in claims.groupby("paper", sort=False):
        counts = rows["verdict"].value_counts()
        forced = sum(text.startswith("by construction") for text in rows["evidence"])
        total = ", ".join(f"{counts.get(name, 0)} {name}" for name in VERDICTS)
        lines += [f"## {paper}", "", f"{len(rows)} claims: {total}."]
        if forced:
            lines += [
                f"{forced} of them hold or fail by construction: their figures are inputs, as the evidence says."
            ]
        lines += [
            "",
            "| claim | where | paper | measured | verdict | evidence |",
            "|---|---|---|---|---|---|",
        ]
        for row in rows.fillna("").to_dict("records"):
            cells = [
                row[name] for name in ("claim", "where", "paper_value", "measured", "verdict", "evidence")
            ]
            lines.append("| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)
