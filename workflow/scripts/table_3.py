"""Write Table 3: prices, and what each assessment costs."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.shift.costs import as_markdown, table_3
    from adaptive_sampling.shift.summary import SIZE_COLUMNS
    from adaptive_sampling.tables import read_table, write_table, write_text

    cases = read_cases(snakemake.input.cases)
    table = table_3(read_table(snakemake.input.sizes, SIZE_COLUMNS), cases, snakemake.params.cases)
    write_table(table, snakemake.output.csv)
    write_text(as_markdown(table, snakemake.params.last_budget), snakemake.output.md)
