"""How far Table 1 depends on what the reconstruction of 2021 leaves open.

Run as ``python -m adaptive_sampling.shift.sensitivity --mirror ../shared/mirror --out data/sensitivity.csv``. Its
result is small and stands in `data/`, so that the default run can show it without the recordings.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case, read_cases, selected_cases
from adaptive_sampling.commands import command_parser, run_command
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.recordings.reconstruct import DEFAULT_SEED, ReconstructionChoices
from adaptive_sampling.shift.population import Population, population
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters
from adaptive_sampling.shift.stopping import limit_c
from adaptive_sampling.tables import write_table

SENSITIVITY_COLUMNS: Final = {
    "case": "text",
    "choice": "text",
    "value": "text?",
    "trials": "integer",
    "masa": "integer",
    "uniform": "integer",
}
"""Columns of ``data/sensitivity.csv``: required sizes for 1% error with probability 95% under one choice of the
reconstruction, everything else being as in the shipped tables; read to about 5%."""

JOINED_COLUMNS: Final = {
    "api": "text",
    "dataset": "text",
    "masa": "integer?",
    "masa_low": "integer?",
    "masa_high": "integer?",
    "masa_sensitivity_low": "integer?",
    "masa_sensitivity_high": "integer?",
    "uniform": "integer?",
    "uniform_sensitivity_low": "integer?",
    "uniform_sensitivity_high": "integer?",
    "widest_choice": "text?",
    "paper_masa": "integer?",
    "paper_within": "flag?",
    "source": "text",
}
"""Columns of ``table_1_sensitivity.csv``: `masa_low` and `masa_high` are the bootstrap interval over trials, the
sensitivity columns the range over all choices of the reconstruction; `paper_within` says whether the paper's figure
lies in that range widened by 5%, the accuracy of the reading."""

SEEDS: Final = 20
"""Seeds of the reconstruction, the shipped one first."""

OTHER_WRONG: Final = (0.0, 1 / 3, 2 / 3)
"""Shares of the slack that go from one wrong answer to another; two classes leave none."""

TARGET: Final = 0.01
CONFIDENCE: Final = 0.95
K: Final = 3
DIFFICULTY: Final = "open_source_model"
"""Table 1's own setting."""

READING: Final = 0.05
"""Relative accuracy of a size: 600 trials tell the 95% quantile of the squared error to about 4%."""


def variants(labels: int, seeds: int = SEEDS) -> Iterator[tuple[str, str, ReconstructionChoices]]:
    """List the choices, one changed at a time.

    Parameters
    ----------
    labels : int
        With two, no wrong answer can become another wrong one: `other_wrong` is not varied.
    seeds : int

    Yields
    ------
    choice, value : str
    choices : ReconstructionChoices
    """
    default = ReconstructionChoices()
    yield "default", "", default
    for flips in ("uniform", "confidence_and_open_source"):
        yield "flips", flips, replace(default, flips=flips)
    if labels > 2:
        for share in OTHER_WRONG:
            yield "other_wrong", f"{share:.3g}", replace(default, other_wrong=share)
    for seed in range(DEFAULT_SEED + 1, DEFAULT_SEED + seeds):
        yield "seed", str(seed), replace(default, seed=seed)


def fitted_size(
    error: NDArray[np.float64], budgets: NDArray[np.int64], target: float, confidence: float
) -> int:
    """Read the required size off a line: log quantile of the squared error against log budget, around the target.

    Budgets whose quantile is within a factor of two of the target are used; one line through them all is less noisy
    than the first budget that passes.

    Parameters
    ----------
    error : ndarray of float, shape (trials, B)
        Squared Frobenius errors.
    budgets : ndarray of int64, shape (B,)
    target, confidence : float

    Returns
    -------
    int

    Raises
    ------
    InputError
        If fewer than three budgets are near the target.

    Examples
    --------
    >>> budgets = np.array([500, 800, 1000, 1250, 1600])
    >>> fitted_size(np.tile(0.1 / budgets, (9, 1)), budgets, 0.01, 0.95)
    1000
    """
    quantile = np.quantile(error, confidence, axis=0)
    near = (quantile > 0) & (np.abs(np.log(np.maximum(quantile, 1e-300) / target**2)) < np.log(2))
    if near.sum() < 3:
        raise InputError(
            f"budgets {budgets[0]} to {budgets[-1]}: only {near.sum()} are near the target, 3 are needed"
        )
    slope, level = np.polyfit(np.log(budgets[near]), np.log(quantile[near]), 1)
    return round(float(np.exp((np.log(target**2) - level) / slope)))


def _errors(strata: Population, budgets: NDArray[np.int64], trials: Trials) -> NDArray[np.float64]:
    """Errors of MASA in one block, at the seed of the shipped tables."""
    return SAMPLERS["masa"].simulate(strata, budgets, Parameters(), DEFAULT_SEED, trials).error


def sizes_of(replay: pd.DataFrame, case: Case, trials: int, jobs: int) -> tuple[int, int]:
    """Measure what MASA and uniform sampling require on one replay table.

    Uniform sampling's size is that of its limit law, which needs no trials.

    Parameters
    ----------
    replay : DataFrame
    case : Case
    trials, jobs : int

    Returns
    -------
    masa, uniform : int
    """
    strata = population(
        replay,
        name=case.case,
        labels=len(case.labels),
        predicted_labels=len(case.predicted_labels),
        difficulty=DIFFICULTY,
        strata="label_difficulty",
        K=K,
    )
    # From a fifth of the size that the oracle's loss suggests to well beyond it, every 8%.
    guess = (strata.share * np.sqrt(strata.uncertainty)).sum() ** 2 / TARGET**2
    least = SAMPLERS["masa"].least * strata.strata
    budgets = np.unique(np.geomspace(max(least, 0.8 * guess), 6 * guess + 2 * least, 28).astype(np.int64))
    blocks = run_blocks(
        partial(_errors, strata, budgets), trials, jobs=jobs, backend="threading", title=case.case
    )
    masa = fitted_size(np.concatenate(blocks), budgets, TARGET, CONFIDENCE)
    rng = named_generator(DEFAULT_SEED, f"sensitivity/{case.case}/uniform")
    return masa, round(limit_c(strata.new.ravel(), CONFIDENCE, rng) / TARGET**2)


def sensitivity(
    case: Case, mirror: str | Path, *, trials: int, jobs: int, seeds: int = SEEDS
) -> pd.DataFrame:
    """Reconstruct one case under every choice, and measure what it requires.

    Parameters
    ----------
    case : Case
        Of source ``reconstructed``.
    mirror : str or Path
        Folder of the public recordings.
    trials, jobs, seeds : int

    Returns
    -------
    DataFrame
        Columns `SENSITIVITY_COLUMNS`.
    """
    from adaptive_sampling.recordings.frugalml import read_recording
    from adaptive_sampling.recordings.published import published_pair, read_published, read_sample
    from adaptive_sampling.recordings.reconstruct import reconstruct
    from adaptive_sampling.recordings.replay import build_replay_table

    explorer = Path(mirror) / "hapi-explore"
    recording = read_recording(Path(mirror) / "FrugalML", case)
    published = published_pair(read_published(explorer / "data/data.json"), case)
    sample = read_sample(explorer, case)
    rows: list[dict[str, Any]] = []
    for choice, value, choices in variants(len(case.labels), seeds):
        new = reconstruct(case, recording, published, sample, choices)
        replay = build_replay_table(
            case,
            recording.labels,
            recording.predictions,
            new,
            {DIFFICULTY: recording.open_source_confidences},
            choices.seed,
        )
        masa, uniform = sizes_of(replay, case, trials, jobs)
        rows.append(
            {
                "case": case.case,
                "choice": choice,
                "value": value,
                "trials": trials,
                "masa": masa,
                "uniform": uniform,
            }
        )
    return pd.DataFrame(rows, columns=list(SENSITIVITY_COLUMNS))


def table_1_sensitivity(
    sizes: pd.DataFrame, table: pd.DataFrame, cases: Mapping[str, Case], names: Sequence[str]
) -> pd.DataFrame:
    """Set the required sizes of Table 1 beside their range over the reconstruction's choices.

    Parameters
    ----------
    sizes : DataFrame
        ``required_size.csv``.
    table : DataFrame
        ``data/sensitivity.csv``.
    cases : mapping of str to Case
    names : sequence of str
        Cases, in the order of the rows; those whose later answers are recorded have no range.

    Returns
    -------
    DataFrame
        Columns `JOINED_COLUMNS`.
    """
    keyed = sizes.set_index(["case", "sampler"])
    rows = []
    for name in names:
        case, varied = cases[name], table[table["case"] == name]
        row: dict[str, Any] = {"api": case.api, "dataset": case.dataset, "source": case.source}
        row["paper_masa"] = case.paper_masa
        for sampler, column, ours in (
            ("masa", "n95", "masa"),
            ("masa", "n95_low", "masa_low"),
            ("masa", "n95_high", "masa_high"),
            ("uniform", "n95", "uniform"),
        ):
            row[ours] = keyed.loc[(name, sampler), column] if (name, sampler) in keyed.index else pd.NA
        if len(varied) and case.source == "reconstructed":
            low, high = int(varied["masa"].min()), int(varied["masa"].max())
            default = varied.loc[varied["choice"] == "default", "masa"].iloc[0]
            away = (varied["masa"] - default).abs()
            widest = varied.loc[away.idxmax()]
            row |= {
                "masa_sensitivity_low": low,
                "masa_sensitivity_high": high,
                "uniform_sensitivity_low": varied["uniform"].min(),
                "uniform_sensitivity_high": varied["uniform"].max(),
                "widest_choice": f"{widest['choice']} {widest['value']}",
                "paper_within": (1 - READING) * low <= case.paper_masa <= (1 + READING) * high
                if case.paper_masa
                else pd.NA,
            }
        rows.append(row)
    whole = {name: "Int64" for name, kind in JOINED_COLUMNS.items() if kind == "integer?"}
    return pd.DataFrame(rows, columns=list(JOINED_COLUMNS)).astype({**whole, "paper_within": "boolean"})


def as_markdown(table: pd.DataFrame) -> str:
    """Write the joined table as Markdown, sizes in thousands.

    Parameters
    ----------
    table : DataFrame
        From `table_1_sensitivity`.
    """

    def size(value: Any) -> str:
        return "–" if pd.isna(value) else f"{value / 1000:.1f}K"

    head = ["API", "dataset", "MASA", "bootstrap", "over reconstructions", "widest choice", "uniform"]
    head += ["over reconstructions", "paper's MASA", "in the range"]
    lines = ["| " + " | ".join(head) + " |", "|---|---|--:|--:|--:|---|--:|--:|--:|---|"]
    for row in table.to_dict("records"):
        inside = "–" if pd.isna(row["paper_within"]) else "yes" if row["paper_within"] else "no"
        cells = [row["api"], row["dataset"], size(row["masa"])]
        cells += [f"{size(row['masa_low'])}–{size(row['masa_high'])}"]
        cells += [f"{size(row['masa_sensitivity_low'])}–{size(row['masa_sensitivity_high'])}"]
        cells += ["–" if pd.isna(row["widest_choice"]) else row["widest_choice"], size(row["uniform"])]
        cells += [f"{size(row['uniform_sensitivity_low'])}–{size(row['uniform_sensitivity_high'])}"]
        cells += [size(row["paper_masa"]), inside]
        lines.append("| " + " | ".join(cells) + " |")
    known = table["paper_within"].dropna()
    words = f"The paper's size for MASA lies in the range, widened by 5%, in {int(known.sum())} of {len(known)} cases."
    return "\n".join([*lines, "", words]) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit status, as `run_command`."""
    parser = command_parser("adaptive_sampling.shift.sensitivity", __doc__)
    parser.add_argument("--mirror", type=Path, default=Path("../shared/mirror"), help="folder of recordings")
    parser.add_argument("--out", type=Path, default=Path("data/sensitivity.csv"), help="file to write")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="these cases alone")
    parser.add_argument("--trials", type=int, default=600, help="runs behind each size")
    parser.add_argument("--jobs", type=int, default=1, help="blocks of trials at once")
    return run_command(parser, _work, arguments)


def _work(options: argparse.Namespace) -> None:
    cases = selected_cases(read_cases(options.cases), options.only)
    chosen = [case for case in cases if case.source == "reconstructed"]
    tables = [sensitivity(case, options.mirror, trials=options.trials, jobs=options.jobs) for case in chosen]
    write_table(pd.concat(tables, ignore_index=True), options.out)


if __name__ == "__main__":
    raise SystemExit(main())
