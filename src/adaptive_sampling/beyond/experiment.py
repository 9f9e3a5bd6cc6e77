"""How many queries each method needs, on recorded cases and on stress shifts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.beyond.samplers import (
    METHODS,
    Knowledge,
    Method,
    least_budget,
    squared_errors,
)
from adaptive_sampling.beyond.strata import KnownStrata, known_strata
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.shift.required_size import required_size

PILOT: Final = 100
"""Trials that decide how far the budgets must reach."""

DIP: Final = 0.02
"""How far below the wanted probability counts as lost again."""

RANKS: Final = {
    "paper": ("open_source_model", "trial_division", "none"),
    "old": ("old_api_confidence", "trial_division", "none"),
}
"""What ranks the items of a label, by what a method knows: the first source that a replay table has."""

SIZE_COLUMNS: Final = {
    "case": "text",
    "method": "text",
    "strata": "text",
    "replacement": "flag",
    "n95": "integer?",
    "n95_low": "integer?",
    "n95_high": "integer?",
}
"""Columns of one case's required sizes."""

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """What all runs share.

    Attributes
    ----------
    trials : int
    ratio : float
        Each budget is about this many times the one before, over 1; also the grain of required sizes.
    last : int
        Largest budget that is tried, in queries.
    target, confidence : float
        Wanted Frobenius error and the probability with which it must be reached.
    resamples : int
        Bootstrap resamples behind each interval.
    K : int
        Difficulty levels per label.
    seed : int
    jobs : int
        Blocks of trials at once.
    backend : str
        joblib's backend.
    """

    trials: int
    ratio: float
    last: int
    target: float
    confidence: float
    resamples: int
    K: int
    seed: int
    jobs: int = 1
    backend: str = "threading"


@dataclass(frozen=True)
class Dataset:
    """A replay table and how many labels it has.

    Attributes
    ----------
    name : str
    replay : DataFrame
    labels, predicted_labels : int
    """

    name: str
    replay: pd.DataFrame
    labels: int
    predicted_labels: int


def setting(config: Mapping[str, Any], *, trials: int, jobs: int) -> Setting:
    """Make a `Setting` of the whole config."""
    return Setting(
        trials=trials,
        ratio=config["beyond"]["budget"]["ratio"],
        last=config["beyond"]["budget"]["last"],
        target=config["shift"]["target_error"],
        confidence=config["shift"]["confidence"],
        resamples=config["shift"]["resamples"],
        K=config["beyond"]["K"],
        seed=config["seed"],
        jobs=jobs,
        backend=config["montecarlo"]["backend"],
    )


def methods(names: Sequence[str], strata: Mapping[str, Sequence[str]]) -> list[Method]:
    """Choose methods by name, some of them on other strata than their own.

    Parameters
    ----------
    names : sequence of str
        Keys of `METHODS`.
    strata : mapping of str to sequence of str
        What the strata of a method are made of instead, such as ``{"masa": ["label", "old"]}``.

    Raises
    ------
    InputError
        If a name is unknown.
    """
    for name in (*names, *strata):
        if name not in METHODS:
            raise InputError(f"key beyond.methods: found {name}, allowed are {', '.join(METHODS)}")
    return [replace(METHODS[name], choice=tuple(strata.get(name, METHODS[name].choice))) for name in names]


def strata_for(dataset: Dataset, method: Method, K: int) -> KnownStrata:
    """Group a dataset into the strata of a method, ranked by the best source it may know."""
    sources = set(dataset.replay["difficulty"])
    difficulty = next((source for source in RANKS[method.knows] if source in sources), None)
    if difficulty is None:
        raise InputError(
            f"case {dataset.name}: difficulty sources {', '.join(sorted(sources))}, allowed for method "
            f"{method.name} are {', '.join(RANKS[method.knows])}"
        )
    return known_strata(
        dataset.replay,
        name=dataset.name,
        labels=dataset.labels,
        predicted_labels=dataset.predicted_labels,
        difficulty=difficulty,
        choice=method.choice,
        K=K,
        least=method.least,
    )


def budget_grid(first: int, last: int, ratio: float) -> NDArray[np.int64]:
    """Whole numbers from `first` to `last`, each about `ratio` times the one before.

    The numbers do not depend on `first` and `last`: all methods are measured at the same budgets.

    Examples
    --------
    >>> budget_grid(3, 12, 1.2).tolist()
    [3, 4, 5, 6, 7, 9, 11]
    """
    steps = int(np.ceil(np.log(max(last, 1)) / np.log(ratio))) + 1
    grid = np.unique(np.round(ratio ** np.arange(steps + 1)).astype(np.int64))
    return grid[(grid >= first) & (grid <= last)]


def grown(
    run: Callable[[int, int], T], enough: Callable[[T], bool], *, first: int, last: int, trials: int
) -> T:
    """Run with budgets that reach far enough, and not much farther.

    A few trials are run to ever larger budgets until they suffice; then all are. Results at a budget do not
    depend on the last one, so that only time depends on this.

    Parameters
    ----------
    run : callable
        ``run(trials, last budget)``.
    enough : callable
        Whether a result reaches far enough.
    first, last : int
        The last budget that is tried first, and the largest one allowed.
    trials : int
    """
    reach = min(first, last)
    while reach < last and not enough(run(min(PILOT, trials), reach)):
        reach = min(2 * reach, last)
    if reach < last:
        reach = min(int(1.2 * reach), last)
    result = run(trials, reach)
    while reach < last and not enough(result):
        reach = min(int(1.5 * reach), last)
        result = run(trials, reach)
    return result


def _errors_of_block(
    strata: KnownStrata,
    method: Method,
    budgets: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.float64]:
    """Errors of one block. A function of the module, so that any joblib backend can send it."""
    count = method.counts(strata, budgets, knowledge, replacement, seed, trials)
    return squared_errors(strata, method, count, knowledge, replacement, seed, trials)


def required_sizes(
    dataset: Dataset,
    chosen: Sequence[Method],
    replacements: Sequence[bool],
    knowledge: Knowledge,
    setting: Setting,
) -> pd.DataFrame:
    """Smallest budgets at which methods reach the wanted error with the wanted probability.

    Parameters
    ----------
    dataset : Dataset
    chosen : sequence of Method
    replacements : sequence of bool
    knowledge : Knowledge
    setting : Setting

    Returns
    -------
    DataFrame
        Columns `SIZE_COLUMNS`, one row a method and kind of replacement; empty where no budget suffices.
    """
    rows = []
    for replacement, method in product(replacements, chosen):
        strata = strata_for(dataset, method, setting.K)
        budgets, error = _far_enough(strata, method, replacement, knowledge, setting)
        name = f"beyond/{dataset.name}/{method.name}/{strata.choice}/{replacement}/bootstrap"
        start = after_luck(error, setting)
        size = required_size(
            error[:, start:],
            budgets[start:],
            target=setting.target,
            confidence=setting.confidence,
            resamples=setting.resamples,
            rng=named_generator(setting.seed, name),
        )
        rows.append((dataset.name, method.name, strata.choice, replacement, size.size, size.low, size.high))
    return table_of(rows, SIZE_COLUMNS)


def after_luck(error: NDArray[np.float64], setting: Setting) -> int:
    """First budget after which the wanted error is never again clearly too rare.

    A prior that happens to be right reaches any error with one query, and loses it again with the next ones. That
    is luck and not counted. Later dips of less than `DIP` are the noise of the trials.
    """
    reached = (error <= setting.target**2).mean(axis=0)
    too_rare = np.flatnonzero(reached < setting.confidence - DIP)
    return int(too_rare[-1]) + 1 if len(too_rare) and too_rare[-1] + 1 < len(reached) else 0


def _far_enough(
    strata: KnownStrata, method: Method, replacement: bool, knowledge: Knowledge, setting: Setting
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Errors at budgets that reach clearly beyond the required size, or to the last one allowed."""
    least = least_budget(strata, method)

    def run(trials: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        budgets = budget_grid(least, last, setting.ratio)
        block = partial(_errors_of_block, strata, method, budgets, knowledge, replacement, setting.seed)
        title = f"{strata.population.name} {method.name}"
        errors = run_blocks(block, trials, jobs=setting.jobs, backend=setting.backend, title=title)
        return budgets, np.concatenate(errors)

    def enough(result: tuple[NDArray[np.int64], NDArray[np.float64]]) -> bool:
        reached = (result[1][:, -1] <= setting.target**2).mean()
        return bool(reached >= 1.0 - 0.6 * (1.0 - setting.confidence))

    # A method that needs more than the last budget before it starts is run a little farther.
    first, last = max(2000, 2 * least), max(setting.last, 2 * least)
    return grown(run, enough, first=first, last=last, trials=setting.trials)


def table_of(rows: Sequence[tuple[Any, ...]], columns: Mapping[str, str]) -> pd.DataFrame:
    """Make a table of rows, whole numbers with empty cells where there is none."""
    whole = [name for name, kind in columns.items() if kind == "integer?"]
    return pd.DataFrame(rows, columns=list(columns)).astype(dict.fromkeys(whole, "Int64"))
