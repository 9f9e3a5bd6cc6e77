"""The parts of the benchmarks, each run in a process of its own."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.measure import Entry
from benchmarks.memory import ROOT

PARTS: Final = ("masa", "bestarm", "second_run")
"""Modules with a function `entries`."""


def of_part(part: str, *, smoke: bool) -> list[Entry]:
    """Run one part in a process of its own, so that neither warms the other's caches or adds to its memory."""
    code = (
        "import sys; from pathlib import Path; from benchmarks.measure import write; "
        f"from benchmarks import {part}; write({part}.entries(smoke={smoke}), Path(sys.argv[1]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entries.json"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True, cwd=ROOT)
        entries: list[Entry] = json.loads(path.read_text("utf-8"))
    return entries


def all_entries(*, smoke: bool) -> list[Entry]:
    """Measure every part, at full or at small sizes."""
    return [entry for part in PARTS for entry in of_part(part, smoke=smoke)]
