"""Bad input of every kind, and the one sentence that each must get; a fuzz over settings; no unsafe reader."""

import copy
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive_sampling.cases import read_cases
from adaptive_sampling.config import check_config
from adaptive_sampling.errors import InputError
from adaptive_sampling.planning import cases_of_run, check_plan
from adaptive_sampling.recordings.own import describe, own_replay_table
from adaptive_sampling.recordings.rebuild import main as rebuild
from adaptive_sampling.recordings.replay_format import check_replay_table
from adaptive_sampling.shift.summary import ERROR_COLUMNS, SIZE_COLUMNS
from adaptive_sampling.tables import read_table

ROOT = Path(__file__).parents[2]
MISSING = object()


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


def default():
    return yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))


def plan(config):
    check_config(config, ROOT / "workflow/schemas")
    check_plan(config, cases_of_run(config))


def with_value(key, value):
    """Return the default settings with one dotted key set, or left out."""
    config = default()
    *sections, last = key.split(".")
    place = config
    for section in sections:
        place = place[section]
    if value is MISSING:
        del place[last]
    else:
        place[last] = value
    return config


def refused(function, *arguments):
    """Return the sentence of an `InputError`, which is one line."""
    with pytest.raises(InputError) as caught:
        function(*arguments)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


CONFIG = [
    # Keys.
    ("trails", 5, "config: unknown key trails, allowed are ablation, "),
    ("montecarlo.trails", 5, "config: unknown key trails in montecarlo, allowed are backend, trials"),
    ("shift.budget.max", 5, "config: unknown key max in shift.budget, allowed are last, step"),
    ("shift.1", 5, "config: unknown key 1 in shift, allowed are "),
    ("shift.two\nlines", 5, r"config: unknown key two\nlines in shift, allowed are "),
    ("seed", MISSING, "config: key seed is missing"),
    ("shift", MISSING, "config: key shift is missing"),
    ("montecarlo.trials", MISSING, "config: key montecarlo.trials is missing"),
    # Types.
    ("seed", "20210426", 'config: key seed: found "20210426", allowed is a value of type integer'),
    ("seed", True, "config: key seed: found true, allowed is a value of type integer"),
    ("seed", None, "config: key seed: found null, allowed is a value of type integer"),
    ("seed", [1], "config: key seed: found [1], allowed is a value of type integer"),
    ("shift", None, "config: key shift: found null, allowed is a value of type object"),
    ("shift", [], "config: key shift: found [], allowed is a value of type object"),
    ("shift.budget", 20000, "config: key shift.budget: found 20000, allowed is a value of type object"),
    ("shift.a", "1e-5", "write 1.0e-5"),
    ("shift.a", "one", 'config: key shift.a: found "one", allowed is a value of type number'),
    ("cases", "amazon_yelp", 'config: key cases: found "amazon_yelp", allowed is a value of type array'),
    ("cases", [7], "config: key cases.0: found 7, allowed is a value of type string"),
    (
        "montecarlo.trials",
        1500.5,
        "config: key montecarlo.trials: found 1500.5, allowed is a value of type integer",
    ),
    ("folders.results", 3, "config: key folders.results: found 3, allowed is a value of type string"),
    # Ranges.
    ("seed", -1, "config: key seed: found -1, allowed is at least 0"),
    ("shift.K", 0, "config: key shift.K: found 0, allowed are 1, 2, 3, 4"),
    ("shift.K", 121, "config: key shift.K: found 121, allowed are 1, 2, 3, 4"),
    ("ablation.K", [1, 7], "config: key ablation.K.1: found 7, allowed are 1, 2, 3, 4"),
    ("ablation.K", [], "config: key ablation.K: found [], allowed is at least 1 entry"),
    ("ablation.K", [3, 3], "config: key ablation.K: found [3, 3], allowed is entries that differ"),
    ("ablation.a", [0], "config: key ablation.a.0: found 0, allowed is more than 0"),
    ("ablation.a", [float("nan")], "config: key ablation.a: found nan, allowed are finite numbers"),
    ("shift.a", -1, "config: key shift.a: found -1, allowed is more than 0"),
    ("shift.a", float("inf"), "config: key shift.a: found inf, allowed are finite numbers"),
    ("shift.target_error", 0, "config: key shift.target_error: found 0, allowed is more than 0"),
    ("shift.target_error", 3, "config: key shift.target_error: found 3, allowed is at most 2"),
    (
        "shift.target_error",
        float("nan"),
        "config: key shift.target_error: found nan, allowed are finite numbers",
    ),
    ("shift.confidence", 1, "config: key shift.confidence: found 1, allowed is less than 1"),
    ("shift.resamples", 99, "config: key shift.resamples: found 99, allowed is at least 100"),
    ("shift.budget.step", 0, "config: key shift.budget.step: found 0, allowed is at least 1"),
    (
        "shift.budget.step",
        20001,
        "config: key shift.budget.step: found 20001, allowed is at most shift.budget.last",
    ),
    ("shift.budget.last", 10**30, "allowed is at most 10000000"),
    ("montecarlo.trials", 1, "config: key montecarlo.trials: found 1, allowed is at least 2"),
    (
        "montecarlo.trials",
        10**9,
        "config: key montecarlo.trials: found 1000000000, allowed is at most 10000000",
    ),
    ("folders.logs", "", 'config: key folders.logs: found "", allowed is at least 1 character'),
    # Names.
    ("shift.samplers", ["thompson"], 'config: key shift.samplers.0: found "thompson", allowed are uniform'),
    ("shift.samplers", ["masa", "masa"], "allowed is entries that differ from each other"),
    (
        "shift.uncertainty",
        "printed",
        'config: key shift.uncertainty: found "printed", allowed are u_statistic',
    ),
    ("shift.difficulty", "luck", 'config: key shift.difficulty: found "luck", allowed are open_source_model'),
    ("montecarlo.backend", "multiprocessing", "allowed are threading, loky, dask"),
    ("data.source", "network", 'config: key data.source: found "network", allowed are embedded'),
    ("targets", ["figure_99"], 'config: key targets.0: found "figure_99", allowed are masa'),
    ("cases", [], "config: key cases: found [], allowed is at least 1 entry"),
    ("cases", ["amazon_yelp", "amazon_yelp"], "allowed is entries that differ from each other"),
    ("cases", ["amazon_yep"], "config: key cases: found amazon_yep (no such case), allowed are amazon_yelp"),
    (
        "cases",
        ["Amazon_YELP"],
        "config: key cases: found Amazon_YELP (no such case), allowed are amazon_yelp",
    ),
    (
        "cases",
        ["google_yelp"],
        "config: key cases: found google_yelp (only its accuracies are known), allowed",
    ),
    ("cases", ["../../secret"], "config: key cases: found ../../secret (no such case), allowed are"),
    # Files.
    ("cases_table", "config/none.csv", "config/none.csv: no such file"),
    ("cases_table", "config", "'config': cannot be read (Is a directory)"),
    ("cases_table", "a\0b", "cannot be read"),
    ("cases_table", "x" * 5000, "cannot be read"),
    ("data.replay", "data/nowhere", "data/nowhere/amazon_yelp.csv: no such file"),
    ("data.replay", "Snakefile", "'Snakefile/amazon_yelp.csv': cannot be read (Not a directory)"),
]


@pytest.mark.parametrize(("key", "value", "sentence"), CONFIG, ids=range(len(CONFIG)))
def test_bad_settings(key, value, sentence):
    assert sentence in refused(plan, with_value(key, value))


def replaced(old, new):
    def edit(text):
        assert old in text, old
        return text.replace(old, new, 1)

    return edit


CASES = [
    (lambda _: "", "line 1, column case: missing"),
    (lambda text: text.splitlines()[0] + "\n", "no case in it, expected at least one row"),
    (replaced("case,task", "task,case"), "line 1: columns are task,case,api"),
    (replaced("case,task", "case,job"), "line 1, column job: unknown, allowed are case, task"),
    (
        replaced("amazon_yelp,", "Amazon YELP,"),
        "line 2, column case: found 'Amazon YELP', expected lower-case",
    ),
    (
        replaced("amazon_yelp,sa", "amazon_yelp,xx"),
        "line 2, column task: found 'xx', expected one of sa, fer",
    ),
    (replaced("amazon_imdb,", "amazon_yelp,"), "line 3, column case: found 'amazon_yelp' a second time"),
    (replaced(",20000,", ",0,"), "line 2, column items: found '0', expected a whole number of at least 1"),
    (replaced(",20000,", ",2e4,"), "line 2, column items: found '2e4', expected a whole number"),
    (
        replaced(",positive;negative,", ",positive,"),
        "line 2, column labels: found 'positive', expected two or more",
    ),
    (
        replaced(",positive;negative,", ",positive;positive,"),
        "line 2, column labels: found 'positive;positive'",
    ),
    (
        replaced(",positive;negative,positive;negative,", ",positive;negative,negative;positive,"),
        "line 2, column predicted_labels: found 'negative;positive', expected the true labels first",
    ),
    (replaced(",0.75,", ",-0.75,"), "line 2, column price_per_10k: found '-0.75', expected a price"),
    (replaced(",reconstructed,", ",measured,"), "line 2, column source: found 'measured', expected one of"),
    (replaced(",yes,", ",maybe,"), "line 2, column shifted: found 'maybe', expected one of yes, no"),
    (replaced(",77\n", ",101\n"), "line 2, column paper_save: found '101', expected at most 100"),
    (replaced(",77\n", "\n"), "line 2: found 17 cells, expected 18"),
    (replaced("Amazon,YELP", '"Amazon,YELP'), "not readable as CSV"),
]


@pytest.mark.parametrize(("edit", "sentence"), CASES, ids=range(len(CASES)))
def test_bad_tables_of_cases(edit, sentence, tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text(edit((ROOT / "config/cases.csv").read_text(encoding="utf-8")), encoding="utf-8")
    found = refused(read_cases, path)
    assert found.startswith(f"{path}: ")
    assert sentence in found


def without_the_last_row(text):
    return text[: text.rindex("\n", 0, -1) + 1]


def swapped_first_rows(text):
    header, first, second, *rest = text.splitlines(keepends=True)
    return "".join([header, second, first, *rest])


REPLAY = [
    (lambda _: "", "line 1: found '', expected difficulty,label,level,old,new,items"),
    (lambda text: text.partition("\n")[0] + "\n", "no rows below the header: the table is cut short"),
    (lambda text: text[:-1], "has no end: the table is cut short"),
    (without_the_last_row, "the table is cut short or belongs to another case"),
    (replaced("difficulty,label", "label,difficulty"), "line 1: found 'label,difficulty"),
    (replaced(",0,0,", ",0,-1,"), "column level: found '-1', expected a whole number of at least 0"),
    (replaced(",0,119,", ",0,120,"), "column level: found 120, expected 0 to 119"),
    (replaced(",0,0,0,0,", ",0,0,0,0.5,"), "column new: found '0.5', expected a whole number of at least 0"),
    (replaced(",0,0,0,0,", ",0,0,0,,"), "column new: found '', expected a whole number of at least 0"),
    (swapped_first_rows, "line 3: out of order"),
    (lambda text: text.replace("\n", "\r\n"), "line 1: found 'difficulty,label,level,old,new,items\\r'"),
    (lambda text: text.replace(",", ";"), "line 1: found 'difficulty;label"),
    (lambda text: text + text.rpartition("\n")[0].rpartition("\n")[2] + "\n", "the same as the line before"),
    (lambda text: text + "total,,,,,\n", "column label: found '', expected a whole number"),
]


@pytest.mark.parametrize(("edit", "sentence"), REPLAY, ids=range(len(REPLAY)))
def test_bad_replay_tables(edit, sentence, tmp_path):
    case = read_cases("config/cases.csv")["amazon_yelp"]
    path = tmp_path / "amazon_yelp.csv"
    text = edit((ROOT / "data/replay/amazon_yelp.csv").read_text())
    path.write_text(text, encoding="utf-8", newline="")
    found = refused(check_replay_table, path, case)
    assert found.startswith(f"{path}: ")
    assert sentence in found


def test_any_flipped_bit_of_a_replay_table_is_noticed_or_changes_a_count_alike_in_both_sources(tmp_path):
    """Two difficulty sources count the same items: one flipped bit breaks a format, a total or their agreement."""
    case = read_cases("config/cases.csv")["ibm_digit"]
    data = (ROOT / "data/replay/ibm_digit.csv").read_bytes()
    path = tmp_path / "ibm_digit.csv"
    unseen = []
    for place in range(0, len(data), 997):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            try:
                check_replay_table(path, case)
            except InputError as error:
                assert "\n" not in str(error)  # noqa: PT017
            else:
                unseen.append((place, bit, data[place - 30 : place + 10]))
    # What can pass is a level that stays in order: nothing that the confusion matrices depend on.
    levels = [line for place, _, line in unseen if not _is_level(data, place)]
    assert levels == []


def _is_level(data, place):
    start = data.rfind(b"\n", 0, place) + 1
    return data[start:place].count(b",") == 2


def test_a_replay_table_of_another_case_is_noticed():
    cases = read_cases("config/cases.csv")
    sentence = refused(check_replay_table, "data/replay/ibm_digit.csv", cases["ibm_amnist"])
    assert "data/replay/ibm_digit.csv: " in sentence


OWN = [
    ("", "no column id"),
    ("id,label,old,new\n", "no items below the header"),
    ("id,label,old\n1,a,a\n", "line 1: no column new, found 'id,label,old', expected id,label,old,new"),
    ("id,label,label,old,new\n1,a,a,a,a\n", "column label stands there twice, expected once"),
    ("id,label,old,new\n1,a,a,a\n2,a,a,a\n", "the only true label is 'a', expected two or more"),
    ("id,label,old,new\n1,a,a\n", "row 1 below the header: 3 cells, expected 4"),
    ("id,label,old,new\n1,a,a,b\n2,b,,b\n", "row 2 below the header, column old: empty, expected a value"),
    ("id,label,old,new\n1,a,a,b\n,b,b,b\n", "row 2 below the header, column id: empty, expected a value"),
    ("id,label,old,new\n1,a,a,b\n1,b,b,b\n", "id '1' stands there twice"),
    (
        "id,label,old,new,confidence\n1,a,a,b,high\n2,b,b,b,1\n",
        "column confidence: found 'high', expected a number",
    ),
    (
        "id,label,old,new,confidence\n1,a,a,b,nan\n2,b,b,b,1\n",
        "column confidence: found 'nan', expected a number",
    ),
    ('id,label,old,new\n1,"a,a,b\n', "not readable as CSV"),
    (b"id,label,old,new\n1,\xff,a,b\n", "not UTF-8 text"),
    ("id;label;old;new\n1;a;a;b\n", "line 1: no column id, found 'id;label;old;new'"),
]


@pytest.mark.parametrize(("content", "sentence"), OWN, ids=range(len(OWN)))
def test_bad_predictions_of_your_own(content, sentence, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    entry = {"predictions": str(path)}

    def read():
        own_replay_table(describe("mine", entry), entry, seed=1)

    found = refused(read)
    assert found.startswith(f"{path}: ")
    assert sentence in found


def sizes(*rows):
    return "\n".join([",".join(SIZE_COLUMNS), *rows]) + "\n"


TABLES = [
    ("", "not a readable CSV table"),
    (sizes("ibm_digit,masa,3,1,600,500,700"), "row 2: 7 cells, expected 8"),
    (sizes("ibm_digit,masa,3,1,600,500,700,x"), "column paper, row 2: found 'x', expected integer"),
    (sizes("ibm_digit,masa,3,1,60.5,500,700,"), "column n95, row 2: found '60.5', expected count"),
    (sizes("ibm_digit,masa,3,1,-600,500,700,"), "column n95, row 2: found '-600', expected count"),
    (sizes("ibm_digit,masa,3,inf,600,500,700,"), "column a, row 2: found 'inf', expected amount"),
    (sizes("ibm_digit,masa,3,1,600,500,700,")[:-1], "row 2: the last row has no end: the file is cut short"),
    (sizes("ibm_digit,masa,,1,600,500,700,"), "column K, row 2: empty, expected count"),
    (sizes("ibm_digit,masa,3,1,600,500,700,", "ibm_di"), "row 3: 1 cells, expected 8"),
    ("case,sampler\na,b\n", "columns are case,sampler, expected case,sampler,K,a,n95"),
]


@pytest.mark.parametrize(("text", "sentence"), TABLES, ids=range(len(TABLES)))
def test_bad_intermediate_tables(text, sentence, tmp_path):
    path = tmp_path / "required_size.csv"
    path.write_text(text)
    found = refused(read_table, path, SIZE_COLUMNS)
    assert found.startswith(f"{path}: ")
    assert re.search(sentence, found)


def test_a_table_in_the_place_of_another_is_noticed(tmp_path):
    path = tmp_path / "errors.csv"
    path.write_text(sizes("ibm_digit,masa,3,1,600,500,700,"))
    assert "expected case,sampler,strata,K,a,budget" in refused(read_table, path, ERROR_COLUMNS)


COMMANDS = [
    (["--only", "nobody"], "--only: found nobody, allowed are amazon_yelp"),
    (["--cases", "nowhere.csv"], "nowhere.csv: no such file"),
    (["--mirror", "/nonexistent"], "/nonexistent/FrugalML"),
]


@pytest.mark.parametrize(("arguments", "sentence"), COMMANDS, ids=range(len(COMMANDS)))
def test_bad_arguments_of_the_command_line(arguments, sentence, tmp_path, capsys):
    assert rebuild(["--out", str(tmp_path), *arguments]) == 2
    printed = capsys.readouterr().err
    assert sentence in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("shift: {K: 7}", "config: key shift.K: found 7, allowed are 1, 2, 3, 4"),
        ("shift: 3", "config: key shift: found 3, allowed is a value of type object"),
        ("shift: {1: 2}", "config: unknown key 1 in shift, allowed are"),
        ("cases: [amazon_yelp\n", "Config file is not valid JSON or YAML"),
        ("- a list\n", "Config file must be given as JSON or YAML with keys at top level"),
    ],
)
def test_bad_overrides_on_the_command_line(override, sentence, tmp_path):
    """The whole way through snakemake: nothing starts, and no traceback is shown."""
    path = tmp_path / "override.yaml"
    path.write_text(override)
    command = [sys.executable, "-m", "snakemake", "-n", "--configfile", str(path)]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    printed = run.stdout + run.stderr
    assert run.returncode != 0
    assert sentence in printed
    assert "Traceback" not in printed


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**30),
    st.floats(),
    st.sampled_from(
        ["", "masa", "uniform", "1e-5", "none", "ibm_digit", "amazon_yelp", "threading", "\n", "\0", "é"]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.sampled_from(["K", "last", "step", "x\ny"]), st.integers(), st.none()),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=4,
)


def places(section, before=()):
    """Every place in the settings: sections and single keys."""
    for key, value in section.items():
        yield (*before, key)
        if isinstance(value, dict):
            yield from places(value, (*before, key))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(list(places(default()))), st.one_of(VALUES, st.just(MISSING))),
        min_size=1,
        max_size=2,
    )
)
def test_any_settings_either_plan_or_get_one_sentence_that_names_the_key(changes):
    config = copy.deepcopy(default())
    config["cases"] = ["ibm_digit"]
    names = set()
    for (*sections, last), value in changes:
        place = config
        for section in sections:
            place = place.get(section) if isinstance(place, dict) else None
        if isinstance(place, dict):
            names.add(last)
            if value is MISSING:
                place.pop(last, None)
            else:
                place[last] = value
    try:
        plan(config)
    except InputError as error:
        sentence = str(error)
        assert "\n" not in sentence
        assert sentence
        about_a_file = (
            ": no such file" in sentence or ": cannot be read" in sentence or ": is a folder" in sentence
        )
        assert about_a_file or any(name in sentence for name in names) or "config: key " in sentence


def test_nothing_read_from_a_file_is_executed():
    """No pickle, no unsafe YAML, no evaluation, no shell command built at run time."""
    unsafe = re.compile(
        r"\bpickle\b|\bdill\b|\bmarshal\b|yaml\.(?:load|full_load|unsafe_load|Loader)\b|(?<![.\w])(?:eval|exec)\(|os\.system|"
        r"os\.popen|shell\s*=\s*True|\bshelve\b|read_pickle|to_pickle|allow_pickle\s*=\s*True|joblib\.(?:load|dump)\b"
    )
    files = [
        path for top in ("src", "workflow", "tools", "benchmarks") for path in (ROOT / top).rglob("*.py")
    ]
    files += [*(ROOT / "workflow").rglob("*.smk"), ROOT / "Snakefile"]
    assert len(files) > 40
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if unsafe.search(line)
    ]
    assert found == []


def test_no_rule_builds_a_shell_command():
    """Rules call scripts: file names and settings never pass through a shell."""
    rules = [*(ROOT / "workflow").rglob("*.smk"), ROOT / "Snakefile"]
    assert not [path for path in rules if re.search(r"^\s+(?:shell|run):", path.read_text(), re.MULTILINE)]


def test_there_are_at_least_sixty_bad_inputs():
    assert len(CONFIG) + len(CASES) + len(REPLAY) + len(OWN) + len(TABLES) + len(COMMANDS) >= 60
