"""Run MASA on all cases at one value of K or of a."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.ablation import masa_on_cases
    from adaptive_sampling.shift.experiment import parameters, setting
    from adaptive_sampling.tables import write_table

    shift, cases = snakemake.params.shift, [Case(**fields) for fields in snakemake.params.cases]
    errors, sizes = masa_on_cases(
        {case.case: read_replay_table(path, case) for case, path in zip(cases, snakemake.input.replay)},
        cases,
        difficulty=shift["difficulty"],
        K=shift["K"],
        parameters=parameters(shift),
        setting=setting(
            shift, snakemake.params.montecarlo, seed=snakemake.params.seed, jobs=snakemake.threads
        ),
    )
    write_table(errors, snakemake.output.errors)
    write_table(sizes, snakemake.output.sizes)
