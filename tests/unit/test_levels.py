"""Difficulty levels: exact for every K that divides 120, whatever the ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_sampling.difficulty.levels import difficulty_levels
from adaptive_sampling.difficulty.trial_division import trial_divisions
from adaptive_sampling.recordings.replay_format import LEVELS

DIVISORS = [K for K in range(1, LEVELS + 1) if LEVELS % K == 0]


@st.composite
def tied_items(draw: st.DrawFn) -> tuple[list[int], list[float]]:
    labels = draw(st.lists(st.integers(0, 3), min_size=1, max_size=400))
    confidences = draw(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=len(labels), max_size=len(labels))
    )
    return labels, confidences


@given(items=tied_items(), K=st.sampled_from(DIVISORS), seed=st.integers(0, 2**32))
def test_merged_levels_are_the_cut_into_k_parts(
    items: tuple[list[int], list[float]], K: int, seed: int
) -> None:
    labels, confidences = items
    fine = difficulty_levels(labels, confidences, np.random.default_rng(seed))
    direct = difficulty_levels(labels, confidences, np.random.default_rng(seed), levels=K)
    assert (fine * K // LEVELS == direct).all()


@given(items=tied_items(), seed=st.integers(0, 2**32))
def test_levels_follow_confidence_and_have_the_sizes_of_ranks(
    items: tuple[list[int], list[float]], seed: int
) -> None:
    labels, confidences = np.array(items[0]), np.array(items[1])
    level = difficulty_levels(labels, confidences, np.random.default_rng(seed))
    for i in np.unique(labels):
        of_i = labels == i
        n = int(of_i.sum())
        assert sorted(level[of_i].tolist()) == [rank * LEVELS // n for rank in range(n)]
        by_level = confidences[of_i][np.argsort(level[of_i], kind="stable")]
        levels = np.sort(level[of_i])
        # Between two levels confidence never falls; within one, the order is free.
        for cut in np.flatnonzero(np.diff(levels)):
            assert by_level[: cut + 1].max() <= by_level[cut + 1 :].min()


def test_ties_leave_no_level_empty_where_quantiles_would() -> None:
    """Half of the items at confidence 1, as in WAIMAI."""
    confidences = np.concatenate([np.linspace(0, 0.9, 600), np.ones(600)])
    at_quantiles = np.searchsorted(np.quantile(confidences, [0.25, 0.5, 0.75]), confidences, side="left")
    assert len(np.unique(at_quantiles)) < 4
    level = difficulty_levels(np.zeros(1200, int), confidences, np.random.default_rng(0), levels=4)
    assert np.bincount(level).tolist() == [300, 300, 300, 300]


def test_ties_are_shuffled_not_taken_in_file_order() -> None:
    """Rows come in blocks: file order would put one half of a block before the other."""
    level = difficulty_levels(np.zeros(10_000, int), np.zeros(10_000), np.random.default_rng(1), levels=2)
    assert np.bincount(level).tolist() == [5000, 5000]
    # Hypergeometric: mean 2500, standard deviation 35.4.
    assert abs(int(level[:5000].sum()) - 2500) < 5 * 35.4


def test_no_confidence_is_chance() -> None:
    labels = np.repeat([0, 1], [7, 5])
    first = difficulty_levels(labels, None, np.random.default_rng(3), levels=2)
    again = difficulty_levels(labels, None, np.random.default_rng(3), levels=2)
    assert (first == again).all()
    assert np.bincount(first[:7]).tolist() == [4, 3]
    assert np.bincount(first[7:]).tolist() == [3, 2]


@pytest.mark.parametrize("numbers", [range(2, 2000), [19_997, 19_969, 4]])
def test_trial_divisions_equal_dividing(numbers: list[int]) -> None:
    def divide(n: int) -> int:
        tried, divisor = 0, 2
        while divisor * divisor <= n:
            tried += 1
            if n % divisor == 0:
                return tried
            divisor += 1
        return tried

    assert trial_divisions(list(numbers)).tolist() == [divide(n) for n in numbers]
