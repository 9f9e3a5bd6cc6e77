"""What breaks first as each size grows, and what is said then: ``python -m benchmarks.limits --out FILE``.

Asks for more than can be had along every axis of `benchmarks.scaling`, and writes the answers as a Markdown table.
Every refusal comes before anything large is made.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd
import yaml

from adaptive_sampling.config import check_config
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay_format import REPLAY_COLUMNS
from adaptive_sampling.shift.experiment import Setting, trial_errors
from adaptive_sampling.shift.population import population
from adaptive_sampling.shift.samplers import Parameters
from adaptive_sampling.tables import write_text
from benchmarks.one_size import synthetic

ROOT: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class Limit:
    """One axis.

    Attributes
    ----------
    axis : str
    breaks : str
        What cannot be had first.
    asked : str
        For how much was asked.
    ask : callable
        Asks for it, and raises `InputError`.
    """

    axis: str
    breaks: str
    asked: str
    ask: Callable[[], object]


def ask_trials(trials: int, last: int, step: int, partitions: int = 6) -> object:
    """Run MASA in a made-up case."""
    setting = Setting(trials, last, step, target_error=0.01, confidence=0.95, resamples=1000, seed=0)
    return trial_errors(synthetic(2, partitions, 2 * partitions), "masa", Parameters(), setting)


def ask_population(labels: int, items: int) -> object:
    """Make strata of a replay table."""
    return population(
        pd.DataFrame([("none", 0, 0, 0, 0, items)], columns=list(REPLAY_COLUMNS)),
        name="made-up",
        labels=labels,
        predicted_labels=labels,
        difficulty="none",
        strata="label_difficulty",
        K=3,
    )


def ask_arms(arms: int) -> None:
    """Check the settings with another number of arms."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    config["bestarm"]["setups"][0]["arms"] = arms
    check_config(config, ROOT / "workflow/schemas")


LIMITS: Final = (
    Limit(
        "trials",
        "memory of all errors",
        "1,000,000 trials at 200 budgets",
        lambda: ask_trials(1_000_000, 20_000, 100),
    ),
    Limit(
        "budget",
        "memory of all errors",
        "1,500 trials, 10,000,000 queries, every one a budget",
        lambda: ask_trials(1500, 10_000_000, 1),
    ),
    Limit(
        "partitions",
        "memory of a block's counts",
        "120,000 partitions at 200 budgets",
        lambda: ask_trials(1500, 1_832_000, 8_000, 120_000),
    ),
    Limit(
        "labels",
        "memory of the answers' distributions",
        "10,000 labels, K = 3",
        lambda: ask_population(10_000, 10),
    ),
    Limit(
        "items",
        "memory of the answers",
        "1,000,000,000 items",
        lambda: ask_population(2, 10**9),
    ),
    Limit("arms", "patience: the sequential algorithm's time", "20,000 arms", lambda: ask_arms(20_000)),
)


def refusal(limit: Limit) -> str:
    """Ask, and return what is said.

    Raises
    ------
    AssertionError
        If nothing is refused.
    """
    try:
        limit.ask()
    except InputError as error:
        return str(error)
    raise AssertionError(f"{limit.asked}: not refused")


def table() -> str:
    """Ask along every axis; return a Markdown table."""
    lines = ["| size | what breaks first | asked for | answer |", "|---|---|---|---|"]
    lines += [f"| {limit.axis} | {limit.breaks} | {limit.asked} | {refusal(limit)} |" for limit in LIMITS]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Ask and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="Markdown file to write")
    write_text(table(), parser.parse_args().out)


if __name__ == "__main__":
    main()
