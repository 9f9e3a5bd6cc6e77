"""Compile the sequential algorithm once, so that the jobs that follow find it in numba's cache."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import numpy as np

    from adaptive_sampling.bestarm.instances import Instance
    from adaptive_sampling.bestarm.sequential import sequential

    sequential(Instance((0.9, 0.1)), 0.5, 0.5, 1, 1, np.random.default_rng(0))
