# MASA: how much did the API's confusion matrix move, and with how many queries can one tell?
SHIFT_CODE = modules(
    "montecarlo",
    "randomness",
    "tables",
    "recordings/replay",
    "recordings/replay_format",
    "shift/experiment",
    "shift/kernels",
    "shift/level_sort",
    "shift/population",
    "shift/reading",
    "shift/required_size",
    "shift/samplers",
)


rule compile_kernels:
    input:
        code=modules(
            "randomness",
            "shift/kernels",
            "shift/level_sort",
            "shift/reading",
            "shift/samplers",
        ),
    output:
        touch(f"{RESULTS}/shift/kernels.compiled"),
    log:
        f"{LOGS}/shift/compile_kernels.log",
    conda:
        "../../environment.yml"
    message:
        "Compiling the kernels of MASA once, for all jobs"
    script:
        "../scripts/shift_compile.py"


rule shift_case:
    input:
        replay=f"{config['data']['replay']}/{{case}}.csv",
        kernels=rules.compile_kernels.output,
        code=SHIFT_CODE,
    output:
        errors=f"{RESULTS}/shift/cases/{{case}}/errors.csv",
        sizes=f"{RESULTS}/shift/cases/{{case}}/required_size.csv",
    log:
        f"{LOGS}/shift/case_{{case}}.log",
    conda:
        "../../environment.yml"
    threads: threads_per_case
    params:
        case=case_of,
        seed=config["seed"],
        shift=config["shift"],
        montecarlo=config["montecarlo"],
    message:
        "Comparing samplers on {wildcards.case}"
    script:
        "../scripts/shift_case.py"


rule shift_summary:
    input:
        errors=expand(rules.shift_case.output.errors, case=config["cases"]),
        sizes=expand(rules.shift_case.output.sizes, case=config["cases"]),
        cases=config["cases_table"],
        published=config["data"]["published"],
        code=modules("shift/summary", "tables", "cases"),
    output:
        errors=f"{RESULTS}/shift/errors.csv",
        sizes=f"{RESULTS}/shift/required_size.csv",
        accuracy=f"{RESULTS}/shift/accuracy.csv",
    log:
        f"{LOGS}/shift/summary.log",
    conda:
        "../../environment.yml"
    params:
        cases=config["cases"],
        samplers=config["shift"]["samplers"],
    message:
        "Gathering errors and required sizes of all cases"
    script:
        "../scripts/shift_summary.py"
