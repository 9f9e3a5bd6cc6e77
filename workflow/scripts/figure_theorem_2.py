"""Draw the loss gap of Theorem 2."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.figures.theorem_2 import theorem_2_figure
    from adaptive_sampling.shift.theory import THEOREM_2_COLUMNS
    from adaptive_sampling.tables import read_table

    table = read_table(snakemake.input.table, THEOREM_2_COLUMNS)
    cases = read_cases(snakemake.input.cases)
    save(theorem_2_figure(table, cases, trials=snakemake.params.trials), snakemake.output)
