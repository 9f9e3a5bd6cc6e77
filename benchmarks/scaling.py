"""How time and memory grow with each size, one at a time, far beyond the papers'.

Usage: python -m benchmarks.scaling --out FOLDER [--smoke]

Writes scaling.csv, a summary of it as scaling.md, and scaling.svg and scaling_memory.svg. Every row is measured in a
process of its own (`benchmarks.one_size`): seconds are the median processor time of five runs, peak_mb is the peak
memory of the process, and own_mb how far it lies over the peak before, with Python, libraries and compiled kernels. A
process starts with the peak of the one that started it: until all is measured, only the standard library is imported
here. A slope is that of the last three points on log-log axes: 1 is linear, 0 free.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pandas as pd

ROOT: Final = Path(__file__).parents[1]
BEST_ARM: Final = ("ebr", "passive", "sequential", "aggressive_elimination", "top_k_delta_elimination")
HELD: Final = {"trials": 50, "budget": 50_000, "partitions": 6, "labels": 2, "items": 20_000}
"""Sizes that an axis leaves as they are; for the arms, only the trials count."""

RESOLVED_MB: Final = 1.0
"""Memory below this is not told from nothing: such points are neither drawn nor fitted."""

COLUMNS: Final = {
    "axis": "text",
    "form": "text",
    "value": "count",
    "seconds": "amount",
    "peak_mb": "amount",
    "own_mb": "amount",
    "time_slope": "number",
    "memory_slope": "number?",
}
"""Columns of ``scaling.csv``."""

Row = tuple[str | float | None, ...]


@dataclass(frozen=True)
class Axis:
    """What grows.

    Attributes
    ----------
    points : tuple of int
    forms : tuple of str
        Computations of `benchmarks.one_size` that are run at each point.
    changed : dict of str to int
        What else differs from `HELD`.
    """

    points: tuple[int, ...]
    forms: tuple[str, ...] = ("masa",)
    changed: dict[str, int] = field(default_factory=dict)


AXES: Final = {
    "trials": Axis((100, 1_000, 10_000, 100_000), ("masa", "bootstrap"), {"budget": 2_000}),
    "budget": Axis((1_000, 10_000, 100_000, 1_000_000)),
    "partitions": Axis((10, 100, 1_000, 10_000), changed={"items": 200_000}),
    "labels": Axis((2, 10, 100, 1_000), changed={"items": 200_000, "partitions": 1_000}),
    "items": Axis((10_000, 100_000, 1_000_000, 10_000_000)),
    "arms": Axis((10, 100, 1_000, 10_000), BEST_ARM),
}
SMOKE: Final = 2
"""Values of each axis that a quick run measures."""


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Slope of the last three points on log-log axes, nothing for a single one.

    Examples
    --------
    >>> slope([(1, 7), (10, 1), (100, 10), (1000, 100)])
    1.0
    """
    if len(points) < 2:
        return None
    x, y = zip(*[(math.log(value), math.log(found)) for value, found in points[-3:]])
    return round(statistics.linear_regression(x, y).slope, 3)


def one_size(form: str, sizes: dict[str, int]) -> dict[str, float]:
    """Measure one size in a process of its own; return {seconds, before_mb, peak_mb}."""
    command = [sys.executable, "-m", "benchmarks.one_size", form, json.dumps(sizes)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(f"{form} with {sizes} broke:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def rows_of(name: str, axis: Axis, form: str) -> list[Row]:
    """Measure one form along one axis; return rows of `COLUMNS`."""
    one_size(
        form, HELD | axis.changed | {name: axis.points[0]}
    )  # compiles the kernels, which takes memory too
    found = [one_size(form, HELD | axis.changed | {name: value}) for value in axis.points]
    seconds = [size["seconds"] for size in found]
    own = [round(size["peak_mb"] - size["before_mb"], 1) for size in found]
    for value, size in zip(axis.points, found):
        print(
            f"{name:11} {form:24} {value:12,} {size['seconds']:10.4f} s {size['peak_mb']:7.0f} MB", flush=True
        )
    time_slope = slope(list(zip(axis.points, seconds)))
    memory_slope = slope([point for point in zip(axis.points, own) if point[1] >= RESOLVED_MB])
    return [
        (name, form, value, took, round(size["peak_mb"], 1), mb, time_slope, memory_slope)
        for value, took, size, mb in zip(axis.points, seconds, found, own)
    ]


def summary(table: "pd.DataFrame") -> str:
    """Sum up a table of `COLUMNS` as Markdown, a line for each form along each axis; in brackets the last slope."""
    lines = [
        "| size | of | from | to | seconds | slope | own memory, MB | slope |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for (axis, form), rows in table.groupby(["axis", "form"], sort=False):
        first, last = rows.iloc[0], rows.iloc[-1]
        memory = " to ".join(
            f"{mb:.0f}" if mb >= RESOLVED_MB else f"under {RESOLVED_MB:.0f}"
            for mb in (first["own_mb"], last["own_mb"])
        )
        lines.append(
            f"| {axis} | {named(str(form))} | {first['value']:,} | {last['value']:,} | "
            f"{first['seconds']:.2g} to {last['seconds']:.2g} | {shown_slopes(rows, 'seconds')} | "
            f"{memory} | {shown_slopes(rows[rows['own_mb'] >= RESOLVED_MB], 'own_mb')} |"
        )
    return "\n".join(lines) + "\n"


def shown_slopes(rows: "pd.DataFrame", column: str) -> str:
    """Write the slope of the last three points and, in brackets, of the last two: unlike where a line bends."""
    points = list(zip(rows["value"], rows[column]))
    fitted, last = slope(points), slope(points[-2:])
    return "" if fitted is None or last is None else f"{fitted:.2f} ({last:.2f})"


def named(form: str) -> str:
    """Call a form as a reader knows it."""
    from adaptive_sampling.figures import style

    return {**style.NAMES, "bootstrap": "bootstrap"}[form]


def draw(table: "pd.DataFrame", column: str, title: str, path: Path) -> None:
    """Draw one column against every size on log-log axes, with the line whose slope is stated."""
    from adaptive_sampling.figures import style

    colours = {**style.COLOURS, "bootstrap": style.COLOURS["stratified_equal"]}
    slopes = {"seconds": "time_slope", "own_mb": "memory_slope"}[column]
    figure, axes = style.panels(2, 3, width=style.PAGE, height=4.2)
    shown = table[table["own_mb"] >= RESOLVED_MB] if column == "own_mb" else table
    for axis, (size, group) in zip(axes, shown.groupby("axis", sort=False)):
        for form, rows in group.groupby("form", sort=False):
            steep, last, colour = rows[slopes].iloc[0], rows.tail(3), colours[str(form)]
            label = named(str(form)) if math.isnan(steep) else f"{named(str(form))}: {steep:.2f}"
            axis.loglog(rows["value"], rows[column], "o", markersize=3, color=colour, label=label)
            if not math.isnan(steep):
                middle, found = (statistics.geometric_mean(last[name]) for name in ("value", column))
                line = [found * (value / middle) ** steep for value in last["value"]]
                axis.loglog(last["value"], line, "-", color=colour)
        points = table.loc[table["axis"] == size, "value"]
        axis.set_xlim(points.min() / 2, points.max() * 2)
        axis.set_xlabel(str(size))
        axis.legend(loc="upper left")
    low, high = shown[column].min() / 2, shown[column].max() * 20
    for axis in axes:
        axis.set_ylim(low, high)
        axis.set_visible(axis.has_data())
    for axis in axes[::3]:
        axis.set_ylabel(title)
    style.save(figure, [path])


def write(rows: Sequence[Row], folder: Path) -> None:
    """Write the table, its summary and both figures."""
    import pandas as pd

    from adaptive_sampling.tables import read_table, write_table, write_text

    path = folder / "scaling.csv"
    write_table(pd.DataFrame(rows, columns=list(COLUMNS)), path)
    table = read_table(path, COLUMNS)
    write_text(summary(table), folder / "scaling.md")
    draw(table, "seconds", "processor time, s", folder / "scaling.svg")
    draw(table, "own_mb", "own memory, MB", folder / "scaling_memory.svg")


def main() -> None:
    """Measure, write, draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the table and the figures")
    parser.add_argument(
        "--smoke", action="store_true", help="half a minute: the smallest values of each axis"
    )
    arguments = parser.parse_args()
    rows = []
    for name, axis in AXES.items():
        chosen = Axis(axis.points[:SMOKE], axis.forms, axis.changed) if arguments.smoke else axis
        for form in chosen.forms:
            rows += rows_of(name, chosen, form)
    write(rows, arguments.out)


if __name__ == "__main__":
    main()
