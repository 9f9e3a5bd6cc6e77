"""Run every algorithm over both sweeps on every setup."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.bestarm.experiment import MonteCarlo, settings, sweep
    from adaptive_sampling.tables import write_table

    setups, sweeps = settings(snakemake.params.bestarm)
    how = MonteCarlo(seed=snakemake.params.seed, jobs=snakemake.threads, **snakemake.params.montecarlo)
    pulls, rounds = sweep(setups, snakemake.params.bestarm["algorithms"], sweeps, how)
    write_table(pulls, snakemake.output.pulls)
    write_table(rounds, snakemake.output.rounds)
