"""Weigh the misprint of line 7 of Algorithm 1."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.shift.experiment import setting
    from adaptive_sampling.shift.misprint import as_table, misprint
    from adaptive_sampling.shift.studies import populations_of_cases
    from adaptive_sampling.tables import write_table

    params, cases = snakemake.params, [Case(**fields) for fields in snakemake.params.cases]
    by_case = populations_of_cases(snakemake.input.replay, cases, params.shift)
    run = setting(params.shift, params.montecarlo, seed=params.seed, jobs=snakemake.threads)
    rows = [misprint(by_case[case.case]["label_difficulty"], params.shift["a"], run) for case in cases]
    write_table(as_table(rows), snakemake.output[0])
