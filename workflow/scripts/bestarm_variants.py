"""Run other readings of the paper's algorithms, and EBR with tighter radii."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.experiment import MonteCarlo, settings
    from adaptive_sampling.bestarm.variants import READINGS, TIGHTER, compare
    from adaptive_sampling.tables import write_table

    bestarm = snakemake.params.bestarm
    setups, sweeps = settings(bestarm)
    how = MonteCarlo(seed=snakemake.params.seed, jobs=snakemake.threads, **snakemake.params.montecarlo)
    for forms, study in ((READINGS, "sensitivity"), (TIGHTER, "tuning")):
        write_table(compare(forms, setups, sweeps, bestarm[study], how), snakemake.output[study])
