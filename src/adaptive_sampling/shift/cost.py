"""What Algorithm 1 costs: time and memory against the budget N (Appendix B).

Run as ``python -m adaptive_sampling.shift.cost --out data/cost.csv``. Times differ from machine to machine, so they
are measured once and stand in `data/`, and a run of the workflow stays the same byte for byte.
"""

import argparse
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from adaptive_sampling.cases import read_cases
from adaptive_sampling.commands import command_parser, run_command
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift import kernels
from adaptive_sampling.shift.experiment import populations
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.theory import log_log_slope
from adaptive_sampling.tables import write_table

COST_COLUMNS: Final = {
    "case": "text",
    "strata": "integer",
    "budget": "integer",
    "seconds": "number",
    "growth_kb": "integer",
    "time_slope": "number",
}
"""Columns of ``data/cost.csv``: processor seconds of one run of Algorithm 1 taken literally (the least of
`REPEATS`), growth of the process's peak memory since the smallest budget, and the slope of time over N on log-log
axes, the same in all rows of a case."""

CASES: Final = ("amazon_yelp", "ibm_digit", "google_cmd")
"""From 6 to 93 partitions."""
BUDGETS: Final = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
REPEATS: Final = 5


def cost(population: Population, budgets: Sequence[int] = BUDGETS, repeats: int = REPEATS) -> pd.DataFrame:
    """Time literal Algorithm 1 at each budget.

    Parameters
    ----------
    population : Population
        A case over (label, difficulty).
    budgets : sequence of int
        Increasing, so that peak memory can only grow with them.
    repeats : int

    Returns
    -------
    DataFrame
        Columns `COST_COLUMNS`.
    """
    seconds, peak = [], []
    _run(population, 4 * population.strata)  # compiles, or reads the cache
    for budget in budgets:
        seconds.append(min(_run(population, budget) for _ in range(repeats)))
        peak.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    time_of = np.array(seconds)
    slope = log_log_slope(np.array(budgets, dtype=float), time_of, 0.05 * time_of)
    return pd.DataFrame(
        {
            "case": population.name,
            "strata": population.strata,
            "budget": list(budgets),
            "seconds": time_of,
            "growth_kb": np.array(peak) - peak[0],
            "time_slope": slope.value,
        }
    )


def _run(population: Population, budget: int) -> float:
    """Run Algorithm 1 once and return the processor seconds it took: other work on the machine does not count."""
    count = np.empty((1, 1, population.strata), np.int32)
    error = np.empty((1, 1))
    weights = np.ones_like(population.new)
    start = time.thread_time()
    kernels.masa_literal(
        population.answers,
        population.start,
        population.share,
        population.stratum_label,
        population.new,
        weights,
        np.array([budget], dtype=np.int64),
        1.0,
        False,
        True,
        stream_words(0, f"cost/{population.name}"),
        0,
        count,
        error,
    )
    return time.thread_time() - start


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit status, as `run_command`."""
    parser = command_parser("adaptive_sampling.shift.cost", __doc__)
    parser.add_argument("--replay", type=Path, default=Path("data/replay"), help="folder of replay tables")
    parser.add_argument("--out", type=Path, default=Path("data/cost.csv"), help="file to write")
    return run_command(parser, _work, arguments)


def _work(options: argparse.Namespace) -> None:
    cases = read_cases(options.cases)
    tables = []
    for name in CASES:
        replay = read_replay_table(options.replay / f"{name}.csv", cases[name])
        of_strata = populations(replay, cases[name], difficulty="open_source_model", K=3)
        tables.append(cost(of_strata["label_difficulty"]))
    write_table(pd.concat(tables, ignore_index=True), options.out)


if __name__ == "__main__":
    raise SystemExit(main())
