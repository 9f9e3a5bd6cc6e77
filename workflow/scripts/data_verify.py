"""Compare the cheap models' answers with those of the open-source models recorded in 2020."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from adaptive_sampling.difficulty.answers import VERIFIED_COLUMNS, verify
    from adaptive_sampling.tables import write_table

    rows = [
        verify(model, dataset, path, snakemake.params.folder, snakemake.params.rows[dataset])
        for (model, dataset), path in zip(snakemake.params.pairs, snakemake.input.get("answers", []))
    ]
    write_table(pd.DataFrame(rows, columns=list(VERIFIED_COLUMNS)), snakemake.output[0])
