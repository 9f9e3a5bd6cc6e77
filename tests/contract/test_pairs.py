"""The committed tables of pairs that hardly moved: their contract, what is published about them, and a rebuild."""

import os
from pathlib import Path

import pandas as pd
import pytest

from adaptive_sampling.beyond.pairs import main, possible
from adaptive_sampling.beyond.planning import pair_cases
from adaptive_sampling.cases import read_cases
from adaptive_sampling.recordings.published import PublishedPair
from adaptive_sampling.recordings.replay import read_replay_table

ROOT = Path(__file__).parents[2]
PAIRS = {case.case: case for case in pair_cases(read_cases(ROOT / "config/cases.csv"))}
ACCURACY = pd.read_csv(ROOT / "data/published/accuracy.csv", index_col="case")
MIRROR = Path(os.environ.get("MIRROR", ROOT / "../shared/mirror"))


def test_there_is_a_table_for_every_pair_and_no_other_file() -> None:
    assert len(PAIRS) == 21
    assert sorted(path.stem for path in (ROOT / "data/pairs").iterdir()) == sorted(PAIRS)


@pytest.mark.parametrize("name", PAIRS)
def test_every_table_has_the_published_accuracies_and_overlap(name: str) -> None:
    case, row = PAIRS[name], ACCURACY.loc[name]
    table = read_replay_table(ROOT / f"data/pairs/{name}.csv", case)
    assert set(table["difficulty"]) == {"old_api_confidence"}
    items = table["items"]
    assert items.sum() == case.items
    for column, year in (("old", 2020), ("new", 2021)):
        right = items[table[column] == table["label"]].sum()
        assert right == round(case.items * row[f"accuracy_{year}"])
    changed = items[table["old"] != table["new"]].sum()
    # One published overlap leaves fewer changes than the accuracy moved by.
    assert changed == (101 if name == "facepp_rafdb" else round(case.items * (1 - row["overlap"])))


def test_an_overlap_that_can_be_is_kept() -> None:
    assert possible(PublishedPair(0.5, 0.6, 0.8), 100).overlap == pytest.approx(0.8)


@pytest.mark.mirror
@pytest.mark.skipif(not MIRROR.is_dir(), reason=f"no public recordings at {MIRROR} (set MIRROR)")
def test_the_committed_tables_are_what_a_rebuild_writes(tmp_path: Path) -> None:
    assert (
        main(["--mirror", str(MIRROR), "--out", str(tmp_path), "--cases", str(ROOT / "config/cases.csv")])
        == 0
    )
    for name in PAIRS:
        assert (tmp_path / f"{name}.csv").read_bytes() == (ROOT / f"data/pairs/{name}.csv").read_bytes(), name
