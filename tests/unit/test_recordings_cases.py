"""The table of cases, and what is refused in it."""

import csv
from pathlib import Path

import pytest

from adaptive_sampling.cases import COLUMNS, read_cases
from adaptive_sampling.errors import InputError

TABLE = Path(__file__).parents[2] / "config/cases.csv"


@pytest.fixture
def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(path: Path, rows: list[dict[str, str]], columns: tuple[str, ...] = COLUMNS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_paper_s_pairs_are_all_there() -> None:
    cases = read_cases(TABLE)
    paper = [case for case in cases.values() if case.published_api]
    assert len(paper) == 36
    assert len({(case.api, case.dataset) for case in paper}) == 36
    assert sum(case.shifted for case in paper) == 12
    assert [case.case for case in cases.values() if case.source == "recorded"] == [
        "openai_gpt4",
        "openai_gpt35",
    ]
    assert {case.source for case in paper if case.shifted} == {"reconstructed"}


def test_table_1_is_consistent() -> None:
    """The paper's saving is 1 - MASA / (U or S), as far as its rounding to a per cent lets one see."""
    for case in read_cases(TABLE).values():
        figures = (case.paper_masa, case.paper_uniform_stratified, case.paper_save)
        assert (case.shifted and case.source == "reconstructed") == (None not in figures)
        if case.paper_masa and case.paper_uniform_stratified and case.paper_save:
            saved = 100 * (1 - case.paper_masa / case.paper_uniform_stratified)
            assert abs(saved - case.paper_save) < 1.0, case.case


def test_names_differ_between_the_sources() -> None:
    cases = read_cases(TABLE)
    names = {
        (case.dataset, case.frugalml_dataset, case.published_dataset)
        for case in cases.values()
        if case.dataset in ("AMNIST", "FER+", "CMD", "AFNET")
    }
    assert names == {
        ("AMNIST", "AUDIOMNIST", "AMNIST"),
        ("FER+", "FERPLUS", "FER+"),
        ("CMD", "COMMAND", "COMMAND"),
        ("AFNET", "AFFECTNET", "AFFECTNET"),
    }
    assert cases["facepp_afnet"].published_api == "FacePP"


def test_the_digits_have_an_answer_outside_the_labels() -> None:
    case = read_cases(TABLE)["google_digit"]
    assert case.labels == ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    assert case.predicted_labels == (*case.labels, "empty")


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("case", "Amazon YELP", "lower-case letters"),
        ("task", "nlp", "one of sa, fer, scr, llm"),
        ("api", "", "a name"),
        ("items", "0", "at least 1"),
        ("items", "2e4", "at least 1"),
        ("labels", "positive", "two or more"),
        ("labels", "positive;positive", "two or more"),
        ("predicted_labels", "negative;positive", "the true labels first"),
        ("price_per_10k", "-1", "a price"),
        ("price_per_10k", "nan", "a price"),
        ("source", "guessed", "one of reconstructed, recorded, own predictions, published"),
        ("frugalml_model", "four", "a whole number or nothing"),
        ("shifted", "maybe", "one of yes, no"),
        ("paper_masa", "4.5K", "a whole number or nothing"),
        ("paper_save", "101", "at most 100"),
    ],
)
def test_a_wrong_cell_is_named(
    rows: list[dict[str, str]], tmp_path: Path, column: str, cell: str, expected: str
) -> None:
    rows[2][column] = cell
    with pytest.raises(InputError) as caught:
        read_cases(written(tmp_path / "cases.csv", rows))
    message = str(caught.value)
    assert f"line 4, column {column}: found {cell!r}" in message
    assert expected in message


def test_a_name_twice_is_refused(rows: list[dict[str, str]], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 40, column case: found 'amazon_yelp' a second time"):
        read_cases(written(tmp_path / "cases.csv", [*rows, rows[0]]))


def test_columns_must_be_those_of_a_case(rows: list[dict[str, str]], tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    with pytest.raises(InputError, match="column items: missing"):
        read_cases(written(path, rows, tuple(name for name in COLUMNS if name != "items")))
    with pytest.raises(InputError, match="column extra: unknown"):
        read_cases(written(path, rows, (*COLUMNS, "extra")))
    with pytest.raises(InputError, match="line 1: columns are"):
        read_cases(written(path, rows, COLUMNS[::-1]))


def test_files_that_are_no_table_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    with pytest.raises(InputError, match="no such file"):
        read_cases(path)
    path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="no case in it"):
        read_cases(path)
    path.write_text(",".join(COLUMNS) + "\na,b\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2: found 2 cells, expected 18"):
        read_cases(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_cases(path)
