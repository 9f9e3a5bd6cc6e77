"""The same bytes with dask's workers, its own or those of a cluster that was started elsewhere."""

from functools import partial

import pytest
from distributed import LocalCluster

from adaptive_sampling.montecarlo import Trials, run_blocks

SMALL = "cases: [ibm_digit]\nshift: {resamples: 100}\nmontecarlo: {trials: 120, backend: BACKEND}"


def with_backend(project, backend, **more):
    project.snakemake(
        "--cores", "2", "table_1", "figure_5", override=SMALL.replace("BACKEND", backend), **more
    )
    return project.hashes()


@pytest.fixture(scope="module")
def threads(new_project):
    return with_backend(new_project("threads"), "threading")


def test_workers_started_for_the_run(new_project, threads):
    assert with_backend(new_project("dask"), "dask") == threads


def scaled(factor: int, trials: Trials) -> tuple[int, int]:
    return trials.first * factor, trials.count


def test_workers_of_a_cluster_started_elsewhere():
    """The scheduler's address comes from dask's own configuration; answers come in the order of the blocks."""
    import dask.config

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as elsewhere,
        dask.config.set({"scheduler-address": elsewhere.scheduler_address}),
    ):
        found = run_blocks(partial(scaled, 3), 170, jobs=2, backend="dask", title="blocks")
    assert found == [(0, 50), (150, 50), (300, 50), (450, 20)]
