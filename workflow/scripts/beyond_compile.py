"""Compile every kernel once, so that the jobs that follow find them in numba's cache."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.beyond.study import compile_kernels

    compile_kernels()
