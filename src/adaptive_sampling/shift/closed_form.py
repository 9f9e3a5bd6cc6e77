"""Losses that need no simulation: E ||dC - dC_hat||_F^2 of samplers whose counts do not depend on answers."""

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.shift.population import Population


def uniform_loss(population: Population, budgets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Loss of the raw frequency of N items drawn from all of D: (1 - sum C_new[i,j]^2) / N.

    Parameters
    ----------
    population : Population
    budgets : ndarray of int64, shape (B,)

    Returns
    -------
    ndarray of float, shape (B,)
    """
    loss: NDArray[np.float64] = (1.0 - (population.new**2).sum()) / budgets
    return loss


def stratified_loss(population: Population, count: NDArray[np.int32]) -> NDArray[np.float64]:
    """Loss of fixed counts: sum over strata of p^2 sigma2 / n (Section 3.2).

    Parameters
    ----------
    population : Population
    count : ndarray of int32, shape (..., G)
        At least one sample of every stratum.

    Returns
    -------
    ndarray of float, shape (...)
    """
    loss: NDArray[np.float64] = (population.share**2 * population.uncertainty / count).sum(axis=-1)
    return loss


def oracle_loss(population: Population, budgets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Loss of Lemma 1's allocation, not rounded to whole samples: (sum p sigma)^2 / N.

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
