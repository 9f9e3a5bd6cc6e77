"""The cases: one API on one dataset at two dates, as `config/cases.csv` lists them.

Standard library only: the table is read while the workflow is being planned.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from adaptive_sampling.errors import InputError

TASKS: Final = ("sa", "fer", "scr", "llm", "own")
"""Sentiment analysis, facial emotion recognition, spoken command recognition, language models, your own."""

SOURCES: Final = ("reconstructed", "recorded", "own predictions", "published")
"""Where the later predictions come from; ``published`` has no replay table, only its accuracies."""


@dataclass(frozen=True)
class Case:
    """One row of `config/cases.csv`.

    Attributes
    ----------
    case : str
        Its name in files and in the config, such as ``amazon_yelp``.
    task : str
        One of `TASKS`.
    api, dataset : str
        As the MASA paper spells them.
    items : int
        Items of the dataset, at least 1.
    labels : tuple of str
        Names of the true labels, by index.
    predicted_labels : tuple of str
        Names of the predicted labels, by index: the true labels first, then answers outside them.
    price_per_10k : float
        USD for 10,000 queries (Table 3 of the paper; for language models the recorded cost).
    source : str
        One of `SOURCES`.
    frugalml_dataset : str or None
        The dataset's name in the FrugalML recordings.
    frugalml_model, open_source_model : int or None
        Model numbers of the API and of the open-source model there.
    published_dataset, published_api : str or None
        The names in the published accuracy tables.
    shifted : bool
        Whether the accuracy moved by more than 1%.
    paper_masa, paper_uniform_stratified : int or None
        Required sample sizes of Table 1 of the paper, in samples.
    paper_save : int or None
        Saving of Table 1 of the paper, in per cent.
    """

    case: str
    task: str
    api: str
    dataset: str
    items: int
    labels: tuple[str, ...]
    predicted_labels: tuple[str, ...]
    price_per_10k: float
    source: str
    frugalml_dataset: str | None
    frugalml_model: int | None
    open_source_model: int | None
    published_dataset: str | None
    published_api: str | None
    shifted: bool
    paper_masa: int | None
    paper_uniform_stratified: int | None
    paper_save: int | None

    @property
    def title(self) -> str:
        """The case as the paper writes it, such as ``Amazon YELP``."""
        return f"{self.api} {self.dataset}"


COLUMNS: Final = tuple(field.name for field in fields(Case))
"""The columns of `config/cases.csv`, in order."""


def read_cases(path: str | Path) -> dict[str, Case]:
    """Read the table of cases.

    Parameters
    ----------
    path : str or Path
        A CSV file with exactly the columns `COLUMNS`.

    Returns
    -------
    dict of str to Case
        By name, in the order of the file.

    Raises
    ------
    InputError
        If the file is missing, a column is missing or unknown, a name appears twice, or a cell is not what
        its column holds; the sentence names the file, the line and the column.

    Examples
    --------
    >>> cases = read_cases("config/cases.csv")  # doctest: +SKIP
    >>> cases["amazon_yelp"].labels  # doctest: +SKIP
    ('positive', 'negative')
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error})") from None
    except (OSError, ValueError) as error:  # a folder, no right to read it, or no name of a file at all
        raise InputError(
            f"{str(path)[:200]!r}: cannot be read ({getattr(error, 'strerror', error)})"
        ) from None
    reader = csv.reader(text.splitlines(), strict=True)
    try:
        _check_columns(path, next(reader, []))
        cases: dict[str, Case] = {}
        for cells in reader:
            where = f"{path}: line {reader.line_num}"
            if len(cells) != len(COLUMNS):
                raise InputError(f"{where}: found {len(cells)} cells, expected {len(COLUMNS)}")
            case = _case(where, dict(zip(COLUMNS, cells)))
            if case.case in cases:
                raise InputError(f"{where}, column case: found {case.case!r} a second time, names are unique")
            cases[case.case] = case
    except csv.Error as error:
        raise InputError(f"{path}: line {reader.line_num}: not readable as CSV ({error})") from None
    if not cases:
        raise InputError(f"{path}: no case in it, expected at least one row")
    return cases


def write_cases(cases: Iterable[Case], path: str | Path) -> None:
    r"""Write a table of cases; in the name of a label ``;`` is written ``\;`` and ``\`` is written ``\\``.

    Parameters
    ----------
    cases : iterable of Case
    path : str or Path
        Replaced in one step.
    """
    from adaptive_sampling.tables import written_whole  # it imports pandas, which planning can do without

    with written_whole(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([_cell(getattr(case, column)) for column in COLUMNS] for case in cases)


def _cell(value: object) -> str:
    """Write one attribute of a case as `read_cases` reads it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ";".join(name.replace("\\", r"\\").replace(";", r"\;") for name in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _split(cell: str) -> tuple[str, ...]:
    """Split names at each ``;`` that no backslash precedes."""
    # Tables are text without NUL and SOH, which can stand for what is escaped.
    kept = cell.replace(r"\\", "\0").replace(r"\;", "\1")
    return tuple(name.replace("\1", ";").replace("\0", "\\") for name in kept.split(";"))


def selected_cases(cases: Mapping[str, Case], names: Sequence[str] | None) -> list[Case]:
    """Keep the cases that a command line names with ``--only``; all without it.

    Parameters
    ----------
    cases : mapping of str to Case
        From `read_cases`.
    names : sequence of str or None

    Returns
    -------
    list of Case
        In the order of the table.

    Raises
    ------
    InputError
        If a name is not among them.
    """
    unknown = sorted(set(names or ()) - set(cases))
    if unknown:
        raise InputError(f"--only: found {', '.join(unknown)}, allowed are {', '.join(cases)}")
    return [case for name, case in cases.items() if not names or name in names]


def _check_columns(path: Path, found: list[str]) -> None:
    for name in found:
        if name not in COLUMNS:
            raise InputError(f"{path}: line 1, column {name}: unknown, allowed are {', '.join(COLUMNS)}")
    for name in COLUMNS:
        if name not in found:
            raise InputError(f"{path}: line 1, column {name}: missing")
    if tuple(found) != COLUMNS:
        raise InputError(f"{path}: line 1: columns are {','.join(found)}, expected {','.join(COLUMNS)}")


def _case(where: str, cells: dict[str, str]) -> Case:
    """Turn the cells of one row into a case, or say which cell is wrong."""

    def wrong(column: str, expected: str) -> InputError:
        return InputError(f"{where}, column {column}: found {cells[column]!r}, expected {expected}")

    def optional_count(column: str, most: int | None = None) -> int | None:
        if not cells[column]:
            return None
        if not re.fullmatch(r"0|[1-9][0-9]*", cells[column]):
            raise wrong(column, "a whole number or nothing")
        if most is not None and int(cells[column]) > most:
            raise wrong(column, f"at most {most}")
        return int(cells[column])

    def one_of(column: str, allowed: tuple[str, ...]) -> str:
        if cells[column] not in allowed:
            raise wrong(column, f"one of {', '.join(allowed)}")
        return cells[column]

    def names(column: str) -> tuple[str, ...]:
        values = _split(cells[column])
        if len(values) < 2 or "" in values or len(set(values)) < len(values):
            raise wrong(column, "two or more different names with ; between them")
        return values

    if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", cells["case"]):
        raise wrong("case", "lower-case letters and digits in words joined by _")
    for column in ("api", "dataset"):
        if not cells[column]:
            raise wrong(column, "a name")
    if not re.fullmatch(r"[1-9][0-9]*", cells["items"]):
        raise wrong("items", "a whole number of at least 1")
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", cells["price_per_10k"]):
        raise wrong("price_per_10k", "a price in USD of at least 0")
    labels, predicted_labels = names("labels"), names("predicted_labels")
    if predicted_labels[: len(labels)] != labels:
        raise wrong("predicted_labels", f"the true labels first: {cells['labels']}")
    converted: dict[str, Any] = {
        "case": cells["case"],
        "task": one_of("task", TASKS),
        "api": cells["api"],
        "dataset": cells["dataset"],
        "items": int(cells["items"]),
        "labels": labels,
        "predicted_labels": predicted_labels,
        "price_per_10k": float(cells["price_per_10k"]),
        "source": one_of("source", SOURCES),
        "frugalml_dataset": cells["frugalml_dataset"] or None,
        "frugalml_model": optional_count("frugalml_model"),
        "open_source_model": optional_count("open_source_model"),
        "published_dataset": cells["published_dataset"] or None,
        "published_api": cells["published_api"] or None,
        "shifted": one_of("shifted", ("yes", "no")) == "yes",
        "paper_masa": optional_count("paper_masa"),
        "paper_uniform_stratified": optional_count("paper_uniform_stratified"),
        "paper_save": optional_count("paper_save", most=100),
    }
    return Case(**converted)
