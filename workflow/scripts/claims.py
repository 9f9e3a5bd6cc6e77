"""Judge every claim of the MASA paper, and put those of other papers under them."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.claims import CLAIM_COLUMNS, Table, as_markdown, judge_all, merged, read_claims
    from adaptive_sampling.tables import read_table, write_table, write_text

    files = {name: snakemake.input[name] for name in snakemake.params.tables}
    tables = {name: Table(pd.read_csv(path), path) for name, path in files.items()}
    cases = read_cases(snakemake.input.cases)
    shown = [case for case in cases.values() if case.paper_masa is not None]
    settings = {"shift": snakemake.params.shift}
    masa = judge_all(read_claims(snakemake.input.claims), tables, shown, settings, paper="MASA")
    table = merged([masa, *(read_table(path, CLAIM_COLUMNS) for path in snakemake.input.others)])
    write_table(table, snakemake.output.csv)
    write_text(as_markdown(table), snakemake.output.md)
