"""Draw pulls against H on random instances."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.theorem import HARDNESS_COLUMNS
    from adaptive_sampling.figures.ebr_hardness import ebr_hardness
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    save(ebr_hardness(read_table(snakemake.input.hardness, HARDNESS_COLUMNS)), snakemake.output)
