"""How fast Algorithm 1 runs: nanoseconds a step (one query of one trial), errors at every budget included.

The forms: `plain Python` is Algorithm 1 as one writes it down from the paper, a loop over steps with an argmax over
NumPy arrays in it; `NumPy across trials` keeps the scores and takes the same step in all trials at once; `literal
numba` is the specification, `masa_literal`; `level sort` is what the package runs; `floor` only makes the random
numbers, draws the items and counts the answers, which no form can leave out. All take the same number of steps a
trial. They differ in the number of trials, so that each runs long enough to be timed and none for minutes: the time
of a step does not depend on it, but for `NumPy across trials`, which has the paper's 1,500.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numba
import numpy as np

from adaptive_sampling.cases import read_cases
from adaptive_sampling.montecarlo import BLOCK, Trials, blocks_of
from adaptive_sampling.randomness import philox, stream_words, uniform_53
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift import kernels, level_sort
from adaptive_sampling.shift.population import Population, population
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters
from benchmarks.measure import Entry, Form, measure

ROOT: Final = Path(__file__).parents[1]
CASES: Final = ("amazon_yelp", "google_cmd")
"""The fewest and the most partitions."""
STEP: Final = 100
"""Queries between two readings of the error."""


@dataclass(frozen=True)
class Size:
    """How much is run.

    Attributes
    ----------
    last : int
        Steps of a trial.
    trials : int
        Trials of what the package runs.
    numpy_trials : int
        Trials that NumPy takes at once.
    """

    last: int
    trials: int
    numpy_trials: int


FULL: Final = Size(20_000, 8 * BLOCK, 1500)
SMOKE: Final = Size(5_000, 4 * BLOCK, 200)


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
    parameters = Parameters(replacement=replacement)

    def steps(block: Trials) -> int:
        SAMPLERS["masa"].simulate(p, budgets, parameters, 0, block)
        return block.count * (int(budgets[-1]) if replacement else min(int(budgets[-1]), len(p.answers)))

    return in_threads(steps, trials, threads)


def in_threads(steps: Callable[[Trials], int], trials: int, threads: int) -> Form:
    """Run a function on every block of trials, and add up its steps; one thread is the caller's own."""
    if threads == 1:
        return lambda: sum(map(steps, blocks_of(trials)))
    pool = ThreadPoolExecutor(threads)
    return lambda: sum(pool.map(steps, blocks_of(trials)))


SLICE: Final = 64
"""Random numbers that the floor makes at once, as a loop that the compiler turns into vector code."""


@numba.njit(nogil=True, cache=True)
def draw_and_count(cell_of_item, start, words, first, trials, rounds, frequency):  # type: ignore[no-untyped-def]
    """Make the numbers, draw the items, count the answers.

    The numbers are those of `level_sort.uniform`, made in place: a call costs an eighth more, and a floor is the least.
    """
    number, word_0, word_1 = np.empty(SLICE), words[0], words[1]
    for trial in range(first, first + trials):
        for g in range(len(start) - 1):
            items = cell_of_item[start[g] : start[g + 1]]
            for k in range(rounds):
                pair = np.uint32(k * SLICE // 2)
                for m in range(SLICE // 2):
                    x0, x1, x2, x3 = philox(
                        np.uint32(pair + m), np.uint32(0), word_0, word_1, np.uint32(trial), np.uint32(g)
                    )
                    number[2 * m] = uniform_53(x0, x1)
                    number[2 * m + 1] = uniform_53(x2, x3)
                for i in range(SLICE):
                    frequency[items[np.uint64(number[i] * len(items))]] += 1


def floor(p: Population, last: int, trials: int, threads: int) -> Form:
    """Do what no form can leave out, for as many answers, spread evenly over the partitions."""
    cell_of_item, cell_stratum = level_sort.cells(p.answers, p.start, p.stratum_label, p.new)[:2]
    words = stream_words(0, p.name)
    rounds = -(-last // (p.strata * SLICE))

    def steps(block: Trials) -> int:
        frequency = np.zeros(len(cell_stratum), np.int32)
        draw_and_count(cell_of_item, p.start, words, block.first, block.count, rounds, frequency)
        return block.count * p.strata * rounds * SLICE

    return in_threads(steps, trials, threads)


def grid(p: Population, size: Size) -> np.ndarray:
    """Multiples of the step that pay for two samples of every partition."""
    return np.arange(-(-2 * p.strata // STEP) * STEP, size.last + 1, STEP)


def forms_of(p: Population, size: Size) -> dict[str, Form]:
    """List every form that runs in one thread."""
    last, trials = size.last, size.trials
    budgets = grid(p, size)
    return {
        "plain Python": plain_python(p, last),
        "NumPy across trials": numpy_across_trials(p, last, size.numpy_trials),
        "literal numba": literal_numba(p, budgets, trials // 4),
        "level sort": package(p, budgets, trials, 1),
        "level sort, without replacement": package(p, budgets, trials, 1, replacement=False),
        "floor": floor(p, last, trials, 1),
    }


def threaded_forms_of(p: Population, size: Size) -> dict[str, Form]:
    """List what runs in two threads, each with its like in one."""
    budgets = grid(p, size)
    return {
        "level sort, 1 thread": package(p, budgets, size.trials, 1),
        "level sort, 2 threads": package(p, budgets, size.trials, 2),
        "floor, 1 thread": floor(p, size.last, size.trials, 1),
        "floor, 2 threads": floor(p, size.last, size.trials, 2),
    }


COMPARE: Final = {
    "level sort": ["plain Python", "NumPy across trials", "literal numba"],
    "level sort, without replacement": ["level sort"],
    "floor": ["level sort"],
}
COMPARE_THREADS: Final = {
    "level sort, 2 threads": ["level sort, 1 thread"],
    "floor, 2 threads": ["floor, 1 thread", "level sort, 2 threads"],
}


def entries(*, smoke: bool) -> list[Entry]:
    """Measure every form on every case."""
    size, found = SMOKE if smoke else FULL, []
    for name in CASES:
        p = case_population(name)
        group = f"masa, {name}, {p.strata} partitions, a step"
        found += measure(group, forms_of(p, size), COMPARE)
        found += measure(group, threaded_forms_of(p, size), COMPARE_THREADS, clock="time on the clock")
    return found
