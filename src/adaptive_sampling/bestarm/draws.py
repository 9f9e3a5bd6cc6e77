"""Rewards of many pulls at once: the sum of h pulls of an arm is one draw, exact in law."""

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.bestarm.instances import Instance


def draw_sums(
    instance: Instance, arms: NDArray[np.int64], pulls: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the sum of rewards of `pulls` pulls of each of the arms.

    Parameters
    ----------
    instance : Instance
    arms : ndarray of int64
        Indices of arms, one a draw; an arm may appear many times (once a trial).
    pulls : int
        h, at least 0.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of float64
        As `arms`: binomial(h, mu_i) for Bernoulli rewards, normal(h mu_i, h sigma^2) for Gaussian ones.
    """
    means = np.array(instance.means)[arms]
    if instance.rewards == "bernoulli":
        return rng.binomial(pulls, means).astype(np.float64)
    noise: NDArray[np.float64] = rng.standard_normal(means.shape)
    sums: NDArray[np.float64] = pulls * means + instance.sigma * np.sqrt(pulls) * noise
    return sums
