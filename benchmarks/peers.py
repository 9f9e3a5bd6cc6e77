"""Other people's bandit libraries, if installed: ``pip install ".[peers]"``.

They play for reward instead of looking for the best arm, so what is compared is the price of a pull: choose an arm,
draw its reward, take it in.
"""

import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Final

import numpy as np

from adaptive_sampling.bestarm.instances import Instance
from benchmarks.measure import Form


def mabwiser_ucb1(instance: Instance, pulls: int) -> Form:
    """MABWiser's UCB1."""
    from mabwiser.mab import MAB, LearningPolicy

    rng, arms = np.random.default_rng(1), list(range(instance.arms))

    def run() -> int:
        bandit = MAB(arms, LearningPolicy.UCB1(alpha=1.0), seed=1)
        bandit.fit(arms, [float(rng.random() < mean) for mean in instance.means])
        for _ in range(pulls):
            arm = bandit.predict()
            bandit.partial_fit([arm], [float(rng.random() < instance.means[arm])])
        return instance.arms + pulls

    return run


def bayesianbandits_thompson(instance: Instance, pulls: int) -> Form:
    """Thompson sampling of the library bayesianbandits, with its model of Bernoulli rewards."""
    from bayesianbandits import Agent, Arm, DirichletClassifier, ThompsonSampling

    rng = np.random.default_rng(1)

    def run() -> int:
        arms = [
            Arm(i, reward_function=lambda chances: chances[..., 1], learner=DirichletClassifier({0: 1, 1: 1}))
            for i in range(instance.arms)
        ]
        agent = Agent(arms, ThompsonSampling(), random_seed=1)
        for _ in range(pulls):
            (arm,) = agent.pull()
            agent.update(np.array([int(rng.random() < instance.means[arm])]))
        return pulls

    return run


PEERS: Final[Mapping[str, Callable[[Instance, int], Form]]] = {
    "mabwiser": mabwiser_ucb1,
    "bayesianbandits": bayesianbandits_thompson,
}
"""By the name of the package."""


def peer_forms(instance: Instance, pulls: int) -> dict[str, Form]:
    """List those that are installed; say which are not."""
    missing = [name for name in PEERS if find_spec(name) is None]
    if missing:
        sys.stderr.write(f'peers left out, not installed: {", ".join(missing)} (pip install ".[peers]")\n')
    return {name: form(instance, pulls) for name, form in PEERS.items() if name not in missing}
