"""Draw what the coverage of stopping rules costs."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.summary import RULE_SUMMARY_COLUMNS
    from adaptive_sampling.figures.beyond_rules import beyond_rules
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    save(beyond_rules(read_table(snakemake.input.rules, RULE_SUMMARY_COLUMNS)), snakemake.output)
