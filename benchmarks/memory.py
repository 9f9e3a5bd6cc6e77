"""Peak memory of every form, each in a process of its own: ``python -m benchmarks.memory FORM [CASE]``.

The peak is the process's, `ru_maxrss`, with Python, NumPy, numba and the tables that every form loads; the form
`nothing` stops there and shows how much that is. A process starts with the peak of the one that started it, so who
calls `entries` must be small: it imports nothing itself.
"""

import argparse
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
CASES: Final = ("amazon_yelp", "google_cmd")
MASA: Final = ("nothing", "plain Python", "NumPy across trials", "literal numba", "level sort", "floor")
THREADED: Final = ("level sort, 2 threads",)
BEST_ARM: Final = ("nothing", "ebr", "sequential")
TRIALS: Final = 1500
"""Of the best-arm algorithms; EBR holds all of a block at once."""


def run(form: str, case: str | None) -> None:
    """Run one form once, at full size."""
    if case is None:
        from benchmarks import bestarm

        instance = bestarm.SETUPS["setup-2"]
        if form != "nothing":
            bestarm.fast(form, instance, bestarm.FULL.epsilon, TRIALS)()
        return
    from benchmarks import masa

    p = masa.case_population(case)
    forms = {**masa.forms_of(p, masa.FULL), **masa.threaded_forms_of(p, masa.FULL)}
    if form != "nothing":
        forms[form]()


def peak_mb(form: str, case: str | None) -> float:
    """Peak memory of a process that runs the form, in MB of 2**20 bytes."""
    command = [sys.executable, "-m", "benchmarks.memory", form, *([case] if case else [])]
    done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8")
    return float(done.stdout)


def entries() -> list[dict[str, object]]:
    """Return {name, group, peak_mb} of every form."""
    wanted = [(f"masa, {case}", form, case) for case in CASES for form in (*MASA, *THREADED)]
    wanted += [(f"bestarm, setup-2, {TRIALS} trials", form, None) for form in BEST_ARM]
    return [
        {"name": form, "group": f"{group}, peak memory", "peak_mb": round(peak_mb(form, case), 1)}
        for group, form, case in wanted
    ]


def main() -> None:
    """Run one form, and print the peak."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__.split("\n")[0])
    parser.add_argument("form")
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    run(arguments.form, arguments.case)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main()
