"""Equal numbers on unequal processors: with and without vector instructions, in one thread and in two."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = """
import hashlib, json, sys
from pathlib import Path
import numpy as np
from adaptive_sampling.bestarm.algorithms import PAPER
from adaptive_sampling.bestarm.instances import evenly_spaced
from adaptive_sampling.cases import read_cases
from adaptive_sampling.montecarlo import Trials
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift.experiment import Setting, compare, populations
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters
from adaptive_sampling.tables import write_table

jobs, folder = int(sys.argv[1]), Path(sys.argv[2])
said = {}
for name in ("amazon_yelp", "google_cmd"):
    case = read_cases("config/cases.csv")[name]
    replay = read_replay_table(f"data/replay/{name}.csv", case)
    strata = populations(replay, case, difficulty="open_source_model", K=3)
    budgets = np.arange(300, 3001, 100)
    for sampler in ("masa", "uniform", "oracle"):
        p = strata[SAMPLERS[sampler].strata]
        count = SAMPLERS[sampler].simulate(p, budgets, Parameters(), 7, Trials(0, 30)).count
        said[f"{name} {sampler} counts"] = hashlib.sha256(count.tobytes()).hexdigest()
    setting = Setting(100, 3000, 100, 0.01, 0.95, 50, 7, jobs)
    for part, table in zip(("errors", "sizes"), compare(strata, ["masa", "oracle"], Parameters(), 3, setting)):
        path = folder / f"{name}_{part}.csv"
        write_table(table, path)
        said[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
for name, run in PAPER.items():
    pulls = run(evenly_spaced(0.1, 0.9, 20), 0.05, 0.01, 5, 20, np.random.default_rng(1)).pulls
    said[f"{name} pulls"] = hashlib.sha256(np.ascontiguousarray(pulls).tobytes()).hexdigest()
print(json.dumps(said))
"""
PLAIN = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "", "NUMBA_ENABLE_AVX": "0"}
"""A processor of 64 bits without anything that came later, for numba."""
NARROW = {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX"}
"""No fused and no wide instructions, for NumPy."""


def run(folder, cache, jobs, **settings):
    """Run in a process of its own and return what it counted and wrote, as hashes."""
    folder.mkdir()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **settings}
    command = [sys.executable, "-W", "ignore", "-c", RUN, str(jobs), str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Folder of what is compiled for this processor as it is."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def usual(tmp_path_factory, cache):
    """Hashes of a run on this processor as it is, in one thread."""
    found = run(tmp_path_factory.mktemp("usual") / "run", cache, 1)
    assert len(found) == 15
    assert len(set(found.values())) == 15
    return found


def test_counts_and_tables_do_not_depend_on_how_kernels_are_compiled(usual, tmp_path):
    assert run(tmp_path / "run", tmp_path / "cache", 1, **PLAIN) == usual


def test_counts_and_tables_do_not_depend_on_the_instructions_of_numpy(usual, cache, tmp_path):
    assert run(tmp_path / "run", cache, 1, **NARROW) == usual


def test_counts_and_tables_do_not_depend_on_threads(usual, cache, tmp_path):
    assert run(tmp_path / "run", cache, 2) == usual
