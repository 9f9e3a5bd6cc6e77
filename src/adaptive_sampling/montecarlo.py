"""Trials in blocks: the same numbers for any number of cores, any joblib backend, any order.

A block is a fixed range of trials, so that what a trial sees never depends on how the work is shared out.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, TypeVar

from adaptive_sampling.errors import InputError
from adaptive_sampling.progress import progress

BLOCK: Final = 50
"""Trials in a block. Part of the names of random numbers: changing it changes every result."""

T = TypeVar("T")


@dataclass(frozen=True)
class Trials:
    """A run of consecutive trials.

    Attributes
    ----------
    first : int
        Number of the first trial, from 0.
    count : int
        How many there are.
    """

    first: int
    count: int

    @property
    def block(self) -> int:
        """Number of the block that these trials are (or begin)."""
        return self.first // BLOCK


def blocks_of(trials: int) -> list[Trials]:
    """Cut trials 0, 1, ..., trials - 1 into blocks; the last may be shorter.

    Examples
    --------
    >>> blocks_of(120)
    [Trials(first=0, count=50), Trials(first=50, count=50), Trials(first=100, count=20)]
    """
    return [Trials(first, min(BLOCK, trials - first)) for first in range(0, trials, BLOCK)]


def run_blocks(
    function: Callable[[Trials], T], trials: int, *, jobs: int, backend: str, title: str
) -> list[T]:
    """Run `function` on every block and return the answers in the order of the blocks.

    Parameters
    ----------
    function : callable
        From `Trials` to anything. With ``backend="loky"`` it must be picklable.
    trials : int
        How many trials in all.
    jobs : int
        How many blocks run at once; at least 1.
    backend : str
        ``"threading"`` (numba kernels release the lock), ``"loky"`` or ``"dask"``: a cluster of dask if its
        configuration names one (``DASK_SCHEDULER_ADDRESS``), else as many of its workers here as `jobs`.
    title : str
        What the progress line says.

    Returns
    -------
    list
        One answer a block.
    """
    from joblib import Parallel, delayed, parallel_config

    blocks = blocks_of(trials)
    shown = progress(title, len(blocks), "blocks")
    with dask_workers(jobs) if backend == "dask" else nullcontext(), parallel_config(backend), shown:
        answers: Iterable[T] = Parallel(n_jobs=jobs, return_as="generator")(
            delayed(function)(block) for block in blocks
        )
        done: list[T] = []
        for answer in answers:
            done.append(answer)
            shown.update()
        return done


@contextmanager
def dask_workers(jobs: int) -> Iterator[None]:
    """Connect to the scheduler that dask's configuration names, or start one and `jobs` workers here.

    Raises
    ------
    InputError
        If dask is not installed.
    """
    try:
        import dask.config
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError(
            "config: key montecarlo.backend: found dask, which needs the packages of the extra dask; allowed without "
            "them are threading, loky"
        ) from None
    address = dask.config.get("scheduler-address", None)
    if address is not None:
        with Client(address):
            yield
        return
    # Threads, since the kernels release the lock; processes would run the script that called this once more each.
    cluster = LocalCluster(n_workers=jobs, threads_per_worker=1, processes=False, dashboard_address=None)
    with cluster, Client(cluster):
        yield
