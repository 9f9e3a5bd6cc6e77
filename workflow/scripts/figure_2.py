"""Draw Figure 2: how much the accuracy of each API moved on each dataset."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.figures.figure_2 import figure_2
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.summary import ACCURACY_COLUMNS
    from adaptive_sampling.tables import read_table

    save(figure_2(read_table(snakemake.input.accuracy, ACCURACY_COLUMNS)), snakemake.output)
