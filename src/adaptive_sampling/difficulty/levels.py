"""Difficulty levels: items ranked by a model's confidence within their true label, cut into equal parts."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adaptive_sampling.recordings.replay_format import LEVELS


def difficulty_levels(
    labels: ArrayLike, confidences: ArrayLike | None, rng: np.random.Generator, levels: int = LEVELS
) -> NDArray[np.int64]:
    """Level of every item: ``floor(rank * levels / n_label)``, rank 0 being the least confident of its label.

    Confidences repeat (half of the WAIMAI items have confidence 1), so cutting at quantiles of the value would
    leave levels empty; ranks do not, and items of equal confidence are put in an order shuffled by `rng`, never
    in the order of the file, which follows the labels. Because ``floor(floor(120 r / n) * K / 120)`` equals
    ``floor(K r / n)`` for every K that divides 120, merging levels gives exactly the cut into K parts.

    Parameters
    ----------
    labels : array of int, shape (items,)
        True label of every item.
    confidences : array of float, shape (items,), or None
        The cheap model's confidence; None ranks the items of a label by the shuffle alone.
    rng : numpy.random.Generator
        For the shuffle.
    levels : int
        Number of levels, at least 1.

    Returns
    -------
    ndarray of int64, shape (items,)
        In ``0 .. levels - 1``; level 0 holds the most difficult items.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> difficulty_levels([0, 0, 0, 0, 1, 1], [0.9, 0.1, 0.5, 0.6, 0.3, 0.2], rng, levels=2)
    array([1, 0, 0, 1, 1, 0])
    """
    label = np.asarray(labels, dtype=np.int64)
    shuffle = rng.permutation(len(label))
    keys = (shuffle, label) if confidences is None else (shuffle, np.asarray(confidences, float), label)
    order = np.lexsort(keys)
    items_of_label = np.bincount(label)
    first_of_label = np.concatenate(([0], np.cumsum(items_of_label)[:-1]))
    sorted_label = label[order]
    rank = np.arange(len(label)) - first_of_label[sorted_label]
    level = np.empty(len(label), dtype=np.int64)
    level[order] = rank * levels // items_of_label[sorted_label]
    return level
