# One interactive page over the tables of MASA: samplers, K, a, sources of difficulty, shares and confusion matrices.
SHARE_TRIALS = 200  # enough for a mean and nine trials in ten, drawn as bars


rule explorer_errors:
    input:
        replay=replays_of(config["cases"]),
        kernels=rules.compile_kernels.output,
        code=SHIFT_CODE + modules("shift/ablation"),
    output:
        errors=f"{RESULTS}/explorer/{{source}}/errors.csv",
        sizes=f"{RESULTS}/explorer/{{source}}/case_sizes.csv",
    log:
        f"{LOGS}/explorer/errors_{{source}}.log",
    wildcard_constraints:
        source="[a-z_]+",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        cases=cases_of(config["cases"]),
        seed=config["seed"],
        shift=lambda wildcards: {
            **{
                key: value
                for key, value in config["shift"].items()
                if key != "samplers"
            },
            "difficulty": wildcards.source,
        },
        montecarlo=config["montecarlo"],
    message:
        "Running MASA on all cases with difficulty from {wildcards.source}"
    script:
        "../scripts/ablation.py"


rule explorer_sizes:
    input:
        errors=[rules.explorer_errors.output.errors],
        sizes=[rules.explorer_errors.output.sizes],
        cases=config["cases_table"],
        code=modules("shift/summary", "tables", "cases"),
    output:
        errors=f"{RESULTS}/explorer/{{source}}/all_errors.csv",
        sizes=f"{RESULTS}/explorer/{{source}}/required_size.csv",
    log:
        f"{LOGS}/explorer/sizes_{{source}}.log",
    wildcard_constraints:
        source="[a-z_]+",
    conda:
        "../../environment.yml"
    message:
        "Gathering required sizes with difficulty from {wildcards.source}"
    script:
        "../scripts/ablation_summary.py"


rule explorer_shares:
    input:
        replay=replays_of(config["cases"]),
        kernels=rules.compile_kernels.output,
        code=SHIFT_CODE + modules("explorer/shares"),
    output:
        f"{RESULTS}/explorer/{{source}}/shares.csv",
    log:
        f"{LOGS}/explorer/shares_{{source}}.log",
    wildcard_constraints:
        source="[a-z_]+",
    conda:
        "../../environment.yml"
    params:
        cases=cases_of(config["cases"]),
        seed=config["seed"],
        shift={
            key: value for key, value in config["shift"].items() if key != "samplers"
        },
        trials=min(SHARE_TRIALS, config["montecarlo"]["trials"]),
    message:
        "Counting where MASA spends its queries with difficulty from {wildcards.source}"
    script:
        "../scripts/explorer_shares.py"


rule explorer:
    input:
        errors=[
            rules.shift_summary.output.errors,
            rules.k_ablation.output.errors,
            rules.a_ablation.output.errors,
        ],
        sizes=[
            rules.shift_summary.output.sizes,
            rules.k_ablation.output.sizes,
            rules.a_ablation.output.sizes,
        ],
        other_errors=expand(rules.explorer_sizes.output.errors, source=OTHERS),
        other_sizes=expand(rules.explorer_sizes.output.sizes, source=OTHERS),
        shares=expand(
            rules.explorer_shares.output,
            source=[config["shift"]["difficulty"], *OTHERS],
        ),
        confusion=rules.confusion.output[0],
        cases=config["cases_table"],
        code=STYLE
        + modules("explorer/page", "shift/summary", "shift/confusion", "cases")
        + [
            (Path(path).parent / f"page.{ending}").as_posix()
            for path in modules("explorer/page")
            for ending in ("html", "js", "css")
        ],
    output:
        f"{RESULTS}/explorer.html",
    log:
        f"{LOGS}/explorer/explorer.log",
    conda:
        "../../environment.yml"
    params:
        shift=config["shift"],
        trials=config["montecarlo"]["trials"],
        others=OTHERS,
    message:
        "Packing the tables into one interactive page"
    script:
        "../scripts/explorer.py"
