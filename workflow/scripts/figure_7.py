"""Draw Figure 7: the effect of K on the error of MASA."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.figure_7 import figure_7
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.summary import read_errors

    errors = read_errors(snakemake.input.errors)
    save(figure_7(errors, read_cases(snakemake.input.cases)), snakemake.output)
