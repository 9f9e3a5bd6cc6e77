"""The experiments of Section 5: every algorithm on both setups, over the deadline and over epsilon."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.bestarm.algorithms import algorithm
from adaptive_sampling.bestarm.instances import Instance, evenly_spaced, hardness
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.room import check_room

PULLS_COLUMNS: Final = {
    "sweep": "text",
    "setup": "text",
    "algorithm": "text",
    "rounds": "integer",
    "epsilon": "number",
    "delta": "number",
    "trials": "integer",
    "mean": "number",
    "se": "number",
    "q05": "number",
    "q95": "number",
    "success": "number",
}
"""Columns of ``pulls.csv``, ``tuning.csv`` and ``sensitivity.csv``: pulls of all arms in a trial, and how often
an epsilon-optimal arm was returned."""

ROUNDS_COLUMNS: Final = {
    "setup": "text",
    "algorithm": "text",
    "rounds": "integer",
    "epsilon": "number",
    "arms": "integer",
    "trials": "integer",
    "round": "integer",
    "survivors": "number",
    "survivors_q05": "number",
    "survivors_q95": "number",
    "pulls": "number",
    "success": "number",
}
"""Columns of ``rounds.csv``: mean survivors after each round, mean pulls by its end, and how often the arm
returned would be epsilon-optimal were this round the last."""

WITHOUT_DEADLINE: Final = ("passive", "sequential", "sequential_one_survivor", "sequential_width")
"""Algorithms whose course does not depend on T: run once for each epsilon, their row is repeated."""

TRIAL_BYTES, ROUND_BYTES = 2 * 9, 2 * 17
"""For each trial of a cell: pulls and success, and for each round survivors, pulls and success; in blocks and whole."""


@dataclass(frozen=True)
class Setup:
    """A bandit model of the experiments: arms whose means form an arithmetic sequence.

    Attributes
    ----------
    name : str
    arms : int
    lowest, highest : float
        Means of the worst and the best arm.
    """

    name: str
    arms: int
    lowest: float
    highest: float

    @property
    def instance(self) -> Instance:
        """The arms themselves."""
        return evenly_spaced(self.lowest, self.highest, self.arms)


@dataclass(frozen=True)
class Sweeps:
    """What is varied.

    Attributes
    ----------
    rounds : tuple of int
        Deadlines T of the first sweep.
    rounds_epsilon : float
        Its epsilon.
    epsilons : tuple of float
        Tolerances of the second sweep.
    epsilon_rounds : int
        Its deadline.
    delta : float
        Of both.
    """

    rounds: tuple[int, ...]
    rounds_epsilon: float
    epsilons: tuple[float, ...]
    epsilon_rounds: int
    delta: float

    def points(self) -> list[tuple[str, int, float]]:
        """Every (sweep, T, epsilon), in order."""
        return [("rounds", T, self.rounds_epsilon) for T in self.rounds] + [
            ("epsilon", self.epsilon_rounds, epsilon) for epsilon in self.epsilons
        ]


@dataclass(frozen=True)
class MonteCarlo:
    """How trials are run.

    Attributes
    ----------
    trials : int
    seed : int
    jobs : int
        Blocks of trials at once.
    backend : str
        joblib's.
    """

    trials: int
    seed: int
    jobs: int = 1
    backend: str = "threading"


@dataclass(frozen=True)
class Cell:
    """One algorithm on one instance at one (T, epsilon, delta)."""

    setup: Setup
    algorithm: str
    rounds: int
    epsilon: float
    delta: float

    @property
    def name(self) -> str:
        """What its random numbers are for."""
        deadline = "any" if self.algorithm in WITHOUT_DEADLINE else self.rounds
        return f"bestarm/{self.setup.name}/{self.algorithm}/T={deadline}/eps={self.epsilon:g}"


@dataclass(frozen=True)
class CellTrials:
    """What came out in each trial of a cell.

    Attributes
    ----------
    pulls : ndarray of int64, shape (trials,)
        Of all arms.
    success : ndarray of bool, shape (trials,)
        Whether the arm returned is epsilon-optimal.
    survivors, spent, leading : ndarray, shape (trials, T)
        By round: arms left, pulls so far, whether the leader is epsilon-optimal. No columns where the
        algorithm has no rounds, or nobody asked.
    """

    pulls: NDArray[np.int64]
    success: NDArray[np.bool_]
    survivors: NDArray[np.int64]
    spent: NDArray[np.int64]
    leading: NDArray[np.bool_]


def settings(bestarm: Mapping[str, Any]) -> tuple[list[Setup], Sweeps]:
    """Read setups and sweeps from the config's section `bestarm`.

    Raises
    ------
    InputError
        If two setups share a name.
    """
    setups = [Setup(**setup) for setup in bestarm["setups"]]
    names = [setup.name for setup in setups]
    if len(set(names)) < len(names):
        raise InputError(
            f"config: key bestarm.setups: found the names {', '.join(names)}, each may stand once"
        )
    sweeps = Sweeps(
        tuple(bestarm["rounds_sweep"]["rounds"]),
        bestarm["rounds_sweep"]["epsilon"],
        tuple(bestarm["epsilon_sweep"]["epsilons"]),
        bestarm["epsilon_sweep"]["rounds"],
        bestarm["delta"],
    )
    return setups, sweeps


def run_cell(cell: Cell, trials: Trials, seed: int, *, by_round: bool) -> CellTrials:
    """Run one block of trials of one cell, from the generator of that name; keep what it did by round, or not."""
    rng = named_generator(seed, f"{cell.name}/block={trials.block}")
    instance = cell.setup.instance
    outcome = algorithm(cell.algorithm)(instance, cell.epsilon, cell.delta, cell.rounds, trials.count, rng)
    good = instance.good(cell.epsilon)
    rounds = outcome.leaders.shape[1] if by_round else 0
    survivors = np.array([outcome.survivors(t + 1) for t in range(rounds)], np.int64)
    return CellTrials(
        outcome.pulls.sum(axis=1),
        good[outcome.recommendation],
        survivors.reshape(-1, trials.count).T,
        outcome.spent[:, :rounds].copy(),
        good[outcome.leaders[:, :rounds]],
    )


def _run_block(trials: Trials, *, cells: Sequence[Cell], by_round: Set[str], seed: int) -> list[CellTrials]:
    """Run one block of trials of every cell."""
    return [run_cell(cell, trials, seed, by_round=cell.name in by_round) for cell in cells]


def run_cells(
    cells: Iterable[Cell], by_round: Iterable[Cell], how: MonteCarlo, *, title: str
) -> dict[str, CellTrials]:
    """Run every distinct cell once; the answer goes by `Cell.name`.

    Raises
    ------
    InputError
        If the answers of all trials would not fit.
    """
    course = {cell.name: cell for cell in by_round}
    distinct = {cell.name: cell for cell in cells} | course
    bytes_of_trial = TRIAL_BYTES * len(distinct) + ROUND_BYTES * sum(cell.rounds for cell in course.values())
    check_room(
        bytes_of_trial * how.trials,
        f"{title}: pulls of {how.trials} trials at {len(distinct)} points",
        "take fewer trials (montecarlo.trials, or those of the study under bestarm)",
    )
    blocks = run_blocks(
        partial(_run_block, cells=list(distinct.values()), by_round=course.keys(), seed=how.seed),
        how.trials,
        jobs=how.jobs,
        backend=how.backend,
        title=title,
    )
    return {
        name: CellTrials(
            *(
                np.concatenate([getattr(block[position], field) for block in blocks])
                for field in CellTrials.__dataclass_fields__
            )
        )
        for position, name in enumerate(distinct)
    }


def sweep(
    setups: Sequence[Setup], algorithms: Sequence[str], sweeps: Sweeps, how: MonteCarlo
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run algorithms over both sweeps on every setup.

    Parameters
    ----------
    setups : sequence of Setup
    algorithms : sequence of str
        Names from the registry.
    sweeps : Sweeps
    how : MonteCarlo

    Returns
    -------
    pulls : DataFrame
        Columns `PULLS_COLUMNS`, a row for every sweep, setup, algorithm and point.
    rounds : DataFrame
        Columns `ROUNDS_COLUMNS`, for the deadline of the second sweep and the epsilon of the first.

    Raises
    ------
    InputError
        If an algorithm is unknown or a parameter out of range.
    """
    cells = {
        (name, setup.name, algorithm_name, T, epsilon): Cell(setup, algorithm_name, T, epsilon, sweeps.delta)
        for setup in setups
        for algorithm_name in algorithms
        for name, T, epsilon in sweeps.points()
    }
    middle = {
        (setup.name, algorithm_name): Cell(
            setup, algorithm_name, sweeps.epsilon_rounds, sweeps.rounds_epsilon, sweeps.delta
        )
        for setup in setups
        for algorithm_name in algorithms
    }
    answers = run_cells(cells.values(), middle.values(), how, title="best arm")
    pulls = pd.DataFrame(
        [
            (name, setup, algorithm_name, T, epsilon, sweeps.delta, how.trials, *_summary(answers[cell.name]))
            for (name, setup, algorithm_name, T, epsilon), cell in cells.items()
        ],
        columns=list(PULLS_COLUMNS),
    )
    rounds = pd.DataFrame(
        [row for cell in middle.values() for row in _by_round(cell, answers[cell.name])],
        columns=list(ROUNDS_COLUMNS),
    )
    return pulls, rounds


def _summary(trials: CellTrials) -> tuple[float, ...]:
    """Mean, standard error, 5% and 95% quantile of the pulls, and the rate of success."""
    pulls = trials.pulls
    low, high = np.quantile(pulls, [0.05, 0.95])
    return (
        float(pulls.mean()),
        float(pulls.std(ddof=1) / np.sqrt(pulls.size)),
        float(low),
        float(high),
        float(trials.success.mean()),
    )


def _by_round(cell: Cell, trials: CellTrials) -> list[tuple[Any, ...]]:
    """Rows of `ROUNDS_COLUMNS` of one cell."""
    low, high = np.quantile(trials.survivors, [0.05, 0.95], axis=0)
    return [
        (
            cell.setup.name,
            cell.algorithm,
            cell.rounds,
            cell.epsilon,
            cell.setup.arms,
            trials.pulls.size,
            t + 1,
            trials.survivors[:, t].mean(),
            low[t],
            high[t],
            trials.spent[:, t].mean(),
            trials.leading[:, t].mean(),
        )
        for t in range(trials.survivors.shape[1])
    ]


def setup_hardness(setups: Sequence[Setup], epsilon: float) -> dict[str, float]:
    """H(nu) of every setup."""
    return {setup.name: hardness(setup.instance, epsilon) for setup in setups}
