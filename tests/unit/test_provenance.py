"""The record of where numbers come from names every file with the SHA-256 of the list."""

import copy
import hashlib
from pathlib import Path

import pytest
import yaml

from adaptive_sampling.cases import read_cases
from adaptive_sampling.recordings.fetch import case_files, read_versions
from adaptive_sampling.recordings.own import describe
from adaptive_sampling.recordings.provenance import config_sha256, provenance

CASES, VERSIONS = read_cases("config/cases.csv"), read_versions("data/versions.csv")


@pytest.fixture
def config():
    return yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))


def of_case(config, case):
    found = provenance(config, [case], [f"data/replay/{case.case}.csv"], VERSIONS)
    return found, found["cases"][case.case]


def test_a_reconstructed_case_is_never_called_recorded(config):
    found, case = of_case(config, CASES["amazon_yelp"])
    assert case["old"] == "recorded (FrugalML, 2020)"
    assert case["new"].startswith("reconstructed")
    assert case["difficulty"] == "open_source_model"
    assert [file["path"] for file in case["files"]] == list(case_files(CASES["amazon_yelp"]))
    assert all(file["sha256"] == VERSIONS[file["path"]].sha256 for file in case["files"])
    table = Path("data/replay/amazon_yelp.csv").read_bytes()
    assert case["replay"]["sha256"] == hashlib.sha256(table).hexdigest()
    assert found["seed"] == config["seed"]
    assert found["packages"]["numpy"]


def test_each_source_of_later_answers_has_its_name(config, tmp_path):
    assert of_case(config, CASES["openai_gpt4"])[1]["new"] == "recorded (LLMDrift, June 2023)"
    config["data"] |= {"source": "recorded", "later": "hapi", "recordings": str(tmp_path)}
    (tmp_path / "HAPI").mkdir()
    (tmp_path / "HAPI/hapi.tar.gz").write_bytes(b"archive")
    _, case = of_case(config, CASES["amazon_yelp"])
    assert case["new"] == "recorded (HAPI, 2021)"
    assert case["files"][-1]["sha256"] == hashlib.sha256(b"archive").hexdigest()
    assert not any("explore_" in file["path"] for file in case["files"])


def test_own_files_are_hashed(config, tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text("id,label,old,new\n1,a,a,b\n2,b,b,b\n")
    entry = {"predictions": str(mine)}
    config["data"] |= {"source": "own", "own": {"mine": entry}}
    found = provenance(config, [describe("mine", entry)], [str(mine)], VERSIONS)["cases"]["mine"]
    assert found["files"] == [{"path": str(mine), "sha256": hashlib.sha256(mine.read_bytes()).hexdigest()}]


def test_the_hash_of_the_settings_sees_every_value_and_no_order(config):
    other = copy.deepcopy(config)
    assert config_sha256(dict(reversed(other.items()))) == config_sha256(config)
    other["shift"]["K"] = 4
    assert config_sha256(other) != config_sha256(config)
