"""The small run through a real Slurm of one node: a job killed half-way, resumed, and the bytes of a local run."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from slurm import cluster, missing_programs

PYTHON = Path(__file__).parents[2] / ".venv-cluster/bin/python"
TARGETS = ("figure_5", "table_1")
QUICK = [
    # What a cluster of many users needs and one node does not.
    *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    *("--seconds-between-status-checks", "1", "--latency-wait", "10", "--cores", "2"),
    *("--default-resources", "mem_mb=500", "runtime=10"),
]

pytestmark = [
    pytest.mark.skipif(bool(missing_programs()), reason=f"not installed: {', '.join(missing_programs())}"),
    pytest.mark.skipif(not PYTHON.exists(), reason="make cluster has not been run"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can start Slurm"),
]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Start the cluster; return the environment with which its commands find it."""
    with cluster(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


def test_a_job_killed_half_way_is_resumed_and_the_bytes_are_those_of_a_local_run(slurm, new_project):
    local, project = new_project("local"), new_project("through slurm")
    local.snakemake("--cores", "2", *TARGETS)
    command = [str(PYTHON), *project.command(*TARGETS, "--workflow-profile", "profiles/slurm", *QUICK)[1:]]
    environment = project.environment(slurm)
    with (
        (project.folder / "printed.log").open("w") as printed,
        subprocess.Popen(
            command, cwd=project.folder, env=environment, stdout=printed, stderr=printed
        ) as running,
    ):
        number = wait_for_running(slurm, "shift_case", running)
        subprocess.run(["scancel", "--signal=KILL", "--full", number], env=slurm, check=True)
        assert running.wait(timeout=300) != 0
    text = (project.folder / "printed.log").read_text()
    assert "shift_case" in text
    assert not (project.folder / "results/test/table_1.csv").exists()
    resumed = subprocess.run(
        command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "submitted with SLURM jobid" in resumed.stderr
    assert project.hashes() == local.hashes()


def wait_for_running(environment, rule, process):
    """Return the number of the first job of a rule that Slurm has started."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        assert process.poll() is None, "snakemake ended before a job of the rule had started"
        command = ["squeue", "--noheader", "--states=RUNNING", "--format=%i %k"]
        asked = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        for line in asked.stdout.splitlines():
            number, _, comment = line.partition(" ")
            if rule in comment:
                return number
        time.sleep(0.2)
    raise TimeoutError(f"no job of {rule} in the queue")
