"""Draw every case at both dates, and its shift."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from pathlib import Path

    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.confusion import confusion_figure
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.shift.confusion import CONFUSION_COLUMNS
    from adaptive_sampling.tables import read_table

    table = read_table(snakemake.input.confusion[0], CONFUSION_COLUMNS)
    cases = read_cases(snakemake.input.cases)
    for name in table["case"].unique():
        save(confusion_figure(table, cases[name]), [p for p in snakemake.output if Path(p).stem == name])
