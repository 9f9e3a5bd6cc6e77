"""A replay table from a user's own predictions."""

import csv
from pathlib import Path

import numpy as np
import pytest

from adaptive_sampling.cases import COLUMNS, read_cases
from adaptive_sampling.recordings.own import main
from adaptive_sampling.recordings.replay import read_replay_table

ROW = {
    "case": "my_api",
    "task": "sa",
    "api": "Mine",
    "dataset": "REVIEWS",
    "items": "4",
    "labels": "good;bad",
    "predicted_labels": "good;bad;unsure",
    "price_per_10k": "1",
    "source": "recorded",
    "shifted": "no",
}
PREDICTIONS = """label,old,new,confidence
good,good,good,0.9
good,unsure,good,0.1
bad,bad,bad,0.4
bad,bad,unsure,0.2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with (tmp_path / "cases.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerow(ROW)
    (tmp_path / "mine.csv").write_text(PREDICTIONS, encoding="utf-8")
    return tmp_path


def run(folder: Path, *extra: str) -> int:
    fixed = [
        "--cases",
        f"{folder}/cases.csv",
        "--predictions",
        f"{folder}/mine.csv",
        "--out",
        f"{folder}/out",
    ]
    return main([*fixed, *extra])


def test_predictions_become_a_replay_table(folder: Path) -> None:
    assert run(folder, "--case", "my_api", "--difficulty", "old_api_confidence") == 0
    case = read_cases(folder / "cases.csv")["my_api"]
    table = read_replay_table(folder / "out/my_api.csv", case)
    assert table.to_numpy().tolist() == [
        ["old_api_confidence", 0, 0, 2, 0, 1],
        ["old_api_confidence", 0, 60, 0, 0, 1],
        ["old_api_confidence", 1, 0, 1, 2, 1],
        ["old_api_confidence", 1, 60, 1, 1, 1],
    ]


def test_without_confidence_difficulty_is_none(folder: Path) -> None:
    lines = [line.rpartition(",")[0] for line in PREDICTIONS.splitlines()]
    (folder / "mine.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run(folder, "--case", "my_api") == 0
    table = read_replay_table(folder / "out/my_api.csv", read_cases(folder / "cases.csv")["my_api"])
    assert set(table["difficulty"]) == {"none"}
    assert np.array_equal(np.sort(table["level"]), [0, 0, 60, 60])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bad,bad,unsure,0.2\n", "", "3 rows, expected 4"),
        (
            "bad,bad,unsure",
            "bad,bad,perhaps",
            "column new, row 5: found 'perhaps', allowed are good, bad, unsure",
        ),
        ("bad,bad,bad", "unsure,bad,bad", "column label, row 4: found 'unsure', allowed are good, bad"),
        ("0.9", "high", "column confidence, row 2: found 'high'"),
        ("label,", "truth,", "columns are truth,old,new,confidence, expected label,old,new,confidence"),
    ],
)
def test_a_wrong_file_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    (folder / "mine.csv").write_text(PREDICTIONS.replace(old, new), encoding="utf-8")
    assert run(folder, "--case", "my_api", "--difficulty", "old_api_confidence") == 2
    assert message in capsys.readouterr().err


def test_an_unknown_case_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--case", "yours") == 2
    assert "--case: found yours, allowed are my_api" in capsys.readouterr().err
