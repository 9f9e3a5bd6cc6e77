"""Pack the tables into one interactive page."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import read_cases
    from adaptive_sampling.explorer.page import explorer_page
    from adaptive_sampling.explorer.shares import SHARE_COLUMNS
    from adaptive_sampling.shift.confusion import CONFUSION_COLUMNS
    from adaptive_sampling.shift.summary import SIZE_COLUMNS, read_errors, read_sizes
    from adaptive_sampling.tables import read_table, write_text

    inputs, params = snakemake.input, snakemake.params
    errors = {params.shift["difficulty"]: [read_errors(path) for path in inputs.errors]}
    sizes = {params.shift["difficulty"]: [read_sizes(path, SIZE_COLUMNS) for path in inputs.sizes]}
    for source, error, size in zip(params.others, inputs.other_errors, inputs.other_sizes):
        errors[source], sizes[source] = [read_errors(error)], [read_sizes(size, SIZE_COLUMNS)]
    page = explorer_page(
        errors=errors,
        sizes=sizes,
        shares=[read_table(path, SHARE_COLUMNS) for path in inputs.shares],
        confusion=read_table(inputs.confusion, CONFUSION_COLUMNS),
        cases=read_cases(inputs.cases),
        shift=params.shift,
        trials=params.trials,
    )
    write_text(page, snakemake.output[0])
