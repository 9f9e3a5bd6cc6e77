# Tables and figures: they read aggregated tables only, so that restyling needs no simulation.
STYLE = modules("figures/style", "tables")


rule table_1:
    input:
        sizes=rules.shift_summary.output.sizes,
        cases=config["cases_table"],
        code=modules("shift/table_1", "tables", "cases"),
    output:
        csv=report(
            f"{RESULTS}/table_1.csv",
            caption="../report/table_1.rst",
            category="MASA",
            subcategory="Tables",
            labels={"table": "Table 1"},
        ),
        md=f"{RESULTS}/table_1.md",
        tex=f"{RESULTS}/table_1.tex",
    log:
        f"{LOGS}/report/table_1.log",
    conda:
        "../../environment.yml"
    params:
        cases=config["cases"],
        last_budget=config["shift"]["budget"]["last"],
    message:
        "Writing Table 1"
    script:
        "../scripts/table_1.py"


rule figure_2:
    input:
        accuracy=rules.shift_summary.output.accuracy,
        code=STYLE + modules("figures/figure_2", "figures/confusion"),
    output:
        report(
            images("masa", "figure_2"),
            caption="../report/figure_2.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Figure 2"},
        ),
    log:
        f"{LOGS}/report/figure_2.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing Figure 2 (accuracy change of all 36 pairs)"
    script:
        "../scripts/figure_2.py"


rule figure_5:
    input:
        errors=rules.shift_summary.output.errors,
        cases=config["cases_table"],
        code=STYLE + modules("figures/figure_5", "figures/confusion", "figures/curves"),
    output:
        report(
            images("masa", "figure_5"),
            caption="../report/figure_5.rst",
            category="MASA",
            subcategory="Figures",
            labels={"figure": "Figure 5"},
        ),
    log:
        f"{LOGS}/report/figure_5.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing Figure 5 (error against budget)"
    script:
        "../scripts/figure_5.py"
