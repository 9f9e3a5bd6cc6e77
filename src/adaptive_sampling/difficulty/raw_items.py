"""The texts and sounds that the APIs were asked about, as they saw them."""

import tarfile
import wave
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.errors import InputError

MOST_BYTES: Final = 200_000_000
"""What the text of one dataset may take unpacked: far more than any does, far less than fills a memory."""

RATE: Final = 8000
"""Samples a second in the recordings of digits."""

Sounds = list[NDArray[np.int16]]


def read_texts(dataset: str, path: str | Path, names: Sequence[str], labels: NDArray[np.int64]) -> list[str]:
    """Read the texts of a dataset, in the order of the recordings of 2020.

    Parameters
    ----------
    dataset : str
        ``IMDB``, ``WAIMAI`` or ``SHOP``.
    path : str or Path
        The archive or table that holds them.
    names : sequence of str
        Names of the recording's items.
    labels : ndarray of int64, shape (items,)
        True labels: 0 positive, 1 negative. Reviews of IMDB are told apart by name and label.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        If the file is missing or not as expected, or lacks an item.
    """
    if dataset == "IMDB":
        return _reviews(Path(path), names, labels)
    lines = _zipped_lines(Path(path)) if dataset == "SHOP" else _lines(Path(path).read_bytes())
    # Item i is line i below the header. The APIs were sent what a plain split at commas gives: of WAIMAI all
    # after the first, quotes and all; of SHOP the third field, cut at its own first comma.
    texts = [line.partition(",")[2] if dataset == "WAIMAI" else _third(line) for line in lines[1:]]
    rows = [int(name.removesuffix(".txt").rpartition("_")[2]) - 1 for name in names]
    if min(rows) < 0 or max(rows) >= len(texts):
        raise InputError(f"{path}: {len(texts)} lines, expected {max(rows) + 1}, one for each item")
    return [texts[row] for row in rows]


def read_sounds(folder: str | Path, names: Sequence[str]) -> Sounds:
    """Read the recordings of spoken digits.

    Parameters
    ----------
    folder : str or Path
        Holds ``0_jackson_0.wav`` and so on: 8 kHz, mono, 16 bit.
    names : sequence of str
        Names of the recording's items, such as ``DIGIT_0_jackson_0.wav``.

    Returns
    -------
    list of ndarray of int16

    Raises
    ------
    InputError
        If a file is missing or of another kind.
    """
    sounds = []
    for name in names:
        path = Path(folder) / name.removeprefix("DIGIT_")
        try:
            with wave.open(str(path)) as sound:
                kind = (sound.getframerate(), sound.getnchannels(), sound.getsampwidth())
                data = sound.readframes(sound.getnframes())
        except FileNotFoundError:
            raise InputError(f"{path}: no such file") from None
        except (wave.Error, EOFError) as error:
            raise InputError(f"{path}: not a readable wav file ({error})") from None
        if kind != (RATE, 1, 2):
            raise InputError(f"{path}: rate, channels and bytes are {kind}, expected {(RATE, 1, 2)}")
        sounds.append(np.frombuffer(data, dtype="<i2").astype(np.int16))
    return sounds


def _reviews(path: Path, names: Sequence[str], labels: NDArray[np.int64]) -> list[str]:
    """Read reviews of IMDB's test part straight from the archive: nothing is unpacked to disk."""
    found: dict[tuple[str, str], str] = {}
    total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts
                if not member.isfile() or parts[:2] != ("aclImdb", "test") or len(parts) != 4:
                    continue
                total += member.size
                content = archive.extractfile(member)
                if total > MOST_BYTES or content is None:
                    raise InputError(f"{path}: holds more than {MOST_BYTES} bytes of reviews, refused")
                found[parts[2], parts[3]] = content.read().decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{path}: not readable as a tar archive, or cut short ({error})") from None
    keys = [("neg" if label else "pos", name) for name, label in zip(names, labels)]
    missing = next((key for key in keys if key not in found), None)
    if missing is not None:
        raise InputError(f"{path}: no review aclImdb/test/{'/'.join(missing)}")
    return [found[key] for key in keys]


def _zipped_lines(path: Path) -> list[str]:
    """Lines of the only file in a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            [member] = archive.infolist()
            # Its header can lie about the size: read one byte more than is allowed, and no further.
            with archive.open(member) as file:
                content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (zipfile.BadZipFile, ValueError, EOFError) as error:
        raise InputError(f"{path}: not a zip archive with one file ({error})") from None
    if len(content) > MOST_BYTES:
        raise InputError(f"{path}: holds more than {MOST_BYTES} bytes, refused")
    return _lines(content)


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8").removesuffix("\n").split("\n")


def _third(line: str) -> str:
    fields = line.split(",")
    return fields[2] if len(fields) > 2 else ""
