"""The dataset as a sampler sees it: strata, their shares, and what the API answers in each."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay_format import LEVELS
from adaptive_sampling.room import check_room

STRATA: Final = ("label", "label_difficulty")
"""What a stratum can be: a true label, or a true label at one of K difficulties."""

MOST_LABELS: Final = 2**16
"""Answers are kept in 16 bits, an item each."""

CELL_BYTES: Final = 32
"""For each (stratum, answer): whole numbers as counted and as kept, shares, and shares in use."""

ITEM_BYTES: Final = 10
"""For each item: its answer, and its cell in the kernels' table and in their copy of it."""


@dataclass(frozen=True)
class Population:
    """All items of one case, grouped into non-empty strata in the order of (label, difficulty).

    Empty strata (p = 0) are left out: nothing can be drawn from them. G is the number of strata, L of true
    labels, J of predicted labels (L plus answers outside the label set, such as "empty"), n of items.

    Attributes
    ----------
    name : str
        The case.
    stratum_label : ndarray of int64, shape (G,)
        True label i of each stratum.
    size : ndarray of int64, shape (G,)
        Items in each stratum.
    share : ndarray of float, shape (G,)
        p[i,k], the share of all items.
    distribution : ndarray of float, shape (G, J)
        mu[i,k,j], the share of a stratum's items that the API now answers j.
    answers : ndarray of uint16, shape (n,)
        New answer of each item, stratum by stratum: drawing an item is drawing a position.
    start : ndarray of int64, shape (G + 1,)
        Where each stratum begins in `answers`.
    old, new : ndarray of float, shape (L, J)
        C_old and C_new, joint shares that sum to 1.
    weights : ndarray of float, shape (L, J) or one that broadcasts to it
        W, by which the error of each cell is multiplied before the norm: 1 by default. The identity watches
        accuracy only, a single 1 one confusion.
    """

    name: str
    stratum_label: NDArray[np.int64]
    size: NDArray[np.int64]
    share: NDArray[np.float64]
    distribution: NDArray[np.float64]
    answers: NDArray[np.uint16]
    start: NDArray[np.int64]
    old: NDArray[np.float64]
    new: NDArray[np.float64]
    weights: NDArray[np.float64] = field(default_factory=lambda: np.ones((1, 1)))

    @property
    def strata(self) -> int:
        """Number of strata, G."""
        return len(self.size)

    @property
    def shift(self) -> NDArray[np.float64]:
        """The shift dC = C_new - C_old, shape (L, J)."""
        return self.new - self.old

    @property
    def uncertainty(self) -> NDArray[np.float64]:
        """Definition 1: sigma2[i,k] = sum_j W[i,j]^2 mu[i,k,j] (1 - mu[i,k,j]), shape (G,).

        For W = 1 this is 1 - sum_j mu[i,k,j]^2.
        """
        weights = np.broadcast_to(self.weights, self.new.shape)[self.stratum_label]
        squared: NDArray[np.float64] = (weights**2 * self.distribution * (1.0 - self.distribution)).sum(
            axis=1
        )
        return squared


def check_divisor(K: int) -> None:
    """Raise `InputError` unless K cuts the 120 levels of a replay table into equal parts."""
    if K < 1 or LEVELS % K:
        allowed = ", ".join(str(k) for k in range(1, LEVELS + 1) if LEVELS % k == 0)
        raise InputError(f"key K: found {K}, allowed are the divisors of {LEVELS}: {allowed}")


def population(
    replay: pd.DataFrame,
    *,
    name: str,
    labels: int,
    predicted_labels: int,
    difficulty: str,
    strata: str,
    K: int,
) -> Population:
    """Group the items of a replay table into strata.

    Parameters
    ----------
    replay : DataFrame
        Columns difficulty, label, level, old, new, items.
    name : str
        The case.
    labels, predicted_labels : int
        L and J.
    difficulty : str
        Which difficulty source of the table to use.
    strata : str
        ``"label"`` or ``"label_difficulty"`` (Section 3.1 of the paper).
    K : int
        Difficulty levels per label, a divisor of 120; ignored for ``"label"``.

    Returns
    -------
    Population

    Raises
    ------
    InputError
        If K does not divide 120, the table has no such difficulty source, or labels or items are too many for
        the memory of a run.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     [("none", 0, 0, 0, 0, 3), ("none", 0, 60, 0, 1, 1), ("none", 1, 0, 1, 1, 4)],
    ...     columns=["difficulty", "label", "level", "old", "new", "items"],
    ... )
    >>> p = population(
    ...     table, name="toy", labels=2, predicted_labels=2, difficulty="none", strata="label_difficulty", K=2
    ... )
    >>> p.share.tolist()
    [0.375, 0.125, 0.5]
    >>> p.shift.tolist()
    [[-0.125, 0.125], [0.0, 0.0]]
    """
    check_divisor(K)
    if strata not in STRATA:
        raise InputError(f"key strata: found {strata!r}, allowed are {', '.join(STRATA)}")
    if predicted_labels > MOST_LABELS:
        raise InputError(
            f"case {name}: found {predicted_labels} predicted labels, allowed are up to {MOST_LABELS}"
        )
    parts = K if strata == "label_difficulty" else 1
    check_room(
        CELL_BYTES * labels * parts * predicted_labels,
        f"case {name}: tables of {labels} labels at {parts} difficulties by {predicted_labels} answers",
        "take a smaller shift.K or merge labels",
    )
    rows = replay[replay["difficulty"] == difficulty]
    if rows.empty:
        found = ", ".join(sorted(set(replay["difficulty"])))
        raise InputError(f"case {name}: no difficulty source {difficulty!r}, its replay table has {found}")
    label = rows["label"].to_numpy(np.int64)
    part = rows["level"].to_numpy(np.int64) * parts // LEVELS
    items = rows["items"].to_numpy(np.int64)
    counts = np.zeros((labels * parts, predicted_labels), dtype=np.int64)
    np.add.at(counts, (label * parts + part, rows["new"].to_numpy(np.int64)), items)
    old = np.zeros((labels, predicted_labels), dtype=np.int64)
    np.add.at(old, (label, rows["old"].to_numpy(np.int64)), items)
    return from_counts(name, counts, np.arange(labels * parts) // parts, old)


def from_counts(
    name: str, counts: NDArray[np.int64], stratum_label: NDArray[np.int64], old: NDArray[np.int64]
) -> Population:
    """Build a population from the number of items of each (stratum, new answer).

    Parameters
    ----------
    name : str
    counts : ndarray of int64, shape (strata, J)
        Strata without items are left out.
    stratum_label : ndarray of int64, shape (strata,)
        True label of each stratum.
    old : ndarray of int64, shape (L, J)
        Number of items of each (true label, old answer).

    Returns
    -------
    Population

    Raises
    ------
    InputError
        If there are too many items for the memory of a run.
    """
    check_room(
        ITEM_BYTES * int(counts.sum()),
        f"case {name}: answers of {counts.sum()} items",
        "take a sample of the items",
    )
    kept = counts.sum(axis=1) > 0
    counts, stratum_label = counts[kept], stratum_label[kept]
    size = counts.sum(axis=1)
    total = int(size.sum())
    new = np.zeros(old.shape, dtype=np.int64)
    np.add.at(new, stratum_label, counts)
    answer = np.tile(np.arange(counts.shape[1], dtype=np.uint16), len(counts))
    return Population(
        name=name,
        stratum_label=stratum_label.astype(np.int64),
        size=size,
        share=size / total,
        distribution=counts / size[:, None],
        answers=np.repeat(answer, counts.ravel()),
        start=np.concatenate(([0], np.cumsum(size))).astype(np.int64),
        old=old / total,
        new=new / total,
    )
