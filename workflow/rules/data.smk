# From recordings to replay tables: fetch, read, reconstruct or look up 2021, rank by difficulty, count, compare.
include: "data_files.smk"


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


if asks(config):

    rule ask:
        input:
            files=lambda wildcards: own_files(DATA["own"][wildcards.case]),
            code=modules(
                "recordings/own",
                "recordings/replay",
                "difficulty/levels",
                "shift/next_queries",
                "cases",
            ),
        output:
            ask=f"{RESULTS}/next_queries/{{case}}/ask.csv",
            so_far=f"{RESULTS}/next_queries/{{case}}/so_far.csv",
            shift=f"{RESULTS}/next_queries/{{case}}/shift.csv",
        log:
            f"{LOGS}/data/ask_{{case}}.log",
        conda:
            "../../environment.yml"
        params:
            case=case_of,
            entry=lambda wildcards: DATA["own"][wildcards.case],
            shift={
                key: config["shift"][key]
                for key in ("difficulty", "K", "a", "target_error")
            },
            seed=DATA["seed"],
        message:
            "Choosing what to ask the API of {wildcards.case} next"
        script:
            "../scripts/data_ask.py"

    rule next_queries:
        input:
            expand(rules.ask.output, case=config["cases"]),
        message:
            "The next items to ask about, and what the answers so far tell, are in {input}"

else:

    rule next_queries:
        input:
            next_queries_refused,


rule provenance:
    input:
        replay=expand(f"{DATA['replay']}/{{case}}.csv", case=config["cases"]),
        versions=DATA["versions"],
        code=modules("recordings/provenance", "recordings/fetch"),
    output:
        report(
            f"{RESULTS}/provenance.json",
            caption="../report/provenance.rst",
            category="Provenance",
            labels={"table": "Where every case comes from"},
        ),
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


rule cheap_model:
    input:
        raw=lambda wildcards: raw_items(wildcards.dataset),
        names=f"{FRUGALML}/Model0_ImageName.txt",
        labels=f"{FRUGALML}/Model0_TrueLabel.txt",
        code=lambda wildcards: modules(
            "difficulty/answers",
            "difficulty/raw_items",
            f"difficulty/{wildcards.model}",
        ),
    output:
        f"{RECORDINGS}/difficulty/{{model}}_{{dataset}}.csv",
    log:
        f"{LOGS}/data/{{model}}_{{dataset}}.log",
    wildcard_constraints:
        model="|".join(COMPUTED),
        dataset="[A-Z]+",
    conda:
        "../../environment.yml"
    threads: 2
    params:
        rows=lambda wildcards: items_of(wildcards.dataset),
        seed=DATA["seed"],
    message:
        "Running {wildcards.model} on {wildcards.dataset}"
    script:
        "../scripts/data_model.py"


rule verify_models:
    input:
        unpack(verified_files),
        code=modules("difficulty/answers"),
    output:
        f"{RESULTS}/difficulty/verified.csv",
    log:
        f"{LOGS}/data/verify_models.log",
    conda:
        "../../environment.yml"
    params:
        pairs=MODEL_PAIRS,
        folder=RECORDINGS,
        rows={dataset: items_of(dataset) for _, dataset in MODEL_PAIRS},
    message:
        "Comparing the cheap models' answers with those recorded in 2020"
    script:
        "../scripts/data_verify.py"


rule difficulty_case:
    input:
        replay=f"{DATA['replay']}/{{case}}.csv",
        kernels=rules.compile_kernels.output,
        code=SHIFT_CODE + modules("difficulty/study"),
    output:
        f"{RESULTS}/difficulty/cases/{{case}}.csv",
    log:
        f"{LOGS}/difficulty/{{case}}.log",
    conda:
        "../../environment.yml"
    threads: threads_per_case
    params:
        case=case_of,
        seed=config["seed"],
        shift=config["shift"],
        montecarlo=config["montecarlo"],
    message:
        "Ranking {wildcards.case} by each source of difficulty"
    script:
        "../scripts/data_difficulty_case.py"


rule difficulty:
    input:
        studies=expand(rules.difficulty_case.output, case=config["cases"]),
        verified=rules.verify_models.output,
        code=STYLE + modules("difficulty/study", "figures/difficulty"),
    output:
        csv=report(
            f"{RESULTS}/difficulty/required_size.csv",
            caption="../report/difficulty.rst",
            category="MASA",
            subcategory="Difficulty",
            labels={"table": "Required size by source of difficulty"},
        ),
        md=f"{RESULTS}/difficulty/required_size.md",
        images=report(
            images("beyond", "difficulty"),
            caption="../report/difficulty.rst",
            category="MASA",
            subcategory="Difficulty",
            labels={"figure": "Required size by source of difficulty"},
        ),
    log:
        f"{LOGS}/difficulty/summary.log",
    conda:
        "../../environment.yml"
    params:
        cases=[asdict(CASES[case]) for case in config["cases"]],
    message:
        "Comparing required sizes under each source of difficulty"
    script:
        "../scripts/data_difficulty.py"
