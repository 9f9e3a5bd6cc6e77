"""Draw what it takes to tell whether the accuracy changed."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.detection import DETECTION_COLUMNS
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.figures.beyond_power import beyond_power
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table

    detection = read_table(snakemake.input.detection, DETECTION_COLUMNS)
    save(beyond_power(detection, read_cases(snakemake.input.cases)), snakemake.output)
