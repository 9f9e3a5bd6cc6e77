"""The explorer's shares against their definition, and its page against the tables it packs."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from conftest import random_replay

from adaptive_sampling.cases import read_cases
from adaptive_sampling.explorer.page import explorer_page
from adaptive_sampling.explorer.shares import SHARE_COLUMNS, sampling_shares
from adaptive_sampling.shift.population import population
from adaptive_sampling.shift.samplers import Parameters

CASE = read_cases("config/cases.csv")["amazon_yelp"]


@pytest.fixture(scope="module")
def replay():
    return random_replay(2, 2, 3000, seed=4)


@pytest.fixture(scope="module")
def shares(replay):
    return sampling_shares(
        replay, CASE, difficulty="none", K=3, parameters=Parameters(), last_budget=3000, trials=40, seed=1
    )


def test_shares_are_of_every_partition_and_sum_to_one_at_every_budget(shares):
    assert list(shares.columns) == list(SHARE_COLUMNS)
    assert sorted(set(shares["budget"])) == [500, 2000, 3000]
    for _, rows in shares.groupby("budget"):
        assert list(zip(rows["label"], rows["level"])) == [
            (name, level) for name in CASE.labels for level in (1, 2, 3)
        ]
        for column in ("items", "optimal", "masa"):
            assert rows[column].sum() == pytest.approx(1)
        assert (rows["masa_low"] <= rows["masa_high"]).all()


def test_the_optimal_share_is_that_of_lemma_1(replay, shares):
    strata = population(
        replay,
        name="amazon_yelp",
        labels=2,
        predicted_labels=2,
        difficulty="none",
        strata="label_difficulty",
        K=3,
    )
    weight = strata.share * np.sqrt(strata.uncertainty)
    rows = shares[shares["budget"] == 500]
    np.testing.assert_allclose(rows["optimal"], weight / weight.sum())
    np.testing.assert_allclose(rows["items"], strata.share)


def test_masa_comes_closer_to_the_optimal_shares_with_more_queries(shares):
    distance = (shares["masa"] - shares["optimal"]).abs().groupby(shares["budget"]).sum()
    assert distance[3000] < distance[500]


def test_the_page_holds_the_tables_and_no_label_can_end_its_data(shares):
    errors = pd.DataFrame(
        {
            "case": "amazon_yelp",
            "sampler": ["uniform"] * 2 + ["masa"] * 2,
            "K": 3,
            "a": [np.nan] * 2 + [1.0] * 2,
            "budget": [100, 200] * 2,
            "mse": [0.02, 0.01, 0.002, 0.00123456],
            "mse_se": 0.001,
            "q95": 0.1,
        }
    )
    sizes = pd.DataFrame(
        [("amazon_yelp", "masa", 3, 1.0, 150, pd.NA, 200)],
        columns=["case", "sampler", "K", "a", "n95", "n95_low", "n95_high"],
    )
    confusion = pd.DataFrame(
        [("amazon_yelp", a, b, 0.25, 0.25, 0.0) for a in ("x", "</script>") for b in ("x", "</script>")],
        columns=["case", "label", "predicted", "old", "new", "shift"],
    )
    page = explorer_page(
        errors={"none": [errors]},
        sizes={"none": [sizes]},
        shares=[shares],
        confusion=confusion,
        cases={"amazon_yelp": CASE},
        shift={
            "difficulty": "none",
            "K": 3,
            "a": 1.0,
            "target_error": 0.01,
            "confidence": 0.95,
            "samplers": ["uniform", "masa"],
            "budget": {"last": 3000},
        },
        trials=40,
    )
    assert len(page) < 10_000_000
    assert page.count("</script>") == 3
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])
    assert data["series"]["amazon_yelp|masa|3|1|none"]["mse"] == [0.002, 0.001235]
    assert data["series"]["amazon_yelp|uniform|3||none"]["first"] == 100
    assert data["sizes"]["amazon_yelp|masa|3|1|none"] == [150, None, 200]
    assert data["confusion"]["amazon_yelp"]["labels"] == ["x", "</script>"]
    assert data["shares"]["amazon_yelp|none|500"]["partition"][0] == "positive, 1"
