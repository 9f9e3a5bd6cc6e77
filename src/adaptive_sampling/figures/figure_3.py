"""Figure 3 of the MASA paper: how MASA works, as a diagram."""

from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels

_BLUE: Final = COLOURS["masa"]
_PALE: Final = "#E3EFF7"
_GREY: Final = "#F0F0F0"

_SCORE: Final = "$\\frac{p}{n}\\,(\\hat{\\sigma}+\\sqrt[4]{a/n}\\,)$"
_BOXES: Final = {
    "data": (0.1, 1.3, 1.2, 1.0, "labelled data\n$D$"),
    "partition": (
        1.7,
        1.3,
        1.75,
        1.0,
        "partition into\n$D_{i,k}$: true label $i$,\ndifficulty level $k$",
    ),
    "pick": (
        3.95,
        2.2,
        2.35,
        1.15,
        f"pick the partition with the\nhighest score (line 3)\n{_SCORE}",
    ),
    "query": (7.0, 2.25, 1.85, 1.05, "draw one of its items,\nquery the API (line 4):\nanswer $\\hat{y}(x)$"),
    "update": (
        5.1,
        0.25,
        2.6,
        1.0,
        "update queries $n$, answers $\\hat{\\mu}$\nand uncertainty score $\\hat{\\sigma}^2$\n(lines 5 to 8)",
    ),
    "fuse": (
        9.5,
        1.3,
        1.9,
        1.0,
        "fuse (line 10):\n$\\Delta\\hat{C}=\\Sigma_k\\,p\\,\\hat{\\mu}-C^o$,\nthe estimated shift",
    ),
}
"""Name: left, bottom, width, height, text; in units of the canvas."""


def figure_3() -> Figure:
    """Draw the diagram: partition, then pick, query and update N times, then fuse."""
    figure, (axis,) = panels(1, 1, width=PAGE, height=2.55)
    axis.set_xlim(0, 11.5)
    axis.set_ylim(-0.15, 3.75)
    axis.set_axis_off()
    axis.add_patch(
        FancyBboxPatch(
            (3.78, 0.02),
            5.25,
            3.55,
            boxstyle="round,pad=0,rounding_size=0.15",
            fc="none",
            ec=_BLUE,
            lw=0.8,
            ls="--",
        )
    )
    axis.text(
        6.4, 1.72, "repeat until $N$ queries are made", ha="center", va="center", color=_BLUE, fontsize=7
    )
    for name, (left, bottom, width, height, text) in _BOXES.items():
        looped = name in ("pick", "query", "update")
        shape = FancyBboxPatch(
            (left, bottom),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.1",
            fc=_PALE if looped else _GREY,
            ec=_BLUE if looped else "#777777",
            lw=0.8,
        )
        axis.add_patch(shape)
        axis.text(left + width / 2, bottom + height / 2, text, ha="center", va="center", fontsize=6.8)
    _arrow(axis, (1.3, 1.8), (1.7, 1.8))
    _arrow(axis, (3.45, 1.8), (4.3, 2.2), bend=-0.25)
    _arrow(axis, (6.3, 2.78), (7.0, 2.78))
    _arrow(axis, (8.3, 2.25), (7.7, 0.75), bend=-0.3)
    _arrow(axis, (5.1, 0.75), (4.75, 2.2), bend=-0.3)
    _arrow(axis, (9.03, 1.8), (9.5, 1.8))
    note(
        figure,
        "p: share of a partition in the data; n: its queries so far; a: weight of exploration. Each partition is "
        "queried twice before scores are compared. Lines are those of Algorithm 1.",
    )
    return figure


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float], bend: float = 0.0) -> None:
    axis.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=8,
            color="#333333",
            lw=0.9,
            shrinkA=0,
            shrinkB=0,
        )
    )
