"""The arithmetic of the benchmarks; their figures depend on the machine and are no test's business."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIELDS = {"name", "group", "median_ns", "runs", "ratio_to", "ratio"}


@pytest.fixture
def measure(monkeypatch):
    """Return the module, with a clock that the forms below set forward."""
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import measure

    return measure


def forms_of(monkeypatch, module, times):
    """Forms that take the given times, round by round, after one run that does not count; two units each."""
    now = [0]
    monkeypatch.setitem(module.CLOCKS, "fake", lambda: now[0])

    def form(row):
        left = iter([10**9, *row])

        def run():
            now[0] += next(left)
            return 2

        return run

    return {name: form(row) for name, row in times.items()}


def test_a_ratio_is_the_median_of_the_ratios_of_the_rounds(measure, monkeypatch):
    # The medians are 40 and 10, whose ratio is 4; the ratios of the rounds are 2, 40 and 1.
    forms = forms_of(monkeypatch, measure, {"ours": [10, 1, 40], "theirs": [20, 40, 40]})
    ours, theirs = measure.measure("a group", forms, {"ours": ["theirs"]}, clock="fake", rounds=3)
    assert (ours["ratio_to"], ours["ratio"], ours["median_ns"]) == ("theirs", 2.0, 5.0)
    assert (theirs["ratio_to"], theirs["ratio"], theirs["median_ns"]) == (None, None, 20.0)
    assert ours.keys() == theirs.keys() == FIELDS
    assert ours["group"] == "a group, fake"


def test_every_round_runs_every_form_in_turn(measure):
    order = []
    forms = {name: lambda name=name: order.append(name) or 1 for name in "abc"}
    measure.measure("a group", forms, {})
    assert measure.ROUNDS >= 7
    assert order == list("abc") * (1 + measure.ROUNDS)


def test_what_is_written_is_what_was_measured(measure, tmp_path):
    entries = measure.measure("a group", {"a": lambda: 1}, {}, rounds=2)
    measure.write(entries, tmp_path / "new" / "entries.json")
    assert json.loads((tmp_path / "new" / "entries.json").read_text("utf-8")) == entries


def test_times_from_one_second_on_are_shown_in_seconds(measure, capsys):
    row = {"group": "g", "ratio_to": None, "ratio": None}
    measure.show([{**row, "name": "a", "median_ns": 1.516e9}, {**row, "name": "b", "median_ns": 12.06}])
    assert [line.split() for line in capsys.readouterr().out.splitlines()[2:]] == [
        ["a", "1.52", "s"],
        ["b", "12.1", "ns"],
    ]


def test_a_second_run_that_does_something_is_no_measurement(measure, monkeypatch, tmp_path):
    from benchmarks import second_run

    monkeypatch.setattr(second_run, "snakemake", lambda *_: "1 of 1 steps (100%) done")
    with pytest.raises(RuntimeError, match="the second run did something"):
        second_run.second_run(tmp_path)()


def test_peers_that_are_missing_are_left_out_with_a_word(measure, monkeypatch, capsys):
    from benchmarks import peers

    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    assert peers.peer_forms(instance=None, pulls=1) == {}
    said = capsys.readouterr().err
    assert all(name in said for name in peers.PEERS)


def entry(ratio, name="level sort", other="literal numba"):
    return {"group": "g", "name": name, "ratio_to": other, "ratio": ratio}


def test_only_steady_ratios_are_held_to_the_recorded_ones(measure):
    from benchmarks.smoke import RECORDED, STEADY, differences, steady_ratios

    assert differences([entry(2.0)], [entry(4.0)]) == []
    assert differences([entry(8.0)], [entry(4.0)]) == []
    assert differences([entry(1.9)], [entry(4.0)]) == [
        "g: literal numba took 1.90 times as long as level sort, recorded are 4.00, allowed are 2.00 to 8.00"
    ]
    assert differences([entry(8.1)], [entry(4.0)])
    assert differences([entry(900.0, other="plain Python")], [entry(4.0, other="plain Python")]) == []
    assert differences([], [entry(4.0)]) == [
        "g: the ratio of literal numba to level sort is not measured; record the ratios anew"
    ]
    recorded = steady_ratios(json.loads(RECORDED.read_text("utf-8")))
    assert {key[1:] for key in recorded} == STEADY


def test_predictions_are_counted_as_a_user_has_them_counted(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import own

    seconds, peak, size = own.measure(rows=1000, labels=3)
    assert seconds > 0
    assert peak > 10
    assert 0.01 < size < 1
