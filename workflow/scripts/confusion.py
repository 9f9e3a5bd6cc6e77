"""Write the confusion matrices of all cases at both dates."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.confusion import confusion
    from adaptive_sampling.tables import write_table

    cases = [Case(**fields) for fields in snakemake.params.cases]
    tables = [
        confusion(read_replay_table(path, case), case) for path, case in zip(snakemake.input.replay, cases)
    ]
    write_table(pd.concat(tables, ignore_index=True), snakemake.output[0])
