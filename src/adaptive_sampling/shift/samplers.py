"""The samplers: each a pure function of (population, budgets, parameters, seed, trials)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.randomness import named_generator, stream_words
from adaptive_sampling.room import check_room
from adaptive_sampling.shift import kernels
from adaptive_sampling.shift.level_sort import block_length, masa_level_sort
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.reading import errors_at_counts


@dataclass(frozen=True)
class Parameters:
    """What a sampler can be told.

    Attributes
    ----------
    a : float
        MASA's weight of exploration, over 0.
    uncertainty : str
        ``"u_statistic"`` is estimator (3.1); ``"as_printed"`` is line 7 of Algorithm 1 as it stands in print.
    replacement : bool
        Whether an item may be queried again: the paper's model. If not, no sampler makes more queries than there
        are items in its strata, and the error is 0 once all have been queried.
    """

    a: float = 1.0
    uncertainty: Literal["u_statistic", "as_printed"] = "u_statistic"
    replacement: bool = True


@dataclass(frozen=True)
class Simulation:
    """What a sampler did in a block of trials.

    Attributes
    ----------
    count : ndarray of int32, shape (trials, B, G)
        n[i,k] at each budget.
    error : ndarray of float, shape (trials, B)
        Squared Frobenius norm of dC - dC_hat at each budget.
    """

    count: NDArray[np.int32]
    error: NDArray[np.float64]


Simulate = Callable[[Population, NDArray[np.int64], Parameters, int, Trials], Simulation]


@dataclass(frozen=True)
class Sampler:
    """An entry of the registry.

    Attributes
    ----------
    name : str
    strata : str
        The strata it works on, see `population`.
    least : int
        Samples it needs of every stratum before its estimate is defined.
    adaptive : bool
        Whether its counts depend on the answers, and so on `a`.
    simulate : callable
        ``simulate(population, budgets, parameters, seed, trials)``.
    """

    name: str
    strata: Literal["label", "label_difficulty"]
    least: int
    adaptive: bool
    simulate: Simulate


def masa(
    population: Population, budgets: NDArray[np.int64], parameters: Parameters, seed: int, trials: Trials
) -> Simulation:
    """MASA, Algorithm 1: sample the stratum with the highest p/n (sigma_hat + (a/n)^(1/4)).

    Parameters
    ----------
    population : Population
    budgets : ndarray of int64, shape (B,)
        Increasing; the first at least twice the number of strata.
    parameters : Parameters
    seed : int
    trials : Trials

    Returns
    -------
    Simulation

    Raises
    ------
    InputError
        If a budget is too small, a is not over 0, or the printed update meets weights.
    """
    check_budgets(population, budgets, 2)
    _check_room(population, budgets, trials)
    if not 0.0 < parameters.a < np.inf:
        raise InputError(f"key a: found {parameters.a}, allowed are numbers over 0")
    as_printed = parameters.uncertainty == "as_printed"
    if as_printed and (population.weights != 1.0).any():
        raise InputError(
            f"case {population.name}: key uncertainty: found as_printed together with weights other than 1, "
            "for which the paper prints no update; allowed is u_statistic"
        )
    shape = (trials.count, len(budgets))
    count, error = np.empty((*shape, population.strata), np.int32), np.empty(shape)
    masa_level_sort(
        *kernel_arrays(population),
        budgets,
        parameters.a,
        as_printed,
        parameters.replacement,
        stream_words(seed, f"shift/{population.name}"),
        trials.first,
        block_length(int(budgets[-1]), population.strata),
        count,
        error,
    )
    return Simulation(count, error)


def uniform(
    population: Population, budgets: NDArray[np.int64], parameters: Parameters, seed: int, trials: Trials
) -> Simulation:
    """Items drawn from all of D, C_hat[i,j] the raw frequency of (i, j): the paper's U.

    How many of the next items fall in each stratum is one multinomial draw a budget, or, without replacement, read
    off a random order of all items; what they answer comes from the strata's streams, so that uniform sampling and
    MASA see the same answers.
    """
    check_budgets(population, budgets, 0)
    _check_room(population, budgets, trials)
    rng = named_generator(seed, f"shift/{population.name}/uniform/block={trials.block}")
    if parameters.replacement:
        steps = np.diff(budgets, prepend=0)
        added = rng.multinomial(steps, population.share, size=(trials.count, len(budgets)))
        count = added.cumsum(axis=1).astype(np.int32)
    else:
        count = np.empty((trials.count, len(budgets), population.strata), np.int32)
        stratum = np.repeat(np.arange(population.strata), population.size)
        for trial in range(trials.count):
            kernels.counts_in_order(rng.permutation(stratum), budgets, count[trial])
    return _read(population, count, parameters, seed, trials, raw=True)


def stratified_equal(
    population: Population, budgets: NDArray[np.int64], parameters: Parameters, seed: int, trials: Trials
) -> Simulation:
    """Take the same number of samples for each true label: the paper's S."""
    return _allocated(population, np.ones(population.strata), budgets, parameters, seed, trials)


def stratified_proportional(
    population: Population, budgets: NDArray[np.int64], parameters: Parameters, seed: int, trials: Trials
) -> Simulation:
    """Sample each stratum in proportion to its share.

    Over labels it shows what known label shares buy; over label and difficulty
    (``stratified_difficulty``), what the partition alone buys.
    """
    return _allocated(population, population.share, budgets, parameters, seed, trials)


def oracle(
    population: Population, budgets: NDArray[np.int64], parameters: Parameters, seed: int, trials: Trials
) -> Simulation:
    """Lemma 1's allocation N p sigma / sum(p sigma) with the true sigma: the limit of any adaptation."""
    weight = population.share * np.sqrt(population.uncertainty)
    return _allocated(population, weight, budgets, parameters, seed, trials)


SAMPLERS: Final = {
    sampler.name: sampler
    for sampler in (
        Sampler("uniform", "label_difficulty", 0, False, uniform),
        Sampler("stratified_equal", "label", 1, False, stratified_equal),
        Sampler("stratified_proportional", "label", 1, False, stratified_proportional),
        Sampler("stratified_difficulty", "label_difficulty", 1, False, stratified_proportional),
        Sampler("oracle", "label_difficulty", 1, False, oracle),
        Sampler("masa", "label_difficulty", 2, True, masa),
    )
}
"""All samplers by name, one entry a line."""


def check_budgets(population: Population, budgets: NDArray[np.int64], least: int) -> None:
    """Raise `InputError` unless budgets rise and the first pays for `least` samples of every stratum."""
    needed = max(1, least * population.strata)
    if len(budgets) == 0 or budgets[0] < needed or (np.diff(budgets) <= 0).any():
        found = "none" if len(budgets) == 0 else f"{budgets[0]} to {budgets[-1]}"
        raise InputError(
            f"case {population.name}: budgets {found}, allowed are increasing ones from {needed} "
            f"({least} samples of each of {population.strata} strata)"
        )


def _check_room(population: Population, budgets: NDArray[np.int64], trials: Trials) -> None:
    """Raise `InputError` if the counts of a block would not fit: they are what breaks first as partitions grow."""
    check_room(
        4 * trials.count * len(budgets) * population.strata,
        f"case {population.name}: counts of {trials.count} trials at {len(budgets)} budgets in {population.strata} "
        "strata",
        "take a larger shift.budget.step or a smaller shift.K",
    )


def estimated_shift(
    population: Population, count: NDArray[np.int32], seed: int, trial: int, *, replacement: bool = True
) -> NDArray[np.float64]:
    """dC_hat[i,j] = sum_k p[i,k] mu_hat[i,k,j] - C_old[i,j] of one trial, shape (L, J) (line 10).

    Parameters
    ----------
    population : Population
    count : ndarray of int32, shape (G,)
        Answers taken from each stratum.
    seed, trial : int
    replacement : bool
        As in `Parameters`.
    """
    words = stream_words(seed, f"shift/{population.name}")
    predicted = population.new.shape[1]
    frequency = kernels.answers_at_counts(
        population.answers, population.start, predicted, replacement, words, trial, count
    )
    estimate = -population.old
    rows = population.share[:, None] * frequency / np.maximum(count, 1)[:, None]
    np.add.at(estimate, population.stratum_label, rows)
    return estimate


def _allocated(
    population: Population,
    weight: NDArray[np.float64],
    budgets: NDArray[np.int64],
    parameters: Parameters,
    seed: int,
    trials: Trials,
) -> Simulation:
    """Sample in proportion to fixed weights; without replacement, what a used-up stratum leaves goes to the others."""
    check_budgets(population, budgets, 1)
    _check_room(population, budgets, trials)
    most = np.iinfo(np.int64).max if parameters.replacement else population.size
    count = kernels.divisor_allocation(weight, np.broadcast_to(most, weight.shape), budgets)
    return _read(
        population, np.repeat(count[None], trials.count, axis=0), parameters, seed, trials, raw=False
    )


def _read(
    population: Population,
    count: NDArray[np.int32],
    parameters: Parameters,
    seed: int,
    trials: Trials,
    *,
    raw: bool,
) -> Simulation:
    """Read the streams up to the given counts."""
    error = np.empty(count.shape[:2])
    errors_at_counts(
        *kernel_arrays(population),
        raw,
        parameters.replacement,
        stream_words(seed, f"shift/{population.name}"),
        trials.first,
        count,
        error,
    )
    return Simulation(count, error)


def kernel_arrays(
    population: Population,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """List the arrays that every kernel takes first: answers, start, share, stratum_label, new, weights."""
    weights = np.ascontiguousarray(np.broadcast_to(population.weights, population.new.shape))
    return (
        population.answers,
        population.start,
        population.share,
        population.stratum_label,
        population.new,
        weights,
    )
