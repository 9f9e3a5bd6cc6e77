"""Set Table 1 beside its sensitivity to the reconstruction."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.shift.sensitivity import SENSITIVITY_COLUMNS, as_markdown, table_1_sensitivity
    from adaptive_sampling.shift.summary import SIZE_COLUMNS
    from adaptive_sampling.tables import read_table, write_table, write_text

    table = table_1_sensitivity(
        read_table(snakemake.input.sizes, SIZE_COLUMNS),
        read_table(snakemake.input.sensitivity, SENSITIVITY_COLUMNS),
        read_cases(snakemake.input.cases),
        snakemake.params.names,
    )
    write_table(table, snakemake.output.csv)
    write_text(as_markdown(table), snakemake.output.md)
