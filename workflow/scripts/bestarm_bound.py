"""Draw pulls over H against the deadline, beside the bound."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.experiment import PULLS_COLUMNS, Setup
    from adaptive_sampling.figures.ebr_bound import ebr_bound
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    setups = [Setup(**setup) for setup in snakemake.params.setups]
    save(ebr_bound(read_table(snakemake.input.pulls, PULLS_COLUMNS), setups), snakemake.output)
