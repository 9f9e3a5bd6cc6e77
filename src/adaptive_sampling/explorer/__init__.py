"""One interactive page over the aggregated tables."""
