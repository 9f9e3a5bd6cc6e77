"""Bad settings are refused in one sentence before anything starts; good ones pass."""

import copy
import json
from pathlib import Path

import pytest
import yaml

from adaptive_sampling.cases import read_cases
from adaptive_sampling.config import check_config
from adaptive_sampling.errors import InputError
from adaptive_sampling.planning import check_plan

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "workflow/schemas"


@pytest.fixture
def config(monkeypatch):
    monkeypatch.chdir(ROOT)
    return yaml.safe_load((ROOT / "config/config.yaml").read_text())


def changed(config, key, value):
    """Return the settings with one dotted key set; ``None`` as value removes it."""
    config = copy.deepcopy(config)
    *folders, last = key.split(".")
    place = config
    for folder in folders:
        place = place[folder]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return config


def check(config):
    check_config(config, SCHEMAS)
    check_plan(config, read_cases("config/cases.csv"))


def refusal(config):
    with pytest.raises(InputError) as caught:
        check(config)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_default_settings_are_good(config):
    check(config)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("shift.Kk", 3, "unknown key Kk in shift, allowed are K, a, budget"),
        ("sed", 3, "unknown key sed, allowed are"),
        ("seed", None, "key seed is missing"),
        ("shift.budget.step", None, "key shift.budget.step is missing"),
        ("seed", -1, "key seed: found -1, allowed is at least 0"),
        ("seed", 1.5, "key seed: found 1.5, allowed is a value of type integer"),
        ("shift.K", 7, "key shift.K: found 7, allowed are 1, 2, 3, 4, 5, 6, 8"),
        ("shift.K", "3", 'key shift.K: found "3"'),
        ("shift.a", 0, "key shift.a: found 0, allowed is more than 0"),
        ("shift.a", "1e-5", "write 1.0e-5"),
        ("shift.a", float("inf"), "key shift.a: found inf, allowed are finite numbers"),
        ("shift.a", float("nan"), "key shift.a: found nan, allowed are finite numbers"),
        ("shift.samplers", ["massa"], 'found "massa", allowed are uniform, stratified_equal'),
        ("shift.samplers", [], "key shift.samplers: found [], allowed is at least 1 entry"),
        ("shift.samplers", ["masa", "masa"], "entries that differ"),
        ("shift.difficulty", "flair", 'found "flair", allowed are open_source_model'),
        (
            "shift.difficulty",
            "vader",
            "found vader, allowed for case amazon_yelp are old_api_confidence, open",
        ),
        ("data.later", "2021", 'found "2021", allowed are reconstructed, hapi'),
        ("data.mirrors", "../mirror", "allowed is a value of type array"),
        ("data.difficulty", ["deepspeech"], 'found "deepspeech", allowed are vader, bixin'),
        ("data.own", {"My API": {}}, 'found "My API", allowed is text that fits'),
        (
            "data.own",
            {"mine": {"file": "a.csv"}},
            "unknown key file in data.own.mine, allowed are answers, api, batch, dataset",
        ),
        ("shift.uncertainty", "printed", "allowed are u_statistic, as_printed"),
        ("shift.confidence", 95, "key shift.confidence: found 95, allowed is less than 1"),
        ("shift.budget.step", 30000, "allowed is at most shift.budget.last, 20000"),
        (
            "shift.budget",
            {"last": 150, "step": 50},
            "google_cmd is at least 186: 2 queries for each of its 93",
        ),
        ("montecarlo.trials", 0, "key montecarlo.trials: found 0, allowed is at least 2"),
        ("montecarlo.backend", "threads", "allowed are threading, loky, dask"),
        ("cases", ["amazon_yep"], "found amazon_yep (no such case), allowed are amazon_yelp"),
        ("cases", ["google_yelp"], "found google_yelp (only its accuracies are known), allowed are"),
        ("cases", "amazon_yelp", 'key cases: found "amazon_yelp", allowed is a value of type array'),
        ("data.replay", "data/nowhere", "no such file"),
    ],
)
def test_bad_settings_are_refused(config, key, value, message):
    assert message in refusal(changed(config, key, value))


def test_a_difficulty_that_a_case_lacks_is_refused(config):
    message = refusal(changed(config, "cases", ["openai_gpt4"]))
    assert message == (
        "config: key shift.difficulty: found open_source_model, allowed for case openai_gpt4 are none, trial_division"
    )


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text[: len(text) // 2], "cut short"),
        (lambda text: text.rpartition("\n")[0].rpartition("\n")[0] + "\n", "amazon_yelp.csv"),
        (lambda text: text.replace("label", "lable", 1), "amazon_yelp.csv"),
        (lambda text: text.replace(",0,0,0,0,", ",0,0,0,x,", 1), "amazon_yelp.csv: line "),
        (lambda text: text.replace(",0,119,", ",0,120,", 1), "level"),
        (lambda _: "", "amazon_yelp.csv"),
    ],
)
def test_a_corrupt_replay_table_is_refused(config, tmp_path, edit, message):
    text = (ROOT / "data/replay/amazon_yelp.csv").read_text()
    assert edit(text) != text
    (tmp_path / "amazon_yelp.csv").write_text(edit(text))
    config = changed(changed(config, "data.replay", str(tmp_path)), "cases", ["amazon_yelp"])
    assert message in refusal(config)


def test_every_key_is_described_and_documented():
    """Each key of the schema has a description, and config/README.md names it."""
    page = (ROOT / "config/README.md").read_text()

    def visit(name, schema):
        for key, inner in schema.get("properties", {}).items():
            assert "$ref" in inner or inner["description"], key
            assert f"`{name}{key}`" in page or "$ref" in inner or "properties" in inner, f"{name}{key}"
            visit(f"{name}{key}.", inner)
        if "properties" in schema:
            assert schema["additionalProperties"] is False

    visit("", json.loads((SCHEMAS / "config.schema.json").read_text()))
    for path in SCHEMAS.glob("*.schema.json"):
        section = path.name.removesuffix(".schema.json")
        if section != "config":
            visit(f"{section}.", json.loads(path.read_text()))
