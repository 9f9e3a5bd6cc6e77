"""From your own predictions to a replay table, millions of rows, as a user does it.

Usage: python -m benchmarks.own [--rows N] [--labels L]

Writes N made-up predictions among L labels, with confidences, to a temporary folder; has snakemake count them; and
prints seconds, the peak memory of the largest process, and the size of the file. The run reads the file twice: the
plan finds the labels, the job counts. Only the standard library is imported, because a process starts with the peak
of the one that started it.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def write_predictions(path: Path, rows: int, labels: int) -> None:
    """Write `rows` items: one old answer in five and one new answer in five is wrong."""
    rng = random.Random(0)  # noqa: S311
    names = [f"label {i}" for i in range(labels)]
    with path.open("w", encoding="utf-8") as file:
        file.write("id,label,old,new,confidence\n")
        for item in range(rows):
            label = names[item % labels]
            old, new = (label if rng.random() < 0.8 else rng.choice(names) for _ in range(2))
            file.write(f"item-{item},{label},{old},{new},{rng.random():.6f}\n")


def measure(rows: int, labels: int) -> tuple[float, float, float]:
    """Seconds, peak memory in MB of 2**20 bytes, and size of the file in MB of 10**6 bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        predictions = folder / "mine.csv"
        write_predictions(predictions, rows, labels)
        settings = {
            "targets": ["own"],
            "cases": ["mine"],
            "data": {"source": "own", "own": {"mine": {"predictions": str(predictions)}}},
            "shift": {"difficulty": "confidence"},
            "folders": {key: str(folder / key) for key in ("results", "figures", "logs")},
        }
        config = folder / "mine.yaml"
        config.write_text(json.dumps(settings), encoding="utf-8")
        table = folder / "results/replay/mine.csv"
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--nolock"]
        start = time.perf_counter()
        subprocess.run([*command, str(table), "--configfile", str(config)], check=True, cwd=ROOT)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        if not table.exists():
            raise SystemExit(f"{table}: snakemake did not write it")
        return seconds, peak, predictions.stat().st_size / 1e6


def main() -> None:
    """Measure once and print one line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.own", description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--labels", type=int, default=10)
    options = parser.parse_args()
    seconds, peak, size = measure(options.rows, options.labels)
    print(
        f"{options.rows:,} rows, {options.labels} labels, {size:.0f} MB: {seconds:.1f} s, peak {peak:.0f} MB"
    )


if __name__ == "__main__":
    main()
