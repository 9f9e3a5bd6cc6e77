"""Strata by choice: true label, old prediction, difficulty, alone or together, with what is known of each.

The old prediction of every item is known before the first query, and so is the old API's confidence. A stratum
of items that were answered alike says more than a stratum of items that look equally hard.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay_format import LEVELS
from adaptive_sampling.shift.population import Population, check_divisor

CHOICES: Final = (("label",), ("label", "difficulty"), ("label", "old"), ("label", "old", "difficulty"))
"""What strata can be made of; ``[label, difficulty]`` is the paper's choice."""

TERCILES: Final = 3
"""Pools cut the confidence ranks into as many parts."""

TOWARDS_TRUTH: Final = 0.8
"""Where an old answer was wrong, the prior chance that a change corrects it."""


@dataclass(frozen=True)
class KnownStrata:
    """A case in strata, and what is known of each stratum before the first query.

    G is the number of strata, J of predicted labels, n of items.

    Attributes
    ----------
    population : Population
        The case as every sampler of `adaptive_sampling.shift` sees it.
    choice : str
        What the strata are made of, such as ``label+old+difficulty``.
    item_old : ndarray of uint16, shape (n,)
        Old answer of each item, in the order of `population.answers`.
    pool : ndarray of int64, shape (G,)
        Which strata share what is known about how often answers change: old answer right or wrong, times the
        tercile of the stratum's mean confidence rank, numbered from 0.
    kept : ndarray of float, shape (G, J)
        Distribution of the old answers in a stratum: what it answers if nothing changes.
    moved : ndarray of float, shape (G, J)
        d[g,j], where answers are expected to go if they change; sums to 1.
    """

    population: Population
    choice: str
    item_old: NDArray[np.uint16]
    pool: NDArray[np.int64]
    kept: NDArray[np.float64]
    moved: NDArray[np.float64]

    @property
    def pools(self) -> int:
        """Number of pools, P."""
        return 2 * TERCILES


def expected_moves(old: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where answers are expected to go, by true label and old answer.

    Let m be the mean of two distributions: the other errors in the old confusion matrix's row of the label, and
    the errors of all labels by predicted label, both without the old answer and the truth. An answer that was
    right moves by m; one that was wrong moves to the truth with probability 0.8, else by m.

    Parameters
    ----------
    old : ndarray of float, shape (L, J)
        C_old; predicted labels 0 to L - 1 are the true ones.

    Returns
    -------
    ndarray of float, shape (L, J, J)
        Entry (i, o, j): share of the changed answers of label i, old answer o, that go to j. Where the old
        matrix has no error to learn from, all labels left are equally likely.

    Examples
    --------
    >>> expected_moves(np.array([[0.4, 0.1], [0.1, 0.4]]))[0].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    labels, predicted = old.shape
    moves = np.zeros((labels, predicted, predicted))
    errors = old.copy()
    errors[np.arange(labels), np.arange(labels)] = 0.0
    for i in range(labels):
        for o in range(predicted):
            left = np.ones(predicted, dtype=bool)
            left[[i, o]] = False
            m = 0.5 * _normalised(errors[i] * left) + 0.5 * _normalised(errors.sum(axis=0) * left)
            m = _normalised(m if m.any() else left.astype(np.float64))
            if o == i:
                moves[i, o] = m if left.any() else ~left
            else:
                moves[i, o] = (1.0 - TOWARDS_TRUTH) * m
                moves[i, o, i] += 1.0 - moves[i, o].sum()
    return moves


def known_strata(
    replay: pd.DataFrame,
    *,
    name: str,
    labels: int,
    predicted_labels: int,
    difficulty: str,
    choice: Sequence[str],
    K: int,
    least: int = 1,
) -> KnownStrata:
    """Group the items of a replay table into strata by choice.

    Parameters
    ----------
    replay : DataFrame
        Columns difficulty, label, level, old, new, items.
    name : str
        The case.
    labels, predicted_labels : int
        L and J.
    difficulty : str
        Which difficulty source of the table ranks the items of a label; ``"none"`` is no rank at all, so that
        K is taken as 1 and the pools are not cut by rank.
    choice : sequence of str
        One of `CHOICES`.
    K : int
        Difficulty levels per label, a divisor of 120.
    least : int
        Strata with fewer items are merged with the other rare strata of their label, and these, if still too
        few together, with the smallest other stratum of the label.

    Returns
    -------
    KnownStrata

    Raises
    ------
    InputError
        If the choice is unknown, K does not divide 120, or the table has no such difficulty source.
    """
    check_divisor(K)
    if tuple(choice) not in CHOICES:
        allowed = "; ".join(", ".join(allowed) for allowed in CHOICES)
        raise InputError(f"key strata: found {', '.join(choice)}, allowed are {allowed}")
    rows = replay[replay["difficulty"] == difficulty]
    if rows.empty:
        found = ", ".join(sorted(set(replay["difficulty"])))
        raise InputError(f"case {name}: no difficulty source {difficulty!r}, its replay table has {found}")
    label, level = rows["label"].to_numpy(np.int64), rows["level"].to_numpy(np.int64)
    old, new = rows["old"].to_numpy(np.int64), rows["new"].to_numpy(np.int64)
    items = rows["items"].to_numpy(np.int64)
    ranked = difficulty != "none"
    part = level * K // LEVELS if ranked and "difficulty" in choice else np.zeros_like(level)
    answer = old if "old" in choice else np.zeros_like(old)
    key = (label * predicted_labels + answer) * K + part
    stratum: NDArray[np.int64] = np.unique(_merged(key, label, items, least), return_inverse=True)[1]
    strata = int(stratum.max()) + 1

    distribution, kept = np.zeros((2, strata, predicted_labels))
    np.add.at(distribution, (stratum, new), items)
    np.add.at(kept, (stratum, old), items)
    old_matrix, new_matrix = np.zeros((2, labels, predicted_labels))
    np.add.at(old_matrix, (label, old), items)
    np.add.at(new_matrix, (label, new), items)
    stratum_label = np.zeros(strata, dtype=np.int64)
    stratum_label[stratum] = label
    size = np.bincount(stratum, weights=items).astype(np.int64)
    total = int(size.sum())
    kept /= size[:, None]
    right = kept[np.arange(strata), stratum_label]
    rank = np.bincount(stratum, weights=(level + 0.5) / LEVELS * items) / size
    tercile = (rank * TERCILES).astype(np.int64) if ranked else np.zeros(strata, dtype=np.int64)
    order = np.lexsort((old, new, stratum))
    moves = expected_moves(old_matrix / total)
    return KnownStrata(
        population=Population(
            name=name,
            stratum_label=stratum_label,
            size=size,
            share=size / total,
            distribution=distribution / size[:, None],
            answers=np.repeat(new[order], items[order]).astype(np.uint16),
            start=np.concatenate(([0], np.cumsum(size))).astype(np.int64),
            old=old_matrix / total,
            new=new_matrix / total,
        ),
        choice="+".join(choice),
        item_old=np.repeat(old[order], items[order]).astype(np.uint16),
        pool=np.where(right >= 0.5, 0, TERCILES) + tercile,
        kept=kept,
        moved=np.einsum("go,goj->gj", kept, moves[stratum_label]),
    )


def _normalised(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weight.sum()
    return weight / total if total > 0 else weight


def _merged(
    key: NDArray[np.int64], label: NDArray[np.int64], items: NDArray[np.int64], least: int
) -> NDArray[np.int64]:
    """Give the rare strata of each label one key together."""
    key = key.copy()
    for i in np.unique(label):
        keys, inverse = np.unique(key[label == i], return_inverse=True)
        size = np.bincount(inverse, weights=items[label == i])
        rare = keys[size < least]
        if len(rare) == 0:
            continue
        # Ties go to the lowest key: the sort is stable.
        others = keys[size >= least][np.argsort(size[size >= least], kind="stable")]
        alone = size[size < least].sum() >= least or len(others) == 0
        target = rare[0] if alone else others[0]
        key[(label == i) & np.isin(key, rare)] = target
    return key
