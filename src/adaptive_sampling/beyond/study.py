"""All that is measured beyond the paper on one dataset or several, and the tables over all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from adaptive_sampling.beyond.samplers import METHODS, Knowledge, Method
from adaptive_sampling.beyond.stopping import STOPPING_COLUMNS, Rule, stopping_table
from adaptive_sampling.beyond.stress import SHIFTS, stress_replay
from adaptive_sampling.beyond.summary import geometric_means, stopping_summary, with_ratios
from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.tables import read_table


def study(
    datasets: Sequence[Dataset], config: Mapping[str, Any], *, trials: int, jobs: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Measure required sizes, the stopping rule, its bold variant and intervals.

    Parameters
    ----------
    datasets : sequence of Dataset
    config : mapping
        The whole config.
    trials, jobs : int

    Returns
    -------
    sizes, stopping, bold, intervals : DataFrame
        Columns `SIZE_COLUMNS`, `STOPPING_COLUMNS` twice, and `INTERVAL_COLUMNS`. The bold variant is the rule with
        `Knowledge.shared`, on the proposed sampler. Intervals are measured at the number of
        queries that the proposed sampler needs, or, where it is not run, at a quarter of the last budget.
    """
    beyond, knowledge = config["beyond"], Knowledge()
    common = setting(config, trials=trials, jobs=jobs)
    chosen = methods(beyond["methods"], beyond["strata"])
    stopped = methods(beyond["stopping"]["methods"], beyond["strata"])
    intervals = [method for method in chosen if method.estimator != "difference"]
    sizes, stopping, bold, covered = [], [], [], []

    def stops(dataset: Dataset, on: Sequence[Method], knowing: Knowledge) -> pd.DataFrame:
        return stopping_table(
            dataset,
            on,
            beyond["replacement"],
            beyond["stopping"]["targets"],
            beyond["stopping"]["confidences"],
            beyond["stopping"]["last"],
            knowing,
            Rule(),
            common,
        )

    for dataset in datasets:
        sizes.append(required_sizes(dataset, chosen, beyond["replacement"], knowledge, common))
        stopping.append(stops(dataset, stopped, knowledge))
        bold.append(stops(dataset, methods(["posterior"], beyond["strata"]), replace(knowledge, shared=True)))
        needed = sizes[-1].query("method == 'posterior'").set_index("replacement")["n95"]
        queries = {kind: _queries(needed, kind, common.last) for kind in beyond["replacement"]}
        covered.append(
            interval_table(
                dataset, intervals, beyond["replacement"], queries, common.confidence, knowledge, common
            )
        )
    return pd.concat(sizes), pd.concat(stopping), pd.concat(bold), pd.concat(covered)


def _queries(needed: "pd.Series[int]", kind: bool, last: int) -> int:
    """At least 100 queries: before, nobody would look."""
    known = kind in needed.index and not pd.isna(needed[kind])
    return max(100, int(needed[kind])) if known else max(100, last // 4)


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


def detection(datasets: Sequence[Dataset], config: Mapping[str, Any], *, jobs: int) -> pd.DataFrame:
    """Run the test for a change of accuracy on datasets and on those of the power curves.

    Parameters
    ----------
    datasets : sequence of Dataset
    config : mapping
        The whole config.
    jobs : int

    Returns
    -------
    DataFrame
        Columns `DETECTION_COLUMNS`.
    """
    beyond = config["beyond"]
    return detection_table(
        [*datasets, *power_datasets(config["seed"])],
        beyond["replacement"],
        beyond["detection"]["threshold"],
        beyond["detection"]["confidence"],
        Knowledge(),
        Rule(),
        setting(config, trials=beyond["stress"]["trials"], jobs=jobs),
    )


def summarise(
    sizes: Sequence[str | Path],
    stopping: Sequence[str | Path],
    bold: Sequence[str | Path],
    intervals: Sequence[str | Path],
    stress: Sequence[str | Path],
    cases: Mapping[str, Case],
) -> dict[str, pd.DataFrame]:
    """Gather the tables of all cases and stress shifts.

    Parameters
    ----------
    sizes, stopping, bold, intervals : sequence of path
        One table a case.
    stress : sequence of path
        The same four tables over all stress shifts.
    cases : mapping of str to Case

    Returns
    -------
    dict of str to DataFrame
        ``required_size``, ``geometric_means``, ``stopping``, ``stopping_bold``, ``intervals``, all but the second
        also with ``stress_`` before the name, and ``stopping_summary``.
    """

    def gathered(paths: Sequence[str | Path], columns: Mapping[str, str]) -> pd.DataFrame:
        return pd.concat([read_table(path, columns) for path in paths], ignore_index=True)

    required = with_ratios(gathered(sizes, SIZE_COLUMNS))
    stopped = {
        "recorded": gathered(stopping, STOPPING_COLUMNS),
        "recorded, bold": gathered(bold, STOPPING_COLUMNS),
        "stress": read_table(stress[1], STOPPING_COLUMNS),
        "stress, bold": read_table(stress[2], STOPPING_COLUMNS),
    }
    return {
        "required_size": required,
        "geometric_means": geometric_means(required, cases),
        "stopping": stopped["recorded"],
        "stopping_bold": stopped["recorded, bold"],
        "intervals": gathered(intervals, INTERVAL_COLUMNS),
        "stress_required_size": with_ratios(read_table(stress[0], SIZE_COLUMNS)),
        "stress_stopping": stopped["stress"],
        "stress_stopping_bold": stopped["stress, bold"],
        "stress_intervals": read_table(stress[3], INTERVAL_COLUMNS),
        "stopping_summary": stopping_summary(stopped),
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
        study(tiny, config, trials=2, jobs=1)
    common = setting(config, trials=2, jobs=1)
    detection_table(tiny, [True, False], 0.1, 0.5, Knowledge(), Rule(), common)
