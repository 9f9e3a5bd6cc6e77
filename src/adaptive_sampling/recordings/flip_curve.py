"""How the chance that an answer changes depends on confidence: fitted on the sampled items of both years.

Run as ``python -m adaptive_sampling.recordings.flip_curve --mirror ../shared/mirror``.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.commands import command_parser, run_command
from adaptive_sampling.recordings.frugalml import read_recording
from adaptive_sampling.recordings.published import read_sample
from adaptive_sampling.recordings.reconstruct import find_anchors, middle_ranks, ranks_within_label

TASK_NAMES: Final = {"sa": "sentiment", "fer": "faces", "scr": "speech"}


def sampled_changes(cases: Iterable[Case], mirror: str | Path) -> pd.DataFrame:
    """Put the sampled items of all pairs under each other.

    Parameters
    ----------
    cases : iterable of Case
        Those without a sample are passed over, and those in whose sample no answer changed: they say nothing
        of where changes fall.
    mirror : str or Path
        Folder that holds ``FrugalML`` and ``hapi-explore``.

    Returns
    -------
    DataFrame
        Columns case, task, before (right, wrong or empty), rank (of the API's confidence, 0 to 1),
        open_source_rank (of the open-source model's, within the label), changed, right_now.
    """
    tables = []
    for case in cases:
        if case.published_dataset in (None, "AFFECTNET"):
            continue
        recording = read_recording(Path(mirror) / "FrugalML", case)
        anchors = find_anchors(case, recording, read_sample(Path(mirror) / "hapi-explore", case))
        label, old = recording.labels[anchors.items], recording.predictions[anchors.items]
        if (anchors.new == old).all():
            continue
        tables.append(
            pd.DataFrame(
                {
                    "case": case.case,
                    "task": case.task,
                    "before": np.where(
                        old == label, "right", np.where(old == recording.empty_answer, "empty", "wrong")
                    ),
                    "rank": middle_ranks(recording.confidences)[anchors.items],
                    "open_source_rank": ranks_within_label(recording)[anchors.items],
                    "changed": anchors.new != old,
                    "right_now": anchors.new == label,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def fit_slope(rank: ArrayLike, changed: ArrayLike, pair: ArrayLike) -> tuple[float, float]:
    """Fit the slope of the log odds of changing over a rank, with an intercept for every pair.

    Maximum likelihood by Newton's method. A pair of which no item changed, or every one, says nothing of the
    slope and is left out.

    Parameters
    ----------
    rank : array of float, shape (items,)
    changed : array of bool, shape (items,)
    pair : array, shape (items,)
        What the intercepts belong to.

    Returns
    -------
    slope, standard_error : float

    Examples
    --------
    Two of three changed at rank 0 and one of three at rank 1: odds of 2 and of 1/2, a slope of -2 log 2.

    >>> slope, error = fit_slope([0, 0, 0, 1, 1, 1], [True, True, False, True, False, False], [0] * 6)
    >>> round(slope, 4)
    -1.3863
    """
    table = pd.DataFrame({"rank": rank, "changed": np.asarray(changed, dtype=float), "pair": pair})
    mean = table.groupby("pair")["changed"].transform("mean")
    table = table[(mean > 0) & (mean < 1)]
    design = np.column_stack([table["rank"], pd.get_dummies(table["pair"]).to_numpy(dtype=float)])
    outcome = table["changed"].to_numpy()
    coefficients = np.zeros(design.shape[1])
    for _ in range(50):
        probability = 1 / (1 + np.exp(-design @ coefficients))
        information = (design * (probability * (1 - probability))[:, None]).T @ design
        coefficients = coefficients + np.linalg.solve(information, design.T @ (outcome - probability))
    return float(coefficients[0]), float(np.sqrt(np.linalg.inv(information)[0, 0]))


def curve_table(changes: pd.DataFrame) -> str:
    """Write the slopes as a Markdown table.

    Parameters
    ----------
    changes : DataFrame
        From `sampled_changes`.

    Returns
    -------
    str
        With a line end after every row.
    """
    lines = ["| answers | rank of | items | changed | slope | standard error |", "|---|---|---|---|---|---|"]
    groups = [("right, all tasks", changes["before"] == "right", "rank")]
    groups += [
        (f"{before}, {name}", (changes["before"] == before) & (changes["task"] == task), "rank")
        for before in ("right", "wrong")
        for task, name in TASK_NAMES.items()
    ]
    groups.append(("empty, speech", changes["before"] == "empty", "open_source_rank"))
    for name, chosen, column in groups:
        rows = changes[chosen]
        slope, error = fit_slope(rows[column], rows["changed"], rows["case"])
        whose = "the API's confidence" if column == "rank" else "the open-source model's, within the label"
        lines.append(
            f"| {name} | {whose} | {len(rows)} | {int(rows['changed'].sum())} | {slope:.1f} | {error:.1f} |"
        )
    return "\n".join(lines) + "\n"


def quintile_rates(changes: pd.DataFrame) -> "pd.Series[float]":
    """Share of right answers that changed, by quintile of the API's confidence.

    Parameters
    ----------
    changes : DataFrame
        From `sampled_changes`.

    Returns
    -------
    Series of float, index 0 to 4
    """
    right = changes[changes["before"] == "right"]
    return right.groupby(np.minimum(right["rank"] * 5, 4).astype(int))["changed"].mean()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit status, as `run_command`."""
    parser = command_parser("adaptive_sampling.recordings.flip_curve", __doc__)
    parser.add_argument("--mirror", type=Path, default=Path("../shared/mirror"), help="folder of recordings")
    return run_command(parser, _work, arguments)


def _work(options: argparse.Namespace) -> None:
    changes = sampled_changes(read_cases(options.cases).values(), options.mirror)
    sys.stdout.write(curve_table(changes))
    rates = ", ".join(f"{rate:.1%}" for rate in quintile_rates(changes))
    sys.stdout.write(f"\nRight answers that changed, by quintile of confidence: {rates}\n")


if __name__ == "__main__":
    raise SystemExit(main())
