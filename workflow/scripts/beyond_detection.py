"""Queries until one can tell whether the accuracy changed at all."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import detection, recorded_datasets
    from adaptive_sampling.cases import Case
    from adaptive_sampling.tables import write_table

    cases = [Case(**case) for case in snakemake.params.cases]
    datasets = recorded_datasets(snakemake.input.replay, cases)
    write_table(detection(datasets, snakemake.params.settings, jobs=snakemake.threads), snakemake.output[0])
