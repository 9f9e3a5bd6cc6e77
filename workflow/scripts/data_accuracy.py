"""Write the accuracy of every case at both dates."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.accuracy import accuracy_table
    from adaptive_sampling.tables import write_table

    cases = [Case(**fields) for fields in snakemake.params.cases]
    tables = [read_replay_table(path, case) for path, case in zip(snakemake.input.replay, cases)]
    write_table(accuracy_table(tables, cases), snakemake.output.csv)
