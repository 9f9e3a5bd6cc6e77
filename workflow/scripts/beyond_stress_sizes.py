"""Queries that all methods need on all stress shifts."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import sizes, stress_datasets
    from adaptive_sampling.tables import write_table

    settings = snakemake.params.settings
    datasets = stress_datasets(settings["beyond"]["stress"]["shifts"], settings["seed"])
    trials = settings["beyond"]["stress"]["trials"]
    write_table(sizes(datasets, settings, trials=trials, jobs=snakemake.threads), snakemake.output[0])
