# What the MASA paper names and does not show: its theory measured, the parts of its gain, its extensions, its claims.
STUDIES = config["studies"]
STUDY_CODE = SHIFT_CODE + modules("cases", "shift/studies")
# Recorded shifts outside the paper, where the run knows them and does not run them anyway.
EXTRA = [
    case
    for case in STUDIES["recorded_cases"]
    if case in CASES and case not in config["cases"]
]


rule adaptivity:
    input:
        replay=replays_of(EXTRA),
        sizes=rules.shift_summary.output.sizes,
        cases=config["cases_table"],
        kernels=rules.compile_kernels.output,
        code=STUDY_CODE + modules("shift/adaptivity"),
    output:
        csv=report(
            f"{RESULTS}/shift/adaptivity.csv",
            caption="../report/adaptivity.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"table": "What adaptivity buys"},
        ),
        md=f"{RESULTS}/shift/adaptivity.md",
    log:
        f"{LOGS}/shift/adaptivity.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        **setting_of(config["montecarlo"]["trials"]),
        names=config["cases"],
        extra=cases_of(EXTRA),
        fallback=STUDIES["fallback_difficulty"],
    message:
        "Splitting the gain over uniform sampling into its parts"
    script:
        "../scripts/adaptivity.py"


rule figure_adaptivity:
    input:
        table=rules.adaptivity.output.csv,
        cases=config["cases_table"],
        code=STYLE + modules("figures/adaptivity", "shift/adaptivity"),
    output:
        report(
            images("masa", "adaptivity"),
            caption="../report/adaptivity.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"figure": "What adaptivity buys"},
        ),
    log:
        f"{LOGS}/report/adaptivity.log",
    conda:
        "../../environment.yml"
    params:
        target=config["shift"]["target_error"],
        confidence=config["shift"]["confidence"],
        trials=config["montecarlo"]["trials"],
    message:
        "Drawing what adaptivity buys"
    script:
        "../scripts/figure_adaptivity.py"


rule theory:
    input:
        replay=replays_of(config["cases"]),
        errors=rules.shift_summary.output.errors,
        kernels=rules.compile_kernels.output,
        code=STUDY_CODE + modules("shift/theory", "shift/closed_form"),
    output:
        lemma_1=f"{RESULTS}/shift/lemma_1.csv",
        theorem_2=f"{RESULTS}/shift/theorem_2.csv",
    log:
        f"{LOGS}/shift/theory.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        **setting_of(STUDIES["theorem_2"]["trials"]),
        cases=cases_of(config["cases"]),
        budgets=STUDIES["theorem_2"]["budgets"],
    message:
        "Measuring Lemma 1 and the loss gap of Theorem 2"
    script:
        "../scripts/theory.py"


rule theorem_2:
    input:
        table=rules.theory.output.theorem_2,
        cases=config["cases_table"],
        code=STYLE + modules("figures/theorem_2", "shift/theory"),
    output:
        report(
            images("masa", "theorem_2"),
            caption="../report/theorem_2.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"figure": "Theorem 2"},
        ),
    log:
        f"{LOGS}/report/theorem_2.log",
    conda:
        "../../environment.yml"
    params:
        trials=STUDIES["theorem_2"]["trials"],
    message:
        "Drawing the loss gap of Theorem 2"
    script:
        "../scripts/figure_theorem_2.py"


rule extensions:
    input:
        replay=replays_of(config["cases"]),
        sizes=rules.shift_summary.output.sizes,
        kernels=rules.compile_kernels.output,
        code=STUDY_CODE + modules("shift/weights", "shift/replacement"),
    output:
        weights=report(
            f"{RESULTS}/shift/weights.csv",
            caption="../report/weights.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"table": "Weights W"},
        ),
        replacement=report(
            f"{RESULTS}/shift/replacement.csv",
            caption="../report/replacement.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"table": "Without replacement"},
        ),
    log:
        f"{LOGS}/shift/extensions.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        **setting_of(STUDIES["trials"]),
        cases=cases_of(config["cases"]),
        budget=STUDIES["weights_budget"],
    message:
        "Weighting the error by W, and sampling without replacement"
    script:
        "../scripts/extensions.py"


rule stopping:
    input:
        replay=replays_of(config["cases"]),
        sizes=rules.shift_summary.output.sizes,
        kernels=rules.compile_kernels.output,
        code=STUDY_CODE + modules("shift/stopping"),
    output:
        report(
            f"{RESULTS}/shift/stopping.csv",
            caption="../report/stopping.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"table": "Stopping by the bounds of Appendix B"},
        ),
    log:
        f"{LOGS}/shift/stopping.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        **setting_of(STUDIES["trials"]),
        cases=cases_of(config["cases"]),
    message:
        "Stopping by the bounds of Appendix B"
    script:
        "../scripts/stopping.py"


rule figure_stopping:
    input:
        table=rules.stopping.output[0],
        cases=config["cases_table"],
        code=STYLE + modules("figures/stopping", "shift/stopping"),
    output:
        report(
            images("masa", "stopping"),
            caption="../report/stopping.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"figure": "Stopping by the bounds of Appendix B"},
        ),
    log:
        f"{LOGS}/report/stopping.log",
    conda:
        "../../environment.yml"
    params:
        confidence=config["shift"]["confidence"],
        trials=STUDIES["trials"],
    message:
        "Drawing sizes and coverage of the stopping rules"
    script:
        "../scripts/figure_stopping.py"


rule misprint:
    input:
        replay=replays_of(config["cases"]),
        kernels=rules.compile_kernels.output,
        code=STUDY_CODE + modules("shift/misprint"),
    output:
        report(
            f"{RESULTS}/shift/misprint.csv",
            caption="../report/misprint.rst",
            category="MASA",
            subcategory="Beyond its figures",
            labels={"table": "Line 7 as printed"},
        ),
    log:
        f"{LOGS}/shift/misprint.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        **setting_of(STUDIES["trials"]),
        cases=cases_of(config["cases"]),
    message:
        "Weighing the misprint of line 7 of Algorithm 1"
    script:
        "../scripts/misprint.py"


rule table_1_sensitivity:
    input:
        sizes=rules.shift_summary.output.sizes,
        sensitivity=STUDIES["sensitivity"],
        cases=config["cases_table"],
        code=modules("shift/sensitivity", "tables", "cases"),
    output:
        csv=report(
            f"{RESULTS}/table_1_sensitivity.csv",
            caption="../report/table_1_sensitivity.rst",
            category="MASA",
            subcategory="Tables",
            labels={"table": "Table 1, sensitivity"},
        ),
        md=f"{RESULTS}/table_1_sensitivity.md",
    log:
        f"{LOGS}/report/table_1_sensitivity.log",
    conda:
        "../../environment.yml"
    params:
        names=config["cases"],
    message:
        "Setting Table 1 beside its sensitivity to the reconstruction"
    script:
        "../scripts/table_1_sensitivity.py"


CLAIM_TABLES = {
    "accuracy": rules.shift_summary.output.accuracy,
    "errors": rules.shift_summary.output.errors,
    "required_size": rules.shift_summary.output.sizes,
    "confusion": rules.confusion.output[0],
    "k_ablation": rules.k_ablation.output.errors,
    "a_ablation": rules.a_ablation.output.errors,
    "table_2": rules.table_2.output.csv,
    "lemma_1": rules.theory.output.lemma_1,
    "theorem_2": rules.theory.output.theorem_2,
    "stopping": rules.stopping.output[0],
    "misprint": rules.misprint.output[0],
    "cost": STUDIES["cost"],
}
if "amazon_yelp" in config["cases"]:
    CLAIM_TABLES |= {
        "partitions": rules.case_study.output.partitions,
        "sampling": rules.case_study.output.sampling,
        "case_study_errors": rules.case_study.output.errors,
    }


rule claims:
    input:
        **CLAIM_TABLES,
        claims=STUDIES["claims"],
        cases=config["cases_table"],
        # The claims of EBR follow those of MASA if its rules were included before these.
        others=rules.bestarm_claims.output if rules.has("bestarm_claims") else [],
        code=modules("claims", "tables", "cases"),
    output:
        csv=report(
            f"{RESULTS}/claims.csv",
            caption="../report/claims.rst",
            category="Claims",
            labels={"table": "Verdicts"},
        ),
        md=f"{RESULTS}/claims.md",
    log:
        f"{LOGS}/report/claims.log",
    conda:
        "../../environment.yml"
    params:
        tables=list(CLAIM_TABLES),
        shift=config["shift"],
    message:
        "Judging every claim"
    script:
        "../scripts/claims.py"


rule studies:
    input:
        rules.adaptivity.output,
        rules.figure_adaptivity.output,
        rules.theory.output,
        rules.theorem_2.output,
        rules.extensions.output,
        rules.stopping.output,
        rules.figure_stopping.output,
        rules.misprint.output,
        rules.table_1_sensitivity.output,
        rules.claims.output,
    message:
        "All studies beyond the paper's figures are there"
