"""Ablations as a user runs them: apart from the default run, and only what is new."""

import csv
import hashlib
import shutil

import pytest
import yaml
from project import ROOT

FIGURES = [f"figure_{number}" for number in range(1, 8)]


@pytest.fixture
def remove(finished):
    """Return a function that notes a folder to remove afterwards: other tests share the finished project."""
    names = []
    yield names.append
    for name in names:
        for top in ("results", "figures", "logs"):
            shutil.rmtree(finished.folder / top / name, ignore_errors=True)


def of_study(name, **changes):
    """Return one of the studies in config/ablations, with changes, as YAML."""
    return yaml.safe_dump(yaml.safe_load((ROOT / f"config/ablations/{name}.yaml").read_text()) | changes)


def test_a_new_value_of_a_grid_is_the_only_thing_computed(finished):
    for grid in ("ablation: {K: [1, 5, 3]}", "ablation: {a: [0.1, 0.5, 1]}"):
        jobs = finished.planned("k_ablation", "a_ablation", override=grid)
        assert jobs.pop("ablation") == 1
        assert set(jobs) in ({"k_ablation"}, {"a_ablation"})


def test_a_default_that_one_grid_ignores_reruns_only_the_other(finished):
    assert finished.planned("k_ablation", "a_ablation", override="shift: {K: 5}") == {
        "ablation": 2,
        "a_ablation": 1,
    }
    assert finished.planned("k_ablation", "a_ablation", override="shift: {a: 0.5}") == {
        "ablation": 2,
        "k_ablation": 1,
    }
    assert finished.planned("k_ablation", "a_ablation", override="shift: {samplers: [masa]}") == {}


def test_a_study_runs_apart_and_gives_the_rows_of_the_default_run(finished, remove):
    """K=3 is in both grids: its rows are equal, and no file of the default run has changed."""
    remove("ablations")
    before = finished.hashes()
    study = of_study("k", ablation={"K": [3, 4]}, cases=["ibm_digit"])
    planned = finished.planned(override=study)
    assert {name: count for name, count in planned.items() if name != "provenance"} == {
        "compile_kernels": 1,
        "ablation": 2,
        "k_ablation": 1,
        "figure_7": 1,
    }
    finished.snakemake("--cores", "1", override=study)
    after = finished.hashes()
    assert {name: after[name] for name in before} == before
    new = set(after) - set(before)
    assert "figures/ablations/k/masa/figure_7.png" in new
    assert all("/ablations/k/" in name for name in new)

    def rows(folder):
        with (finished.folder / folder / "shift/k_ablation.csv").open(encoding="utf-8") as file:
            return [row for row in csv.DictReader(file) if row["K"] == "3" and row["case"] == "ibm_digit"]

    assert rows("results/ablations/k") == rows("results/test")
    assert rows("results/test")


def test_an_ablation_at_the_default_values_gives_masas_rows_of_the_main_table(finished):
    def rows(name, **wanted):
        with (finished.folder / f"results/test/shift/{name}.csv").open(encoding="utf-8") as file:
            return [
                row for row in csv.DictReader(file) if all(row[key] == value for key, value in wanted.items())
            ]

    main = rows("errors", sampler="masa")
    assert main
    assert rows("k_ablation", K="3") == main
    assert rows("a_ablation", a="1") == main
    assert rows("k_ablation_sizes", K="3") == rows("required_size", sampler="masa")


def test_every_artefact_has_a_target_of_its_name(finished):
    tables = [f"table_{number}" for number in range(1, 4)]
    assert finished.planned(*tables, *FIGURES, "ablation_a", "confusion", "confusion_matrices") == {}


def test_a_figure_of_a_case_that_the_run_lacks_fails_with_one_sentence(finished, remove):
    remove("lone")
    override = (
        "{cases: [ibm_digit], folders: {results: results/lone, figures: figures/lone, logs: logs/lone}}"
    )
    run = finished.snakemake("figure_6", "--cores", "1", override=override, check=False)
    assert run.returncode != 0
    log = (finished.folder / "logs/lone/report/figure_6.log").read_text(encoding="utf-8")
    assert log.count("\n") == 1
    assert log.startswith("Figure 6 shows amazon_imdb, microsoft_ferplus, google_digit, none of which")


def test_an_unknown_target_is_refused(finished):
    run = finished.snakemake("-n", override="targets: [figure_8]", check=False)
    assert 'key targets.0: found "figure_8", allowed are masa, ' in run.stdout + run.stderr
    assert "Traceback" not in run.stdout + run.stderr


def test_the_same_figure_is_drawn_again_byte_for_byte(finished):
    path = finished.folder / "figures/test/masa/figure_4.pdf"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    finished.snakemake("figure_4", "--cores", "1", "--forcerun", "figure_4")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
