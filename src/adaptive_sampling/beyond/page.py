"""Fill the numbers of docs/beyond.md from the tables in results/beyond.

Usage: ``python -m adaptive_sampling.beyond.page --results results/beyond --page docs/beyond.md``.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from adaptive_sampling.beyond.detection import DETECTION_COLUMNS
from adaptive_sampling.beyond.intervals import INTERVAL_COLUMNS
from adaptive_sampling.beyond.stopping import STOPPING_COLUMNS
from adaptive_sampling.beyond.summary import (
    MEAN_COLUMNS,
    REQUIRED_COLUMNS,
    RULE_SUMMARY_COLUMNS,
    STOPPING_SUMMARY_COLUMNS,
    clearly_below,
    geometric_mean,
    stopping_ratio,
)
from adaptive_sampling.errors import InputError
from adaptive_sampling.tables import read_table, write_text

TABLES: Final = {
    "required_size": REQUIRED_COLUMNS,
    "geometric_means": MEAN_COLUMNS,
    "stopping": STOPPING_COLUMNS,
    "stopping_summary": STOPPING_SUMMARY_COLUMNS,
    "intervals": INTERVAL_COLUMNS,
    "stress_required_size": REQUIRED_COLUMNS,
    "stress_stopping": STOPPING_COLUMNS,
    "stopping_rules": RULE_SUMMARY_COLUMNS,
    "stress_intervals": INTERVAL_COLUMNS,
    "detection": DETECTION_COLUMNS,
}
"""Tables that the page is made of, with their columns."""

MEAN_TARGET, WORST_TARGET, ORACLE_TARGET, STOP_TARGET = 0.33, 1.1, 1.2, 1.5
"""What was asked of the proposed sampler before it was measured."""

LIMIT: Final = 1.15
"""A stress shift is reported if the proposed sampler needs more than this many times MASA's queries."""


def blocks(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """Every generated block of the page, by name.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        By the names of `TABLES`.
    """
    return {
        "queries": _queries(tables["required_size"], True),
        "queries-without": _queries(tables["required_size"], False),
        "targets": _targets(tables["geometric_means"], tables["stopping_summary"]),
        "means": _means(tables["geometric_means"]),
        "stress": _stress(tables["stress_required_size"]),
        "stopping": _stopping(tables["stopping"]),
        "stopping-lowest": _lowest(tables["stopping_summary"]),
        "stopping-below": _below(tables["stopping"], tables["stress_stopping"]),
        "stopping-rules": _rules(tables["stopping_rules"]),
        "intervals": _intervals(tables["intervals"], tables["stress_intervals"]),
        "bias": _bias(tables["intervals"]),
        "detection": _detection(tables["detection"], "accuracy"),
        "detection-cells": _detection(tables["detection"], "cells"),
    }


def filled(page: str, contents: Mapping[str, str]) -> str:
    """Put each block between its marks ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.

    Raises
    ------
    InputError
        If a block has no marks in the page, or marks have no block.
    """
    marks = set(re.findall(r"<!-- begin ([a-z-]+) -->", page))
    if marks != set(contents):
        raise InputError(
            f"page: marks are {', '.join(sorted(marks))}, expected {', '.join(sorted(contents))}"
        )
    for name, content in contents.items():
        between = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        # A backslash in a replacement would be read as a group.
        escaped = content.replace("\\", r"\\")
        page = between.sub(rf"\g<1>\n{escaped}\n\g<2>", page)
    return page


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def _size(value: Any) -> str:
    return "–" if pd.isna(value) else f"{int(value):,}"


def _ratio(value: Any) -> str:
    return "–" if pd.isna(value) else f"{value:.2f}"


def _queries(required: pd.DataFrame, replacement: bool) -> str:
    rows = required[required["replacement"] == replacement]
    if rows.empty:
        return "Not run.\n"
    methods = list(dict.fromkeys(rows["method"]))
    sizes = rows.set_index(["case", "method"])["n95"]
    order = list(dict.fromkeys(rows["case"]))
    return _table(
        ["case", *methods],
        [[case, *(_size(sizes.get((case, method))) for method in methods)] for case in order],
    )


def _means(means: pd.DataFrame) -> str:
    rows = [
        [
            row["method"],
            "with" if row["replacement"] else "without",
            _ratio(row["mean_ratio_to_masa"]),
            f"{_ratio(row['worst_ratio_to_masa'])} ({row['worst_case']})",
            _ratio(row["mean_ratio_to_oracle"]),
            _ratio(row["mean_ratio_to_masa_with_replacement"]),
        ]
        for row in means.to_dict("records")
    ]
    head = ["method", "replacement", "of MASA", "worst case", "of the oracle", "of MASA with replacement"]
    return _table(head, rows)


def _targets(means: pd.DataFrame, summary: pd.DataFrame) -> str:
    """Set what was asked for beside what came out, whether or not it was reached."""
    rows = []
    for row in means[means["method"] == "posterior"].to_dict("records"):
        kind = "with" if row["replacement"] else "without"
        for what, wanted, measured in (
            ("mean ratio to MASA", MEAN_TARGET, row["mean_ratio_to_masa"]),
            ("worst ratio to MASA", WORST_TARGET, row["worst_ratio_to_masa"]),
            ("mean ratio to the oracle", ORACLE_TARGET, row["mean_ratio_to_oracle"]),
        ):
            rows.append([f"{what}, {kind} replacement", f"at most {wanted}", f"{measured:.3f}"])
    for cases, group in summary[summary["method"] == "posterior"].groupby("cases", sort=False):
        below, ratio = int(group["clearly_below"].sum()), geometric_mean(group["mean_ratio"])
        rows.append([f"stopping on {cases} cases: clearly below nominal", "0", str(below)])
        rows.append(
            [
                f"stopping on {cases} cases: mean queries to queries needed",
                f"at most {STOP_TARGET}",
                f"{ratio:.2f}",
            ]
        )
    return _table(["measure of the proposed sampler", "asked for", "measured"], rows)


def _stress(required: pd.DataFrame) -> str:
    rows = required[required["method"] == "posterior"]
    masa = required[required["method"] == "masa"].set_index(["case", "replacement"])
    lines = []
    for row in rows.to_dict("records"):
        theirs = masa.loc[(row["case"], row["replacement"])]
        lines.append(
            [
                row["case"],
                "with" if row["replacement"] else "without",
                _size(theirs["n95"]),
                _size(row["n95"]),
                f"{_size(row['n95_low'])}–{_size(row['n95_high'])}",
                _ratio(row["ratio_to_masa"]),
            ]
        )
    over = rows[rows["ratio_to_masa"] > LIMIT]
    count = f"{len(rows) - len(over)} of {len(rows)} pairs of shift and replacement stay within {LIMIT}"
    named = ", ".join(
        f"{row['case']} ({'with' if row['replacement'] else 'without'}, {row['ratio_to_masa']:.2f})"
        for row in over.to_dict("records")
    )
    verdict = f"{count}; beyond it: {named}.\n" if named else f"{count}.\n"
    head = ["shift", "replacement", "MASA", "posterior", "95% interval", "ratio"]
    return verdict + "\n" + _table(head, lines)


def _stopping(stopping: pd.DataFrame) -> str:
    """Set the proposed sampler's stops at 1% and 95% beside MASA's."""
    target = 0.01 if (stopping["target"] == 0.01).any() else stopping["target"].min()

    def at(method: str) -> pd.DataFrame:
        chosen = (
            stopping["target"].eq(target) & stopping["confidence"].eq(0.95) & stopping["method"].eq(method)
        )
        table = stopping[chosen].set_index(["case", "replacement"])
        return table.assign(ratio=stopping_ratio(table))

    rows, masa = at("posterior"), at("masa")
    keys = rows.index.intersection(masa.index)
    saved = rows.loc[keys, "mean_queries"] / masa.loc[keys, "mean_queries"]
    lines = []
    for key in keys:
        row, other = rows.loc[key], masa.loc[key]
        lines.append(
            [
                str(key[0]),
                "with" if key[1] else "without",
                _size(row["queries_needed"]),
                f"{row['mean_queries']:,.0f} ({100 * row['coverage']:.1f}%)",
                _ratio(row["ratio"]),
                f"{other['mean_queries']:,.0f} ({100 * other['coverage']:.1f}%)",
                _ratio(saved[key]),
            ]
        )
    head = ["case", "replacement", "needed", "stops at (coverage)", "of needed", "MASA stops at", "of MASA's"]
    own, theirs = geometric_mean(rows.loc[keys, "ratio"]), geometric_mean(masa.loc[keys, "ratio"])
    text = (
        f"Wanted: error {target:g} with 95%; {_trials(stopping)} trials. Geometric means: the rule stops at "
    )
    text += f"{_ratio(own)} of what is needed (MASA: {_ratio(theirs)}), and the proposed sampler at "
    return text + f"{_ratio(geometric_mean(saved))} of MASA's queries.\n\n" + _table(head, lines)


def _trials(stopping: pd.DataFrame) -> str:
    """Count the trials behind coverages, from any that is neither 0 nor 1."""
    usable = stopping[stopping["coverage"].between(0, 1, inclusive="neither") & (stopping["coverage_se"] > 0)]
    if usable.empty:
        return "all"
    row = usable.iloc[0]
    return f"{round(row['coverage'] * (1.0 - row['coverage']) / row['coverage_se'] ** 2):,}"


def _rules(rules: pd.DataFrame) -> str:
    """Set rules and margins side by side."""
    rows = [
        [
            f"{row['cases']}, {row['rule']}",
            "with" if row["replacement"] else "without",
            f"{row['margin']:g}",
            f"{row['clearly_below']} of {row['combinations']}",
            f"{100 * row['worst_shortfall']:.1f} points",
            f"{row['worst_case']}, {row['worst_target']:g}, {100 * row['worst_confidence']:g}%",
            _ratio(row["mean_ratio"]),
        ]
        for row in rules.to_dict("records")
    ]
    head = ["cases, rule", "replacement", "margin", "clearly below", "worst shortfall", "where", "ratio"]
    return _table(head, rows)


def _lowest(summary: pd.DataFrame) -> str:
    rows = []
    keys = ["cases", "method", "replacement", "confidence"]
    for _, group in summary.groupby(keys, sort=False):
        cases, method, replacement, confidence = group.iloc[0][keys]
        lowest = group.iloc[int(group["lowest_coverage"].to_numpy().argmin())]
        rows.append(
            [
                f"{cases}, {method}, {'with' if replacement else 'without'}",
                f"{100 * confidence:g}%",
                f"{100 * group['mean_coverage'].mean():.1f}%",
                f"{100 * lowest['lowest_coverage']:.1f}% ({lowest['lowest_case']}, {lowest['target']:g})",
                str(group["clearly_below"].sum()),
                _ratio(geometric_mean(group["mean_ratio"])),
            ]
        )
    head = ["cases, method, replacement", "wanted", "mean", "lowest (where, error)", "clearly below", "ratio"]
    return _table(head, rows)


def _below(stopping: pd.DataFrame, stress: pd.DataFrame) -> str:
    """Name every combination whose coverage lies more than two standard errors below nominal."""
    lines = []
    for table in (stopping, stress):
        lines += [
            [
                row["case"],
                row["method"],
                "with" if row["replacement"] else "without",
                f"{row['target']:g}",
                f"{100 * row['confidence']:g}%",
                f"{100 * row['coverage']:.1f}%",
            ]
            for row in table[clearly_below(table)].to_dict("records")
        ]
    total = len(stopping) + len(stress)
    text = f"{len(lines)} of {total} combinations lie more than two standard errors below nominal"
    if not lines:
        return text + ".\n"
    head = ["case", "method", "replacement", "error", "wanted", "coverage"]
    return text + ":\n\n" + _table(head, lines)


def _intervals(intervals: pd.DataFrame, stress: pd.DataFrame) -> str:
    rows = []
    for name, table in (("recorded", intervals), ("stress", stress)):
        for (method, width), group in table.groupby(["method", "width"], sort=False):
            lowest = group.iloc[int(group["coverage"].to_numpy().argmin())]
            cells = group["cell_coverage"].mean()
            rows.append(
                [
                    f"{name}, {method}",
                    f"{width:g}",
                    f"{100 * group['coverage'].mean():.1f}%",
                    f"{100 * lowest['coverage']:.1f}% ({lowest['case']})",
                    f"{100 * group['half_width'].mean():.2f}%",
                    "–" if np.isnan(cells) else f"{100 * cells:.1f}%",
                    "–" if np.isnan(cells) else f"{100 * group['worst_cell_coverage'].min():.1f}%",
                    "–" if np.isnan(cells) else f"{100 * group['cell_half_width'].mean():.2f}%",
                ]
            )
    head = ["cases, method", "width", "accuracy: mean", "lowest", "half width"]
    head += ["cells: mean", "worst cell", "half width"]
    return _table(head, rows)


def _bias(intervals: pd.DataFrame) -> str:
    rows = []
    once = intervals[intervals["width"] == intervals["width"].min()]
    for (method, replacement), group in once.groupby(["method", "replacement"], sort=False):
        relative = (group["bias"] / group["sd"].where(group["sd"] > 0)).abs()
        worst = group.iloc[int(np.nan_to_num(relative.to_numpy()).argmax())]
        significant = int((group["bias"].abs() > 3 * group["bias_se"]).sum())
        rows.append(
            [
                method,
                "with" if replacement else "without",
                f"{group['bias'].abs().mean():.5f}",
                f"{relative.mean():.2f}",
                f"{relative.max():.2f} ({worst['case']}: {worst['bias']:+.5f})",
                f"{significant} of {len(group)}",
                "–" if group["model_bias"].isna().all() else f"{group['model_bias'].abs().mean():.5f}",
            ]
        )
    head = ["method", "replacement", "mean bias", "bias/sd: mean", "highest", "beyond three standard errors"]
    head += ["mean bias of the change model"]
    return _table(head, rows)


def _detection(detection: pd.DataFrame, of: str) -> str:
    keys = ["case", "replacement"]
    detection = detection[detection["of"] == of]
    uniform = detection[detection["method"] == "uniform"].set_index(keys)
    rows, ratio = [], []
    for row in detection[detection["method"] == "posterior"].to_dict("records"):
        theirs = uniform.loc[(row["case"], row["replacement"])]
        ratio.append(row["mean_queries"] / theirs["mean_queries"])
        rows.append(
            [
                row["case"],
                "with" if row["replacement"] else "without",
                f"{100 * row['change']:+.2f}%",
                f"{theirs['mean_queries']:,.0f}",
                f"{row['mean_queries']:,.0f}",
                f"{100 * theirs['wrong']:.1f}% / {100 * row['wrong']:.1f}%",
                f"{100 * theirs['undecided']:.0f}% / {100 * row['undecided']:.0f}%",
            ]
        )
    if not rows:
        return "Not run.\n"
    wrong = detection.groupby("method")["wrong"].max()
    text = (
        f"The proposed sampler decides after {_ratio(geometric_mean(ratio))} of uniform sampling's queries "
    )
    text += f"(geometric mean), with fewer in {sum(each < 1 for each in ratio)} of {len(ratio)} rows. Highest share "
    text += f"of wrong decisions: {100 * wrong.get('uniform', 0):.1f}% uniform, "
    text += f"{100 * wrong.get('posterior', 0):.1f}% proposed.\n\n"
    head = ["case", "replacement", "change", "uniform", "posterior", "wrong (u / p)", "undecided (u / p)"]
    return text + _table(head, rows)


def main() -> None:
    """Read the tables, fill the page, write it back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--page", type=Path, required=True)
    arguments = parser.parse_args()
    tables = {
        name: read_table(arguments.results / f"{name}.csv", columns) for name, columns in TABLES.items()
    }
    write_text(filled(arguments.page.read_text(encoding="utf-8"), blocks(tables)), arguments.page)


if __name__ == "__main__":
    main()
