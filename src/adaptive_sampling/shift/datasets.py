"""Table 2: the datasets, their sizes and classes, counted in the recorded data and beside the paper's figures."""

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

TABLE_2_COLUMNS: Final = {
    "dataset": "text",
    "task": "text",
    "size": "integer",
    "classes": "integer",
    "smallest_class": "integer?",
    "largest_class": "integer?",
    "counted_in": "text",
    "paper_size": "integer?",
    "paper_classes": "integer?",
    "agrees": "flag?",
}
"""Columns of ``table_2.csv``; `counted_in` is the replay table of a case, or the published accuracies."""

PAPER: Final = {
    "FER+": (6358, 7),
    "RAFDB": (15339, 7),
    "EXPW": (31510, 7),
    "AFNET": (87401, 7),
    "YELP": (20000, 2),
    "SHOP": (62774, 2),
    "IMDB": (25000, 2),
    "WAIMAI": (11987, 2),
    "DIGIT": (2000, 10),
    "AMNIST": (30000, 10),
    "FLUENT": (30043, 31),
    "CMD": (64727, 31),
}
"""Size and number of classes that the paper's Table 2 prints, in its order. It calls AFNET AFFECTNET there,
AMNIST AUDIOMNIST and CMD COMMAND."""

MISPRINT: Final = "AFNET (AFFECTNET): the paper prints 87,401 for the 287,401 recorded items, a misprint."


def table_2(
    cases: Mapping[str, Case], published: pd.DataFrame, replays: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Count the items and classes of every dataset.

    Parameters
    ----------
    cases : mapping of str to Case
        The table of cases.
    published : DataFrame
        ``data/published/accuracy.csv``.
    replays : mapping of str to DataFrame
        Replay tables by case; the first of a dataset is counted.

    Returns
    -------
    DataFrame
        Columns `TABLE_2_COLUMNS`: the paper's datasets in its order, then others of the run. Where no replay
        table is at hand the size is the published one, the classes are those of the table of cases, and the
        sizes of classes are unknown.

    Raises
    ------
    InputError
        If the cases of one dataset differ in size.
    """
    ours = [case.dataset for case in cases.values() if case.dataset in PAPER or case.case in replays]
    order = [name for name in PAPER if name in ours]
    order += [name for name in dict.fromkeys(ours) if name not in PAPER]
    return pd.DataFrame(
        [_row(name, cases, published, replays) for name in order], columns=list(TABLE_2_COLUMNS)
    ).astype({name: "Int64" for name, kind in TABLE_2_COLUMNS.items() if kind == "integer?"})


def as_markdown(table: pd.DataFrame) -> str:
    """Write Table 2 as Markdown, with a line on the paper's misprint where the dataset is listed."""
    lines = [
        "| dataset | task | size | classes | smallest to largest class | paper size | paper classes |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in table.to_dict("records"):
        classes = (
            "" if pd.isna(row["smallest_class"]) else f"{row['smallest_class']:,}–{row['largest_class']:,}"
        )
        size = "" if pd.isna(row["paper_size"]) else f"{row['paper_size']:,}"
        size += "" if pd.isna(row["agrees"]) or row["agrees"] else " (differs)"
        count = "" if pd.isna(row["paper_classes"]) else str(row["paper_classes"])
        cells = [
            row["dataset"],
            row["task"].upper(),
            f"{row['size']:,}",
            str(row["classes"]),
            classes,
            size,
            count,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    misprint = f"\n{MISPRINT}\n" if "AFNET" in set(table["dataset"]) else ""
    return "\n".join(lines) + "\n" + misprint


def _row(
    dataset: str, cases: Mapping[str, Case], published: pd.DataFrame, replays: Mapping[str, pd.DataFrame]
) -> dict[str, Any]:
    """Count one dataset."""
    of_dataset = [case for case in cases.values() if case.dataset == dataset]
    sizes = {case.items for case in of_dataset}
    sizes |= set(published.loc[published["dataset"] == dataset, "items"])
    if len(sizes) > 1:
        raise InputError(f"dataset {dataset}: its cases have {sorted(sizes)} items, expected one size")
    replayed = next((case.case for case in of_dataset if case.case in replays), None)
    row: dict[str, Any] = {"dataset": dataset, "task": of_dataset[0].task}
    if replayed is None:
        row |= {
            "size": sizes.pop(),
            "classes": len(of_dataset[0].labels),
            "counted_in": "published accuracies",
        }
        row |= {"smallest_class": None, "largest_class": None}
    else:
        rows = replays[replayed]
        rows = rows[rows["difficulty"] == rows["difficulty"].iloc[0]]
        classes = rows.groupby("label")["items"].sum()
        row |= {"size": int(classes.sum()), "classes": len(classes), "counted_in": f"replay table {replayed}"}
        row |= {"smallest_class": int(classes.min()), "largest_class": int(classes.max())}
    paper_size, paper_classes = PAPER.get(dataset, (None, None))
    row |= {"paper_size": paper_size, "paper_classes": paper_classes}
    agrees = None if paper_size is None else (row["size"], row["classes"]) == (paper_size, paper_classes)
    return row | {"agrees": agrees}
