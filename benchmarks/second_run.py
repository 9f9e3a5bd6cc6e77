"""How long `snakemake` takes when everything is there: it looks at every job, and runs none.

The project is copied to a folder of its own and run there once, at the small settings of config/test.yaml: what a
second run looks at are jobs and files, whatever the number of trials.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.measure import Entry, Form, measure
from benchmarks.memory import ROOT

PARTS: Final = ("Snakefile", "environment.yml", "config", "data", "profiles", "src", "workflow")
SMOKE: Final = ("table_2",)
"""Target at the small size; at the full size, all of them."""


def snakemake(folder: Path, *arguments: str) -> str:
    """Run snakemake on the copy's own package, and return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "all", *arguments, "--configfile", "config/test.yaml"],
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return done.stdout


def second_run(folder: Path, *targets: str) -> Form:
    """Return a run that must find nothing to do."""

    def run() -> int:
        said = snakemake(folder, *targets)
        if "Nothing to be done" not in said:
            raise RuntimeError(f"the second run did something:\n{said}")
        return 1

    return run


def entries(*, smoke: bool) -> list[Entry]:
    """Measure the second run; before it, the first takes about a minute, or a few seconds at the small size."""
    targets = SMOKE if smoke else ()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
            copy(ROOT / part, folder / part)
        snakemake(folder, *targets)
        forms = {"second run": second_run(folder, *targets)}
        return measure("workflow, nothing to do, a run", forms, {}, clock="time on the clock")
