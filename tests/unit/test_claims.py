"""Rules of verdicts by hand, measures on tables made up for it, and the claims file itself."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from adaptive_sampling.cases import read_cases
from adaptive_sampling.claims import (
    CLAIM_COLUMNS,
    VERDICTS,
    Held,
    Table,
    as_markdown,
    judge_all,
    measured,
    merged,
    read_claims,
    verdict,
)
from adaptive_sampling.errors import InputError

ROOT = Path(__file__).parents[2]
CASES = read_cases("config/cases.csv")
SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text())

ERRORS = pd.DataFrame(
    [
        ("x", "masa", 100, 2.0),
        ("x", "masa", 200, 1.0),
        ("x", "uniform", 100, 8.0),
        ("x", "uniform", 200, 6.0),
        ("y", "masa", 200, 3.0),
        ("y", "uniform", 100, 9.0),
        ("y", "uniform", 200, 2.0),
    ],
    columns=["case", "sampler", "budget", "mse"],
)
PAIRS = {"index": ["case", "budget"], "columns": "sampler", "values": "mse"}


@pytest.mark.parametrize(
    ("rule", "value", "paper", "expected"),
    [
        ({"kind": "equals"}, 12.0, 12, "reproduced"),
        ({"kind": "equals"}, 11.0, 12, "not reproduced"),
        ({"kind": "equals", "partly": 1}, 11.0, 12, "partly"),
        ({"kind": "within", "tolerance": 0.25, "partly": 0.5}, 1250.0, 1000, "reproduced"),
        ({"kind": "within", "tolerance": 0.25, "partly": 0.5}, 1251.0, 1000, "partly"),
        ({"kind": "within", "tolerance": 0.25, "partly": 0.5}, 500.0, 1000, "partly"),
        ({"kind": "within", "tolerance": 0.25, "partly": 0.5}, 499.0, 1000, "not reproduced"),
        ({"kind": "near", "tolerance": 0.5, "partly": 1.5}, -7.5, -7, "reproduced"),
        ({"kind": "near", "tolerance": 0.5, "partly": 1.5}, -5.6, -7, "partly"),
        ({"kind": "near", "tolerance": 0.5, "partly": 1.5}, 7.0, -7, "not reproduced"),
        ({"kind": "at_least", "bound": 90, "partly": 80}, 90.0, "90%", "reproduced"),
        ({"kind": "at_least", "bound": 90, "partly": 80}, 89.9, "90%", "partly"),
        ({"kind": "at_least", "bound": 90}, 89.9, "90%", "not reproduced"),
        ({"kind": "at_most", "bound": 1e-4, "partly": 1.25e-4}, 1e-4, None, "reproduced"),
        ({"kind": "at_most", "bound": 1e-4, "partly": 1.25e-4}, 1.2e-4, None, "partly"),
        ({"kind": "at_most", "bound": 0}, -1.0, None, "reproduced"),
        ({"kind": "at_most", "bound": 0}, 1.0, None, "not reproduced"),
        ({"kind": "holds", "of": 12, "needed": 9, "partly": 7}, Held(9, 12), None, "reproduced"),
        ({"kind": "holds", "of": 12, "needed": 9, "partly": 7}, Held(7, 12), None, "partly"),
        ({"kind": "holds", "of": 12, "needed": 9, "partly": 7}, Held(6, 12), None, "not reproduced"),
        ({"kind": "holds", "of": 12, "needed": 9, "partly": 7}, Held(9, 11), None, "not testable"),
        ({"kind": "within", "tolerance": 0.25}, None, 1000, "not testable"),
        ({"kind": "within", "tolerance": 0.25}, 900.0, None, "not testable"),
    ],
)
def test_each_rule_at_its_bounds(rule, value, paper, expected):
    assert verdict(rule, value, paper) == expected


def test_a_rule_that_does_not_fit_its_measure_is_refused():
    with pytest.raises(InputError, match="rule holds: found a measure with reduce"):
        verdict({"kind": "holds", "of": 1, "needed": 1}, 1.0)
    with pytest.raises(InputError, match="rule equals: found a measure without reduce"):
        verdict({"kind": "equals"}, Held(1, 1), 1)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (
            {
                "where": "case == 'x' and budget == 200 and sampler == 'masa'",
                "value": "mse",
                "reduce": "only",
            },
            1.0,
        ),
        ({"where": "sampler == 'masa'", "value": "mse", "reduce": "count"}, 3.0),
        ({"where": "sampler == 'masa'", "value": "mse", "reduce": "median"}, 2.0),
        ({"value": "mse", "reduce": "spread"}, 9.0),
        ({"value": "mse", "over": "mse * (case == 'x')", "reduce": "sum"}, 31.0 / 17.0),
        # Ratios at equal budgets; y has no MASA at 100.
        ({"pivot": PAIRS, "keep": "masa == masa", "value": "uniform / masa", "reduce": "max"}, 6.0),
        ({"pivot": PAIRS, "value": "uniform / masa", "reduce": "min"}, 2.0 / 3.0),
        (
            {
                "pivot": PAIRS,
                "keep": "masa == masa",
                "value": "uniform / masa",
                "within": {"by": "case", "reduce": "median"},
                "then": "value >= 5",
            },
            Held(1, 2),
        ),
        (
            {
                "pivot": PAIRS,
                "keep": "masa == masa",
                "value": "masa < uniform",
                "within": {"by": "case", "reduce": "min"},
            },
            Held(1, 2),
        ),
        # A missing value does not hold, but its row counts.
        ({"pivot": PAIRS, "value": "masa < uniform"}, Held(2, 4)),
        (
            {
                "pivot": {"index": "case", "columns": ["sampler", "budget"], "values": "mse"},
                "where": "case == 'x'",
                "value": "uniform_200 / masa_100",
                "reduce": "only",
            },
            3.0,
        ),
        (
            {
                "pivot": {"index": [], "columns": ["case", "budget"], "values": "mse"},
                "where": "sampler == 'masa'",
                "value": "y_200 - x_200",
                "reduce": "only",
            },
            2.0,
        ),
        (
            {
                "pivot": {"index": "case", "columns": "budget", "values": "mse"},
                "where": "sampler == 'uniform'",
                "value": "(budget_100 - last) / lowest",
                "reduce": "max",
            },
            3.5,
        ),
        ({"where": "budget == 200", "value": "mse", "rank_of": "case == 'y' and sampler == 'masa'"}, 2.0),
        # What was not run is not there.
        ({"where": "budget == 300", "value": "mse", "reduce": "only"}, None),
        ({"pivot": PAIRS, "value": "oracle / masa", "reduce": "max"}, None),
    ],
)
def test_each_kind_of_measure(measure, expected):
    assert measured(measure, ERRORS) == (
        expected if expected is None or isinstance(expected, Held) else pytest.approx(expected)
    )


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ({"value": "mse", "reduce": "only"}, "reduce only: found 7 rows, allowed is 1"),
        ({"value": "msee", "reduce": "max"}, "found column msee, the table has case, sampler, budget, mse"),
    ],
)
def test_a_measure_that_cannot_be_read_is_refused(measure, message):
    with pytest.raises(InputError, match=message):
        measured(measure, ERRORS)


def judged(*claims, settings=None):
    tables = {"sizes": Table(pd.DataFrame({"case": ["amazon_yelp"], "n95": [5000]}), "results/sizes.csv")}
    return judge_all(
        claims, tables, [CASES["amazon_yelp"], CASES["ibm_digit"]], settings or SETTINGS, paper="MASA"
    )


SIZE = {
    "claim": "{title}: size",
    "where": "Table 1",
    "each": "cases",
    "paper_value": "paper_masa",
    "measure": {"table": "sizes", "where": "case == '{case}'", "value": "n95", "reduce": "only"},
    "rule": {"kind": "within", "tolerance": 0.25, "partly": 0.5},
}


def test_a_claim_is_repeated_for_each_case_beside_the_papers_figure():
    table = judged(SIZE)
    assert list(table.columns) == list(CLAIM_COLUMNS)
    assert table["claim"].tolist() == ["Amazon YELP: size", "IBM DIGIT: size"]
    assert table["paper_value"].tolist() == ["4500", "3600"]
    assert table["measured"].tolist() == ["5000", ""]
    assert table["verdict"].tolist() == ["reproduced", "not testable"]
    assert table["evidence"][0] == (
        "results/sizes.csv: n95 where case == 'amazon_yelp'; rule: within 0.25, partly 0.5"
    )


def test_the_evidence_says_what_is_forced_needed_or_untestable():
    forced = {**SIZE, "forced": "the size is an input"}
    assert judged(forced)["evidence"][0].startswith("by construction: the size is an input; results/")
    needs = judged({**SIZE, "needs": {"shift.target_error": 0.03}}).iloc[0]
    assert needs["verdict"] == "not testable"
    assert needs["evidence"] == "it needs shift.target_error 0.03, this run has 0.01"
    never = {"claim": "c", "where": "w", "paper_value": 1, "rule": {"kind": "untestable", "reason": "secret"}}
    assert judged(never).iloc[0][["verdict", "evidence"]].tolist() == ["not testable", "secret"]
    absent = {**SIZE, "measure": {**SIZE["measure"], "table": "cost"}}
    assert judged(absent)["evidence"][0] == "this run has no table cost"


def test_claims_of_two_papers_are_put_under_each_other():
    ours = judged(SIZE)
    both = merged([ours, ours.assign(paper="EBR", evidence="by construction: a | b")])
    text = as_markdown(both)
    assert text.index("## MASA") < text.index("## EBR")
    assert "2 claims: 1 reproduced, 0 partly, 0 not reproduced, 1 not testable." in text
    assert r"a \| b" in text


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"where": None}, "claim 'c': key where is missing"),
        ({"wher": "x"}, "claim 'c': unknown key wher"),
        ({"rule": {"kind": "close"}}, "found rule 'close', allowed are equals, near, within"),
        ({"measure": None}, "claim 'c': key measure is missing"),
    ],
)
def test_a_bad_claims_file_is_refused(tmp_path, edit, message):
    claim = {
        "claim": "c",
        "where": "w",
        "paper_value": 1,
        "measure": {"table": "t"},
        "rule": {"kind": "equals"},
    }
    claim = {key: value for key, value in {**claim, **edit}.items() if value is not None}
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"claims": [claim]}))
    with pytest.raises(InputError, match=message):
        read_claims(path)
    with pytest.raises(InputError, match="no such file"):
        read_claims(tmp_path / "none.yaml")


def test_the_claims_of_masa_are_many_and_well_formed():
    """Every rule has the bounds its kind needs, and `partly` is never harder than the rule itself."""
    claims = read_claims(ROOT / "config/claims.yaml")
    assert sum(12 if "each" in claim else 1 for claim in claims) >= 40
    assert len({claim["claim"] for claim in claims}) == len(claims)
    for claim in claims:
        rule, name = claim["rule"], claim["claim"]
        partly = rule.get("partly")
        if rule["kind"] in ("within", "near"):
            assert 0 < rule["tolerance"] <= (partly or rule["tolerance"]), name
            assert "each" in claim or isinstance(claim["paper_value"], int | float), name
        elif rule["kind"] == "at_least":
            assert partly is None or partly < rule["bound"], name
        elif rule["kind"] == "at_most":
            assert partly is None or partly > rule["bound"], name
        elif rule["kind"] == "holds":
            assert rule["partly"] <= rule["needed"] <= rule["of"], name
            assert "reduce" not in claim["measure"], name
        elif rule["kind"] == "equals":
            assert isinstance(claim["paper_value"], int), name
        else:
            assert rule["reason"], name
    assert VERDICTS == ("reproduced", "partly", "not reproduced", "not testable")


def test_every_table_that_claims_read_is_given_to_them():
    rules = (ROOT / "workflow/rules/studies.smk").read_text()
    asked = {
        claim["measure"]["table"] for claim in read_claims(ROOT / "config/claims.yaml") if "measure" in claim
    }
    assert asked == set(re.findall(r'^ +"(\w+)": (?:rules\.|STUDIES)', rules, re.M))
