"""How much does the quality of the cheap model matter? MASA's required size under each source of difficulty."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.shift.experiment import Setting, compare, populations
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.samplers import Parameters

STUDY_COLUMNS: Final = {
    "case": "text",
    "difficulty": "text",
    "K": "integer",
    "least_variance": "number",
    "n95": "integer?",
    "n95_low": "integer?",
    "n95_high": "integer?",
}
"""Columns of one case's table."""

ALL_COLUMNS: Final = {**STUDY_COLUMNS, "model_accuracy": "number?", "ratio_to_none": "number?"}
"""Columns of ``results/difficulty/required_size.csv``."""

NONE: Final = "none"
"""No difficulty: one partition a label."""


def difficulty_study(
    replay: pd.DataFrame, case: Case, *, K: int, parameters: Parameters, setting: Setting
) -> pd.DataFrame:
    """Measure MASA's required size on one case under each difficulty source of its replay table, and under none.

    Parameters
    ----------
    replay : DataFrame
        The case's replay table.
    case : Case
    K : int
        Difficulty levels per label.
    parameters : Parameters
        Of MASA.
    setting : Setting

    Returns
    -------
    DataFrame
        Columns `STUDY_COLUMNS`. `least_variance` is that of the best allocation to the partitions, as a share of
        the same without difficulty: (sum p sigma)^2 with K levels over (sum p sigma)^2 with one. It needs no
        trials, and is what a source can gain at most as the budget grows.
    """
    found = [name for name in dict.fromkeys(replay["difficulty"]) if name != NONE]
    reference = found[0] if found else NONE
    rows = []
    for name in [NONE, *found]:
        levels = 1 if name == NONE else K
        source = reference if name == NONE else name
        kinds = populations(replay, case, difficulty=source, K=levels)
        _, sizes = compare(kinds, ["masa"], parameters, levels, setting)
        best = _best(kinds["label_difficulty"]) / _best(kinds["label"])
        row = sizes.iloc[0]
        rows.append((case.case, name, levels, best, row["n95"], row["n95_low"], row["n95_high"]))
    whole = dict.fromkeys(("n95", "n95_low", "n95_high"), "Int64")
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS)).astype(whole)


def with_models(
    studies: Sequence[pd.DataFrame], accuracies: pd.DataFrame, cases: Sequence[Case]
) -> pd.DataFrame:
    """Put the studies of all cases under each other, beside the accuracy of each model.

    Parameters
    ----------
    studies : sequence of DataFrame
        From `difficulty_study`.
    accuracies : DataFrame
        ``verified.csv``: columns model, dataset, accuracy, recorded_accuracy and others.
    cases : sequence of Case

    Returns
    -------
    DataFrame
        Columns `ALL_COLUMNS`; `model_accuracy` is empty where no model ranks the items, or none was run here.
    """
    table = pd.concat(studies, ignore_index=True)
    dataset = {case.case: case.frugalml_dataset for case in cases}
    known: dict[tuple[str, str], float] = {}
    for _, row in accuracies.iterrows():
        known[row["model"], row["dataset"]] = row["accuracy"]
        known["open_source_model", row["dataset"]] = row["recorded_accuracy"]
    table["model_accuracy"] = [
        known.get((name, str(dataset[case]))) for case, name in zip(table["case"], table["difficulty"])
    ]
    none = table[table["difficulty"] == NONE].set_index("case")["n95"]
    table["ratio_to_none"] = table["n95"].astype("Float64") / table["case"].map(none).astype("Float64")
    return table.astype({"model_accuracy": "Float64"})[list(ALL_COLUMNS)]


def as_markdown(table: pd.DataFrame, titles: Sequence[str]) -> str:
    """Write the required sizes as Markdown: one row a case, one column a source.

    Parameters
    ----------
    table : DataFrame
        From `with_models`.
    titles : sequence of str
        Names of the cases, in the order of the table.
    """
    sources = list(dict.fromkeys(table["difficulty"]))
    keyed = table.set_index(["case", "difficulty"])
    lines = ["| case | " + " | ".join(sources) + " |", "|---|" + "--:|" * len(sources)]
    for case, title in zip(dict.fromkeys(table["case"]), titles):
        cells = []
        for source in sources:
            if (case, source) not in keyed.index:
                cells.append("")
                continue
            row = keyed.loc[(case, source)]
            size = "beyond" if pd.isna(row["n95"]) else f"{int(row['n95'])}"
            cells.append(size if pd.isna(row["model_accuracy"]) else f"{size} ({row['model_accuracy']:.1%})")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _best(population: Population) -> float:
    """Return the square of sum p sigma: N times the variance of the best allocation of N queries."""
    return float((population.share * np.sqrt(population.uncertainty)).sum() ** 2)
