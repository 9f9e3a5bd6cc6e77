"""Draw Figure 6: three cases at both dates, and their shifts."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.figure_6 import figure_6
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.confusion import CONFUSION_COLUMNS
    from adaptive_sampling.tables import read_table

    confusion = read_table(snakemake.input.confusion[0], CONFUSION_COLUMNS)
    save(figure_6(confusion, read_cases(snakemake.input.cases)), snakemake.output)
