"""Run the benchmarks at small sizes, and hold the steady ratios to the recorded ones within a factor of two.

Usage: python -m benchmarks.smoke [--record]

Runs the small sizes (half a minute). Compared are ratios between compiled forms of one algorithm, which differ little
from machine to machine; those to interpreted Python and those of two threads depend on the machine and on its other
work, and are only printed. ``--record`` writes benchmarks/recorded.json anew.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Final

from benchmarks.measure import Entry, show, write
from benchmarks.memory import ROOT
from benchmarks.parts import all_entries

RECORDED: Final = ROOT / "benchmarks" / "recorded.json"
STEADY: Final = {
    ("level sort", "literal numba"),
    ("floor", "level sort"),
    ("first passages", "plain skip"),
}
"""Pairs (form, compared with) whose ratio is held to the recorded one."""
FACTOR: Final = 2.0


def steady_ratios(entries: Sequence[Entry]) -> dict[tuple[str, str, str], float]:
    """Return the ratio of each steady pair, by (group, form, compared with)."""
    return {
        (str(e["group"]), str(e["name"]), str(e["ratio_to"])): float(str(e["ratio"]))
        for e in entries
        if (e["name"], e["ratio_to"]) in STEADY
    }


def differences(found: Sequence[Entry], recorded: Sequence[Entry]) -> list[str]:
    """Say in a sentence each which steady ratios are missing, new, or off by more than `FACTOR`."""
    now, before = steady_ratios(found), steady_ratios(recorded)
    said = []
    for key in sorted(now.keys() | before.keys()):
        group, name, other = key
        a, b = now.get(key), before.get(key)
        if a is None or b is None:
            where = "measured" if a is None else "recorded"
            said.append(f"{group}: the ratio of {other} to {name} is not {where}; record the ratios anew")
        elif not b / FACTOR <= a <= b * FACTOR:
            said.append(
                f"{group}: {other} took {a:.2f} times as long as {name}, recorded are {b:.2f}, allowed are "
                f"{b / FACTOR:.2f} to {b * FACTOR:.2f}"
            )
    return said


def main() -> None:
    """Measure; compare or record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.smoke", description=__doc__.split("\n")[0])
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.relative_to(ROOT)} anew")
    arguments = parser.parse_args()
    entries = all_entries(smoke=True)
    show(entries)
    if arguments.record:
        write([entry for entry in entries if (entry["name"], entry["ratio_to"]) in STEADY], RECORDED)
        return
    said = differences(entries, json.loads(RECORDED.read_text("utf-8")))
    sys.exit("\n".join(said) or None)


if __name__ == "__main__":
    main()
