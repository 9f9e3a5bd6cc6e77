"""Bixin: sentiment of Chinese text from lexicons, in an interpreter of its own.

Its scores depend on the order of sets, hence on the seed of Python's hashes, which only a new interpreter can
take: this module runs itself with ``PYTHONHASHSEED=0``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.errors import InputError


def bixin_answers(texts: Sequence[str], jobs: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Label each text positive (0) or negative (1), with the size of the score as confidence.

    Parameters
    ----------
    texts : sequence of str
    jobs : int
        Interpreters at once.

    Returns
    -------
    prediction : ndarray of int64, shape (texts,)
    confidence : ndarray of float, shape (texts,)
        In [0, 1].

    Raises
    ------
    InputError
        If Bixin is not installed.
    """
    from joblib import Parallel, delayed

    size = -(-len(texts) // max(1, jobs))
    chunks = [list(texts[first : first + size]) for first in range(0, len(texts), size)]
    scores = np.concatenate(
        Parallel(n_jobs=jobs, backend="threading")(delayed(_scores)(chunk) for chunk in chunks)
    )
    return (scores < 0).astype(np.int64), np.abs(scores)


def _scores(texts: list[str]) -> NDArray[np.float64]:
    """Score texts in an interpreter whose hashes are seeded."""
    run = subprocess.run(
        [sys.executable, "-m", "adaptive_sampling.difficulty.bixin"],
        input=json.dumps(texts),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    if run.returncode:
        last = run.stderr.strip().rpartition("\n")[2]
        raise InputError(
            f"difficulty bixin: the model cannot run ({last}): install it with pip install 'adaptive-sampling[chinese]'"
        )
    return np.array(json.loads(run.stdout.rpartition("\n")[2]), dtype=np.float64)


def _main() -> None:
    from bixin import predict

    sys.stdout.write("\n" + json.dumps([float(predict(text)) for text in json.load(sys.stdin)]))


if __name__ == "__main__":
    _main()
