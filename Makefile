# Each target sets up its own environment in .venv from requirements.lock.
PYTHON ?= python3
MIRROR ?= ../shared/mirror
SEED ?= 20210426
CORES ?= all
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help reproduce test lint format replay sensitivity cost report benchmark lock clean distclean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("$(PYTHON) is Python %d.%d; Python 3.11 or later is needed: make PYTHON=python3.12" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

reproduce: .venv/installed ## every table and figure of both papers, offline (about 3 minutes)
	$(BIN)/snakemake --cores $(CORES)

test: .venv/installed ## the test suite (about 3 minutes)
	$(BIN)/pytest

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

sensitivity: .venv/installed ## Table 1 under every choice of the reconstruction, from MIRROR (about 10 minutes)
	$(BIN)/python -m adaptive_sampling.shift.sensitivity --mirror "$(MIRROR)" --out data/sensitivity.csv

cost: .venv/installed ## time and memory of Algorithm 1 against the budget (under a minute)
	$(BIN)/python -m adaptive_sampling.shift.cost --out data/cost.csv

report: .venv/installed ## one HTML page with every table and figure (after reproduce)
	$(BIN)/snakemake --report results/report.html

benchmark: .venv/installed ## speed as ratios, written to results/benchmark.json (a few minutes)
	$(BIN)/python -m benchmarks --out results/benchmark.json

COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate pyproject.toml

lock: .venv/installed ## renew the two lock files from pyproject.toml (needs uv on the PATH)
	$(COMPILE) --extra reports --extra dask --extra vader --extra dev -o requirements.lock
	$(COMPILE) --extra cluster --constraint requirements.lock -o requirements-cluster.lock

clean: ## remove results, figures and logs
	rm -rf logs
	find results figures -mindepth 1 ! -name README.md -delete

distclean: clean ## remove the environment and all caches too
	rm -rf .venv .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests workflow benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
