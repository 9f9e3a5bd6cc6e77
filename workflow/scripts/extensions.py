"""Weight the error by W, and sample without replacement."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from adaptive_sampling.cases import Case
    from adaptive_sampling.shift.experiment import setting
    from adaptive_sampling.shift.replacement import replacement_study
    from adaptive_sampling.shift.samplers import Parameters
    from adaptive_sampling.shift.studies import populations_of_cases
    from adaptive_sampling.shift.summary import SIZE_COLUMNS
    from adaptive_sampling.shift.weights import weights_study
    from adaptive_sampling.tables import read_table, write_table

    params, shift = snakemake.params, snakemake.params.shift
    cases = [Case(**fields) for fields in params.cases]
    by_case = populations_of_cases(snakemake.input.replay, cases, shift)
    run = setting(shift, params.montecarlo, seed=params.seed, jobs=snakemake.threads)
    weighted = Parameters(a=shift["a"])  # the paper prints no update for weights
    common = (weighted, params.budget, run)
    tables = [weights_study(by_case[case.case], *common, case.predicted_labels) for case in cases]
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.weights)
    sizes = read_table(snakemake.input.sizes, SIZE_COLUMNS)
    without = Parameters(a=shift["a"], uncertainty=shift["uncertainty"], replacement=False)
    table = replacement_study(cases, by_case, sizes, without, shift["K"], run)
    write_table(table, snakemake.output.replacement)
