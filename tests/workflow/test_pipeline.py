"""The small run from end to end: same bytes on any number of cores, no needless work, clear refusals."""

import csv
import os
import signal
import subprocess
import sys
import time

import pytest

EXPECTED = {
    "results/test/table_1.csv",
    "results/test/table_1.md",
    "results/test/table_1.tex",
    "results/test/shift/accuracy.csv",
    "results/test/shift/errors.csv",
    "results/test/shift/required_size.csv",
    *(f"figures/test/masa/figure_{n}.{ending}" for n in (2, 5) for ending in ("pdf", "svg", "png")),
}


def test_the_small_run_leaves_every_table_and_figure(finished):
    hashes = finished.hashes()
    assert set(hashes) >= EXPECTED
    assert all((finished.folder / name).stat().st_size > 100 for name in EXPECTED)


def test_the_bytes_are_the_same_on_more_cores_with_processes_and_after_a_kill(finished, new_project):
    """Run three jobs of two loky workers, kill snakemake and all it started half-way, resume: nothing differs."""
    project = new_project("resumed")
    config = project.folder / "config/test.yaml"
    config.write_text(config.read_text().replace("trials: 100", "trials: 100\n  backend: loky"))
    command = [sys.executable, "-m", "snakemake", "--cores", "6", "--configfile", "config/test.yaml"]
    done = project.folder / "results/test/shift/cases"
    with (
        (project.folder / "printed.log").open("w") as printed,
        subprocess.Popen(
            command, cwd=project.folder, stdout=printed, stderr=printed, start_new_session=True
        ) as running,
    ):
        while not list(done.glob("*/errors.csv")):
            assert running.poll() is None, (project.folder / "printed.log").read_text()
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGKILL)
    assert not (project.folder / "results/test/table_1.csv").exists()
    project.snakemake("--unlock")
    project.snakemake("--cores", "6")
    found, expected = project.hashes(), finished.hashes()
    # The settings differ in the backend, and provenance.json tells them.
    assert found.pop("results/test/provenance.json") != expected.pop("results/test/provenance.json")
    assert found == expected


def test_a_second_run_has_nothing_to_do_even_after_a_touch(finished):
    for path in finished.folder.rglob("src/adaptive_sampling/**/*.py"):
        path.touch()
    for path in finished.folder.glob("data/replay/*.csv"):
        path.touch()
    assert "Nothing to be done" in finished.snakemake("--cores", "1").stderr


def test_a_case_alone_gives_the_same_rows(finished, new_project):
    project = new_project("alone")
    project.snakemake("--cores", "1", override="cases: [ibm_digit]")

    def rows(of):
        with (of.folder / "results/test/shift/errors.csv").open() as file:
            return [row for row in csv.DictReader(file) if row["case"] == "ibm_digit"]

    assert len(rows(project)) > 50
    assert rows(project) == rows(finished)


@pytest.mark.parametrize("target", ["table_1", "figure_2", "figure_5", "masa"])
def test_each_target_can_be_asked_for_alone(finished, target):
    assert "Nothing to be done" in finished.snakemake(target, "--cores", "1").stderr


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("shift: {K: 7}", "config: key shift.K: found 7, allowed are 1, 2, 3, 4, 5, 6, 8, 10, 12"),
        ("shift: {k: 3}", "config: unknown key k in shift, allowed are K, a"),
        (
            "shift: {budget: {last: 10, step: 10}}",
            "found 10, allowed for case amazon_yelp is at least 12",
        ),
        (
            "cases: [nobody_knows]",
            "config: key cases: found nobody_knows (no such case), allowed are amazon_yelp",
        ),
        (
            "montecarlo: {trials: many}",
            'key montecarlo.trials: found "many", allowed is a value of type integer',
        ),
    ],
)
def test_bad_settings_stop_the_run_before_any_job_with_one_sentence(finished, override, message):
    run = finished.snakemake("--cores", "1", override=override, check=False)
    assert run.returncode != 0
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert "Execute" not in run.stderr


def test_a_truncated_replay_table_stops_the_run_before_any_job(new_project):
    project = new_project("truncated")
    table = project.folder / "data/replay/ibm_digit.csv"
    table.write_bytes(table.read_bytes()[:-300])
    run = project.snakemake("--cores", "1", check=False)
    assert run.returncode != 0
    assert "data/replay/ibm_digit.csv" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (project.folder / "results").exists()
