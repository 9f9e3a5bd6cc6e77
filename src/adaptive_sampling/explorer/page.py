"""The page itself: tables packed into one HTML file that needs nothing else."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from adaptive_sampling.cases import Case
from adaptive_sampling.figures.style import COLOURS, NAMES

DIGITS: Final = 4
"""Significant digits that the page keeps."""


def explorer_page(
    *,
    errors: Mapping[str, Sequence[pd.DataFrame]],
    sizes: Mapping[str, Sequence[pd.DataFrame]],
    shares: Iterable[pd.DataFrame],
    confusion: pd.DataFrame,
    cases: Mapping[str, Case],
    shift: Mapping[str, Any],
    trials: int,
) -> str:
    """Pack tables, code and style into one HTML page.

    Parameters
    ----------
    errors, sizes : mapping of str to sequence of DataFrame
        For each source of difficulty, tables with the columns of ``errors.csv`` and ``required_size.csv``.
    shares : iterable of DataFrame
        Tables with the columns of ``shares.csv``.
    confusion : DataFrame
        ``confusion.csv``.
    cases : mapping of str to Case
        The table of cases.
    shift : mapping
        The settings' section of that name: what is chosen at first.
    trials : int

    Returns
    -------
    str
        HTML; equal tables give equal bytes.
    """
    import jinja2
    from plotly.offline import get_plotlyjs

    shown = list(dict.fromkeys(confusion["case"]))
    data = {
        "cases": {
            name: {
                "title": cases[name].title,
                "source": cases[name].source,
                "paper": {
                    "masa": cases[name].paper_masa,
                    "uniform": cases[name].paper_uniform_stratified,
                    "stratified_equal": cases[name].paper_uniform_stratified,
                },
            }
            for name in shown
        },
        "series": _series(errors),
        "sizes": _sizes(sizes),
        "shares": _shares(shares),
        "confusion": {name: _matrices(rows) for name, rows in confusion.groupby("case", sort=False)},
        "samplers": [name for name in NAMES if name in shift["samplers"]],
        "names": NAMES,
        "colours": COLOURS,
        "first": {key: shift[key] for key in ("difficulty", "K", "a", "target_error", "confidence")},
        "last": shift["budget"]["last"],
        "trials": trials,
    }
    folder = Path(__file__).parent
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string((folder / "page.html").read_text("utf-8")).render(
        plotly=_script(get_plotlyjs()),
        data=_script(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)),
        code=_script((folder / "page.js").read_text("utf-8")),
        style=_script((folder / "page.css").read_text("utf-8")),
    )


def _script(text: str) -> Any:
    """Mark text as it may stand inside <script> or <style>: nothing in it may end the element."""
    from markupsafe import Markup

    return Markup(text.replace("</", "<\\/"))  # noqa: S704


def _key(case: str, sampler: str, K: int, a: float, source: str) -> str:
    """Join what tells series apart; a is empty where the sampler has none."""
    return f"{case}|{sampler}|{K}|{'' if pd.isna(a) else f'{a:g}'}|{source}"


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


def _series(errors: Mapping[str, Sequence[pd.DataFrame]]) -> dict[str, Any]:
    """List errors against budget by case, sampler, K, a and source of difficulty."""
    series: dict[str, Any] = {}
    for source, tables in errors.items():
        for table in tables:
            parts = table[["case", "sampler", "K", "a"]].itertuples(index=False)
            keys = [_key(case, sampler, K, a, source) for case, sampler, K, a in parts]
            for key, rows in table.groupby(keys, sort=False):
                budgets = rows["budget"].tolist()
                series.setdefault(
                    str(key),
                    {
                        "first": budgets[0],
                        "step": budgets[1] - budgets[0] if len(budgets) > 1 else 1,
                        "mse": _rounded(rows["mse"]),
                        "se": _rounded(rows["mse_se"]),
                        "q95": _rounded(rows["q95"]),
                    },
                )
    return series


def _sizes(sizes: Mapping[str, Sequence[pd.DataFrame]]) -> dict[str, list[int | None]]:
    """List required sizes with their intervals, by the same keys."""
    found: dict[str, list[int | None]] = {}
    columns = ["case", "sampler", "K", "a", "n95", "n95_low", "n95_high"]
    for source, tables in sizes.items():
        for table in tables:
            for case, sampler, K, a, *size in table[columns].itertuples(index=False):
                key = _key(case, sampler, K, a, source)
                found.setdefault(key, [None if pd.isna(value) else int(value) for value in size])
    return found


def _shares(shares: Iterable[pd.DataFrame]) -> dict[str, Any]:
    """List the shares of each partition, by case, source of difficulty and budget."""
    found: dict[str, Any] = {}
    for table in shares:
        for (case, source, budget), rows in table.groupby(["case", "difficulty", "budget"], sort=False):
            found[f"{case}|{source}|{budget}"] = {
                "partition": [f"{label}, {level}" for label, level in zip(rows["label"], rows["level"])],
                **{
                    name: _rounded(rows[name])
                    for name in ("items", "optimal", "masa", "masa_low", "masa_high")
                },
            }
    return found


def _matrices(rows: pd.DataFrame) -> dict[str, Any]:
    """Lay out the confusion matrices of one case, true labels by rows."""
    labels, predicted = list(dict.fromkeys(rows["label"])), list(dict.fromkeys(rows["predicted"]))
    return {
        "labels": labels,
        "predicted": predicted,
        **{
            name: [
                _rounded(row)
                for row in rows.pivot_table(index="label", columns="predicted", values=name, aggfunc="first")
                .reindex(index=labels, columns=predicted)
                .to_numpy()
            ]
            for name in ("old", "new", "shift")
        },
    }
