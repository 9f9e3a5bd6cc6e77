"""Gather the tables of all cases and stress shifts, and sum them up."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import summarise
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.tables import write_table

    tables = summarise(
        snakemake.input.sizes,
        snakemake.input.stopping,
        snakemake.input.rules,
        snakemake.input.intervals,
        snakemake.input.stress,
        read_cases(snakemake.input.cases),
    )
    for name, table in tables.items():
        write_table(table, snakemake.output[name])
