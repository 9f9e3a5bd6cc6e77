"""How fast the package is, as ratios taken in one run: ``python -m benchmarks``."""
