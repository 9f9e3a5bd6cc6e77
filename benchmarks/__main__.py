"""Measure everything, print one table, and write one list.

Usage: python -m benchmarks [--out FILE]; `benchmarks.smoke` runs small sizes.

The list holds {name, group, median_ns, runs, ratio_to, ratio}, see `benchmarks.measure`. Peak memory, in a file beside
it whose name ends in _memory.json, is a list of {name, group, peak_mb}.
"""

import argparse
from pathlib import Path

from benchmarks import memory
from benchmarks.measure import show, write
from benchmarks.parts import all_entries


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="where to write the list, as JSON")
    arguments = parser.parse_args()
    entries = all_entries(smoke=False)
    show(entries)
    if arguments.out:
        write(entries, arguments.out)
    peaks = memory.entries()
    show(peaks)
    if arguments.out:
        write(peaks, arguments.out.with_name(f"{arguments.out.stem}_memory.json"))


if __name__ == "__main__":
    main()
