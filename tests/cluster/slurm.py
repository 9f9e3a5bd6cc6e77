"""A real Slurm cluster of one node on this machine, in a folder of its own: munged, slurmctld and slurmd."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo")

CONFIGURATION = """\
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MinJobAge=3600
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    """Name the programs of Slurm and munge that are not installed."""
    folders = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
    return [program for program in PROGRAMS if shutil.which(program, path=folders) is None]


@contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Start the cluster, and give the variables with which Slurm's commands find it; stop it at the end."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    host = socket.gethostname().partition(".")[0]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    configuration = folder / "slurm.conf"
    controller, node = _free_ports(2)
    configuration.write_text(
        CONFIGURATION.format(
            host=host, folder=folder, controller=controller, node=node, cpus=os.cpu_count(), memory=memory
        )
    )
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"], "/usr/sbin", "/sbin"])
    environment = {**os.environ, "SLURM_CONF": str(configuration), "PATH": path}
    # Inside a job, srun is called without SLURM_CONF: on a real cluster it finds /etc/slurm/slurm.conf.
    srun = folder / "bin/srun"
    srun.parent.mkdir()
    srun.write_text(f'#!/bin/sh\nSLURM_CONF="{configuration}" exec "{shutil.which("srun")}" "$@"\n')
    srun.chmod(0o755)
    munge = [
        f"--{name}={folder}/munge.{name.split('-')[0]}" for name in ("pid-file", "log-file", "seed-file")
    ]
    commands = [
        ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket", *munge],
        ["slurmctld", "-D", "-f", str(configuration)],
        ["slurmd", "-D", "-N", host, "-f", str(configuration)],
    ]
    with ExitStack() as stack:
        printed = stack.enter_context((folder / "printed.log").open("w"))
        for command in commands:
            process = subprocess.Popen(command, env=environment, stdout=printed, stderr=printed)
            stack.callback(_stop, process)
            if command[0] == "munged":
                _wait_for((folder / "munge.socket").exists, folder)
        _wait_for(lambda: _idle(environment), folder)
        yield environment


def _idle(environment: dict[str, str]) -> bool:
    asked = subprocess.run(
        ["sinfo", "--noheader", "--format=%t"], env=environment, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() == "idle"


def _wait_for(ready, folder: Path, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            logs = "\n".join(path.read_text(errors="replace")[-3000:] for path in folder.glob("*.log"))
            raise TimeoutError(f"the cluster did not start in {seconds:g} s:\n{logs}")
        time.sleep(0.1)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
