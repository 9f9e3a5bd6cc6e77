"""The stopping rule, intervals, stress shifts and tables beyond the paper."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from test_beyond_samplers import KNOWLEDGE, slow_estimate, strata_of

from adaptive_sampling.beyond import reading
from adaptive_sampling.beyond.detection import (
    DETECTION_COLUMNS,
    POWER,
    TESTED,
    decisions,
    detection_table,
    half_width,
)
from adaptive_sampling.beyond.experiment import (
    Dataset,
    Setting,
    after_luck,
    budget_grid,
    grown,
    methods,
    required_sizes,
    strata_for,
)
from adaptive_sampling.beyond.intervals import (
    _cells_of_block,
    accuracy_change,
    fresh_accuracy,
    interval_table,
)
from adaptive_sampling.beyond.page import TABLES, blocks, filled
from adaptive_sampling.beyond.planning import check_beyond
from adaptive_sampling.beyond.samplers import METHODS, words
from adaptive_sampling.beyond.stopping import (
    MARGINS,
    RULE_COLUMNS,
    STOPPING_COLUMNS,
    TRADED,
    Rule,
    error_quantile,
    look_grid,
    stopping_looks,
    stopping_tables,
)
from adaptive_sampling.beyond.stress import SHIFTS, StressShift, stress_replay
from adaptive_sampling.beyond.study import stress_datasets
from adaptive_sampling.beyond.summary import (
    geometric_mean,
    geometric_means,
    rule_summary,
    stopping_summary,
    with_ratios,
)
from adaptive_sampling.cases import read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials

SETTING = Setting(trials=100, ratio=1.1, last=3000, target=0.05, confidence=0.9, resamples=200, K=3, seed=3)


def small_dataset(labels=3, items=900, change=0.15):
    shift = StressShift("small", labels, items, 0.8, change, "hard")
    return Dataset("small", stress_replay(shift, 0), labels, labels)


@given(strata=st.integers(1, 7), predicted=st.integers(1, 4), seed=st.integers(0, 99))
@settings(deadline=None)
def test_traces_are_those_of_the_matrices(strata, predicted, seed):
    rng = np.random.default_rng(seed)
    label = np.sort(rng.integers(3, size=strata))
    factor, mean = rng.random(strata), rng.dirichlet(np.ones(predicted), size=strata)
    V = np.zeros((3, predicted, predicted))
    for g in range(strata):
        V[label[g]] += factor[g] * (np.diag(mean[g]) - np.outer(mean[g], mean[g]))
    first = np.searchsorted(label, np.arange(4))
    traces = reading.covariance_traces(first, factor, np.ascontiguousarray(mean.T), np.empty(strata))
    assert traces[0] == pytest.approx(np.trace(V, axis1=1, axis2=2).sum(), abs=1e-12)
    assert traces[1] == pytest.approx(np.trace(V @ V, axis1=1, axis2=2).sum(), abs=1e-12)


def test_the_quantile_is_that_of_a_normal_vector():
    """Exact for one direction and for equal variances; within 2% for a mixture, by 400,000 draws."""
    one = np.array([0.04, 2 * 0.04**2])
    assert error_quantile(one, 0.95) == pytest.approx(0.2 * stats.norm.ppf(0.975), rel=1e-9)
    equal = np.array([5 * 0.01, 2 * 5 * 0.01**2])
    assert error_quantile(equal, 0.99) == pytest.approx(0.1 * np.sqrt(stats.chi2.ppf(0.99, 5)), rel=1e-9)
    variance = np.array([4.0, 2.0, 1.0, 0.5])
    draws = np.random.default_rng(0).normal(size=(400_000, 4)) * np.sqrt(variance)
    measured = np.quantile(np.linalg.norm(draws, axis=1), 0.95)
    moments = np.array([variance.sum(), 2 * (variance**2).sum()])
    assert error_quantile(moments, 0.95) == pytest.approx(measured, rel=0.02)
    assert error_quantile(np.zeros((2, 2)), 0.95).tolist() == [0, 0]


@given(below=st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1), looks=st.integers(1, 3))
def test_stopping_needs_looks_in_a_row(below, looks):
    bound = np.where(below, 1.0, 2.0)
    expected = []
    for row in below:
        ends = [b for b in range(looks - 1, 6) if all(row[b - looks + 1 : b + 1])]
        expected.append(ends[0] if ends else 6)
    assert stopping_looks(bound, 1.0, looks).tolist() == expected


def test_looks_grow():
    looks = look_grid(1, 5000, Rule())
    assert looks[0] == 100
    steps = np.diff(looks)
    assert steps.min() == 25
    assert (steps <= np.maximum(25, np.ceil(0.04 * looks[:-1]))).all()
    assert look_grid(700, 5000, Rule()).tolist() == [look for look in looks if look >= 700]


@pytest.mark.parametrize("replacement", [True, False])
def test_what_the_cautious_rule_sees_is_its_literal_transcription(replacement):
    strata = strata_of(items=500)
    p, method = strata.population, METHODS["posterior"]
    count = method.counts(strata, np.array([30, 250]), KNOWLEDGE, replacement, 3, Trials(0, 2))
    error, moments = np.empty((2, 2)), np.empty((2, 2, 2))
    reading.bounds_at_counts(
        p.answers, strata.item_old, p.start, p.share, p.stratum_label, strata.pool, strata.pools,
        strata.kept, strata.moved, p.new, 0.3, 2.0, 0.25, 1.0, 0.0, 1.6, 2, 0, replacement,
        words(strata, 3), 0, count, error, moments,
    )  # fmt: skip
    cells = [_cells_of_block(strata, method, n, KNOWLEDGE, replacement, 3, Trials(0, 2)) for n in (30, 250)]
    for trial in range(2):
        for b in range(2):
            estimate, each, rates = slow_estimate(strata, count[trial, b], replacement, 3, trial, 0.3)
            V, of_cells = np.zeros((3, 4, 4)), np.zeros((3, 4))
            for g, stratum in enumerate(each):
                f = max(rates[strata.pool[g]], 0.25)
                m = (stratum.seen + 2 * ((1 - f) * strata.kept[g] + f * strata.moved[g])) / (stratum.n + 2)
                c = p.share[g] ** 2 / max(stratum.n, 1)
                c *= 1 if replacement else 1 - stratum.n / p.size[g]
                V[p.stratum_label[g]] += c * (np.diag(m) - np.outer(m, m))
                q = (stratum.seen + 2) / (stratum.n + 4)
                of_cells[p.stratum_label[g]] += c * q * (1 - q)
            assert error[trial, b] == pytest.approx(((estimate - p.new) ** 2).sum(), rel=1e-9)
            traces = np.trace(V, axis1=1, axis2=2).sum(), 2 * np.trace(V @ V, axis1=1, axis2=2).sum()
            assert moments[trial, b] == pytest.approx(traces, rel=1e-9)
            shift, variance, accuracy, _ = (table[trial] for table in cells[b])
            assert shift == pytest.approx(estimate - p.old, abs=1e-12)
            assert accuracy[0] == pytest.approx(np.trace(estimate - p.old), abs=1e-12)
            assert accuracy[1] == pytest.approx(sum(V[i, i, i] for i in range(3)), rel=1e-9)
            assert variance == pytest.approx(of_cells, rel=1e-9, abs=1e-18)


def test_moments_that_are_settled_change_no_decision():
    """The table of a rule that stops early is that of one that goes on to the end."""
    dataset, chosen = small_dataset(), methods(["posterior", "masa"], {})
    arguments = (dataset, chosen, [True, False], [0.04, 0.08], [0.9, 0.95])
    early, rules = stopping_tables(*arguments, 9000, KNOWLEDGE, Rule(), SETTING)
    single = [
        stopping_tables(dataset, chosen, [True, False], [t], [c], 9000, KNOWLEDGE, Rule(), SETTING)[0]
        for c in (0.9, 0.95)
        for t in (0.04, 0.08)
    ]
    assert list(rules) == list(RULE_COLUMNS)
    assert set(rules["rule"]) == set(MARGINS)
    assert sorted(set(rules["margin"])) == sorted(TRADED)
    own = rules[(rules["rule"] == "change_model") & (rules["margin"] == MARGINS["change_model"])]
    assert own["mean_queries"].tolist() == early[early["method"] == "posterior"]["mean_queries"].tolist()
    # Without its condition on single groups the rule never stops later.
    pooled = rules[(rules["rule"] == "pooled") & (rules["margin"] == MARGINS["pooled"])]
    assert (pooled["mean_queries"].to_numpy() <= own["mean_queries"].to_numpy()).all()
    merged = pd.concat(single).sort_values(["replacement", "method", "target", "confidence"])
    early = early.sort_values(["replacement", "method", "target", "confidence"])
    assert list(early) == list(STOPPING_COLUMNS)
    for column in ("coverage", "mean_queries", "queries_needed"):
        assert early[column].tolist() == merged[column].tolist()
    assert (early["coverage"] >= early["confidence"] - 3 * 0.03).all()
    assert (early["mean_queries"] >= 100).all()


def test_a_dataset_smaller_than_the_first_look_is_asked_whole():
    table, _ = stopping_tables(
        small_dataset(items=60),
        methods(["posterior"], {}),
        [False],
        [0.001],
        [0.95],
        500,
        KNOWLEDGE,
        Rule(),
        SETTING,
    )
    assert table["coverage"].tolist() == [1]
    assert table["mean_queries"].tolist() == [60]


def test_budgets_do_not_depend_on_where_they_start_or_end():
    whole = budget_grid(1, 5000, 1.03)
    assert (np.diff(whole) <= np.maximum(1, 0.03 * whole[1:] + 1)).all()
    assert budget_grid(50, 700, 1.03).tolist() == [n for n in whole if 50 <= n <= 700]


def test_budgets_grow_until_they_suffice():
    made = []

    def run(trials, reach):
        made.append((trials, reach))
        return reach

    assert grown(run, lambda reach: reach >= 3500, first=1000, last=9000, trials=300) == 4800
    assert made == [(100, 1000), (100, 2000), (100, 4000), (300, 4800)]
    assert grown(run, lambda _: False, first=1000, last=5000, trials=300) == 5000


def test_luck_is_not_counted():
    error = np.where(np.array([[1, 0, 0, 1, 0, 1, 1]] * 10, bool), 0.0, 1.0)
    assert after_luck(error, SETTING) == 5
    assert after_luck(np.zeros((10, 4)), SETTING) == 0
    assert after_luck(np.ones((10, 4)), SETTING) == 0


def test_required_sizes_do_not_depend_on_the_last_budget():
    chosen = methods(["masa", "posterior", "oracle"], {"oracle": ["label", "old"]})
    first = required_sizes(small_dataset(), chosen, [True], KNOWLEDGE, SETTING)
    second = required_sizes(
        small_dataset(), chosen, [True], KNOWLEDGE, Setting(**{**SETTING.__dict__, "last": 9000, "jobs": 2})
    )
    pd.testing.assert_frame_equal(first, second)
    assert first["strata"].tolist() == ["label+difficulty", "label+old+difficulty", "label+old"]
    assert (first["n95_low"] <= first["n95"]).all()
    assert (first["n95"] <= first["n95_high"]).all()


def test_bad_names_are_refused():
    with pytest.raises(InputError, match=r"key beyond\.methods: found posteriori, allowed are masa, "):
        methods(["posteriori"], {})
    with pytest.raises(
        InputError, match=r"key beyond\.stress\.shifts: found nothing, allowed are independent_2"
    ):
        stress_datasets(["nothing"], 0)
    cases = read_cases("config/cases.csv")
    with pytest.raises(InputError, match=r"found amazon_yep \(no such case\), allowed are amazon_yelp"):
        check_beyond({"cases": ["amazon_yep"]}, cases, "data/replay")
    replay = small_dataset().replay.query("difficulty == 'open_source_model'")
    with pytest.raises(
        InputError, match="allowed for method posterior are old_api_confidence, trial_division"
    ):
        strata_for(Dataset("small", replay, 3, 3), METHODS["posterior"], 3)


@pytest.mark.parametrize("name", [name for name in SHIFTS if SHIFTS[name].items <= 50_000])
def test_stress_shifts_are_what_they_say(name):
    shift = SHIFTS[name]
    table = stress_replay(shift, 5)
    rows = table[table["difficulty"] == "old_api_confidence"]
    items = rows["items"].to_numpy()
    assert items.sum() == shift.items
    for column, top in (
        ("label", shift.labels),
        ("old", shift.labels),
        ("new", shift.labels),
        ("level", 120),
    ):
        assert rows[column].between(0, top - 1).all()
    assert set(rows["label"]) == set(range(shift.labels))
    transitions = table.groupby(["difficulty", "label", "old", "new"])["items"].sum()
    assert (transitions["old_api_confidence"] == transitions["open_source_model"]).all()

    def share(chosen, among=None):
        among = np.ones(len(rows), bool) if among is None else among
        return (items * (chosen & among)).sum() / (items * among).sum()

    changed = (rows["old"] != rows["new"]).to_numpy()
    slack = 5 / np.sqrt(shift.items)
    assert abs(share((rows["old"] == rows["label"]).to_numpy()) - shift.accuracy) < 0.6 * slack
    if shift.flips in ("any", "hard", "easy"):
        assert abs(share(changed) - shift.change) < slack
        if shift.change in (0.0, 1.0):
            assert share(changed) == shift.change
    if shift.flips in ("class", "cell"):
        assert share(changed, (rows["label"] > 0).to_numpy()) == 0
    if shift.flips == "cell":
        assert set(rows["new"][changed]) == {1}
    if shift.flips == "right":
        assert share(changed, (rows["old"] != rows["label"]).to_numpy()) == 0
    if shift.flips == "wrong":
        assert share(changed, (rows["old"] == rows["label"]).to_numpy()) == 0
    if shift.flips == "any" and 0 < shift.change < 1:
        hard = (rows["level"] < 60).to_numpy()
        assert abs(share(changed, hard) - share(changed, ~hard)) < 2 * slack


def test_stress_shifts_span_what_they_must():
    assert len(SHIFTS) >= 20
    assert {shift.items for shift in SHIFTS.values()} >= {100, 1_000_000}
    assert {shift.labels for shift in SHIFTS.values()} >= {2, 100}


def test_fresh_answers_have_no_bias_and_adaptive_ones_have():
    """Over 6,000 trials of a shift that a quiet start hides; levels of 1e-4."""
    strata = strata_for(small_dataset(2, 4000, 0.06), METHODS["posterior"], 3)
    truth, trials = np.trace(strata.population.shift), Trials(0, 6000)
    change, variance, made = fresh_accuracy(strata, 80, KNOWLEDGE, 3, trials)
    assert (made >= 80).all()
    error = change.std() / np.sqrt(len(change))
    assert abs(change.mean() - truth) < stats.norm.isf(0.5e-4) * error
    shift, *_ = _cells_of_block(strata, METHODS["posterior"], 80, KNOWLEDGE, True, 3, trials)
    adaptive = np.trace(shift, axis1=1, axis2=2)
    assert abs(adaptive.mean() - truth) > stats.norm.isf(0.5e-4) * adaptive.std() / np.sqrt(6000)
    assert variance.mean() > 0.8 * change.var()


def test_intervals_are_wider_with_the_width():
    chosen = methods(["masa", "posterior"], {})
    table = interval_table(
        small_dataset(), chosen, [True, False], {True: 300, False: 200}, 0.95, KNOWLEDGE, SETTING
    )
    for _, group in table.groupby(["method", "replacement"]):
        assert group["width"].tolist() == [1.0, 1.2, 1.4]
        for column in ("coverage", "cell_coverage", "worst_cell_coverage"):
            assert group[column].dropna().is_monotonic_increasing
    widest = table[(table["width"] == 1.4) & (table["method"] == "posterior")]
    assert (widest["coverage"] >= 0.85).all()
    fresh = table[table["method"] == "posterior_fresh"]
    assert (fresh["queries"] >= 300).all()


def test_ratios_and_means_by_hand():
    rows = [
        ("amazon_yelp", "masa", "s", True, 100),
        ("amazon_yelp", "posterior", "s", True, 25),
        ("amazon_yelp", "oracle", "s", True, 20),
        ("ibm_digit", "masa", "s", True, 400),
        ("ibm_digit", "posterior", "s", True, 400),
        ("ibm_digit", "oracle", "s", True, 100),
        ("openai_gpt4", "masa", "s", True, 100),
        ("openai_gpt4", "posterior", "s", True, 110),
        ("openai_gpt4", "oracle", "s", True, None),
    ]
    sizes = pd.DataFrame(rows, columns=["case", "method", "strata", "replacement", "n95"])
    sizes = sizes.assign(n95_low=sizes["n95"], n95_high=sizes["n95"]).astype({"n95": "Int64"})
    required = with_ratios(sizes)
    posterior = required[required["method"] == "posterior"]
    assert posterior["ratio_to_masa"].tolist() == [0.25, 1, 1.1]
    assert posterior["ratio_to_oracle"].tolist()[:2] == [1.25, 4]
    assert np.isnan(posterior["ratio_to_oracle"].iloc[2])
    means = geometric_means(required, read_cases("config/cases.csv")).set_index("method")
    assert means.loc["posterior", "cases"] == 2
    assert means.loc["posterior", "mean_ratio_to_masa"] == pytest.approx(0.5)
    assert means.loc["posterior", "worst_ratio_to_masa"] == pytest.approx(1.1)
    assert means.loc["posterior", "worst_case"] == "openai_gpt4"
    assert means.loc["posterior", "mean_ratio_to_oracle"] == pytest.approx(np.sqrt(5))
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2)


def test_the_summary_of_stopping_by_hand():
    rows = [
        ("a", "posterior", True, 0.01, 0.95, 0.97, 0.0054, 300.0, 200),
        ("b", "posterior", True, 0.01, 0.95, 0.90, 0.0095, 400.0, 50),
    ]
    summary = stopping_summary({"recorded": pd.DataFrame(rows, columns=list(STOPPING_COLUMNS))}).iloc[0]
    assert summary["lowest_coverage"] == 0.90
    assert summary["lowest_case"] == "b"
    assert summary["clearly_below"] == 1
    assert summary["mean_ratio"] == pytest.approx(np.sqrt(1.5 * 4))
    assert summary["highest_case"] == "b"


def test_the_summary_of_rules_by_hand():
    rows = [
        ("a", "pooled", 1.0, True, 0.01, 0.95, 0.97, 0.0054, 300.0, 200),
        ("b", "pooled", 1.0, True, 0.02, 0.95, 0.90, 0.0095, 400.0, 50),
        ("b", "pooled", 1.1, True, 0.02, 0.95, 0.96, 0.0062, 450.0, 50),
    ]
    first, second = rule_summary({"stress": pd.DataFrame(rows, columns=list(RULE_COLUMNS))}).to_dict(
        "records"
    )
    assert first["worst_shortfall"] == pytest.approx(0.05)
    assert (first["worst_case"], first["worst_target"], first["clearly_below"]) == ("b", 0.02, 1)
    assert first["mean_ratio"] == pytest.approx(np.sqrt(1.5 * 4))
    assert second["worst_shortfall"] == pytest.approx(-0.01)
    assert (second["combinations"], second["clearly_below"]) == (1, 0)


def test_the_interval_of_robbins_holds_at_all_looks():
    """Brownian paths at 60 looks leave it with probability below alpha, and not far below, over 40,000 paths."""
    rng = np.random.default_rng(0)
    time = np.geomspace(0.01, 1e4, 60)
    steps = rng.normal(size=(40_000, 60)) * np.sqrt(np.diff(time, prepend=0))
    path = steps.cumsum(axis=1)
    left = (np.abs(path / time) > half_width(1 / time, 1.0, 0.1)).any(axis=1).mean()
    assert 0.04 < left < 0.1
    assert half_width(np.zeros(2), 1.0, 0.1).tolist() == [0, 0]


def test_decisions_by_hand():
    limits = np.array(
        [
            [[0.0, 0.06], [0.02, 0.04], [0.03, 0.03]],
            [[0.0, 0.05], [0.0, 0.02], [0.0, 0.01]],
            [[0.0, 1.0]] * 3,
        ]
    )
    look, changed = decisions(limits, 0.01)
    assert look.tolist() == [1, 2, 3]
    assert changed.tolist() == [True, False, False]


@pytest.mark.parametrize("replacement", [True, False])
def test_uniform_accuracy_is_the_mean_difference(replacement):
    dataset, looks = small_dataset(), np.array([50, 400])
    strata, method = strata_for(dataset, TESTED["uniform"], 3), TESTED["uniform"]
    trials = Trials(0, 4000)
    count = method.counts(strata, looks, KNOWLEDGE, replacement, 3, trials)
    many = accuracy_change(strata, method, count, KNOWLEDGE, replacement, 3, trials)
    truth = np.trace(strata.population.shift)
    error = many[..., 0].std(axis=0) / np.sqrt(4000)
    assert (np.abs(many[..., 0].mean(axis=0) - truth) < stats.norm.isf(0.5e-4) * error).all()
    # One change is added to what was seen: 1 in 50 at the first look, 1 in 400 at the second.
    ratio = many[..., 1].mean(axis=0) / many[..., 0].var(axis=0)
    assert 0.95 < ratio[1] < ratio[0] < 1.35


def test_the_test_finds_a_large_change_and_no_small_one():
    datasets = [small_dataset(items=6000, change=0.3), small_dataset(items=6000, change=0.0)]
    table = detection_table(datasets, [True, False], 0.02, 0.95, KNOWLEDGE, Rule(), SETTING)
    assert list(table) == list(DETECTION_COLUMNS)
    assert table["of"].tolist() == ["accuracy", "cells"] * 8
    cells = table[table["of"] == "cells"]
    assert cells["changed"].tolist() == [True] * 4 + [False] * 4
    assert (table["wrong"] <= 0.05).all()
    assert (cells["undecided"] == 0).all()
    assert cells["said_changed"].tolist()[4:] == [0] * 4
    assert len({shift.name for shift in POWER}) == len(POWER)


def test_the_page_has_a_place_for_every_block():
    """Made-up tables of one row fill every mark of docs/beyond.md, twice over with the same outcome."""
    made_up = {"text": "masa", "flag": True, "integer": 400, "integer?": 400, "number": 0.95, "number?": 0.95}
    tables = {
        name: pd.DataFrame({column: [made_up[kind]] * 2 for column, kind in columns.items()})
        for name, columns in TABLES.items()
    }
    for name in ("required_size", "stress_required_size", "stopping", "stress_stopping", "detection"):
        tables[name].loc[1, "method"] = "posterior" if name != "detection" else "uniform"
        if name == "detection":
            tables[name].loc[0, "method"] = "posterior"
            other = [tables[name].assign(of=of) for of in ("accuracy", "cells")]
            tables[name] = pd.concat(other, ignore_index=True)
    page = Path("docs/beyond.md").read_text(encoding="utf-8")
    once = filled(page, blocks(tables))
    assert filled(once, blocks(tables)) == once
    assert once.count("<!-- begin") == len(blocks(tables))
    with pytest.raises(InputError, match="page: marks are"):
        filled(page.replace("begin stress", "begin strss"), blocks(tables))
