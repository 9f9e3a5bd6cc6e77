# Beyond the paper: samplers that know the old predictions, a rule that stops, and intervals.
from adaptive_sampling.beyond.planning import check_beyond, pair_cases

try:
    # A run from recordings rebuilds the shipped tables, and may be about to find them changed.
    check_beyond(
        config["beyond"],
        CASES,
        EMBEDDED if config["data"]["source"] == "embedded" else None,
    )
except InputError as error:
    raise WorkflowError(str(error)) from None

BEYOND_CODE = modules(
    "montecarlo",
    "randomness",
    "tables",
    "recordings/replay",
    "recordings/replay_format",
    "shift/population",
    "shift/required_size",
    "beyond/experiment",
    "beyond/kernels",
    "beyond/reading",
    "beyond/samplers",
    "beyond/strata",
    "beyond/stress",
    "beyond/study",
)
STOPPING_CODE = modules("beyond/change_model", "beyond/intervals", "beyond/stopping")
PAIRS = pair_cases(CASES)
BEYOND_SETTINGS = {
    key: config[key] for key in ("seed", "shift", "montecarlo", "beyond")
}


rule beyond_compile:
    input:
        code=modules(
            "beyond/change_model", "beyond/kernels", "beyond/reading", "randomness"
        ),
    output:
        touch(f"{RESULTS}/beyond/kernels.compiled"),
    log:
        f"{LOGS}/beyond/compile.log",
    conda:
        "../../environment.yml"
    message:
        "Compiling the kernels beyond the paper once, for all jobs"
    script:
        "../scripts/beyond_compile.py"


rule beyond_sizes:
    input:
        replay=f"{config['data']['replay']}/{{case}}.csv",
        kernels=rules.beyond_compile.output,
        code=BEYOND_CODE,
    output:
        f"{RESULTS}/beyond/cases/{{case}}/required_size.csv",
    log:
        f"{LOGS}/beyond/sizes_{{case}}.log",
    conda:
        "../../environment.yml"
    threads: threads_per_case
    params:
        case=case_of,
        settings=BEYOND_SETTINGS,
    message:
        "Finding the queries that methods beyond the paper need on {wildcards.case}"
    script:
        "../scripts/beyond_sizes.py"


rule beyond_case:
    input:
        replay=f"{config['data']['replay']}/{{case}}.csv",
        sizes=rules.beyond_sizes.output[0],
        kernels=rules.beyond_compile.output,
        code=BEYOND_CODE + STOPPING_CODE,
    output:
        stopping=f"{RESULTS}/beyond/cases/{{case}}/stopping.csv",
        rules=f"{RESULTS}/beyond/cases/{{case}}/stopping_rules.csv",
        intervals=f"{RESULTS}/beyond/cases/{{case}}/intervals.csv",
    log:
        f"{LOGS}/beyond/case_{{case}}.log",
    conda:
        "../../environment.yml"
    threads: threads_per_case
    params:
        case=case_of,
        settings=BEYOND_SETTINGS,
    message:
        "Measuring stopping rules and intervals on {wildcards.case}"
    script:
        "../scripts/beyond_case.py"


rule beyond_stress_sizes:
    input:
        kernels=rules.beyond_compile.output,
        code=BEYOND_CODE,
    output:
        f"{RESULTS}/beyond/stress/required_size.csv",
    log:
        f"{LOGS}/beyond/stress_sizes.log",
    conda:
        "../../environment.yml"
    threads: threads_per_case
    params:
        settings=BEYOND_SETTINGS,
    message:
        "Finding the queries needed on synthetic shifts that are made to hurt"
    script:
        "../scripts/beyond_stress_sizes.py"


rule beyond_stress:
    input:
        sizes=rules.beyond_stress_sizes.output[0],
        kernels=rules.beyond_compile.output,
        code=BEYOND_CODE + STOPPING_CODE,
    output:
        stopping=f"{RESULTS}/beyond/stress/stopping.csv",
        rules=f"{RESULTS}/beyond/stress/stopping_rules.csv",
        intervals=f"{RESULTS}/beyond/stress/intervals.csv",
    log:
        f"{LOGS}/beyond/stress.log",
    conda:
        "../../environment.yml"
    threads: threads_per_case
    params:
        settings=BEYOND_SETTINGS,
    message:
        "Measuring stopping rules and intervals on synthetic shifts that are made to hurt"
    script:
        "../scripts/beyond_stress.py"


rule beyond_detection:
    input:
        replay=expand(
            f"{config['data']['replay']}/{{case}}.csv", case=config["beyond"]["cases"]
        ),
        pairs=[f"data/pairs/{pair.case}.csv" for pair in PAIRS],
        kernels=rules.beyond_compile.output,
        code=BEYOND_CODE + STOPPING_CODE + modules("beyond/detection"),
    output:
        detection=report(
            f"{RESULTS}/beyond/detection.csv",
            caption="../report/beyond_detection.rst",
            category="Methods beyond the papers",
            labels={"table": "detection"},
        ),
    log:
        f"{LOGS}/beyond/detection.log",
    conda:
        "../../environment.yml"
    threads: threads_per_case
    params:
        cases=[asdict(CASES[name]) for name in config["beyond"]["cases"]],
        pairs=[asdict(pair) for pair in PAIRS],
        settings=BEYOND_SETTINGS,
    message:
        "Asking whether the accuracy, or any cell, changed at all"
    script:
        "../scripts/beyond_detection.py"


rule beyond_power:
    input:
        detection=rules.beyond_detection.output.detection,
        cases=config["cases_table"],
        code=modules("figures/style", "figures/beyond_power", "tables", "cases"),
    output:
        report(
            images("beyond", "power"),
            caption="../report/beyond_power.rst",
            category="Methods beyond the papers",
            labels={"figure": "power"},
        ),
    log:
        f"{LOGS}/beyond/power.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing what it takes to find a change of accuracy"
    script:
        "../scripts/beyond_power.py"


rule beyond_summary:
    input:
        sizes=expand(rules.beyond_sizes.output, case=config["beyond"]["cases"]),
        stopping=expand(
            rules.beyond_case.output.stopping, case=config["beyond"]["cases"]
        ),
        rules=expand(rules.beyond_case.output.rules, case=config["beyond"]["cases"]),
        intervals=expand(
            rules.beyond_case.output.intervals, case=config["beyond"]["cases"]
        ),
        stress=[*rules.beyond_stress_sizes.output, *rules.beyond_stress.output],
        cases=config["cases_table"],
        code=modules("beyond/study", "beyond/summary", "tables", "cases"),
    output:
        required_size=report(
            f"{RESULTS}/beyond/required_size.csv",
            caption="../report/beyond_required_size.rst",
            category="Methods beyond the papers",
            labels={"table": "queries needed"},
        ),
        geometric_means=report(
            f"{RESULTS}/beyond/geometric_means.csv",
            caption="../report/beyond_geometric_means.rst",
            category="Methods beyond the papers",
            labels={"table": "geometric means"},
        ),
        stopping=report(
            f"{RESULTS}/beyond/stopping.csv",
            caption="../report/beyond_stopping.rst",
            category="Methods beyond the papers",
            labels={"table": "stopping rule"},
        ),
        intervals=report(
            f"{RESULTS}/beyond/intervals.csv",
            caption="../report/beyond_intervals.rst",
            category="Methods beyond the papers",
            labels={"table": "intervals and bias"},
        ),
        stress_required_size=f"{RESULTS}/beyond/stress_required_size.csv",
        stress_stopping=f"{RESULTS}/beyond/stress_stopping.csv",
        stress_intervals=f"{RESULTS}/beyond/stress_intervals.csv",
        stopping_summary=f"{RESULTS}/beyond/stopping_summary.csv",
        stopping_rules=report(
            f"{RESULTS}/beyond/stopping_rules.csv",
            caption="../report/beyond_stopping_rules.rst",
            category="Methods beyond the papers",
            labels={"table": "rules that stop, compared"},
        ),
    log:
        f"{LOGS}/beyond/summary.log",
    conda:
        "../../environment.yml"
    message:
        "Gathering the tables beyond the paper"
    script:
        "../scripts/beyond_summary.py"


rule beyond_queries:
    input:
        required=rules.beyond_summary.output.required_size,
        cases=config["cases_table"],
        code=modules("figures/style", "figures/beyond_queries", "tables", "cases"),
    output:
        report(
            images("beyond", "queries"),
            caption="../report/beyond_queries.rst",
            category="Methods beyond the papers",
            labels={"figure": "queries needed"},
        ),
    log:
        f"{LOGS}/beyond/queries.log",
    conda:
        "../../environment.yml"
    params:
        target=config["shift"]["target_error"],
    message:
        "Drawing the queries that every method needs"
    script:
        "../scripts/beyond_queries.py"


rule beyond_rules:
    input:
        rules=rules.beyond_summary.output.stopping_rules,
        code=modules("figures/style", "figures/beyond_rules", "tables"),
    output:
        report(
            images("beyond", "rules"),
            caption="../report/beyond_rules.rst",
            category="Methods beyond the papers",
            labels={"figure": "stopping rules"},
        ),
    log:
        f"{LOGS}/beyond/rules.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing what the coverage of stopping rules costs"
    script:
        "../scripts/beyond_rules.py"


rule beyond:
    input:
        rules.beyond_rules.output,
        rules.beyond_summary.output,
        rules.beyond_queries.output,
        rules.beyond_detection.output,
        rules.beyond_power.output,
    message:
        "All that lies beyond the paper is there"
