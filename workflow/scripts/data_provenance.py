"""Write down where every case of the run comes from."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import json

    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.fetch import read_versions
    from adaptive_sampling.recordings.provenance import provenance
    from adaptive_sampling.tables import write_text

    cases = [Case(**fields) for fields in snakemake.params.cases]
    versions = read_versions(snakemake.input.versions)
    found = provenance(snakemake.params.config, cases, snakemake.input.replay, versions)
    write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", snakemake.output[0])
