"""The same bytes from any folder, user, locale, time zone and Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TARGETS = ("figure_5", "table_1")
SMALL = "cases: [ibm_digit]\nmontecarlo: {trials: 20}\nshift: {resamples: 100}"
LONG = "a folder with 'single' and \"double\" quotes, $HOME, ümläut, 試料 and " + "x" * 130


@pytest.fixture(scope="module")
def ordinary(new_project):
    project = new_project("ordinary")
    project.snakemake("--cores", "1", *TARGETS, override=SMALL)
    return project.hashes()


def test_a_folder_with_spaces_quotes_other_scripts_and_two_hundred_characters(ordinary, new_project):
    assert len(LONG) > 190
    project = new_project(LONG)
    project.snakemake("--cores", "1", *TARGETS, override=SMALL)
    assert project.hashes() == ordinary


def test_no_home_display_or_locale_a_strict_mask_and_another_time_zone(ordinary, new_project, tmp_path):
    """Little is left of the environment; HOME cannot be made, so that snakemake needs another folder for its cache."""
    project = new_project("bare")
    bare = {
        "PATH": os.environ["PATH"],
        "HOME": "/proc/nowhere",
        "XDG_CACHE_HOME": str(tmp_path),
        "TZ": "Pacific/Kiritimati",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "C",
        "PYTHONHASHSEED": "12345",
    }
    mask = os.umask(0o077)
    try:
        project.snakemake("--cores", "2", *TARGETS, override=SMALL, env=bare)
    finally:
        os.umask(mask)
    assert project.hashes() == ordinary
    assert (project.folder / "results/test/table_1.csv").stat().st_mode & 0o777 == 0o600


def test_without_home_at_all(ordinary, new_project):
    project = new_project("homeless")
    project.snakemake("--cores", "1", *TARGETS, override=SMALL, env={"PATH": os.environ["PATH"]})
    assert project.hashes() == ordinary


def pythons():
    """Other versions of Python on this machine, from 3.11 on, with the name that starts them."""
    found = {}
    folders = [*os.environ["PATH"].split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    for minor in (11, 12, 13):
        for folder in folders:
            program = Path(folder) / f"python3.{minor}"
            if minor != sys.version_info.minor and program.is_file() and minor not in found:
                asked = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
                if asked.stdout.startswith(f"Python 3.{minor}."):
                    found[minor] = str(program)
    return found


@pytest.mark.skipif(
    "ADAPTIVE_SAMPLING_PYTHONS" not in os.environ, reason="installs a whole environment for each Python"
)
@pytest.mark.parametrize("minor", sorted({11, 12, 13} - {sys.version_info.minor}))
def test_another_python_gives_the_same_bytes(ordinary, new_project, tmp_path, minor):
    """Install the lock file under another Python, and run there."""
    if minor not in pythons():
        pytest.skip(f"no Python 3.{minor} on this machine")
    project = new_project(f"python 3.{minor}")
    environment = tmp_path / "venv"
    subprocess.run([pythons()[minor], "-m", "venv", environment], check=True)
    lock = Path(__file__).parents[2] / "requirements.lock"
    install = ["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", lock]
    subprocess.run([environment / "bin/python", *install], check=True)
    command = project.command("--cores", "1", *TARGETS, override=SMALL)
    command[0] = str(environment / "bin/python")
    run = subprocess.run(
        command,
        cwd=project.folder,
        env=project.environment({"PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert project.hashes() == ordinary
    shutil.rmtree(environment)
