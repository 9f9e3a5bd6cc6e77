"""Which items to ask the API about next: Algorithm 1 where answers come in batches and no item is asked about twice.

Between two batches the paper's loop is the same: pull from the stratum of the highest score (line 8),

    p / n (sigma_hat + (a/n)^(1/4)),

where n counts the answers that are there and those this batch has already asked for, and sigma_hat is known from
the former alone. With batches of one item this is Algorithm 1, line by line. A stratum with fewer than two answers
has sigma_hat = 1, above any uncertainty, once two of its items are asked for.
"""

import heapq
import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.recordings.own import UNANSWERED, OwnPredictions
from adaptive_sampling.recordings.replay import levels_of
from adaptive_sampling.recordings.replay_format import LEVELS

ASK_COLUMNS: Final = {"id": "text", "label": "text", "old": "text", "difficulty": "count"}
"""Columns of ``ask.csv``: the items to ask about, in this order; `difficulty` is the level out of K, 0 the hardest."""

SO_FAR_COLUMNS: Final = {
    "case": "text",
    "items": "count",
    "answered": "count",
    "accuracy_old": "share",
    "accuracy_new": "share?",
    "change": "number?",
    "change_se": "amount?",
    "expected_error": "amount?",
    "target_error": "amount",
}
"""Columns of ``so_far.csv``: `expected_error` is the root of the expected squared Frobenius error, empty until every
stratum has two answers or all it can give; `change_se` the standard error of the accuracy's change."""

SHIFT_COLUMNS: Final = {
    "label": "text",
    "predicted": "text",
    "old": "share",
    "new": "share?",
    "shift": "number?",
}
"""Columns of ``shift.csv``: the confusion matrices as shares of all items, and their difference; without those cells
that are empty at both dates. What is not known before every stratum has an answer is empty."""


@dataclass(frozen=True)
class Strata:
    """What is known of each stratum, empty ones left out, in the order of (label, difficulty).

    Attributes
    ----------
    of_item : ndarray of int64, shape (items,)
        Stratum of each item.
    label, difficulty, size : ndarray of int64, shape (G,)
        True label i, level k, and number of items.
    frequency : ndarray of int64, shape (G, J)
        H[i,k,j], how often each answer was given so far.
    """

    of_item: NDArray[np.int64]
    label: NDArray[np.int64]
    difficulty: NDArray[np.int64]
    size: NDArray[np.int64]
    frequency: NDArray[np.int64]

    @property
    def share(self) -> NDArray[np.float64]:
        """p[i,k], the share of all items."""
        share: NDArray[np.float64] = self.size / self.size.sum()
        return share

    @property
    def answered(self) -> NDArray[np.int64]:
        """n[i,k], the number of answers so far."""
        counts: NDArray[np.int64] = self.frequency.sum(axis=1)
        return counts

    @property
    def uncertainty(self) -> NDArray[np.float64]:
        """Estimate of the uncertainty score sigma2[i,k] by equation (3.1); 1 where it is not known yet."""
        n = self.answered
        pairs = n**2 - (self.frequency**2).sum(axis=1)
        squared: NDArray[np.float64] = np.where(n > 1, pairs / np.maximum(n * (n - 1), 1), 1.0)
        return squared


def strata_of(own: OwnPredictions, case: Case, *, difficulty: str, K: int, seed: int) -> Strata:
    """Group the items of an own case as its replay table would.

    Parameters
    ----------
    own : OwnPredictions
        New answers may be missing.
    case : Case
    difficulty : str
        ``confidence`` or ``none``.
    K : int
        Difficulty levels per label.
    seed : int
        Breaks ties between equal confidences.

    Returns
    -------
    Strata
    """
    confidences = own.confidences if difficulty == "confidence" else None
    level = levels_of(case, own.labels, difficulty, confidences, seed)
    named, of_item = np.unique(own.labels * K + level * K // LEVELS, return_inverse=True)
    frequency = np.zeros((len(named), len(case.predicted_labels)), np.int64)
    answered = own.new != UNANSWERED
    np.add.at(frequency, (of_item[answered], own.new[answered]), 1)
    return Strata(of_item, named // K, named % K, np.bincount(of_item), frequency)


def next_strata(strata: Strata, a: float, queries: int) -> list[int]:
    """Choose the strata of the next queries by Algorithm 1.

    Parameters
    ----------
    strata : Strata
    a : float
        Weight of exploration, over 0.
    queries : int
        How many to ask; fewer come back where fewer items are left.

    Returns
    -------
    list of int
        Indices of strata, in the order in which they are pulled.

    Examples
    --------
    >>> one_label = np.zeros(2, np.int64)
    >>> answers = np.array([[5, 5], [9, 1]])
    >>> known = Strata(np.repeat([0, 1], 50), one_label, np.arange(2), np.array([50, 50]), answers)
    >>> next_strata(known, a=1.0, queries=3)
    [0, 1, 0]
    """
    share, sigma, size = strata.share, np.sqrt(strata.uncertainty), strata.size
    n = strata.answered

    def priority(g: int) -> tuple[int, float, int]:
        # Line 3: whoever was asked about least comes first until all have two; ties to the lowest index.
        if n[g] < 2:
            return int(n[g]), 0.0, g
        return 2, -float(share[g] * (1.0 / n[g]) * (sigma[g] + math.sqrt(math.sqrt(a / n[g])))), g

    waiting = [priority(g) for g in range(len(size)) if n[g] < size[g]]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < queries:
        g = waiting[0][-1]
        chosen.append(g)
        n[g] += 1
        if n[g] < size[g]:
            heapq.heapreplace(waiting, priority(g))
        else:
            heapq.heappop(waiting)
    return chosen


def ask(
    own: OwnPredictions, case: Case, strata: Strata, *, a: float, queries: int, seed: int
) -> pd.DataFrame:
    """List the items to ask about next.

    Parameters
    ----------
    own : OwnPredictions
    case : Case
    strata : Strata
        From `strata_of`.
    a : float
        Weight of exploration.
    queries : int
        How many items.
    seed : int
        Puts the items of each stratum into a random order, the same for every batch: an item that was asked
        about and has no answer yet comes again.

    Returns
    -------
    DataFrame
        Columns `ASK_COLUMNS`; no row once every item has its answer.
    """
    chosen = np.array(next_strata(strata, a, queries), np.int64)
    order = named_generator(seed, f"next_queries/{case.case}").permutation(len(own.new))
    waiting = order[own.new[order] == UNANSWERED]
    waiting = waiting[np.argsort(strata.of_item[waiting], kind="stable")]
    first = np.searchsorted(strata.of_item[waiting], chosen)
    # The m-th query of a stratum takes the m-th of its waiting items.
    before = pd.Series(chosen).groupby(chosen).cumcount().to_numpy()
    item = waiting[first + before]
    names = np.array(case.predicted_labels, dtype=object)
    return pd.DataFrame(
        {
            "id": own.ids[item],
            "label": names[own.labels[item]],
            "old": names[own.old[item]],
            "difficulty": strata.difficulty[chosen],
        },
        columns=list(ASK_COLUMNS),
    )


def shift_so_far(own: OwnPredictions, case: Case, strata: Strata) -> pd.DataFrame:
    """Estimate the confusion matrix from the answers so far, stratum by stratum.

    Returns
    -------
    DataFrame
        Columns `SHIFT_COLUMNS`.
    """
    old = np.zeros((len(case.labels), len(case.predicted_labels)))
    np.add.at(old, (own.labels, own.old), 1 / case.items)
    new = _estimate(strata, len(case.labels))
    i, j = np.nonzero((old > 0) | (new > 0))
    names = np.array(case.predicted_labels, dtype=object)
    return pd.DataFrame(
        {
            "label": names[i],
            "predicted": names[j],
            "old": old[i, j],
            "new": new[i, j],
            "shift": new[i, j] - old[i, j],
        }
    )


def so_far(own: OwnPredictions, case: Case, strata: Strata, target_error: float) -> pd.DataFrame:
    """Sum up in one row what the answers so far tell.

    Parameters
    ----------
    own : OwnPredictions
    case : Case
    strata : Strata
    target_error : float
        The Frobenius error that is wanted, written beside the expected one.

    Returns
    -------
    DataFrame
        Columns `SO_FAR_COLUMNS`.

    Notes
    -----
    For n items drawn without replacement from the m of a stratum, its share p of the squared error is
    p^2 sigma_hat2 / n (1 - n/m) in expectation, sigma_hat2 being (3.1); so is the variance of the accuracy, with
    (3.1) of "right" and "wrong". That n was chosen after looking at answers is not accounted for.
    """
    n, p, label = strata.answered, strata.share, strata.label
    right = strata.frequency[np.arange(len(n)), label]
    accuracy_old = float((own.labels == own.old).mean())
    accuracy_new = float((p * right / n).sum()) if n.all() else math.nan
    return pd.DataFrame(
        {
            "case": [case.case],
            "items": case.items,
            "answered": int(n.sum()),
            "accuracy_old": accuracy_old,
            "accuracy_new": accuracy_new,
            "change": accuracy_new - accuracy_old,
            "change_se": _spread(strata, right * (n - right)),
            "expected_error": _spread(strata, (n**2 - (strata.frequency**2).sum(axis=1))),
            "target_error": target_error,
        },
        columns=list(SO_FAR_COLUMNS),
    )


def _estimate(strata: Strata, labels: int) -> NDArray[np.float64]:
    """C_hat[i,j] = sum_k p[i,k] H[i,k,j] / n[i,k], shape (L, J); not a number before every stratum has an answer."""
    n = strata.answered
    estimate = np.full((labels, strata.frequency.shape[1]), np.nan)
    if n.all():
        estimate[:] = 0.0
        np.add.at(estimate, strata.label, (strata.share / n)[:, None] * strata.frequency)
    return estimate


def _spread(strata: Strata, pairs: NDArray[np.int64]) -> float:
    """Root of sum p^2 sigma_hat2 / n (1 - n/m) with sigma_hat2 = pairs / (n (n - 1))."""
    n, m, p = strata.answered, strata.size, strata.share
    if (n < np.minimum(m, 2)).any():
        return math.nan
    variance = pairs / np.maximum(n * (n - 1), 1)
    return math.sqrt(float((p**2 * variance / n * (1 - n / m)).sum()))
