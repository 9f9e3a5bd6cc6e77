"""Gather the tables of all cases, and the accuracies of all pairs."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.shift.summary import accuracy_changes, all_errors, all_sizes
    from adaptive_sampling.tables import write_table

    cases = read_cases(snakemake.input.cases)
    names, samplers = snakemake.params.cases, snakemake.params.samplers
    write_table(all_errors(snakemake.input.errors, names, samplers), snakemake.output.errors)
    write_table(all_sizes(snakemake.input.sizes, cases, names, samplers), snakemake.output.sizes)
    write_table(accuracy_changes(snakemake.input.published), snakemake.output.accuracy)
