"""Replay tables of the pairs of API and dataset whose accuracy hardly moved: most did not.

Run as ``python -m adaptive_sampling.beyond.pairs --mirror ../shared/mirror --out data/pairs``. Of the 36 pairs with
published accuracies, 33 have recorded confidences; 12 of these moved and are cases of the paper. These are the other
21.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from adaptive_sampling.beyond.planning import pair_cases
from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.commands import command_parser, run_command
from adaptive_sampling.recordings.frugalml import read_recording
from adaptive_sampling.recordings.published import PublishedPair, published_pair, read_published, read_sample
from adaptive_sampling.recordings.reconstruct import DEFAULT_SEED, ReconstructionChoices, reconstruct
from adaptive_sampling.recordings.replay import build_replay_table, write_replay_table


def possible(published: PublishedPair, items: int) -> PublishedPair:
    """Return published figures that can be: an overlap that leaves fewer changes than the accuracy moved is lowered.

    Examples
    --------
    >>> possible(PublishedPair(0.5, 0.6, 0.95), 100).overlap
    0.9
    """
    moved = round(items * published.accuracy_2021) - round(items * published.accuracy_2020)
    changed = max(round(items * (1.0 - published.overlap)), abs(moved))
    return replace(published, overlap=1.0 - changed / items)


def pair_table(case: Case, mirror: str | Path, seed: int) -> pd.DataFrame:
    """Build the replay table of a pair, with the old API's confidence as its only source of difficulty.

    Parameters
    ----------
    case : Case
        From `pair_cases`.
    mirror : str or Path
        Folder that holds ``FrugalML`` and ``hapi-explore``.
    seed : int
        Of the reconstruction and of ties.

    Returns
    -------
    DataFrame
        Columns `REPLAY_COLUMNS`.

    Raises
    ------
    InputError
        If a file of the mirror is missing or not as expected.
    """
    explorer = Path(mirror) / "hapi-explore"
    recording = read_recording(Path(mirror) / "FrugalML", case)
    published = possible(published_pair(read_published(explorer / "data/data.json"), case), case.items)
    new = reconstruct(
        case, recording, published, read_sample(explorer, case), ReconstructionChoices(seed=seed)
    )
    confidences = {"old_api_confidence": recording.confidences}
    return build_replay_table(case, recording.labels, recording.predictions, new, confidences, seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write ``CASE.csv`` of every pair; returns 0 if all went well, else 2."""
    parser = command_parser("adaptive_sampling.beyond.pairs", __doc__)
    parser.add_argument("--mirror", type=Path, default=Path("../shared/mirror"), help="folder of recordings")
    parser.add_argument("--out", type=Path, default=Path("data/pairs"), help="folder for the tables")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="seed of every draw")
    return run_command(parser, _work, arguments)


def _work(options: argparse.Namespace) -> None:
    for case in pair_cases(read_cases(options.cases)):
        table = pair_table(case, options.mirror, options.seed)
        write_replay_table(table, options.out / f"{case.case}.csv", case)


if __name__ == "__main__":
    raise SystemExit(main())
