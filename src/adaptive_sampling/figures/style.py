"""The one style of all figures: sizes, fonts, colours, and files whose bytes never change by themselves."""

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from adaptive_sampling.tables import written_whole

COLUMN: Final = 3.4
"""Width of one column of a two-column page, in inches."""
PAGE: Final = 7.0
"""Width of the whole page, in inches."""

COLOURS: Final = {
    "masa": "#0072B2",
    "uniform": "#D55E00",
    "stratified_equal": "#E69F00",
    "stratified_proportional": "#009E73",
    "stratified_difficulty": "#CC79A7",
    "oracle": "#555555",
    "ebr": "#0072B2",
    "passive": "#D55E00",
    "sequential": "#555555",
    "aggressive_elimination": "#009E73",
    "top_k_delta_elimination": "#CC79A7",
}
"""One colour a sampler or algorithm (Okabe and Ito's palette), the same in every figure."""

NAMES: Final = {
    "masa": "MASA",
    "uniform": "uniform",
    "stratified_equal": "equal per label",
    "stratified_proportional": "proportional by label",
    "stratified_difficulty": "proportional by label and difficulty",
    "oracle": "oracle",
    "ebr": "EBR",
    "passive": "passive",
    "sequential": "sequential",
    "aggressive_elimination": "AE",
    "top_k_delta_elimination": "k-δER",
}
"""How each sampler or algorithm is called where a person reads it."""

_NOTE_CHARACTERS: Final = 21
"""Characters of a note in one inch."""

_SETTINGS: Final[Any] = {
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    # A fixed height: else each drawing measures all tick labels once more, in case one is in the title's way.
    "axes.titley": 1.0,
    "pdf.fonttype": 42,
    # Matplotlib's PDF goes by this one too: with 3, its own default, a font is embedded twice for a minus sign.
    "ps.fonttype": 42,
    "svg.hashsalt": "adaptive-sampling",
    "svg.fonttype": "path",
    "savefig.dpi": 200,
}


# Matplotlib reads its settings whenever a part is drawn, so they hold for the whole process, from here only.
mpl.rcParams.update(_SETTINGS)


def panels(
    rows: int,
    columns: int,
    *,
    width: float,
    height: float,
    height_ratios: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Make a figure of rows x columns panels in the house style.

    Parameters
    ----------
    rows, columns : int
    width, height : float
        Of the whole figure, in inches.
    height_ratios : sequence of float, optional
        Heights of the rows to each other; all alike by default.

    Returns
    -------
    Figure, list of Axes
        The panels row by row.
    """
    # Without pyplot: it takes time to import, looks for a display, and keeps every figure until it is closed.
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, height_ratios=height_ratios)
    return figure, list(axes.flat)


def case_panels(cases: int, *, width: float) -> tuple[Figure, list[Axes]]:
    """Make one panel a case, four a row; places left over stay blank.

    Parameters
    ----------
    cases : int
    width : float
        Of the whole figure, in inches.

    Returns
    -------
    Figure, list of Axes
        One panel a case.
    """
    columns = min(4, cases)
    rows = -(-cases // columns)
    figure, axes = panels(rows, columns, width=width, height=0.65 + 1.6 * rows)
    for axis in axes[cases:]:
        axis.set_visible(False)
    return figure, axes[:cases]


def note(figure: Figure, text: str) -> None:
    """Write small lines under the figure: the source of 2021, trials, what a band is.

    Parameters
    ----------
    figure : Figure
    text : str
        Broken where the figure ends.
    """
    width = int(figure.get_figwidth() * _NOTE_CHARACTERS)
    figure.supxlabel(
        textwrap.fill(text, width), fontsize=6, color="#444444", x=0.01, ha="left", linespacing=1.3
    )


def save(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Save a figure under each name; equal figures give equal bytes.

    Parameters
    ----------
    figure : Figure
    paths : iterable of str or Path
        Names ending in ``.pdf``, ``.svg`` or ``.png``.
    """
    undated = {
        ".pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
        ".svg": {"Date": None, "Creator": None},
        ".png": {"Software": None},
    }
    _settle(figure)
    for path in map(Path, paths):
        with written_whole(path) as temporary:
            figure.savefig(temporary, metadata=undated[path.suffix])


def _settle(figure: Figure) -> None:
    """Lay the figure out once and round every place to a thousandth of a point or so.

    The solver behind the layout adds its constraints in an order that differs from run to run, and with it the last
    digits of its answer.
    """
    ConstrainedLayoutEngine().execute(figure)
    # None, not "none": with a placeholder for the engine, matplotlib draws twice for each file, once to lay out.
    figure.set_layout_engine(None)
    for axis in figure.axes:
        left, bottom, width, height = (round(part, 5) for part in axis.get_position(original=True).bounds)
        axis.set_position((left, bottom, width, height))
    for text in figure.texts:
        x, y = text.get_position()
        text.set_position((round(x, 5), round(y, 5)))
