"""Draw what adaptivity buys."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.adaptivity import adaptivity_figure
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.adaptivity import ADAPTIVITY_COLUMNS
    from adaptive_sampling.tables import read_table

    table = read_table(snakemake.input.table, ADAPTIVITY_COLUMNS)
    save(
        adaptivity_figure(table, read_cases(snakemake.input.cases), **dict(snakemake.params)),
        snakemake.output,
    )
