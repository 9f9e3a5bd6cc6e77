"""Draw pulls of EBR with tighter radii."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.variants import VARIANTS_COLUMNS
    from adaptive_sampling.figures.ebr_tuning import ebr_tuning
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    save(ebr_tuning(read_table(snakemake.input.tuning, VARIANTS_COLUMNS)), snakemake.output)
