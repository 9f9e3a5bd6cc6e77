"""Where the processor time of a whole run goes, by kind of job.

Usage: python -m benchmarks.jobs --logs FOLDER --out FILE

Reads the last line of every job's log and writes a Markdown table; run it after `snakemake` in a clean checkout.
"""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from adaptive_sampling.errors import InputError
from adaptive_sampling.logs import COST
from adaptive_sampling.tables import write_text

KINDS: Final = {
    r"shift/ablation_[aK]=": "MASA on all cases at one value of K or a",
    r"shift/case_(?!study)": "all samplers on one case",
    r"bestarm/(pulls|variants|tuning|hardness)": "best arm: trials",
    r"(shift/compile_kernels|bestarm/compile)": "compiling the kernels",
    r"shift/": "studies of MASA and tables",
    r"report/confusion_matrices": "confusion matrices of all cases, three formats",
    r"": "other tables and figures",
}
"""What the beginning of a log's path says of the job; the first that fits counts."""


def costs(logs: Path) -> dict[str, float]:
    """Read the processor time of every job, by its log's path in the folder, without the ending.

    Raises
    ------
    InputError
        If there is no log, or one of a job that did not end well.
    """
    found = {}
    for path in sorted(logs.rglob("*.log")):
        last = path.read_text("utf-8").rstrip("\n").rpartition("\n")[2]
        if not last.startswith(COST):
            raise InputError(f"{path}: the last line is {last!r}, expected {COST.strip()} and a number")
        found[path.relative_to(logs).with_suffix("").as_posix()] = float(last.removeprefix(COST))
    if not found:
        raise InputError(f"{logs}: no log of a job, expected those of a whole run")
    return found


def table(costs: Mapping[str, float]) -> str:
    """Add up by kind, most time first, as Markdown."""
    kinds: dict[str, list[float]] = {}
    for name, seconds in costs.items():
        kind = next(kind for pattern, kind in KINDS.items() if re.match(pattern, name))
        kinds.setdefault(kind, []).append(seconds)
    rows = sorted(kinds.items(), key=lambda row: -sum(row[1]))
    lines = [
        "| jobs | how many | processor seconds | the longest |",
        "|---|--:|--:|--:|",
        *(f"| {kind} | {len(all_)} | {sum(all_):.0f} | {max(all_):.1f} |" for kind, all_ in rows),
        f"| all | {len(costs)} | {sum(costs.values()):.0f} | {max(costs.values()):.1f} |",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read, add up, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jobs", description=__doc__.split("\n")[0])
    parser.add_argument("--logs", type=Path, default=Path("logs"), help="folder of the logs (logs)")
    parser.add_argument("--out", type=Path, required=True, help="Markdown file to write")
    arguments = parser.parse_args()
    try:
        write_text(table(costs(arguments.logs)), arguments.out)
    except InputError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
