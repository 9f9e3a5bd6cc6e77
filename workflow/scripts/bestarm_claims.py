"""Measure every claim of the EBR paper and give its verdict."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.claims import Tables, judge, read_claims
    from adaptive_sampling.bestarm.experiment import PULLS_COLUMNS, ROUNDS_COLUMNS
    from adaptive_sampling.bestarm.theorem import HARDNESS_COLUMNS
    from adaptive_sampling.bestarm.variants import VARIANTS_COLUMNS
    from adaptive_sampling.tables import read_table, write_table

    tables = Tables(
        pulls=read_table(snakemake.input.pulls, PULLS_COLUMNS),
        rounds=read_table(snakemake.input.rounds, ROUNDS_COLUMNS),
        hardness=read_table(snakemake.input.hardness, HARDNESS_COLUMNS),
        tuning=read_table(snakemake.input.tuning, VARIANTS_COLUMNS),
        arms={setup["name"]: setup["arms"] for setup in snakemake.params.setups},
    )
    write_table(judge(read_claims(snakemake.input.claims), tables), snakemake.output[0])
