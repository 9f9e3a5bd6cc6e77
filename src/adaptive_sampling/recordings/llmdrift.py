"""Recorded answers of language models at two dates (LLMDrift; Chen, Zaharia and Zou, 2023): "Is N prime?"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

MODELS: Final[Mapping[str, tuple[str, str]]] = {
    "openai_gpt35": ("openaichat/gpt-3.5-turbo-0301", "openaichat/gpt-3.5-turbo-0613"),
    "openai_gpt4": ("openaichat/gpt-4-0314", "openaichat/gpt-4-0613"),
}
"""The versions of March and of June 2023 behind each case."""

_LABELS: Final = {"prime": 0, "composite": 1}
_ANSWERS: Final = {"yes": 0, "no": 1}
_OTHER: Final = 2
_COLUMNS: Final = ("model", "dataset", "id", "query", "answer")


@dataclass(frozen=True)
class LanguageModelRecording:
    """Answers of two versions of a language model to the same questions.

    Attributes
    ----------
    numbers : ndarray of int64, shape (items,)
        N of each question.
    labels, old, new : ndarray of int64, shape (items,)
        0 prime, 1 composite; answers also 2, neither.
    """

    numbers: NDArray[np.int64]
    labels: NDArray[np.int64]
    old: NDArray[np.int64]
    new: NDArray[np.int64]


def read_language_model(path: str | Path, case: Case) -> LanguageModelRecording:
    """Read the answers of both versions, question by question.

    Parameters
    ----------
    path : str or Path
        ``generation/PRIME_FULL_EVAL.csv``.
    case : Case
        One of `MODELS`.

    Returns
    -------
    LanguageModelRecording

    Raises
    ------
    InputError
        If the file is missing, has other columns, or does not hold each question once for each version.
    """
    try:
        table = pd.read_csv(path, usecols=list(_COLUMNS), dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except ValueError as error:
        raise InputError(f"{path}: not the recorded answers as expected ({str(error).strip()})") from None
    versions = []
    for model in MODELS[case.case]:
        rows = table[table["model"] == model]
        version = rows.set_index(rows["id"].astype(int)).sort_index()
        if len(version) != case.items or not version.index.is_unique:
            raise InputError(
                f"{path}: {len(version)} answers of {model} to {version.index.nunique()} questions, "
                f"expected {case.items} to as many"
            )
        versions.append(version)
    before, after = versions
    if not before[["dataset", "query"]].equals(after[["dataset", "query"]]):
        raise InputError(f"{path}: the two versions of {case.api} were asked different questions")
    numbers = before["query"].str.extract(r"\bIs (\d+) a prime\b", expand=False)
    labels = before["dataset"].map(_LABELS)
    if numbers.isna().any() or labels.isna().any():
        row = before[numbers.isna() | labels.isna()].iloc[0]
        raise InputError(
            f"{path}: question {row['query'][:80]!r} of {row['dataset']!r}, expected 'Is N a prime ...' of "
            "prime or composite"
        )
    return LanguageModelRecording(
        numbers=np.array(numbers, dtype=np.int64),
        labels=np.array(labels, dtype=np.int64),
        old=np.array(before["answer"].map(parse_answer), dtype=np.int64),
        new=np.array(after["answer"].map(parse_answer), dtype=np.int64),
    )


def parse_answer(text: str) -> int:
    """Find the answer in free text: the last [Yes] or [No], in any case.

    Parameters
    ----------
    text : str

    Returns
    -------
    int
        0 prime, 1 composite, 2 neither was said.

    Examples
    --------
    >>> parse_answer("Step 1 ... so [No]. Wait, 7 does not divide it: [Yes]")
    0
    >>> parse_answer("Yes")
    2
    """
    found = re.findall(r"\[(yes|no)\]", text, flags=re.IGNORECASE)
    return _ANSWERS[found[-1].lower()] if found else _OTHER
