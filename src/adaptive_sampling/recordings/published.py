"""What is published about 2021: accuracies, overlaps, and the answers for 100 items of each dataset.

The files are those of the HAPI explorer (hapi-explore.github.io; Chen, Jin, Eyuboglu, Re, Zaharia and Zou,
NeurIPS 2022): ``data.json`` and ``explore_DATASET.json``.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

SOURCE: Final = "hapi-explore/hapi-explore.github.io@50a9e3b data/data.json"
"""Repository, commit and file of the published accuracies."""

ACCURACY_COLUMNS: Final = (
    "case",
    "task",
    "api",
    "dataset",
    "items",
    "accuracy_2020",
    "accuracy_2021",
    "overlap",
    "source",
    "remark",
)
"""The columns of `data/published/accuracy.csv`."""

WHOLE: Final = 1e-3
"""A number of items this close to a whole number is one: published shares carry nine digits or more."""

COMMAND_ROWS: Final = 64180
"""Rows behind the published overlaps of COMMAND, out of 64,727: the one number below the size of the
dataset for which all three overlaps give whole numbers of changed answers."""

_TASKS: Final = ("Sentiment Analysis", "Facial Emotion Recogntion", "Speech Recognition")  # their spelling

_SAMPLE_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    # The sample swaps the names of disgust and fear. RAF-DB itself counts 877 faces of disgust and 355 of
    # fear, which are the sizes of labels 1 and 2 here.
    "fer": {"natural": "neutral", "fear": "disgust", "disgusting": "fear"},
    "scr": {"_background_noise_": "background noise"},
}


@dataclass(frozen=True)
class PublishedPair:
    """Published figures of one API on one dataset.

    Attributes
    ----------
    accuracy_2020, accuracy_2021 : float
        Shares of correct answers.
    overlap : float
        Share of items that got the same answer in both years.
    """

    accuracy_2020: float
    accuracy_2021: float
    overlap: float


@dataclass(frozen=True)
class SampledAnswer:
    """One of the 100 items of a dataset whose answers are public for both years.

    Attributes
    ----------
    name : str
        File name of the item.
    label : int
        True label.
    confidence : float
        The API's confidence in 2020.
    old, new : int
        Predicted labels in 2020 and 2021.
    """

    name: str
    label: int
    confidence: float
    old: int
    new: int


def read_published(path: str | Path) -> dict[tuple[str, str], PublishedPair]:
    """Read the published accuracies and overlaps.

    Parameters
    ----------
    path : str or Path
        ``data.json``.

    Returns
    -------
    dict of (api, dataset) to PublishedPair
        Under the names of the file, such as ``("FacePP", "AFFECTNET")``.

    Raises
    ------
    InputError
        If the file is missing or has another layout.
    """
    data = _json(path)
    try:
        sheets = [data["data"][task] for task in _TASKS]
        accuracy = {
            (row["API"], row["Dataset"], row["Year"]): float(row["value"])
            for sheet in sheets
            for row in sheet["AccuracyTable"]
        }
        overlap = {
            (row["API"], row["Dataset"]): float(row["value"])
            for sheet in sheets
            for row in sheet["ConsistencyTable"]
            if row["Year"] == "2020->2021"
        }
        return {
            pair: PublishedPair(accuracy[(*pair, 2020)], accuracy[(*pair, 2021)], value)
            for pair, value in overlap.items()
        }
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not the published accuracies as expected ({error!r})") from None


def published_pair(published: Mapping[tuple[str, str], PublishedPair], case: Case) -> PublishedPair:
    """Look up the published figures of a case.

    Parameters
    ----------
    published : mapping
        From `read_published`.
    case : Case

    Returns
    -------
    PublishedPair

    Raises
    ------
    InputError
        If there are none.
    """
    pair = (case.published_api or "", case.published_dataset or "")
    if pair not in published:
        raise InputError(f"case {case.case}: no published accuracy of {' '.join(pair)!r}")
    return published[pair]


def read_sample(folder: str | Path, case: Case) -> tuple[SampledAnswer, ...]:
    """Read the sampled items of a case's dataset, with the API's answers in both years.

    Parameters
    ----------
    folder : str or Path
        The explorer's repository, which holds ``data/YELP/explore_YELP.json`` and so on.
    case : Case

    Returns
    -------
    tuple of SampledAnswer
        In the order of the file, without repetition.

    Raises
    ------
    InputError
        If the file is missing, has another layout, or holds a label that the case does not have.
    """
    dataset = case.published_dataset
    path = Path(folder) / "data" / str(dataset) / f"explore_{dataset}.json"
    data = _json(path)
    try:
        years = data["data"][dataset]
        answers = [
            (
                before["selected_id"],
                before[case.published_api],
                after["selected_id"],
                after[case.published_api],
            )
            for before, after in zip(years["2020"], years["2021"], strict=True)
        ]
        sample = []
        for name_before, before, name_after, after in answers:
            if name_before != name_after:
                raise InputError(
                    f"{path}: {name_before} in 2020 beside {name_after} in 2021, expected one item"
                )
            sample.append(
                SampledAnswer(
                    name=before["ImageName"],
                    label=_label(path, case, before["TrueLabel"]),
                    confidence=float(before["Confidence"]),
                    old=_label(path, case, _answer(before)),
                    new=_label(path, case, _answer(after)),
                )
            )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not a sample of both years as expected ({error!r})") from None
    return tuple(dict.fromkeys(sample))


def accuracy_table(cases: Iterable[Case], published: Mapping[tuple[str, str], PublishedPair]) -> pd.DataFrame:
    """Put the published figures of all pairs into one table, with a remark where they cannot be right.

    Parameters
    ----------
    cases : iterable of Case
        Those without published names are left out.
    published : mapping
        From `read_published`.

    Returns
    -------
    DataFrame
        Columns `ACCURACY_COLUMNS`; the figures are text, digit for digit as published.
    """
    rows = []
    for case in cases:
        if case.published_api is None:
            continue
        pair = published_pair(published, case)
        rows.append(
            {
                "case": case.case,
                "task": case.task,
                "api": case.api,
                "dataset": case.dataset,
                "items": case.items,
                "accuracy_2020": repr(pair.accuracy_2020),
                "accuracy_2021": repr(pair.accuracy_2021),
                "overlap": repr(pair.overlap),
                "source": SOURCE,
                "remark": overlap_remark(case, published),
            }
        )
    return pd.DataFrame(rows, columns=list(ACCURACY_COLUMNS))


def overlap_remark(case: Case, published: Mapping[tuple[str, str], PublishedPair]) -> str:
    """Say what is wrong with a published overlap, if anything.

    Parameters
    ----------
    case : Case
    published : mapping
        From `read_published`.

    Returns
    -------
    str
        Empty where the overlap can be right.
    """
    pair = published_pair(published, case)
    changed = case.items * (1 - pair.overlap)
    moved = round(case.items * abs(pair.accuracy_2021 - pair.accuracy_2020))
    if not _is_whole(changed):
        if case.published_dataset == "COMMAND" and _is_whole(COMMAND_ROWS * (1 - pair.overlap)):
            return f"overlap measured on {COMMAND_ROWS} of the items"
        twins = [
            dataset
            for (api, dataset), other in published.items()
            if api == case.published_api
            and dataset != case.published_dataset
            and other.overlap == pair.overlap
        ]
        return (
            f"overlap is the value of {' '.join(twins)}" if twins else "overlap is no whole number of items"
        )
    if moved > round(changed):
        return f"accuracy moves by {moved} items but overlap leaves {round(changed)} changed"
    return ""


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < WHOLE


def _json(path: str | Path) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except ValueError as error:
        raise InputError(f"{path}: not readable as JSON ({error})") from None


def _answer(record: Mapping[str, str]) -> str:
    """Return the predicted label: text and speech samples hold it under another key than faces."""
    return record["PredictedLabel"] if "PredictedLabel" in record else record["OriginalPredictedLabel"]


def _label(path: Path, case: Case, name: str) -> int:
    """Index of a predicted label from its name in the sample: a digit, or a word in any case."""
    if name.isdecimal() and int(name) < len(case.predicted_labels):
        return int(name)
    words = [label.casefold() for label in case.predicted_labels]
    word = _SAMPLE_NAMES.get(case.task, {}).get(name, name).casefold()
    if word not in words:
        raise InputError(f"{path}: found label {name!r}, allowed are {', '.join(case.predicted_labels)}")
    return words.index(word)
