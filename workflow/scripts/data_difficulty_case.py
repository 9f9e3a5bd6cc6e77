"""Measure MASA's required size on one case under each source of difficulty."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.difficulty.study import difficulty_study
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.experiment import setting
    from adaptive_sampling.shift.samplers import Parameters
    from adaptive_sampling.tables import write_table

    shift, case = snakemake.params.shift, Case(**snakemake.params.case)
    study = difficulty_study(
        read_replay_table(snakemake.input.replay, case),
        case,
        K=shift["K"],
        parameters=Parameters(a=shift["a"], uncertainty=shift["uncertainty"]),
        setting=setting(
            shift, snakemake.params.montecarlo, seed=snakemake.params.seed, jobs=snakemake.threads
        ),
    )
    write_table(study, snakemake.output[0])
