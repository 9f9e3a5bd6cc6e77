"""Whether the settings beyond the paper can work, asked before any job starts.

Standard library only: this runs while the workflow is being planned.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay_format import check_replay_table

WITHOUT_CONFIDENCE: Final = "AFFECTNET"
"""The one dataset that was recorded without confidences."""


def pair_cases(cases: Mapping[str, Case]) -> list[Case]:
    """Choose the pairs that have recorded confidences and no replay table of their own, in the order of the table."""
    return [
        replace(case, source="reconstructed")
        for case in cases.values()
        if case.source == "published" and case.frugalml_dataset != WITHOUT_CONFIDENCE
    ]


def check_beyond(beyond: Mapping[str, Any], cases: Mapping[str, Case], replay: str | Path | None) -> None:
    """Check the cases of the section ``beyond`` and their replay tables.

    Parameters
    ----------
    beyond : mapping
        The section ``beyond``, which fits the schema.
    cases : mapping of str to Case
        The table of cases.
    replay : path or None
        Folder of the replay tables that are shipped; None leaves them to the jobs that read them.

    Raises
    ------
    InputError
        One sentence: the key or file, what was found, and what is allowed.
    """
    for name in beyond["cases"]:
        if name not in cases or cases[name].source == "published":
            replayable = ", ".join(case.case for case in cases.values() if case.source != "published")
            what = "no such case" if name not in cases else "only its accuracies are known"
            raise InputError(f"config: key beyond.cases: found {name} ({what}), allowed are {replayable}")
        if replay is not None:
            check_replay_table(Path(replay) / f"{name}.csv", cases[name])
