"""Sensitivity of Table 1: what is varied, how a size is read, and that the shipped table can be rebuilt."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import toy_population

from adaptive_sampling.cases import read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.recordings.reconstruct import DEFAULT_SEED, ReconstructionChoices
from adaptive_sampling.shift import sensitivity
from adaptive_sampling.shift.closed_form import uniform_loss
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters
from adaptive_sampling.tables import read_table

ROOT = Path(__file__).parents[2]
MIRROR = ROOT / "../shared/mirror"
CASES = read_cases("config/cases.csv")
SHIPPED = read_table(ROOT / "data/sensitivity.csv", sensitivity.SENSITIVITY_COLUMNS)


def test_one_choice_is_changed_at_a_time():
    listed = list(sensitivity.variants(10))
    default = ReconstructionChoices()
    assert listed[0] == ("default", "", default)
    for name, _, choices in listed[1:]:
        differing = [
            key for key in ("other_wrong", "flips", "seed") if getattr(choices, key) != getattr(default, key)
        ]
        assert differing == [name]
    names = [name for name, _, _ in listed]
    assert (names.count("seed"), names.count("other_wrong"), names.count("flips")) == (19, 3, 2)
    assert [choices.other_wrong for name, _, choices in listed if name == "other_wrong"] == [0, 1 / 3, 2 / 3]


def test_two_classes_have_no_other_wrong_answer():
    assert "other_wrong" not in [name for name, _, _ in sensitivity.variants(2)]


def test_the_fitted_size_of_a_power_is_exact():
    """Squared error 0.3/N in all runs reaches 1e-4 at N=3000, also between two budgets of the grid."""
    budgets = np.array([1000, 2000, 2700, 4000, 5000, 9000])
    assert sensitivity.fitted_size(np.tile(0.3 / budgets, (5, 1)), budgets, 0.01, 0.95) == 3000


def test_the_fitted_size_agrees_with_the_first_budget_that_passes():
    """On 2,000 runs of the toy case both readings lie within 5%."""
    p, budgets = toy_population(), np.arange(200, 1600, 20, dtype=np.int64)
    error = SAMPLERS["masa"].simulate(p, budgets, Parameters(), 1, Trials(0, 2000)).error
    first = budgets[((error <= 0.04**2).mean(axis=0) >= 0.95).argmax()]
    assert sensitivity.fitted_size(error, budgets, 0.04, 0.95) == pytest.approx(first, rel=0.05)


def test_a_grid_far_from_the_target_is_refused():
    budgets = np.array([10, 20, 30])
    with pytest.raises(InputError, match="budgets 10 to 30: only 0 are near the target, 3 are needed"):
        sensitivity.fitted_size(np.ones((5, 3)), budgets, 0.01, 0.95)


def test_the_join_by_hand():
    sizes = pd.DataFrame(
        {
            "case": "ibm_digit",
            "sampler": ["masa", "uniform"],
            "n95": [4500, 15800],
            "n95_low": [4300, 15000],
            "n95_high": [4700, 16000],
        }
    )
    table = pd.DataFrame(
        [
            ("ibm_digit", "default", "", 9, 4400, 15700),
            ("ibm_digit", "seed", "1", 9, 4600, 15600),
            ("ibm_digit", "other_wrong", "0", 9, 4000, 15900),
        ],
        columns=list(sensitivity.SENSITIVITY_COLUMNS),
    )
    joined = sensitivity.table_1_sensitivity(sizes, table, CASES, ["ibm_digit", "openai_gpt4"])
    digit, gpt = joined.to_dict("records")
    assert (digit["masa"], digit["masa_low"], digit["masa_high"]) == (4500, 4300, 4700)
    assert (digit["masa_sensitivity_low"], digit["masa_sensitivity_high"]) == (4000, 4600)
    assert (digit["uniform_sensitivity_low"], digit["uniform_sensitivity_high"]) == (15600, 15900)
    assert digit["widest_choice"] == "other_wrong 0"
    assert not digit["paper_within"]  # 3600 is below 0.95 * 4000
    assert gpt["source"] == "recorded"
    assert pd.isna(gpt["masa_sensitivity_low"])
    text = sensitivity.as_markdown(joined)
    assert "4.3K–4.7K | 4.0K–4.6K | other_wrong 0" in text
    assert "in 0 of 1 cases" in text


def test_the_shipped_table_is_whole():
    """Each of the 12 reconstructed cases has its default, two rules of flips, 19 more seeds, and shares of c."""
    assert set(SHIPPED["case"]) == {name for name, case in CASES.items() if case.source == "reconstructed"}
    for name, rows in SHIPPED.groupby("case"):
        expected = [(choice, value) for choice, value, _ in sensitivity.variants(len(CASES[name].labels))]
        assert list(zip(rows["choice"], rows["value"].fillna(""))) == expected
    assert (SHIPPED["trials"] == 600).all()


def test_the_limit_of_uniform_sampling_is_near_its_loss():
    """The 95% quantile of a sum of squares lies between its mean and 4 times it."""
    p = toy_population()
    mean = uniform_loss(p, np.array([1], dtype=np.int64))[0]
    c = sensitivity.limit_c(p.new.ravel(), 0.95, np.random.default_rng(0))
    assert mean < c < 4 * mean


@pytest.mark.mirror
@pytest.mark.skipif(not MIRROR.exists(), reason="the public recordings are not at hand")
@pytest.mark.parametrize("name", ["ibm_digit", "microsoft_ferplus"])
def test_a_part_of_the_shipped_table_is_rebuilt(name, monkeypatch):
    """The default, one rule of flips and the first share of c, to the last digit."""

    def some(labels, seeds):
        listed = list(sensitivity_variants(labels, seeds))
        return [listed[0], listed[2], listed[3]]

    sensitivity_variants = sensitivity.variants
    monkeypatch.setattr(sensitivity, "variants", some)
    rebuilt = sensitivity.sensitivity(CASES[name], MIRROR, trials=600, jobs=1)
    shipped = SHIPPED[SHIPPED["case"] == name].iloc[[0, 2, 3]].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        rebuilt.replace({"value": {"": None}}), shipped.replace({"value": {"": None}}), check_dtype=False
    )
    assert DEFAULT_SEED == 20210426
