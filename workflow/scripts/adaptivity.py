"""Split the gain over uniform sampling into its parts, case by case."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from adaptive_sampling.cases import Case, read_cases
    from adaptive_sampling.recordings.replay import read_replay_table
    from adaptive_sampling.shift.adaptivity import adaptivity, as_markdown, difficulty_of, sizes_of_cases
    from adaptive_sampling.shift.experiment import parameters, setting
    from adaptive_sampling.shift.summary import SIZE_COLUMNS
    from adaptive_sampling.tables import read_table, write_table, write_text

    params, shift = snakemake.params, snakemake.params.shift
    extra, fallback = [Case(**fields) for fields in params.extra], params.fallback
    replays = {case.case: read_replay_table(path, case) for case, path in zip(extra, snakemake.input.replay)}
    common = {"difficulty": shift["difficulty"], "fallback": fallback, "K": shift["K"]}
    chosen = parameters(shift)
    run = setting(shift, params.montecarlo, seed=params.seed, jobs=snakemake.threads)
    sizes = [read_table(snakemake.input.sizes, SIZE_COLUMNS)]
    sizes += [sizes_of_cases(replays, extra, parameters=chosen, setting=run, **common)] if extra else []
    ranked = dict.fromkeys(params.names, shift["difficulty"])
    ranked |= {name: difficulty_of(table, shift["difficulty"], fallback) for name, table in replays.items()}
    cases = read_cases(snakemake.input.cases)
    table = adaptivity(pd.concat(sizes), cases, ranked, shift["K"])
    write_table(table, snakemake.output.csv)
    write_text(as_markdown(table, cases), snakemake.output.md)
