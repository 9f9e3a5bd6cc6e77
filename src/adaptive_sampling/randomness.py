"""Named random numbers: the same whatever the machine, the number of cores, or the order of the jobs.

Two kinds are used, and no others:

* a `numpy.random.Generator` seeded by a *name* such as ``bestarm/setup-1/ebr/T=15/block=3``;
* a counter-based stream (Philox4x32-10; Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
  as 1, 2, 3", SC 2011), where the k-th number of stream (trial, partition) is a pure function of its place.
"""

import hashlib
from typing import Final

import numba
import numpy as np
from numpy.typing import NDArray

_MULTIPLIER_0: Final = np.uint64(0xD2511F53)
_MULTIPLIER_1: Final = np.uint64(0xCD9E8D57)
_WEYL_0: Final = np.uint32(0x9E3779B9)
_WEYL_1: Final = np.uint32(0xBB67AE85)
_LOW: Final = np.uint64(0xFFFFFFFF)
_UNIT_53: Final = 1.0 / 9007199254740992.0  # 2 ** -53


def name_words(name: str) -> tuple[int, ...]:
    """Eight 32-bit words of the SHA-256 of a name.

    Parameters
    ----------
    name : str
        Any text; names are paths such as ``shift/amazon_yelp/uniform/block=0``.

    Returns
    -------
    tuple of int
        Eight integers in [0, 2**32).

    Examples
    --------
    >>> name_words("shift/amazon_yelp")[0] == name_words("shift/amazon_yelp")[0]
    True
    >>> len(name_words(""))
    8
    """
    digest = hashlib.sha256(name.encode()).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4))


def named_generator(seed: int, name: str) -> np.random.Generator:
    """Return the generator that belongs to a name, under the config's seed.

    Parameters
    ----------
    seed : int
        The config's seed, at least 0.
    name : str
        What the numbers are for; two names give independent generators.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> int(named_generator(0, "a").integers(100)) == int(named_generator(0, "a").integers(100))
    True
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=name_words(name)))


def stream_words(seed: int, name: str) -> NDArray[np.uint32]:
    """Two 32-bit words that tell the counter-based streams of one (seed, name) from all others.

    Parameters
    ----------
    seed : int
        The config's seed, at least 0.
    name : str
        The case's name, such as ``shift/amazon_yelp``.

    Returns
    -------
    ndarray of uint32, shape (2,)
    """
    return np.array(name_words(f"{seed}/{name}")[:2], dtype=np.uint32)


@numba.njit(inline="always")
def philox(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """Ten rounds of Philox4x32: a bijection of the 128-bit counter, chosen by the 64-bit key.

    Parameters
    ----------
    c0, c1, c2, c3 : uint32
        Words of the counter.
    k0, k1 : uint32
        Words of the key.

    Returns
    -------
    tuple of four uint32
    """
    for _ in range(10):
        product_0 = _MULTIPLIER_0 * np.uint64(c0)
        product_1 = _MULTIPLIER_1 * np.uint64(c2)
        high_0 = np.uint32(product_0 >> np.uint64(32))
        high_1 = np.uint32(product_1 >> np.uint64(32))
        c0 = high_1 ^ c1 ^ k0
        c1 = np.uint32(product_1 & _LOW)
        c2 = high_0 ^ c3 ^ k1
        c3 = np.uint32(product_0 & _LOW)
        k0 = np.uint32(k0 + _WEYL_0)
        k1 = np.uint32(k1 + _WEYL_1)
    return c0, c1, c2, c3


@numba.njit(inline="always")
def uniform_53(high, low):  # type: ignore[no-untyped-def]
    """Turn two 32-bit words into one number in [0, 1), a multiple of 2**-53.

    Thirty-two bits alone would favour some items of a partition by up to its size times 2**-32.
    """
    bits = (np.uint64(high) << np.uint64(21)) ^ (np.uint64(low) >> np.uint64(11))
    return np.float64(bits) * _UNIT_53


@numba.njit(inline="always")
def uniform_pair(words, trial, partition, block):  # type: ignore[no-untyped-def]
    """Numbers 2*block and 2*block + 1 of the stream of (trial, partition).

    Parameters
    ----------
    words : ndarray of uint32, shape (2,)
        From `stream_words`.
    trial, partition, block : int
        Each below 2**32.

    Returns
    -------
    tuple of two float
        In [0, 1).
    """
    x0, x1, x2, x3 = philox(
        np.uint32(block), np.uint32(0), words[0], words[1], np.uint32(trial), np.uint32(partition)
    )
    return uniform_53(x0, x1), uniform_53(x2, x3)
