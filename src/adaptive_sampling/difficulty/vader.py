"""VADER (Hutto and Gilbert, ICWSM 2014): sentiment of English text from a lexicon and a few rules."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

CHUNK = 500
"""Texts scored together by one process."""


def vader_answers(texts: Sequence[str], jobs: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Label each text positive (0) or negative (1), with the larger of the two shares as confidence.

    Version 3.3.1 gives the answers recorded in 2020 to the last digit; 3.3.2 does not.

    Parameters
    ----------
    texts : sequence of str
    jobs : int
        Processes at once.

    Returns
    -------
    prediction : ndarray of int64, shape (texts,)
    confidence : ndarray of float, shape (texts,)
        In [0, 1].

    Examples
    --------
    >>> prediction, confidence = vader_answers(["What a lovely film!", "A dull, terrible film."], jobs=1)
    >>> prediction.tolist()
    [0, 1]
    """
    from joblib import Parallel, delayed

    chunks = [texts[first : first + CHUNK] for first in range(0, len(texts), CHUNK)]
    shares = np.concatenate(Parallel(n_jobs=jobs)(delayed(_shares)(chunk) for chunk in chunks))
    return (shares[:, 0] < shares[:, 1]).astype(np.int64), shares.max(axis=1)


def _shares(texts: Sequence[str]) -> NDArray[np.float64]:
    """Share of positive and of negative words of each text."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()
    scores = [analyzer.polarity_scores(text) for text in texts]
    return np.array([(score["pos"], score["neg"]) for score in scores], dtype=np.float64)
