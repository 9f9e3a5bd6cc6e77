"""Losses that need no simulation: E ||dC - dC_hat||_F^2 of samplers whose counts do not depend on answers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.shift.population import Population


def uniform_loss(
    population: Population, budgets: NDArray[np.int64], *, replacement: bool = True
) -> NDArray[np.float64]:
    """Loss of the raw frequency of N items drawn from all of D: sum W^2 C_new (1 - C_new) / N.

    For W = 1 the sum is 1 - sum C_new[i,j]^2.

    Parameters
    ----------
    population : Population
    budgets : ndarray of int64, shape (B,)
    replacement : bool
        If items are not drawn twice, the loss falls by the finite-population factor (n - N) / (n - 1), n being
        the number of all items.

    Returns
    -------
    ndarray of float, shape (B,)
    """
    variance = (population.weights**2 * population.new * (1.0 - population.new)).sum()
    left = 1.0 if replacement else _share_left(population.size.sum(), budgets)
    loss: NDArray[np.float64] = variance / budgets * left
    return loss


def stratified_loss(
    population: Population, count: NDArray[np.int32], *, replacement: bool = True
) -> NDArray[np.float64]:
    """Loss of fixed counts: sum over strata of p^2 sigma2 / n (Section 3.2).

    Parameters
    ----------
    population : Population
    count : ndarray of int32, shape (..., G)
        At least one sample of every stratum.
    replacement : bool
        If items are not drawn twice, each term falls by its stratum's finite-population factor.

    Returns
    -------
    ndarray of float, shape (...)
    """
    left = 1.0 if replacement else _share_left(population.size, count)
    loss: NDArray[np.float64] = (population.share**2 * population.uncertainty / count * left).sum(axis=-1)
    return loss


def _share_left(size: NDArray[np.int64], count: NDArray[Any]) -> NDArray[np.float64]:
    """(s - n) / (s - 1), and 0 from n = s on: what drawing without replacement leaves of a variance."""
    left: NDArray[np.float64] = np.maximum(size - count, 0) / np.maximum(size - 1, 1)
    return left


def oracle_loss(population: Population, budgets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Loss of Lemma 1's allocation, not rounded to whole samples: (sum p sigma)^2 / N, with replacement.

    Parameters
    ----------
    population : Population
    budgets : ndarray of int64, shape (B,)

    Returns
    -------
    ndarray of float, shape (B,)
    """
    loss: NDArray[np.float64] = (population.share * np.sqrt(population.uncertainty)).sum() ** 2 / budgets
    return loss


def optimal_shares(population: Population) -> NDArray[np.float64]:
    """Lemma 1: the share p sigma / sum(p sigma) of the budget that each stratum deserves, shape (G,).

    Where no stratum has any uncertainty left, every allocation is optimal: the strata's shares are returned.
    """
    weight = population.share * np.sqrt(population.uncertainty)
    shares: NDArray[np.float64] = weight / weight.sum() if weight.any() else population.share
    return shares
