"""Write Table 2: sizes and classes of the datasets."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.datasets import as_markdown, table_2
    from adaptive_sampling.shift.summary import PUBLISHED_COLUMNS
    from adaptive_sampling.tables import read_table, write_table, write_text

    cases = read_cases(snakemake.input.cases)
    named = zip(snakemake.params.cases, snakemake.input.replay)
    replays = {name: read_replay_table(path, cases[name]) for name, path in named}
    table = table_2(cases, read_table(snakemake.input.published, PUBLISHED_COLUMNS), replays)
    write_table(table, snakemake.output.csv)
    write_text(as_markdown(table), snakemake.output.md)
