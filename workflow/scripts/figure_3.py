"""Draw Figure 3: how MASA works."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.figures.figure_3 import figure_3
    from adaptive_sampling.figures.style import save

    save(figure_3(), snakemake.output)
