"""The same as for a case, on all stress shifts."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.experiment import SIZE_COLUMNS
    from adaptive_sampling.beyond.study import stress_datasets, study
    from adaptive_sampling.tables import read_table, write_table

    settings = snakemake.params.settings
    datasets = stress_datasets(settings["beyond"]["stress"]["shifts"], settings["seed"])
    sizes = read_table(snakemake.input.sizes, SIZE_COLUMNS)
    trials, jobs = settings["beyond"]["stress"]["trials"], snakemake.threads
    for table, path in zip(study(datasets, sizes, settings, trials=trials, jobs=jobs), snakemake.output):
        write_table(table, path)
