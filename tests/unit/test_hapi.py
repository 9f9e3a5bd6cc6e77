"""The archive of later answers, on a made-up archive of its layout."""

import io
import json
import tarfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from adaptive_sampling.cases import read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.archives import unpack_folder
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


def test_names_that_repeat_are_told_apart_by_their_true_labels(archive: Path) -> None:
    names = ("a.wav", "b.wav", "a.wav", "b.wav")
    write(archive, ["b", "a", "a", "b"], [NEW[3], NEW[0], NEW[2], NEW[1]])
    with pytest.raises(InputError, match=r"labels\.json: no such file, and names repeat"):
        read_later_answers(archive, CASE, recording(names), PUBLISHED)
    labels = archive / "tasks/fer/ferplus/labels.json"

    def write_labels(*pairs: tuple[str, int]) -> None:
        labels.write_text(json.dumps([{"example_id": name, "true_label": label} for name, label in pairs]))

    write_labels(("b", 3), ("a", 0), ("a", 2), ("b", 1))
    assert read_later_answers(archive, CASE, recording(names), PUBLISHED).tolist() == NEW
    write_labels(("a", 0), ("b", 3), ("a", 2), ("b", 1))
    with pytest.raises(InputError, match="not in the order of the answers"):
        read_later_answers(archive, CASE, recording(names), PUBLISHED)
    write_labels(("b", 1), ("a", 0), ("a", 2), ("b", 1))
    with pytest.raises(InputError, match="names repeat, even beside their true labels"):
        read_later_answers(archive, CASE, recording(names), PUBLISHED)
    labels.write_text('[{"name": 1}]')
    with pytest.raises(InputError, match="not a list of true labels"):
        read_later_answers(archive, CASE, recording(names), PUBLISHED)


@pytest.mark.parametrize(
    ("names", "answers", "message"),
    [
        (
            ["fer1", "fer2", "fer3", "fer5"],
            NEW,
            "no answer for 1 items of 2020, and 1 answers for items that 2020 lacks, .* 'fer4'",
        ),
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


@dataclass(frozen=True)
class Special:
    """A member that is neither file, folder nor symbolic link.

    Attributes
    ----------
    kind : bytes
        As the tar format has it, such as ``tarfile.LNKTYPE``.
    target : str
        What a hard link names.
    """

    kind: bytes
    target: str = ""


def tar(path: Path, *members: tuple[str, bytes | str | Special | None]) -> Path:
    """Write a tar.gz: bytes are a file, text is a symbolic link to it, None a folder."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if content is None:
                member.type = tarfile.DIRTYPE
                archive.addfile(member)
            elif isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
                archive.addfile(member)
            elif isinstance(content, Special):
                member.type, member.linkname = content.kind, content.target
                member.devmajor, member.devminor = 1, 3
                archive.addfile(member)
            else:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("top", ["", "./", "hapi/"])
def test_the_archive_s_folder_is_unpacked_and_nothing_else(tmp_path: Path, top: str) -> None:
    archive = tar(
        tmp_path / "a.tar.gz",
        (f"{top}README", b"no"),
        (f"{top}tasks", None),
        (f"{top}tasks/meta.csv", b"meta"),
        (f"{top}tasks/sa/x.json", b"[]"),
    )
    target = tmp_path / "to/tasks"
    target.mkdir(parents=True)
    unpack_folder(archive, "tasks", target)
    found = sorted(path.relative_to(tmp_path / "to").as_posix() for path in (tmp_path / "to").rglob("*"))
    assert found == ["tasks", "tasks/meta.csv", "tasks/sa", "tasks/sa/x.json"]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([("tasks/../../evil", b"x")], "would lie outside"),
        ([("../tasks/evil", b"x")], "would lie outside"),
        ([("/tasks/evil", b"x")], "would lie outside"),
        ([("tasks/link", "/etc/passwd")], "is a link or device"),
        ([("tasks/link", "meta.csv")], "is a link or device"),
        ([("tasks/hard", Special(tarfile.LNKTYPE, "/etc/passwd"))], "is a link or device"),
        (
            [("tasks/meta.csv", b"x"), ("tasks/hard", Special(tarfile.LNKTYPE, "tasks/meta.csv"))],
            "is a link or device",
        ),
        ([("secret", b"x"), ("tasks/hard", Special(tarfile.LNKTYPE, "secret"))], "is a link or device"),
        ([("tasks/null", Special(tarfile.CHRTYPE))], "is a link or device"),
        ([("tasks/disk", Special(tarfile.BLKTYPE))], "is a link or device"),
        ([("tasks/pipe", Special(tarfile.FIFOTYPE))], "is a link or device"),
        ([("tasks/unknown", Special(b"?"))], "is a link or device"),
        ([("tasks/bomb", bytes(10_001))], "holds more than 10000 bytes or 5 files"),
        ([(f"tasks/{n}", b"") for n in range(6)], "holds more than 10000 bytes or 5 files"),
        ([("other/x", b"")], "no folder tasks in it"),
    ],
)
def test_dangerous_archives_are_refused_and_leave_nothing(
    tmp_path: Path, members: list, message: str
) -> None:
    archive = tar(tmp_path / "a.tar.gz", *members)
    with pytest.raises(InputError, match=message):
        unpack_folder(archive, "tasks", tmp_path / "to/tasks", most_bytes=10_000, most_files=5)
    assert list((tmp_path / "to").iterdir()) == []


def test_archives_cut_short_or_missing_are_refused(tmp_path: Path) -> None:
    archive = tar(tmp_path / "a.tar.gz", ("tasks/x", np.random.default_rng(0).bytes(50_000)))
    archive.write_bytes(archive.read_bytes()[:20_000])
    with pytest.raises(InputError, match="cut short"):
        unpack_folder(archive, "tasks", tmp_path / "to/tasks")
    archive.write_text("<html>")
    with pytest.raises(InputError, match="not readable as a tar archive"):
        unpack_folder(archive, "tasks", tmp_path / "to/tasks")
    with pytest.raises(InputError, match="no such file"):
        unpack_folder(tmp_path / "none", "tasks", tmp_path / "to/tasks")
    assert not (tmp_path / "to/tasks").exists()
