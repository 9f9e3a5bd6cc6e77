"""Run EBR on random instances, and three algorithms once on the arms of Figure 1."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.experiment import MonteCarlo
    from adaptive_sampling.bestarm.illustration import one_run
    from adaptive_sampling.bestarm.theorem import pulls_against_hardness
    from adaptive_sampling.tables import write_table

    params = snakemake.params
    how = MonteCarlo(seed=params.seed, jobs=snakemake.threads, **params.montecarlo)
    write_table(one_run(params.illustration, params.delta, params.seed), snakemake.output.arms)
    write_table(pulls_against_hardness(params.hardness, params.delta, how), snakemake.output.hardness)
