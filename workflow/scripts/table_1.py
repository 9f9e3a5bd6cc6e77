"""Write Table 1 as CSV, Markdown and LaTeX."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.shift.summary import SIZE_COLUMNS, read_sizes
    from adaptive_sampling.shift.table_1 import as_latex, as_markdown, table_1
    from adaptive_sampling.tables import write_table, write_text

    cases = read_cases(snakemake.input.cases)
    sizes = read_sizes(snakemake.input.sizes, SIZE_COLUMNS, cases=snakemake.params.cases)
    table = table_1(sizes, cases, snakemake.params.cases)
    write_table(table, snakemake.output.csv)
    write_text(as_markdown(table, snakemake.params.last_budget), snakemake.output.md)
    write_text(as_latex(table, snakemake.params.last_budget), snakemake.output.tex)
