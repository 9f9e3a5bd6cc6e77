"""List where MASA spends its queries on every case, by one source of difficulty."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from adaptive_sampling.cases import Case
    from adaptive_sampling.explorer.shares import sampling_shares
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.samplers import Parameters
    from adaptive_sampling.tables import write_table

    params, cases = snakemake.params, [Case(**fields) for fields in snakemake.params.cases]
    shift = params.shift
    tables = [
        sampling_shares(
            read_replay_table(path, case),
            case,
            difficulty=snakemake.wildcards.source,
            K=shift["K"],
            parameters=Parameters(a=shift["a"], uncertainty=shift["uncertainty"]),
            last_budget=shift["budget"]["last"],
            trials=params.trials,
            seed=params.seed,
        )
        for path, case in zip(snakemake.input.replay, cases)
    ]
    write_table(pd.concat(tables, ignore_index=True), snakemake.output[0])
