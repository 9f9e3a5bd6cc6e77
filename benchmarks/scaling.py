"""How the time of Algorithm 1 grows with its sizes, one at a time, far beyond the paper's.

Usage: python -m benchmarks.scaling --out FOLDER [--smoke]

Writes scaling.csv (dimension, value, steps, seconds, ns_per_step, peak_mb, slope) and scaling.svg. Seconds are the
least processor time of three runs, the errors at 20 budgets included; peak_mb is the peak memory of the process so far,
so it can only rise; slope is that of seconds over the last three values on log-log axes: 1 is linear, 0 free.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

from adaptive_sampling.figures import style
from adaptive_sampling.montecarlo import blocks_of
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters
from adaptive_sampling.tables import write_table

READINGS, REPEATS = 20, 3
BASE = {"trials": 50, "budget": 50_000, "partitions": 6, "labels": 2, "items": 20_000}
SWEEPS = {
    "trials": [100, 1_000, 10_000, 100_000],
    "budget": [1_000, 10_000, 100_000, 1_000_000],
    "partitions": [10, 100, 1_000, 10_000],
    "labels": [2, 10, 100, 1_000],
    "items": [10_000, 100_000, 1_000_000, 10_000_000],
}
CHANGES = {
    "trials": {"budget": 2_000},
    "partitions": {"items": 200_000},
    "labels": {"items": 200_000, "partitions": 1_000},
}
"""What else differs from `BASE` in a sweep."""


def synthetic(labels: int, partitions: int, items: int) -> Population:
    """Make a population: one answer in five is another label, items in equal partitions, labels in turn."""
    rng = np.random.default_rng(0)
    stratum = np.arange(items) * partitions // items
    stratum_label = np.arange(partitions) * labels // partitions
    answer = stratum_label[stratum]
    moved = rng.random(items) < 0.2
    answer[moved] = rng.integers(labels, size=moved.sum())
    size = np.bincount(stratum, minlength=partitions)
    counts = np.bincount(stratum * labels + answer, minlength=partitions * labels).reshape(partitions, labels)
    new, old = np.zeros((labels, labels)), np.diag(np.bincount(stratum_label, weights=size, minlength=labels))
    np.add.at(new, stratum_label, counts)
    return Population(
        name="synthetic",
        stratum_label=stratum_label,
        size=size,
        share=size / items,
        distribution=counts / size[:, None],
        answers=answer.astype(np.uint16),
        start=np.concatenate(([0], np.cumsum(size))),
        old=old / items,
        new=new / items,
    )


def seconds(p: Population, trials: int, budget: int) -> float:
    """Least processor time of a few runs of all trials, block by block as the package does."""
    least = 2 * p.strata
    budgets = np.unique(np.linspace(max(least, budget // READINGS), budget, READINGS).astype(np.int64))
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        for block in blocks_of(trials):
            SAMPLERS["masa"].simulate(p, budgets, Parameters(), 0, block)
        times.append(time.process_time() - begin)
    return min(times)


def sweep(dimension: str, values: list[int]) -> pd.DataFrame:
    """Time one dimension."""
    rows = []
    for value in values:
        sizes = BASE | CHANGES.get(dimension, {}) | {dimension: value}
        p = synthetic(sizes["labels"], sizes["partitions"], sizes["items"])
        took, steps = seconds(p, sizes["trials"], sizes["budget"]), sizes["trials"] * sizes["budget"]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append((dimension, value, steps, took, took / steps * 1e9, round(peak)))
        print(f"{dimension:12} {value:12,} {took:10.3f} s {took / steps * 1e9:8.1f} ns a step {peak:8.0f} MB")
    table = pd.DataFrame(rows, columns=["dimension", "value", "steps", "seconds", "ns_per_step", "peak_mb"])
    last = table.tail(3)
    return table.assign(
        slope=round(float(np.polyfit(np.log(last["value"]), np.log(last["seconds"]), 1)[0]), 3)
    )


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw seconds against each dimension on log-log axes."""
    figure, axes = style.panels(1, len(SWEEPS), width=style.PAGE, height=1.9)
    for axis, (dimension, rows) in zip(axes, table.groupby("dimension", sort=False)):
        axis.loglog(rows["value"], rows["seconds"], "o-", markersize=3, color=style.COLOURS["masa"])
        axis.set_xlabel(str(dimension))
        axis.set_title(f"slope {rows['slope'].iloc[0]:.2f}")
    axes[0].set_ylabel("processor time, s")
    low, high = table["seconds"].min() / 2, table["seconds"].max() * 2
    for axis in axes:
        axis.set_ylim(low, high)
    style.save(figure, [path])


def main() -> None:
    """Measure, write, draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for scaling.csv and scaling.svg")
    parser.add_argument("--smoke", action="store_true", help="a few seconds: the two smallest of each")
    arguments = parser.parse_args()
    seconds(synthetic(2, 6, 100), 2, 100)  # compiles
    sweeps = [sweep(name, values[:2] if arguments.smoke else values) for name, values in SWEEPS.items()]
    table = pd.concat(sweeps, ignore_index=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_table(table, arguments.out / "scaling.csv")
    draw(table, arguments.out / "scaling.svg")


if __name__ == "__main__":
    main()
