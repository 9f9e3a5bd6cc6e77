"""Bandit instances: arms, their means, and how hard they are to tell apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.errors import InputError

Rewards = Literal["bernoulli", "gaussian"]

BERNOULLI_SIGMA: Final = 0.5
"""A reward in [0, 1] is 1/2-sub-Gaussian (Hoeffding's lemma)."""


@dataclass(frozen=True)
class Instance:
    """A bandit model nu: n arms with sigma-sub-Gaussian rewards and means in [0, 1].

    Attributes
    ----------
    means : tuple of float
        mu_i, in any order.
    sigma : float
        The sub-Gaussian parameter that the algorithms are told; for Gaussian rewards also their
        standard deviation.
    rewards : {"bernoulli", "gaussian"}
        What a pull returns.

    Raises
    ------
    InputError
        If there is no arm, a mean lies outside [0, 1], or sigma is too small for the rewards.

    Examples
    --------
    >>> Instance((0.5, 0.7)).best
    1
    """

    means: tuple[float, ...]
    sigma: float = BERNOULLI_SIGMA
    rewards: Rewards = "bernoulli"

    def __post_init__(self) -> None:
        """Refuse what is no instance."""
        if not self.means:
            raise InputError("means: found no arm, at least one is needed")
        for mean in self.means:
            if not 0.0 <= mean <= 1.0:
                raise InputError(f"means: found {mean}, a mean lies in [0, 1]")
        if self.rewards not in ("bernoulli", "gaussian"):
            raise InputError(f"rewards: found {self.rewards!r}, allowed are bernoulli and gaussian")
        if not 0.0 < self.sigma < float("inf"):
            raise InputError(f"sigma: found {self.sigma}, a positive number is needed")
        if self.rewards == "bernoulli" and self.sigma < BERNOULLI_SIGMA:
            raise InputError(f"sigma: found {self.sigma}, Bernoulli rewards need at least {BERNOULLI_SIGMA}")

    @property
    def arms(self) -> int:
        """n, the number of arms."""
        return len(self.means)

    @property
    def best(self) -> int:
        """Index of the arm with the highest mean; the lowest index of several."""
        return int(np.argmax(self.means))

    @property
    def gaps(self) -> NDArray[np.float64]:
        """Delta_i = mu_[1] - mu_i, and for the best arm its gap to the second; shape (n,).

        One arm alone has the gap 1: there is nothing to confuse it with.
        """
        means = np.array(self.means)
        gaps: NDArray[np.float64] = means.max() - means
        gaps[self.best] = np.sort(means)[-1] - np.sort(means)[-2] if self.arms > 1 else 1.0
        return gaps

    def good(self, epsilon: float) -> NDArray[np.bool_]:
        """Which arms are epsilon-optimal, mu_i > mu_[1] - epsilon; shape (n,)."""
        means = np.array(self.means)
        # 1e-12 keeps an arm that lies exactly epsilon below from passing by rounding.
        good: NDArray[np.bool_] = means > means.max() - epsilon + 1e-12
        return good


def needed_pulls(instance: Instance, epsilon: float) -> NDArray[np.float64]:
    """N*_i = min(Delta_i^-2, epsilon^-2), the order of the pulls that arm i needs; shape (n,).

    Section 1, equation (1) of the EBR paper; the display is lost, this is the form up to constants
    [reconstructed].
    """
    return np.minimum(1.0 / np.maximum(instance.gaps, epsilon) ** 2, epsilon**-2)


def hardness(instance: Instance, epsilon: float) -> float:
    """H(nu), the sum of N*_i over the arms [reconstructed up to constants].

    Examples
    --------
    >>> round(hardness(evenly_spaced(0.1, 0.9, 100), 0.01))
    29723
    """
    return float(needed_pulls(instance, epsilon).sum())


def evenly_spaced(lowest: float, highest: float, arms: int) -> Instance:
    """Return Bernoulli arms whose means form an arithmetic sequence, the best first (Section 5) [text].

    Setup 1 is ``evenly_spaced(0.1, 0.9, 100)``, setup 2 ``evenly_spaced(0.65, 0.9, 100)``.
    """
    return Instance(tuple(float(mean) for mean in np.linspace(highest, lowest, arms)))


def random_instance(arms: int, rng: np.random.Generator) -> Instance:
    """Return a Bernoulli instance whose gaps span orders of magnitude, for the relation of Theorem 2.

    The best mean is uniform on [0.6, 0.95]; the other gaps are log-uniform between g and 0.6, where g is
    log-uniform on [0.003, 0.3]: from instances where nearly all arms are close to ones where none is.
    """
    best = rng.uniform(0.6, 0.95)
    closest = float(np.exp(rng.uniform(np.log(0.003), np.log(0.3))))
    gaps = np.sort(np.exp(rng.uniform(np.log(closest), np.log(0.6), size=arms - 1)))
    return Instance((best, *(float(mean) for mean in best - gaps)))


def hard_instance(arms: int, gap: float, others: float = 0.5) -> Instance:
    """Return one arm a gap above all others, which are equal: the hardest instance for a given gap."""
    return Instance((others + gap, *(others,) * (arms - 1)))


def shuffled(instance: Instance, order: Sequence[int]) -> Instance:
    """Return the same arms in another order."""
    return Instance(tuple(instance.means[i] for i in order), instance.sigma, instance.rewards)
