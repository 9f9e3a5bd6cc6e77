"""Required sizes, the stopping rule and intervals of all methods on one case."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.experiment import Dataset
    from adaptive_sampling.beyond.study import study
    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.tables import write_table

    case = Case(**snakemake.params.case)
    replay = read_replay_table(snakemake.input.replay, case)
    dataset = Dataset(case.case, replay, len(case.labels), len(case.predicted_labels))
    trials, jobs = snakemake.params.settings["montecarlo"]["trials"], snakemake.threads
    for table, path in zip(
        study([dataset], snakemake.params.settings, trials=trials, jobs=jobs), snakemake.output
    ):
        write_table(table, path)
