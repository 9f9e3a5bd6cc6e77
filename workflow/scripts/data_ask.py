"""List the items to ask an API about next, and what its answers so far tell."""

from adaptive_sampling.logs import logged

with logged(snakemake.log[0]):
    from adaptive_sampling.cases import Case
    from adaptive_sampling.recordings.own import read_own
    from adaptive_sampling.shift.next_queries import ask, shift_so_far, so_far, strata_of
    from adaptive_sampling.tables import write_table

    case, entry, seed = Case(**snakemake.params.case), snakemake.params.entry, snakemake.params.seed
    shift = snakemake.params.shift
    own = read_own(case, entry, asking=True)
    strata = strata_of(own, case, difficulty=shift["difficulty"], K=shift["K"], seed=seed)
    batch = entry.get("batch", 100)
    table = ask(own, case, strata, a=shift["a"], queries=batch, seed=seed)
    write_table(table, snakemake.output.ask)
    write_table(so_far(own, case, strata, shift["target_error"]), snakemake.output.so_far)
    write_table(shift_so_far(own, case, strata), snakemake.output.shift)
