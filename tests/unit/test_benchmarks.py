"""The arithmetic of the benchmarks; their figures depend on the machine and are no test's business."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adaptive_sampling.errors import InputError
from adaptive_sampling.tables import read_table

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


def in_a_process(code):
    """Run code that can import the benchmarks, and read what it prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    return json.loads(done.stdout)


def test_what_starts_the_measured_processes_is_small(measure):
    """A process begins with the peak memory of the one that started it."""
    loaded = in_a_process("import benchmarks.scaling, json, sys; print(json.dumps(list(sys.modules)))")
    assert not {"numpy", "pandas", "numba", "matplotlib"} & set(loaded)


def test_own_memory_is_what_a_size_adds(measure):
    """Measured by a grandchild, since a child of the tests would begin with their peak."""
    code = (
        "import json, numpy as np\n"
        "from benchmarks import one_size\n"
        "one_size.FORMS = {'megabytes': lambda sizes: lambda: np.ones((sizes['trials'], 2**17))}\n"
        "print(json.dumps(one_size.measured('megabytes', {'trials': 200})))"
    )
    found = in_a_process(
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], check=True)"
    )
    assert 195 <= found["peak_mb"] - found["before_mb"] <= 210


def test_a_made_up_population_has_the_sizes_asked_for(measure):
    from benchmarks.one_size import synthetic

    p = synthetic(labels=7, partitions=50, items=20_003)
    assert (p.strata, p.new.shape, len(p.answers)) == (50, (7, 7), 20_003)
    assert p.size.max() - p.size.min() <= 1
    assert set(p.stratum_label) == set(range(7))
    # One answer in five is drawn from all labels, and of those one in seven is the true one.
    assert p.new.trace() == pytest.approx(0.8 + 0.2 / 7, abs=0.01)
    assert p.old.trace() == pytest.approx(1)


def test_slopes_are_those_of_the_last_three_points(measure):
    from benchmarks.scaling import slope

    assert slope([(10, 999), (10, 5), (100, 50 * 10**0.5), (1000, 5 * 10**3)]) == 1.5
    assert slope([(10, 3), (100, 3)]) == 0
    assert slope([(10, 3)]) is None


def test_every_axis_reaches_what_the_page_says(measure):
    from benchmarks.one_size import FORMS
    from benchmarks.scaling import AXES, named

    reach = {name: axis.points[-1] for name, axis in AXES.items()}
    assert reach == {
        "trials": 100_000,
        "budget": 1_000_000,
        "partitions": 10_000,
        "labels": 1_000,
        "items": 10_000_000,
        "arms": 10_000,
    }
    forms = {form for axis in AXES.values() for form in axis.forms}
    assert forms == set(FORMS)
    assert len({named(form) for form in forms}) == len(forms)


def test_the_summary_and_the_figures_tell_unresolved_memory(measure, tmp_path):
    from benchmarks.scaling import write

    rows = [
        ("budget", "masa", 10, 0.25, 90.0, 0.1, 0.0, None),
        ("budget", "masa", 100, 0.25, 120.0, 30.0, 0.0, None),
        ("arms", "ebr", 10, 1.0, 95.0, 5.0, 1.0, 1.5),
        ("arms", "ebr", 100, 1.0, 140.0, 50.0, 1.0, 1.5),
        ("arms", "ebr", 1000, 100.0, 5090.0, 5000.0, 1.0, 1.5),
    ]
    write(rows, tmp_path)
    assert (tmp_path / "scaling.md").read_text("utf-8").splitlines()[2:] == [
        "| budget | MASA | 10 | 100 | 0.25 to 0.25 | 0.00 (0.00) | under 1 to 30 |  |",
        "| arms | EBR | 10 | 1,000 | 1 to 1e+02 | 1.00 (2.00) | 5 to 5000 | 1.50 (2.00) |",
    ]
    assert (tmp_path / "scaling.svg").stat().st_size > 0
    assert (tmp_path / "scaling_memory.svg").stat().st_size > 0


def test_every_axis_ends_in_one_sentence_that_the_page_quotes(measure):
    from benchmarks.limits import LIMITS, refusal, table
    from benchmarks.scaling import AXES

    assert [limit.axis for limit in LIMITS] == list(AXES)
    for limit in LIMITS:
        said = refusal(limit)
        assert "allowed" in said
        assert "\n" not in said
    assert table() == (ROOT / "docs/figures/limits.md").read_text("utf-8")


def test_the_page_on_speed_shows_the_tables_that_the_benchmarks_wrote(measure):
    from benchmarks.scaling import AXES, COLUMNS, summary

    page = (ROOT / "docs/performance.md").read_text("utf-8")
    for name in ("scaling", "limits", "jobs"):
        table = (ROOT / f"docs/figures/{name}.md").read_text("utf-8").strip()
        assert f"<!-- {name} -->\n{table}\n<!-- /{name} -->" in page
    rows = read_table(ROOT / "docs/figures/scaling.csv", COLUMNS)
    assert summary(rows) == (ROOT / "docs/figures/scaling.md").read_text("utf-8")
    measured = {axis: tuple(sorted(set(group["value"]))) for axis, group in rows.groupby("axis")}
    assert measured == {name: axis.points for name, axis in AXES.items()}


def test_jobs_are_added_up_by_kind(measure, tmp_path):
    from benchmarks.jobs import costs, table

    for name, seconds in {
        "shift/case_a": 3.0,
        "shift/case_b": 5.5,
        "shift/ablation_K=3": 4.0,
        "report/figure_5": 1.0,
        "shift/summary": 0.5,
    }.items():
        path = tmp_path / f"{name}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"progress\nprocessor time, s: {seconds}\n", "utf-8")
    assert table(costs(tmp_path)).splitlines()[2:] == [
        "| all samplers on one case | 2 | 8 | 5.5 |",
        "| MASA on all cases at one value of K or a | 1 | 4 | 4.0 |",
        "| other tables and figures | 1 | 1 | 1.0 |",
        "| studies of MASA and tables | 1 | 0 | 0.5 |",
        "| all | 5 | 14 | 5.5 |",
    ]


def test_logs_of_an_unfinished_run_are_refused(measure, tmp_path):
    from benchmarks.jobs import costs

    with pytest.raises(InputError, match="no log of a job"):
        costs(tmp_path)
    (tmp_path / "a.log").write_text("key K: found 7\n", "utf-8")
    with pytest.raises(
        InputError, match="the last line is 'key K: found 7', expected processor time, s: and a number"
    ):
        costs(tmp_path)
