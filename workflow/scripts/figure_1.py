"""Draw Figure 1: IBM on AMNIST at both dates, and the error of its estimated shift."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.figure_1 import CASE, figure_1
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.confusion import CONFUSION_COLUMNS
    from adaptive_sampling.shift.summary import read_errors
    from adaptive_sampling.tables import read_table

    confusion = read_table(snakemake.input.confusion[0], CONFUSION_COLUMNS)
    errors = read_errors(snakemake.input.errors)
    save(figure_1(confusion, errors, read_cases(snakemake.input.cases)[CASE]), snakemake.output)
