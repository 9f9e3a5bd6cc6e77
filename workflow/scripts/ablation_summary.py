"""Gather the tables of all values of one parameter."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.shift.summary import all_errors, all_sizes
    from adaptive_sampling.tables import write_table

    write_table(all_errors(snakemake.input.errors), snakemake.output.errors)
    sizes = all_sizes(snakemake.input.sizes, read_cases(snakemake.input.cases))
    write_table(sizes, snakemake.output.sizes)
