"""The archive of later answers, on a made-up archive of its layout."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adaptive_sampling.cases import read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.frugalml import Recording
from adaptive_sampling.recordings.hapi import read_later_answers
from adaptive_sampling.recordings.published import PublishedPair

CASES = read_cases(Path(__file__).parents[2] / "config/cases.csv")
CASE = replace(CASES["microsoft_ferplus"], items=4)
NEW = [0, 1, 2, 6]
META = "task,dataset,api,date,path,cost_per_10k\n"
PUBLISHED = PublishedPair(accuracy_2020=0.5, accuracy_2021=0.75, overlap=0.5)


def recording(names: tuple[str, ...] = ("fer1.jpg", "fer2.jpg", "fer3.jpg", "fer4.jpg")) -> Recording:
    nothing = np.zeros(4)
    return Recording(names, np.array([0, 1, 2, 3]), np.array([0, 6, 2, 5]), nothing, nothing, None)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = "fer/ferplus/microsoft_fer/21-02-15.json"
    file = tmp_path / "tasks" / path
    file.parent.mkdir(parents=True)
    (tmp_path / "tasks/meta.csv").write_text(
        f"{META}fer,ferplus,microsoft_fer,20-03-05,fer/ferplus/microsoft_fer/20-03-05.json,10\n"
        f"fer,ferplus,microsoft_fer,21-02-15,{path},10\n"
        f"fer,ferplus,google_fer,21-02-15,fer/ferplus/google_fer/21-02-15.json,15\n"
    )
    write(tmp_path, ["fer3", "fer1", "fer4", "fer2"], [2, 0, 6, 1])
    return tmp_path


def write(archive: Path, names: list[str], answers: list[object]) -> Path:
    path = archive / "tasks/fer/ferplus/microsoft_fer/21-02-15.json"
    records = [
        {"example_id": name, "predicted_label": answer, "confidence": 0.5}
        for name, answer in zip(names, answers)
    ]
    path.write_text(json.dumps(records))
    return path


def test_answers_come_in_the_order_of_2020(archive: Path) -> None:
    assert read_later_answers(archive, CASE, recording(), PUBLISHED).tolist() == NEW


def test_names_that_repeat_do_if_the_order_is_that_of_2020(archive: Path) -> None:
    names = ("a.wav", "b.wav", "a.wav", "b.wav")
    write(archive, ["a", "b", "a", "b"], list(NEW))
    assert read_later_answers(archive, CASE, recording(names), PUBLISHED).tolist() == NEW
    write(archive, ["a", "a", "b", "b"], list(NEW))
    with pytest.raises(InputError, match="names repeat and are not in the order of 2020"):
        read_later_answers(archive, CASE, recording(names), PUBLISHED)


@pytest.mark.parametrize(
    ("names", "answers", "message"),
    [
        (["fer1", "fer2", "fer3", "fer5"], NEW, "no answer for 'fer4'"),
        (
            ["fer1", "fer2", "fer3", "fer4"],
            [0, 1, 2, 7],
            "record 4: found .* expected a name and a label from 0 to 6",
        ),
        (["fer1", "fer2", "fer3", "fer4"], [0, "happy", 2, 6], "record 2: found"),
        (
            ["fer1", "fer2", "fer3", "fer4"],
            [0, 1, 2, 3],
            "4 correct answers but an accuracy of 0.75 published",
        ),
        (["fer1", "fer2", "fer3", "fer4"], [0, 1, 2, 5], "1 answers changed but an overlap of 0.5 published"),
    ],
)
def test_answers_that_are_not_those_published_are_refused(
    archive: Path, names: list[str], answers: list[object], message: str
) -> None:
    write(archive, names, answers)
    with pytest.raises(InputError, match=message):
        read_later_answers(archive, CASE, recording(), PUBLISHED)


def test_an_archive_that_is_not_as_expected_is_refused(archive: Path) -> None:
    path = write(archive, [], [])
    path.write_text("{")
    with pytest.raises(InputError, match="not a list of recorded answers"):
        read_later_answers(archive, CASE, recording(), PUBLISHED)
    path.unlink()
    with pytest.raises(InputError, match=r"21-02-15\.json: no such file"):
        read_later_answers(archive, CASE, recording(), PUBLISHED)
    (archive / "tasks/meta.csv").write_text(META + "sa,yelp,google_sa,21-02-15,x.json,2.5\n")
    with pytest.raises(InputError, match="0 rows of fer/ferplus/microsoft_fer in 2021, expected one"):
        read_later_answers(archive, CASE, recording(), PUBLISHED)
    (archive / "tasks/meta.csv").unlink()
    with pytest.raises(InputError, match=r"meta\.csv: no such file"):
        read_later_answers(archive, CASE, recording(), PUBLISHED)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("facepp_afnet", "fer,afnet,facepp_fer"),
        ("amazon_waimai", "sa,waimai,amazon_sa"),
        ("ibm_cmd", "scr,command,ibm_scr"),
        ("google_amnist", "scr,amnist,google_scr"),
    ],
)
def test_cases_are_found_under_the_archive_s_names(archive: Path, name: str, row: str) -> None:
    with pytest.raises(InputError, match=f"0 rows of {row.replace(',', '/')} in 2021"):
        read_later_answers(archive, CASES[name], recording(), PUBLISHED)
