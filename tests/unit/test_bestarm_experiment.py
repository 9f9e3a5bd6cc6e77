"""The best-arm experiment: equal bytes however it is run, and every rule of the claims."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adaptive_sampling.bestarm import claims
from adaptive_sampling.bestarm.algorithms import ALGORITHMS, PAPER
from adaptive_sampling.bestarm.experiment import (
    PULLS_COLUMNS,
    ROUNDS_COLUMNS,
    MonteCarlo,
    Setup,
    Sweeps,
    settings,
    sweep,
)
from adaptive_sampling.bestarm.illustration import ARMS_COLUMNS, one_run
from adaptive_sampling.bestarm.theorem import HARDNESS_COLUMNS, pulls_against_hardness
from adaptive_sampling.bestarm.variants import READINGS, TIGHTER, VARIANTS_COLUMNS, compare
from adaptive_sampling.errors import InputError
from adaptive_sampling.figures.ebr_anytime import ebr_anytime
from adaptive_sampling.figures.ebr_bound import ebr_bound
from adaptive_sampling.figures.ebr_figure_1 import ebr_figure_1
from adaptive_sampling.figures.ebr_figure_2 import ebr_figure_2
from adaptive_sampling.figures.ebr_hardness import ebr_hardness
from adaptive_sampling.figures.ebr_survivors import ebr_survivors
from adaptive_sampling.figures.ebr_tuning import ebr_tuning
from adaptive_sampling.figures.style import save
from adaptive_sampling.tables import read_table, write_table

SETUPS = [Setup("wide", 6, 0.2, 0.8), Setup("close", 5, 0.6, 0.8)]
SWEEPS = Sweeps((1, 2, 5), 0.1, (0.1, 0.2), 5, 0.1)
HOW = MonteCarlo(trials=120, seed=7)


@pytest.fixture(scope="module")
def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    return sweep(SETUPS, list(PAPER), SWEEPS, HOW)


def test_rows_and_columns(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    pulls, rounds = tables
    assert list(pulls.columns) == list(PULLS_COLUMNS)
    assert list(rounds.columns) == list(ROUNDS_COLUMNS)
    assert len(pulls) == 2 * 5 * (3 + 2)
    assert not pulls.duplicated(["sweep", "setup", "algorithm", "rounds", "epsilon"]).any()
    assert (pulls["q05"] <= pulls["mean"] + 1e-9).all()
    assert (pulls["se"] >= 0).all()


def test_trials_that_memory_cannot_hold_are_refused() -> None:
    with pytest.raises(
        InputError,
        match=r"^best arm: pulls of 10000000 trials at \d+ points need \d+\.\d GiB, allowed are 4: take fewer trials",
    ):
        sweep(SETUPS, list(PAPER), SWEEPS, MonteCarlo(trials=10_000_000, seed=7))


def test_sequential_and_passive_do_not_depend_on_the_deadline(
    tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    pulls = tables[0]
    for name in ("sequential", "passive"):
        rows = pulls[(pulls["algorithm"] == name) & (pulls["epsilon"] == 0.1)]
        assert len(rows) == 2 * 4
        assert all(len(set(means)) == 1 for _, means in rows.groupby("setup")["mean"])


@pytest.mark.parametrize("how", [replace(HOW, jobs=2), replace(HOW, jobs=2, backend="loky")])
def test_bytes_do_not_depend_on_jobs_or_backend(
    tables: tuple[pd.DataFrame, pd.DataFrame], how: MonteCarlo, tmp_path: Path
) -> None:
    for one, two in zip(tables, sweep(SETUPS, list(PAPER), SWEEPS, how)):
        write_table(one, tmp_path / "one.csv")
        write_table(two, tmp_path / "two.csv")
        assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_a_subset_of_setups_algorithms_or_points_changes_no_row(
    tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    few = replace(SWEEPS, rounds=(5,), epsilons=(0.2,))
    pulls, _ = sweep(SETUPS[1:], ["sequential", "ebr"], few, HOW)
    both = pulls.merge(tables[0], how="left", indicator=True)
    assert len(pulls) == 4
    assert (both["_merge"] == "both").all()


def test_more_trials_keep_the_first_blocks() -> None:
    short, _ = sweep(SETUPS[:1], ["ebr"], SWEEPS, replace(HOW, trials=50))
    long, _ = sweep(SETUPS[:1], ["ebr"], SWEEPS, replace(HOW, trials=100))
    assert not (short["mean"] == long["mean"]).all()
    again, _ = sweep(SETUPS[:1], ["ebr"], SWEEPS, replace(HOW, trials=50))
    pd.testing.assert_frame_equal(short, again)


def test_settings_refuse_two_setups_of_one_name() -> None:
    setup = {"name": "same", "arms": 3, "lowest": 0.1, "highest": 0.5}
    section = {
        "setups": [setup, setup],
        "delta": 0.1,
        "rounds_sweep": {"epsilon": 0.1, "rounds": [1]},
        "epsilon_sweep": {"rounds": 1, "epsilons": [0.1]},
    }
    with pytest.raises(InputError, match="same, same"):
        settings(section)


def test_forms_are_compared_with_what_they_stand_in_for() -> None:
    assert set(READINGS) | set(TIGHTER) | set(PAPER) == set(ALGORITHMS)
    table = compare(TIGHTER, SETUPS[:1], SWEEPS, {"rounds": [1, 5], "trials": 60}, HOW)
    assert list(table.columns) == list(VARIANTS_COLUMNS)
    own = table[table["algorithm"] == table["compared_with"]]
    assert (own["ratio"] == 1).all()
    assert (table[table["algorithm"] != "ebr"]["ratio"] < 1).all()


@pytest.fixture(scope="module")
def evidence(tables: tuple[pd.DataFrame, pd.DataFrame]) -> claims.Tables:
    study = {"instances": 12, "arms": 6, "epsilon": 0.05, "rounds": [2, 5], "trials": 5}
    return claims.Tables(
        pulls=tables[0],
        rounds=tables[1],
        hardness=pulls_against_hardness(study, 0.1, HOW),
        tuning=compare(TIGHTER, SETUPS, SWEEPS, {"rounds": [1, 5], "trials": 60}, HOW),
        arms={setup.name: setup.arms for setup in SETUPS},
    )


def test_every_claim_gets_a_verdict(evidence: claims.Tables) -> None:
    stated = claims.read_claims("config/claims_ebr.yaml")
    verdicts = claims.judge(stated, evidence)
    assert list(verdicts.columns) == list(claims.CLAIMS_COLUMNS)
    assert len(verdicts) == len(stated) >= 15
    assert set(verdicts["verdict"]) <= {
        claims.REPRODUCED,
        claims.PARTLY,
        claims.NOT_REPRODUCED,
        claims.NOT_TESTABLE,
    }
    assert not (verdicts == "").any(axis=None)
    assert {claim["how"] for claim in stated} == set(claims.RULES)


def verdict_of(how: str, tables: claims.Tables, **rule: object) -> str:
    return claims.RULES[how](tables, rule).verdict


def test_verdicts_follow_the_numbers(evidence: claims.Tables) -> None:
    # Each rule is shown tables on which its claim must hold, and such on which it must fail.
    def scaled(name: str, factor: float, where: str = "True") -> claims.Tables:
        pulls = evidence.pulls.copy()
        rows = (pulls["algorithm"] == name) & pulls.eval(where)
        pulls.loc[rows, "mean"] = pulls.loc[rows, "mean"] * factor
        return replace(evidence, pulls=pulls)

    assert verdict_of("ebr_below_baselines", scaled("ebr", 1e-6), partly=0.8) == "reproduced"
    assert verdict_of("ebr_below_baselines", scaled("ebr", 1e6), partly=0.8) == "not reproduced"
    limits = {"reproduced": 1000, "partly": 10}
    assert verdict_of("ebr_reduction", scaled("ebr", 1e6, "rounds == 1"), **limits) == "reproduced"
    assert verdict_of("ebr_reduction", scaled("ebr", 1e-6, "rounds == 1"), **limits) == "not reproduced"
    assert verdict_of("ebr_over_sequential", scaled("ebr", 1e-3), reproduced=10) == "reproduced"
    assert verdict_of("ebr_over_sequential", scaled("ebr", 1e3), reproduced=10) == "not reproduced"
    passive = {"baseline": "passive", "reproduced": 10}
    assert verdict_of("baseline_over_ebr", scaled("passive", 1e4), **passive) == "reproduced"
    assert verdict_of("baseline_over_ebr", scaled("passive", 1e-4), **passive) == "not reproduced"
    assert verdict_of("passive_formula", evidence) == "reproduced"
    assert verdict_of("passive_formula", scaled("passive", 1.01)) == "not reproduced"
    ae = "aggressive_elimination"
    assert verdict_of("ae_rises", scaled(ae, 1e-3, "rounds == 5")) == "not reproduced"
    assert verdict_of("ebr_between", scaled("ebr", 1e-6), partly=0.9) == "not reproduced"
    assert verdict_of(
        "k_delta_flat", scaled("top_k_delta_elimination", 1e-3, "rounds > 1"), reproduced=0.5
    ) == ("not reproduced")
    failing = evidence.pulls.assign(success=0.5)
    assert verdict_of("lowest_success", replace(evidence, pulls=failing)) == "not reproduced"
    assert verdict_of("ebr_pac", replace(evidence, pulls=failing)) == "not reproduced"
    beyond = evidence.hardness.assign(largest=evidence.hardness["bound"] * 1.1)
    assert verdict_of("theorem_2", replace(evidence, hardness=beyond), reproduced=1) == "not reproduced"
    assert verdict_of("theorem_2", evidence, reproduced=1) == "reproduced"


def test_a_smaller_run_leaves_a_claim_untested(evidence: claims.Tables) -> None:
    pulls = evidence.pulls[evidence.pulls["rounds"] != 1]
    stated = [c for c in claims.read_claims("config/claims_ebr.yaml") if c["how"] == "ebr_reduction"]
    assert claims.judge(stated, replace(evidence, pulls=pulls))["verdict"].tolist() == ["not testable"]


def test_claims_file_is_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        claims.read_claims(tmp_path / "none.yaml")
    path = tmp_path / "claims.yaml"
    path.write_text("- {claim: a, where: b, paper_value: c, rule: d, how: by_eye}\n", "utf-8")
    with pytest.raises(InputError, match="claim 1: how is by_eye"):
        claims.read_claims(path)
    path.write_text("- {claim: a, where: b}\n", "utf-8")
    with pytest.raises(InputError, match="claim 1 lacks paper_value, rule, how"):
        claims.read_claims(path)


def test_illustration_adds_up() -> None:
    arms = one_run({"arms": 6, "lowest": 0.2, "highest": 0.8, "epsilon": 0.1, "rounds": 3}, 0.1, 3)
    assert list(arms.columns) == list(ARMS_COLUMNS)
    passive = arms[arms["algorithm"] == "passive"]
    assert len(set(passive["pulls"])) == 1
    for _, rows in arms.groupby("algorithm"):
        assert len(set(rows[rows["recommended"]]["arm"])) == 1
    ebr = arms[arms["algorithm"] == "ebr"]
    assert (ebr.groupby("arm")["round"].apply(lambda t: sorted(t) == list(range(1, len(t) + 1)))).all()


def test_hardness_rows_hold_the_bound(evidence: claims.Tables) -> None:
    table = evidence.hardness
    assert list(table.columns) == list(HARDNESS_COLUMNS)
    assert len(table) == 12 * 3
    ebr = table[table["algorithm"] == "ebr"]
    assert (ebr["mean"] <= ebr["bound"]).all()
    assert table["hardness"].nunique() == 12


@pytest.mark.parametrize("name", ["1", "2", "survivors", "anytime", "bound", "hardness", "tuning"])
def test_figures_read_their_tables_and_keep_their_bytes(
    name: str, evidence: claims.Tables, tmp_path: Path
) -> None:
    study = {"arms": 6, "lowest": 0.2, "highest": 0.8, "epsilon": 0.1, "rounds": 3}
    columns, table, draw = {
        "1": (ARMS_COLUMNS, one_run(study, 0.1, 3), ebr_figure_1),
        "2": (PULLS_COLUMNS, evidence.pulls, ebr_figure_2),
        "survivors": (ROUNDS_COLUMNS, evidence.rounds, ebr_survivors),
        "anytime": (ROUNDS_COLUMNS, evidence.rounds, ebr_anytime),
        "bound": (PULLS_COLUMNS, evidence.pulls, lambda pulls: ebr_bound(pulls, SETUPS)),
        "hardness": (HARDNESS_COLUMNS, evidence.hardness, ebr_hardness),
        "tuning": (VARIANTS_COLUMNS, evidence.tuning, ebr_tuning),
    }[name]
    write_table(table, tmp_path / "table.csv")
    read = read_table(tmp_path / "table.csv", columns)
    images = []
    for copy in ("a", "b"):
        save(draw(read), [tmp_path / f"{copy}.svg"])
        images.append((tmp_path / f"{copy}.svg").read_bytes())
    assert images[0] == images[1]
    assert np.char.count(images[0].decode(), "<path").sum() > 20
