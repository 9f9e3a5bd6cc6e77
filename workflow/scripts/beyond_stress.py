"""The same as for a case, on all stress shifts."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import stress_datasets, study
    from adaptive_sampling.tables import write_table

    settings = snakemake.params.settings
    datasets = stress_datasets(settings["beyond"]["stress"]["shifts"], settings["seed"])
    trials, jobs = settings["beyond"]["stress"]["trials"], snakemake.threads
    for table, path in zip(study(datasets, settings, trials=trials, jobs=jobs), snakemake.output):
        write_table(table, path)
