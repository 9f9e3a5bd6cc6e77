"""Random numbers: published answers of the generator, and names that tell streams apart."""

from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import literal
from scipy import stats

from adaptive_sampling.randomness import (
    name_words,
    named_generator,
    philox,
    stream_words,
    uniform_53,
    uniform_pair,
)

WORD = st.integers(0, 2**32 - 1)

# Random123 (Salmon et al. 2011), file kat_vectors, lines "philox4x32 10": counter, key, answer.
KNOWN_ANSWERS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@numba.njit
def call_philox(c, k):
    return philox(c[0], c[1], c[2], c[3], k[0], k[1])


@numba.njit
def call_uniform_53(high, low):
    return uniform_53(high, low)


@numba.njit
def call_uniform_pair(words, trial, stratum, block):
    return uniform_pair(words, trial, stratum, block)


def words_of(text):
    return [int(word, 16) for word in text.split()]


def compiled(counter, key):
    return [int(word) for word in call_philox(np.array(counter, np.uint32), np.array(key, np.uint32))]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(counter, key, answer):
    assert literal.philox(words_of(counter), words_of(key)) == words_of(answer)
    assert compiled(words_of(counter), words_of(key)) == words_of(answer)


@settings(deadline=None)
@given(counter=st.tuples(WORD, WORD, WORD, WORD), key=st.tuples(WORD, WORD))
def test_philox_equals_its_definition(counter, key):
    assert compiled(counter, key) == literal.philox(counter, key)


@settings(deadline=None)
@given(high=WORD, low=WORD)
def test_uniform_53_is_exact(high, low):
    found = call_uniform_53(np.uint32(high), np.uint32(low))
    assert Fraction(found) == Fraction((high << 32 | low) >> 11, 2**53)
    assert 0 <= found < 1


def test_uniform_53_at_its_ends():
    assert call_uniform_53(np.uint32(0), np.uint32(2**11 - 1)) == 0
    assert call_uniform_53(np.uint32(2**32 - 1), np.uint32(2**32 - 1)) == 1 - 2**-53


@settings(deadline=None)
@given(words=st.tuples(WORD, WORD), trial=WORD, stratum=WORD, block=st.integers(0, 2**31 - 1))
def test_numbers_of_a_stream(words, trial, stratum, block):
    pair = call_uniform_pair(np.array(words, np.uint32), trial, stratum, block)
    assert [Fraction(u) for u in pair] == [
        literal.number(words, trial, stratum, k) for k in (2 * block, 2 * block + 1)
    ]


def test_streams_are_uniform_and_uncorrelated():
    """Kolmogorov-Smirnov over one stream; correlations of neighbouring numbers, strata and trials."""
    words = stream_words(3, "shift/test")
    table = np.array(
        [
            [[u for block in range(500) for u in call_uniform_pair(words, t, g, block)] for g in range(3)]
            for t in range(3)
        ]
    )
    assert stats.kstest(table.ravel(), "uniform").pvalue > 1e-4
    for first, second in (
        (table[0, 0, :-1], table[0, 0, 1:]),
        (table[0, 0], table[0, 1]),
        (table[0, 0], table[1, 0]),
    ):
        assert stats.pearsonr(first, second).pvalue > 1e-4
    assert len(np.unique(table)) == table.size


def test_words_and_generators_follow_from_the_name():
    """Fixed values: changing how names become numbers would change every result."""
    assert name_words("shift/amazon_yelp")[:2] == (0xB06BE61A, 0x08813C68)  # by sha256sum
    assert stream_words(1, "a").dtype == np.uint32
    assert (stream_words(1, "a") != stream_words(2, "a")).any()
    assert (stream_words(1, "a") != stream_words(1, "b")).any()
    first = named_generator(5, "x").random(4)
    assert (first == named_generator(5, "x").random(4)).all()
    assert (first != named_generator(6, "x").random(4)).all()
    assert (first != named_generator(5, "y").random(4)).all()
