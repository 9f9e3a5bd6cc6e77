"""Draw how often the arm returned would be good enough if the deadline came early."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.experiment import ROUNDS_COLUMNS
    from adaptive_sampling.figures.ebr_anytime import ebr_anytime
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    save(ebr_anytime(read_table(snakemake.input.rounds, ROUNDS_COLUMNS)), snakemake.output)
