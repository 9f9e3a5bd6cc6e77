"""Whether the settings beyond the paper can work, asked before any job starts.

Standard library only: this runs while the workflow is being planned.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay_format import check_replay_table


def check_beyond(config: Mapping[str, Any], cases: Mapping[str, Case]) -> None:
    """Check the cases of the section ``beyond`` and their replay tables.

    Parameters
    ----------
    config : mapping
        Settings that fit the schema.
    cases : mapping of str to Case
        The table of cases.

    Raises
    ------
    InputError
        One sentence: the key or file, what was found, and what is allowed.
    """
    for name in config["beyond"]["cases"]:
        if name not in cases or cases[name].source == "published":
            replayable = ", ".join(case.case for case in cases.values() if case.source != "published")
            what = "no such case" if name not in cases else "only its accuracies are known"
            raise InputError(f"config: key beyond.cases: found {name} ({what}), allowed are {replayable}")
        check_replay_table(Path(config["data"]["replay"]) / f"{name}.csv", cases[name])
