"""Predictions of one's own: whatever a CSV file can hold is counted right or refused in one sentence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adaptive_sampling.cases import read_cases, write_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.own import (
    BLOCK,
    MOST_LABELS,
    describe,
    difficulty_sources,
    own_files,
    own_replay_table,
    read_own,
)
from adaptive_sampling.recordings.replay import read_replay_table, write_replay_table

REVIEWS = """id,label,old,new,confidence
a,good,good,good,0.9
b,good,unsure,good,0.1
c,bad,bad,bad,0.4
d,bad,bad,refused,0.2
"""


@pytest.fixture
def one(tmp_path):
    """Return a function that writes one file and gives its section of the config."""

    def write(content: str | bytes, name: str = "mine.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return {"predictions": path.as_posix()}

    return write


@pytest.fixture
def two(tmp_path):
    def write(old: str, new: str):
        (tmp_path / "old.csv").write_text(old)
        (tmp_path / "new.csv").write_text(new)
        return {"old": (tmp_path / "old.csv").as_posix(), "new": (tmp_path / "new.csv").as_posix()}

    return write


def read(entry):
    """Describe and read, and give names instead of indices."""
    case = describe("mine", entry)
    found = read_own(case, entry)
    names = np.array(case.predicted_labels, dtype=object)
    return case, [names[column].tolist() for column in (found.labels, found.old, found.new)]


def refusal(entry):
    with pytest.raises(InputError) as caught:
        own_replay_table(describe("mine", entry), entry, 0)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_one_file_becomes_a_replay_table(one, tmp_path):
    entry = one(REVIEWS)
    case = describe("mine", entry)
    assert (case.items, case.labels) == (4, ("bad", "good"))
    assert case.predicted_labels == ("bad", "good", "refused", "unsure")
    assert case.title == "mine mine"
    table = own_replay_table(case, entry, seed=0)
    confidence = table[table["difficulty"] == "confidence"].drop(columns="difficulty")
    assert confidence.to_numpy().tolist() == [
        [0, 0, 0, 2, 1],
        [0, 60, 0, 0, 1],
        [1, 0, 3, 1, 1],
        [1, 60, 1, 1, 1],
    ]
    write_replay_table(table, tmp_path / "mine_replay.csv", case)
    assert read_replay_table(tmp_path / "mine_replay.csv", case).equals(table)


def test_two_files_are_joined_by_id_in_any_order(one, two):
    whole = one(REVIEWS)
    old = "id,label,prediction,confidence\na,good,good,0.9\nb,good,unsure,0.1\nc,bad,bad,0.4\nd,bad,bad,0.2\n"
    entry = two(old, "prediction,id\nrefused,d\ngood,a\nbad,c\ngood,b\n")
    assert own_files(entry)[1].endswith("new.csv")
    assert difficulty_sources(entry) == ("confidence", "none")
    case = describe("mine", entry)
    assert case.predicted_labels == describe("mine", whole).predicted_labels
    assert own_replay_table(case, entry, 5).equals(own_replay_table(case, whole, 5))


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.removesuffix("\n").encode(),
        lambda text: text.replace("\nc", "\n\nc").encode() + b"\n\n",
        lambda text: text.replace(",good", ", good ").encode(),
        lambda text: text.replace("good", '"good"').encode(),
        lambda text: text.replace("id,label", " id , label").encode(),
        lambda text: text.replace("\n", ",,\n").encode(),
        lambda text: "\n".join(line + ",more, of it" for line in text.split()).encode(),
    ],
)
def test_the_shape_of_the_file_does_not_matter(one, edit):
    if edit(REVIEWS).endswith(b"of it"):
        text = "\n".join(f"{line},extra{n}" for n, line in enumerate(REVIEWS.split())).encode()
    else:
        text = edit(REVIEWS)
    case, columns = read(one(text))
    assert (case, columns) == read(one(REVIEWS))


@pytest.mark.parametrize(
    ("label", "cell"),
    [
        ("good, or not", '"good, or not"'),
        ('the "good"', '"the ""good"""'),
        ("好评", "好评"),
        ("a;b", "a;b"),
        ("back\\slash\\", "back\\slash\\"),
        ("NA", "NA"),
        ("null", "null"),
        ("1e5", "1e5"),
        ("007", "007"),
        ("=1+1", "=1+1"),
        ("None", "None"),
    ],
)
def test_labels_are_any_text(one, tmp_path, label, cell):
    case, (true, _, new) = read(one(REVIEWS.replace("good", cell)))
    assert label in case.labels
    assert true == [label, label, "bad", "bad"]
    assert new == [label, label, "bad", "refused"]
    write_cases([case], tmp_path / "cases.csv")
    assert read_cases(tmp_path / "cases.csv") == {"mine": case}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("true", "false"),
        ("TRUE", "True"),
        ("01", "02"),
        ("007", "7"),
        ("1", "1.0"),
        ("-1", "+1"),
        ("1e0", "inf"),
        ("9" * 5000, "1"),
    ],
)
def test_labels_that_look_like_numbers_stay_text(one, first, second):
    case, columns = read(one(f"id,label,old,new\n1,{first},{second},{first}\n2,{second},{first},{first}\n"))
    assert set(case.labels) == {first, second}
    assert columns == [[first, second], [second, first], [first, first]]


def test_numbers_are_ordered_by_value(one):
    rows = "".join(f"{n},{n},{n},{n + 1}\n" for n in range(12))
    case, _ = read(one("id,label,old,new\n" + rows))
    assert case.labels == tuple(map(str, range(12)))
    assert case.predicted_labels[12:] == ("12",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REVIEWS.replace("c,bad,bad,bad", "c,bad,,bad"), "row 3 below the header, column old: empty"),
        (REVIEWS.replace("c,bad,bad,bad", "c, ,bad,bad"), "row 3 below the header, column label: empty"),
        (REVIEWS.replace("c,bad", ",bad"), "row 3 below the header, column id: empty"),
        (REVIEWS.replace(",0.4", ","), "row 3 below the header, column confidence: found ''"),
        (REVIEWS.replace(",0.4", ",high"), "row 3 below the header, column confidence: found 'high'"),
        (REVIEWS.replace(",0.4", ",nan"), "row 3 below the header, column confidence: found 'nan'"),
        (REVIEWS.replace(",0.4", ",inf"), "row 3 below the header, column confidence: found 'inf'"),
        (REVIEWS.replace(",0.4", ",1_0"), "row 3 below the header, column confidence: found '1_0'"),
        (REVIEWS.replace(",0.4", ",1e301"), "row 3 below the header, column confidence: found '1e301'"),
        (REVIEWS.replace("c,bad", "a,bad"), "id 'a' stands there twice (1 rows repeat an id)"),
        (REVIEWS.replace(",0.4", ""), "row 3 below the header: 4 cells, expected 5"),
        (REVIEWS.replace("bad,bad,", "good,bad,"), "the only true label is 'good', expected two or more"),
        (REVIEWS.replace("new", "now"), "line 1: no column new, found 'id,label,old,now,confidence'"),
        (REVIEWS.replace("confidence", "old"), "line 1: column old stands there twice"),
        ("", "line 1: no column id, found ''"),
        ("id,label,old,new\n", "no items below the header"),
        (REVIEWS.replace("c,bad", 'c,"bad'), "not readable as CSV"),
        (REVIEWS.replace("refused", '"two\nlines"'), "found 'two\\nlines', expected text on one line"),
        (REVIEWS.encode("utf-16"), "not UTF-8 text"),
        (REVIEWS.replace("good", "süß").encode("latin-1"), "not UTF-8 text"),
        (REVIEWS.replace("good", "go\0od"), "found 'go\\x00od', expected text on one line"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(one, text, message):
    said = refusal(one(text))
    assert message in said
    assert "mine.csv" in said


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    assert "cannot be read (No such file or directory)" in refusal({"predictions": str(tmp_path / "no.csv")})
    assert "cannot be read (Is a directory)" in refusal({"predictions": str(tmp_path)})


OLD = "id,label,prediction\na,x,x\nb,y,y\nc,y,y\n"


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("id,prediction\na,x\nb,y\n", "new.csv: 2 items, expected the 3 of"),
        (
            "id,prediction\na,x\nd,y\ne,y\n",
            "2 ids of FOLDER/old.csv are not in it (the first is 'b') and 2 of its ids are not in FOLDER",
        ),
        ("id,prediction\na,x\nb,y\nb,y\n", "new.csv: id 'b' stands there twice"),
        ("id,prediction\na,x\nb,\nc,y\n", "new.csv: row 2 below the header, column prediction: empty"),
        ("id,new\na,x\nb,y\nc,y\n", "new.csv: line 1: no column prediction"),
    ],
)
def test_two_files_that_do_not_fit_are_refused(two, tmp_path, new, message):
    assert message.replace("FOLDER", tmp_path.as_posix()) in refusal(two(OLD, new))


def test_confidences_of_the_later_file_are_ignored(two):
    new = "id,label,confidence,prediction\na,x,,x\nb,y,high,y\nc,y,,y\n"
    _, columns = read(two(OLD, new))
    assert columns == [["x", "y", "y"]] * 3


def test_predictions_without_every_new_answer_are_refused_when_all_are_needed(one):
    entry = one("id,label,old\na,x,x\nb,y,y\nc,y,y\n")
    case = describe("mine", entry, asking=True)
    with pytest.raises(InputError, match=r"mine\.csv: line 1: no column new, found 'id,label,old'"):
        own_replay_table(case, entry, 0)
    entry["answers"] = one("id,new\na,x\n", "answers.csv")["predictions"]
    case = describe("mine", entry, asking=True)
    with pytest.raises(InputError) as caught:
        own_replay_table(case, entry, 0)
    assert str(caught.value) == (
        f"{entry['answers']}: 2 ids of {entry['predictions']} are not in it (the first is 'b'), expected all"
    )


def test_two_items_are_enough(one):
    entry = one("id,label,old,new\n1,a,a,b\n2,b,b,b\n")
    table = own_replay_table(describe("mine", entry), entry, 0)
    assert table.to_numpy().tolist() == [["none", 0, 0, 0, 1, 1], ["none", 1, 0, 1, 1, 1]]


def test_a_thousand_classes_are_counted(one, tmp_path):
    rows = "".join(f"{n},class {n % 1000},class {n % 1000},class {n * 7 % 1000}\n" for n in range(4000))
    entry = one("id,label,old,new\n" + rows)
    case = describe("mine", entry)
    assert len(case.labels) == 1000
    table = own_replay_table(case, entry, 0)
    write_replay_table(table, tmp_path / "replay.csv", case)
    assert table["items"].sum() == 4000


def test_free_text_is_not_taken_for_labels(one):
    rows = "".join(f"{n},{n % 2},{n % 2},some answer {n}\n" for n in range(MOST_LABELS + 1))
    assert "is there free text among them?" in refusal(one("id,label,old,new\n" + rows))


@pytest.mark.parametrize("items", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_the_end_of_a_block_is_nothing_special(one, items):
    rows = "".join(f"{n},{n % 2},{n % 2},{n % 3}\n" for n in range(items))
    assert describe("mine", one("id,label,old,new\n" + rows)).items == items
    broken = rows + "last,0,1\n"
    assert f"row {items + 1} below the header: 3 cells" in refusal(one("id,label,old,new\n" + broken))


def test_names_and_price_come_from_the_config(one):
    entry = one(REVIEWS) | {"api": "Mine", "dataset": "REVIEWS", "price_per_10k": 2}
    case = describe("mine", entry)
    assert (case.api, case.dataset, case.price_per_10k) == ("Mine", "REVIEWS", 2.0)
    assert difficulty_sources(one("id,label,old,new\n")) == ("none",)


def test_cases_are_written_as_they_are_read(tmp_path):
    cases = read_cases("config/cases.csv")
    write_cases(cases.values(), tmp_path / "cases.csv")
    assert read_cases(tmp_path / "cases.csv") == cases
    odd = replace(cases["amazon_yelp"], labels=("\\;", "b\\"), predicted_labels=("\\;", "b\\", ";;"))
    write_cases([odd], tmp_path / "cases.csv")
    assert read_cases(Path(tmp_path / "cases.csv"))["amazon_yelp"] == odd


@pytest.mark.parametrize(
    ("entry", "found"),
    [({}, "no file"), ({"old": "a"}, "old"), ({"predictions": "a", "new": "b"}, "new and predictions")],
)
def test_one_file_or_two_must_be_named(entry, found):
    with pytest.raises(InputError) as caught:
        describe("mine", entry)
    assert str(caught.value) == (
        f"config: key data.own.mine: found {found}, allowed are predictions and perhaps answers, or old and new"
    )
