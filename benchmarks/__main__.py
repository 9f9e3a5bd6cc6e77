"""Measure everything, print one table, and write one list.

Usage: python -m benchmarks [--out FILE] [--smoke]

The list holds {name, group, median_ns, runs, ratio_to, ratio}, see `benchmarks.measure`. Peak memory, in a file beside
it whose name ends in _memory.json, is a list of {name, group, peak_mb}.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import memory
from benchmarks.measure import Entry, show, write

PARTS = ("masa", "bestarm")


def of_part(part: str, *, smoke: bool) -> list[Entry]:
    """Run one part in a process of its own, so that neither warms the other's caches or adds to its memory."""
    code = (
        "import sys; from pathlib import Path; from benchmarks.measure import write; "
        f"from benchmarks import {part}; write({part}.entries(smoke={smoke}), Path(sys.argv[1]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entries.json"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True, cwd=memory.ROOT)
        entries: list[Entry] = json.loads(path.read_text("utf-8"))
    return entries


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="where to write the list, as JSON")
    parser.add_argument(
        "--smoke", action="store_true", help="small sizes, no memory, no peers: under a minute"
    )
    arguments = parser.parse_args()
    entries = [entry for part in PARTS for entry in of_part(part, smoke=arguments.smoke)]
    show(entries)
    if arguments.out:
        write(entries, arguments.out)
    if not arguments.smoke:
        peaks = memory.entries()
        memory.show(peaks)
        if arguments.out:
            write(peaks, arguments.out.with_name(f"{arguments.out.stem}_memory.json"))


if __name__ == "__main__":
    main()
