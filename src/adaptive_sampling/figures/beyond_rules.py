"""What a stopping rule's coverage costs: the worst shortfall against the queries, one curve a rule."""

from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from adaptive_sampling.figures.style import COLOURS, PAGE, note, panels

RULES: Final = {
    "change_model": ("change model (proposed)", COLOURS["stratified_proportional"], "o"),
    "pooled": ("change model, groups only pooled", COLOURS["stratified_difficulty"], "s"),
    "cautious": ("half a change in every stratum", COLOURS["masa"], "^"),
}
"""Name, colour and marker of each rule."""


def beyond_rules(rules: pd.DataFrame) -> Figure:
    """Draw each rule's worst shortfall of coverage over its mean cost, margins along the curve.

    Parameters
    ----------
    rules : DataFrame
        ``stopping_rules.csv``.
    """
    groups = list(dict.fromkeys(rules["cases"]))
    replacement = bool(rules["replacement"].all())
    shown = rules[rules["replacement"] == replacement]
    figure, axes = panels(1, len(groups), width=PAGE, height=2.6)
    for axis, group in zip(axes, groups):
        for rule, (label, colour, marker) in RULES.items():
            curve = shown[(shown["cases"] == group) & (shown["rule"] == rule)].sort_values("margin")
            shortfall = 100 * curve["worst_shortfall"]
            axis.plot(curve["mean_ratio"], shortfall, marker + "-", color=colour, markersize=4, label=label)
            for x, y, margin in zip(curve["mean_ratio"], shortfall, curve["margin"]):
                axis.annotate(
                    f"{margin:g}", (x, y), fontsize=6, color=colour, xytext=(3, 3), textcoords="offset points"
                )
        axis.axhline(0, color="#888888", lw=0.6, ls=":")
        axis.axvline(1.5, color="#888888", lw=0.6, ls=":")
        axis.set_title(f"{group} cases")
        axis.set_xlabel("mean queries to queries needed")
    axes[0].set_ylabel("worst shortfall of coverage (points)")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    how = "with" if replacement else "without"
    note(
        figure,
        f"Numbers: margin. All errors and confidences together, {how} replacement. Dotted: what was asked for.",
    )
    return figure
