"""The pipeline in a folder of its own, run as a user runs it."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "environment.yml", "config", "data", "profiles", "src", "workflow")


@dataclass(frozen=True)
class Project:
    """A copy of the project."""

    folder: Path

    def command(self, *arguments: str, override: str = "") -> list[str]:
        """Return the command that runs snakemake on the small settings and an override in YAML."""
        (self.folder / "override.yaml").write_text(override or "{}", encoding="utf-8")
        settings = ["--configfile", "config/test.yaml", "override.yaml"]
        return [sys.executable, "-m", "snakemake", *arguments, *settings]

    def snakemake(
        self, *arguments: str, override: str = "", check: bool = True, env: Mapping[str, str] | None = None
    ):
        """Run snakemake to its end; with ``check`` a failure is shown, `env` replaces the environment."""
        run = subprocess.run(
            self.command(*arguments, override=override),
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            check=False,
            env=self.environment(os.environ if env is None else env),
        )
        if check and run.returncode:
            raise AssertionError(run.stdout + run.stderr)
        return run

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Add to the environment what makes jobs import the copy's own package."""
        return {**variables, "PYTHONPATH": str(self.folder / "src")}

    def planned(self, *arguments: str, override: str = "") -> dict[str, int]:
        """Ask a dry run how many jobs of each rule it would start."""
        printed = self.snakemake("-n", *arguments, override=override).stdout
        jobs = dict(re.findall(r"^(\w+) +([0-9]+)$", printed, re.MULTILINE))
        return {rule: int(count) for rule, count in jobs.items() if rule not in ("all", "total")}

    def hashes(self) -> dict[str, str]:
        """SHA-256 of everything generated, by name; a kill may leave temporary files, whose names begin with a dot."""
        files = [path for top in ("results", "figures") for path in sorted((self.folder / top).rglob("*.*"))]
        return {
            path.relative_to(self.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
            if path.is_file() and not path.name.startswith(".")
        }


@pytest.fixture(scope="session")
def new_project(tmp_path_factory):
    """Return a function that makes a copy of the project in a folder of the given name."""

    def make(name: str) -> Project:
        folder = tmp_path_factory.mktemp("project") / name
        for part in PARTS:
            source, target = ROOT / part, folder / part
            if source.is_dir():
                # With it go numba's compiled kernels, valid for files of the same time and size: they save 20 s a copy.
                shutil.copytree(source, target)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        return Project(folder)

    return make


@pytest.fixture(scope="session")
def finished(new_project):
    """Return a project whose small run is done, on one core, in a folder with a space and an accent."""
    project = new_project("a folder, é")
    project.snakemake("--cores", "1")
    return project
