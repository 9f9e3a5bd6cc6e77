"""PocketSphinx: spoken digits, recognised by the English model that comes with the package."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.difficulty.raw_items import RATE, Sounds
from adaptive_sampling.errors import InputError

WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
"""All that the grammar allows, in the order of the labels."""

EMPTY: Final = len(WORDS)
"""Label of an answer without a word."""

MODEL_RATE: Final = 16000
"""Samples a second that the model expects."""

PADDING: Final = 0.25
"""Seconds of silence before and after: recordings of half a second begin too abruptly for the model."""

CHUNK: Final = 250
"""Recordings recognised together by one process."""


def pocketsphinx_answers(sounds: Sounds, jobs: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Recognise each recording as a digit, with the posterior probability of the word as confidence.

    Parameters
    ----------
    sounds : list of ndarray of int16
        At 8 kHz.
    jobs : int
        Processes at once.

    Returns
    -------
    prediction : ndarray of int64, shape (sounds,)
        10 where no word was recognised.
    confidence : ndarray of float, shape (sounds,)
        In [0, 1].

    Raises
    ------
    InputError
        If PocketSphinx is not installed.
    """
    from importlib.util import find_spec

    from joblib import Parallel, delayed

    if find_spec("pocketsphinx") is None:
        raise InputError(
            "difficulty pocketsphinx: the model is not installed: pip install 'adaptive-sampling[speech]'"
        )
    chunks = [sounds[first : first + CHUNK] for first in range(0, len(sounds), CHUNK)]
    answers = np.concatenate(Parallel(n_jobs=jobs)(delayed(_recognise)(chunk) for chunk in chunks))
    return answers[:, 0].astype(np.int64), answers[:, 1]


def _recognise(sounds: Sequence[NDArray[np.int16]]) -> NDArray[np.float64]:
    """Label and confidence of each recording."""
    from pocketsphinx import Decoder
    from scipy.signal import resample_poly

    decoder = Decoder(lm=None, loglevel="FATAL")
    decoder.add_jsgf_string("digits", f"#JSGF V1.0; grammar digits; public <digit> = {' | '.join(WORDS)};")
    decoder.activate_search("digits")
    silence = np.zeros(int(PADDING * MODEL_RATE), dtype=np.int16)
    answers = np.zeros((len(sounds), 2))
    for row, sound in enumerate(sounds):
        louder = np.clip(resample_poly(sound.astype(np.float64), MODEL_RATE // RATE, 1), -32768, 32767)
        decoder.start_utt()
        decoder.process_raw(
            np.concatenate([silence, louder.astype(np.int16), silence]).tobytes(),
            no_search=False,
            full_utt=True,
        )
        decoder.end_utt()
        words = [part for part in decoder.seg() or () if part.word in WORDS]
        answers[row] = (
            (WORDS.index(words[0].word), min(1.0, decoder.get_logmath().exp(words[0].prob)))
            if words
            else (EMPTY, 0)
        )
    return answers
