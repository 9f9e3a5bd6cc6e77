"""Each statement of the EBR paper: the measured value, and a verdict by the rule in config/claims_ebr.yaml."""

# The rules share one signature.
# ruff: noqa: ARG001

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from adaptive_sampling.bestarm.deviations import ebr_deviation, sequential_deviation
from adaptive_sampling.bestarm.instances import BERNOULLI_SIGMA
from adaptive_sampling.errors import InputError

CLAIMS_COLUMNS: Final = {
    "paper": "text",
    "claim": "text",
    "where": "text",
    "paper_value": "text",
    "measured": "text",
    "verdict": "text",
    "evidence": "text",
}
"""Columns of ``claims.csv``."""

REPRODUCED: Final = "reproduced"
PARTLY: Final = "partly"
NOT_REPRODUCED: Final = "not reproduced"
NOT_TESTABLE: Final = "not testable"


@dataclass(frozen=True)
class Tables:
    """What claims are measured on.

    Attributes
    ----------
    pulls, rounds, hardness, tuning : DataFrame
        ``pulls.csv``, ``rounds.csv``, ``hardness.csv`` and ``tuning.csv`` of ``results/bestarm``.
    arms : mapping of str to int
        n of every setup.
    """

    pulls: pd.DataFrame
    rounds: pd.DataFrame
    hardness: pd.DataFrame
    tuning: pd.DataFrame
    arms: Mapping[str, int]


@dataclass(frozen=True)
class Measured:
    """The measured value in words, the verdict, and the file behind it."""

    value: str
    verdict: str
    evidence: str


Rule = Callable[[Tables, Mapping[str, Any]], Measured]


def _graded(holds: bool, partly: bool = False) -> str:
    """Turn the two questions of most rules into a verdict."""
    return REPRODUCED if holds else PARTLY if partly else NOT_REPRODUCED


def _means(pulls: pd.DataFrame, sweep: str | None = None) -> pd.DataFrame:
    """Mean pulls with one column an algorithm and one row a cell."""
    rows = pulls if sweep is None else pulls[pulls["sweep"] == sweep]
    return rows.pivot_table(index=["sweep", "setup", "rounds", "epsilon"], columns="algorithm", values="mean")


def _over_rounds(tables: Tables, name: str) -> pd.DataFrame:
    """Mean pulls of one algorithm in the sweep over T: a row a deadline, a column a setup."""
    rows = tables.pulls[(tables.pulls["sweep"] == "rounds") & (tables.pulls["algorithm"] == name)]
    return rows.pivot_table(index="rounds", columns="setup", values="mean").sort_index()


def _list_cells(cells: pd.DataFrame) -> str:
    """Name up to eight cells of a frame by setup, T and epsilon."""
    names = [f"{setup} T={T} eps={epsilon:g}" for _, setup, T, epsilon in cells.index]
    return "; ".join(dict.fromkeys(names[:8])) + ("; ..." if len(names) > 8 else "")


def lowest_success(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Lowest success rate over all cells."""
    low = tables.pulls["success"].min()
    delta = tables.pulls["delta"].max()
    return Measured(
        f"lowest success rate {low:.4g}", _graded(low == 1, low >= 1 - delta), "results/bestarm/pulls.csv"
    )


def ebr_below_baselines(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Share of cells where EBR has fewer mean pulls than passive, AE and k-deltaER."""
    means = _means(tables.pulls)
    others = means[["passive", "aggressive_elimination", "top_k_delta_elimination"]].min(axis=1)
    below = means["ebr"] < others
    share = below.mean()
    failing = f"; fails at {_list_cells(means[~below])}" if not below.all() else ""
    return Measured(
        f"{below.sum()} of {below.size} cells{failing}",
        _graded(bool(below.all()), share >= rule["partly"]),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def ebr_reduction(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Mean pulls at T = 1 over the lowest over T."""
    means = _over_rounds(tables, "ebr")
    ratio = means.loc[1] / means.min()
    return Measured(
        ", ".join(f"{value:.3g}-fold in {setup}" for setup, value in ratio.items()),
        _graded(ratio.min() >= rule["reproduced"], ratio.min() >= rule["partly"]),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def ebr_quick(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Share of the log reduction that is reached by a few rounds."""
    means = _over_rounds(tables, "ebr").transform(np.log)
    share = (means.loc[1] - means.loc[: rule["by_rounds"]].min()) / (means.loc[1] - means.min())
    return Measured(
        ", ".join(f"{value:.0%} by T={rule['by_rounds']} in {setup}" for setup, value in share.items()),
        _graded(share.min() >= rule["reproduced"], share.min() >= rule["partly"]),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def ebr_over_sequential(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Ratio of EBR's mean pulls to the sequential algorithm's over epsilon."""
    means = _means(tables.pulls, "epsilon")
    ratio = means["ebr"] / means["sequential"]
    return Measured(
        f"ratio {ratio.min():.3g} to {ratio.max():.3g}",
        _graded(ratio.max() <= rule["reproduced"]),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def baseline_over_ebr(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Ratio of a baseline's mean pulls to EBR's over epsilon."""
    means = _means(tables.pulls, "epsilon")
    ratio = means[rule["baseline"]] / means["ebr"]
    enough = ratio >= rule["reproduced"]
    return Measured(
        f"ratio {ratio.min():.3g} to {ratio.max():.3g}; at least {rule['reproduced']} in {enough.sum()} of "
        f"{enough.size} cells",
        _graded(bool(enough.all()), enough.mean() >= 0.5),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def _first_drop(rows: pd.DataFrame) -> int:
    """Round after which the mean number of survivors first lies below n."""
    return int(
        rows.loc[(rows["survivors"] < rows["arms"]) | (rows["round"] == rows["rounds"]), "round"].min()
    )


def ae_waits(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Share of the deadline that is left when AE first drops an arm."""
    rows = tables.rounds[tables.rounds["algorithm"] == "aggressive_elimination"]
    first = {str(setup): _first_drop(group) for setup, group in rows.groupby("setup")}
    T = int(rows["rounds"].max())
    left = max(T - t + 1 for t in first.values())
    return Measured(
        f"first arm dropped after round {min(first.values())} of {T}",
        _graded(left / T <= rule["reproduced"]),
        "results/bestarm/rounds.csv, figures/ebr/survivors",
    )


def ae_rises(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Whether AE's mean pulls rise at every step of T."""
    means = _over_rounds(tables, "aggressive_elimination")
    rises = (means.diff().iloc[1:] > 0).all(axis=1)
    falls = [int(T) for T in rises.index[~rises]]
    where = f"falls at T = {', '.join(map(str, falls))}" if falls else "rises at every step"
    return Measured(
        f"{where}; {means.iloc[0].mean():.3g} pulls at T = {means.index[0]}, "
        f"{means.iloc[-1].mean():.3g} at T = {means.index[-1]}",
        _graded(not falls, bool(rises.loc[3:].all())),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def _first_round(tables: Tables, name: str) -> pd.DataFrame:
    """Survivors and spent pulls of one algorithm after round 1, beside its last round; a row a setup."""
    rows = tables.rounds[tables.rounds["algorithm"] == name]
    first = rows[rows["round"] == 1].set_index("setup")
    last = rows[rows["round"] == rows["rounds"]].set_index("setup")
    return pd.DataFrame(
        {
            "survivors": first["survivors"] / first["arms"],
            "share": first["pulls"] / last["pulls"],
        }
    )


def k_delta_first_round_survivors(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Share of arms that k-deltaER keeps after round 1."""
    share = _first_round(tables, "top_k_delta_elimination")["survivors"].max()
    return Measured(
        f"{share:.1%} of the arms survive round 1",
        _graded(share <= rule["reproduced"], share <= rule["partly"]),
        "results/bestarm/rounds.csv, figures/ebr/survivors",
    )


def k_delta_first_round_share(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Share of k-deltaER's pulls that round 1 takes."""
    share = _first_round(tables, "top_k_delta_elimination")["share"].min()
    return Measured(
        f"{share:.1%} of the pulls",
        _graded(share >= rule["reproduced"], share >= rule["partly"]),
        "results/bestarm/rounds.csv",
    )


def k_delta_flat(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Lowest mean pulls of k-deltaER for T > 1 over those at T = 1."""
    means = _over_rounds(tables, "top_k_delta_elimination")
    ratio = means.loc[2:].min() / means.loc[1]
    return Measured(
        f"lowest over T > 1 is {ratio.min():.3g} times T = 1",
        _graded(ratio.min() >= rule["reproduced"]),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def passive_formula(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Passive pulls against n times the formula."""
    rows = tables.pulls[tables.pulls["algorithm"] == "passive"]
    arms = rows["setup"].map(tables.arms)
    formula = 80 * BERNOULLI_SIGMA**2 / rows["epsilon"] ** 2 * np.log(arms / rows["delta"])
    excess = rows["mean"] / arms - formula
    return Measured(
        f"{excess.min():.2f} to {excess.max():.2f} pulls an arm above the formula (rounding up)",
        _graded(bool(((excess > -1e-6) & (excess < 1)).all())),
        "results/bestarm/pulls.csv",
    )


def passive_indifferent(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Whether passive pulls are equal in all setups."""
    rows = tables.pulls[tables.pulls["algorithm"] == "passive"]
    distinct = rows.groupby("epsilon")["mean"].nunique()
    return Measured(
        "equal in all setups" if (distinct == 1).all() else "unequal",
        _graded(bool((distinct == 1).all())),
        "results/bestarm/pulls.csv",
    )


def passive_over_sequential(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Ratio of passive to sequential pulls."""
    means = _means(tables.pulls)
    ratio = means["passive"] / means["sequential"]
    return Measured(
        f"ratio {ratio.min():.3g} to {ratio.max():.3g}",
        _graded(ratio.min() >= rule["reproduced"], ratio.max() >= rule["reproduced"]),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def ebr_between(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Share of cells where EBR's mean lies between the sequential and the passive one."""
    means = _means(tables.pulls)
    between = (means["sequential"] <= means["ebr"]) & (means["ebr"] <= means["passive"])
    failing = f"; fails at {_list_cells(means[~between])}" if not between.all() else ""
    return Measured(
        f"{between.sum()} of {between.size} cells{failing}",
        _graded(bool(between.all()), between.mean() >= rule["partly"]),
        "results/bestarm/pulls.csv, figures/ebr/figure_2",
    )


def theorem_2(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Largest pulls of a trial over the bound, on random instances."""
    rows = tables.hardness[tables.hardness["algorithm"] == "ebr"]
    ratio = rows["largest"] / rows["bound"]
    return Measured(
        f"largest ratio {ratio.max():.3g} over {rows['instance'].nunique()} instances (median of the means' "
        f"{(rows['mean'] / rows['bound']).median():.3g})",
        _graded(ratio.max() <= rule["reproduced"]),
        "results/bestarm/hardness.csv, figures/ebr/hardness",
    )


def hardness_slope(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Slope of log mean pulls on log H at every deadline."""
    rows = tables.hardness[
        (tables.hardness["algorithm"] == "ebr") & (tables.hardness["rounds"] >= rule["from_rounds"])
    ]
    if rows.empty:
        raise KeyError(f"deadline of at least {rule['from_rounds']}")
    slopes = {
        int(str(T)): float(np.polyfit(np.log(group["hardness"]), np.log(group["mean"]), 1)[0])
        for T, group in rows.groupby("rounds")
    }
    far = max(abs(slope - 1) for slope in slopes.values())
    return Measured(
        "slope " + ", ".join(f"{slope:.3g} at T={T}" for T, slope in slopes.items()),
        _graded(far <= rule["reproduced"]),
        "results/bestarm/hardness.csv, figures/ebr/hardness",
    )


def deviations_at_first(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Sequential deviation after one pull over EBR's."""
    T = int(tables.pulls.loc[tables.pulls["sweep"] == "epsilon", "rounds"].iloc[0])
    delta, arms = tables.pulls["delta"].iloc[0], next(iter(tables.arms.values()))
    ratio = float(
        sequential_deviation(1, BERNOULLI_SIGMA, arms, delta)
        / ebr_deviation(1, BERNOULLI_SIGMA, arms, T, delta)
    )
    return Measured(f"{ratio:.3g} times as wide", _graded(ratio > 1), "docs/ebr.md")


def tuned_gain(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """How many times fewer pulls the best tighter form needs, over epsilon."""
    rows = tables.tuning[(tables.tuning["sweep"] == "epsilon") & (tables.tuning["algorithm"] != "ebr")]
    best = rows.loc[rows.groupby(["setup", "epsilon"])["ratio"].idxmin()]
    gain, success, delta = 1 / best["ratio"], best["success"].min(), rows["delta"].max()
    return Measured(
        f"{gain.min():.3g} to {gain.max():.3g} times fewer pulls, lowest success rate {success:.4g}",
        _graded(gain.min() > 1 and success >= 1 - delta),
        "results/bestarm/tuning.csv, figures/ebr/tuning",
    )


def ebr_pac(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Highest error rate of EBR."""
    parts = [table[table["algorithm"] == "ebr"] for table in (tables.pulls, tables.hardness)]
    worst = max(float(1 - part["success"].min()) for part in parts)
    delta = float(tables.pulls["delta"].max())
    return Measured(
        f"highest error rate {worst:.4g}, delta {delta:g}",
        _graded(worst <= delta),
        "results/bestarm/pulls.csv, results/bestarm/hardness.csv",
    )


def not_testable(tables: Tables, rule: Mapping[str, Any]) -> Measured:
    """Decide nothing: no simulation can."""
    return Measured("none", NOT_TESTABLE, "docs/ebr.md")


RULES: Final[Mapping[str, Rule]] = {
    rule.__name__: rule
    for rule in (
        lowest_success,
        ebr_below_baselines,
        ebr_reduction,
        ebr_quick,
        ebr_over_sequential,
        baseline_over_ebr,
        ae_waits,
        ae_rises,
        k_delta_first_round_survivors,
        k_delta_first_round_share,
        k_delta_flat,
        passive_formula,
        passive_indifferent,
        passive_over_sequential,
        ebr_between,
        theorem_2,
        hardness_slope,
        deviations_at_first,
        tuned_gain,
        ebr_pac,
        not_testable,
    )
}
"""Every measuring function by the name that config/claims_ebr.yaml knows it by."""


def read_claims(path: str | Path) -> list[dict[str, Any]]:
    """Read the claims and their rules.

    Raises
    ------
    InputError
        If the file is missing, or a claim lacks a key or names no measuring function.
    """
    import yaml

    try:
        claims: list[dict[str, Any]] = yaml.safe_load(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    for number, claim in enumerate(claims, start=1):
        missing = [key for key in ("claim", "where", "paper_value", "rule", "how") if key not in claim]
        if missing:
            raise InputError(f"{path}: claim {number} lacks {', '.join(missing)}")
        if claim["how"] not in RULES:
            raise InputError(f"{path}: claim {number}: how is {claim['how']}, allowed are {', '.join(RULES)}")
    return claims


def judge(claims: list[dict[str, Any]], tables: Tables) -> pd.DataFrame:
    """Measure every claim and give its verdict.

    A claim whose cells a smaller run leaves out is "not testable" there.

    Returns
    -------
    DataFrame
        Columns `CLAIMS_COLUMNS`.
    """
    rows = []
    for claim in claims:
        try:
            measured = RULES[claim["how"]](tables, claim)
        except KeyError as missing:
            measured = Measured(f"this run has no {missing}", NOT_TESTABLE, "config")
        rows.append(
            (
                "EBR",
                claim["claim"],
                claim["where"],
                str(claim["paper_value"]),
                measured.value,
                measured.verdict,
                measured.evidence,
            )
        )
    return pd.DataFrame(rows, columns=list(CLAIMS_COLUMNS))
