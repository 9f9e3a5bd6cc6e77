"""The split of the gain over uniform sampling, on a table made by hand."""

import pandas as pd
import pytest

from adaptive_sampling.cases import read_cases
from adaptive_sampling.shift.adaptivity import ADAPTIVITY_COLUMNS, adaptivity, as_markdown, difficulty_of

CASES = read_cases("config/cases.csv")


def sizes(case, *values):
    names = [
        "uniform",
        "stratified_proportional",
        "stratified_difficulty",
        "masa",
        "oracle",
        "stratified_equal",
    ]
    return pd.DataFrame({"case": case, "sampler": names, "n95": pd.array(values, dtype="Int64")})


@pytest.fixture
def table():
    both = pd.concat(
        [
            sizes("amazon_yelp", 20_000, 6_000, 5_000, 5_500, 4_000, 9_999),
            sizes("openai_gpt4", 10_000, 5_000, 4_500, 4_000, 3_500, 9_999),
            sizes("ibm_digit", None, 5_000, 4_500, 4_000, None, 9_999),
        ]
    )
    ranked = {"amazon_yelp": "open_source_model", "openai_gpt4": "none", "ibm_digit": "open_source_model"}
    return adaptivity(both, CASES, ranked, 3)


def test_the_parts_by_hand(table):
    assert list(table.columns) == list(ADAPTIVITY_COLUMNS)
    yelp, gpt, _ = table.to_dict("records")
    gains = ["by_labels", "by_difficulty", "by_adapting", "left_to_oracle"]
    assert [yelp[name] for name in gains] == pytest.approx([70.0, 5.0, -2.5, 7.5])
    assert [gpt[name] for name in gains] == pytest.approx([50.0, 5.0, 5.0, 5.0])
    # What the steps save and what the oracle still needs is all that uniform sampling needs.
    assert sum(yelp[name] for name in gains) + 100 * 4_000 / 20_000 == pytest.approx(100)
    assert yelp["proportional_over_masa"] == pytest.approx(6_000 / 5_500)
    assert yelp["close"]
    assert not gpt["close"]
    assert (gpt["source"], gpt["difficulty"]) == ("recorded", "none")


def test_a_size_beyond_the_grid_leaves_its_gains_empty(table):
    digit = table.iloc[2]
    assert pd.isna(digit["by_labels"])
    assert pd.isna(digit["left_to_oracle"])
    assert digit["proportional_over_masa"] == pytest.approx(1.25)


def test_the_words_under_the_table(table):
    text = as_markdown(table, CASES)
    assert "largest step in 2 of 2 cases" in text
    assert "at most 10% more queries than MASA in 1 of 2 cases: Amazon YELP." in text
    assert "| IBM DIGIT | reconstructed | open_source_model | – | – |" in text


def test_the_fallback_is_used_only_where_it_must_be():
    replay = pd.DataFrame({"difficulty": ["none", "trial_division"]})
    assert difficulty_of(replay, "open_source_model", "trial_division") == "trial_division"
    assert difficulty_of(replay, "none", "trial_division") == "none"
