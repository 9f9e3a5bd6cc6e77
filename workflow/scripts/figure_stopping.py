"""Draw sizes and coverage of the stopping rules."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.stopping import stopping_figure
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.stopping import STOPPING_COLUMNS
    from adaptive_sampling.tables import read_table

    table = read_table(snakemake.input.table, STOPPING_COLUMNS)
    save(
        stopping_figure(table, read_cases(snakemake.input.cases), **dict(snakemake.params)), snakemake.output
    )
