"""Tables are written whole and checked when read."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from adaptive_sampling import tables
from adaptive_sampling.errors import InputError
from adaptive_sampling.tables import read_table, write_table, write_text, written_whole

COLUMNS = {"name": "text", "n": "integer", "x": "number", "maybe": "integer?", "yes": "flag"}
GOOD = "name,n,x,maybe,yes\na,1,0.5,,True\nb,2,1e-05,7,False\n"


def test_written_tables_come_back(tmp_path):
    table = pd.DataFrame(
        {
            "name": ["a", "é"],
            "n": [1, 2],
            "x": [1 / 3, 1e-5],
            "maybe": pd.array([None, 7], "Int64"),
            "yes": [True, False],
        }
    )
    write_table(table, tmp_path / "new" / "t.csv")
    assert (
        (tmp_path / "new" / "t.csv").read_bytes().startswith(b"name,n,x,maybe,yes\na,1,0.3333333333,,True\n")
    )
    back = read_table(tmp_path / "new" / "t.csv", COLUMNS, rows=2)
    assert back["name"].tolist() == ["a", "é"]
    assert back["x"].tolist() == [0.3333333333, 1e-5]
    assert back["maybe"].isna().tolist() == [True, False]
    assert back["yes"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("name,n", "name,m"), "columns are name,m,x,maybe,yes, expected name,n,x,maybe,yes"),
        (GOOD.replace("b,2,", "b,2.5,"), "column n, row 3: found '2.5', expected integer"),
        (GOOD.replace("1e-05", "one"), "column x, row 3: found 'one', expected number"),
        (GOOD.replace("a,1,", "a,,"), "column n, row 2: empty, expected integer"),
        (GOOD.replace("False", "no"), "column yes, row 3: found 'no', expected flag"),
        (GOOD.rpartition("b,2")[0], "1 rows, expected 2: the file is cut short or mixed up"),
        (GOOD + "c,1,2,3,True,9\n", "row 4: 6 cells, expected 5"),
        ("", "not a readable CSV table"),
    ],
)
def test_a_table_off_its_contract_is_refused(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_table(path, COLUMNS, rows=2)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "none.csv", COLUMNS)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("old")

    def fail_half_way():
        with written_whole(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


WRITER = """
import sys, time
from adaptive_sampling.tables import written_whole
with written_whole(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print(temporary, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def writer():
    """Return a function that starts a process in the midst of writing a file, and gives it and its temporary file."""
    started = []

    def start(path):
        process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process, Path(process.stdout.readline().strip())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_what_a_killed_writer_left_is_removed_by_the_next_of_the_same_file(tmp_path, writer):
    path = tmp_path / "a [1].csv"
    others = [tmp_path / name for name in ("b.csv", "a [1]-b.csv", "a [1].md", "a 1.csv")]
    left = {}
    for target in (path, *others):
        process, left[target] = writer(target)
        process.kill()
        process.wait()
    assert all(name.read_text() == "half" for name in left.values())
    write_text("whole", path)
    assert set(tmp_path.iterdir()) == {path, *(left[other] for other in others)}
    assert path.read_text() == "whole"


def test_what_another_writer_is_writing_is_left_alone(tmp_path, writer):
    path = tmp_path / "a.csv"
    process, temporary = writer(path)
    write_text("whole", path)
    assert (path.read_text(), temporary.read_text()) == ("whole", "half")
    process.kill()
    process.wait()
    write_text("again", path)
    assert list(tmp_path.iterdir()) == [path]


WRITERS = """
import sys
from adaptive_sampling.tables import write_text
for _ in range(300):
    write_text(sys.argv[2] * 1000, sys.argv[1])
"""


def test_many_writers_of_one_file_end_with_one_whole_file(tmp_path):
    path = tmp_path / "a.txt"
    writers = [subprocess.Popen([sys.executable, "-c", WRITERS, path, text]) for text in "abcd"]
    assert [process.wait(timeout=60) for process in writers] == [0] * 4
    assert path.read_text() in {text * 1000 for text in "abcd"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_taken_for_a_leftover_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    taken = []

    def lock(handle, *, wait):
        if wait and not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        return wait

    monkeypatch.setattr(tables, "_lock", lock)
    write_text("whole", tmp_path / "a.txt")
    assert len(taken) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "whole"
