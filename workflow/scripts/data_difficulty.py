"""Gather required sizes under each source of difficulty, as tables and a figure."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.difficulty.answers import VERIFIED_COLUMNS
    from adaptive_sampling.difficulty.study import STUDY_COLUMNS, as_markdown, with_models
    from adaptive_sampling.figures.difficulty import difficulty_figure
    from adaptive_sampling.figures.style import save
    from adaptive_sampling.tables import read_table, write_table, write_text

    cases = [Case(**fields) for fields in snakemake.params.cases]
    studies = [read_table(path, STUDY_COLUMNS) for path in snakemake.input.studies]
    table = with_models(studies, read_table(snakemake.input.verified[0], VERIFIED_COLUMNS), cases)
    write_table(table, snakemake.output.csv)
    write_text(as_markdown(table, [case.title for case in cases]), snakemake.output.md)
    save(difficulty_figure(table, {case.case: case for case in cases}), snakemake.output.images)
