# EBR: which arm is best, with the fewest pulls, before a deadline?
BESTARM = config["bestarm"]
BESTARM_CODE = modules(
    "montecarlo",
    "randomness",
    "tables",
    "bestarm/algorithms",
    "bestarm/deviations",
    "bestarm/draws",
    "bestarm/elimination",
    "bestarm/experiment",
    "bestarm/instances",
    "bestarm/outcome",
    "bestarm/racing",
    "bestarm/sequential",
    "bestarm/specification",
)
EBR_STYLE = modules("figures/style", "figures/ebr_common", "tables")


rule bestarm_compile:
    input:
        code=modules("bestarm/sequential", "bestarm/specification"),
    output:
        touch(f"{RESULTS}/bestarm/kernels.compiled"),
    log:
        f"{LOGS}/bestarm/compile.log",
    conda:
        "../../environment.yml"
    message:
        "Compiling the sequential algorithm once, for all jobs"
    script:
        "../scripts/bestarm_compile.py"


rule bestarm_pulls:
    input:
        kernels=rules.bestarm_compile.output,
        code=BESTARM_CODE,
    output:
        pulls=f"{RESULTS}/bestarm/pulls.csv",
        rounds=f"{RESULTS}/bestarm/rounds.csv",
    log:
        f"{LOGS}/bestarm/pulls.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        seed=config["seed"],
        montecarlo=config["montecarlo"],
        bestarm={
            key: BESTARM[key]
            for key in (
                "delta",
                "setups",
                "algorithms",
                "rounds_sweep",
                "epsilon_sweep",
            )
        },
    message:
        "Running all best-arm algorithms over both sweeps"
    script:
        "../scripts/bestarm_pulls.py"


rule bestarm_variants:
    input:
        kernels=rules.bestarm_compile.output,
        code=BESTARM_CODE + modules("bestarm/variants"),
    output:
        sensitivity=f"{RESULTS}/bestarm/sensitivity.csv",
        tuning=f"{RESULTS}/bestarm/tuning.csv",
    log:
        f"{LOGS}/bestarm/variants.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        seed=config["seed"],
        montecarlo=config["montecarlo"],
        bestarm={
            key: BESTARM[key]
            for key in (
                "delta",
                "setups",
                "rounds_sweep",
                "epsilon_sweep",
                "sensitivity",
                "tuning",
            )
        },
    message:
        "Running other readings of the paper, and EBR with tighter radii"
    script:
        "../scripts/bestarm_variants.py"


rule bestarm_instances:
    input:
        kernels=rules.bestarm_compile.output,
        code=BESTARM_CODE + modules("bestarm/illustration", "bestarm/theorem"),
    output:
        arms=f"{RESULTS}/bestarm/arms.csv",
        hardness=f"{RESULTS}/bestarm/hardness.csv",
    log:
        f"{LOGS}/bestarm/instances.log",
    conda:
        "../../environment.yml"
    threads: all_cores
    params:
        seed=config["seed"],
        montecarlo=config["montecarlo"],
        delta=BESTARM["delta"],
        illustration=BESTARM["illustration"],
        hardness=BESTARM["hardness"],
    message:
        "Running EBR on random instances, and once for Figure 1"
    script:
        "../scripts/bestarm_instances.py"


rule bestarm_claims:
    input:
        claims=BESTARM["claims"],
        pulls=rules.bestarm_pulls.output.pulls,
        rounds=rules.bestarm_pulls.output.rounds,
        hardness=rules.bestarm_instances.output.hardness,
        tuning=rules.bestarm_variants.output.tuning,
        code=modules(
            "tables", "bestarm/claims", "bestarm/deviations", "bestarm/experiment"
        ),
    output:
        report(
            f"{RESULTS}/bestarm/claims.csv",
            caption="../report/ebr_claims.rst",
            category="EBR",
            subcategory="Tables",
            labels={"table": "Claims"},
        ),
    log:
        f"{LOGS}/bestarm/claims.log",
    conda:
        "../../environment.yml"
    params:
        setups=BESTARM["setups"],
    message:
        "Judging the claims of the EBR paper"
    script:
        "../scripts/bestarm_claims.py"


rule ebr_figure_1:
    input:
        arms=rules.bestarm_instances.output.arms,
        code=EBR_STYLE + modules("figures/ebr_figure_1", "bestarm/illustration"),
    output:
        report(
            images("ebr", "figure_1"),
            caption="../report/ebr_figure_1.rst",
            category="EBR",
            subcategory="Figures",
            labels={"figure": "Figure 1"},
        ),
    log:
        f"{LOGS}/bestarm/figure_1.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing EBR's Figure 1 (which arms are pulled how often)"
    script:
        "../scripts/bestarm_figure_1.py"


rule ebr_figure_2:
    input:
        pulls=rules.bestarm_pulls.output.pulls,
        code=EBR_STYLE + modules("figures/ebr_figure_2", "bestarm/experiment"),
    output:
        report(
            images("ebr", "figure_2"),
            caption="../report/ebr_figure_2.rst",
            category="EBR",
            subcategory="Figures",
            labels={"figure": "Figure 2"},
        ),
    log:
        f"{LOGS}/bestarm/figure_2.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing EBR's Figure 2 (pulls against T and epsilon)"
    script:
        "../scripts/bestarm_figure_2.py"


rule ebr_survivors:
    input:
        rounds=rules.bestarm_pulls.output.rounds,
        code=EBR_STYLE + modules("figures/ebr_survivors", "bestarm/experiment"),
    output:
        report(
            images("ebr", "survivors"),
            caption="../report/ebr_survivors.rst",
            category="EBR",
            subcategory="Figures",
            labels={"figure": "Survivors"},
        ),
    log:
        f"{LOGS}/bestarm/survivors.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing survivors after each round"
    script:
        "../scripts/bestarm_survivors.py"


rule ebr_anytime:
    input:
        rounds=rules.bestarm_pulls.output.rounds,
        code=EBR_STYLE + modules("figures/ebr_anytime", "bestarm/experiment"),
    output:
        report(
            images("ebr", "anytime"),
            caption="../report/ebr_anytime.rst",
            category="EBR",
            subcategory="Figures",
            labels={"figure": "Anytime"},
        ),
    log:
        f"{LOGS}/bestarm/anytime.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing success if the deadline came early"
    script:
        "../scripts/bestarm_anytime.py"


rule ebr_bound:
    input:
        pulls=rules.bestarm_pulls.output.pulls,
        code=EBR_STYLE + modules("figures/ebr_bound", "bestarm/experiment"),
    output:
        report(
            images("ebr", "bound"),
            caption="../report/ebr_bound.rst",
            category="EBR",
            subcategory="Figures",
            labels={"figure": "Bound"},
        ),
    log:
        f"{LOGS}/bestarm/bound.log",
    conda:
        "../../environment.yml"
    params:
        setups=BESTARM["setups"],
    message:
        "Drawing pulls over H beside the bound"
    script:
        "../scripts/bestarm_bound.py"


rule ebr_hardness:
    input:
        hardness=rules.bestarm_instances.output.hardness,
        code=EBR_STYLE + modules("figures/ebr_hardness", "bestarm/theorem"),
    output:
        report(
            images("ebr", "hardness"),
            caption="../report/ebr_hardness.rst",
            category="EBR",
            subcategory="Figures",
            labels={"figure": "Hardness"},
        ),
    log:
        f"{LOGS}/bestarm/hardness.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing pulls against H on random instances"
    script:
        "../scripts/bestarm_hardness.py"


rule ebr_tuning:
    input:
        tuning=rules.bestarm_variants.output.tuning,
        code=EBR_STYLE + modules("figures/ebr_tuning", "bestarm/variants"),
    output:
        report(
            images("ebr", "tuning"),
            caption="../report/ebr_tuning.rst",
            category="EBR",
            subcategory="Figures",
            labels={"figure": "Tuning"},
        ),
    log:
        f"{LOGS}/bestarm/tuning.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing pulls with tighter radii"
    script:
        "../scripts/bestarm_tuning.py"


rule ebr:
    input:
        rules.bestarm_pulls.output,
        rules.bestarm_variants.output,
        rules.bestarm_instances.output,
        rules.bestarm_claims.output,
        rules.ebr_figure_1.output,
        rules.ebr_figure_2.output,
        rules.ebr_survivors.output,
        rules.ebr_anytime.output,
        rules.ebr_bound.output,
        rules.ebr_hardness.output,
        rules.ebr_tuning.output,
    message:
        "All of EBR is there"
