"""Kills, full disks, two runs at once, folders without write permission, and tables spoilt half-way."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from project import ROOT, Project

ROUNDS = 20
TARGETS = ("figure_5", "table_1")
SMALL = "cases: [ibm_digit, amazon_yelp]\nmontecarlo: {trials: 20}\nshift: {resamples: 100}"


@pytest.fixture(scope="module")
def undisturbed(new_project):
    """Return the project with a small run done, on two cores."""
    project = new_project("undisturbed")
    project.snakemake("--cores", "2", *TARGETS, override=SMALL)
    return project


@pytest.fixture
def fresh(undisturbed, tmp_path):
    """Return a copy without results."""
    folder = tmp_path / "fresh"
    shutil.copytree(undisturbed.folder, folder, ignore=shutil.ignore_patterns(".snakemake"))
    project = Project(folder)
    wipe(project)
    return project


def start(project, *arguments):
    """Start a run in a process group of its own."""
    return subprocess.Popen(
        project.command("--cores", "2", *TARGETS, *arguments, override=SMALL),
        cwd=project.folder,
        env=project.environment(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def workers(group):
    """Ids of the jobs in a process group: those that run a script of the workflow."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        number = int(entry.name)
        try:
            of_group = number != group and os.getpgid(number) == group
            if of_group and b".snakemake/scripts" in (entry / "cmdline").read_bytes():
                found.append(number)
        except (ProcessLookupError, FileNotFoundError):
            continue
    return sorted(found)


def wipe(project):
    for name in ("results", "figures", "logs"):
        shutil.rmtree(project.folder / name, ignore_errors=True)


def leftovers(project):
    """Files that a reader could take for whole tables: those under a temporary name are hidden."""
    return [
        path
        for top in ("results", "figures")
        for path in (project.folder / top).rglob("*")
        if path.is_file()
        and not path.name.startswith(".")
        and path.suffix in (".csv", ".md", ".tex", ".pdf", ".svg")
    ]


def test_killed_at_random_moments_and_resumed_it_ends_with_the_same_bytes(fresh, undisturbed):
    """Kill snakemake, all it started or one worker, twenty times; after each, what stands there is whole."""
    expected = undisturbed.hashes()
    moments = random.Random(20210426)  # noqa: S311
    killed = {"snakemake": 0, "everything": 0, "worker": 0}
    finished = 0
    for number in range(ROUNDS):
        victim = list(killed)[number % len(killed)]
        running = start(fresh)
        wait = moments.uniform(0.5, 6.0)
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline and running.poll() is None:
            time.sleep(0.05)
        if victim == "worker":
            while running.poll() is None and not (jobs := workers(running.pid)):
                time.sleep(0.02)
            if running.poll() is None:
                os.kill(moments.choice(jobs), signal.SIGKILL)
                killed[victim] += 1
            assert running.wait(timeout=300) is not None
        elif running.poll() is None:
            killed[victim] += 1
            if victim == "everything":
                os.killpg(running.pid, signal.SIGKILL)
            else:
                running.kill()
                running.wait()
                # Its jobs go on without it, and must not spoil what the next run writes.
        running.wait()
        whole = fresh.hashes()
        for path in leftovers(fresh):
            name = path.relative_to(fresh.folder).as_posix()
            assert whole[name] == expected[name], (
                f"round {number}: {name} is not as it should be after the kill"
            )
        unlocked = fresh.snakemake("--unlock", override=SMALL, check=False)
        assert unlocked.returncode == 0, unlocked.stderr
        if len(whole) >= len(expected):
            finished += 1
            wipe(fresh)
    fresh.snakemake("--cores", "2", *TARGETS, override=SMALL)
    assert {name: hashed for name, hashed in fresh.hashes().items() if name in expected} == expected
    assert not [path for top in ("results", "figures") for path in (fresh.folder / top).rglob(".*")]
    assert sum(killed.values()) >= ROUNDS // 2, killed


def test_make_clean_removes_what_killed_writers_left(tmp_path):
    kept = [tmp_path / "results/README.md", tmp_path / "figures/README.md"]
    left = [
        tmp_path / "results/shift/.errors.writing-a.csv",
        tmp_path / "figures/masa/.figure_5.writing-a.pdf",
    ]
    for path in (*kept, *left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    subprocess.run(["make", "-f", ROOT / "Makefile", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(kept)


def test_a_full_disk_is_named_leaves_no_half_file_and_the_run_goes_on_later(fresh, undisturbed, tmp_path):
    small = tmp_path / "small disk"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", str(small)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        (fresh.folder / "results").symlink_to(small)
        run = fresh.snakemake("--cores", "1", *TARGETS, override=SMALL, check=False)
        assert run.returncode != 0
        assert "No space left on device" in run.stdout + run.stderr
        expected = undisturbed.hashes()
        for path in leftovers(fresh):
            name = path.relative_to(fresh.folder).as_posix()
            assert fresh.hashes()[name] == expected[name]
        subprocess.run(["mount", "-o", "remount,size=20m", str(small)], check=True)
        fresh.snakemake("--cores", "1", *TARGETS, override=SMALL)
        assert fresh.hashes() == expected
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_of_two_runs_in_one_folder_the_second_refuses(fresh, undisturbed):
    first = start(fresh)
    try:
        locks = fresh.folder / ".snakemake/locks"
        while first.poll() is None and not (locks.is_dir() and any(locks.iterdir())):
            time.sleep(0.02)
        second = fresh.snakemake("--cores", "1", *TARGETS, override=SMALL, check=False)
        assert second.returncode != 0
        assert "locked" in (second.stdout + second.stderr).lower()
        assert first.wait(timeout=300) == 0
    finally:
        if first.poll() is None:
            os.killpg(first.pid, signal.SIGKILL)
    assert fresh.hashes() == undisturbed.hashes()


def test_a_results_folder_that_cannot_be_written_is_named(fresh):
    """A read-only mount, since the administrator may write to any folder."""
    results = fresh.folder / "results"
    results.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", str(results)], capture_output=True, check=False
    )
    if mounted.returncode:
        results.chmod(0o555)
        if os.geteuid() == 0:
            pytest.skip("the administrator can write everywhere and nothing can be mounted here")
    try:
        run = fresh.snakemake("--cores", "1", *TARGETS, override=SMALL, check=False)
        assert run.returncode != 0
        assert "results" in run.stdout + run.stderr
        assert (
            "Read-only file system" in run.stdout + run.stderr
            or "Permission denied" in run.stdout + run.stderr
        )
    finally:
        if not mounted.returncode:
            subprocess.run(["umount", "-l", str(results)], check=True)


def cut(data):
    return data[: len(data) // 2]


def cut_at_a_row(data):
    return data[: data.rindex(b"\n", 0, len(data) * 2 // 3) + 1]


def without_a_column(data):
    return b"\n".join(line.rpartition(b",")[0] for line in data.splitlines()) + b"\n"


def with_a_negative_error(data):
    *rows, last = data.splitlines()
    cells = last.split(b",")
    cells[7] = b"-" + cells[7]
    return b"\n".join([*rows, b",".join(cells)]) + b"\n"


def with_text(data):
    return data.replace(b",20,", b",2O,", 1)


@pytest.mark.parametrize("spoil", [cut, cut_at_a_row, without_a_column, with_a_negative_error, with_text])
def test_a_table_spoilt_half_way_is_named_and_never_drawn(undisturbed, spoil, tmp_path):
    folder = tmp_path / "spoilt"
    shutil.copytree(undisturbed.folder, folder)
    project = Project(folder)
    table = folder / "results/test/shift/errors.csv"
    data = table.read_bytes()
    assert spoil(data) != data
    table.write_bytes(spoil(data))
    before = project.hashes()["figures/test/masa/figure_5.pdf"]
    run = project.snakemake("--cores", "1", "figure_5", override=SMALL, check=False)
    assert run.returncode != 0
    assert "results/test/shift/errors.csv: " in run.stdout + run.stderr
    assert project.hashes().get("figures/test/masa/figure_5.pdf", before) == before


def test_the_tables_of_two_cases_exchanged_are_noticed(undisturbed, tmp_path):
    folder = tmp_path / "exchanged"
    shutil.copytree(undisturbed.folder, folder)
    project = Project(folder)
    one, other = (
        folder / f"results/test/shift/cases/{name}/errors.csv" for name in ("ibm_digit", "amazon_yelp")
    )
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    run = project.snakemake("--cores", "1", "figure_5", override=SMALL, check=False)
    assert run.returncode != 0
    assert "cases are amazon_yelp, expected ibm_digit" in run.stdout + run.stderr
