"""How fast the best-arm algorithms are, as ratios: medians of interleaved runs.

Usage: python benchmarks/bestarm.py [FILE]

Prints a table and, if a file is named, writes it there as JSON: a list of {name, group, median_ns, runs,
ratio_to, ratio}; median_ns is for one trial, and a ratio above 1 says how many times faster an entry is than what it
is compared with.
"""

import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from adaptive_sampling.bestarm.algorithms import algorithm
from adaptive_sampling.bestarm.deviations import ebr_deviation, pulls_by_round
from adaptive_sampling.bestarm.elimination import aggressive_elimination_plan, top_k_delta_elimination_plan
from adaptive_sampling.bestarm.instances import Instance, evenly_spaced
from adaptive_sampling.bestarm.specification import STOP_LEADER, one_pull_at_a_time, plain_skip

RUNS, DELTA, ROUNDS = 7, 0.01, 15
SETUPS = {"setup-1": evenly_spaced(0.1, 0.9, 100), "setup-2": evenly_spaced(0.65, 0.9, 100)}

Run = Callable[[], None]


def fast(name: str, instance: Instance, epsilon: float, trials: int) -> Run:
    """Run the package's own form."""
    rng = np.random.default_rng(1)
    return lambda: algorithm(name)(instance, epsilon, DELTA, ROUNDS, trials, rng) and None


def specified(kernel: Callable[..., object], instance: Instance, epsilon: float, trials: int) -> Run:
    """Run a form of the sequential specification, trial by trial."""
    rng, means = np.random.default_rng(1), np.array(instance.means)
    log_inverse_w = -0.5 * math.log(DELTA / (6 * instance.arms))
    kind = (False,) if kernel is one_pull_at_a_time else ()

    def run() -> None:
        for _ in range(trials):
            pulls, eliminated = np.zeros((2, instance.arms), np.int64)
            kernel(rng, means, *kind, instance.sigma, log_inverse_w, epsilon, STOP_LEADER, pulls, eliminated)

    return run


def plain_ebr(instance: Instance, epsilon: float, trials: int) -> Run:
    """EBR as a plain loop over trials, rounds and arms."""
    rng, n, sigma = np.random.default_rng(1), instance.arms, instance.sigma
    schedule = pulls_by_round(epsilon, sigma, ROUNDS, math.log(n * ROUNDS / DELTA))

    def run() -> None:
        for _ in range(trials):
            alive, sums, before = list(range(n)), [0] * n, 0
            for t, total in enumerate(schedule, start=1):
                for i in alive:
                    sums[i] += rng.binomial(total - before, instance.means[i])
                before = total
                d = float(ebr_deviation(total, sigma, n, ROUNDS, DELTA))
                best = max(sums[i] for i in alive) / total
                if t < ROUNDS:
                    alive = [
                        i
                        for i in alive
                        if sums[i] / total == best
                        or sums[i] / total + d >= best - d + epsilon / min(n, ROUNDS)
                    ]
                if len(alive) == 1:
                    break

    return run


def plain_elimination(plan: list[tuple[int, int]], instance: Instance, trials: int) -> Run:
    """Eliminate as planned, in a plain loop over trials, rounds and arms."""
    rng = np.random.default_rng(1)

    def run() -> None:
        for _ in range(trials):
            alive = list(range(instance.arms))
            for tosses, kept in plan:
                sums = {i: rng.binomial(tosses, instance.means[i]) for i in alive}
                alive = sorted(alive, key=lambda i: -sums[i])[:kept]

    return run


def measure(group: str, entries: dict[str, tuple[Run, int]], first: str) -> list[dict[str, object]]:
    """Run all entries in turn, RUNS times, and compare the first with each of the others."""
    for run, _ in entries.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in entries}
    for _ in range(RUNS):
        for name, (run, trials) in entries.items():
            start = time.perf_counter_ns()
            run()
            times[name].append((time.perf_counter_ns() - start) / trials)
    medians = {name: statistics.median(values) for name, values in times.items()}
    rows: list[dict[str, object]] = [
        {
            "name": name,
            "group": group,
            "median_ns": round(medians[name]),
            "runs": RUNS,
            "ratio_to": None,
            "ratio": None,
        }
        for name in entries
        if name != first
    ]
    rows += [
        {
            "name": first,
            "group": group,
            "median_ns": round(medians[first]),
            "runs": RUNS,
            "ratio_to": name,
            "ratio": round(medians[name] / medians[first], 2),
        }
        for name in entries
        if name != first
    ]
    return rows


def main() -> None:
    """Measure, print, and write."""
    rows: list[dict[str, object]] = []
    for setup, instance in SETUPS.items():
        rows += measure(
            f"bestarm, sequential, {setup}, epsilon 0.02, a trial",
            {
                "first passages": (fast("sequential", instance, 0.02, 60), 60),
                "plain skip": (specified(plain_skip, instance, 0.02, 6), 6),
                "one pull at a time": (specified(one_pull_at_a_time, instance, 0.02, 2), 2),
            },
            "first passages",
        )
    instance = SETUPS["setup-2"]
    arguments = (instance.arms, instance.sigma, 0.01, DELTA, ROUNDS)
    for name, plain in (
        ("ebr", plain_ebr(instance, 0.01, 10)),
        ("aggressive_elimination", plain_elimination(aggressive_elimination_plan(*arguments), instance, 10)),
        (
            "top_k_delta_elimination",
            plain_elimination(top_k_delta_elimination_plan(*arguments), instance, 10),
        ),
    ):
        rows += measure(
            f"bestarm, {name}, setup-2, epsilon 0.01, a trial",
            {"all trials at once": (fast(name, instance, 0.01, 200), 200), "plain loop": (plain, 10)},
            "all trials at once",
        )
    for row in rows:
        ratio = f"{row['ratio']:8.1f} x faster than {row['ratio_to']}" if row["ratio"] else ""
        print(f"{row['group']:60} {row['name']:20} {row['median_ns'] / 1000:12,.1f} us {ratio}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
