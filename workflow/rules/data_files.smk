# What is fetched, and which files each case needs; no rule.
from collections import defaultdict

from adaptive_sampling.difficulty.sources import COMPUTED, computed_for, raw_files
from adaptive_sampling.recordings.fetch import case_files, fetch_set, read_versions
from adaptive_sampling.recordings.own import own_files

DATA = config["data"]
RECORDINGS = DATA["recordings"]
VERSIONS = read_versions(DATA["versions"])
FRUGALML = f"{RECORDINGS}/FrugalML/dataset/mlserviceperformance_{{dataset}}"
HAPI = f"{RECORDINGS}/HAPI/tasks"
DIGITS = "free-spoken-digit-dataset/recordings/"
RECORDING_CODE = modules(
    "randomness",
    "tables",
    "cases",
    "difficulty/levels",
    "difficulty/trial_division",
    "recordings/frugalml",
    "recordings/hapi",
    "recordings/llmdrift",
    "recordings/published",
    "recordings/rebuild",
    "recordings/reconstruct",
    "recordings/recorded",
    "recordings/replay",
    "recordings/replay_format",
)


def recorded_files(case):
    """Where the fetched files of a case lie."""
    return [f"{RECORDINGS}/{path}" for path in case_files(CASES[case])]


def raw_items(dataset):
    """Where the fetched texts or sounds of a dataset lie."""
    mirrors = [*DATA["mirrors"], RECORDINGS]
    return [f"{RECORDINGS}/{path.rstrip('/')}" for path in raw_files(dataset, mirrors)]


def model_answers(wildcards):
    """Answers of the computed models that rank the items of a case."""
    dataset = CASES[wildcards.case].frugalml_dataset
    models = computed_for(CASES[wildcards.case], DATA["difficulty"])
    return [f"{RECORDINGS}/difficulty/{model}_{dataset}.csv" for model in models]


FETCHED = defaultdict(list)
for listed in VERSIONS:
    if listed != DIGITS:
        FETCHED[fetch_set(listed)].append(listed)


def items_of(dataset):
    """Number of items of a dataset of the recordings of 2020."""
    return next(
        case.items for case in CASES.values() if case.frugalml_dataset == dataset
    )


# The models to run, each with a dataset of this run that it can rank.
MODEL_PAIRS = sorted(
    {
        (model, CASES[case].frugalml_dataset)
        for case in config["cases"]
        for model in computed_for(CASES[case], DATA["difficulty"])
    }
)


def verified_files(wildcards):
    """What the models answered, and what the recordings hold beside it."""
    answers = [
        f"{RECORDINGS}/difficulty/{model}_{data}.csv" for model, data in MODEL_PAIRS
    ]
    recorded = []
    for _, dataset in MODEL_PAIRS:
        number = 101 if dataset == "DIGIT" else 100
        recorded += [
            f"{FRUGALML.format(dataset=dataset)}/Model{number}_{kind}.txt"
            for kind in ("PredictedLabel", "Confidence")
        ]
        recorded.append(f"{FRUGALML.format(dataset=dataset)}/Model0_TrueLabel.txt")
    return {"answers": answers, "recorded": sorted(set(recorded))}
