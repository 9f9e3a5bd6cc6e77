"""Fetch the recordings of DIGIT, one file each."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.recordings.fetch import RecordedFile, fetch_all, files_of_folder

    data = snakemake.config["data"]
    files = files_of_folder(RecordedFile(**snakemake.params.folder), snakemake.input.listing)
    fetch_all(files, data["recordings"], data["mirrors"])
