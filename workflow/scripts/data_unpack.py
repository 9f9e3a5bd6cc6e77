"""Unpack the archive that holds the recorded answers of 2021."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.recordings.archives import unpack_folder

    unpack_folder(snakemake.input.archive, "tasks", snakemake.output[0])
