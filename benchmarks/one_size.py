"""Time and memory of one computation at one size, in this process: ``python -m benchmarks.one_size FORM SIZES``.

SIZES is a JSON object. Prints {seconds, before_mb, peak_mb} as JSON: the median processor time of `REPEATS` runs, and
the peak memory of the process, in MB of 2**20 bytes, before anything of that size is made and at the end. What a
computation needs is made from counts, as the package makes it of a replay table; it costs memory, but no time.
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np

from adaptive_sampling.bestarm.algorithms import PAPER, algorithm
from adaptive_sampling.bestarm.instances import evenly_spaced
from adaptive_sampling.shift.experiment import Setting, trial_errors
from adaptive_sampling.shift.population import Population, from_counts
from adaptive_sampling.shift.required_size import required_size
from adaptive_sampling.shift.samplers import Parameters

READINGS: Final = 20
"""Budgets at which errors are read off."""

REPEATS: Final = 5

Sizes = Mapping[str, int]


def synthetic(labels: int, partitions: int, items: int) -> Population:
    """Make a population: one answer in five is drawn from all labels, items in equal partitions, labels in turn."""
    size = np.diff(np.arange(partitions + 1) * items // partitions)
    label = np.arange(partitions) * labels // partitions
    counts = np.random.default_rng(0).multinomial(size // 5, np.full(labels, 1 / labels))
    counts[np.arange(partitions), label] += size - size // 5
    old = np.diag(np.bincount(label, weights=size, minlength=labels).astype(np.int64))
    return from_counts("synthetic", counts, label, old)


def masa(sizes: Sizes) -> Callable[[], object]:
    """Run Algorithm 1 and keep the errors of all trials, as a job of the workflow runs it."""
    p = synthetic(sizes["labels"], sizes["partitions"], sizes["items"])
    setting = Setting(
        trials=sizes["trials"],
        last_budget=sizes["budget"],
        budget_step=sizes["budget"] // READINGS,
        target_error=0.01,
        confidence=0.95,
        resamples=1000,
        seed=0,
    )
    return partial(trial_errors, p, "masa", Parameters(), setting)


def bootstrap(sizes: Sizes) -> Callable[[], object]:
    """Find the required size and its interval from the errors of all trials."""
    rng = np.random.default_rng(0)
    error = rng.random((sizes["trials"], READINGS)) / np.arange(1, READINGS + 1)
    budgets = np.arange(1, READINGS + 1)
    return partial(required_size, error, budgets, target=0.3, confidence=0.95, resamples=1000, rng=rng)


def best_arm(name: str, sizes: Sizes) -> Callable[[], object]:
    """Run one of the paper's algorithms on arms with evenly spaced means, epsilon 0.05, T = 15."""
    instance = evenly_spaced(0.1, 0.9, sizes["arms"])
    rng = np.random.default_rng(0)
    return partial(algorithm(name), instance, 0.05, 0.01, 15, sizes["trials"], rng)


FORMS: Final[Mapping[str, Callable[[Sizes], Callable[[], object]]]] = {
    "masa": masa,
    "bootstrap": bootstrap,
    **{name: partial(best_arm, name) for name in PAPER},
}

SMALLEST: Final = {"trials": 2, "budget": 100, "partitions": 6, "labels": 2, "items": 100, "arms": 10}
"""Run before anything is measured, so that the kernels are compiled or loaded."""


def peak_mb() -> float:
    """Peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(form: str, sizes: Sizes) -> dict[str, float]:
    """Run a form a few times at one size; return {seconds, before_mb, peak_mb}."""
    FORMS[form](SMALLEST)()
    before, times = peak_mb(), []
    run = FORMS[form](sizes)
    for _ in range(REPEATS):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return {"seconds": statistics.median(times), "before_mb": before, "peak_mb": peak_mb()}


def main() -> None:
    """Measure one size, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_size", description=__doc__.split("\n")[0])
    parser.add_argument("form", choices=FORMS)
    parser.add_argument("sizes", type=json.loads)
    arguments = parser.parse_args()
    print(json.dumps(measured(arguments.form, arguments.sizes)))


if __name__ == "__main__":
    main()
