"""Write the table of cases of this run."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case, write_cases

    write_cases([Case(**fields) for fields in snakemake.params.cases], snakemake.output[0])
