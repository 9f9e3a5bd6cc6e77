"""Tables over all cases: required sizes with their ratios, geometric means, and how well the rule stops."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from adaptive_sampling.beyond.experiment import SIZE_COLUMNS
from adaptive_sampling.beyond.stopping import Rule
from adaptive_sampling.cases import Case

REQUIRED_COLUMNS: Final = {**SIZE_COLUMNS, "ratio_to_masa": "number?", "ratio_to_oracle": "number?"}
"""Columns of ``required_size.csv`` and ``stress_required_size.csv``."""

MEAN_COLUMNS: Final = {
    "method": "text",
    "replacement": "flag",
    "cases": "integer",
    "mean_ratio_to_masa": "number?",
    "worst_ratio_to_masa": "number?",
    "worst_case": "text",
    "mean_ratio_to_oracle": "number?",
    "mean_ratio_to_masa_with_replacement": "number?",
}
"""Columns of ``geometric_means.csv``."""

STOPPING_SUMMARY_COLUMNS: Final = {
    "cases": "text",
    "method": "text",
    "replacement": "flag",
    "target": "number",
    "confidence": "number",
    "mean_coverage": "number",
    "lowest_coverage": "number",
    "lowest_case": "text",
    "clearly_below": "integer",
    "mean_ratio": "number",
    "highest_ratio": "number",
    "highest_case": "text",
}
"""Columns of ``stopping_summary.csv``; `clearly_below` counts the cases whose coverage lies more than two standard
errors below the wanted confidence. Ratios are mean queries to queries needed, or to the first look if fewer are
needed; their mean is geometric."""

RULE_SUMMARY_COLUMNS: Final = {
    "cases": "text",
    "rule": "text",
    "margin": "number",
    "replacement": "flag",
    "combinations": "integer",
    "clearly_below": "integer",
    "worst_shortfall": "number",
    "worst_case": "text",
    "worst_target": "number",
    "worst_confidence": "number",
    "mean_ratio": "number",
}
"""Columns of ``stopping_rules.csv``: what coverage costs, over all cases, errors and confidences together. The worst
shortfall is that of the coverage below the wanted confidence, negative where there is none."""

FIRST_LOOK: Final = Rule().first_look
"""No rule can stop before it looks."""


def with_ratios(sizes: pd.DataFrame) -> pd.DataFrame:
    """Set every required size in relation to MASA's and the oracle's under the same kind of replacement.

    Parameters
    ----------
    sizes : DataFrame
        Columns `SIZE_COLUMNS`.

    Returns
    -------
    DataFrame
        Columns `REQUIRED_COLUMNS`.
    """
    table = sizes.copy()
    for other in ("masa", "oracle"):
        theirs = sizes[sizes["method"] == other].set_index(["case", "replacement"])["n95"]
        keys = pd.MultiIndex.from_frame(sizes[["case", "replacement"]])
        divisor = theirs.reindex(keys).to_numpy(dtype=float, na_value=np.nan)
        table[f"ratio_to_{other}"] = sizes["n95"].to_numpy(dtype=float, na_value=np.nan) / divisor
    return table[list(REQUIRED_COLUMNS)]


def geometric_means(required: pd.DataFrame, cases: Mapping[str, Case]) -> pd.DataFrame:
    """Sum up each method over the cases of the paper.

    Parameters
    ----------
    required : DataFrame
        From `with_ratios`.
    cases : mapping of str to Case

    Returns
    -------
    DataFrame
        Columns `MEAN_COLUMNS`. Means are geometric, over the cases of the paper (those with a Table 1 figure);
        the worst ratio is over all cases. `mean_ratio_to_masa_with_replacement` compares with the paper's own
        way of sampling, whatever the method's.
    """
    paper = {name for name, case in cases.items() if case.paper_masa is not None}
    base = required[(required["method"] == "masa") & required["replacement"]].set_index("case")["n95"]
    rows = []
    for (method, replacement), group in required.groupby(["method", "replacement"], sort=False):
        own = group[group["case"].isin(paper)]
        worst = group.iloc[int(np.nan_to_num(group["ratio_to_masa"].to_numpy()).argmax())]
        divisor = base.reindex(own["case"]).to_numpy(dtype=float, na_value=np.nan)
        rows.append(
            (
                method,
                replacement,
                len(own),
                geometric_mean(own["ratio_to_masa"]),
                worst["ratio_to_masa"],
                worst["case"],
                geometric_mean(own["ratio_to_oracle"]),
                geometric_mean(own["n95"].to_numpy(dtype=float, na_value=np.nan) / divisor),
            )
        )
    return pd.DataFrame(rows, columns=list(MEAN_COLUMNS))


def stopping_summary(groups: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Sum up the stopping rule over recorded cases and over stress shifts.

    Parameters
    ----------
    groups : mapping of str to DataFrame
        ``stopping.csv`` of each group of cases, by its name.

    Returns
    -------
    DataFrame
        Columns `STOPPING_SUMMARY_COLUMNS`.
    """
    rows = []
    keys = ["method", "replacement", "target", "confidence"]
    for name, stopping in groups.items():
        for key, group in stopping.groupby(keys, sort=False):
            ratio = stopping_ratio(group)
            lowest = group.iloc[int(group["coverage"].to_numpy().argmin())]
            highest = group["case"].iloc[int(np.nan_to_num(ratio.to_numpy()).argmax())]
            below = int(clearly_below(group).sum())
            rows.append(
                (
                    name,
                    *key,
                    group["coverage"].mean(),
                    lowest["coverage"],
                    lowest["case"],
                    below,
                    geometric_mean(ratio),
                    ratio.max(),
                    highest,
                )
            )
    return pd.DataFrame(rows, columns=list(STOPPING_SUMMARY_COLUMNS))


def rule_summary(groups: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Set what each rule and margin costs beside its coverage.

    Parameters
    ----------
    groups : mapping of str to DataFrame
        Columns `RULE_COLUMNS`, by the name of the group of cases.

    Returns
    -------
    DataFrame
        Columns `RULE_SUMMARY_COLUMNS`.
    """
    rows = []
    for name, table in groups.items():
        for (rule, margin, replacement), group in table.groupby(
            ["rule", "margin", "replacement"], sort=False
        ):
            shortfall = group["confidence"] - group["coverage"]
            worst = group.iloc[int(shortfall.to_numpy().argmax())]
            rows.append(
                (
                    name,
                    rule,
                    margin,
                    replacement,
                    len(group),
                    int(clearly_below(group).sum()),
                    shortfall.max(),
                    worst["case"],
                    worst["target"],
                    worst["confidence"],
                    geometric_mean(stopping_ratio(group)),
                )
            )
    return pd.DataFrame(rows, columns=list(RULE_SUMMARY_COLUMNS))


def stopping_ratio(stopping: pd.DataFrame) -> "pd.Series[float]":
    """Mean queries to queries needed, or to the first look if fewer are needed."""
    ratio: pd.Series[float] = stopping["mean_queries"] / stopping["queries_needed"].astype(float).clip(
        lower=FIRST_LOOK
    )
    return ratio


def clearly_below(stopping: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each coverage lies more than two standard errors below the wanted confidence."""
    wanted = stopping["confidence"]
    error = np.sqrt(wanted * (1.0 - wanted)) * _relative_error(stopping)
    below: pd.Series[bool] = stopping["coverage"] < wanted - 2.0 * error
    return below


def _relative_error(group: pd.DataFrame) -> float:
    """1 / sqrt(trials), from any row whose coverage is not 0 or 1; 0 where there is none."""
    coverage, error = group["coverage"].to_numpy(), group["coverage_se"].to_numpy()
    spread = np.sqrt(coverage * (1.0 - coverage))
    usable = spread > 0
    return float((error[usable] / spread[usable]).max()) if usable.any() else 0.0


def geometric_mean(values: "pd.Series[float] | Sequence[float]") -> float:
    """Geometric mean of what is there; NaN if any value is missing."""
    array = np.asarray(values, dtype=float)
    return float(np.exp(np.log(array).mean())) if len(array) else np.nan
