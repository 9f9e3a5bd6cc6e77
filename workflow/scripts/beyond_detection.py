"""Queries until one can tell whether the accuracy, or any cell, changed at all."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import detection, recorded_datasets
    from adaptive_sampling.cases import Case
    from adaptive_sampling.tables import write_table

    params = snakemake.params
    datasets = recorded_datasets(snakemake.input.replay, [Case(**case) for case in params.cases])
    pairs = recorded_datasets(snakemake.input.pairs, [Case(**case) for case in params.pairs])
    table = detection(datasets, pairs, params.settings, jobs=snakemake.threads)
    write_table(table, snakemake.output[0])
