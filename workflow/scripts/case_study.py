"""Run the case study of Figure 4 and write its tables."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.case_study import case_study, study_setting
    from adaptive_sampling.shift.experiment import parameters, setting
    from adaptive_sampling.tables import write_table

    shift, case = snakemake.params.shift, Case(**snakemake.params.case)
    of_config = setting(
        shift, snakemake.params.montecarlo, seed=snakemake.params.seed, jobs=snakemake.threads
    )
    study = case_study(
        read_replay_table(snakemake.input.replay, case),
        case,
        parameters(shift),
        study_setting(of_config),
    )
    for name in ("partitions", "sampling", "shift", "errors"):
        write_table(getattr(study, name), snakemake.output[name])
