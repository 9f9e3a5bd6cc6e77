"""Whether a run can work at all, asked before any job starts.

Standard library only: this runs while the workflow is being planned.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.difficulty.sources import difficulty_of
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.own import describe, difficulty_sources
from adaptive_sampling.recordings.replay_format import LEVELS, check_replay_table, read_replay_columns

MASA_LEAST: Final = 2
"""Queries that MASA spends on every partition before it compares them (Algorithm 1, line 3)."""

SHIPPED_ONLY: Final = ("beyond", "figure_4")
"""Targets that cases of one's own cannot have."""


def cases_of_run(config: Mapping[str, Any]) -> dict[str, Case]:
    """List the cases that a run can choose from.

    Parameters
    ----------
    config : mapping
        Settings that fit the schema.

    Returns
    -------
    dict of str to Case
        The table of cases, those read from HAPI being called recorded; or, with ``data.source: own``, the cases
        of ``data.own``.

    Raises
    ------
    InputError
        If the table, or a file of predictions, cannot be read.
    """
    data, asking = config["data"], asks(config)
    if data["source"] == "own":
        if not data["own"]:
            raise InputError("config: key data.own: found nothing, expected a case for data.source: own")
        return {name: describe(name, entry, asking=asking) for name, entry in data["own"].items()}
    cases = read_cases(config["cases_table"])
    if data["source"] == "recorded" and data["later"] == "hapi":
        return {
            name: replace(case, source="recorded") if case.source == "reconstructed" else case
            for name, case in cases.items()
        }
    return cases


def asks(config: Mapping[str, Any]) -> bool:
    """Say whether a run lists the next items to ask about, so that new answers may be missing.

    Parameters
    ----------
    config : mapping
        Settings that fit the schema.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        If the run wants anything else as well, has no cases of its own, or departs from Algorithm 1 with (3.1).
    """
    if "next_queries" not in config["targets"]:
        return False
    if len(config["targets"]) > 1:
        raise InputError(
            f"config: key targets: found {', '.join(config['targets'])}, allowed beside next_queries is nothing, "
            "because all else needs every new answer"
        )
    if config["data"]["source"] != "own":
        raise InputError(
            f"config: key data.source: found {config['data']['source']}, allowed with targets: [next_queries] is own"
        )
    if config["shift"]["uncertainty"] != "u_statistic":
        raise InputError(
            f"config: key shift.uncertainty: found {config['shift']['uncertainty']}, allowed with targets: "
            "[next_queries] is u_statistic, because line 7 as printed depends on the order of the answers"
        )
    return True


def check_plan(config: Mapping[str, Any], cases: Mapping[str, Case]) -> None:
    """Check what the schema cannot: cases, their replay tables, and budgets against partitions.

    Parameters
    ----------
    config : mapping
        Settings that fit the schema.
    cases : mapping of str to Case
        The table of cases.

    Raises
    ------
    InputError
        One sentence: the key or file, what was found, and what is allowed.
    """
    for key, value in _numbers(config):
        if not math.isfinite(value):
            raise InputError(f"config: key {key}: found {value}, allowed are finite numbers")
    budget = config["shift"]["budget"]
    if budget["step"] > budget["last"]:
        raise InputError(
            f"config: key shift.budget.step: found {budget['step']}, "
            f"allowed is at most shift.budget.last, {budget['last']}"
        )
    for name in config["cases"]:
        if name not in cases or cases[name].source == "published":
            replayable = ", ".join(case.case for case in cases.values() if case.source != "published")
            what = "no such case" if name not in cases else "only its accuracies are known"
            raise InputError(f"config: key cases: found {name} ({what}), allowed are {replayable}")
        _check_case(config, cases[name])
    if config["data"]["compare"] and config["data"]["later"] == "hapi":
        raise InputError(
            "config: key data.compare: found true, allowed with data.later: hapi is false, because the embedded tables "
            "hold the reconstruction"
        )
    if asks(config):
        return
    own = config["data"]["source"] == "own"
    unfit = [target for target in config["targets"] if own and target in SHIPPED_ONLY]
    if unfit:
        raise InputError(
            f"config: key targets: found {unfit[0]}, allowed with data.source: own is any but "
            f"{' and '.join(SHIPPED_ONLY)}, which are about cases of the repository"
        )
    for K in (config["shift"]["K"], config["shift"]["K"] if own else max(config["ablation"]["K"])):
        for name in config["cases"]:
            _check_budget(config, cases[name], K)


def _replay_path(config: Mapping[str, Any], case: Case) -> Path:
    """Where a case's replay table is."""
    return Path(config["data"]["replay"]) / f"{case.case}.csv"


def _check_case(config: Mapping[str, Any], case: Case) -> None:
    """Check one case's replay table and difficulty source."""
    data = config["data"]
    if data["source"] == "embedded":
        sources = check_replay_table(_replay_path(config, case), case)
    elif data["source"] == "own":
        sources = difficulty_sources(data["own"][case.case])
    else:
        sources = difficulty_of(case, data["difficulty"])
    difficulty = config["shift"]["difficulty"]
    if difficulty not in sources:
        raise InputError(
            f"config: key shift.difficulty: found {difficulty}, allowed for case {case.case} are "
            f"{', '.join(sources)}"
        )


def _check_budget(config: Mapping[str, Any], case: Case, K: int) -> None:
    """Check the largest budget against one case's partitions."""
    difficulty, last = config["shift"]["difficulty"], config["shift"]["budget"]["last"]
    if last >= MASA_LEAST * len(case.labels) * K:
        return
    if config["data"]["source"] != "embedded":
        raise _too_small(case, last, len(case.labels) * K, K)
    # A label with few items has fewer than K partitions: count those that are there.
    columns = read_replay_columns(_replay_path(config, case))
    strata = {(i, k * K // LEVELS) for name, i, k, *_ in zip(*columns) if name == difficulty}
    if last < MASA_LEAST * len(strata):
        raise _too_small(case, last, len(strata), K)


def _too_small(case: Case, last: int, strata: int, K: int) -> InputError:
    return InputError(
        f"config: key shift.budget.last: found {last}, allowed for case {case.case} is at least {MASA_LEAST * strata}: "
        f"{MASA_LEAST} queries for each of its {strata} partitions at K={K}"
    )


def _numbers(value: object, key: str = "") -> Iterator[tuple[str, float]]:
    """All floats of nested settings with their dotted keys."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _numbers(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _numbers(inner, key)
    elif isinstance(value, float):
        yield key, value
