"""The replay table of a case from the fetched recordings, and whether it is the one that is shipped."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.difficulty.answers import ANSWER_COLUMNS
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.rebuild import later_answers, replay_table
from adaptive_sampling.recordings.reconstruct import ReconstructionChoices
from adaptive_sampling.recordings.replay import build_replay_table
from adaptive_sampling.tables import read_table

SHOWN: Final = 3
"""Differing rows that a message shows."""


def recorded_replay(
    case: Case,
    folder: str | Path,
    *,
    seed: int,
    hapi: str | Path | None = None,
    confidences: Mapping[str, str | Path] | None = None,
) -> pd.DataFrame:
    """Build a replay table from the fetched recordings.

    Parameters
    ----------
    case : Case
    folder : str or Path
        The folder of recordings.
    seed : int
        Of the reconstruction and of ties.
    hapi : str or Path, optional
        The unpacked archive from which 2021 is read; reconstructed if not given.
    confidences : mapping of str to str or Path, optional
        For each difficulty source to add, the table of a computed model's answers.

    Returns
    -------
    DataFrame
        As `build_replay_table`.

    Raises
    ------
    InputError
        If a file is missing or not as expected.
    """
    choices = ReconstructionChoices(seed=seed)
    if case.task == "llm":
        return replay_table(case, folder, choices)
    # What the table of cases calls recorded is HAPI's; the reader decides by the archive it is given.
    case = replace(case, source="reconstructed")
    base = replay_table(case, folder, choices, hapi)
    if not confidences:
        return base
    recording, new = later_answers(case, folder, choices, hapi)
    added = {
        name: read_table(path, ANSWER_COLUMNS, rows=case.items)["confidence"].to_numpy()
        for name, path in confidences.items()
    }
    more = build_replay_table(case, recording.labels, recording.predictions, new, added, seed)
    return pd.concat([base, more]).sort_values(list(base.columns[:-1]), ignore_index=True)


def check_same(rebuilt: str | Path, embedded: str | Path) -> int:
    """Compare a rebuilt replay table with the embedded one, byte for byte.

    Parameters
    ----------
    rebuilt : str or Path
        May have difficulty sources that the embedded one lacks; these are passed over.
    embedded : str or Path

    Returns
    -------
    int
        The number of rows found equal.

    Raises
    ------
    InputError
        If they differ; the sentence shows the first rows that do.
    """
    expected = Path(embedded).read_bytes().decode("utf-8").split("\n")
    names = {row.partition(",")[0] for row in expected}
    found = [
        row
        for row in Path(rebuilt).read_bytes().decode("utf-8").split("\n")
        if row.partition(",")[0] in names
    ]
    if found == expected:
        return len(expected) - 2
    length = max(len(found), len(expected))
    pairs = zip(
        found + ["nothing"] * (length - len(found)), expected + ["nothing"] * (length - len(expected))
    )
    differing = [(number, *pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1]]
    shown = "; ".join(f"row {n}: found {ours}, expected {theirs}" for n, ours, theirs in differing[:SHOWN])
    raise InputError(f"{rebuilt}: {len(differing)} rows differ from {embedded}: {shown}")
