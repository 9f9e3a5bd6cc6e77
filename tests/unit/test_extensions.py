"""Weights W and sampling without replacement: what is watched, and what it must come to."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import toy_population

from adaptive_sampling.cases import read_cases
from adaptive_sampling.shift.closed_form import oracle_loss, uniform_loss
from adaptive_sampling.shift.experiment import Setting
from adaptive_sampling.shift.replacement import REPLACEMENT_COLUMNS, replacement_study
from adaptive_sampling.shift.samplers import Parameters
from adaptive_sampling.shift.weights import METHODS, WEIGHT_COLUMNS, weight_matrices, weights_study

SETTING = Setting(400, 2000, 100, 0.05, 0.95, 100, seed=3)


@pytest.fixture(scope="module")
def of_strata():
    return {name: toy_population(strata=name) for name in ("label", "label_difficulty")}


def test_the_three_weights_by_hand(of_strata):
    p = of_strata["label"]
    weights = weight_matrices(p)
    assert weights["accuracy"].tolist() == [[1, 0, 0], [0, 1, 0]]
    one = weights["one_confusion"]
    assert one.sum() == 1
    i, j = np.argwhere(one)[0]
    assert i != j
    off = [(abs(p.shift[i, j]), i, j) for i in range(2) for j in range(3) if i != j]
    assert max(off)[1:] == (i, j)
    # Both labels weigh alike: p_i W_i is 1/2 in every row.
    assert (p.new.sum(axis=1)[:, None] * weights["per_class"]) == pytest.approx(np.full((2, 3), 0.5))


def test_the_study_of_weights_agrees_with_closed_forms(of_strata):
    table = weights_study(of_strata, Parameters(), 1000, SETTING, ("x", "y", "none"))
    assert list(table.columns) == list(WEIGHT_COLUMNS)
    assert all(tuple(rows["method"]) == METHODS for _, rows in table.groupby("weights"))
    for weights, matrix in weight_matrices(of_strata["label"]).items():
        rows = table[table["weights"] == weights].set_index("method")
        budgets = np.array([1000], dtype=np.int64)
        expected = {
            "uniform": uniform_loss(replace(of_strata["label"], weights=matrix), budgets)[0],
            "oracle": oracle_loss(replace(of_strata["label_difficulty"], weights=matrix), budgets)[0],
        }
        for method, loss in expected.items():
            assert abs(rows.loc[method, "mse"] - loss) <= 4 * rows.loc[method, "mse_se"] + 0.01 * loss
        assert rows.loc["oracle", "over_oracle"] == 1
        assert rows.loc["masa", "over_uniform"] < 1
    cells = table.loc[table["weights"] == "one_confusion", "cell"].unique()
    assert len(cells) == 1
    assert " > " in cells[0]


def test_watching_one_confusion_pays_for_telling_masa(of_strata):
    table = weights_study(of_strata, Parameters(), 1000, SETTING, ("x", "y", "none"))
    rows = table[table["weights"] == "one_confusion"].set_index("method")["mse"]
    assert rows["oracle"] < rows["masa"] < rows["masa_unweighted"]


def test_no_size_without_replacement_exceeds_the_items(of_strata):
    """The toy case has 2,000 items; at a target of 0.1% only knowing all of them is enough."""
    case = replace(read_cases("config/cases.csv")["ibm_digit"], case="toy")
    sizes = pd.DataFrame({"case": "toy", "sampler": ["masa", "uniform"], "n95": [4000, None]})
    setting = replace(SETTING, target_error=0.001)
    without = Parameters(replacement=False)
    table = replacement_study([case], {"toy": of_strata}, sizes, without, 3, setting)
    assert list(table.columns) == list(REPLACEMENT_COLUMNS)
    assert (table["n95_without"] <= 2000).all()
    masa = table.set_index("sampler").loc["masa"]
    assert masa["saved"] == pytest.approx(100 * (1 - masa["n95_without"] / 4000))
    assert pd.isna(table.set_index("sampler").loc["uniform", "saved"])
