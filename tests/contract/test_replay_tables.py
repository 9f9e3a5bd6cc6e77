"""The committed replay tables: their contract, what is published about them, and where they come from."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adaptive_sampling.cases import read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.facts import Facts, facts_table, replay_facts
from adaptive_sampling.recordings.flip_curve import curve_table, fit_slope, quintile_rates, sampled_changes
from adaptive_sampling.recordings.frugalml import correct_answers, read_names, read_recording
from adaptive_sampling.recordings.published import COMMAND_ROWS, published_pair, read_published, read_sample
from adaptive_sampling.recordings.rebuild import later_answers, main
from adaptive_sampling.recordings.reconstruct import (
    EMPTY_SLOPE,
    POOLED_OTHER,
    SLOPES,
    ReconstructionChoices,
    find_anchors,
)
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.recordings.replay_format import LEVELS, check_replay_table

ROOT = Path(__file__).parents[2]
REPLAY = ROOT / "data/replay"
CASES = read_cases(ROOT / "config/cases.csv")
REPLAYED = [name for name, case in CASES.items() if case.source != "published"]
RECONSTRUCTED = [name for name, case in CASES.items() if case.source == "reconstructed"]
ACCURACY = pd.read_csv(ROOT / "data/published/accuracy.csv", index_col="case")

MIRROR = Path(os.environ.get("MIRROR", ROOT / "../shared/mirror"))
needs_mirror = [
    pytest.mark.mirror,
    pytest.mark.skipif(not MIRROR.is_dir(), reason=f"no public recordings at {MIRROR} (set MIRROR)"),
]


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return {name: read_replay_table(REPLAY / f"{name}.csv", CASES[name]) for name in REPLAYED}


@pytest.fixture(scope="module")
def facts(tables: dict[str, pd.DataFrame]) -> dict[str, Facts]:
    return {name: replay_facts(table, CASES[name]) for name, table in tables.items()}


def test_there_is_a_table_for_every_case_and_no_other_file() -> None:
    assert sorted(path.name for path in REPLAY.iterdir()) == sorted(f"{name}.csv" for name in REPLAYED)


@pytest.mark.parametrize("name", REPLAYED)
def test_every_table_keeps_the_contract(name: str) -> None:
    difficulties = {
        "reconstructed": ("old_api_confidence", "open_source_model"),
        "recorded": ("none", "trial_division"),
    }
    assert check_replay_table(REPLAY / f"{name}.csv", CASES[name]) == difficulties[CASES[name].source]


@pytest.mark.parametrize("name", REPLAYED)
def test_levels_are_ranks_cut_into_equal_parts(name: str, tables: dict[str, pd.DataFrame]) -> None:
    """Ties too: WAIMAI's cheap model gives 85 values to 11,987 items, and no level is empty."""
    for _, rows in tables[name].groupby("difficulty"):
        for _, of_label in rows.groupby("label"):
            n = int(of_label["items"].sum())
            expected = np.bincount(np.arange(n) * LEVELS // n, minlength=LEVELS)
            found = of_label.groupby("level")["items"].sum().reindex(range(LEVELS), fill_value=0)
            assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("name", RECONSTRUCTED)
def test_accuracy_and_overlap_are_those_published(name: str, facts: dict[str, Facts]) -> None:
    published, found, items = ACCURACY.loc[name], facts[name], CASES[name].items
    assert np.trace(found.old) == round(items * published["accuracy_2020"])
    assert np.trace(found.new) == round(items * published["accuracy_2021"])
    changed = found.to_right + found.to_wrong + found.to_other
    assert changed == round(items * (1 - published["overlap"]))
    # Published shares are whole numbers of items; COMMAND's overlap is one of 64,180 items (0.4 off in 64,727).
    assert abs(changed - items * (1 - published["overlap"])) < (0.5 if name == "google_cmd" else 1e-6)


@pytest.mark.parametrize(
    ("name", "to_right", "to_wrong"),
    [
        ("amazon_yelp", 853, 451),
        ("amazon_imdb", 1965, 2236),
        ("amazon_waimai", 672, 369),
        ("amazon_shop", 2399, 1459),
    ],
)
def test_two_classes_have_one_solution(
    name: str, to_right: int, to_wrong: int, facts: dict[str, Facts]
) -> None:
    assert (facts[name].to_right, facts[name].to_wrong, facts[name].to_other) == (to_right, to_wrong, 0)


def test_yelp_gains_negatives_and_loses_positives(facts: dict[str, Facts]) -> None:
    """Figure 4: +2.66% and -0.64% of all texts. 402 in all leaves 531 and 129 as the nearest whole numbers."""
    positive, negative = facts["amazon_yelp"].gains
    assert (positive, negative) == (-129, 531)
    assert abs(100 * negative / 20_000 - 2.66) < 0.0051
    assert abs(100 * positive / 20_000 + 0.64) < 0.0051


def test_imdb_loses_positives(facts: dict[str, Facts]) -> None:
    """Figure 6: -5% of all texts are correct positives, while the accuracy falls by 1.1%."""
    positive, negative = facts["amazon_imdb"].gains
    assert positive == -0.05 * 25_000
    assert positive + negative == -271


def test_ferplus_improves_for_every_label(facts: dict[str, Facts]) -> None:
    """Appendix D of the MASA paper: where the accuracy rises, it can rise for each label."""
    assert (facts["microsoft_ferplus"].gains > 0).all()


def test_google_digit_gains_mostly_what_was_empty(tables: dict[str, pd.DataFrame]) -> None:
    """+24%, mostly from answers that were empty in 2020."""
    rows = tables["google_digit"]
    rows = rows[rows["difficulty"] == "open_source_model"]
    gained = rows[(rows["new"] == rows["label"]) & (rows["old"] != rows["label"])]
    from_empty = gained.loc[gained["old"] == 10, "items"].sum()
    assert gained["items"].sum() == 496
    assert from_empty / 496 > 0.9


def test_ibm_hears_four_as_five(facts: dict[str, Facts]) -> None:
    """-7%, and no confusion grows more than four heard as five: one factor of several, as Figure 1 says."""
    found = facts["ibm_amnist"]
    label, predicted, growth = found.largest_confusion
    assert (label, predicted) == (4, 5)
    assert growth == 427
    assert found.gains.sum() == -2125
    assert found.gains.argmin() == 4


def test_nobody_truly_says_nothing(facts: dict[str, Facts]) -> None:
    """Index 10 of the digits is predicted only: the confusion matrix is rectangular."""
    for name in ("ibm_digit", "google_digit", "microsoft_digit", "ibm_amnist", "google_amnist"):
        assert facts[name].old.shape == (10, 11)
        assert facts[name].old[:, 10].sum() > 0


def test_google_sees_no_disgust_and_no_fear(facts: dict[str, Facts]) -> None:
    found = facts["google_expw"]
    assert found.old[:, [1, 2]].sum() == found.new[:, [1, 2]].sum() == 0


@pytest.mark.parametrize(
    ("name", "march", "june", "equal"),
    [("openai_gpt4", 840, 502, 373), ("openai_gpt35", 518, 680, 293)],
)
def test_language_models_are_as_recorded(
    name: str, march: int, june: int, equal: int, facts: dict[str, Facts]
) -> None:
    found = facts[name]
    assert (np.trace(found.old), np.trace(found.new)) == (march, june)
    assert found.items - found.to_right - found.to_wrong - found.to_other == equal
    assert found.old.sum(axis=1).tolist() == [500, 500]


def test_published_accuracies_name_what_cannot_be_right() -> None:
    assert len(ACCURACY) == 36
    moved = (ACCURACY["accuracy_2021"] - ACCURACY["accuracy_2020"]).abs() > 0.01
    assert sorted(ACCURACY.index[moved]) == sorted(RECONSTRUCTED)
    remarks = ACCURACY["remark"].dropna().to_dict()
    assert remarks == {
        "google_cmd": "overlap measured on 64180 of the items",
        "ibm_cmd": "overlap measured on 64180 of the items",
        "microsoft_cmd": "overlap measured on 64180 of the items",
        "microsoft_rafdb": "overlap is the value of FER+",
        "facepp_afnet": "overlap is the value of EXPW",
        "facepp_rafdb": "accuracy moves by 101 items but overlap leaves 11 changed",
    }


def test_command_s_overlaps_agree_on_their_number_of_rows() -> None:
    """No other number of rows from 60,000 to 64,727 gives whole numbers of changes for all three APIs."""
    overlaps = ACCURACY.loc[["google_cmd", "ibm_cmd", "microsoft_cmd"], "overlap"].to_numpy()
    rows = np.arange(60_000, 64_728)
    changed = rows[:, None] * (1 - overlaps)
    whole = (np.abs(changed - np.round(changed)) < 1e-3).all(axis=1)
    assert rows[whole].tolist() == [COMMAND_ROWS]


def test_the_documentation_shows_these_tables() -> None:
    shown = (ROOT / "docs/reconstruction.md").read_text(encoding="utf-8")
    assert facts_table(list(CASES.values()), REPLAY) in shown


class TestMirror:
    """What only the public recordings themselves can show."""

    pytestmark = needs_mirror

    def test_the_committed_files_are_what_a_rebuild_writes(self, tmp_path: Path) -> None:
        out, published = tmp_path / "replay", tmp_path / "accuracy.csv"
        arguments = [
            "--mirror",
            MIRROR,
            "--out",
            out,
            "--published",
            published,
            "--cases",
            ROOT / "config/cases.csv",
        ]
        assert main([str(argument) for argument in arguments]) == 0
        assert published.read_bytes() == (ROOT / "data/published/accuracy.csv").read_bytes()
        for name in REPLAYED:
            assert (out / f"{name}.csv").read_bytes() == (REPLAY / f"{name}.csv").read_bytes(), name

    def test_a_case_does_not_depend_on_the_others(self, tmp_path: Path) -> None:
        arguments = ["--mirror", MIRROR, "--out", tmp_path, "--cases", ROOT / "config/cases.csv", "--only"]
        assert main([str(argument) for argument in [*arguments, "ibm_digit", "openai_gpt4"]]) == 0
        assert sorted(path.name for path in tmp_path.iterdir()) == ["ibm_digit.csv", "openai_gpt4.csv"]
        for path in tmp_path.iterdir():
            assert path.read_bytes() == (REPLAY / path.name).read_bytes()

    @pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.published_api])
    def test_recomputed_accuracies_of_2020_are_those_published(self, name: str) -> None:
        case = CASES[name]
        recomputed = correct_answers(MIRROR / "FrugalML", case) / case.items
        assert abs(recomputed - ACCURACY.loc[name, "accuracy_2020"]) < 5.1e-10

    @pytest.mark.parametrize("name", RECONSTRUCTED)
    def test_sampled_items_keep_their_recorded_answers(self, name: str) -> None:
        case = CASES[name]
        recording, new = later_answers(case, MIRROR, ReconstructionChoices())
        anchors = find_anchors(case, recording, read_sample(MIRROR / "hapi-explore", case))
        assert len(anchors.items) == (99 if case.dataset == "CMD" else 100)
        assert (new[anchors.items] == anchors.new).all()

    @pytest.mark.parametrize("other_wrong", [0, 1 / 3, 2 / 3])
    @pytest.mark.parametrize("flips", ["confidence", "uniform", "confidence_and_open_source"])
    def test_every_choice_can_be_carried_out(self, other_wrong: float, flips: str) -> None:
        for name in ("google_digit", "ibm_digit", "microsoft_digit", "microsoft_ferplus", "google_expw"):
            choices = ReconstructionChoices(other_wrong, flips, seed=1)  # type: ignore[arg-type]
            recording, new = later_answers(CASES[name], MIRROR, choices)
            published = ACCURACY.loc[name]
            changed = np.count_nonzero(new != recording.predictions)
            assert changed == round(CASES[name].items * (1 - published["overlap"]))

    def test_the_curve_is_the_one_fitted_on_the_samples(self) -> None:
        changes = sampled_changes(CASES.values(), MIRROR)
        assert len(changes) == 1698
        assert changes["case"].nunique() == 17
        assert (100 * quintile_rates(changes)).round(1).tolist() == [11.7, 6.8, 1.6, 0.6, 0.3]
        other = changes["changed"] & (changes["before"] != "right") & ~changes["right_now"]
        assert (int(other.sum()), int(changes["changed"].sum())) == POOLED_OTHER
        empty = changes[changes["before"] == "empty"]
        assert (len(empty), empty["changed"].sum(), empty["right_now"].sum()) == (96, 38, 33)
        for task, slopes in SLOPES.items():
            for before, used in zip(("right", "wrong"), slopes):
                rows = changes[(changes["task"] == task) & (changes["before"] == before)]
                slope, error = fit_slope(rows["rank"], rows["changed"], rows["case"])
                assert abs(slope - used) < 1.6 * error, (task, before)
        slope, error = fit_slope(empty["open_source_rank"], empty["changed"], empty["case"])
        assert round(slope, 1) == EMPTY_SLOPE
        assert slope > 3 * error
        assert curve_table(changes) in (ROOT / "docs/reconstruction.md").read_text(encoding="utf-8")

    def test_command_s_names_repeat_but_not_within_a_label(self) -> None:
        case = CASES["google_cmd"]
        recording = read_recording(MIRROR / "FrugalML", case)
        assert len(recording.names) == 64_727
        assert len(set(recording.names)) == 6_418
        assert len(set(zip(recording.names, recording.labels.tolist()))) == 64_727

    @pytest.mark.parametrize(
        "name", ["amazon_yelp", "amazon_waimai", "ibm_digit", "ibm_amnist", "google_cmd"]
    )
    def test_rows_come_in_label_blocks(self, name: str) -> None:
        """A prefix is no sample: it holds the first labels only."""
        recording = read_recording(MIRROR / "FrugalML", CASES[name])
        blocks = np.count_nonzero(np.diff(recording.labels)) + 1
        assert blocks == len(CASES[name].labels)

    def test_waimai_s_cheap_model_ties_most_items(self) -> None:
        confidences = read_recording(MIRROR / "FrugalML", CASES["amazon_waimai"]).open_source_confidences
        assert len(np.unique(confidences)) == 85
        assert (confidences == 1).sum() == 6722
        cuts = np.quantile(confidences, [1 / 3, 2 / 3])
        assert np.bincount(np.searchsorted(cuts, confidences, side="left"), minlength=3)[2] == 0

    def test_fluent_s_empty_answers_are_in_a_label(self) -> None:
        """Answers with confidence 0, which no words can have, are all "set language to German"."""
        recording = read_recording(MIRROR / "FrugalML", CASES["ibm_fluent"])
        silent = recording.confidences == 0
        assert silent.sum() == 284
        assert (recording.predictions[silent] == recording.empty_answer).all()
        assert CASES["ibm_fluent"].labels[29] == "set language to German"

    def test_names_of_faces_are_those_of_the_data_sets(self) -> None:
        """RAF-DB counts 877 disgust and 355 fear: labels 1 and 2, which the samples name the other way."""
        case = CASES["google_rafdb"]
        sizes = np.bincount(read_recording(MIRROR / "FrugalML", case).labels)
        assert dict(zip(case.labels, sizes.tolist()))["disgust"] == 877
        assert dict(zip(case.labels, sizes.tolist()))["fear"] == 355

    def test_published_pairs_are_found_under_their_names(self) -> None:
        published = read_published(MIRROR / "hapi-explore/data/data.json")
        assert len(published) == 36
        found = {case.case: published_pair(published, case) for case in CASES.values() if case.published_api}
        assert len(found) == 36

    def test_affectnet_has_predictions_but_no_names(self) -> None:
        folder = MIRROR / "FrugalML/dataset/mlserviceperformance_AFFECTNET"
        with pytest.raises(InputError, match="no such file"):
            read_names(folder / "Model0_ImageName.txt", CASES["google_afnet"].items)


def test_a_missing_mirror_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--mirror", tmp_path, "--out", tmp_path / "out", "--cases", ROOT / "config/cases.csv"]
    assert main([str(argument) for argument in [*arguments, "--only", "ibm_digit"]]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.endswith("mlserviceperformance_DIGIT/Model0_TrueLabel.txt: no such file")
    assert main([str(argument) for argument in [*arguments, "--only", "ibm_yelp"]]) == 2
    assert "--only: found ibm_yelp, allowed are amazon_yelp" in capsys.readouterr().err
