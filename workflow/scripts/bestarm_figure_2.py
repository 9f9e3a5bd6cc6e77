"""Draw Figure 2 of the EBR paper: pulls against the deadline and against epsilon."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.experiment import PULLS_COLUMNS
    from adaptive_sampling.figures.ebr_figure_2 import ebr_figure_2
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    save(ebr_figure_2(read_table(snakemake.input.pulls, PULLS_COLUMNS)), snakemake.output)
