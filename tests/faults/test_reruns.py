"""What reruns after a change: what follows from it, all of that, and nothing else.

A dry run says which jobs would start and why; the small run itself is done once.
"""

import os
import re
import shutil

import pytest
from project import PARTS, Project


@pytest.fixture
def project(finished, tmp_path):
    """Return a copy of the finished project, whose files are as old as the original's."""
    folder = tmp_path / "copy"
    shutil.copytree(finished.folder, folder)
    return Project(folder)


def edit(project, name, old, new):
    path = project.folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{name} does not hold {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def times(project):
    """Return the time of every generated file, by name."""
    files = [path for top in ("results", "figures", "logs") for path in (project.folder / top).rglob("*")]
    return {path.as_posix(): path.stat().st_mtime_ns for path in files if path.is_file()}


def test_a_finished_run_has_nothing_to_do(project):
    assert project.planned() == {}


def test_a_second_run_runs_nothing_and_writes_nothing(project):
    """How long it takes, `make benchmark` measures."""
    before = times(project)
    assert len(before) > 50
    run = project.snakemake("--cores", "2")
    assert "Nothing to be done" in run.stdout + run.stderr
    assert times(project) == before


def test_touching_data_settings_code_scripts_and_results_reruns_nothing(project):
    for path in project.folder.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)
    assert project.planned() == {}


def test_touching_data_settings_code_and_scripts_and_not_the_results_reruns_nothing(project):
    """As a fresh checkout does: everything that is given is newer than everything made from it."""
    for part in PARTS:
        for path in [project.folder / part, *(project.folder / part).rglob("*")]:
            if path.is_file():
                os.utime(path)
    assert project.planned() == {}


def test_a_change_of_a_rules_script_reruns_that_rule_alone(project):
    edit(project, "workflow/scripts/figure_5.py", "save(", "print()\n    save(")
    assert project.planned() == {"figure_5": 1}


def test_a_change_of_one_figures_function_redraws_that_figure_alone(project):
    edit(
        project,
        "src/adaptive_sampling/figures/figure_5.py",
        "def figure_5(",
        "ONE_MORE = 1\n\n\ndef figure_5(",
    )
    assert project.planned() == {"figure_5": 1}


def test_a_change_of_the_style_redraws_figures_and_simulates_nothing(project):
    edit(project, "src/adaptive_sampling/figures/style.py", '"font.size": 7.5', '"font.size": 7.6')
    jobs = project.planned()
    assert jobs["figure_5"] == jobs["figure_2"] == 1
    assert not jobs.keys() & {"shift_case", "shift_summary", "ablation", "table_1", "compile_kernels"}


def test_a_change_of_a_kernel_of_masa_recomputes_masa_and_what_follows_but_not_the_other_paper(project):
    with (project.folder / "src/adaptive_sampling/shift/kernels.py").open("a") as file:
        file.write("\nONE_MORE = 1\n")
    jobs = project.planned()
    assert jobs["compile_kernels"] == 1
    assert jobs["shift_case"] == 4
    assert jobs.keys() >= {"shift_summary", "table_1", "figure_5"}
    assert not [rule for rule in jobs if rule.startswith(("ebr", "bestarm"))]


def test_a_change_of_one_row_of_the_cases_simulates_that_case_alone(project):
    table = project.folder / "config/cases.csv"
    rows = table.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = [re.sub(r",(\d+)$", ",99", row) if row.startswith("ibm_digit,") else row for row in rows]
    assert sum(map(str.__ne__, rows, changed)) == 1
    table.write_text("".join(changed), encoding="utf-8")
    jobs = project.planned()
    assert jobs["shift_case"] == 1
    assert jobs["table_1"] == 1
    assert "compile_kernels" not in jobs


def test_a_replay_table_that_changed_simulates_its_case_alone(project):
    """Move one item of the easiest level of a label to another answer, in both difficulty sources."""
    path = project.folder / "data/replay/ibm_digit.csv"
    header, *rows = path.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    for source in sorted({row[0] for row in cells}):
        row = next(row for row in cells if row[0] == source and row[1] == row[3] == row[4] == "0")
        other = next(row for row in cells if row[0] == source and row[1] == row[3] == "0" and row[4] != "0")
        # Every item that moves must move in each source: exchange one count between two existing rows.
        assert int(row[5]) >= 1
        other[5] = str(int(other[5]) + 1)
        row[5] = str(int(row[5]) - 1)
    kept = [",".join(row) for row in cells if row[5] != "0"]
    path.write_text("\n".join([header, *kept]) + "\n")
    jobs = project.planned("shift_summary")
    assert jobs == {"shift_case": 1, "shift_summary": 1}


def test_one_more_k_computes_that_k_alone(project):
    jobs = project.planned(override="ablation: {K: [1, 2, 3]}")
    assert jobs["ablation"] == 1
    assert jobs["k_ablation"] == jobs["figure_7"] == 1
    assert not jobs.keys() & {"shift_case", "a_ablation", "compile_kernels"}


def test_a_new_title_in_the_config_of_a_test_run_is_not_a_reason(project):
    """A comment in the settings changes no value, so nothing reruns."""
    with (project.folder / "config/config.yaml").open("a") as file:
        file.write("\n# a remark\n")
    assert project.planned() == {}


def test_more_trials_rerun_the_simulations_and_not_the_accuracies_table(project):
    jobs = project.planned(override="montecarlo: {trials: 150}")
    assert jobs["shift_case"] == 4
    assert "confusion" not in jobs
    assert "table_2" not in jobs


def test_another_folder_for_logs_or_another_number_of_cores_reruns_nothing(project):
    assert project.planned("--cores", "7") == {}
    assert project.planned(override="folders: {logs: elsewhere}").keys() <= {"provenance"}


def test_a_dry_run_says_in_words_what_would_run_and_why(project):
    edit(
        project,
        "src/adaptive_sampling/figures/figure_5.py",
        "def figure_5(",
        "ONE_MORE = 1\n\n\ndef figure_5(",
    )
    printed = project.snakemake("-n").stdout
    assert "Drawing Figure 5 (error against budget)" in printed
    assert "Reason: Updated input files: src/adaptive_sampling/figures/figure_5.py" in printed


def test_a_job_that_fails_shows_its_log_and_keeps_no_output(project):
    edit(project, "src/adaptive_sampling/figures/figure_5.py", "def figure_5(", "1 / 0\n\n\ndef figure_5(")
    run = project.snakemake("--cores", "1", check=False)
    assert run.returncode != 0
    assert "ZeroDivisionError" in run.stderr
    assert "report/figure_5.log" in run.stderr
    assert not list((project.folder / "figures/test/masa").glob("figure_5.*"))
