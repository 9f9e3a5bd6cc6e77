"""Stop MASA and the paper's baselines by the bounds of Appendix B."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.shift.experiment import setting
    from adaptive_sampling.shift.samplers import Parameters
    from adaptive_sampling.shift.stopping import stopping
    from adaptive_sampling.shift.studies import populations_of_cases
    from adaptive_sampling.shift.summary import SIZE_COLUMNS
    from adaptive_sampling.tables import read_table, write_table

    params, shift = snakemake.params, snakemake.params.shift
    cases = [Case(**fields) for fields in params.cases]
    table = stopping(
        cases,
        populations_of_cases(snakemake.input.replay, cases, shift),
        read_table(snakemake.input.sizes, SIZE_COLUMNS),
        Parameters(a=shift["a"], uncertainty=shift["uncertainty"]),
        setting(shift, params.montecarlo, seed=params.seed, jobs=snakemake.threads),
    )
    write_table(table, snakemake.output[0])
