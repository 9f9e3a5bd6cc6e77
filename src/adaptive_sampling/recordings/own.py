"""Your own API: its predictions at two dates, from one CSV file or from two that are joined by id.

One file has the columns ``id,label,old,new`` and, if there is a cheap model's confidence to rank items by,
``confidence``. Of two files the earlier has ``id,label,prediction`` and perhaps ``confidence``, the later
``id,prediction``. Columns may come in any order; others are ignored. Labels are any text.

Who has not asked the API about every item again names one file with ``id,label,old`` and perhaps ``confidence`` and,
once there are some, the answers so far as ``id,new``.

`describe` reads with the standard library alone, because it runs while the workflow is being planned.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unicodedata import category

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

MOST_LABELS: Final = 5000
"""More different labels than this are taken for free text."""

LARGEST: Final = 1e300
"""Confidences beyond this are refused."""

UNFIT: Final = frozenset({"Cc", "Zl", "Zp"})
"""Unicode's control characters and separators of lines: no part of a label."""

BLOCK: Final = 500
"""Rows looked at together."""

Entry = Mapping[str, Any]
"""What the config says of one case: ``predictions`` and perhaps ``answers``, or ``old`` and ``new``; perhaps names."""

UNANSWERED: Final = -1
"""New answer of an item that has not been asked about."""


@dataclass(frozen=True)
class OwnPredictions:
    """Predictions of one API at two dates, as indices of labels.

    Attributes
    ----------
    ids : Index of str, shape (items,)
    labels, old, new : ndarray of int64, shape (items,)
        Indices of `Case.labels` and of `Case.predicted_labels`; `new` may be `UNANSWERED`.
    confidences : ndarray of float, shape (items,), or None
        A cheap model's; low values are difficult.
    """

    ids: "pd.Index[str]"
    labels: "NDArray[np.int64]"
    old: "NDArray[np.int64]"
    new: "NDArray[np.int64]"
    confidences: "NDArray[np.float64] | None"


@dataclass(frozen=True)
class _Source:
    """One file, and what its columns mean here."""

    path: Path
    columns: Mapping[str, str]


def difficulty_sources(entry: Entry) -> tuple[str, ...]:
    """Name what can rank the items of an own case.

    Parameters
    ----------
    entry : mapping
        The case's section of the config.

    Returns
    -------
    tuple of str
        ``none``, after ``confidence`` if there is such a column.
    """
    ranked = _has_column(_sources(entry)[0].path, "confidence")
    return ("confidence", "none") if ranked else ("none",)


def describe(name: str, entry: Entry, *, asking: bool = False) -> Case:
    """Find out how many items an own case has, and which labels.

    Parameters
    ----------
    name : str
        The case's name in the config.
    entry : mapping
        The case's section of the config.
    asking : bool
        Whether new answers may be missing, because the run is to say which to ask for.

    Returns
    -------
    Case
        True labels in order, numbers by value and others as text; predicted labels outside them follow.

    Raises
    ------
    InputError
        If a file is missing or not readable as UTF-8 CSV, a column is missing, a cell is empty, there is but
        one true label, or there are more than `MOST_LABELS`; with `asking`, if all answers are there already.
    """
    given = {"predictions", "answers", "old", "new"} & set(entry)
    if given - {"answers"} != {"predictions"} and (asking or given != {"old", "new"}):
        raise InputError(
            f"config: key data.own.{name}: found {' and '.join(sorted(given)) or 'no file'}, allowed are predictions "
            f"and perhaps answers{'' if asking else ', or old and new'}"
        )
    if asking and _has_column(Path(entry["predictions"]), "new"):
        raise InputError(
            f"{entry['predictions']}: line 1: column new holds every new answer, expected a file without it for "
            "targets: [next_queries]"
        )
    found: dict[str, set[str]] = {"label": set(), "old": set(), "new": set()}
    items = []
    for source in _sources(entry, asking):
        names = [meaning for meaning in source.columns if meaning not in ("id", "confidence")]
        items.append(_scan(source, {meaning: found[meaning] for meaning in names}))
    labels, predicted = _ordered(found["label"]), _ordered((found["old"] | found["new"]) - found["label"])
    path = _sources(entry)[0].path
    if len(labels) < 2:
        raise InputError(f"{path}: the only true label is {labels[0]!r}, expected two or more different ones")
    if len(labels) + len(predicted) > MOST_LABELS:
        raise InputError(
            f"{path}: {len(labels) + len(predicted)} different labels and predictions, allowed are {MOST_LABELS}: "
            "is there free text among them?"
        )
    if len(set(items)) > 1 and not asking:
        old, new = _sources(entry)
        raise InputError(f"{new.path}: {items[1]} items, expected the {items[0]} of {old.path}")
    return Case(
        case=name,
        task="own",
        api=entry.get("api", name),
        dataset=entry.get("dataset", path.stem),
        items=items[0],
        labels=labels,
        predicted_labels=labels + predicted,
        price_per_10k=float(entry.get("price_per_10k", 0)),
        source="own predictions",
        frugalml_dataset=None,
        frugalml_model=None,
        open_source_model=None,
        published_dataset=None,
        published_api=None,
        shifted=True,
        paper_masa=None,
        paper_uniform_stratified=None,
        paper_save=None,
    )


def read_own(case: Case, entry: Entry, *, asking: bool = False) -> OwnPredictions:
    """Read the predictions of an own case.

    Parameters
    ----------
    case : Case
        From `describe`.
    entry : mapping
        The case's section of the config.
    asking : bool
        Whether new answers may be missing.

    Returns
    -------
    OwnPredictions

    Raises
    ------
    InputError
        As `describe`; also if an id appears twice, an id of one file is not in the other, or a confidence is
        not a number.
    """
    import numpy as np

    first, *others = _sources(entry, asking)
    table = _table(first)
    ids = _unique_ids(first.path, table.pop("id"))
    given = "new" in table
    new = _indices(table["new"], case.predicted_labels) if given else np.full(len(ids), UNANSWERED)
    for other in others:
        later = _table(other)
        place = _unique_ids(other.path, later["id"])
        row = ids.get_indexer(place)
        if (row < 0).any() or (len(place) < len(ids) and not asking):
            raise InputError(_unmatched(first.path, ids, other.path, place, asking))
        new[row] = _indices(later["new"], case.predicted_labels)
    return OwnPredictions(
        ids=ids,
        labels=_indices(table["label"], case.labels),
        old=_indices(table["old"], case.predicted_labels),
        new=new,
        confidences=table["confidence"].to_numpy() if "confidence" in table else None,
    )


def own_replay_table(case: Case, entry: Entry, seed: int) -> "pd.DataFrame":
    """Count the items of an own case into a replay table.

    Parameters
    ----------
    case : Case
        From `describe`.
    entry : mapping
        The case's section of the config.
    seed : int
        Breaks ties between equal confidences.

    Returns
    -------
    DataFrame
        As `build_replay_table`; difficulty sources ``none`` and, where there is such a column, ``confidence``.

    Raises
    ------
    InputError
        As `read_own`.
    """
    from adaptive_sampling.recordings.replay import build_replay_table

    read = read_own(case, entry)
    sources: dict[str, NDArray[np.float64] | None] = {"none": None}
    if read.confidences is not None:
        sources["confidence"] = read.confidences
    return build_replay_table(case, read.labels, read.old, read.new, sources, seed)


def own_files(entry: Entry) -> list[str]:
    """Files of an own case, as the config names them."""
    return [source.path.as_posix() for source in _sources(entry)]


def _sources(entry: Entry, asking: bool = False) -> list[_Source]:
    if "predictions" in entry:
        names = ("id", "label", "old") if asking or "answers" in entry else ("id", "label", "old", "new")
        first = _Source(Path(entry["predictions"]), {name: name for name in names})
        later = {"id": "id", "new": "new"}
        return [first, *([_Source(Path(entry["answers"]), later)] if "answers" in entry else [])]
    return [
        _Source(Path(entry["old"]), {"id": "id", "label": "label", "old": "prediction"}),
        _Source(Path(entry["new"]), {"id": "id", "new": "prediction"}),
    ]


def _has_column(path: Path, name: str) -> bool:
    with _opened(path) as rows:
        return name in _header(path, rows)


_WITHOUT_NEW: Final = (
    "; new answers may also stand in a file id,new, named by the case's key answers, and targets: [next_queries] "
    "says which to ask for"
)


class _opened:  # noqa: N801
    """Rows of a CSV file; what cannot be read is said in one sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Iterator[list[str]]:
        try:
            self.file = self.path.open(encoding="utf-8-sig", newline="")
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from None
        return csv.reader(self.file, strict=True)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.file.close()
        if isinstance(error, UnicodeDecodeError):
            raise InputError(f"{self.path}: not UTF-8 text ({error})") from None
        if isinstance(error, csv.Error):
            raise InputError(f"{self.path}: not readable as CSV ({error})") from None


def _header(path: Path, rows: Iterator[list[str]]) -> list[str]:
    header = [name.strip() for name in next(rows, [])]
    twice = {name for name in header if name and header.count(name) > 1}
    if twice:
        raise InputError(f"{path}: line 1: column {min(twice)} stands there twice, expected once")
    return header


def _check_columns(source: _Source, header: list[str]) -> None:
    """Refuse a file that lacks a column."""
    for name in source.columns.values():
        if name not in header:
            wanted = ",".join(source.columns.values())
            hint = _WITHOUT_NEW if name == "new" and "label" in source.columns else ""
            raise InputError(
                f"{source.path}: line 1: no column {name}, found {','.join(header)[:200]!r}, expected {wanted}{hint}"
            )


def _scan(source: _Source, found: Mapping[str, set[str]]) -> int:
    """Add the different cells of some columns to `found`, and count the items."""
    path = source.path
    with _opened(path) as rows:
        header = _header(path, rows)
        _check_columns(source, header)
        place = {meaning: header.index(source.columns[meaning]) for meaning in (*found, "id")}
        cells: dict[str, set[str]] = {meaning: set() for meaning in found}
        items, without_id = 0, False
        # Column by column within a block of rows, which is several times faster than row by row.
        while block := list(islice(rows, BLOCK)):
            if set(map(len, block)) != {len(header)}:
                block = _whole_rows(path, block, len(header), items)
            columns = list(zip(*block))
            items += len(block)
            for meaning, values in cells.items():
                values.update(columns[place[meaning]] if columns else ())
            without_id = without_id or (bool(columns) and "" in columns[place["id"]])
    if items == 0 and "label" in source.columns:
        raise InputError(f"{path}: no items below the header")
    for meaning, values in cells.items():
        found[meaning].update(value.strip() for value in values)
    if without_id or any("" in found[meaning] for meaning in found):
        raise InputError(_first_empty(source, [*found, "id"]))
    for meaning in found:
        unfit = [value for value in found[meaning] if {category(letter) for letter in value} & UNFIT]
        if unfit:
            raise InputError(
                f"{path}: column {source.columns[meaning]}: found {min(unfit)!r}, expected text on one line"
            )
    return items


def _whole_rows(path: Path, block: list[list[str]], width: int, before: int) -> list[list[str]]:
    """Leave out empty lines, and refuse any other row that is not as wide as the header."""
    kept = [row for row in block if row]
    for number, row in enumerate(kept, start=before + 1):
        if len(row) != width:
            raise InputError(f"{path}: row {number} below the header: {len(row)} cells, expected {width}")
    return kept


def _first_empty(source: _Source, meanings: list[str]) -> str:
    """Say where the first empty cell is."""
    with _opened(source.path) as rows:
        header = _header(source.path, rows)
        number = 0
        for row in rows:
            number += bool(row)
            for meaning in meanings:
                name = source.columns[meaning]
                if row and not row[header.index(name)].strip():
                    return (
                        f"{source.path}: row {number} below the header, column {name}: empty, expected a value; "
                        "an empty answer needs a name, such as none"
                    )
    raise AssertionError("an empty cell was seen")


def _ordered(labels: set[str]) -> tuple[str, ...]:
    """Sort labels: by value if all are whole numbers, else as text."""
    if all(label.isascii() and label.isdecimal() for label in labels):
        digits = {label: label.lstrip("0") for label in labels}
        return tuple(sorted(labels, key=lambda label: (len(digits[label]), digits[label], label)))
    return tuple(sorted(labels))


def _table(source: _Source) -> "pd.DataFrame":
    """Read a file that `describe` has seen, its columns under the names of what they mean."""
    import pandas as pd

    path = source.path
    with _opened(path) as rows:
        header = _header(path, rows)
    _check_columns(source, header)
    columns = dict(source.columns)
    if "confidence" in header and "label" in columns:
        columns["confidence"] = "confidence"
    # By place, because several columns may have no name.
    place = {header.index(name): meaning for meaning, name in columns.items()}
    try:
        table = pd.read_csv(
            path,
            names=range(len(header)),
            header=0,
            usecols=list(place),
            dtype={
                index: "float64" if meaning == "confidence" else "str" for index, meaning in place.items()
            },
            encoding="utf-8-sig",
            keep_default_na=False,
            na_filter=False,
        ).rename(columns=place)
    except ValueError as error:
        raise InputError(_first_unfit(path, header, error)) from None
    if "confidence" in table and not table["confidence"].between(-LARGEST, LARGEST).all():
        raise InputError(_first_unfit(path, header, ValueError("a number that is not finite")))
    return table


def _first_unfit(path: Path, header: list[str], error: ValueError) -> str:
    """Say which confidence is not a number."""
    place = header.index("confidence") if "confidence" in header else None
    with _opened(path) as rows:
        next(rows)
        for number, row in enumerate(filter(None, rows), start=1):
            if place is not None and not _finite(row[place]):
                return (
                    f"{path}: row {number} below the header, column confidence: found {row[place][:80]!r}, expected "
                    f"a number up to {LARGEST:g}"
                )
    return f"{path}: not readable as CSV ({str(error).strip()})"


def _finite(text: str) -> bool:
    try:
        # Python also takes 1_0 and digits of other scripts for numbers.
        return text.isascii() and "_" not in text and abs(float(text)) <= LARGEST
    except ValueError:
        return False


def _unique_ids(path: Path, ids: "pd.Series[str]") -> "pd.Index[str]":
    import pandas as pd

    index = pd.Index(ids)
    if not index.is_unique:
        again = index.duplicated()
        raise InputError(
            f"{path}: id {index[int(again.argmax())]!r} stands there twice ({int(again.sum())} rows repeat an "
            "id), expected every id once"
        )
    return index


def _unmatched(first: Path, ids: "pd.Index[str]", other: Path, later: "pd.Index[str]", asking: bool) -> str:
    """Count the ids that two files do not share, and name the first."""
    missing, extra = ids[~ids.isin(later)], later[~later.isin(ids)]
    if extra.empty:
        return f"{other}: {len(missing)} ids of {first} are not in it (the first is {missing[0]!r}), expected all"
    if asking:
        return f"{other}: {len(extra)} ids are not in {first} (the first is {extra[0]!r}), expected ids of its items"
    return (
        f"{other}: {len(missing)} ids of {first} are not in it (the first is {missing[0]!r}) and {len(extra)} of its "
        f"ids are not in {first} (the first is {extra[0]!r}), expected the same ids in both"
    )


def _indices(cells: "pd.Series[Any]", names: tuple[str, ...]) -> "NDArray[np.int64]":
    """Turn text into indices of labels, without touching each cell."""
    import numpy as np
    import pandas as pd

    place = {name: index for index, name in enumerate(names)}
    # Not read_csv's own categories: these would be numbers where all labels look like numbers, 007 and 7 the same.
    codes, cells_apart = pd.factorize(cells)
    lookup = np.array([place[cell.strip()] for cell in cells_apart], dtype=np.int64)
    indices: NDArray[np.int64] = lookup[codes]
    return indices
