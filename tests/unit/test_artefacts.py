"""Tables 2 and 3, confusion tables, the case study and the ablations, against hand counts and the paper."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from adaptive_sampling.cases import read_cases
from adaptive_sampling.config import check_config
from adaptive_sampling.errors import InputError
from adaptive_sampling.planning import check_plan
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift import case_study as study
from adaptive_sampling.shift import costs, datasets, table_1
from adaptive_sampling.shift.ablation import masa_on_cases
from adaptive_sampling.shift.confusion import CONFUSION_COLUMNS, confusion
from adaptive_sampling.shift.experiment import Setting, compare, populations, trial_errors
from adaptive_sampling.shift.samplers import Parameters
from adaptive_sampling.shift.summary import PUBLISHED_COLUMNS
from adaptive_sampling.tables import read_table

ROOT = Path(__file__).parents[2]
CASES = read_cases(ROOT / "config/cases.csv")
SHIFTED = [case.case for case in CASES.values() if case.source == "reconstructed"]
SETTING = Setting(
    trials=60, last_budget=600, budget_step=100, target_error=0.05, confidence=0.9, resamples=100, seed=5
)


@pytest.fixture(scope="module")
def replays():
    return {name: read_replay_table(ROOT / f"data/replay/{name}.csv", CASES[name]) for name in SHIFTED}


@pytest.fixture(scope="module")
def published():
    return read_table(ROOT / "data/published/accuracy.csv", PUBLISHED_COLUMNS)


@pytest.fixture(scope="module")
def yelp(replays):
    """Tables of the case study at its own budgets, few trials."""
    return study.case_study(
        replays["amazon_yelp"], CASES["amazon_yelp"], Parameters(), study.study_setting(SETTING)
    )


def test_table_2_equals_the_papers_but_for_its_misprint(replays, published):
    table = datasets.table_2(CASES, published, replays).set_index("dataset")
    assert list(table.index) == list(datasets.PAPER)
    assert list(table.index[~table["agrees"].astype(bool)]) == ["AFNET"]
    assert table.loc["AFNET", "size"] == 287401
    assert table.loc["AFNET", "paper_size"] == 87401
    assert (table["classes"] == table["paper_classes"]).all()
    assert "misprint" in datasets.as_markdown(table.reset_index())


def test_table_2_counts_classes_where_the_data_are_at_hand(replays, published):
    table = datasets.table_2(CASES, published, replays).set_index("dataset")
    counted = table["counted_in"].str.startswith("replay table")
    assert set(table.index[~counted]) == {"RAFDB", "AFNET", "FLUENT"}
    assert table.loc[~counted, ["smallest_class", "largest_class"]].isna().all(axis=None)
    classes = {name: (row.smallest_class, row.largest_class) for name, row in table[counted].iterrows()}
    assert classes == {
        "FER+": (38, 2309),
        "EXPW": (398, 12104),
        "YELP": (10000, 10000),
        "SHOP": (31046, 31728),
        "IMDB": (12500, 12500),
        "WAIMAI": (4000, 7987),
        "DIGIT": (200, 200),
        "AMNIST": (3000, 3000),
        "CMD": (6, 2380),
    }


def test_table_2_refuses_cases_of_one_dataset_that_differ_in_size(published):
    cases = {**CASES, "google_yelp": replace(CASES["google_yelp"], items=19999)}
    with pytest.raises(InputError, match=r"dataset YELP: its cases have \[19999, 20000\] items"):
        datasets.table_2(cases, published, {})


def sizes_of(*rows):
    return pd.DataFrame(rows, columns=["case", "sampler", "n95"]).astype({"n95": "Int64"})


def test_costs_by_hand():
    """Price 4,500 and 19,700 queries at 0.75 USD for 10,000; leave out what no budget reaches."""
    sizes = sizes_of(
        ("amazon_yelp", "masa", 4500),
        ("amazon_yelp", "uniform", 19700),
        ("google_digit", "masa", 8100),
        ("google_digit", "uniform", None),
    )
    table = costs.table_3(sizes, CASES, ["amazon_yelp", "google_digit"])
    yelp = table[table["dataset"] == "YELP"].iloc[0]
    assert yelp["masa_usd"] == pytest.approx(0.3375)
    assert yelp["uniform_usd"] == pytest.approx(1.4775)
    assert yelp["saved_usd"] == pytest.approx(1.14)
    assert yelp["every_item_usd"] == pytest.approx(1.5)
    digit = table[table["dataset"] == "DIGIT"].iloc[0]
    assert digit["masa_usd"] == pytest.approx(48.6)
    assert digit["every_item_usd"] == pytest.approx(12.0)
    assert pd.isna(digit["uniform_usd"])
    assert pd.isna(digit["saved_usd"])
    assert "| Google | DIGIT | 48.60 | >120.00 |  | 12.00 | reconstructed |" in costs.as_markdown(
        table, 20000
    )


def test_prices_equal_the_papers_table_3():
    table = costs.table_3(sizes_of(), CASES, [])
    prices = {(row.task, row.api): row.price_per_10k for row in table.itertuples()}
    assert prices == {
        ("sa", "Google"): 2.5,
        ("sa", "Amazon"): 0.75,
        ("sa", "Baidu"): 3.5,
        ("fer", "Google"): 15,
        ("fer", "Microsoft"): 10,
        ("fer", "Face++"): 5,
        ("scr", "Google"): 60,
        ("scr", "Microsoft"): 41,
        ("scr", "IBM"): 25,
    }


@pytest.mark.parametrize("name", SHIFTED)
def test_traces_of_the_confusion_matrices_are_the_published_accuracies(name, replays, published):
    table = confusion(replays[name], CASES[name])
    assert list(table) == list(CONFUSION_COLUMNS)
    assert len(table) == len(CASES[name].labels) * len(CASES[name].predicted_labels)
    assert table["old"].sum() == pytest.approx(1)
    assert table["new"].sum() == pytest.approx(1)
    np.testing.assert_allclose(table["shift"], table["new"] - table["old"], atol=1e-15)
    right = table[table["label"] == table["predicted"]]
    row = published[published["case"] == name].iloc[0]
    assert right["old"].sum() == pytest.approx(row["accuracy_2020"], abs=1e-8)
    assert right["new"].sum() == pytest.approx(row["accuracy_2021"], abs=1e-8)


def test_confusion_counts_each_item_once_whatever_the_difficulty(toy_rows):
    """Three items: one stays right, one turns wrong, one goes outside the labels."""
    replay, case = toy_rows
    table = confusion(replay, case).set_index(["label", "predicted"])["shift"]
    expected = {("yes", "yes"): -1 / 3, ("yes", "no"): 1 / 3, ("no", "no"): -1 / 3, ("no", "empty"): 1 / 3}
    assert table[table != 0].to_dict() == pytest.approx(expected)


@pytest.fixture
def toy_rows():
    rows = [("yes", 0, 0, 0, 1), ("yes", 0, 0, 1, 1), ("no", 1, 1, 2, 1)]
    columns = ["label", "level", "old", "new", "items"]
    replay = pd.DataFrame([(0 if name == "yes" else 1, *rest) for name, *rest in rows], columns=columns)
    both = pd.concat([replay.assign(difficulty="chance"), replay.assign(difficulty="none")])
    case = replace(CASES["ibm_digit"], items=3, labels=("yes", "no"), predicted_labels=("yes", "no", "empty"))
    return both, case


def test_the_case_studys_partitions_are_of_equal_size(yelp):
    assert yelp.partitions["items"].tolist() == [5000] * 4
    assert yelp.partitions["share"].tolist() == [0.25] * 4
    assert list(zip(yelp.partitions["label"], yelp.partitions["quality"])) == [
        ("positive", "low"),
        ("positive", "high"),
        ("negative", "low"),
        ("negative", "high"),
    ]


def test_the_case_studys_shift_is_the_papers(yelp):
    """Section 4: correct negatives rise by 2.7%, correct positives fall by 0.6%, of all items."""
    shift = yelp.shift.set_index(["label", "predicted"])["shift"]
    assert round(100 * shift["negative", "negative"], 1) == 2.7
    assert round(100 * shift["positive", "positive"], 1) == -0.6


def test_the_case_studys_uncertainty_is_ordered_as_in_the_paper(yelp):
    """Higher quality means far less uncertainty for positive texts; negative texts have more than positive ones."""
    score = yelp.partitions.set_index(["label", "quality"])["uncertainty"]
    assert score["positive", "high"] < 0.25 * score["positive", "low"]
    assert score["negative", "low"] > score["positive", "low"]
    assert score["negative", "high"] > score["positive", "high"]


def test_the_case_studys_optimum_is_lemma_1_by_hand(replays, yelp):
    rows = replays["amazon_yelp"]
    rows = rows[rows["difficulty"] == study.DIFFICULTY]
    weight = []
    for label in (0, 1):
        for part in (rows["level"] < 60, rows["level"] >= 60):
            answers = rows[part & (rows["label"] == label)].groupby("new")["items"].sum() / 5000
            weight.append(0.25 * np.sqrt(1 - (answers**2).sum()))
    np.testing.assert_allclose(yelp.partitions["optimal_share"], np.array(weight) / sum(weight))


def test_the_case_studys_single_run_spends_its_budget_and_gives_its_estimate(replays, yelp):
    """The queries add up, and the estimate's error is the error of trial 0."""
    spent = yelp.sampling.groupby("budget")["queries"].sum()
    assert (spent == spent.index).all()
    assert spent.index.max() == study.BUDGET
    np.testing.assert_allclose(yelp.sampling["share"] * yelp.sampling["budget"], yelp.sampling["queries"])
    case = CASES["amazon_yelp"]
    of_strata = populations(replays["amazon_yelp"], case, difficulty=study.DIFFICULTY, K=study.K)
    setting = replace(study.study_setting(SETTING), trials=2)
    _, error = trial_errors(of_strata["label_difficulty"], "masa", Parameters(), setting)
    difference = yelp.shift["estimated"] - yelp.shift["shift"]
    assert (difference**2).sum() == pytest.approx(error[0, -1])
    # A label's share is known, so a row of the estimated shift sums to 0 as the true one does.
    assert yelp.shift.groupby("label")["estimated"].sum().abs().max() < 1e-12


def test_the_case_studys_errors_are_those_of_a_run_of_their_own(replays, yelp):
    case = CASES["amazon_yelp"]
    of_strata = populations(replays["amazon_yelp"], case, difficulty=study.DIFFICULTY, K=study.K)
    errors, _ = compare(of_strata, ["masa"], Parameters(), study.K, study.study_setting(SETTING))
    ours = yelp.errors[yelp.errors["sampler"] == "masa"].reset_index(drop=True)
    pd.testing.assert_frame_equal(ours, errors, check_dtype=False)
    last = yelp.errors[yelp.errors["budget"] == study.BUDGET].set_index("sampler")["mse"]
    assert last["masa"] < last["uniform"]


@pytest.mark.parametrize(("K", "a"), [(3, 1.0), (5, 0.1)])
def test_an_ablation_gives_the_rows_of_separate_runs(replays, K, a):
    names = ["microsoft_ferplus", "amazon_imdb"]
    errors, sizes = masa_on_cases(
        replays,
        [CASES[name] for name in names],
        difficulty="open_source_model",
        K=K,
        parameters=Parameters(a=a),
        setting=SETTING,
    )
    assert errors["case"].unique().tolist() == names
    for name in names:
        of_strata = populations(replays[name], CASES[name], difficulty="open_source_model", K=K)
        alone = compare(of_strata, ["uniform", "masa"], Parameters(a=a), K, SETTING)
        for together, separate in zip((errors, sizes), alone):
            rows = together[together["case"] == name].reset_index(drop=True)
            expected = separate[separate["sampler"] == "masa"].reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, expected, check_dtype=False)


def test_all_values_of_a_see_the_same_answers(replays):
    """With two queries a partition, a has not been asked yet: the same answers give the same errors."""
    case = CASES["amazon_yelp"]
    setting = replace(SETTING, last_budget=24, budget_step=12)
    errors = {
        a: masa_on_cases(
            replays, [case], difficulty="open_source_model", K=3, parameters=Parameters(a=a), setting=setting
        )[0].set_index("budget")["mse"]
        for a in (0.001, 1.0, 100.0)
    }
    assert errors[0.001][12] == errors[1.0][12] == errors[100.0][12]
    assert len({of_a[24] for of_a in errors.values()}) > 1


def check(config):
    check_config(config, "workflow/schemas")
    check_plan(config, CASES)


@pytest.mark.parametrize(
    ("ablation", "message"),
    [
        ({"K": [7]}, "key ablation.K.0: found 7, allowed are 1, 2, 3, 4, 5, 6, 8, 10, 12"),
        ({"K": []}, "key ablation.K: found [], allowed is at least 1 entry"),
        ({"K": [3, 3]}, "entries that differ"),
        ({"a": [1, 0]}, "key ablation.a.1: found 0, allowed is more than 0"),
        ({"b": [1]}, "unknown key b in ablation, allowed are K, a"),
        ({"K": [3, 120]}, "google_expw is at least 1680: 2 queries for each of its 840 partitions at K=120"),
    ],
)
def test_bad_grids_are_refused_before_anything_runs(monkeypatch, ablation, message):
    monkeypatch.chdir(ROOT)
    config = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))
    config["ablation"] |= ablation
    config["cases"] = ["amazon_yelp", "google_expw"]
    config["shift"]["budget"]["last"] = 1000
    with pytest.raises(InputError, match=re.escape(message)):
        check(config)


def test_what_rounding_leaves_of_an_error_of_nothing_is_0():
    """With one item a stratum two answers tell all; what differs in the last digits is no error to divide by."""
    rows = [("none", n % 2, 120 * (n // 2) // 50, 0, n % 3 % 2, 1) for n in range(100)]
    replay = pd.DataFrame(rows, columns=["difficulty", "label", "level", "old", "new", "items"])
    case = replace(CASES["amazon_yelp"], items=100)
    of_strata = populations(replay, case, difficulty="none", K=120)
    assert of_strata["label_difficulty"].strata == 100
    for sampler in ("masa", "oracle"):
        _, error = trial_errors(of_strata["label_difficulty"], sampler, Parameters(), SETTING)
        assert (error == 0).all()
    _, error = trial_errors(of_strata["label"], "uniform", Parameters(), SETTING)
    assert (error > 0).all()


def test_names_of_ones_own_do_not_break_the_text_of_table_1():
    sizes = pd.DataFrame(
        [("my_api", sampler, 1000, 900, 1100) for sampler in ("masa", "uniform", "stratified_proportional")],
        columns=["case", "sampler", "n95", "n95_low", "n95_high"],
    )
    case = replace(
        CASES["amazon_yelp"],
        case="my_api",
        api="my_api & <co>",
        dataset="a|b 5% $x^2$ \\#{~}",
        paper_masa=None,
    )
    table = table_1.table_1(sizes, {"my_api": case}, ["my_api"])
    latex = table_1.as_latex(table, 1500)
    assert (
        r"my\_api \& $<$co$>$ & a$|$b 5\% \$x\textasciicircum{}2\$ \textbackslash{}\#\{\textasciitilde{}\} & 1.0K & "
        in latex
    )
    assert r"| my_api & <co> | a\|b 5% $x^2$ \#{~} | 1.0K |" in table_1.as_markdown(table, 1500)
    beyond = table.assign(masa=pd.array([None], "Int64"))
    assert " & $>$1.5K & 0.9K--1.1K & " in table_1.as_latex(beyond, 1500)
