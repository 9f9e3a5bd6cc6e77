"""How fast Algorithm 1 runs: nanoseconds a step, and ratios between forms measured in turn.

Usage: python -m benchmarks.masa [--out FILE] [--smoke]

Prints a table and writes a list of {name, group, median_ns, runs, ratio_to, ratio} as JSON. median_ns is the median
over interleaved runs of the time of one step (one query of one trial), errors at every budget included: processor
time, which other work on the machine hardly moves, and for two threads time on the clock. A ratio says how many times
faster an entry is than the entry it is compared with.

The forms: `plain Python` is Algorithm 1 as one writes it down from the paper, a loop over steps with an argmax over
NumPy arrays in it; `NumPy across trials` keeps the scores and takes the same step in all trials at once; `literal
numba` is the specification, `masa_literal`; `level sort` is what the package runs; `floor` only makes the random
numbers, draws the items and counts the answers, which no form can leave out.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np

from adaptive_sampling.cases import read_cases
from adaptive_sampling.montecarlo import BLOCK, blocks_of
from adaptive_sampling.randomness import stream_words
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift import kernels, level_sort
from adaptive_sampling.shift.population import Population, population
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

ROOT = Path(__file__).parents[1]
CASES = ("amazon_yelp", "google_cmd")
RUNS, LAST, STEP = 7, 20_000, 100

Entry = dict[str, object]
Form = Callable[[], int]
"""Runs once and returns how many steps it took."""


def case_population(name: str) -> Population:
    """Read a case from its replay table, K = 3."""
    case = read_cases(ROOT / "config" / "cases.csv")[name]
    return population(
        read_replay_table(ROOT / "data" / "replay" / f"{name}.csv", case),
        name=name,
        labels=len(case.labels),
        predicted_labels=len(case.predicted_labels),
        difficulty="open_source_model",
        strata="label_difficulty",
        K=3,
    )


def plain_python(p: Population, last: int) -> Form:
    """Run Algorithm 1 in a loop, one trial."""
    rng, strata, predicted = np.random.default_rng(0), p.strata, p.new.shape[1]

    def run() -> int:
        n, frequency = np.zeros(strata, int), np.zeros((strata, predicted), int)
        squared, errors = np.zeros(strata), []
        for step in range(last):
            g = step % strata
            if step >= 2 * strata:
                g = np.argmax(p.share / n * (np.sqrt(squared) + (1 / n) ** 0.25))
            j = p.answers[rng.integers(p.start[g], p.start[g + 1])]
            n[g] += 1
            if n[g] > 1:
                squared[g] = max(squared[g] + 2 / n[g] * (1 - frequency[g, j] / (n[g] - 1) - squared[g]), 0)
            frequency[g, j] += 1
            if (step + 1) % STEP == 0 and step >= 2 * strata:
                estimate = -p.new
                np.add.at(estimate, p.stratum_label, (p.share / n)[:, None] * frequency)
                errors.append((estimate**2).sum())
        return last

    return run


def numpy_across_trials(p: Population, last: int, trials: int) -> Form:
    """Run Algorithm 1 in a loop over steps, each taken in all trials at once."""
    rng, strata, predicted = np.random.default_rng(0), p.strata, p.new.shape[1]
    size, every = np.diff(p.start), np.arange(trials)

    def run() -> int:
        n, frequency = np.zeros((trials, strata), int), np.zeros((trials, strata, predicted), int)
        squared, score, errors = np.zeros((trials, strata)), np.zeros((trials, strata)), []
        for step in range(last):
            g = np.full(trials, step % strata) if step < 2 * strata else score.argmax(axis=1)
            j = p.answers[p.start[g] + (rng.random(trials) * size[g]).astype(int)]
            count, seen, before = n[every, g] + 1, frequency[every, g, j], squared[every, g]
            now = (
                before + 2 / count * (1 - seen / np.maximum(count - 1, 1) - before)
                if step >= strata
                else before
            )
            n[every, g], squared[every, g], frequency[every, g, j] = count, now, seen + 1
            score[every, g] = p.share[g] / count * (np.sqrt(np.maximum(now, 0)) + (1 / count) ** 0.25)
            if (step + 1) % STEP == 0 and step >= 2 * strata:
                estimate = np.repeat(-p.new[None], trials, axis=0)
                np.add.at(estimate, (slice(None), p.stratum_label), (p.share / n)[:, :, None] * frequency)
                errors.append((estimate**2).sum(axis=(1, 2)))
        return last * trials

    return run


def literal_numba(p: Population, budgets: np.ndarray, trials: int) -> Form:
    """Run Algorithm 1 in numba, line by line: the specification."""
    count, error = np.empty((trials, len(budgets), p.strata), np.int32), np.empty((trials, len(budgets)))
    arrays = (p.answers, p.start, p.share, p.stratum_label, p.new, np.ones_like(p.new))

    def run() -> int:
        kernels.masa_literal(*arrays, budgets, 1.0, False, True, stream_words(0, p.name), 0, count, error)
        return int(budgets[-1]) * trials

    return run


def package(
    p: Population, budgets: np.ndarray, trials: int, threads: int, *, replacement: bool = True
) -> Form:
    """Run what the package runs: the registry's sampler, on blocks of trials."""
    parameters, simulate = Parameters(replacement=replacement), SAMPLERS["masa"].simulate
    pool = ThreadPoolExecutor(threads)

    def run() -> int:
        for _ in pool.map(lambda block: simulate(p, budgets, parameters, 0, block), blocks_of(trials)):
            pass
        return min(int(budgets[-1]), len(p.answers) if not replacement else int(budgets[-1])) * trials

    return run


@numba.njit(nogil=True, cache=True)
def draw_and_count(cell_of_item, start, words, trials, rounds, block, frequency):  # type: ignore[no-untyped-def]
    """Make the numbers, draw the items, count the answers."""
    number, cell = np.empty(block), np.empty(block, np.uint32)
    for trial in range(trials):
        for g in range(len(start) - 1):
            for k in range(rounds):
                level_sort.uniform(words, trial, g, k * block, number)
                level_sort.draw(cell_of_item[start[g] : start[g + 1]], number, cell)
                for c in cell:
                    frequency[c] += 1


def floor(p: Population, last: int, trials: int) -> Form:
    """Do what no form can leave out, for as many answers, spread evenly."""
    cell_of_item, cell_stratum = level_sort.cells(p.answers, p.start, p.stratum_label, p.new)[:2]
    frequency, block = np.zeros(len(cell_stratum), np.int32), level_sort.BLOCK
    rounds = max(1, last // (p.strata * block))

    def run() -> int:
        draw_and_count(cell_of_item, p.start, stream_words(0, p.name), trials, rounds, block, frequency)
        return trials * p.strata * rounds * block

    return run


def measure(group: str, forms: dict[str, Form], ratios: dict[str, list[str]], runs: int) -> list[Entry]:
    """Run all forms in turn, and compare as told: name of the faster form -> names of what it is compared with."""
    for form in forms.values():
        form()
    clocks = {"processor": time.process_time_ns, "clock": time.perf_counter_ns}
    times: dict[tuple[str, str], list[float]] = {(name, clock): [] for name in forms for clock in clocks}
    for _ in range(runs):
        for name, form in forms.items():
            begin = {clock: now() for clock, now in clocks.items()}
            steps = form()
            for clock, now in clocks.items():
                times[name, clock].append((now() - begin[clock]) / steps)
    median = {key: statistics.median(values) for key, values in times.items()}
    entries: list[Entry] = []
    for name in forms:
        clock = "clock" if "threads" in name else "processor"
        for other in ratios.get(name, [None]):
            ratio = None if other is None else round(median[other, clock] / median[name, clock], 2)
            values = (name, group, round(median[name, clock], 2), runs, other, ratio)
            entries.append(dict(zip(("name", "group", "median_ns", "runs", "ratio_to", "ratio"), values)))
    return entries


def measure_all(*, smoke: bool) -> list[Entry]:
    """Measure the small and the large case."""
    entries = []
    for name in CASES:
        p = case_population(name)
        last, trials, runs = (2_000, BLOCK, 1) if smoke else (LAST, 4 * BLOCK, RUNS)
        budgets = np.arange(2 * STEP, last + 1, STEP)
        forms = {
            "plain Python": plain_python(p, last),
            "NumPy across trials": numpy_across_trials(p, last // 10, 1500),
            "literal numba": literal_numba(p, budgets, trials // 4),
            "level sort": package(p, budgets, trials, 1),
            "level sort, without replacement": package(p, budgets, trials, 1, replacement=False),
            "level sort, 2 threads": package(p, budgets, trials, 2),
            "floor": floor(p, last, trials),
        }
        ratios = {
            "level sort": ["plain Python", "NumPy across trials", "literal numba"],
            "level sort, without replacement": ["level sort"],
            "level sort, 2 threads": ["level sort"],
            "floor": ["level sort"],
        }
        entries += measure(f"masa, {name}, {p.strata} partitions, a step", forms, ratios, runs)
    return entries


def show(entries: list[Entry]) -> None:
    """Print a table."""
    for entry in entries:
        ratio = f"{entry['ratio']:9.2f} x {entry['ratio_to']}" if entry["ratio_to"] else ""
        print(f"{entry['group']:46} {entry['name']:32} {entry['median_ns']:10,.1f} ns {ratio}")


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.masa", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="where to write the list, as JSON")
    parser.add_argument("--smoke", action="store_true", help="a few seconds: does it run?")
    arguments = parser.parse_args()
    entries = measure_all(smoke=arguments.smoke)
    show(entries)
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
