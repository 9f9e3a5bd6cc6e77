"""Required sizes, the stopping rule and intervals of all methods on one case."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import recorded_datasets, study
    from adaptive_sampling.cases import Case
    from adaptive_sampling.tables import write_table

    datasets = recorded_datasets([snakemake.input.replay], [Case(**snakemake.params.case)])
    settings, jobs = snakemake.params.settings, snakemake.threads
    tables = study(datasets, settings, trials=settings["montecarlo"]["trials"], jobs=jobs)
    for table, path in zip(tables, snakemake.output):
        write_table(table, path)
