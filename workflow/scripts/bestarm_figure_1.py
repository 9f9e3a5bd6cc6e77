"""Draw Figure 1 of the EBR paper: which arms are pulled how often."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.illustration import ARMS_COLUMNS
    from adaptive_sampling.figures.ebr_figure_1 import ebr_figure_1
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    save(ebr_figure_1(read_table(snakemake.input.arms, ARMS_COLUMNS)), snakemake.output)
