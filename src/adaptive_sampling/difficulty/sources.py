"""Which cheap models can be run here, on which datasets, and from which raw files.

Standard library only: this is asked while the workflow is being planned.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from adaptive_sampling.cases import Case

COMPUTED: Final[Mapping[str, tuple[str, ...]]] = {
    "vader": ("IMDB",),
    "bixin": ("WAIMAI", "SHOP"),
    "pocketsphinx": ("DIGIT",),
    "trained": ("IMDB", "WAIMAI", "SHOP", "DIGIT"),
}
"""Models that rank items from the raw texts or recordings, and the FrugalML datasets whose raw items are public."""


RAW_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "IMDB": ("aclImdb/aclImdb_test.tar.gz",),
    "WAIMAI": ("ChineseNlpCorpus/datasets/waimai_10k/waimai_10k.csv",),
    "SHOP": ("ChineseNlpCorpus/datasets/online_shopping_10_cats/online_shopping_10_cats.zip",),
    "DIGIT": ("free-spoken-digit-dataset/recordings/",),
}
"""Paths of `data/versions.csv` that hold the raw items of a dataset."""

BASE_API: Final = ("old_api_confidence", "open_source_model")
"""Difficulty sources that every recorded API case has: the API's own confidence, and the model of 2020."""

BASE_LLM: Final = ("none", "trial_division")
"""Those of the language models' prime questions."""


_WHOLE_IMDB: Final = "aclImdb/aclImdb_v1.tar.gz"


def raw_files(dataset: str, folders: Iterable[str | Path]) -> tuple[str, ...]:
    """Name the files that hold the raw items of a dataset.

    Parameters
    ----------
    dataset : str
        A key of `RAW_FILES`.
    folders : iterable of str or Path
        Mirrors: the test part of IMDB exists in mirrors only, online there is the whole.

    Returns
    -------
    tuple of str
        Paths of `data/versions.csv`.
    """
    files = RAW_FILES[dataset]
    if dataset == "IMDB" and not any((Path(folder) / files[0]).is_file() for folder in folders):
        return (_WHOLE_IMDB,)
    return files


def computed_for(case: Case, models: Sequence[str]) -> tuple[str, ...]:
    """Choose the models that can rank the items of a case.

    Parameters
    ----------
    case : Case
    models : sequence of str
        Keys of `COMPUTED`.

    Returns
    -------
    tuple of str
    """
    return tuple(model for model in models if case.frugalml_dataset in COMPUTED[model])


def difficulty_of(case: Case, models: Sequence[str]) -> tuple[str, ...]:
    """Name the difficulty sources that the replay table of a recorded case will have.

    Parameters
    ----------
    case : Case
    models : sequence of str
        Models to compute, besides what is recorded.

    Returns
    -------
    tuple of str
        In alphabetical order.
    """
    base = BASE_LLM if case.task == "llm" else BASE_API
    return tuple(sorted((*base, *computed_for(case, models))))
