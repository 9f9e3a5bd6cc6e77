"""Samplers that know the old predictions, and the paper's on the same strata, one entry a method.

Each is a choice of strata, a function that says how many answers to take from each stratum at each budget,
and an estimator. With strata, streams and estimator shared, two methods differ by their counts alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.beyond import kernels, reading
from adaptive_sampling.beyond.strata import KnownStrata
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.randomness import stream_words

UNLIMITED: Final = 2**31 - 1
"""Answers that can be taken from a stratum with replacement."""

CERTAIN: Final = 1e-12
"""A stratum is certain if share times uncertainty is not above this, the rounding of its sums."""


@dataclass(frozen=True)
class Knowledge:
    """Constants of the posterior and of the estimator.

    Attributes
    ----------
    strength : float
        s, how many answers the prior of a stratum is worth.
    floor : float
        amin: the prior of changes is never worth less than this many answers.
    kappa : float
        How many queries the change rate of all pools is worth in each pool.
    smoothing : float
        t, how many answers the prior mean is worth in the estimate.
    caution : float
        sv, the same in all variances.
    unseen : float
        In all variances, the change rate of a stratum is never taken to be below this. With `caution`, it is half a
        change that every stratum is given on top of what was seen, as in Jeffreys' prior.
    pilot : float
        Share of the budget that two-stage sampling spends on its pilot.
    a : float
        MASA's weight of exploration.
    """

    strength: float = 16.0
    floor: float = 0.1
    kappa: float = 1.0
    smoothing: float = 0.3
    caution: float = 2.0
    unseen: float = 0.25
    pilot: float = 0.3
    a: float = 1.0


Counts = Callable[[KnownStrata, NDArray[np.int64], Knowledge, bool, int, Trials], NDArray[np.int32]]


@dataclass(frozen=True)
class Method:
    """An entry of the registry.

    Attributes
    ----------
    name : str
    choice : tuple of str
        What its strata are made of, see `known_strata`.
    knows : str
        Which difficulty ranks the items: ``"paper"`` is the cheap model's, ``"old"`` the old API's confidence.
    estimator : str
        ``"means"``: known shares times means of answers; ``"smoothed"``: the same with a prior worth
        `Knowledge.smoothing` answers; ``"difference"``: C_old plus the mean difference of new and old answers;
        ``"limit"``: means, with the answers of certain strata known.
    least : int
        Answers it needs of every stratum; rarer strata are merged.
    counts : callable
        ``counts(strata, budgets, knowledge, replacement, seed, trials)``, shape (trials, B, G).
    """

    name: str
    choice: tuple[str, ...]
    knows: Literal["paper", "old"]
    estimator: Literal["means", "smoothed", "difference", "limit"]
    least: int
    counts: Counts


def posterior(
    strata: KnownStrata,
    budgets: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.int32]:
    """Query the stratum with the highest p sqrt(v) / (n + 1/2), v the posterior mean of its uncertainty.

    Parameters
    ----------
    strata : KnownStrata
    budgets : ndarray of int64, shape (B,)
        Increasing, at least 1. Without replacement, budgets beyond all items ask every item.
    knowledge : Knowledge
    replacement : bool
    seed : int
    trials : Trials

    Returns
    -------
    ndarray of int32, shape (trials, B, G)
    """
    population = strata.population
    count = _room(strata, budgets, trials)
    kernels.posterior_counts(
        population.answers,
        strata.item_old,
        population.start,
        population.share,
        strata.pool,
        strata.pools,
        strata.kept,
        strata.moved,
        budgets,
        knowledge.strength,
        knowledge.floor,
        knowledge.kappa,
        replacement,
        words(strata, seed),
        trials.first,
        count,
    )
    return count


def masa(
    strata: KnownStrata,
    budgets: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.int32]:
    """MASA, Algorithm 1, on the given strata. Parameters are those of `posterior`.

    Raises
    ------
    InputError
        If the first budget does not pay for two answers of every stratum.
    """
    population = strata.population
    least = int(np.minimum(population.size, 2).sum()) if not replacement else 2 * population.strata
    if budgets[0] < least:
        raise InputError(
            f"case {population.name}: budgets from {budgets[0]}, allowed for MASA are those from {least} "
            f"(2 answers of each of {population.strata} strata)"
        )
    count = _room(strata, budgets, trials)
    kernels.masa_counts(
        population.answers,
        population.start,
        population.share,
        budgets,
        knowledge.a,
        replacement,
        words(strata, seed),
        trials.first,
        count,
    )
    return count


def uniform(
    strata: KnownStrata,
    budgets: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.int32]:
    """Draw items from all of D: strata are filled by chance. Parameters are those of `posterior`."""
    count = _room(strata, budgets, trials)
    kernels.uniform_counts(
        strata.population.start,
        budgets,
        replacement,
        stream_words(seed, f"beyond/{strata.population.name}/uniform"),
        trials.first,
        count,
    )
    return count


def two_stage(
    strata: KnownStrata,
    budgets: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.int32]:
    """Two-stage Neyman allocation: a proportional pilot, then the rest by the posterior uncertainty it leaves.

    Parameters are those of `posterior`.
    """
    population = strata.population
    first = np.floor(knowledge.pilot * budgets).astype(np.int64)
    pilot = kernels.levelled_counts(
        population.share, np.zeros(population.strata, np.int64), most(strata, replacement), first
    )
    count = _room(strata, budgets, trials)
    kernels.two_stage_counts(
        population.answers,
        strata.item_old,
        population.start,
        population.share,
        strata.pool,
        strata.pools,
        strata.kept,
        strata.moved,
        budgets,
        pilot,
        knowledge.strength,
        knowledge.floor,
        knowledge.kappa,
        replacement,
        words(strata, seed),
        trials.first,
        count,
    )
    return count


def oracle(
    strata: KnownStrata,
    budgets: NDArray[np.int64],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.int32]:
    """Lemma 1's allocation with the true uncertainty scores: the limit. Parameters are those of `posterior`.

    Certain strata cost it nothing, all others get one answer before any gets a second.
    """
    weight = strata.population.share * np.sqrt(strata.population.uncertainty)
    uncertain = (weight > CERTAIN).astype(np.int64)
    count: NDArray[np.int32] = kernels.levelled_counts(
        np.where(uncertain, weight, 0.0), uncertain, uncertain * most(strata, replacement), budgets
    )
    return np.repeat(count[None], trials.count, axis=0)


def told_what_is_certain(strata: KnownStrata) -> KnownStrata:
    """Return the strata with the answer of each certain one known beforehand, as the oracle has them."""
    population = strata.population
    certain = population.share * np.sqrt(population.uncertainty) <= CERTAIN
    known = [
        np.where(certain[:, None], population.distribution, prior) for prior in (strata.kept, strata.moved)
    ]
    return replace(strata, kept=known[0], moved=known[1])


LABEL_OLD: Final = ("label", "old")
ALL: Final = ("label", "old", "difficulty")

METHODS: Final = {
    method.name: method
    for method in (
        Method("masa", ("label", "difficulty"), "paper", "means", 2, masa),
        Method("masa_old_confidence", ("label", "difficulty"), "old", "means", 2, masa),
        Method("uniform_post_stratified", LABEL_OLD, "old", "smoothed", 0, uniform),
        Method("prediction_powered", LABEL_OLD, "old", "difference", 0, uniform),
        Method("masa_old_prediction", ALL, "old", "means", 2, masa),
        Method("two_stage", ALL, "old", "smoothed", 0, two_stage),
        Method("posterior", ALL, "old", "smoothed", 0, posterior),
        Method("oracle", ALL, "old", "limit", 0, oracle),
    )
}
"""All methods by name, one entry a line."""


def words(strata: KnownStrata, seed: int) -> NDArray[np.uint32]:
    """Name the streams of a case in given strata."""
    return stream_words(seed, f"beyond/{strata.population.name}/{strata.choice}")


def most(strata: KnownStrata, replacement: bool) -> NDArray[np.int64]:
    """Answers that can be taken from each stratum, shape (G,)."""
    return np.full_like(strata.population.size, UNLIMITED) if replacement else strata.population.size


def least_budget(strata: KnownStrata, method: Method) -> int:
    """Smallest budget at which a method has an estimate."""
    if method.estimator == "limit":
        return max(1, int((strata.population.share * np.sqrt(strata.population.uncertainty) > CERTAIN).sum()))
    return max(1, method.least * strata.population.strata)


def squared_errors(
    strata: KnownStrata,
    method: Method,
    count: NDArray[np.int32],
    knowledge: Knowledge,
    replacement: bool,
    seed: int,
    trials: Trials,
) -> NDArray[np.float64]:
    """Squared Frobenius norm of dC - dC_hat at given counts, shape (trials, B)."""
    population = strata.population
    if method.estimator == "limit":
        strata = told_what_is_certain(strata)
    error = np.empty(count.shape[:2])
    reading.errors_at_counts(
        *known_arrays(strata),
        population.old,
        population.new,
        smoothing(method, knowledge),
        method.estimator == "difference",
        knowledge.kappa,
        replacement,
        words(strata, seed),
        trials.first,
        count,
        error,
    )
    return error


def known_arrays(strata: KnownStrata) -> tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]:
    """List the arrays that the kernels which read estimates take first.

    These are answers, item_old, start, share, stratum_label, pool, pools, kept and moved.
    """
    population = strata.population
    return (
        population.answers,
        strata.item_old,
        population.start,
        population.share,
        population.stratum_label,
        strata.pool,
        strata.pools,
        strata.kept,
        strata.moved,
    )


def smoothing(method: Method, knowledge: Knowledge) -> float:
    """How many answers the prior mean is worth in a method's estimate."""
    return knowledge.smoothing if method.estimator == "smoothed" else 0.0


def _room(
    strata: KnownStrata, budgets: NDArray[np.int64] | Sequence[int], trials: Trials
) -> NDArray[np.int32]:
    return np.empty((trials.count, len(budgets), strata.population.strata), np.int32)
