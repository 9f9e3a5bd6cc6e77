"""Where the numbers of a run come from: sources, files with their SHA-256, versions, settings, seed."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from adaptive_sampling.cases import Case
from adaptive_sampling.recordings.fetch import RecordedFile, case_files, sha256_of
from adaptive_sampling.recordings.own import own_files

PACKAGES: Final = (
    "numba",
    "numpy",
    "pandas",
    "scikit-learn",
    "scipy",
    "snakemake",
    "vaderSentiment",
    "bixin",
    "pocketsphinx",
)
"""Packages whose versions are written down, where they are installed."""

_FIRST: Final[Mapping[str, str]] = {
    "llm": "recorded (LLMDrift, March 2023)",
    "own": "recorded (your own predictions)",
}
_LATER: Final[Mapping[str, str]] = {
    "llm": "recorded (LLMDrift, June 2023)",
    "own": "recorded (your own predictions)",
}


def provenance(
    config: Mapping[str, Any],
    cases: Sequence[Case],
    replay: Sequence[str],
    versions: Mapping[str, RecordedFile],
) -> dict[str, Any]:
    """Say where every case of a run comes from.

    Parameters
    ----------
    config : mapping
        The settings of the run.
    cases : sequence of Case
    replay : sequence of str
        Their replay tables.
    versions : mapping of str to RecordedFile
        The list of public files.

    Returns
    -------
    dict
        As it is written to ``provenance.json``: ``seed``, ``config_sha256``, ``python``, ``packages``, and under
        ``cases`` for each name ``old``, ``new``, ``difficulty``, ``replay`` and ``files``.
    """
    return {
        "seed": config["seed"],
        "config_sha256": config_sha256(config),
        "python": platform.python_version(),
        "packages": installed(),
        "cases": {
            case.case: {
                "old": _FIRST.get(case.task, "recorded (FrugalML, 2020)"),
                "new": _LATER.get(case.task, _later_answers(config)),
                "difficulty": config["shift"]["difficulty"],
                "replay": {"path": path, "source": config["data"]["source"], "sha256": sha256_of(path)},
                "files": _files(config, case, versions),
            }
            for case, path in zip(cases, replay)
        },
    }


def config_sha256(config: Mapping[str, Any]) -> str:
    """SHA-256 of the settings, whatever the order of their keys.

    Parameters
    ----------
    config : mapping

    Returns
    -------
    str

    Examples
    --------
    >>> config_sha256({"a": 1, "b": 2}) == config_sha256({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()


def installed() -> dict[str, str]:
    """Versions of `PACKAGES`, of those that are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _later_answers(config: Mapping[str, Any]) -> str:
    data = config["data"]
    if data["source"] == "recorded" and data["later"] == "hapi":
        return "recorded (HAPI, 2021)"
    return "reconstructed from published totals and sampled items"


def _files(
    config: Mapping[str, Any], case: Case, versions: Mapping[str, RecordedFile]
) -> list[dict[str, Any]]:
    """Files that a case derives from. Embedded tables name the files that they were once built from."""
    if case.task == "own":
        return [
            {"path": path, "sha256": sha256_of(path)} for path in own_files(config["data"]["own"][case.case])
        ]
    paths = list(case_files(case))
    if _later_answers(config).startswith("recorded") and case.task != "llm":
        paths = [path for path in paths if "/explore_" not in path] + ["HAPI/hapi.tar.gz"]
    return [
        {
            "path": path,
            "version": versions[path].version,
            "licence": versions[path].licence,
            "sha256": versions[path].sha256 or _pinned(config, path),
        }
        for path in paths
    ]


def _pinned(config: Mapping[str, Any], path: str) -> str:
    """SHA-256 of a file that its first download has pinned."""
    return sha256_of(f"{config['data']['recordings']}/{path}")
