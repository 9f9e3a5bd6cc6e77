"""Table 1: samples required for 1% error with probability 95%, ours beside the paper's."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from adaptive_sampling.cases import Case

TABLE_1_COLUMNS: Final = {
    "api": "text",
    "dataset": "text",
    "masa": "integer?",
    "masa_low": "integer?",
    "masa_high": "integer?",
    "uniform": "integer?",
    "stratified": "integer?",
    "save": "number?",
    "paper_masa": "integer?",
    "paper_us": "integer?",
    "paper_save": "integer?",
    "source": "text",
}
"""Columns of ``table_1.csv``; `save` in per cent of uniform sampling, `source` is where the later answers come from."""

_LATEX: Final = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {letter: f"${letter}$" for letter in "<>|"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
"""What a name of one's own may contain and LaTeX would read as a command."""


def table_1(sizes: pd.DataFrame, cases: Mapping[str, Case], names: Sequence[str]) -> pd.DataFrame:
    """Arrange the required sizes as Table 1 does.

    Parameters
    ----------
    sizes : DataFrame
        ``required_size.csv``.
    cases : mapping of str to Case
    names : sequence of str
        The cases, in the order of the rows.

    Returns
    -------
    DataFrame
        Columns `TABLE_1_COLUMNS`; empty cells where no budget suffices or a sampler was not run. The
        stratified column is the paper's S, the same number of samples for each true label.
    """
    keyed = sizes.set_index(["case", "sampler"])
    rows = []
    for name in names:
        case = cases[name]
        masa, uniform = _cell(keyed, name, "masa", "n95"), _cell(keyed, name, "uniform", "n95")
        rows.append(
            {
                "api": case.api,
                "dataset": case.dataset,
                "masa": masa,
                "masa_low": _cell(keyed, name, "masa", "n95_low"),
                "masa_high": _cell(keyed, name, "masa", "n95_high"),
                "uniform": uniform,
                "stratified": _cell(keyed, name, "stratified_equal", "n95"),
                "save": None if masa is None or uniform is None else 100 * (1 - masa / uniform),
                "paper_masa": case.paper_masa,
                "paper_us": case.paper_uniform_stratified,
                "paper_save": case.paper_save,
                "source": case.source,
            }
        )
    table = pd.DataFrame(rows, columns=list(TABLE_1_COLUMNS))
    whole = [name for name, kind in TABLE_1_COLUMNS.items() if kind == "integer?"]
    return table.astype({**dict.fromkeys(whole, "Int64"), "save": "Float64"})


def as_markdown(table: pd.DataFrame, last_budget: int) -> str:
    """Write Table 1 as Markdown, sizes in thousands.

    Parameters
    ----------
    table : DataFrame
        From `table_1`.
    last_budget : int
        What an empty size exceeds.
    """
    head = ["API", "dataset", "MASA", "95% interval", "uniform", "per label", "save"]
    head += ["paper MASA", "paper U/S", "paper save", "later answers"]
    lines = ["| " + " | ".join(head) + " |", "|---|---" + "|--:" * 8 + "|---|"]
    for _, row in table.iterrows():
        cells = [cell.replace("|", r"\|") for cell in _cells(row, last_budget, "–")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def as_latex(table: pd.DataFrame, last_budget: int) -> str:
    r"""Write Table 1 as a LaTeX ``tabular``, sizes in thousands."""
    lines = [
        r"\begin{tabular}{llrrrrrrrrl}",
        r"\hline",
        r" & & \multicolumn{5}{c}{measured here} & \multicolumn{3}{c}{paper} & \\",
        r"API & dataset & MASA & 95\% interval & U & S & save & MASA & U/S & save & later answers \\",
        r"\hline",
    ]
    for _, row in table.iterrows():
        cells = [cell.translate(_LATEX) for cell in _cells(row, last_budget, "--")]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def _cell(keyed: pd.DataFrame, case: str, sampler: str, column: str) -> int | None:
    """One size, or None where there is none."""
    if (case, sampler) not in keyed.index:
        return None
    value: Any = keyed.loc[(case, sampler), column]
    return None if pd.isna(value) else int(value)


def _cells(row: "pd.Series[Any]", last_budget: int, dash: str) -> list[str]:
    """One row as text."""
    beyond = f">{last_budget / 1000:g}K"

    def size(value: Any) -> str:
        return beyond if pd.isna(value) else f"{value / 1000:.1f}K"

    def paper(value: Any, text: str) -> str:
        return "" if pd.isna(value) else text.format(value)

    return [
        row["api"],
        row["dataset"],
        size(row["masa"]),
        f"{size(row['masa_low'])}{dash}{size(row['masa_high'])}",
        size(row["uniform"]),
        size(row["stratified"]),
        paper(row["save"], "{:.0f}%"),
        "" if pd.isna(row["paper_masa"]) else size(row["paper_masa"]),
        "" if pd.isna(row["paper_us"]) else size(row["paper_us"]),
        paper(row["paper_save"], "{}%"),
        row["source"],
    ]
