"""Populations and projects that tests share."""

import numpy as np
import pandas as pd
import pytest
from project import finished, new_project

from adaptive_sampling.shift.population import Population, population

__all__ = ["finished", "new_project"]


def replay_of(rows: list[tuple[int, int, int, int, int]]) -> pd.DataFrame:
    """Make a replay table of (label, level, old, new, items) rows under difficulty ``none``."""
    table = pd.DataFrame(rows, columns=["label", "level", "old", "new", "items"])
    table.insert(0, "difficulty", "none")
    return table


def random_replay(labels: int, predicted: int, items: int, seed: int) -> pd.DataFrame:
    """Make a replay table in which hard items (low levels) change more often."""
    rng = np.random.default_rng(seed)
    label = rng.choice(labels, size=items, p=np.arange(1, labels + 1) / np.arange(1, labels + 1).sum())
    level = rng.integers(120, size=items)
    changed = rng.random(items) < 0.4 * (1 - level / 120)
    new = np.where(changed, rng.integers(predicted, size=items), label)
    table = pd.DataFrame({"label": label, "level": level, "old": label, "new": new})
    rows = table.value_counts(sort=False).rename("items").reset_index()
    rows.insert(0, "difficulty", "none")
    return rows


def toy_population(
    labels: int = 2,
    predicted: int = 3,
    items: int = 2000,
    seed: int = 0,
    strata: str = "label_difficulty",
    K: int = 3,
) -> Population:
    """Make a population of a few strata from a random replay table."""
    return population(
        random_replay(labels, predicted, items, seed),
        name="toy",
        labels=labels,
        predicted_labels=predicted,
        difficulty="none",
        strata=strata,
        K=K,
    )


@pytest.fixture(scope="session")
def toy() -> Population:
    return toy_population()
