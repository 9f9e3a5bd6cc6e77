"""Table 3: what a query of each API costs, and what it costs to assess each shift."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from adaptive_sampling.cases import Case

TABLE_3_COLUMNS: Final = {
    "task": "text",
    "api": "text",
    "price_per_10k": "number",
    "dataset": "text?",
    "items": "integer?",
    "masa": "integer?",
    "uniform": "integer?",
    "masa_usd": "number?",
    "uniform_usd": "number?",
    "saved_usd": "number?",
    "every_item_usd": "number?",
    "source": "text?",
}
"""Columns of ``table_3.csv``: one row a case of the run, and one for each other API without a dataset. Prices and
costs in USD; `masa` and `uniform` are required sizes; `every_item_usd` is what querying the dataset once costs."""

PAPER_TASKS: Final = ("sa", "fer", "scr")
"""Tasks of the paper's Table 3, whose services are all listed."""

QUERIES_OF_A_PRICE: Final = 10_000
"""Prices are for so many queries."""


def table_3(sizes: pd.DataFrame, cases: Mapping[str, Case], names: Sequence[str]) -> pd.DataFrame:
    """Price each assessment: the required size of Table 1 times the price of a query.

    Parameters
    ----------
    sizes : DataFrame
        ``required_size.csv``.
    cases : mapping of str to Case
    names : sequence of str
        The cases of the run.

    Returns
    -------
    DataFrame
        Columns `TABLE_3_COLUMNS`; empty cells where no budget suffices or a sampler was not run.
    """
    keyed = sizes.set_index(["case", "sampler"])["n95"]
    rows = [_row(cases[name], keyed) for name in names]
    priced = {(row["task"], row["api"]) for row in rows}
    for case in cases.values():
        if (case.task, case.api) not in priced and case.task in PAPER_TASKS:
            priced.add((case.task, case.api))
            rows.append({"task": case.task, "api": case.api, "price_per_10k": case.price_per_10k})
    tasks = list(dict.fromkeys(case.task for case in cases.values()))
    rows.sort(key=lambda row: tasks.index(row["task"]))
    whole = {name: "Int64" for name, kind in TABLE_3_COLUMNS.items() if kind == "integer?"}
    costs = {name: "Float64" for name, kind in TABLE_3_COLUMNS.items() if kind == "number?"}
    return pd.DataFrame(rows, columns=list(TABLE_3_COLUMNS)).astype({**whole, **costs})


def as_markdown(table: pd.DataFrame, last_budget: int) -> str:
    """Write Table 3 as Markdown: prices, then the cost of each assessment.

    Parameters
    ----------
    table : DataFrame
        From `table_3`.
    last_budget : int
        What an empty size exceeds, in queries.
    """
    lines = ["| task | API | USD for 10,000 queries |", "|---|---|--:|"]
    lines += [
        f"| {row['task'].upper()} | {row['api']} | {row['price_per_10k']:g} |"
        for row in table.drop_duplicates(["task", "api"]).to_dict("records")
    ]
    head = ["API", "dataset", "MASA (USD)", "uniform (USD)", "saved (USD)", "every item once (USD)"]
    lines += ["", "| " + " | ".join([*head, "source of 2021"]) + " |", "|---|---" + "|--:" * 4 + "|---|"]
    for row in table[table["dataset"].notna()].to_dict("records"):
        beyond = f">{last_budget * row['price_per_10k'] / QUERIES_OF_A_PRICE:.2f}"
        costs = [beyond if pd.isna(row[name]) else f"{row[name]:.2f}" for name in ("masa_usd", "uniform_usd")]
        costs.append("" if pd.isna(row["saved_usd"]) else f"{row['saved_usd']:.2f}")
        costs.append(f"{row['every_item_usd']:.2f}")
        lines.append("| " + " | ".join([row["api"], row["dataset"], *costs, row["source"]]) + " |")
    return "\n".join(lines) + "\n"


def _row(case: Case, required: "pd.Series[Any]") -> dict[str, Any]:
    """Price one case."""

    def cost(queries: int | None) -> float | None:
        return None if queries is None else queries * case.price_per_10k / QUERIES_OF_A_PRICE

    masa, uniform = (_size(required, case.case, sampler) for sampler in ("masa", "uniform"))
    masa_usd, uniform_usd = cost(masa), cost(uniform)
    return {
        "task": case.task,
        "api": case.api,
        "price_per_10k": case.price_per_10k,
        "dataset": case.dataset,
        "items": case.items,
        "masa": masa,
        "uniform": uniform,
        "masa_usd": masa_usd,
        "uniform_usd": uniform_usd,
        "saved_usd": None if masa_usd is None or uniform_usd is None else uniform_usd - masa_usd,
        "every_item_usd": cost(case.items),
        "source": case.source,
    }


def _size(required: "pd.Series[Any]", case: str, sampler: str) -> int | None:
    """Return one required size, or None where there is none."""
    if (case, sampler) not in required.index:
        return None
    value: Any = required.loc[(case, sampler)]
    return None if pd.isna(value) else int(value)
