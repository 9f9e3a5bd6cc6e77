"""Bring the public recordings: from a folder that holds them, else over HTTPS, always checked by SHA-256.

Run as ``python -m adaptive_sampling.recordings.fetch --to recordings`` to bring all of `data/versions.csv`.
"""

import argparse
import csv
import re
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Final

from adaptive_sampling.cases import Case
from adaptive_sampling.commands import run_command
from adaptive_sampling.errors import InputError
from adaptive_sampling.progress import progress

PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers of a server after which asking again makes sense."""

LARGEST: Final = 2_000_000_000
"""Bytes at which a download of unknown size is stopped."""


@dataclass(frozen=True)
class RecordedFile:
    """One row of `data/versions.csv`.

    Attributes
    ----------
    path : str
        Where it lies in a mirror and under the folder of recordings; a trailing ``/`` means a folder, whose
        files are listed in a table of their own.
    name : str
        The publication it belongs to.
    version : str
        Commit or release; empty where there is none.
    url : str
        Where it can be downloaded; empty if only a mirror has it.
    licence : str
    sha256 : str
        Of the file, or of the table that lists a folder; empty where it is pinned by the first download.
    bytes : int or None
        Its size.
    """

    path: str
    name: str
    version: str
    url: str
    licence: str
    sha256: str
    bytes: int | None


@dataclass(frozen=True)
class Patience:
    """How long to bear with a server.

    Attributes
    ----------
    attempts : int
        Downloads begun before giving up; each goes on where the one before broke off.
    pause : float
        Seconds before the second attempt, doubled before each further one.
    silence : float
        Seconds without a byte after which an attempt has failed.
    """

    attempts: int = 4
    pause: float = 1.0
    silence: float = 30.0


COLUMNS: Final = tuple(field.name for field in fields(RecordedFile))
"""The columns of `data/versions.csv`."""


def read_versions(path: str | Path) -> dict[str, RecordedFile]:
    """Read the list of public files.

    Parameters
    ----------
    path : str or Path
        ``data/versions.csv``.

    Returns
    -------
    dict of str to RecordedFile
        By path.

    Raises
    ------
    InputError
        If the file is missing or a cell is not what its column holds.
    """
    versions: dict[str, RecordedFile] = {}
    for where, cells in _rows(Path(path), COLUMNS):
        _check_path(where, cells["path"])
        _check_hash(where, cells, optional=True)
        size = cells.pop("bytes")
        versions[cells["path"]] = RecordedFile(**cells, bytes=int(size) if size else None)
    return versions


def files_of_folder(folder: RecordedFile, listing: str | Path) -> list[RecordedFile]:
    """List the files of a folder of `data/versions.csv`, such as the 2,000 recordings of DIGIT.

    Parameters
    ----------
    folder : RecordedFile
        Its path ends in ``/``.
    listing : str or Path
        A table with columns path, sha256, bytes; its own SHA-256 is the folder's.

    Returns
    -------
    list of RecordedFile

    Raises
    ------
    InputError
        If the table is missing or is not the one whose SHA-256 the folder gives.
    """
    rows = list(_rows(Path(listing), ("path", "sha256", "bytes")))
    found = sha256_of(listing)
    if found != folder.sha256:
        raise InputError(f"{listing}: its SHA-256 is {found}, expected {folder.sha256}")
    parent, _, last = folder.path.rstrip("/").rpartition("/")
    files = []
    for where, cells in rows:
        _check_path(where, cells["path"])
        _check_hash(where, cells, optional=False)
        files.append(
            RecordedFile(
                path=f"{parent}/{cells['path']}",
                name=folder.name,
                version=folder.version,
                url=folder.url + cells["path"].removeprefix(f"{last}/"),
                licence=folder.licence,
                sha256=cells["sha256"],
                bytes=int(cells["bytes"]),
            )
        )
    return files


def case_files(case: Case) -> tuple[str, ...]:
    """Paths of the files from which a case's predictions are read (2021 being reconstructed).

    Parameters
    ----------
    case : Case

    Returns
    -------
    tuple of str
        Paths of `data/versions.csv`.

    Examples
    --------
    >>> case_files(read_cases("config/cases.csv")["openai_gpt4"])  # doctest: +SKIP
    ('LLMDrift/generation/PRIME_FULL_EVAL.csv',)
    """
    if case.task == "llm":
        return ("LLMDrift/generation/PRIME_FULL_EVAL.csv",)
    folder = f"FrugalML/dataset/mlserviceperformance_{case.frugalml_dataset}"
    dataset = case.published_dataset
    return (
        f"{folder}/Model0_TrueLabel.txt",
        f"{folder}/Model0_ImageName.txt",
        f"{folder}/Model{case.frugalml_model}_PredictedLabel.txt",
        f"{folder}/Model{case.frugalml_model}_Confidence.txt",
        f"{folder}/Model{case.open_source_model}_Confidence.txt",
        f"hapi-explore/data/{dataset}/explore_{dataset}.json",
        "hapi-explore/data/data.json",
    )


def fetch_set(path: str) -> str:
    """Name the set of files that are fetched together: those of a dataset, or of a publication.

    Parameters
    ----------
    path : str
        A path of `data/versions.csv`.

    Returns
    -------
    str
        Lower-case words joined by ``_``.

    Examples
    --------
    >>> fetch_set("FrugalML/dataset/mlserviceperformance_YELP/Model0_TrueLabel.txt")
    'frugalml_yelp'
    >>> fetch_set("hapi-explore/data/data.json")
    'hapi_explore'
    """
    parts = PurePosixPath(path).parts
    if parts[0] == "FrugalML":
        return f"frugalml_{parts[2].rpartition('_')[2].lower()}"
    if parts[0] in ("ChineseNlpCorpus", "aclImdb"):
        return re.sub("[^a-z0-9]+", "_", parts[-1].partition(".")[0].lower())
    return re.sub("[^a-z0-9]+", "_", parts[0].lower())


def fetch(
    file: RecordedFile, folder: str | Path, mirrors: Iterable[str | Path], patience: Patience | None = None
) -> Path:
    """Bring one file, unless it is there already.

    Parameters
    ----------
    file : RecordedFile
    folder : str or Path
        The folder of recordings; the file comes to lie at its `path` below it, whole or not at all.
    mirrors : iterable of str or Path
        Folders to look in before the network; those that do not exist are passed over.
    patience : Patience, optional

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If no mirror has it and it cannot be downloaded, or what was found has another SHA-256.
    """
    import pooch

    pooch.get_logger().setLevel("WARNING")
    target = Path(folder) / PurePosixPath(file.path)
    pin = target.with_name(target.name + ".sha256")
    expected = file.sha256 or (pin.read_text("utf-8").strip() if pin.exists() else "")
    if target.exists() and expected and sha256_of(target) == expected:
        return target
    source = next((Path(m) / file.path for m in mirrors if (Path(m) / file.path).is_file()), None)
    part = Path(folder) / ".part" / f"{target.name}-{expected[:16] or 'unpinned'}"

    def bring(url: str, output: str, _: object) -> None:
        """Hand pooch a checked file under the temporary name it chose."""
        if source is not None:
            shutil.copyfile(source, output)
        else:
            part.parent.mkdir(parents=True, exist_ok=True)
            _download(file, part, patience or Patience())
        found = sha256_of(output if source is not None else part)
        if expected and found != expected:
            part.unlink(missing_ok=True)
            raise InputError(
                f"{file.path}: what {source or url} gives has SHA-256 {found}, expected {expected}: "
                "it was removed"
            )
        if source is None:
            shutil.move(part, output)

    target.unlink(missing_ok=True)
    pooch.retrieve(
        url=file.url or "mirror",
        known_hash=f"sha256:{expected}" if expected else None,
        fname=target.name,
        path=target.parent,
        downloader=bring,
    )
    if not file.sha256 and not pin.exists():
        from adaptive_sampling.tables import written_whole  # it imports pandas, which planning can do without

        with written_whole(pin) as temporary:
            temporary.write_text(sha256_of(target) + "\n", encoding="utf-8")
    return target


def fetch_all(
    files: Sequence[RecordedFile],
    folder: str | Path,
    mirrors: Iterable[str | Path],
    patience: Patience | None = None,
) -> None:
    """Bring several files, with a progress bar on a terminal and lines in a log.

    Parameters
    ----------
    files : sequence of RecordedFile
    folder, mirrors, patience
        As for `fetch`.

    Raises
    ------
    InputError
        As `fetch`, at the first file that cannot be had; those before it stay.
    """
    folders = list(mirrors)
    with progress("fetch", len(files), "files") as shown:
        for file in files:
            fetch(file, folder, folders, patience)
            shown.update()


def sha256_of(path: str | Path) -> str:
    """SHA-256 of a file, in hexadecimal.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    str
    """
    import hashlib

    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(file: RecordedFile, part: Path, patience: Patience) -> None:
    """Download to `part`, going on where an earlier attempt, or an earlier run, broke off."""
    import requests

    advice = (
        f"put it as {file.path} into a folder named in data.mirrors, or set data.source: embedded, which needs "
        "no recordings"
    )
    if not file.url:
        raise InputError(f"{file.path}: in none of the folders of data.mirrors, and nowhere online: {advice}")
    pause = patience.pause
    for attempt in range(1, patience.attempts + 1):
        try:
            _attempt(file, part, patience.silence)
            return
        except _RefusalError as error:
            if error.status not in PASSING:
                raise InputError(f"{file.path}: {file.url} {error}: find it elsewhere and {advice}") from None
            reason = str(error)
        except (
            requests.ConnectionError,
            requests.Timeout,
            requests.exceptions.ChunkedEncodingError,
        ) as error:
            reason = f"cannot be read ({type(error).__name__})"
        if attempt < patience.attempts:
            time.sleep(pause)
            pause *= 2
    raise InputError(
        f"{file.path}: in none of the folders of data.mirrors, and {file.url} {reason} after {patience.attempts} "
        f"attempts: download it on a machine with a network and {advice}"
    )


class _RefusalError(Exception):
    """The server answered, but not with the file."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"answers {status} {reason}")
        self.status = status


def _attempt(file: RecordedFile, part: Path, silence: float) -> None:
    """Ask once for what is missing of `part`.

    Raises
    ------
    _RefusalError
        If the answer is an error.
    requests.RequestException
        If there is none, or it breaks off.
    InputError
        If more comes than the file has bytes.
    """
    import requests

    have = part.stat().st_size if part.exists() else 0
    if file.bytes is not None and have >= file.bytes:
        return
    # Compressed on the way, a file could not be resumed by its own bytes.
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    with requests.get(file.url, headers=headers, stream=True, timeout=silence) as answer:
        if answer.status_code == requests.codes.requested_range_not_satisfiable:
            part.unlink()
            raise requests.ConnectionError("nothing left to send")
        if not answer.ok:
            raise _RefusalError(answer.status_code, answer.reason)
        begins = answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        resumed = answer.status_code == requests.codes.partial_content and begins
        most = LARGEST if file.bytes is None else file.bytes
        # In a log, only what takes long is worth lines of its own.
        shown = progress(
            PurePosixPath(file.path).name,
            file.bytes,
            "B",
            done=have if resumed else 0,
            leave=False,
            logged=most > 10_000_000,
        )
        with part.open("ab" if resumed else "wb") as output, shown:
            for chunk in answer.iter_content(1 << 14):
                output.write(chunk)
                shown.update(len(chunk))
                if output.tell() > most:
                    break
    if part.stat().st_size > most:
        part.unlink()
        raise InputError(
            f"{file.path}: {file.url} gives more than {most} bytes, expected {most}: it was removed"
        )
    told = "Content-Length" in answer.headers
    if not told and file.bytes is not None and part.stat().st_size < file.bytes:
        raise requests.ConnectionError("the answer broke off")


def _rows(path: Path, columns: Sequence[str]) -> Iterable[tuple[str, dict[str, str]]]:
    """Rows of a list of files, each with the place to name in a message."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    reader = csv.reader(text.splitlines(), strict=True)
    header = next(reader, [])
    if tuple(header) != tuple(columns):
        raise InputError(f"{path}: columns are {','.join(header)}, expected {','.join(columns)}")
    for cells in reader:
        where = f"{path}: line {reader.line_num}"
        if len(cells) != len(columns):
            raise InputError(f"{where}: found {len(cells)} cells, expected {len(columns)}")
        yield where, dict(zip(columns, cells))


def _check_path(where: str, path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise InputError(f"{where}, column path: found {path!r}, expected a path inside the folder")


def _check_hash(where: str, cells: Mapping[str, str], *, optional: bool) -> None:
    if not re.fullmatch("[0-9a-f]{64}", cells["sha256"]) and (cells["sha256"] or not optional):
        raise InputError(f"{where}, column sha256: found {cells['sha256']!r}, expected 64 hexadecimal digits")
    if not re.fullmatch("[0-9]+", cells["bytes"]) and (cells["bytes"] or not optional):
        raise InputError(f"{where}, column bytes: found {cells['bytes']!r}, expected a whole number")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit status, as `run_command`."""
    parser = argparse.ArgumentParser(prog="python -m adaptive_sampling.recordings.fetch", description=__doc__)
    parser.add_argument("--versions", type=Path, default=Path("data/versions.csv"), help="list of files")
    parser.add_argument("--to", type=Path, default=Path("recordings"), help="folder for the files")
    parser.add_argument(
        "--mirror", type=Path, nargs="*", default=[Path("../shared/mirror")], help="folders to look in first"
    )
    parser.add_argument("--only", default="", help="only paths that begin with this, such as FrugalML/")
    return run_command(parser, _work, arguments)


def _work(options: argparse.Namespace) -> None:
    versions = read_versions(options.versions).values()
    chosen = [f for f in versions if f.path.startswith(options.only) and not f.path.endswith("/")]
    if not chosen:
        raise InputError(f"--only: no path of {options.versions} begins with {options.only!r}")
    fetch_all(chosen, options.to, options.mirror)


if __name__ == "__main__":
    raise SystemExit(main())
