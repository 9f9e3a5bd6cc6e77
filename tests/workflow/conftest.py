"""The pipeline in a folder of its own, run as a user runs it."""

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "environment.yml", "config", "data", "profiles", "src", "workflow")


@dataclass(frozen=True)
class Project:
    """A copy of the project."""

    folder: Path

    def snakemake(self, *arguments: str, override: str = "", check: bool = True):
        """Run snakemake on the small settings and an override in YAML; with ``check`` a failure is shown."""
        (self.folder / "override.yaml").write_text(override or "{}")
        settings = ["--configfile", "config/test.yaml", "override.yaml"]
        run = subprocess.run(
            [sys.executable, "-m", "snakemake", *arguments, *settings],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and run.returncode:
            raise AssertionError(run.stdout + run.stderr)
        return run

    def hashes(self) -> dict[str, str]:
        """SHA-256 of everything generated, by name."""
        files = [path for top in ("results", "figures") for path in sorted((self.folder / top).rglob("*.*"))]
        return {
            path.relative_to(self.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
            if path.is_file()
        }


@pytest.fixture(scope="session")
def new_project(tmp_path_factory):
    """Return a function that makes a copy of the project in a folder of the given name."""

    def make(name: str) -> Project:
        folder = tmp_path_factory.mktemp("project") / name
        for part in PARTS:
            source, target = ROOT / part, folder / part
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
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
