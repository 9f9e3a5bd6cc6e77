"""Strata, shares and distributions against a count by hand."""

import numpy as np
import pytest
from conftest import random_replay, replay_of, toy_population
from hypothesis import given
from hypothesis import strategies as st

from adaptive_sampling.errors import InputError
from adaptive_sampling.shift.closed_form import optimal_shares
from adaptive_sampling.shift.population import population

DIVISORS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60, 120]


def build(rows, K=3, labels=2, predicted=3, strata="label_difficulty"):
    return population(
        replay_of(rows),
        name="toy",
        labels=labels,
        predicted_labels=predicted,
        difficulty="none",
        strata=strata,
        K=K,
    )


def test_counts_by_hand():
    p = build([(0, 0, 0, 0, 2), (0, 39, 0, 2, 2), (0, 40, 0, 0, 1), (1, 119, 1, 0, 5)])
    assert p.stratum_label.tolist() == [0, 0, 1]
    assert p.size.tolist() == [4, 1, 5]
    assert p.share.tolist() == [0.4, 0.1, 0.5]
    assert p.distribution.tolist() == [[0.5, 0, 0.5], [1, 0, 0], [1, 0, 0]]
    assert p.uncertainty.tolist() == [0.5, 0, 0]
    assert p.answers.tolist() == [0, 0, 2, 2, 0, 0, 0, 0, 0, 0]
    assert p.start.tolist() == [0, 4, 5, 10]
    assert p.shift.tolist() == pytest.approx(np.array([[-0.2, 0, 0.2], [0.5, -0.5, 0]]))


@given(
    K=st.sampled_from(DIVISORS), labels=st.integers(1, 5), extra=st.integers(0, 2), seed=st.integers(0, 99)
)
def test_shares_distributions_and_matrices_are_probabilities(K, labels, extra, seed):
    p = toy_population(labels, labels + extra, 300, seed, K=K)
    assert p.strata <= labels * K
    assert (p.size > 0).all()
    assert p.share.sum() == pytest.approx(1, abs=1e-12)
    assert p.distribution.sum(axis=1) == pytest.approx(np.ones(p.strata), abs=1e-12)
    assert p.old.sum() == pytest.approx(1, abs=1e-12)
    assert p.new.sum() == pytest.approx(1, abs=1e-12)
    assert ((p.uncertainty >= 0) & (p.uncertainty < 1)).all()
    assert optimal_shares(p).sum() == pytest.approx(1, abs=1e-12)
    # The mixture of the strata of a label is its row of the confusion matrix.
    mixed = np.zeros_like(p.new)
    np.add.at(mixed, p.stratum_label, p.share[:, None] * p.distribution)
    assert mixed == pytest.approx(p.new, abs=1e-12)


@pytest.mark.parametrize("K", DIVISORS)
def test_equal_parts_for_every_divisor(K):
    p = build([(0, level, 0, 0, 1) for level in range(120)], K=K, labels=1)
    assert p.size.tolist() == [120 // K] * K


@pytest.mark.parametrize("K", [0, -1, 7, 121, 240])
def test_other_K_are_refused(K):
    with pytest.raises(InputError, match=rf"key K: found {K}, allowed are the divisors of 120"):
        build([(0, 0, 0, 0, 1)], K=K)


def test_more_labels_than_16_bits_hold_are_refused():
    with pytest.raises(InputError, match="found 65537 predicted labels, allowed are up to 65536"):
        build([(0, 0, 0, 0, 1)], predicted=2**16 + 1)


def test_more_labels_than_memory_holds_are_refused():
    """Nothing is made before: the tables of 65,536 labels would take hundreds of GiB."""
    with pytest.raises(
        InputError,
        match=r"^case toy: tables of 65536 labels at 3 difficulties by 65536 answers need 384\.0 GiB, allowed are 4: "
        r"take a smaller shift\.K or merge labels$",
    ):
        build([(0, 0, 0, 0, 1)], labels=2**16, predicted=2**16, K=3)


def test_more_items_than_memory_holds_are_refused():
    with pytest.raises(
        InputError, match=r"^case toy: answers of 1000000000 items need 9\.3 GiB, allowed are 4: "
    ):
        build([(0, 0, 0, 0, 10**9)])


def test_unknown_difficulty_and_strata_are_refused():
    table = random_replay(2, 2, 50, 0)
    arguments = {"name": "toy", "labels": 2, "predicted_labels": 2, "K": 3}
    with pytest.raises(InputError, match="no difficulty source 'vader', its replay table has none"):
        population(table, difficulty="vader", strata="label", **arguments)
    with pytest.raises(InputError, match="key strata: found 'age', allowed are label, label_difficulty"):
        population(table, difficulty="none", strata="age", **arguments)
