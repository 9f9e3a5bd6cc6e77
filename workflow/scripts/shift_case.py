"""Simulate every sampler on one case and write its errors and required sizes."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.experiment import compare, parameters, populations, setting
    from adaptive_sampling.tables import write_table

    shift, case = snakemake.params.shift, Case(**snakemake.params.case)
    replay = read_replay_table(snakemake.input.replay, case)
    errors, sizes = compare(
        populations(replay, case, difficulty=shift["difficulty"], K=shift["K"]),
        shift["samplers"],
        parameters(shift),
        shift["K"],
        setting(shift, snakemake.params.montecarlo, seed=snakemake.params.seed, jobs=snakemake.threads),
    )
    write_table(errors, snakemake.output.errors)
    write_table(sizes, snakemake.output.sizes)
