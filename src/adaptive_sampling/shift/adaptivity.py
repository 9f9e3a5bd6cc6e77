"""What adaptivity buys: the gain of MASA over uniform sampling, split into its parts.

Four steps lead from the paper's baseline to the limit, each over the same items and the same streams of answers:
the label shares become known (proportional sampling by label), items are stratified by difficulty too (proportional
by label and difficulty), the allocation adapts (MASA), and the true uncertainty is known (the oracle of Lemma 1).
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.shift.experiment import Setting, compare, populations
from adaptive_sampling.shift.samplers import Parameters

STEPS: Final = ("uniform", "stratified_proportional", "stratified_difficulty", "masa", "oracle")
"""The samplers from the baseline to the limit."""

GAINS: Final = ("by_labels", "by_difficulty", "by_adapting", "left_to_oracle")
"""What each step saves, in per cent of what uniform sampling requires; negative where a step costs."""

ADAPTIVITY_COLUMNS: Final = {
    "case": "text",
    "source": "text",
    "difficulty": "text",
    "K": "integer",
    **dict.fromkeys(STEPS, "integer?"),
    **dict.fromkeys(GAINS, "number?"),
    "proportional_over_masa": "number?",
    "close": "flag?",
}
"""Columns of ``adaptivity.csv``: required sizes of the samplers, what each step saves, and whether proportional
sampling by label alone comes close to MASA."""

CLOSE: Final = 1.1
"""Proportional sampling by label comes close if it requires at most this many times MASA's samples."""


def difficulty_of(replay: pd.DataFrame, wanted: str, fallback: str) -> str:
    """Return the wanted difficulty source if the replay table has it, else the fallback."""
    return wanted if wanted in set(replay["difficulty"]) else fallback


def sizes_of_cases(
    replays: Mapping[str, pd.DataFrame],
    cases: Sequence[Case],
    *,
    difficulty: str,
    fallback: str,
    K: int,
    parameters: Parameters,
    setting: Setting,
) -> pd.DataFrame:
    """Measure what the five samplers require on cases outside the main comparison.

    Parameters
    ----------
    replays : mapping of str to DataFrame
        Replay table of each case, by name.
    cases : sequence of Case
    difficulty, fallback : str
        What ranks items; the fallback where a case's table does not have it.
    K : int
    parameters : Parameters
    setting : Setting

    Returns
    -------
    DataFrame
        Columns case, sampler, K, a, n95, n95_low, n95_high, as in ``required_size.csv``.
    """
    tables = []
    for case in cases:
        replay = replays[case.case]
        of_strata = populations(replay, case, difficulty=difficulty_of(replay, difficulty, fallback), K=K)
        tables.append(compare(of_strata, STEPS, parameters, K, setting)[1])
    return pd.concat(tables, ignore_index=True)


def adaptivity(
    sizes: pd.DataFrame, cases: Mapping[str, Case], difficulties: Mapping[str, str], K: int
) -> pd.DataFrame:
    """Split the gain over uniform sampling, case by case.

    Parameters
    ----------
    sizes : DataFrame
        Columns case, sampler and n95, the required sizes, for the samplers `STEPS`.
    cases : mapping of str to Case
    difficulties : mapping of str to str
        What ranked the items of each case.
    K : int
        Difficulty levels per label.

    Returns
    -------
    DataFrame
        Columns `ADAPTIVITY_COLUMNS`, one row a case in the order of `difficulties`. A gain is empty where one of
        its two sizes lies beyond the largest budget.
    """
    wide = sizes.pivot_table(index="case", columns="sampler", values="n95", aggfunc="first").reindex(
        index=list(difficulties), columns=list(STEPS)
    )
    wide = wide.astype("Float64").astype("float64")
    saved = -100.0 * wide.diff(axis="columns").iloc[:, 1:].div(wide["uniform"], axis="index")
    ratio = wide["stratified_proportional"] / wide["masa"]
    table = wide.round().astype("Int64")
    for name, column in zip(GAINS, saved.columns):
        table[name] = saved[column]
    table["proportional_over_masa"] = ratio
    table["close"] = (ratio <= CLOSE).astype("boolean").mask(ratio.isna())
    table.insert(0, "source", [cases[name].source for name in table.index])
    table.insert(1, "difficulty", list(difficulties.values()))
    table.insert(2, "K", K)
    return table.reset_index(names="case")[list(ADAPTIVITY_COLUMNS)]


def as_markdown(table: pd.DataFrame, cases: Mapping[str, Case]) -> str:
    """Write the split as Markdown, followed by what it says in words.

    Parameters
    ----------
    table : DataFrame
        From `adaptivity`.
    cases : mapping of str to Case
    """
    head = ["case", "source of 2021", "difficulty", "uniform needs", "known label shares save"]
    head += ["strata of difficulty save", "adapting saves", "the oracle would save", "MASA needs"]
    head += ["proportional / MASA"]
    lines = ["| " + " | ".join(head) + " |", "|---|---|---" + "|--:" * 7 + "|"]
    for row in table.to_dict("records"):
        cells = [cases[row["case"]].title, row["source"], row["difficulty"], _whole(row["uniform"])]
        cells += [_text(row[name], "{:.1f}%") for name in GAINS]
        cells += [_whole(row["masa"]), _text(row["proportional_over_masa"], "{:.2f}")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", "\n".join(_sentences(table, cases))]) + "\n"


def _sentences(table: pd.DataFrame, cases: Mapping[str, Case]) -> list[str]:
    """Say in words where proportional sampling comes close, and which step saves most."""
    known = table.dropna(subset=[*GAINS])
    close = [cases[name].title for name in known.loc[known["close"].fillna(False).astype(bool), "case"]]
    most = np.asarray(GAINS)[known[list(GAINS[:3])].to_numpy(float).argmax(axis=1)] if len(known) else []
    label_cases = int((np.asarray(most) == "by_labels").sum())
    return [
        "All savings are in per cent of what uniform sampling needs.",
        f"Knowing the label shares is the largest step in {label_cases} of {len(known)} cases.",
        f"Proportional sampling by label alone needs at most {100 * (CLOSE - 1):.0f}% more queries than MASA in "
        f"{len(close)} of {len(known)} cases" + (f": {', '.join(close)}." if close else "."),
    ]


def _whole(value: object) -> str:
    return "–" if pd.isna(value) else f"{value:,}"  # type: ignore[call-overload]


def _text(value: float, form: str) -> str:
    return "–" if pd.isna(value) else form.format(value)
