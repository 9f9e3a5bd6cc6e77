"""From recordings, and from one's own predictions, to the same tables by the same rules."""

import csv
import io
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest
from project import ROOT

from adaptive_sampling.cases import read_cases
from adaptive_sampling.recordings.fetch import sha256_of
from adaptive_sampling.recordings.rebuild import later_answers
from adaptive_sampling.recordings.reconstruct import ReconstructionChoices

MIRROR = Path(os.environ.get("MIRROR", ROOT / "../shared/mirror")).resolve()
CASES = "cases: [ibm_digit, microsoft_ferplus]\n"
needs_mirror = pytest.mark.skipif(not MIRROR.is_dir(), reason=f"the recordings are not in {MIRROR}")


def recorded(**data):
    """Return the settings of a small run from recordings."""
    settings = {"source": "recorded", "mirrors": [str(MIRROR)], **data}
    return f"{CASES}data: {json.dumps(settings)}\n"


@pytest.fixture(scope="module")
def from_recordings(new_project):
    project = new_project("recordings")
    project.snakemake("--cores", "2", "table_1", "results/test/provenance.json", override=recorded())
    return project


@pytest.mark.mirror
@needs_mirror
def test_recordings_give_the_same_bytes_as_the_embedded_tables(from_recordings, new_project):
    embedded = new_project("embedded")
    embedded.snakemake("--cores", "2", "table_1", override=CASES)
    for name in ("table_1.csv", "shift/errors.csv", "shift/required_size.csv"):
        path = Path("results/test") / name
        assert (from_recordings.folder / path).read_bytes() == (embedded.folder / path).read_bytes(), name
    for case in ("ibm_digit", "microsoft_ferplus"):
        rebuilt = from_recordings.folder / f"results/test/replay/{case}.csv"
        assert rebuilt.read_bytes() == (ROOT / f"data/replay/{case}.csv").read_bytes()


@pytest.mark.mirror
@needs_mirror
def test_a_second_run_fetches_nothing(from_recordings):
    assert from_recordings.planned("--cores", "2", "table_1", override=recorded()) == {}


@pytest.mark.mirror
@needs_mirror
def test_provenance_names_the_files(from_recordings):
    found = json.loads((from_recordings.folder / "results/test/provenance.json").read_text())
    assert found["cases"]["ibm_digit"]["new"].startswith("reconstructed")
    assert found["cases"]["ibm_digit"]["replay"]["source"] == "recorded"


@pytest.mark.mirror
@needs_mirror
def test_a_drifted_embedded_table_stops_the_run_and_shows_the_rows(new_project):
    project = new_project("drifted")
    shipped = project.folder / "data/replay/ibm_digit.csv"
    first, line, rest = shipped.read_text().split("\n", 2)
    cells = line.split(",")
    shipped.write_text("\n".join([first, ",".join([*cells[:-1], str(int(cells[-1]) + 1)]), rest]))
    run = project.snakemake(
        "--cores", "1", "results/test/replay/ibm_digit.csv", override=recorded(), check=False
    )
    assert run.returncode != 0
    assert "1 rows differ from data/replay/ibm_digit.csv: row 2: found" in run.stdout + run.stderr
    assert not (project.folder / "results/test/replay/ibm_digit.csv").exists()


def test_without_mirror_and_network_one_sentence_says_what_to_do(new_project):
    project = new_project("alone")
    versions = project.folder / "data/versions.csv"
    versions.write_text(
        versions.read_text().replace("https://raw.githubusercontent.com", "http://127.0.0.1:9")
    )
    settings = 'data: {source: recorded, mirrors: ["nowhere"]}\n'
    target = "recordings/LLMDrift/generation/PRIME_FULL_EVAL.csv"
    run = project.snakemake("--cores", "1", target, override=CASES + settings, check=False)
    assert run.returncode != 0
    said = run.stdout + run.stderr
    assert "in none of the folders of data.mirrors, and http://127.0.0.1:9" in said
    assert "or set data.source: embedded, which needs no recordings" in said
    assert "Traceback" not in said


def test_hapi_is_not_compared_with_the_reconstruction(new_project):
    project = new_project("hapi")
    run = project.snakemake("-n", override=CASES + "data: {source: recorded, later: hapi}\n", check=False)
    assert "key data.compare: found true, allowed with data.later: hapi is false" in run.stdout
    settings = "data: {source: recorded, later: hapi, compare: false}\n"
    jobs = project.planned("table_1", override=CASES + settings)
    assert (jobs["fetch_hapi"], jobs["unpack_hapi"], jobs["replay"]) == (1, 1, 2)


@pytest.mark.mirror
@needs_mirror
def test_an_archive_of_later_answers_takes_the_place_of_the_reconstruction(new_project, tmp_path):
    """Put the reconstructed answers into an archive of HAPI's layout, shuffled: the same replay table comes out."""
    case = read_cases(ROOT / "config/cases.csv")["ibm_digit"]
    recording, new = later_answers(case, MIRROR, ReconstructionChoices(seed=20210426))
    records = [
        {"example_id": name.removesuffix(".wav"), "predicted_label": int(label), "confidence": 0.5}
        for name, label in zip(recording.names, new)
    ]
    members = {
        "tasks/meta.csv": "task,dataset,api,date,path,cost_per_10k\n"
        "scr,digit,ibm_scr,21-02-21,scr/digit/ibm_scr/21-02-21.json,25\n",
        "tasks/scr/digit/ibm_scr/21-02-21.json": json.dumps(
            sorted(records, key=lambda r: r["example_id"][::-1])
        ),
    }
    (tmp_path / "HAPI").mkdir()
    with tarfile.open(tmp_path / "HAPI/hapi.tar.gz", "w:gz") as archive:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    project = new_project("archive")
    override = recorded(later="hapi", compare=False, mirrors=[str(tmp_path), str(MIRROR)])
    project.snakemake(
        "--cores", "2", "results/test/replay/ibm_digit.csv", "results/test/cases.csv", override=override
    )
    table = project.folder / "results/test/replay/ibm_digit.csv"
    assert table.read_bytes() == (ROOT / "data/replay/ibm_digit.csv").read_bytes()
    assert read_cases(project.folder / "results/test/cases.csv")["ibm_digit"].source == "recorded"
    pin = project.folder / "recordings/HAPI/hapi.tar.gz.sha256"
    assert pin.read_text().strip() == sha256_of(tmp_path / "HAPI/hapi.tar.gz")


OWN = """
targets: [own]
cases: [mine]
data: {source: own, own: {mine: FILES}}
shift: {difficulty: none, samplers: [uniform, stratified_equal, masa], budget: {last: 600, step: 50}, target_error: 0.2}
"""


def test_own_predictions_give_accuracy_shift_errors_and_sizes(new_project):
    project = new_project("own")
    shutil.copytree(ROOT / "examples", project.folder / "examples")
    files = "{old: examples/own/then.csv, new: examples/own/now.csv, api: Invented}"
    project.snakemake("--cores", "2", override=OWN.replace("FILES", files))
    results = project.folder / "results/test"
    with (results / "accuracy.csv").open() as file:
        [row] = csv.DictReader(file)
    with (ROOT / "examples/own/then.csv").open() as file:
        then = {r["id"]: r for r in csv.DictReader(file)}
    with (ROOT / "examples/own/now.csv").open() as file:
        right = [then[r["id"]]["label"] == r["prediction"] for r in csv.DictReader(file)]
    assert float(row["accuracy_new"]) == pytest.approx(sum(right) / len(right), abs=1e-9)
    assert int(row["items"]) == len(right)
    with (results / "shift/required_size.csv").open() as file:
        sizes = {r["sampler"]: r["n95"] for r in csv.DictReader(file)}
    assert set(sizes) == {"uniform", "stratified_equal", "masa"}
    assert sizes["masa"]
    for name in ("masa/confusion/mine.png", "masa/figure_5.png"):
        assert (project.folder / "figures/test" / name).stat().st_size > 1000
    table = (results / "table_1.md").read_text()
    assert "| Invented |" in table
    assert "| own predictions |" in table
    assert "2021" not in table


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("{predictions: nowhere.csv}", "nowhere.csv: cannot be read (No such file or directory)"),
        (
            "{old: a.csv}",
            "key data.own.mine: found old, allowed are predictions and perhaps answers, or old and new",
        ),
    ],
)
def test_own_files_that_cannot_be_used_stop_the_run_before_any_job(new_project, files, message):
    run = new_project("bad").snakemake("-n", override=OWN.replace("FILES", files), check=False)
    assert run.returncode != 0
    assert message in run.stdout
    assert "Traceback" not in run.stdout + run.stderr


ASKING = """
targets: [next_queries]
cases: [mine]
data: {source: own, own: {mine: {predictions: mine.csv, answers: answers.csv, batch: 30}}}
shift: {difficulty: none, target_error: 0.05}
"""


def test_an_api_is_asked_batch_by_batch(new_project):
    project = new_project("asking")
    rows = [f"{n},{'yes' if n % 3 else 'no'},{'yes' if n % 4 else 'no'}" for n in range(90)]
    (project.folder / "mine.csv").write_text("\n".join(["id,label,old", *rows, ""]))
    answers = project.folder / "answers.csv"
    answers.write_text("id,new\n")
    found = project.folder / "results/test/next_queries/mine"
    seen = set()
    for done in (0, 30, 60, 90):
        project.snakemake("--cores", "1", override=ASKING)
        with (found / "so_far.csv").open() as file:
            [row] = csv.DictReader(file)
        assert (int(row["answered"]), float(row["target_error"])) == (done, 0.05)
        with (found / "ask.csv").open() as file:
            batch = [r["id"] for r in csv.DictReader(file)]
        assert len(batch) == (30 if done < 90 else 0)
        assert not seen & set(batch)
        seen |= set(batch)
        with answers.open("a") as file:
            file.writelines(f"{name},{'yes' if int(name) % 5 else 'maybe'}\n" for name in batch)
    assert float(row["expected_error"]) == 0
    with (found / "shift.csv").open() as file:
        maybe = [float(r["new"]) for r in csv.DictReader(file) if r["predicted"] == "maybe"]
    assert sum(maybe) == pytest.approx(18 / 90)
    assert project.planned(override=ASKING) == {}
    # With every answer there, the same two files are a case like any other.
    assert project.planned(override=ASKING.replace("next_queries", "own"))["own_replay"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[next_queries]", "[next_queries, own]", "key targets: found next_queries, own, allowed beside"),
        ("source: own", "source: embedded", "key data.source: found embedded, allowed with targets"),
        ("none,", "none, uncertainty: as_printed,", "key shift.uncertainty: found as_printed, allowed with"),
        ("batch: 30", "batch: 0", "key data.own.mine.batch: found 0, allowed is at least 1"),
        ("answers: answers.csv", "answers: no.csv", "no.csv: cannot be read (No such file or directory)"),
        ("[next_queries]", "[own]", "answers.csv: 1 items, expected the 2 of mine.csv"),
    ],
)
def test_what_cannot_be_asked_stops_before_any_job(new_project, old, new, message):
    project = new_project("bad asking")
    (project.folder / "mine.csv").write_text("id,label,old\n1,yes,yes\n2,no,no\n")
    (project.folder / "answers.csv").write_text("id,new\n1,no\n")
    run = project.snakemake("-n", override=ASKING.replace(old, new), check=False)
    assert run.returncode != 0
    assert message in run.stdout
    assert "Traceback" not in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("arguments", "targets", "message"),
    [
        (
            ["next_queries"],
            "[own]",
            "next_queries: found on the command line, allowed is targets: [next_queries] in",
        ),
        (
            [],
            "[own, beyond]",
            "key targets: found beyond, allowed with data.source: own is any but beyond and",
        ),
        (
            [],
            "[figure_4]",
            "key targets: found figure_4, allowed with data.source: own is any but beyond and",
        ),
    ],
)
def test_targets_that_own_predictions_cannot_have_are_refused(new_project, arguments, targets, message):
    project = new_project("bad targets")
    (project.folder / "mine.csv").write_text("id,label,old,new\n1,yes,yes,no\n2,no,no,no\n")
    override = OWN.replace("FILES", "{predictions: mine.csv}").replace("[own]", targets)
    assert f"targets: {targets}" in override
    run = project.snakemake("-n", *arguments, override=override, check=False)
    assert run.returncode != 0
    assert message in run.stdout
