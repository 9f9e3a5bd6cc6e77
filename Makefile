# Each target sets up its own environment in .venv from requirements.lock.
PYTHON ?= python3
MIRROR ?= ../shared/mirror
SEED ?= 20210426
CORES ?= all
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help models reproduce explorer report test test-faults test-cluster test-browser test-docs lint format replay pairs sensitivity cost benchmark benchmark-smoke lock cluster clean distclean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("$(PYTHON) is Python %d.%d; Python 3.11 or later is needed: make PYTHON=python3.12" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

.venv-cluster/installed: requirements-cluster.lock pyproject.toml
	$(PYTHON) -m venv .venv-cluster
	.venv-cluster/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-cluster.lock
	.venv-cluster/bin/python -c 'import pathlib, site; pathlib.Path(site.getsitepackages()[0], "project.pth").write_text(str(pathlib.Path("src").resolve()))'
	@touch $@

cluster: .venv-cluster/installed ## set up .venv-cluster, whose snakemake sends jobs to Slurm (1 minute)

models: .venv/installed ## add the cheap models for Chinese text and speech to .venv (about a minute; compiles a tokenizer)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[chinese,speech]'

reproduce: .venv/installed ## every table and figure of both papers, offline (about 4 minutes on 2 cores)
	$(BIN)/snakemake --cores $(CORES)

explorer: .venv/installed ## one offline page to explore errors, sizes, shares and shifts (after reproduce, 5 seconds)
	$(BIN)/snakemake --cores $(CORES) explorer

test: .venv/installed ## the test suite (about 6 minutes on 2 cores)
	$(BIN)/pytest -n auto --dist loadfile

test-faults: .venv/installed ## kills, full disks, spoilt files, odd folders, bad input, reruns (about 6 minutes)
	$(BIN)/pytest tests/faults

test-cluster: .venv/installed .venv-cluster/installed ## a real Slurm on this machine, and dask (about 3 minutes; needs slurm-wlm and munge)
	$(BIN)/pytest -rs tests/cluster

test-browser: .venv/installed ## the report and the explorer in headless Chromium (about 2 minutes; needs chromium-driver)
	$(BIN)/pytest -rs tests/browser

test-docs: .venv/installed ## the commands of docs/, as they stand there (about 3 minutes)
	$(BIN)/pytest tests/docs

lint: .venv/installed ## formatting, style, types, workflow
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

format: .venv/installed ## put code in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt Snakefile workflow

replay: .venv/installed ## rebuild data/replay and data/published from recordings in MIRROR
	$(BIN)/python -m adaptive_sampling.recordings.rebuild --mirror "$(MIRROR)" --out data/replay --published data/published/accuracy.csv --seed $(SEED)

pairs: .venv/installed ## rebuild data/pairs, the pairs that hardly moved, from recordings in MIRROR
	$(BIN)/python -m adaptive_sampling.beyond.pairs --mirror "$(MIRROR)" --out data/pairs --seed $(SEED)

sensitivity: .venv/installed ## Table 1 under every choice of the reconstruction, from MIRROR (about 10 minutes)
	$(BIN)/python -m adaptive_sampling.shift.sensitivity --mirror "$(MIRROR)" --out data/sensitivity.csv

cost: .venv/installed ## time and memory of Algorithm 1 against the budget (under a minute)
	$(BIN)/python -m adaptive_sampling.shift.cost --out data/cost.csv

report: .venv/installed ## one HTML page with every table and figure (after reproduce)
	$(BIN)/snakemake --report results/report.html

benchmark: .venv/installed ## speed as ratios, written to results/benchmark.json (a few minutes)
	$(BIN)/python -m benchmarks --out results/benchmark.json

benchmark-smoke: .venv/installed ## do the benchmarks run, and are the steady ratios those recorded? (half a minute)
	$(BIN)/python -m benchmarks.smoke

COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate pyproject.toml

lock: .venv/installed ## renew the two lock files from pyproject.toml (needs uv on the PATH)
	$(COMPILE) --extra reports --extra dask --extra vader --extra dev -o requirements.lock
	$(COMPILE) --extra cluster --constraint requirements.lock -o requirements-cluster.lock

clean: ## remove results, figures and logs
	rm -rf logs
	find results figures -mindepth 1 ! -name README.md -delete

distclean: clean ## remove the environment and all caches too
	rm -rf .venv .venv-cluster .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests workflow benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
