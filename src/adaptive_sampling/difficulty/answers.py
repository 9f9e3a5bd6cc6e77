"""Run one cheap model on one dataset, and say how far its answers equal those recorded in 2020."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.difficulty.raw_items import read_sounds, read_texts
from adaptive_sampling.recordings.frugalml import read_confidences, read_labels
from adaptive_sampling.tables import read_table, write_text

ANSWER_COLUMNS: Final = {"prediction": "integer", "confidence": "number"}
"""Columns of a model's answers, in the order of the recording's rows."""

VERIFIED_COLUMNS: Final = {
    "model": "text",
    "dataset": "text",
    "items": "integer",
    "accuracy": "number",
    "recorded_accuracy": "number",
    "equal": "integer",
    "share_equal": "number",
}
"""Columns of ``verified.csv``; `equal` counts items with the recorded label and confidence, digit for digit."""

Answers = tuple[NDArray[np.int64], NDArray[np.float64]]


def model_answers(
    model: str,
    dataset: str,
    items: str | Path,
    names: tuple[str, ...],
    labels: NDArray[np.int64],
    *,
    seed: int,
    jobs: int,
) -> pd.DataFrame:
    """Run a cheap model on the raw items of a dataset.

    Parameters
    ----------
    model : str
        One of `adaptive_sampling.difficulty.sources.COMPUTED`.
    dataset : str
        One of its datasets.
    items : str or Path
        The file or folder of raw items.
    names : tuple of str
        Names of the recording's items.
    labels : ndarray of int64, shape (items,)
        True labels.
    seed : int
        For a model that is trained here.
    jobs : int
        Processes or threads at once.

    Returns
    -------
    DataFrame
        Columns `ANSWER_COLUMNS`.
    """
    raw: Any = read_sounds(items, names) if dataset == "DIGIT" else read_texts(dataset, items, names, labels)
    prediction, confidence = _MODELS[model](dataset, raw, labels, seed, jobs)
    return pd.DataFrame({"prediction": prediction, "confidence": confidence})


def verified(
    model: str,
    dataset: str,
    answers: pd.DataFrame,
    labels: NDArray[np.int64],
    recorded_prediction: NDArray[np.int64],
    recorded_confidence: NDArray[np.float64],
) -> dict[str, Any]:
    """Compare a model's answers with those of the open-source model recorded in 2020.

    Parameters
    ----------
    model, dataset : str
    answers : DataFrame
        From `model_answers`.
    labels : ndarray of int64, shape (items,)
        True labels.
    recorded_prediction, recorded_confidence : ndarray, shape (items,)

    Returns
    -------
    dict
        One row of `VERIFIED_COLUMNS`.
    """
    prediction, confidence = answers["prediction"].to_numpy(), answers["confidence"].to_numpy()
    equal = int(np.count_nonzero((prediction == recorded_prediction) & (confidence == recorded_confidence)))
    return {
        "model": model,
        "dataset": dataset,
        "items": len(labels),
        "accuracy": float(np.mean(prediction == labels)),
        "recorded_accuracy": float(np.mean(recorded_prediction == labels)),
        "equal": equal,
        "share_equal": equal / len(labels),
    }


def write_answers(answers: pd.DataFrame, path: str | Path) -> None:
    """Write a model's answers with every digit, so that they can be compared with those recorded.

    Parameters
    ----------
    answers : DataFrame
        From `model_answers`.
    path : str or Path
        Replaced in one step.
    """
    rows = [
        f"{label},{confidence!r}" for label, confidence in zip(*(answers[c].tolist() for c in ANSWER_COLUMNS))
    ]
    write_text("\n".join([",".join(ANSWER_COLUMNS), *rows]) + "\n", path)


def verify(model: str, dataset: str, answers: str | Path, folder: str | Path, items: int) -> dict[str, Any]:
    """Compare the written answers of a model with the recordings, as `verified`.

    Parameters
    ----------
    model, dataset : str
    answers : str or Path
        Written by `write_answers`.
    folder : str or Path
        The folder of recordings.
    items : int
        Items of the dataset.

    Returns
    -------
    dict
        One row of `VERIFIED_COLUMNS`.
    """
    models = Path(folder) / "FrugalML/dataset" / f"mlserviceperformance_{dataset}"
    number, labels = (101, 11) if dataset == "DIGIT" else (100, 2)
    return verified(
        model,
        dataset,
        read_table(answers, ANSWER_COLUMNS, rows=items),
        read_labels(models / "Model0_TrueLabel.txt", items, labels),
        read_labels(models / f"Model{number}_PredictedLabel.txt", items, labels),
        read_confidences(models / f"Model{number}_Confidence.txt", items),
    )


def _vader(_: str, raw: Any, __: NDArray[np.int64], ___: int, jobs: int) -> Answers:
    from adaptive_sampling.difficulty.vader import vader_answers

    return vader_answers(raw, jobs)


def _bixin(_: str, raw: Any, __: NDArray[np.int64], ___: int, jobs: int) -> Answers:
    from adaptive_sampling.difficulty.bixin import bixin_answers

    return bixin_answers(raw, jobs)


def _pocketsphinx(_: str, raw: Any, __: NDArray[np.int64], ___: int, jobs: int) -> Answers:
    from adaptive_sampling.difficulty.pocketsphinx import pocketsphinx_answers

    return pocketsphinx_answers(raw, jobs)


def _trained(dataset: str, raw: Any, labels: NDArray[np.int64], seed: int, jobs: int) -> Answers:
    from adaptive_sampling.difficulty.trained import trained_sound_answers, trained_text_answers

    train = trained_sound_answers if dataset == "DIGIT" else trained_text_answers
    return train(raw, labels, seed=seed, jobs=jobs)


_MODELS: Final[Mapping[str, Callable[[str, Any, NDArray[np.int64], int, int], Answers]]] = {
    "vader": _vader,
    "bixin": _bixin,
    "pocketsphinx": _pocketsphinx,
    "trained": _trained,
}
