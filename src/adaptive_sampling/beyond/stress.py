"""Synthetic shifts made to hurt a sampler that trusts old predictions.

Every shift is a replay table, so that all methods see it as they see a recorded case.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.randomness import named_generator
from adaptive_sampling.recordings.replay_format import LEVELS, REPLAY_COLUMNS

NEIGHBOURS: Final = 3
"""How many other labels a label is ever confused with."""


@dataclass(frozen=True)
class StressShift:
    """A made-up dataset and how its answers change.

    Attributes
    ----------
    name : str
    labels, items : int
    accuracy : float
        Of the old API.
    change : float
        Share of the items (of those that may change) that get another answer.
    flips : str
        Which: ``"hard"`` items before easy ones; ``"any"``, whatever the old confidence; ``"easy"`` ones first;
        ``"independent"``: new answers are drawn as if there had been no old ones, `change` is not read;
        ``"class"``: only items of label 0; ``"cell"``: only items of label 0, all to label 1; ``"right"``: only
        answers that were right; ``"wrong"``: only answers that were wrong, and all to the truth.
    spread : float
        Item counts of the labels fall by this factor from each label to the next; 1 is balanced.
    """

    name: str
    labels: int
    items: int
    accuracy: float
    change: float
    flips: str
    spread: float = 1.0


SHIFTS: Final = {
    shift.name: shift
    for shift in (
        StressShift("independent_2", 2, 20_000, 0.80, 0.0, "independent"),
        StressShift("independent_7", 7, 20_000, 0.70, 0.0, "independent"),
        StressShift("independent_10", 10, 2_000, 0.90, 0.0, "independent"),
        StressShift("independent_30", 30, 50_000, 0.85, 0.0, "independent"),
        StressShift("any_2", 2, 20_000, 0.90, 0.10, "any"),
        StressShift("any_10", 10, 20_000, 0.80, 0.20, "any"),
        StressShift("any_half", 8, 30_000, 0.70, 0.50, "any"),
        StressShift("easy_first", 8, 20_000, 0.80, 0.15, "easy"),
        StressShift("hard_first", 8, 20_000, 0.80, 0.15, "hard"),
        StressShift("one_class_2", 2, 20_000, 0.85, 0.15, "class"),
        StressShift("one_class_10", 10, 20_000, 0.85, 0.50, "class"),
        StressShift("one_cell", 10, 20_000, 0.90, 0.30, "cell"),
        StressShift("no_change", 5, 10_000, 0.85, 0.0, "any"),
        StressShift("tiny", 5, 10_000, 0.85, 0.002, "any"),
        StressShift("huge", 5, 10_000, 0.85, 0.90, "any"),
        StressShift("all_change_2", 2, 10_000, 0.80, 1.0, "any"),
        StressShift("all_change_10", 10, 10_000, 0.80, 1.0, "any"),
        StressShift("only_right", 6, 20_000, 0.75, 0.20, "right"),
        StressShift("only_wrong", 6, 20_000, 0.75, 0.50, "wrong"),
        StressShift("unbalanced_2", 2, 20_000, 0.85, 0.10, "hard", 0.05),
        StressShift("unbalanced_8", 8, 20_000, 0.75, 0.15, "hard", 0.5),
        StressShift("classes_30", 30, 30_000, 0.85, 0.10, "hard"),
        StressShift("classes_100", 100, 100_000, 0.80, 0.10, "hard"),
        StressShift("items_100", 2, 100, 0.80, 0.15, "hard"),
        StressShift("items_1000", 5, 1_000, 0.80, 0.15, "hard"),
        StressShift("items_1000000", 4, 1_000_000, 0.85, 0.08, "hard"),
        StressShift("poor_old", 6, 20_000, 0.30, 0.40, "any"),
        StressShift("perfect_old", 6, 20_000, 1.00, 0.05, "any"),
    )
}
"""All stress shifts by name."""


def stress_replay(shift: StressShift, seed: int) -> pd.DataFrame:
    """Make the replay table of a stress shift.

    The old confidence (source ``old_api_confidence``) tells hard items, which the old API gets wrong more often,
    from easy ones; a cheap model's (``open_source_model``) is half chance.

    Parameters
    ----------
    shift : StressShift
    seed : int

    Returns
    -------
    DataFrame
        Columns difficulty, label, level, old, new, items.
    """
    rng = named_generator(seed, f"beyond/stress/{shift.name}")
    labels, items = shift.labels, shift.items
    weight = shift.spread ** np.arange(labels)
    # Every label has an item; the others fall where they may.
    drawn = rng.choice(labels, size=items - labels, p=weight / weight.sum())
    label = np.concatenate([np.arange(labels), drawn])
    ease = rng.random(items)
    # Twice as many errors at the hard end as on average, none at the easy end, while that is possible.
    wrong = rng.random(items) < np.minimum(1.0, 2.0 * (1.0 - shift.accuracy) * (1.0 - ease))
    if shift.accuracy < 0.5:
        wrong = rng.random(items) >= shift.accuracy
    old = np.where(wrong, _neighbour(label, label, labels, rng), label)
    new = _new_answers(shift, label, ease, old, rng)
    model = 0.5 * ease + 0.5 * rng.random(items)
    tables = []
    for difficulty, confidence in (("old_api_confidence", ease), ("open_source_model", model)):
        level = _levels(label, confidence)
        table = pd.DataFrame({"label": label, "level": level, "old": old, "new": new})
        counts = table.value_counts(sort=False).sort_index().rename("items").reset_index()
        counts.insert(0, "difficulty", difficulty)
        tables.append(counts)
    return pd.concat(tables, ignore_index=True)[list(REPLAY_COLUMNS)]


def _new_answers(
    shift: StressShift,
    label: NDArray[np.int64],
    ease: NDArray[np.float64],
    old: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Answer all items again."""
    items, labels = shift.items, shift.labels
    chance = rng.random(items)
    if shift.flips == "independent":
        wrong = chance < 1.0 - min(1.0, shift.accuracy + 0.03)
        return np.where(wrong, _neighbour(label, label, labels, rng), label)
    may = {
        "class": label == 0,
        "cell": (label == 0) & (old != 1),
        "right": old == label,
        "wrong": old != label,
    }.get(shift.flips, np.ones(items, dtype=bool))
    rate = shift.change
    if shift.flips == "hard":
        changes = chance < 2.0 * rate * (1.0 - ease)
    elif shift.flips == "easy":
        changes = chance < 2.0 * rate * ease
    else:
        changes = chance < rate
    # Wrong answers are corrected two times in three, right ones go to a neighbour of the label.
    corrected = (old != label) & (rng.random(items) < 2 / 3)
    elsewhere = np.where(corrected, label, _neighbour(label, old, labels, rng))
    if shift.flips == "cell":
        elsewhere = np.ones_like(label)
    if shift.flips == "wrong":
        elsewhere = label
    return np.where(may & changes, elsewhere, old)


def _neighbour(
    label: NDArray[np.int64], never: NDArray[np.int64], labels: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw for each item one of the labels that follow its own, other than `never`."""
    near = min(NEIGHBOURS, labels - 1)
    step = rng.integers(1, near + 1, size=len(label))
    answer = (label + step) % labels
    # One further (and round again) where the draw fell on what it must not be.
    again = (label + step % (near + 1) + 1) % labels if near < labels - 1 else (answer + 1) % labels
    chosen: NDArray[np.int64] = np.where(answer == never, again, answer)
    return chosen


def _levels(label: NDArray[np.int64], confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank the items of each label by confidence and cut the ranks into 120 equal levels."""
    order = np.lexsort((confidence, label))
    size = np.bincount(label)
    first = np.concatenate(([0], np.cumsum(size)[:-1]))
    level = np.empty(len(label), dtype=np.int64)
    level[order] = (np.arange(len(label)) - first[label[order]]) * LEVELS // size[label[order]]
    return level
