"""Draw Figure 5: error against budget, one panel a case."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.figure_5 import figure_5
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.summary import read_errors

    errors = read_errors(snakemake.input.errors)
    save(figure_5(errors, read_cases(snakemake.input.cases)), snakemake.output)
