"""Draw Figure 4: the case study of Amazon on YELP."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.figure_4 import figure_4
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.case_study import CASE, PARTITION_COLUMNS, SAMPLING_COLUMNS, SHIFT_COLUMNS
    from adaptive_sampling.shift.summary import read_errors
    from adaptive_sampling.tables import read_table

    drawn = figure_4(
        read_table(snakemake.input.shift, SHIFT_COLUMNS),
        read_table(snakemake.input.partitions, PARTITION_COLUMNS),
        read_table(snakemake.input.sampling, SAMPLING_COLUMNS),
        read_errors(snakemake.input.errors),
        read_cases(snakemake.input.cases)[CASE],
        snakemake.params.seed,
    )
    save(drawn, snakemake.output)
