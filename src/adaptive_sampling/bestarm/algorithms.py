"""The registry: every best-arm algorithm by name, each of the same form.

An algorithm takes (instance, epsilon, delta, rounds, trials, rng) and returns an `Outcome`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np

from adaptive_sampling.bestarm.elimination import (
    aggressive_elimination,
    top_k_delta_elimination,
    top_k_delta_elimination_floor,
)
from adaptive_sampling.bestarm.instances import Instance
from adaptive_sampling.bestarm.outcome import Outcome
from adaptive_sampling.bestarm.racing import (
    ebr,
    ebr_hoeffding,
    ebr_kl,
    ebr_paper_schedule_hoeffding,
    ebr_used_up,
    passive,
)
from adaptive_sampling.bestarm.sequential import sequential
from adaptive_sampling.errors import InputError

Algorithm = Callable[[Instance, float, float, int, int, np.random.Generator], Outcome]

PAPER: Final[Mapping[str, Algorithm]] = {
    "ebr": ebr,
    "passive": passive,
    "sequential": sequential,
    "aggressive_elimination": aggressive_elimination,
    "top_k_delta_elimination": top_k_delta_elimination,
}
"""The five of the paper's Figure 2."""

TUNED: Final[Mapping[str, Algorithm]] = {
    "ebr_used_up": ebr_used_up,
    "ebr_hoeffding": ebr_hoeffding,
    "ebr_kl": ebr_kl,
}
"""EBR with tighter radii and the same guarantee, proved in docs/ebr.md."""

VARIANTS: Final[Mapping[str, Algorithm]] = {
    "ebr_paper_schedule_hoeffding": ebr_paper_schedule_hoeffding,
    "sequential_one_survivor": partial(sequential, stop="one_survivor"),
    "sequential_width": partial(sequential, stop="width"),
    "top_k_delta_elimination_floor": top_k_delta_elimination_floor,
}
"""The paper's algorithms under other defensible readings of what the text leaves open."""

ALGORITHMS: Final[Mapping[str, Algorithm]] = {**PAPER, **TUNED, **VARIANTS}


def algorithm(name: str) -> Algorithm:
    """Look an algorithm up by its name.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name not in ALGORITHMS:
        raise InputError(f"algorithm: found {name!r}, allowed are {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
