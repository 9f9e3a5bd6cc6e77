"""pyproject.toml, requirements.lock and environment.yml say the same."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


UNLOCKED = {"cluster", "chinese", "speech", "peers"}
"""Extras outside requirements.lock: what only one setting or benchmark asks for, and is slow to start or to install."""


def declared(*extras):
    """Return what the project needs with these extras; with none named, with all but those outside the lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    texts = [
        *project["dependencies"],
        *chain(*(optional[name] for name in extras or optional.keys() - UNLOCKED)),
    ]
    return {canonicalize_name(Requirement(text).name): Requirement(text) for text in texts}


def locked(file="requirements.lock"):
    """Name to all locked versions; there is one for each range of Python versions."""
    versions = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / file).read_text(), re.M):
        versions.setdefault(canonicalize_name(name), []).append(version)
    return versions


def of_conda():
    """Name to version in environment.yml, from conda and from pip."""
    *packages, pip = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    lines = [line for line in packages if "=" in line] + [
        line for line in pip["pip"] if not line.startswith("-")
    ]
    return dict(re.split("=+", line) for line in lines)


def test_every_declared_package_is_locked_at_an_allowed_version():
    for name, requirement in declared().items():
        assert locked()[name], name
        assert all(requirement.specifier.contains(version) for version in locked()[name]), name


def test_cheap_models_and_peers_outside_the_lock_are_pinned():
    for requirement in declared("chinese", "speech", "peers").values():
        if requirement.name in ("bixin", "pocketsphinx", "bayesianbandits", "mabwiser"):
            assert str(requirement.specifier).startswith("=="), requirement.name


def test_the_lock_of_the_cluster_adds_to_the_other_and_changes_nothing():
    cluster, others = locked("requirements-cluster.lock"), locked()
    assert cluster.keys() >= declared("cluster").keys()
    assert {name: cluster[name] for name in cluster.keys() & others.keys()}.items() <= others.items()


def test_conda_installs_the_declared_packages_at_locked_versions():
    conda = of_conda()
    assert conda.pop("python") == "3.12"
    assert set(conda) == set(declared())
    for name, version in conda.items():
        assert version == locked()[name][-1], name


@pytest.mark.parametrize("file", ["requirements.lock", "requirements-cluster.lock"])
def test_the_lock_has_hashes_and_no_addresses(file):
    text = (ROOT / file).read_text()
    assert "://" not in text
    assert "--index" not in text
    for block in re.split(r"\n(?=\S)", text.strip()):
        assert "--hash=sha256:" in block, block
