"""Measure Lemma 1's loss and the loss gap of Theorem 2 on every case."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from adaptive_sampling.cases import Case
    from adaptive_sampling.shift.experiment import setting
    from adaptive_sampling.shift.studies import populations_of_cases
    from adaptive_sampling.shift.summary import read_errors
    from adaptive_sampling.shift.theory import lemma_1, theorem_2
    from adaptive_sampling.tables import write_table

    params, cases = snakemake.params, [Case(**fields) for fields in snakemake.params.cases]
    by_case = populations_of_cases(snakemake.input.replay, cases, params.shift)
    strata = {name: of_strata["label_difficulty"] for name, of_strata in by_case.items()}
    run = setting(params.shift, params.montecarlo, seed=params.seed, jobs=snakemake.threads)
    write_table(
        lemma_1(read_errors(snakemake.input.errors), list(strata.values())),
        snakemake.output.lemma_1,
    )
    common = {"K": params.shift["K"], "budgets": params.budgets, "setting": run}
    tables = [theorem_2(strata[case.case], labels=len(case.labels), **common) for case in cases]
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.theorem_2)
