"""How fast the best-arm algorithms are: nanoseconds a trial and a pull (beside other people's libraries).

`first passages` is the sequential algorithm as the package draws it; `plain skip` and `one pull at a time` are its
specification with and without jumps over sweeps in which certainly nothing happens. The vectorised algorithms are
compared with plain loops over trials, rounds and arms.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from adaptive_sampling.bestarm.algorithms import algorithm
from adaptive_sampling.bestarm.deviations import ebr_deviation, pulls_by_round
from adaptive_sampling.bestarm.elimination import aggressive_elimination_plan, top_k_delta_elimination_plan
from adaptive_sampling.bestarm.instances import Instance, evenly_spaced
from adaptive_sampling.bestarm.specification import STOP_LEADER, one_pull_at_a_time, plain_skip
from benchmarks.measure import Entry, Form, measure
from benchmarks.peers import peer_forms

DELTA, ROUNDS = 0.01, 15
SETUPS: Final = {"setup-1": evenly_spaced(0.1, 0.9, 100), "setup-2": evenly_spaced(0.65, 0.9, 100)}


@dataclass(frozen=True)
class Size:
    """How much is run.

    Attributes
    ----------
    epsilon : float
        Tolerance of the sequential algorithm: the smaller, the more pulls.
    passages, skips, single : int
        Trials by first passages, by the plain skip, one pull at a time.
    vectorised, looped : int
        Trials of the other algorithms, at once and in a plain loop.
    peer_pulls : int
        Pulls of other people's libraries.
    """

    epsilon: float
    passages: int
    skips: int
    single: int
    vectorised: int
    looped: int
    peer_pulls: int


FULL: Final = Size(0.02, 60, 6, 2, 200, 10, 300)
SMOKE: Final = Size(0.05, 60, 12, 1, 100, 3, 0)


def fast(name: str, instance: Instance, epsilon: float, trials: int, *, pulls: bool = False) -> Form:
    """Run the package's own form; return its trials, or the pulls they took."""
    rng = np.random.default_rng(1)

    def run() -> int:
        outcome = algorithm(name)(instance, epsilon, DELTA, ROUNDS, trials, rng)
        return int(outcome.pulls.sum()) if pulls else trials

    return run


def specified(
    kernel: Callable[..., object], instance: Instance, epsilon: float, trials: int, *, pulls: bool = False
) -> Form:
    """Run a form of the sequential specification, trial by trial; return its trials, or the pulls they took."""
    rng, means = np.random.default_rng(1), np.array(instance.means)
    log_inverse_w = -0.5 * math.log(DELTA / (6 * instance.arms))
    kind = (False,) if kernel is one_pull_at_a_time else ()

    def run() -> int:
        total = 0
        for _ in range(trials):
            taken, eliminated = np.zeros((2, instance.arms), np.int64)
            kernel(rng, means, *kind, instance.sigma, log_inverse_w, epsilon, STOP_LEADER, taken, eliminated)
            total += int(taken.sum())
        return total if pulls else trials

    return run


def plain_ebr(instance: Instance, epsilon: float, trials: int) -> Form:
    """EBR as a plain loop over trials, rounds and arms."""
    rng, n, sigma = np.random.default_rng(1), instance.arms, instance.sigma
    schedule = pulls_by_round(epsilon, sigma, ROUNDS, math.log(n * ROUNDS / DELTA))

    def run() -> int:
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
        return trials

    return run


def plain_elimination(plan: list[tuple[int, int]], instance: Instance, trials: int) -> Form:
    """Eliminate as planned, in a plain loop over trials, rounds and arms."""
    rng = np.random.default_rng(1)

    def run() -> int:
        for _ in range(trials):
            alive = list(range(instance.arms))
            for tosses, kept in plan:
                sums = {i: rng.binomial(tosses, instance.means[i]) for i in alive}
                alive = sorted(alive, key=lambda i: -sums[i])[:kept]
        return trials

    return run


def sequential_forms(instance: Instance, size: Size) -> dict[str, Form]:
    """List the forms of the sequential algorithm; the unit is a trial."""
    return {
        "first passages": fast("sequential", instance, size.epsilon, size.passages),
        "plain skip": specified(plain_skip, instance, size.epsilon, size.skips),
        "one pull at a time": specified(one_pull_at_a_time, instance, size.epsilon, size.single),
    }


def pulling_forms(instance: Instance, size: Size) -> dict[str, Form]:
    """List what pulls arms, here and in other people's libraries; the unit is a pull."""
    return {
        "first passages": fast("sequential", instance, size.epsilon, size.passages, pulls=True),
        "one pull at a time": specified(one_pull_at_a_time, instance, size.epsilon, size.single, pulls=True),
        **(peer_forms(instance, size.peer_pulls) if size.peer_pulls else {}),
    }


def vectorised_forms(instance: Instance, size: Size) -> dict[str, dict[str, Form]]:
    """List the other algorithms by name, each in two forms; the unit is a trial."""
    epsilon = 0.01
    arguments = (instance.arms, instance.sigma, epsilon, DELTA, ROUNDS)
    plain: Mapping[str, Form] = {
        "ebr": plain_ebr(instance, epsilon, size.looped),
        "aggressive_elimination": plain_elimination(
            aggressive_elimination_plan(*arguments), instance, size.looped
        ),
        "top_k_delta_elimination": plain_elimination(
            top_k_delta_elimination_plan(*arguments), instance, size.looped
        ),
    }
    return {
        name: {"all trials at once": fast(name, instance, epsilon, size.vectorised), "plain loop": loop}
        for name, loop in plain.items()
    }


def entries(*, smoke: bool) -> list[Entry]:
    """Measure every form."""
    size, found = SMOKE if smoke else FULL, []
    for setup, instance in SETUPS.items():
        found += measure(
            f"bestarm, sequential, {setup}, epsilon {size.epsilon}, a trial",
            sequential_forms(instance, size),
            {"first passages": ["plain skip", "one pull at a time"]},
        )
    for name, forms in vectorised_forms(SETUPS["setup-2"], size).items():
        found += measure(
            f"bestarm, {name}, setup-2, epsilon 0.01, a trial", forms, {"all trials at once": ["plain loop"]}
        )
    forms = pulling_forms(SETUPS["setup-1"], size)
    peers = [name for name in forms if name not in ("first passages", "one pull at a time")]
    found += measure(
        f"bestarm, setup-1, epsilon {size.epsilon}, a pull",
        forms,
        {"first passages": ["one pull at a time", *peers], "one pull at a time": peers or [None]},
    )
    return found
