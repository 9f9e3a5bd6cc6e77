"""Draw how many arms survive each round."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.experiment import ROUNDS_COLUMNS
    from adaptive_sampling.figures.ebr_survivors import ebr_survivors
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    save(ebr_survivors(read_table(snakemake.input.rounds, ROUNDS_COLUMNS)), snakemake.output)
