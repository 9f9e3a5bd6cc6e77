"""What the studies share: the populations of many cases at once."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adaptive_sampling.cases import Case
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift.experiment import populations
from adaptive_sampling.shift.population import Population


def populations_of_cases(
    paths: Iterable[str | Path], cases: Sequence[Case], shift: Mapping[str, Any]
) -> dict[str, dict[str, Population]]:
    """Read replay tables and group their items.

    Parameters
    ----------
    paths : iterable of str or Path
        The replay table of each case, in the order of the cases.
    cases : sequence of Case
    shift : mapping
        The config's section of that name: its keys ``difficulty`` and ``K`` are used.

    Returns
    -------
    dict of str to dict of str to Population
        By case, then by kind of strata.
    """
    return {
        case.case: populations(
            read_replay_table(path, case), case, difficulty=shift["difficulty"], K=shift["K"]
        )
        for path, case in zip(paths, cases)
    }
