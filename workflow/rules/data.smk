# From recordings to replay tables: fetch, read, reconstruct or look up 2021, rank by difficulty, count, compare.
from collections import defaultdict

from adaptive_sampling.difficulty.sources import computed_for, raw_files
from adaptive_sampling.recordings.fetch import case_files, fetch_set, read_versions
from adaptive_sampling.recordings.own import own_files

DATA = config["data"]
RECORDINGS = DATA["recordings"]
VERSIONS = read_versions(DATA["versions"])
HAPI = f"{RECORDINGS}/HAPI/tasks"
DIGITS = "free-spoken-digit-dataset/recordings/"
RECORDING_CODE = modules(
    "randomness",
    "tables",
    "cases",
    "difficulty/levels",
    "difficulty/trial_division",
    "recordings/frugalml",
    "recordings/hapi",
    "recordings/llmdrift",
    "recordings/published",
    "recordings/rebuild",
    "recordings/reconstruct",
    "recordings/recorded",
    "recordings/replay",
    "recordings/replay_format",
)


def recorded_files(case):
    """Where the fetched files of a case lie."""
    return [f"{RECORDINGS}/{path}" for path in case_files(CASES[case])]


def raw_items(dataset):
    """Where the fetched texts or sounds of a dataset lie."""
    mirrors = [*DATA["mirrors"], RECORDINGS]
    return [f"{RECORDINGS}/{path.rstrip('/')}" for path in raw_files(dataset, mirrors)]


def model_answers(wildcards):
    """Answers of the computed models that rank the items of a case."""
    dataset = CASES[wildcards.case].frugalml_dataset
    models = computed_for(CASES[wildcards.case], DATA["difficulty"])
    return [f"{RECORDINGS}/difficulty/{model}_{dataset}.csv" for model in models]


FETCHED = defaultdict(list)
for listed in VERSIONS:
    if listed != DIGITS:
        FETCHED[fetch_set(listed)].append(listed)


for set_name, set_files in FETCHED.items():

    rule:
        name:
            f"fetch_{set_name}"
        output:
            [f"{RECORDINGS}/{path}" for path in set_files],
        log:
            f"{LOGS}/data/fetch_{set_name}.log",
        conda:
            "../../environment.yml"
        params:
            files=[asdict(VERSIONS[path]) for path in set_files],
        message:
            f"Fetching {set_name}: {len(set_files)} files"
        script:
            "../scripts/data_fetch.py"


rule fetch_digits:
    input:
        listing="data/digit_recordings.csv",
    output:
        directory(f"{RECORDINGS}/{DIGITS.rstrip('/')}"),
    log:
        f"{LOGS}/data/fetch_digits.log",
    conda:
        "../../environment.yml"
    params:
        folder=asdict(VERSIONS[DIGITS]),
    message:
        "Fetching the 2,000 recordings of DIGIT"
    script:
        "../scripts/data_fetch_digits.py"


rule unpack_hapi:
    input:
        archive=f"{RECORDINGS}/HAPI/hapi.tar.gz",
        code=modules("recordings/archives"),
    output:
        directory(HAPI),
    log:
        f"{LOGS}/data/unpack_hapi.log",
    conda:
        "../../environment.yml"
    message:
        "Unpacking the recorded answers of 2021"
    script:
        "../scripts/data_unpack.py"


rule table_of_cases:
    input:
        code=modules("cases"),
    output:
        f"{RESULTS}/cases.csv",
    log:
        f"{LOGS}/data/cases.log",
    conda:
        "../../environment.yml"
    params:
        cases=[asdict(case) for case in CASES.values()],
    message:
        "Writing the table of cases of this run"
    script:
        "../scripts/data_cases.py"


if DATA["source"] == "recorded":

    rule replay:
        input:
            files=lambda wildcards: recorded_files(wildcards.case),
            confidences=model_answers,
            hapi=HAPI if DATA["later"] == "hapi" else [],
            embedded=f"{EMBEDDED}/{{case}}.csv" if DATA["compare"] else [],
            code=RECORDING_CODE,
        output:
            f"{RESULTS}/replay/{{case}}.csv",
        log:
            f"{LOGS}/data/replay_{{case}}.log",
        conda:
            "../../environment.yml"
        params:
            case=case_of,
            folder=RECORDINGS,
            seed=DATA["seed"],
            models=lambda wildcards: computed_for(
                CASES[wildcards.case], DATA["difficulty"]
            ),
        message:
            "Building the replay table of {wildcards.case} from recordings"
        script:
            "../scripts/data_replay.py"


if DATA["source"] == "own":

    rule own_replay:
        input:
            files=lambda wildcards: own_files(DATA["own"][wildcards.case]),
            code=modules(
                "recordings/own",
                "recordings/replay",
                "recordings/replay_format",
                "difficulty/levels",
                "cases",
            ),
        output:
            f"{RESULTS}/replay/{{case}}.csv",
        log:
            f"{LOGS}/data/replay_{{case}}.log",
        conda:
            "../../environment.yml"
        params:
            case=case_of,
            entry=lambda wildcards: DATA["own"][wildcards.case],
            seed=DATA["seed"],
        message:
            "Counting your own predictions of {wildcards.case}"
        script:
            "../scripts/data_own.py"


rule accuracy:
    input:
        replay=expand(f"{DATA['replay']}/{{case}}.csv", case=config["cases"]),
        code=modules("shift/accuracy", "recordings/facts", "recordings/replay"),
    output:
        csv=report(
            f"{RESULTS}/accuracy.csv",
            caption="../report/accuracy.rst",
            category="MASA",
            subcategory="Tables",
            labels={"table": "Accuracy at both dates"},
        ),
    log:
        f"{LOGS}/data/accuracy.log",
    conda:
        "../../environment.yml"
    params:
        cases=[asdict(CASES[case]) for case in config["cases"]],
    message:
        "Comparing accuracies at both dates"
    script:
        "../scripts/data_accuracy.py"


rule own:
    input:
        rules.accuracy.output,
        rules.confusion.output,
        rules.confusion_matrices.output,
        rules.shift_summary.output,
        rules.figure_5.output,
        rules.table_1.output,
    message:
        "Accuracy, shift, errors and required queries of every case are there"


rule provenance:
    input:
        replay=expand(f"{DATA['replay']}/{{case}}.csv", case=config["cases"]),
        versions=DATA["versions"],
        code=modules("recordings/provenance", "recordings/fetch"),
    output:
        f"{RESULTS}/provenance.json",
    log:
        f"{LOGS}/data/provenance.log",
    conda:
        "../../environment.yml"
    params:
        config=config,
        cases=[asdict(CASES[case]) for case in config["cases"]],
    message:
        "Writing down where every case comes from"
    script:
        "../scripts/data_provenance.py"
