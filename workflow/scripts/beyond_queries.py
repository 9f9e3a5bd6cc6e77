"""Draw the queries that every method needs."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.summary import REQUIRED_COLUMNS
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.beyond_queries import beyond_queries
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    required = read_table(snakemake.input.required, REQUIRED_COLUMNS)
    cases = read_cases(snakemake.input.cases)
    save(beyond_queries(required, cases, target=snakemake.params.target), snakemake.output)
