"""The required size against a search by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adaptive_sampling.shift.required_size import RequiredSize, required_size

BUDGETS = np.array([100, 200, 300, 400])


def size_of(error, target=0.01, confidence=0.95, resamples=200, seed=0):
    return required_size(
        np.asarray(error, dtype=float),
        BUDGETS,
        target=target,
        confidence=confidence,
        resamples=resamples,
        rng=np.random.default_rng(seed),
    )


def test_exactly_the_wanted_share_of_trials_suffices():
    """19 of 20 trials are 95%: the product 20 * 0.95 must not miss it by rounding."""
    error = np.full((20, 4), 2e-4)
    error[:19, 2] = 1e-4  # exactly 0.01 squared
    error[:18, 1] = 0
    error[:, 3] = 0
    assert size_of(error).size == 300


def test_a_sampler_that_never_arrives_has_no_size():
    assert size_of(np.full((50, 4), 1.01e-4)) == RequiredSize(None, None, None)


@given(seed=st.integers(0, 10_000), confidence=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_first_sufficient_budget_and_ordered_interval(seed, confidence):
    rng = np.random.default_rng(seed)
    error = rng.exponential(1e-4, size=(60, 4)) / np.array([1, 2, 4, 8])
    found = size_of(error, confidence=confidence, seed=seed)
    enough = [b for b, column in zip(BUDGETS, error.T) if (column <= 1e-4).sum() >= confidence * 60 - 1e-9]
    assert found.size == (enough[0] if enough else None)
    low, high = (np.inf if end is None else end for end in (found.low, found.high))
    assert low <= high


def test_the_interval_covers_the_true_size():
    """A size known in law, 300 data sets of 400 trials: the 95% interval covers it at least 90 times in 100."""
    grid = np.arange(10, 1000, 10)
    rng, covered = np.random.default_rng(1), 0
    truth = grid[np.argmax(np.exp(-grid / 100) <= 0.05)]  # error ~ exponential, mean 1e-4 * 100 / N
    for _ in range(300):
        error = rng.exponential(1e-2, size=(400, 1)) / grid
        found = required_size(error, grid, target=0.01, confidence=0.95, resamples=200, rng=rng)
        covered += (found.low or np.inf) <= truth <= (found.high or np.inf)
    assert covered >= 270


def test_the_size_survives_a_change_of_units():
    error = np.random.default_rng(0).exponential(1e-4, size=(100, 4)) / BUDGETS
    assert size_of(error, target=1e-3) == size_of(error * 100, target=1e-2)


def test_the_interval_does_not_depend_on_how_many_resamples_are_held_at_once(monkeypatch):
    error = np.random.default_rng(0).exponential(1e-4, size=(60, 4)) / np.array([1, 2, 4, 8])
    whole = size_of(error, confidence=0.9)
    assert whole.low < whole.high
    for held in (1, 60 * 7, 60 * 199):
        monkeypatch.setattr("adaptive_sampling.shift.required_size.WEIGHTS", held)
        assert size_of(error, confidence=0.9) == whole
