"""The contract of a replay table: everything that can be wrong with a file is refused in one sentence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay import build_replay_table, read_replay_table, write_replay_table
from adaptive_sampling.recordings.replay_format import check_replay_table, read_replay_columns

CASES = read_cases(Path(__file__).parents[2] / "config/cases.csv")
CASE = replace(CASES["amazon_yelp"], items=10)

GOOD = """difficulty,label,level,old,new,items
none,0,0,0,0,3
none,0,60,0,1,2
none,1,119,1,0,5
trial,0,0,0,0,1
trial,0,0,0,1,2
trial,0,7,0,0,2
trial,1,119,1,0,5
"""


def checked(tmp_path: Path, text: str, case: Case = CASE) -> tuple[str, ...]:
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    return check_replay_table(path, case)


def test_a_good_table_names_its_difficulties(tmp_path: Path) -> None:
    assert checked(tmp_path, GOOD) == ("none", "trial")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("items\n", "count\n", "line 1: found 'difficulty,label,level,old,new,count', expected"),
        ("none,0,0,0,0,3", "none,0,0,0,0,x", "line 2, column items: found 'x', expected a whole number"),
        ("none,0,0,0,0,3", "none,0,0,0,0,3.0", "line 2, column items: found '3.0'"),
        ("none,0,0,0,0,3", "none,0,0,0,0,03", "line 2, column items: found '03'"),
        (
            "none,0,0,0,0,3",
            f"none,0,0,0,0,{10**16}",
            "line 2, column items: found '10000000000000000', expected",
        ),
        ("none,0,0,0,0,3", "none,0,-1,0,0,3", "line 2, column level: found '-1'"),
        ("none,0,0,0,0,3", "none,0,0,0,0, 3", "line 2, column items: found ' 3'"),
        ("none,0,0,0,0,3", "None,0,0,0,0,3", "line 2, column difficulty: found 'None'"),
        ("none,0,0,0,0,3", "none,0,0,0,0", "line 2: found 'none,0,0,0,0', expected 6 cells"),
        ("none,0,0,0,0,3", "", "line 2: found '', expected 6 cells"),
        ("none,0,60,0,1,2", "none,0,120,0,1,2", "line 3, column level: found 120, expected 0 to 119"),
        ("none,1,119,1,0,5", "none,2,119,1,0,5", "line 4, column label: found 2, expected 0 to 1"),
        ("none,1,119,1,0,5", "none,1,119,2,0,5", "line 4, column old: found 2, expected 0 to 1"),
        ("none,1,119,1,0,5", "none,1,119,1,9,5", "line 4, column new: found 9, expected 0 to 1"),
        ("none,0,60,0,1,2", "none,0,60,0,1,0", "line 3, column items: found 0, expected at least 1"),
        ("none,0,60,0,1,2", "none,0,0,0,0,2", "line 3: the same as the line before"),
        ("none,1,119,1,0,5", "none,0,59,1,0,5", "line 4: out of order"),
        ("none,1,119,1,0,5\n", "", "difficulty none: 5 items, expected 10 of case amazon_yelp"),
        ("trial,0,0,0,1,2", "trial,0,0,1,1,2", "label 0, old 0, new 1: 2 items under difficulty none but 0"),
        (
            "trial,0,7,0,0,2\ntrial,1,119,1,0,5\n",
            "trial,0,7,0,0,2\ntr",
            "line 8: the last line 'tr' has no end",
        ),
        ("trial,1,119,1,0,5\n", "trial,1,119,1,0,5", "has no end: the table is cut short"),
        ("\n", "\r\n", "line 1: found"),
    ],
)
def test_each_fault_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        checked(tmp_path, GOOD.replace(old, new))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        check_replay_table(tmp_path / "absent.csv", CASE)
    with pytest.raises(InputError, match="line 1: found ''"):
        checked(tmp_path, "")
    with pytest.raises(InputError, match="no rows below the header"):
        checked(tmp_path, GOOD[: GOOD.index("\n") + 1])
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xff\n")
    with pytest.raises(InputError, match="not UTF-8"):
        check_replay_table(tmp_path / "bytes.csv", CASE)


@given(cut=st.integers(1, len(GOOD) - 1))
def test_no_prefix_of_a_table_passes(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    """A copy that stopped anywhere is noticed, unless it lost a whole difficulty source."""
    end_of_first = GOOD.index("trial")
    text = GOOD[:cut]
    if cut == end_of_first:
        return
    with pytest.raises(InputError):
        checked(tmp_path_factory.mktemp("prefix"), text)


@given(
    items=st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=1,
        max_size=300,
    ),
    seed=st.integers(0, 1000),
)
def test_what_is_built_passes_and_comes_back(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[int, int, int, float]], seed: int
) -> None:
    label, old, new, confidence = (np.array(column) for column in zip(*items))
    case = replace(CASE, items=len(items))
    table = build_replay_table(case, label, old, new, {"none": None, "cheap": confidence}, seed)
    path = tmp_path_factory.mktemp("built") / "table.csv"
    write_replay_table(table, path, case)
    assert read_replay_table(path, case).equals(table)
    assert table.dtypes.astype(str).tolist() == ["str"] + ["int64"] * 5
    for _, rows in table.groupby("difficulty"):
        for (i, before, now), counts in rows.groupby(["label", "old", "new"]):
            expected = np.count_nonzero((label == i) & (old == before) & (new == now))
            assert counts["items"].sum() == expected


def test_arrays_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match=r"new has shape \(3,\), expected \(10,\)"):
        build_replay_table(CASE, np.zeros(10, int), np.zeros(10, int), np.zeros(3, int), {"none": None}, 0)


def test_columns_come_as_written(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(GOOD, encoding="utf-8")
    columns = read_replay_columns(tmp_path / "table.csv")
    assert list(zip(*columns))[1] == ("none", 0, 60, 0, 1, 2)
