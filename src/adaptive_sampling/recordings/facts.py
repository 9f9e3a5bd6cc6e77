"""What the replay tables say of each case, as a Markdown table.

Run as ``python -m adaptive_sampling.recordings.facts``; it needs nothing but the tables themselves.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.commands import command_parser, run_command
from adaptive_sampling.recordings.replay import read_replay_table


@dataclass(frozen=True)
class Facts:
    """What changed in one case.

    Attributes
    ----------
    to_right, to_wrong, to_other : int
        a, b and c: wrong answers that became right, right that became wrong, wrong that became another wrong.
    old, new : ndarray of int64, shape (labels, predicted labels)
        Items by true label and prediction, at the two dates.
    """

    to_right: int
    to_wrong: int
    to_other: int
    old: NDArray[np.int64]
    new: NDArray[np.int64]

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.old.sum())

    @property
    def gains(self) -> NDArray[np.int64]:
        """Correct answers gained by each true label."""
        return np.diagonal(self.new) - np.diagonal(self.old)

    @property
    def largest_confusion(self) -> tuple[int, int, int]:
        """True label, prediction and gain of the wrong cell that gained most items."""
        growth = self.new - self.old
        np.fill_diagonal(growth, np.iinfo(np.int64).min)
        label, predicted = np.unravel_index(growth.argmax(), growth.shape)
        return int(label), int(predicted), int(growth[label, predicted])


def replay_facts(table: pd.DataFrame, case: Case) -> Facts:
    """Count what changed in one case.

    Parameters
    ----------
    table : DataFrame
        Its replay table; all difficulty sources agree, so the first is taken.
    case : Case

    Returns
    -------
    Facts
    """
    rows = table[table["difficulty"] == table["difficulty"].iloc[0]]
    label, old, new, items = (rows[name].to_numpy() for name in ("label", "old", "new", "items"))
    counts = {
        date: np.zeros((len(case.labels), len(case.predicted_labels)), np.int64) for date in ("old", "new")
    }
    np.add.at(counts["old"], (label, old), items)
    np.add.at(counts["new"], (label, new), items)
    changed, right_before, right_now = old != new, old == label, new == label
    return Facts(
        to_right=int(items[changed & right_now].sum()),
        to_wrong=int(items[changed & right_before].sum()),
        to_other=int(items[changed & ~right_before & ~right_now].sum()),
        **counts,
    )


def facts_table(cases: Sequence[Case], folder: str | Path) -> str:
    """Write the facts of all cases as a Markdown table.

    Parameters
    ----------
    cases : sequence of Case
        Those of source ``published`` are passed over.
    folder : str or Path
        Where the replay tables are.

    Returns
    -------
    str
        With a line end after every row.
    """
    lines = [
        "| case | later answers | items | changed | a | b | c | accuracy then, now | wrong cell that gained most |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case in cases:
        if case.source == "published":
            continue
        facts = replay_facts(read_replay_table(Path(folder) / f"{case.case}.csv", case), case)
        label, predicted, gain = facts.largest_confusion
        changed = facts.to_right + facts.to_wrong + facts.to_other
        then, now = (np.trace(counts) / facts.items for counts in (facts.old, facts.new))
        lines.append(
            f"| {case.title} | {case.source} | {facts.items} | {changed} | {facts.to_right} | {facts.to_wrong} "
            f"| {facts.to_other} | {then:.5f}, {now:.5f} "
            f"| {case.labels[label]} as {case.predicted_labels[predicted]}, {gain:+d} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit status, as `run_command`."""
    parser = command_parser("adaptive_sampling.recordings.facts", __doc__)
    parser.add_argument("--replay", type=Path, default=Path("data/replay"), help="folder of replay tables")
    return run_command(parser, _work, arguments)


def _work(options: argparse.Namespace) -> None:
    sys.stdout.write(facts_table(list(read_cases(options.cases).values()), options.replay))


if __name__ == "__main__":
    raise SystemExit(main())
