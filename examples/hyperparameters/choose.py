"""Choose the best of 100 hyperparameter settings when only five rounds of parallel evaluation are allowed.

The arms are 100 settings of a support vector classifier (C x gamma) on scikit-learn's digits; a pull is one
random split into 250 items to learn from and 250 to test on, and its reward the accuracy. So that many runs can
be compared in about a minute, SPLITS splits of every setting are evaluated once; a pull draws one of them.

Run it from the project's folder with ``python examples/hyperparameters/choose.py``.
"""

# A script that prints, and an estimator whose signature scikit-learn sets.
# ruff: noqa: ARG002, T201

import os

# One thread a process: joblib already uses every core.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import math
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV
from sklearn.svm import SVC

from adaptive_sampling.bestarm.racing import race_own_arms
from adaptive_sampling.randomness import named_generator

SEED, CORES = 20210426, 2
SETTINGS = list(product(np.logspace(-2, 2.5, 10), np.logspace(-5, -2, 10)))
SPLITS, ROUNDS, EPSILON, DELTA, RUNS = 30, 5, 0.02, 0.05, 30


def accuracies(setting: int) -> np.ndarray:
    """Accuracy of one setting on every split; the splits are those of the setting alone."""
    images, labels = load_digits(return_X_y=True)
    rng = named_generator(SEED, f"hyperparameters/setting={setting}")
    C, gamma = SETTINGS[setting]
    found = np.empty(SPLITS)
    for split in range(SPLITS):
        order = rng.permutation(len(labels))
        learn, test = order[:250], order[250:500]
        model = SVC(C=C, gamma=gamma).fit(images[learn], labels[learn])
        found[split] = model.score(images[test], labels[test])
    return found


class SplitAverage(ClassifierMixin, BaseEstimator):
    """A setting as scikit-learn's search sees it: its resource is the number of splits that are averaged."""

    def __init__(self, setting: int = 0, splits: int = 1, table=None, rng=None) -> None:
        self.setting, self.splits, self.table, self.rng = setting, splits, table, rng

    def __sklearn_clone__(self) -> "SplitAverage":
        """Share the table and the generator instead of copying them."""
        return SplitAverage(self.setting, self.splits, self.table, self.rng)

    def fit(self, X, y) -> "SplitAverage":
        """Draw the splits."""
        self.classes_ = np.unique(y)
        self.mean_ = self.table[self.setting, self.rng.integers(SPLITS, size=self.splits)].mean()
        return self

    def score(self, X, y) -> float:
        """Return their mean accuracy."""
        return self.mean_


def halving(table: np.ndarray, budget: float, rng: np.random.Generator) -> tuple[int, int, int]:
    """Successive halving within a budget of pulls: the chosen setting, the pulls spent, and the rounds used."""
    # A hair above the root, so that scikit-learn counts ROUNDS rounds and not one more.
    factor = len(table) ** (1 / ROUNDS) + 1e-6
    kept = [math.ceil(len(table) / factor**t) for t in range(ROUNDS)]
    least = max(1, math.floor(budget / sum(k * factor**t for t, k in enumerate(kept))))
    search = HalvingGridSearchCV(
        SplitAverage(table=table, rng=rng),
        {"setting": list(range(len(table)))},
        factor=factor,
        resource="splits",
        min_resources=least,
        max_resources=math.ceil(least * factor**ROUNDS),
        cv=[(np.arange(2), np.arange(2))],
        refit=False,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one split has no spread to report
        search.fit(np.zeros((2, 1)), np.array([0, 1]))
    spent = sum(n * k for n, k in zip(search.n_candidates_, search.n_resources_))
    return search.best_params_["setting"], spent, search.n_iterations_


def main() -> None:
    """Evaluate all settings, choose with both, and print the comparison."""
    table = np.array(Parallel(n_jobs=CORES)(delayed(accuracies)(k) for k in range(len(SETTINGS))))
    truth = table.mean(axis=1)
    # Each setting's accuracies lie between its least and its greatest: half of that range is its sigma.
    sigma = float((table.max(axis=1) - table.min(axis=1)).max() / 2)
    close = int((truth > truth.max() - EPSILON).sum())
    print(f"{len(truth)} settings, accuracy {truth.min():.3f} to {truth.max():.3f}, sigma {sigma:.3f};")
    print(f"{close} settings lie within {EPSILON} of the best; {ROUNDS} rounds, delta {DELTA}, {RUNS} runs")

    def draw(arms: np.ndarray, pulls: int, rng: np.random.Generator) -> np.ndarray:
        # Pulls of one split of the table are multinomial over its columns.
        return (rng.multinomial(pulls, np.full(SPLITS, 1 / SPLITS), size=arms.size) * table[arms]).sum(axis=1)

    rows = []
    for name, assumed in (("EBR", sigma), ("EBR, sigma / 4", sigma / 4), ("EBR, sigma / 16", sigma / 16)):
        rng = named_generator(SEED, f"hyperparameters/{name}")
        raced = race_own_arms(len(truth), draw, assumed, EPSILON, DELTA, ROUNDS, rng, trials=RUNS)
        budget = float(raced.pulls.sum(axis=1).mean())
        rows.append((name, raced.recommendation, raced.pulls.sum(axis=1), raced.rounds))
        chosen = [
            halving(table, budget, named_generator(SEED, f"hyperparameters/{name}/halving/run={run}"))
            for run in range(RUNS)
        ]
        rows.append(("successive halving, that budget", *np.array(chosen).T))
    print(f"\n{'':32} {'pulls':>9} {'rounds':>7} {'within epsilon':>15} {'accuracy lost':>14}")
    for name, chosen, pulls, rounds in rows:
        lost = truth.max() - truth[chosen]
        print(
            f"{name:32} {pulls.mean():9,.0f} {rounds.mean():7.1f} {(lost < EPSILON).mean():15.1%} "
            f"{lost.mean():14.4f}"
        )


if __name__ == "__main__":
    main()
