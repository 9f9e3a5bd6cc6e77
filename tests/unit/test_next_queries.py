"""Asking an API batch by batch: the paper's own order for batches of one, and estimates that end at the truth."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.literal import masa_on

from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.own import UNANSWERED, OwnPredictions, describe, own_replay_table, read_own
from adaptive_sampling.recordings.replay_format import LEVELS
from adaptive_sampling.shift.confusion import confusion
from adaptive_sampling.shift.next_queries import (
    ASK_COLUMNS,
    SHIFT_COLUMNS,
    SO_FAR_COLUMNS,
    Strata,
    ask,
    next_strata,
    shift_so_far,
    so_far,
    strata_of,
)
from adaptive_sampling.tables import read_table, write_table

SETTING = {"difficulty": "confidence", "K": 3, "seed": 5}


@pytest.fixture
def campaign(tmp_path):
    """Return the section of the config of 120 items, and what the API would answer to each."""
    rng = np.random.default_rng(3)
    label = rng.choice(["a", "b"], 120, p=[0.7, 0.3])
    old = np.where(rng.random(120) < 0.8, label, "b")
    new = pd.Series(np.where(rng.random(120) < 0.6, old, rng.choice(["a", "b", "none"], 120)), name="new")
    new.index = [f"item {n}" for n in range(120)]
    items = pd.DataFrame({"id": new.index, "label": label, "old": old, "confidence": rng.random(120)})
    items.to_csv(tmp_path / "mine.csv", index=False)
    entry = {
        "predictions": (tmp_path / "mine.csv").as_posix(),
        "answers": (tmp_path / "answers.csv").as_posix(),
    }
    answer(entry, new, [])
    return entry, new


def answer(entry, new, ids):
    new.loc[ids].rename_axis("id").reset_index().to_csv(entry["answers"], index=False)


def read(entry):
    case = describe("mine", entry, asking=True)
    own = read_own(case, entry, asking=True)
    return case, own, strata_of(own, case, **SETTING)


def next_items(entry, queries):
    case, own, strata = read(entry)
    return ask(own, case, strata, a=1.0, queries=queries, seed=5)


def test_batches_of_one_are_algorithm_1(campaign):
    entry, new = campaign
    _, own, strata = read(entry)
    # Each stratum's items in the order in which they come up do not depend on what is answered.
    order = next_items(entry, 120)["id"]
    place = strata.of_item[own.ids.get_indexer(order)]
    names = sorted(set(new))
    stream = [iter([names.index(new[name]) for name in order[place == g]]) for g in range(len(strata.size))]
    wanted = masa_on(stream, strata.size.tolist(), 120, a=1.0, as_printed=False, replacement=False)
    asked = []
    for stratum in wanted:
        [name] = next_items(entry, 1)["id"]
        assert strata.of_item[own.ids.get_loc(name)] == stratum, len(asked)
        asked.append(name)
        answer(entry, new, asked)
    assert len(asked) == 120
    assert next_items(entry, 1).empty


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(0, 9)).map(
            lambda t: (t[0] + t[1] + t[2] + 1, t[1], t[2])
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.integers(0, 60),
)
def test_a_batch_is_a_greedy_choice(rows, a, queries):
    size, *answers = np.array(rows).T
    G = len(size)
    strata = Strata(
        np.empty(0, np.int64), np.zeros(G, np.int64), np.arange(G), size, np.stack(answers, axis=1)
    )
    n = [sum(h) for h in strata.frequency.tolist()]
    sigma = [
        (2 * x * y / ((x + y) * (x + y - 1))) ** 0.5 if x + y > 1 else 1.0
        for x, y in zip(*answers, strict=True)
    ]
    chosen = next_strata(strata, a, queries)
    assert len(chosen) == min(queries, size.sum() - sum(n))
    for g in chosen:
        able = [k for k in range(G) if n[k] < size[k]]
        fewest = min(n[k] for k in able)
        if fewest < 2:
            assert g == min(k for k in able if n[k] == fewest)
        else:
            score = [size[k] / size.sum() / n[k] * (sigma[k] + (a / n[k]) ** 0.25) for k in range(G)]
            assert score[g] == pytest.approx(max(score[k] for k in able), rel=1e-12)
        n[g] += 1


def test_a_batch_names_new_items_and_repeats_those_without_an_answer(campaign):
    entry, new = campaign
    batch = next_items(entry, 40)
    assert list(batch) == list(ASK_COLUMNS)
    assert batch["id"].is_unique
    answer(entry, new, batch["id"][:25])
    again = next_items(entry, 95)["id"]
    assert set(again) == set(new.index) - set(batch["id"][:25])
    assert set(batch["id"][25:]) <= set(again)


def test_strata_are_those_of_the_replay_table(campaign):
    entry, new = campaign
    answer(entry, new, new.index)
    case, _, strata = read(entry)
    table = own_replay_table(case, entry, SETTING["seed"])
    table = table[table["difficulty"] == "confidence"]
    part = table["level"] * SETTING["K"] // LEVELS
    counts = table.groupby([table["label"], part.rename("part"), "new"])["items"].sum()
    for g, (i, k) in enumerate(zip(strata.label, strata.difficulty)):
        for j, count in enumerate(strata.frequency[g]):
            assert counts.get((i, k, j), 0) == count


def test_all_answers_give_the_truth(campaign, tmp_path):
    entry, new = campaign
    answer(entry, new, new.index)
    case, own, strata = read(entry)
    shift = shift_so_far(own, case, strata)
    counted = confusion(own_replay_table(case, entry, 0), case)
    merged = counted.merge(shift, on=["label", "predicted"], how="left", suffixes=("", "_so_far")).fillna(0)
    np.testing.assert_allclose(merged["new_so_far"], merged["new"], atol=1e-12)
    np.testing.assert_allclose(merged["old_so_far"], merged["old"], atol=1e-12)
    [row] = so_far(own, case, strata, 0.1).to_dict("records")
    assert row["accuracy_new"] == pytest.approx((own.new == own.labels).mean())
    assert (row["answered"], row["expected_error"], row["change_se"]) == (120, 0.0, 0.0)
    for name, table, columns in (
        ("shift.csv", shift, SHIFT_COLUMNS),
        ("so_far.csv", so_far(own, case, strata, 0.1), SO_FAR_COLUMNS),
        ("ask.csv", next_items(entry, 5), ASK_COLUMNS),
    ):
        write_table(table, tmp_path / name)
        read_table(tmp_path / name, columns)


def test_without_answers_nothing_is_claimed(campaign, tmp_path):
    case, own, strata = read(campaign[0])
    row = so_far(own, case, strata, 0.1)
    assert row["answered"].item() == 0
    assert row[["accuracy_new", "change", "change_se", "expected_error"]].isna().all(axis=None)
    assert shift_so_far(own, case, strata)[["new", "shift"]].isna().all(axis=None)
    write_table(row, tmp_path / "so_far.csv")
    read_table(tmp_path / "so_far.csv", SO_FAR_COLUMNS)


def test_the_expected_error_is_that_over_all_possible_samples():
    """Brute force: two strata of 4 and 3 items, two answers of each, every pair equally likely."""
    labels, new = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 2, 1, 0, 1])
    case = describe_in_memory(labels, new)
    truth = np.zeros((2, 3))
    np.add.at(truth, (labels, new), 1 / 7)
    predicted, actual, variance, accuracy = [], [], [], []
    for first in combinations(range(4), 2):
        for second in combinations(range(4, 7), 2):
            seen = np.full(7, UNANSWERED)
            seen[[*first, *second]] = new[[*first, *second]]
            own = OwnPredictions(pd.Index([*"abcdefg"]), labels, labels, seen, None)
            strata = strata_of(own, case, difficulty="none", K=1, seed=0)
            row = so_far(own, case, strata, 0.1).iloc[0]
            predicted.append(row["expected_error"] ** 2)
            variance.append(row["change_se"] ** 2)
            accuracy.append(row["accuracy_new"])
            estimate = np.zeros((2, 3))
            cells = shift_so_far(own, case, strata)
            np.add.at(
                estimate,
                (cells["label"].astype(int), cells["predicted"].astype(int)),
                cells["new"].to_numpy(),
            )
            actual.append(((estimate - truth) ** 2).sum())
    assert np.mean(predicted) == pytest.approx(np.mean(actual), rel=1e-12)
    assert np.mean(accuracy) == pytest.approx((labels == new).mean())
    assert np.mean(variance) == pytest.approx(np.var(accuracy), rel=1e-12)


def describe_in_memory(labels, new):
    from dataclasses import replace

    from adaptive_sampling.cases import read_cases

    shipped = read_cases("config/cases.csv")["amazon_yelp"]
    return replace(
        shipped, case="mine", items=len(labels), labels=("0", "1"), predicted_labels=("0", "1", "2")
    )


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("id,new\nitem 1,a\nitem 1,a\n", "id 'item 1' stands there twice"),
        ("id,new\nitem 1,a\nitem 500,a\n", "1 ids are not in FOLDER/mine.csv (the first is 'item 500')"),
        ("id,new\nitem 1,\n", "row 1 below the header, column new: empty"),
        ("id,answer\nitem 1,a\n", "no column new, found 'id,answer', expected id,new"),
        ("", "line 1: no column id"),
    ],
)
def test_answers_that_cannot_be_used_are_refused(campaign, tmp_path, answers, message):
    entry, _ = campaign
    Path(entry["answers"]).write_text(answers)
    with pytest.raises(InputError) as caught:
        read(entry)
    assert message.replace("FOLDER", tmp_path.as_posix()) in str(caught.value)
    assert "answers.csv" in str(caught.value)


def test_files_are_named_by_what_they_lack(campaign, tmp_path):
    entry, new = campaign
    with pytest.raises(InputError, match=r"no column new.*next_queries"):
        describe("mine", {"predictions": entry["predictions"]})
    answer(entry, new, new.index[:7])
    with pytest.raises(InputError, match="7 items, expected the 120"):
        describe("mine", entry)
    both = tmp_path / "both.csv"
    both.write_text("id,label,old,new\n1,a,a,a\n2,b,b,b\n")
    with pytest.raises(InputError, match="column new holds every new answer"):
        describe("mine", {"predictions": both.as_posix()}, asking=True)
    with pytest.raises(InputError, match=r"found new and old, allowed are predictions and perhaps answers$"):
        describe("mine", {"old": "a", "new": "b"}, asking=True)


def test_complete_answers_are_as_good_as_a_column(campaign, tmp_path):
    entry, new = campaign
    answer(entry, new, new.index[::-1])
    items = pd.read_csv(entry["predictions"])
    items.assign(new=items["id"].map(new)).to_csv(tmp_path / "whole.csv", index=False)
    whole = {"predictions": (tmp_path / "whole.csv").as_posix()}
    assert own_replay_table(describe("mine", entry), entry, 5).equals(
        own_replay_table(describe("mine", whole), whole, 5)
    )
