"""Queries that all methods need on one case."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import recorded_datasets, sizes
    from adaptive_sampling.cases import Case
    from adaptive_sampling.tables import write_table

    datasets = recorded_datasets([snakemake.input.replay], [Case(**snakemake.params.case)])
    settings, jobs = snakemake.params.settings, snakemake.threads
    table = sizes(datasets, settings, trials=settings["montecarlo"]["trials"], jobs=jobs)
    write_table(table, snakemake.output[0])
