"""Measure several forms of one computation in turn, and compare them round by round."""

import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

Form = Callable[[], int]
"""Runs once and returns how many units of work (steps, trials, pulls) it did."""

Entry = dict[str, object]
"""What is written of one form against one other: {name, group, median_ns, runs, ratio_to, ratio}."""

ROUNDS: Final = 7
"""Rounds in which every form runs once."""

CLOCKS: Final[Mapping[str, Callable[[], int]]] = {
    "processor time": time.process_time_ns,
    "time on the clock": time.perf_counter_ns,
}
"""Processor time adds up all threads and hardly feels other work on the machine; where threads are compared, only
time on the clock means anything."""


def measure(
    group: str,
    forms: Mapping[str, Form],
    compare: Mapping[str, Sequence[str | None]],
    *,
    clock: str = "processor time",
    rounds: int = ROUNDS,
) -> list[Entry]:
    """Run all forms in turn, round after round.

    Parameters
    ----------
    group : str
        What a unit is; the clock is added to it, one clock for all forms of the group.
    forms : mapping of str to callable
    compare : mapping of str to sequence of str
        Name of a form to the names of those it is compared with.
    clock : str
        One of `CLOCKS`.
    rounds : int

    Returns
    -------
    list of Entry
        median_ns is the median time of a unit. A ratio is the median over the rounds of (time of the other / time
        of this one): how many times faster this one is. The two times of a round are neighbours, so that
        whatever slows the machine for a while slows both.
    """
    now = CLOCKS[clock]
    for form in forms.values():
        form()  # compiles, and fills the caches
    times: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(rounds):
        for name, form in forms.items():
            begin = now()
            units = form()
            times[name].append((now() - begin) / units)
    entries: list[Entry] = []
    for name in forms:
        for other in compare.get(name, [None]):
            ratios = [] if other is None else [b / a for a, b in zip(times[name], times[other])]
            entries.append(
                {
                    "name": name,
                    "group": f"{group}, {clock}",
                    "median_ns": round(statistics.median(times[name]), 2),
                    "runs": rounds,
                    "ratio_to": other,
                    "ratio": round(statistics.median(ratios), 3) if ratios else None,
                }
            )
    return entries


def shown(nanoseconds: float) -> str:
    """Write a time in nanoseconds, or in seconds from one second on."""
    return f"{nanoseconds / 1e9:16,.2f} s " if nanoseconds >= 1e9 else f"{nanoseconds:16,.1f} ns"


def show(entries: Sequence[Entry]) -> None:
    """Print a table of times or of peak memory, group by group."""
    group = None
    for entry in entries:
        if entry["group"] != group:
            group = entry["group"]
            print(f"\n{group}")
        if "peak_mb" in entry:
            print(f"  {entry['name']:32} {entry['peak_mb']:16,.1f} MB")
            continue
        ratio = f"{entry['ratio']:12,.2f} x {entry['ratio_to']}" if entry["ratio_to"] else ""
        print(f"  {entry['name']:32} {shown(float(str(entry['median_ns'])))} {ratio}")


def write(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    """Write a list as JSON, an entry a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(" " + json.dumps(row) for row in rows)
    path.write_text(f"[\n{lines}\n]\n", "utf-8")
