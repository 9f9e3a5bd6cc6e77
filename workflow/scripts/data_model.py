"""Run one cheap model on the raw items of one dataset."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.difficulty.answers import model_answers, write_answers
    from adaptive_sampling.recordings.frugalml import read_labels, read_names

    items, (model, dataset) = snakemake.params.rows, (snakemake.wildcards.model, snakemake.wildcards.dataset)
    answers = model_answers(
        model,
        dataset,
        snakemake.input.raw[0],
        read_names(snakemake.input.names, items),
        read_labels(snakemake.input.labels, items, 10),
        seed=snakemake.params.seed,
        jobs=snakemake.threads,
    )
    write_answers(answers, snakemake.output[0])
