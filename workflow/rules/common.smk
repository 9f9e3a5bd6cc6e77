# Validation, targets and small helpers; no rule.
import os
from dataclasses import asdict

from snakemake.exceptions import WorkflowError

from adaptive_sampling.config import check_config
from adaptive_sampling.errors import InputError
from adaptive_sampling.planning import asks, cases_of_run, check_plan

ROOT = Path(workflow.basedir)

try:
    check_config(config, ROOT / "workflow/schemas")
    CASES = cases_of_run(config)
    check_plan(config, CASES)
except InputError as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["folders"]["results"]
FIGURES = config["folders"]["figures"]
LOGS = config["folders"]["logs"]

# Replay tables and the table of cases are given, or data.smk makes them: every other rule asks for them alike.
EMBEDDED = config["data"]["replay"]
if config["data"]["source"] != "embedded":
    config["data"]["replay"] = f"{RESULTS}/replay"
    config["cases_table"] = f"{RESULTS}/cases.csv"

# Figures of the MASA paper that show cases of their own.
SHOWN = {
    "figure_1": ["ibm_amnist"],
    "figure_4": ["amazon_yelp"],
    "figure_6": ["amazon_imdb", "microsoft_ferplus", "google_digit"],
}


wildcard_constraints:
    case="[a-z0-9_]+",


def in_project(name):
    """A file of the project, as an input: editing it reruns the step, moving the project does not."""
    return Path(os.path.relpath(ROOT / name)).as_posix()


def modules(*names):
    """Files of the package behind a step."""
    return [in_project(f"src/adaptive_sampling/{name}.py") for name in names]


def images(paper, name):
    """A figure in the three formats it is drawn in."""
    return multiext(f"{FIGURES}/{paper}/{name}", ".pdf", ".svg", ".png")


def targets(wildcards):
    """What the rules named in the config make, or gather."""
    wanted = [getattr(rules, name) for name in config["targets"]]
    # Where every new answer is there, the run also says where its cases come from.
    wanted += [] if asks(config) else [rules.provenance]
    return [file for rule in wanted for file in rule.output or rule.input]


def next_queries_refused(wildcards):
    """Say why the command line cannot ask for it: the plan has already looked for every new answer."""
    raise WorkflowError(
        "next_queries: found on the command line, allowed is targets: [next_queries] in a file given by "
        "--configfile, because all other targets need every new answer"
    )


def shown(figure):
    """Cases of this run that a figure of the paper shows."""
    return [case for case in SHOWN[figure] if case in config["cases"]]


def varied(parameter):
    """Values of one parameter, written as they stand in the names of files."""
    return [f"{value:.12g}" for value in config["ablation"][parameter]]


def setting_with(wildcards):
    """Settings of one ablation job: those it depends on, so that no other change reruns it."""
    unused = ("samplers", wildcards.parameter)
    kept = {key: value for key, value in config["shift"].items() if key not in unused}
    number = int if wildcards.parameter == "K" else float
    return {**kept, wildcards.parameter: number(wildcards.value)}


def case_of(wildcards):
    """The row of the table of cases, in plain types: a change of one row reruns that case alone."""
    return asdict(CASES[wildcards.case])


def threads_per_case(wildcards):
    """Share the cores among the cases; what is left over goes to blocks of trials inside each."""
    return max(1, all_cores(wildcards) // len(config["cases"]))


def threads_per_value(wildcards):
    """Share the cores among the jobs of the ablations."""
    return max(1, all_cores(wildcards) // sum(map(len, config["ablation"].values())))


def all_cores(wildcards):
    """Take every core there is; --report, --lint and --unlock know of none, and start nothing."""
    try:
        return workflow.cores
    except WorkflowError:
        return 1


def replays_of(cases):
    """Replay tables of cases."""
    return expand(f"{config['data']['replay']}/{{case}}.csv", case=cases)


def cases_of(names):
    """The rows of the table of cases, in plain types."""
    return [asdict(CASES[name]) for name in names]


def setting_of(trials):
    """What a study's trials depend on."""
    return dict(
        seed=config["seed"],
        shift={
            key: value for key, value in config["shift"].items() if key != "samplers"
        },
        montecarlo={**config["montecarlo"], "trials": trials},
    )


def sources_of(case):
    """Sources of difficulty in the replay table of a case."""
    lines = Path(config["data"]["replay"], f"{case}.csv").read_text().splitlines()[1:]
    return {line.partition(",")[0] for line in lines}


def other_sources():
    """Sources of difficulty that all cases of this run have beside the one in the settings."""
    if config["data"]["source"] != "embedded":
        return []
    common = set.intersection(*map(sources_of, config["cases"]))
    return sorted(common - {config["shift"]["difficulty"]})


OTHERS = other_sources()
