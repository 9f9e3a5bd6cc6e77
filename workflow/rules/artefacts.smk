# Every numbered artefact of the MASA paper beyond Table 1, Figure 2 and Figure 5, and the tables behind them.


rule confusion:
    input:
        replay=expand(f"{config['data']['replay']}/{{case}}.csv", case=config["cases"]),
        code=modules(
            "shift/confusion",
            "tables",
            "recordings/replay",
            "recordings/replay_format",
        ),
    output:
        f"{RESULTS}/shift/confusion.csv",
    log:
        f"{LOGS}/shift/confusion.log",
    conda:
        "../../environment.yml"
    params:
        cases=[asdict(CASES[case]) for case in config["cases"]],
    message:
        "Counting the confusion matrices at both dates"
    script:
        "../scripts/confusion.py"


rule case_study:
    input:
        replay=f"{config['data']['replay']}/amazon_yelp.csv",
        kernels=rules.compile_kernels.output,
        code=SHIFT_CODE
        + modules("shift/case_study", "shift/closed_form", "shift/confusion"),
    output:
        **{
            name: f"{RESULTS}/shift/case_study/{name}.csv"
            for name in ("partitions", "sampling", "shift", "errors")
        },
    log:
        f"{LOGS}/shift/case_study.log",
    conda:
        "../../environment.yml"
    params:
        case=lambda wildcards: asdict(CASES["amazon_yelp"]),
        seed=config["seed"],
        shift=config["shift"],
        montecarlo=config["montecarlo"],
    message:
        "Running the case study of Figure 4"
    script:
        "../scripts/case_study.py"


rule ablation:
    input:
        replay=expand(f"{config['data']['replay']}/{{case}}.csv", case=config["cases"]),
        kernels=rules.compile_kernels.output,
        code=SHIFT_CODE + modules("shift/ablation"),
    output:
        errors=f"{RESULTS}/shift/ablation/{{parameter}}={{value}}/errors.csv",
        sizes=f"{RESULTS}/shift/ablation/{{parameter}}={{value}}/required_size.csv",
    log:
        f"{LOGS}/shift/ablation_{{parameter}}={{value}}.log",
    wildcard_constraints:
        parameter="K|a",
        value="[0-9.e+-]+",
    conda:
        "../../environment.yml"
    threads: threads_per_value
    params:
        cases=[asdict(CASES[case]) for case in config["cases"]],
        seed=config["seed"],
        shift=setting_with,
        montecarlo=config["montecarlo"],
    message:
        "Running MASA on all cases with {wildcards.parameter}={wildcards.value}"
    script:
        "../scripts/ablation.py"


rule k_ablation:
    input:
        errors=expand(rules.ablation.output.errors, parameter="K", value=varied("K")),
        sizes=expand(rules.ablation.output.sizes, parameter="K", value=varied("K")),
        cases=config["cases_table"],
        code=modules("shift/summary", "tables", "cases"),
    output:
        errors=f"{RESULTS}/shift/k_ablation.csv",
        sizes=f"{RESULTS}/shift/k_ablation_sizes.csv",
    log:
        f"{LOGS}/shift/k_ablation.log",
    conda:
        "../../environment.yml"
    message:
        "Gathering the ablation on K"
    script:
        "../scripts/ablation_summary.py"


rule a_ablation:
    input:
        errors=expand(rules.ablation.output.errors, parameter="a", value=varied("a")),
        sizes=expand(rules.ablation.output.sizes, parameter="a", value=varied("a")),
        cases=config["cases_table"],
        code=modules("shift/summary", "tables", "cases"),
    output:
        errors=f"{RESULTS}/shift/a_ablation.csv",
        sizes=f"{RESULTS}/shift/a_ablation_sizes.csv",
    log:
        f"{LOGS}/shift/a_ablation.log",
    conda:
        "../../environment.yml"
    message:
        "Gathering the ablation on a"
    script:
        "../scripts/ablation_summary.py"


rule figure_1:
    input:
        confusion=rules.confusion.output,
        errors=rules.shift_summary.output.errors,
        cases=config["cases_table"],
        code=STYLE + modules("figures/figure_1", "figures/confusion", "figures/curves"),
    output:
        report(
            images("masa", "figure_1"),
            caption="../report/figure_1.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Figure 1"},
        ),
    log:
        f"{LOGS}/report/figure_1.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing Figure 1 (IBM on AMNIST)"
    script:
        "../scripts/figure_1.py"


rule figure_4:
    input:
        **rules.case_study.output,
        cases=config["cases_table"],
        code=STYLE + modules("figures/figure_4", "figures/confusion", "figures/curves"),
    output:
        report(
            images("masa", "figure_4"),
            caption="../report/figure_4.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Figure 4"},
        ),
    log:
        f"{LOGS}/report/figure_4.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
    message:
        "Drawing Figure 4 (the case study on YELP)"
    script:
        "../scripts/figure_4.py"


rule figure_7:
    input:
        errors=rules.k_ablation.output.errors,
        cases=config["cases_table"],
        code=STYLE + modules("figures/figure_7", "figures/confusion", "figures/curves"),
    output:
        report(
            images("masa", "figure_7"),
            caption="../report/figure_7.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Figure 7"},
        ),
    log:
        f"{LOGS}/report/figure_7.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing Figure 7 (the effect of K)"
    script:
        "../scripts/figure_7.py"


rule ablation_a:
    input:
        errors=rules.a_ablation.output.errors,
        cases=config["cases_table"],
        code=STYLE
        + modules("figures/ablation_a", "figures/confusion", "figures/curves"),
    output:
        report(
            images("masa", "ablation_a"),
            caption="../report/ablation_a.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Ablation on a"},
        ),
    log:
        f"{LOGS}/report/ablation_a.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing the ablation on a (the effect of a)"
    script:
        "../scripts/ablation_a.py"


rule table_2:
    input:
        replay=expand(f"{config['data']['replay']}/{{case}}.csv", case=config["cases"]),
        published=config["data"]["published"],
        cases=config["cases_table"],
        code=modules(
            "shift/datasets",
            "shift/summary",
            "tables",
            "cases",
            "recordings/replay",
            "recordings/replay_format",
        ),
    output:
        csv=report(
            f"{RESULTS}/table_2.csv",
            caption="../report/table_2.rst",
            category="MASA",
            subcategory="Tables",
            labels={"table": "Table 2"},
        ),
        md=f"{RESULTS}/table_2.md",
    log:
        f"{LOGS}/report/table_2.log",
    conda:
        "../../environment.yml"
    params:
        cases=config["cases"],
    message:
        "Writing Table 2 (datasets)"
    script:
        "../scripts/table_2.py"


rule table_3:
    input:
        sizes=rules.shift_summary.output.sizes,
        cases=config["cases_table"],
        code=modules("shift/costs", "shift/summary", "tables", "cases"),
    output:
        csv=report(
            f"{RESULTS}/table_3.csv",
            caption="../report/table_3.rst",
            category="MASA",
            subcategory="Tables",
            labels={"table": "Table 3"},
        ),
        md=f"{RESULTS}/table_3.md",
    log:
        f"{LOGS}/report/table_3.log",
    conda:
        "../../environment.yml"
    params:
        cases=config["cases"],
        last_budget=config["shift"]["budget"]["last"],
    message:
        "Writing Table 3 (prices, and what each assessment costs)"
    script:
        "../scripts/table_3.py"


rule figure_3:
    input:
        code=STYLE + modules("figures/figure_3"),
    output:
        report(
            images("masa", "figure_3"),
            caption="../report/figure_3.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Figure 3"},
        ),
    log:
        f"{LOGS}/report/figure_3.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing Figure 3 (how MASA works)"
    script:
        "../scripts/figure_3.py"


rule figure_6:
    input:
        confusion=rules.confusion.output,
        cases=config["cases_table"],
        code=STYLE + modules("figures/figure_6", "figures/confusion"),
    output:
        report(
            images("masa", "figure_6"),
            caption="../report/figure_6.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Figure 6"},
        ),
    log:
        f"{LOGS}/report/figure_6.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing Figure 6 (three shifts)"
    script:
        "../scripts/figure_6.py"


rule confusion_matrices:
    input:
        confusion=rules.confusion.output,
        cases=config["cases_table"],
        code=STYLE + modules("figures/confusion"),
    output:
        expand(
            f"{FIGURES}/masa/confusion/{{case}}.{{ending}}",
            case=config["cases"],
            ending=["pdf", "svg", "png"],
        ),
    log:
        f"{LOGS}/report/confusion_matrices.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing the confusion matrices of each case"
    script:
        "../scripts/confusion_matrices.py"


rule masa:
    input:
        rules.shift_summary.output,
        rules.confusion.output,
        rules.confusion_matrices.output,
        rules.table_1.output,
        rules.table_2.output,
        rules.table_3.output,
        rules.figure_2.output,
        rules.figure_3.output,
        rules.figure_5.output,
        rules.figure_7.output,
        rules.ablation_a.output,
        [rules.figure_1.output for _ in shown("figure_1")[:1]],
        [rules.figure_4.output for _ in shown("figure_4")[:1]],
        [rules.figure_6.output for _ in shown("figure_6")[:1]],
    message:
        "All of MASA is there"
