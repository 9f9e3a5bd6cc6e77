"""Build a replay table from the fetched recordings, and compare it with the embedded one."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from pathlib import Path

    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.recorded import check_same, recorded_replay
    from adaptive_sampling.recordings.replay import write_replay_table

    case, [output] = Case(**snakemake.params.case), snakemake.output
    table = recorded_replay(
        case,
        snakemake.params.folder,
        seed=snakemake.params.seed,
        hapi=Path(snakemake.input.hapi).parent if snakemake.input.hapi else None,
        confidences=dict(zip(snakemake.params.models, snakemake.input.confidences)),
    )
    write_replay_table(table, output, case)
    if snakemake.input.embedded:
        check_same(output, snakemake.input.embedded)
