"""Figure 2 of the EBR paper: mean pulls of all algorithms, over the deadline and over epsilon."""

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.figures.ebr_common import (
    RECONSTRUCTED,
    X_LABELS,
    draw_band,
    label_ends,
    scale_of_sweep,
    setup_title,
)
from adaptive_sampling.figures.style import PAGE, note, panels


def ebr_figure_2(pulls: pd.DataFrame) -> Figure:
    """Draw mean pulls with 5% to 95% bands: a row of panels a setup, a column a sweep.

    Parameters
    ----------
    pulls : DataFrame
        ``pulls.csv``.
    """
    setups = list(dict.fromkeys(pulls["setup"]))
    figure, axes = panels(len(setups), 2, width=PAGE, height=2.2 * len(setups) + 0.2)
    places = [(setup, sweep) for setup in setups for sweep in X_LABELS]
    for axis, (setup, sweep) in zip(axes, places):
        rows = pulls[(pulls["setup"] == setup) & (pulls["sweep"] == sweep)]
        fixed = scale_of_sweep(axis, rows, sweep)
        names = list(dict.fromkeys(rows["algorithm"]))
        ends = {name: draw_band(axis, rows[rows["algorithm"] == name], sweep, name) for name in names}
        label_ends(axis, ends)
        axis.set_title(f"{setup_title(setup)}, {fixed}")
    note(
        figure,
        f"Mean of {pulls['trials'].max()} trials, band: 5% to 95% of trials; delta = {pulls['delta'].iloc[0]:g}. "
        + RECONSTRUCTED,
    )
    return figure
