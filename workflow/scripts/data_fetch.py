"""Fetch a set of public files: from a mirror, else over HTTPS."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.recordings.fetch import RecordedFile, fetch_all

    data = snakemake.config["data"]
    files = [RecordedFile(**fields) for fields in snakemake.params.files]
    fetch_all(files, data["recordings"], data["mirrors"])
