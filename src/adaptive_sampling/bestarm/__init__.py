"""EBR: the best of n arms when only T rounds are allowed, and its baselines."""
