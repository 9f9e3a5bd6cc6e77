"""The figures beyond the paper show what their tables hold, in the same bytes each time."""

import pandas as pd
import pytest

from adaptive_sampling.beyond.detection import DETECTION_COLUMNS
from adaptive_sampling.beyond.summary import REQUIRED_COLUMNS, RULE_SUMMARY_COLUMNS
from adaptive_sampling.cases import read_cases
from adaptive_sampling.figures.beyond_power import beyond_power
from adaptive_sampling.figures.beyond_queries import METHODS, beyond_queries
from adaptive_sampling.figures.beyond_rules import RULES, beyond_rules
from adaptive_sampling.figures.style import save

CASES = read_cases("config/cases.csv")


def required():
    rows = [
        (case, method, "label", kind, 100 * (k + 1), 90 * (k + 1), 110 * (k + 1), 1.0, 1.0)
        for case in ("amazon_yelp", "ibm_digit", "openai_gpt4")
        for kind in (True, False)
        for k, method in enumerate(METHODS)
    ]
    table = pd.DataFrame(rows, columns=list(REQUIRED_COLUMNS)).astype({"n95": "Int64", "n95_high": "Int64"})
    table.loc[3, ["n95", "n95_high"]] = pd.NA  # never reached
    return table


def detected():
    rows = [
        (case, "accuracy", method, kind, 0.01, change, change > 0.01, 0.5, undecided, 0.0, 0.0, 500.0)
        for case, change, undecided in (
            ("amazon_yelp", 0.02, 0.0),
            ("power_000", 0.0, 0.1),
            ("power_050", 0.03, 0.0),
        )
        for kind in (True, False)
        for method in ("uniform", "posterior")
    ]
    return pd.DataFrame(rows, columns=list(DETECTION_COLUMNS))


def test_every_size_is_a_point_at_its_place():
    figure = beyond_queries(required(), CASES, target=0.01)
    axes = figure.axes
    assert [axis.get_title() for axis in axes] == ["with replacement", "without replacement"]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == [
        "Amazon YELP",
        "IBM DIGIT",
        "GPT-4 PRIME",
    ]
    points = {line.get_label(): line.get_xydata().tolist() for line in axes[0].lines}
    assert points[METHODS["masa"][0]] == [[100, 2], [100, 1], [100, 0]]
    assert points[METHODS["prediction_powered"][0]] == [[400, 1], [400, 0]]
    assert axes[0].get_xscale() == "log"


def test_power_is_drawn_over_the_true_change():
    left, middle, right = beyond_power(detected(), CASES).axes
    assert left.lines[0].get_xydata().tolist() == [[0, 0.5], [3, 0.5]]
    assert middle.lines[0].get_xydata().tolist() == [[0, 500], [3, 500]]
    assert [label.get_text() for label in right.get_yticklabels()] == ["Amazon YELP"]


def test_every_rule_is_a_curve_over_its_cost():
    rows = [
        (group, rule, margin, True, 168, 2, 0.02 / margin, "one_cell", 0.01, 0.95, margin + k)
        for group in ("recorded", "stress")
        for k, rule in enumerate(RULES)
        for margin in (1.0, 0.5)
    ]
    left, right = beyond_rules(pd.DataFrame(rows, columns=list(RULE_SUMMARY_COLUMNS))).axes
    assert [axis.get_title() for axis in (left, right)] == ["recorded cases", "stress cases"]
    curves = {line.get_label(): line.get_xydata().tolist() for line in right.lines}
    assert curves[RULES["cautious"][0]] == [[2.5, 4], [3, 2]]


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg"])
def test_equal_tables_give_equal_bytes(tmp_path, suffix):
    for name in ("first", "second"):
        save(beyond_queries(required(), CASES, target=0.01), [tmp_path / f"{name}{suffix}"])
    assert (tmp_path / f"first{suffix}").read_bytes() == (tmp_path / f"second{suffix}").read_bytes()
