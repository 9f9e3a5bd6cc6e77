"""Figures, drawn from aggregated tables only."""
