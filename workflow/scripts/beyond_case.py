"""Stopping rules and intervals on one case."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.experiment import SIZE_COLUMNS
    from adaptive_sampling.beyond.study import recorded_datasets, study
    from adaptive_sampling.cases import Case
    from adaptive_sampling.tables import read_table, write_table

    datasets = recorded_datasets([snakemake.input.replay], [Case(**snakemake.params.case)])
    settings, jobs = snakemake.params.settings, snakemake.threads
    sizes = read_table(snakemake.input.sizes, SIZE_COLUMNS)
    tables = study(datasets, sizes, settings, trials=settings["montecarlo"]["trials"], jobs=jobs)
    for table, path in zip(tables, snakemake.output):
        write_table(table, path)
