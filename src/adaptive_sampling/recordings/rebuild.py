"""Rebuild the replay tables and the published accuracies from a folder of the public recordings.

Run as ``python -m adaptive_sampling.recordings.rebuild --mirror ../shared/mirror --out data/replay``.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case, read_cases, selected_cases
from adaptive_sampling.commands import command_parser, run_command
from adaptive_sampling.difficulty.trial_division import trial_divisions
from adaptive_sampling.progress import progress
from adaptive_sampling.recordings.frugalml import Recording, read_recording
from adaptive_sampling.recordings.hapi import read_later_answers
from adaptive_sampling.recordings.llmdrift import read_language_model
from adaptive_sampling.recordings.published import accuracy_table, published_pair, read_published, read_sample
from adaptive_sampling.recordings.reconstruct import DEFAULT_SEED, Flips, ReconstructionChoices, reconstruct
from adaptive_sampling.recordings.replay import build_replay_table, write_replay_table
from adaptive_sampling.tables import write_table


def rebuild(
    cases: Iterable[Case],
    mirror: str | Path,
    out: str | Path,
    choices: ReconstructionChoices,
    hapi: str | Path | None = None,
) -> None:
    """Write the replay table of every case that has one.

    Parameters
    ----------
    cases : iterable of Case
        Those of source ``published`` are passed over.
    mirror : str or Path
        Folder that holds ``FrugalML``, ``hapi-explore`` and ``LLMDrift``.
    out : str or Path
        Folder for ``CASE.csv``.
    choices : ReconstructionChoices
    hapi : str or Path, optional
        The unpacked HAPI archive: its recorded answers of 2021 are used, and nothing is reconstructed.

    Raises
    ------
    InputError
        If a file of the mirror or of the archive is missing or not as expected.
    """
    chosen = [case for case in cases if case.source != "published"]
    with progress("replay tables", len(chosen), "cases") as shown:
        for case in chosen:
            write_replay_table(
                replay_table(case, mirror, choices, hapi), Path(out) / f"{case.case}.csv", case
            )
            shown.update()


def replay_table(
    case: Case, mirror: str | Path, choices: ReconstructionChoices, hapi: str | Path | None = None
) -> pd.DataFrame:
    """Build the replay table of one case from the public recordings.

    Parameters
    ----------
    case : Case
        Of source ``reconstructed`` or ``recorded``.
    mirror, choices, hapi
        As for `rebuild`.

    Returns
    -------
    DataFrame
        As `build_replay_table`.
    """
    if case.source == "recorded":
        asked = read_language_model(Path(mirror) / "LLMDrift/generation/PRIME_FULL_EVAL.csv", case)
        confidences = {"none": None, "trial_division": -trial_divisions(asked.numbers).astype(float)}
        return build_replay_table(case, asked.labels, asked.old, asked.new, confidences, choices.seed)
    recording, new = later_answers(case, mirror, choices, hapi)
    return build_replay_table(
        case,
        recording.labels,
        recording.predictions,
        new,
        {
            "open_source_model": recording.open_source_confidences,
            "old_api_confidence": recording.confidences,
        },
        choices.seed,
    )


def later_answers(
    case: Case, mirror: str | Path, choices: ReconstructionChoices, hapi: str | Path | None = None
) -> tuple[Recording, NDArray[np.int64]]:
    """Read the recording of 2020 of a case, and reconstruct or read the answers of 2021.

    Parameters
    ----------
    case : Case
        Of source ``reconstructed``.
    mirror, choices, hapi
        As for `rebuild`.

    Returns
    -------
    recording : Recording
    new : ndarray of int64, shape (items,)
    """
    explorer = Path(mirror) / "hapi-explore"
    recording = read_recording(Path(mirror) / "FrugalML", case)
    published = published_pair(read_published(explorer / "data/data.json"), case)
    if hapi is not None:
        return recording, read_later_answers(hapi, case, recording, published)
    return recording, reconstruct(case, recording, published, read_sample(explorer, case), choices)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit status, as `run_command`."""
    parser = command_parser("adaptive_sampling.recordings.rebuild", __doc__)
    parser.add_argument("--mirror", type=Path, default=Path("../shared/mirror"), help="folder of recordings")
    parser.add_argument("--out", type=Path, default=Path("data/replay"), help="folder for the replay tables")
    parser.add_argument("--published", type=Path, help="also write the published accuracies to this file")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="rebuild these cases alone")
    parser.add_argument("--hapi", type=Path, help="unpacked HAPI archive: use its recorded answers of 2021")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="seed of every draw")
    parser.add_argument(
        "--other-wrong", type=float, help="c as a share of the slack; default: from the sample"
    )
    parser.add_argument("--flips", choices=get_args(Flips), default="confidence")
    return run_command(parser, _work, arguments)


def _work(options: argparse.Namespace) -> None:
    choices = ReconstructionChoices(options.other_wrong, options.flips, options.seed)
    cases = read_cases(options.cases)
    chosen = selected_cases(cases, options.only)
    rebuild(chosen, options.mirror, options.out, choices, options.hapi)
    if options.published:
        published = read_published(options.mirror / "hapi-explore/data/data.json")
        write_table(accuracy_table(cases.values(), published), options.published)


if __name__ == "__main__":
    raise SystemExit(main())
