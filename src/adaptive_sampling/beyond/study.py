"""All that is measured beyond the paper on one dataset or several, and the tables over all of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from adaptive_sampling.beyond.detection import detection_table, power_datasets
from adaptive_sampling.beyond.experiment import (
    SIZE_COLUMNS,
    Dataset,
    methods,
    required_sizes,
    setting,
)
from adaptive_sampling.beyond.intervals import INTERVAL_COLUMNS, interval_table
from adaptive_sampling.beyond.samplers import METHODS, Knowledge
from adaptive_sampling.beyond.stopping import RULE_COLUMNS, STOPPING_COLUMNS, Rule, stopping_tables
from adaptive_sampling.beyond.stress import SHIFTS, stress_replay
from adaptive_sampling.beyond.summary import geometric_means, rule_summary, stopping_summary, with_ratios
from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.tables import read_table


def sizes(datasets: Sequence[Dataset], config: Mapping[str, Any], *, trials: int, jobs: int) -> pd.DataFrame:
    """Measure the queries that every method needs.

    Parameters
    ----------
    datasets : sequence of Dataset
    config : mapping
        The whole config.
    trials, jobs : int

    Returns
    -------
    DataFrame
        Columns `SIZE_COLUMNS`.
    """
    beyond = config["beyond"]
    chosen = methods(beyond["methods"], beyond["strata"])
    common = setting(config, trials=trials, jobs=jobs)
    return pd.concat(
        [required_sizes(dataset, chosen, beyond["replacement"], Knowledge(), common) for dataset in datasets]
    )


def study(
    datasets: Sequence[Dataset], sizes: pd.DataFrame, config: Mapping[str, Any], *, trials: int, jobs: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Measure the stopping rule, other rules beside it, and intervals.

    Parameters
    ----------
    datasets : sequence of Dataset
    sizes : DataFrame
        Columns `SIZE_COLUMNS`.
    config : mapping
        The whole config.
    trials, jobs : int

    Returns
    -------
    stopping, rules, intervals : DataFrame
        Columns `STOPPING_COLUMNS`, `RULE_COLUMNS` and `INTERVAL_COLUMNS`. Intervals are measured at the number of
        queries that the proposed sampler needs, or, where that is not known, at a quarter of the last budget.
    """
    beyond, knowledge = config["beyond"], Knowledge()
    common = setting(config, trials=trials, jobs=jobs)
    stopped = methods(beyond["stopping"]["methods"], beyond["strata"])
    # A difference has intervals of its own, and the oracle is no method that anyone can use.
    usable = [
        method
        for method in methods(beyond["methods"], beyond["strata"])
        if method.estimator not in ("difference", "limit")
    ]
    proposed = sizes[sizes["method"] == "posterior"].set_index(["case", "replacement"])["n95"]
    stopping, rules, covered = [], [], []
    for dataset in datasets:
        stops, compared = stopping_tables(
            dataset,
            stopped,
            beyond["replacement"],
            beyond["stopping"]["targets"],
            sorted(beyond["stopping"]["confidences"]),
            beyond["stopping"]["last"],
            knowledge,
            Rule(),
            common,
        )
        stopping.append(stops)
        rules.append(compared)
        queries = {
            kind: _queries(proposed, (dataset.name, kind), common.last) for kind in beyond["replacement"]
        }
        covered.append(
            interval_table(
                dataset, usable, beyond["replacement"], queries, common.confidence, knowledge, common
            )
        )
    return pd.concat(stopping), pd.concat(rules), pd.concat(covered)


def _queries(needed: "pd.Series[int]", key: tuple[str, bool], last: int) -> int:
    """At least 100 queries: before, nobody would look."""
    known = key in needed.index and not pd.isna(needed[key])
    return max(100, int(needed[key])) if known else max(100, last // 4)


def stress_datasets(names: Sequence[str], seed: int) -> list[Dataset]:
    """Make stress shifts by name.

    Raises
    ------
    InputError
        If a name is unknown.
    """
    for name in names:
        if name not in SHIFTS:
            raise InputError(f"key beyond.stress.shifts: found {name}, allowed are {', '.join(SHIFTS)}")
    return [
        Dataset(name, stress_replay(SHIFTS[name], seed), SHIFTS[name].labels, SHIFTS[name].labels)
        for name in names
    ]


def recorded_datasets(paths: Sequence[str | Path], cases: Sequence[Case]) -> list[Dataset]:
    """Read the replay tables of cases."""
    return [
        Dataset(case.case, read_replay_table(path, case), len(case.labels), len(case.predicted_labels))
        for path, case in zip(paths, cases)
    ]


def detection(
    datasets: Sequence[Dataset], pairs: Sequence[Dataset], config: Mapping[str, Any], *, jobs: int
) -> pd.DataFrame:
    """Run the tests for a change on datasets and on those of the power curves.

    Parameters
    ----------
    datasets : sequence of Dataset
    pairs : sequence of Dataset
        Those that hardly moved, which are tested without replacement only.
    config : mapping
        The whole config.
    jobs : int

    Returns
    -------
    DataFrame
        Columns `DETECTION_COLUMNS`.
    """
    beyond = config["beyond"]
    common = setting(config, trials=beyond["stress"]["trials"], jobs=jobs)

    def tested(datasets: Sequence[Dataset], replacements: Sequence[bool]) -> pd.DataFrame:
        return detection_table(
            datasets,
            replacements,
            beyond["detection"]["threshold"],
            beyond["detection"]["confidence"],
            Knowledge(),
            Rule(),
            common,
        )

    cases = tested([*datasets, *power_datasets(config["seed"])], beyond["replacement"])
    # To be sure that nothing moved nobody pays twice for an item.
    return pd.concat([cases, tested(pairs, [False])]) if pairs else cases


def summarise(
    sizes: Sequence[str | Path],
    stopping: Sequence[str | Path],
    rules: Sequence[str | Path],
    intervals: Sequence[str | Path],
    stress: Sequence[str | Path],
    cases: Mapping[str, Case],
) -> dict[str, pd.DataFrame]:
    """Gather the tables of all cases and stress shifts.

    Parameters
    ----------
    sizes, stopping, rules, intervals : sequence of path
        One table a case.
    stress : sequence of path
        The same four tables, in this order, over all stress shifts.
    cases : mapping of str to Case

    Returns
    -------
    dict of str to DataFrame
        ``required_size``, ``geometric_means``, ``stopping``, ``intervals``, all but the second also with ``stress_``
        before the name, ``stopping_summary`` and ``stopping_rules``.
    """

    def gathered(paths: Sequence[str | Path], columns: Mapping[str, str]) -> pd.DataFrame:
        return pd.concat([read_table(path, columns) for path in paths], ignore_index=True)

    required = with_ratios(gathered(sizes, SIZE_COLUMNS))
    stopped = {
        "recorded": gathered(stopping, STOPPING_COLUMNS),
        "stress": read_table(stress[1], STOPPING_COLUMNS),
    }
    compared = {
        "recorded": gathered(rules, RULE_COLUMNS),
        "stress": read_table(stress[2], RULE_COLUMNS),
    }
    return {
        "required_size": required,
        "geometric_means": geometric_means(required, cases),
        "stopping": stopped["recorded"],
        "intervals": gathered(intervals, INTERVAL_COLUMNS),
        "stress_required_size": with_ratios(read_table(stress[0], SIZE_COLUMNS)),
        "stress_stopping": stopped["stress"],
        "stress_intervals": read_table(stress[3], INTERVAL_COLUMNS),
        "stopping_summary": stopping_summary(stopped),
        "stopping_rules": rule_summary(compared),
    }


def compile_kernels() -> None:
    """Run everything once on a few items, so that numba's cache holds the kernels."""
    rows = [("none", label, 0, label, new, 2) for label in (0, 1) for new in (0, 1)]
    replay = pd.DataFrame(rows, columns=["difficulty", "label", "level", "old", "new", "items"])
    config = {
        "seed": 0,
        "shift": {"target_error": 0.5, "confidence": 0.5, "resamples": 100},
        "montecarlo": {"backend": "threading"},
        "beyond": {
            "methods": list(METHODS),
            "strata": {},
            "replacement": [True, False],
            "K": 1,
            "budget": {"last": 200, "ratio": 1.5},
            "stopping": {
                "methods": ["posterior", "masa"],
                "targets": [0.5],
                "confidences": [0.5],
                "last": 200,
            },
        },
    }
    tiny = [Dataset("tiny", replay, 2, 2)]
    with np.errstate(all="ignore"):
        study(tiny, sizes(tiny, config, trials=2, jobs=1), config, trials=2, jobs=1)
    common = setting(config, trials=2, jobs=1)
    detection_table(tiny, [True, False], 0.1, 0.5, Knowledge(), Rule(), common)
