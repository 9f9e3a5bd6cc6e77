"""A small model trained here, for any raw text or sound: cross-fitted, so that no item is scored by its own row."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.difficulty.raw_items import RATE, Sounds

FOLDS: Final = 5
"""Parts of the items: each is scored by a model trained on the others."""

BANDS, FRAMES = 24, 20
"""Shape of a sound's spectrum: bands of frequency, and moments of time."""


def trained_text_answers(
    texts: Sequence[str], labels: NDArray[np.int64], *, seed: int, jobs: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Label texts by logistic regression on weighted words, or on characters where words are not spaced.

    Parameters
    ----------
    texts : sequence of str
    labels : ndarray of int64, shape (texts,)
        True labels.
    seed : int
        Of the parts.
    jobs : int
        Parts at once.

    Returns
    -------
    prediction : ndarray of int64, shape (texts,)
    confidence : ndarray of float, shape (texts,)
        Probability of the predicted label, in (0, 1].
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    spaced = sum(text.count(" ") for text in texts) > 0.05 * sum(map(len, texts))
    features = TfidfVectorizer(
        analyzer="word" if spaced else "char",
        ngram_range=(1, 1) if spaced else (1, 2),
        min_df=3,
        max_features=50_000,
        sublinear_tf=True,
    )
    model = make_pipeline(features, LogisticRegression(C=5.0, max_iter=200))
    return cross_fitted(model, np.array(texts, dtype=object), labels, seed=seed, jobs=jobs)


def trained_sound_answers(
    sounds: Sounds, labels: NDArray[np.int64], *, seed: int, jobs: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Label sounds by logistic regression on their spectra.

    Parameters
    ----------
    sounds : list of ndarray of int16
    labels, seed, jobs
        As for `trained_text_answers`.

    Returns
    -------
    prediction, confidence
        As `trained_text_answers`.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500))
    return cross_fitted(model, np.stack([spectrum(sound) for sound in sounds]), labels, seed=seed, jobs=jobs)


def cross_fitted(
    model: Any, items: NDArray[Any], labels: NDArray[np.int64], *, seed: int, jobs: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Score every item by a model trained on the other parts.

    Parameters
    ----------
    model : scikit-learn classifier
        With ``predict_proba``.
    items : ndarray, shape (items, ...)
    labels, seed, jobs
        As for `trained_text_answers`.

    Returns
    -------
    prediction, confidence
        As `trained_text_answers`.
    """
    from joblib import Parallel, delayed
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import threadpool_limits

    parts = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(items, labels))

    def score(train: NDArray[np.int64], held_out: NDArray[np.int64]) -> tuple[Any, Any]:
        fitted = clone(model).fit(items[train], labels[train])
        return fitted.classes_, fitted.predict_proba(items[held_out])

    prediction, confidence = np.empty(len(labels), dtype=np.int64), np.empty(len(labels))
    # The parts share the cores among themselves; linear algebra inside each must not take them all again.
    with threadpool_limits(1):
        scored = Parallel(n_jobs=jobs, backend="threading")(delayed(score)(*part) for part in parts)
    for (_, held_out), (classes, probability) in zip(parts, scored):
        prediction[held_out] = classes[probability.argmax(axis=1)]
        confidence[held_out] = probability.max(axis=1)
    return prediction, confidence


def spectrum(sound: NDArray[np.int16]) -> NDArray[np.float64]:
    """Loudness of a sound in bands of frequency, over its whole length.

    Parameters
    ----------
    sound : ndarray of int16, shape (samples,)
        At 8 kHz.

    Returns
    -------
    ndarray of float, shape (BANDS * FRAMES,)
        Logarithms, whatever the length of the sound.
    """
    from scipy.signal import spectrogram

    padded = np.pad(sound.astype(np.float64) / 32768, (0, max(0, 512 - len(sound))))
    _, _, power = spectrogram(padded, fs=RATE, nperseg=256, noverlap=176)
    # Bands widen with frequency, as hearing does.
    edges = np.unique(np.geomspace(2, len(power), BANDS + 1).round().astype(int))
    bands = np.stack([power[a:b].mean(axis=0) for a, b in pairwise(edges)])
    times = np.linspace(0, bands.shape[1] - 1, FRAMES).round().astype(int)
    loudness: NDArray[np.float64] = np.log(bands[:, times] + 1e-8).ravel()
    return loudness
