"""What is known of each group's rate of change after some answers: a Bayesian model that learns its own prior.

A group holds the items of one stratum that had one old answer. A share phi_g of them answers otherwise now. The groups
of a pool are taken to be alike as far as their answers say so: phi_g ~ Beta(f c, (1 - f) c), where both the rate f and
the concentration c are unknown. A small c means that groups either change or do not, a large one that all change alike.
Rate and concentration have a prior on a grid, and each point of it is weighed by how well it predicts the answers seen.
Where changed answers go is Dirichlet around `KnownStrata.moved`.

A posterior does not depend on which items were chosen, when and why, as long as the choice looked at nothing but
answers: given the prior, adaptive counts and repeated looks need no correction.
"""

from dataclasses import dataclass
from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray
from scipy import special

from adaptive_sampling.beyond.strata import KnownStrata, expected_moves

RATES: Final = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 0.9)
"""Grid of f."""

CONCENTRATIONS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0)
"""Grid of c, in answers."""

DIRECTION: Final = 2.0
"""How many changed answers the expected direction of change is worth."""

NEGLIGIBLE = 1e-5
"""Points of the grid with less weight, relative to the best one, are passed over."""


@dataclass(frozen=True)
class ChangeGroups:
    """The items of each stratum by their old answer: G groups of n items, J predicted labels.

    Attributes
    ----------
    of_item : ndarray of int64, shape (n,)
        Group of each item, in the order of `Population.answers`.
    label, old, pool, size : ndarray of int64, shape (G,)
        True label, old answer, pool, number of items; labels never fall from one group to the next.
    share : ndarray of float, shape (G,)
        Of all items.
    moved : ndarray of float, shape (G, J)
        Where answers are expected to go if they change.
    """

    of_item: NDArray[np.int64]
    label: NDArray[np.int64]
    old: NDArray[np.int64]
    pool: NDArray[np.int64]
    size: NDArray[np.int64]
    share: NDArray[np.float64]
    moved: NDArray[np.float64]

    @property
    def arrays(self) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
        """What kernels take: of_item, label, old, pool, size, share and moved."""
        return self.of_item, self.label, self.old, self.pool, self.size, self.share, self.moved


def change_groups(strata: KnownStrata) -> ChangeGroups:
    """Split strata by old answer; on strata of one old answer each, groups are the strata, in their order.

    A group belongs to the pools of right or wrong old answers, times the tercile of its stratum.
    """
    population = strata.population
    stratum = np.repeat(np.arange(population.strata), population.size)
    predicted = population.old.shape[1]
    key = stratum * predicted + strata.item_old.astype(np.int64)
    keys, of_item = np.unique(key, return_inverse=True)
    of_stratum, old = keys // predicted, keys % predicted
    label = population.stratum_label[of_stratum]
    size = np.bincount(of_item).astype(np.int64)
    terciles = strata.pools // 2
    return ChangeGroups(
        of_item=of_item.astype(np.int64),
        label=label,
        old=old,
        pool=np.where(old == label, 0, terciles) + strata.pool[of_stratum] % terciles,
        size=size,
        share=size / size.sum(),
        moved=expected_moves(population.old)[label, old],
    )


def change_prior() -> NDArray[np.float64]:
    """List the points of the grid of (f, c) and their weights.

    Returns
    -------
    ndarray of float, shape (Q, 3)
        f c, (1 - f) c, and the prior weight: Jeffreys' Beta(1/2, 1/2) over f, every c alike.

    Examples
    --------
    >>> round(change_prior()[:, 2].sum(), 12)
    1.0
    """
    rates = np.array(RATES)
    edges = np.concatenate(([0.0], np.sqrt(rates[1:] * rates[:-1]), [1.0]))
    weight = np.diff(special.betainc(0.5, 0.5, edges)) / len(CONCENTRATIONS)
    return np.array([(f * c, (1.0 - f) * c, w) for f, w in zip(rates, weight) for c in CONCENTRATIONS])


@numba.njit
def learn(prior, weight, changes, n, more_changes, more) -> None:  # type: ignore[no-untyped-def]
    """Multiply the weights of the grid by the likelihood of further answers of one group.

    Parameters
    ----------
    prior : ndarray of float, shape (Q, 3)
        From `change_prior`.
    weight : ndarray of float, shape (Q,)
        Of the group's pool, changed in place and scaled so that the greatest is 1.
    changes, n : int
        Changed answers, and all, that it has learned from.
    more_changes, more : int
        The same that come on top; their order does not matter.
    """
    for k in range(more):
        for q in range(len(weight)):
            alpha, beta = prior[q, 0], prior[q, 1]
            part = alpha + changes + k if k < more_changes else beta + n - changes + k - more_changes
            weight[q] *= part / (alpha + beta + n + k)
        # Scaled often enough that nothing but points without any weight underflows.
        if k % 16 == 15 or k == more - 1:
            greatest = weight.max()
            for q in range(len(weight)):
                weight[q] /= greatest


@numba.njit(inline="always")
def rate_moments(prior, weight, changes, n, moment):  # type: ignore[no-untyped-def]
    """Fill in E[phi^k | answers], k = 1 to 4, for a group with so many changes in n answers.

    Parameters
    ----------
    weight : ndarray of float, shape (Q,)
        Of the group's pool, sums to 1.
    moment : ndarray of float, shape (4,)
    """
    moment[:] = 0.0
    for q in range(len(weight)):
        w = weight[q]
        if w > 0.0:
            a = prior[q, 0] + changes
            total = prior[q, 0] + prior[q, 1] + n
            for k in range(4):
                w *= (a + k) / (total + k)
                moment[k] += w


@numba.njit(inline="always")
def remaining_moments(moment, left, size):  # type: ignore[no-untyped-def]
    """Turn moments of phi into the first four raw moments of X / M, without replacement.

    X is the number of changes among the `left` items not asked yet, M the `size` of the group; E[(X)_k] =
    (left)_k E[phi^k], and raw moments follow from these factorial ones by Stirling's numbers.
    """
    f1 = left * moment[0]
    f2 = left * (left - 1.0) * moment[1]
    f3 = left * (left - 1.0) * (left - 2.0) * moment[2]
    f4 = left * (left - 1.0) * (left - 2.0) * (left - 3.0) * moment[3]
    moment[0] = f1 / size
    moment[1] = (f2 + f1) / size**2
    moment[2] = (f3 + 3.0 * f2 + f1) / size**3
    moment[3] = (f4 + 6.0 * f3 + 7.0 * f2 + f1) / size**4


@numba.njit
def assess(  # type: ignore[no-untyped-def]
    label, old, pool, size, share, moved, prior, weight, n, frequency, replacement, mean, factor, centre
):
    """Posterior of the new confusion matrix: its mean, and the covariances of its rows.

    Parameters
    ----------
    label, old, pool, size, share, moved
        Arrays of `ChangeGroups`.
    prior, weight : ndarray of float, shape (Q, 3) and (P, Q)
        The grid, and the weights of each pool, which sum to 1.
    n : ndarray of int64, shape (G,)
    frequency : ndarray of float, shape (G, J)
        Answers, and how many of each.
    replacement : bool
        Without replacement, items that have been asked are known.
    mean : ndarray of float, shape (G, J)
        Filled with the mean distribution of an item not asked yet.
    factor : ndarray of float, shape (G,)
        Filled with c_g: the covariance of row i is taken to be sum_g c_g (diag m_g - m_g m_g'), with the trace
        that the posterior gives to each group.
    centre : ndarray of float, shape (L, J)
        Filled with the mean of the new confusion matrix.

    Returns
    -------
    float
        Sum of the fourth cumulants of the groups' errors: what a sum of normal errors would not have.
    """
    moment = np.empty(4)
    centre[:] = 0.0
    heavy = 0.0
    for g in range(len(n)):
        o = old[g]
        changes = n[g] - frequency[g, o]
        rate_moments(prior, weight[pool[g]], changes, n[g], moment)
        phi, single, pair, left = moment[0], 0.0, moment[1], float(size[g] - n[g])
        if not replacement:
            single = left * moment[0] / size[g] ** 2
            pair = left * (left - 1.0) * moment[1] / size[g] ** 2
            remaining_moments(moment, left, float(size[g]))
        m1, m2, m3, m4 = moment[0], moment[1], moment[2], moment[3]
        # Changed answers go to j with probability theta_j ~ Dirichlet(e).
        total = DIRECTION + changes
        square, of_square, spread = 0.0, 0.0, 1.0
        for j in range(mean.shape[1]):
            e = DIRECTION * moved[g, j] + (frequency[g, j] if j != o else 0.0)
            square += (e / total) ** 2
            of_square += e * (e + 1.0) / (total * (total + 1.0))
            mean[g, j] = phi * e / total
        mean[g, o] += 1.0 - phi
        for j in range(mean.shape[1]):
            spread -= mean[g, j] ** 2
            if replacement:
                centre[label[g], j] += share[g] * mean[g, j]
            else:
                centre[label[g], j] += share[g] * (frequency[g, j] + left * mean[g, j]) / size[g]
        variance = max(m2 - m1 * m1, 0.0)
        # var(phi) where the old answer was, and sum_j var(phi theta_j) where changed answers went.
        trace = variance + max(single + pair * of_square - m1 * m1 * square, 0.0)
        factor[g] = share[g] ** 2 * trace / max(spread, 1e-12)
        fourth = m4 - 4.0 * m1 * m3 + 6.0 * m1 * m1 * m2 - 3.0 * m1**4
        heavy += share[g] ** 4 * (fourth - 3.0 * variance * variance) * (1.0 + of_square) ** 2
    return heavy


@numba.njit
def normalised_weights(weight, scaled) -> None:  # type: ignore[no-untyped-def]
    """Fill in the weights of each pool without the negligible ones, scaled to sum to 1; shapes (P, Q)."""
    for b in range(len(weight)):
        least = NEGLIGIBLE * weight[b].max()
        for q in range(weight.shape[1]):
            scaled[b, q] = weight[b, q] if weight[b, q] > least else 0.0
        scaled[b] /= scaled[b].sum()
