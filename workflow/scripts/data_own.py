"""Count one's own predictions into a replay table."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.own import own_replay_table
    from adaptive_sampling.recordings.replay import write_replay_table

    case = Case(**snakemake.params.case)
    table = own_replay_table(case, snakemake.params.entry, snakemake.params.seed)
    write_replay_table(table, snakemake.output[0], case)
