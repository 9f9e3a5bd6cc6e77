"""Run all benchmarks and put their entries into one list.

Usage: python -m benchmarks [--out FILE] [--smoke]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import masa


def bestarm() -> list[dict[str, object]]:
    """Run the best-arm benchmarks in a process of their own, so that neither set warms the other's caches."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bestarm.json"
        subprocess.run([sys.executable, "-m", "benchmarks.bestarm", str(path)], check=True)
        entries: list[dict[str, object]] = json.loads(path.read_text("utf-8"))
    return entries


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="where to write the list, as JSON")
    parser.add_argument("--smoke", action="store_true", help="a few seconds, MASA only: does it run?")
    arguments = parser.parse_args()
    entries = masa.measure_all(smoke=arguments.smoke)
    masa.show(entries)
    if not arguments.smoke:
        entries += bestarm()
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
