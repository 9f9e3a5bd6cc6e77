"""Figures of the MASA paper: same bytes twice, nothing cut off, and the source of 2021 named on each."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.text import Text

from adaptive_sampling.cases import read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.figures import confusion as matrices
from adaptive_sampling.figures.ablation_a import ablation_a, shown_budgets
from adaptive_sampling.figures.confusion import confusion_figure, draw_matrix, largest_changes, signed
from adaptive_sampling.figures.figure_1 import figure_1
from adaptive_sampling.figures.figure_2 import figure_2
from adaptive_sampling.figures.figure_3 import figure_3
from adaptive_sampling.figures.figure_4 import figure_4
from adaptive_sampling.figures.figure_5 import figure_5
from adaptive_sampling.figures.figure_6 import figure_6
from adaptive_sampling.figures.figure_7 import figure_7, relative
from adaptive_sampling.figures.style import panels, save
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift.confusion import confusion
from adaptive_sampling.shift.summary import accuracy_changes

ROOT = Path(__file__).parents[2]
CASES = read_cases(ROOT / "config/cases.csv")
SHOWN = ["ibm_amnist", "amazon_imdb", "microsoft_ferplus", "google_digit", "google_cmd"]


def curves(names, **varied):
    """Errors that fall as 1/N, one line for each value of one column."""
    (column, values), *_ = varied.items()
    budgets = np.arange(500, 20001, 500)
    lines = []
    for name in names:
        for place, value in enumerate(values):
            mse = (1 + 0.3 * place) / budgets
            line = {"case": name, "sampler": "masa", "strata": "label_difficulty", "K": 3, "a": 1.0}
            line |= {
                column: value,
                "budget": budgets,
                "trials": 100,
                "mse": mse,
                "mse_se": mse / 20,
                "q95": mse,
            }
            lines.append(pd.DataFrame(line))
    return pd.concat(lines, ignore_index=True)


@pytest.fixture(scope="module")
def table():
    replays = {name: read_replay_table(ROOT / f"data/replay/{name}.csv", CASES[name]) for name in SHOWN}
    return pd.concat([confusion(replay, CASES[name]) for name, replay in replays.items()], ignore_index=True)


def study():
    """Tables of a case study of two labels and two qualities."""
    keys = [("positive", "low"), ("positive", "high"), ("negative", "low"), ("negative", "high")]
    partitions = pd.DataFrame(keys, columns=["label", "quality"])
    partitions = partitions.assign(
        items=5000, share=0.25, uncertainty=[0.17, 0.01, 0.38, 0.16], optimal_share=[0.27, 0.06, 0.41, 0.26]
    )
    sampling = partitions[["label", "quality", "optimal_share"]].merge(
        pd.DataFrame({"budget": range(20, 2001, 20)}), how="cross"
    )
    sampling = sampling.assign(queries=sampling["budget"] // 4, share=0.25)
    shift = pd.DataFrame([(i, j) for i in ("positive", "negative") for j in ("positive", "negative")])
    shift.columns = ["label", "predicted"]
    shift = shift.assign(
        case="amazon_yelp", old=[0.48, 0.02, 0.11, 0.39], new=[0.47, 0.03, 0.09, 0.41],
        shift=[-0.01, 0.01, -0.02, 0.02], estimated=[-0.012, 0.012, -0.018, 0.018],
    )  # fmt: skip
    errors = curves(["amazon_yelp"], sampler=["uniform", "masa"])
    return shift, partitions, sampling, errors[errors["budget"] <= 2000]


def draw(name, table):
    """Draw one of the figures, large tables cut to few cases."""
    match name:
        case "figure_1":
            return figure_1(table, curves(["ibm_amnist"], sampler=["uniform", "masa"]), CASES["ibm_amnist"])
        case "figure_2":
            return figure_2(accuracy_changes(ROOT / "data/published/accuracy.csv"))
        case "figure_3":
            return figure_3()
        case "figure_4":
            return figure_4(*study(), CASES["amazon_yelp"], 7)
        case "figure_5":
            return figure_5(curves(SHOWN[:3], sampler=["masa", "uniform", "oracle"]), CASES)
        case "figure_6":
            return figure_6(table, CASES)
        case "figure_7":
            return figure_7(curves(SHOWN[:2], K=[1, 3, 10]), CASES)
        case "ablation_a":
            return ablation_a(curves(SHOWN[:2], a=[0.01, 1.0, 100.0]), CASES)
    return confusion_figure(table, CASES[name])


DRAWN = [*(f"figure_{n}" for n in range(1, 8)), "ablation_a", "google_cmd"]


@pytest.fixture(scope="module")
def drawn(table):
    """Every figure, drawn once."""
    figures = {name: draw(name, table) for name in DRAWN}
    yield figures
    for figure in figures.values():
        plt.close(figure)


@pytest.mark.parametrize("name", DRAWN)
def test_equal_input_gives_equal_bytes(name, drawn, table, tmp_path):
    for run, figure in (("first", drawn[name]), ("second", draw(name, table))):
        save(figure, [tmp_path / f"{run}.{ending}" for ending in ("pdf", "svg", "png")])
    for ending in ("pdf", "svg", "png"):
        first, second = (tmp_path / f"{run}.{ending}" for run in ("first", "second"))
        assert first.read_bytes() == second.read_bytes(), ending


def texts(figure: Figure):
    """All texts of a figure that are drawn, with their boxes in pixels."""
    figure.draw_without_rendering()
    beyond = set()  # labels of ticks outside the limits of their axis, which are not drawn
    for axis in figure.axes:
        for side, limits in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, axis.get_ylim())):
            for tick in (*side.majorTicks, *side.minorTicks):
                if not min(limits) <= tick.get_loc() <= max(limits):
                    beyond |= {tick.label1, tick.label2}
    return [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if text not in beyond
        and text.get_visible()
        and text.get_text().strip()
        and (text.axes is None or text.axes.get_visible())
    ]


@pytest.mark.parametrize("name", DRAWN)
def test_no_text_is_cut_off(name, drawn):
    figure = drawn[name]
    width, height = figure.canvas.get_width_height()
    for text, box in texts(figure):
        assert box.x0 >= -1, text
        assert box.y0 >= -1, text
        assert box.x1 <= width + 1, text
        assert box.y1 <= height + 1, text


@pytest.mark.parametrize("name", [name for name in DRAWN if name not in ("figure_2", "figure_3")])
def test_each_figure_says_that_2021_is_reconstructed(name, drawn):
    line = drawn[name]._supxlabel.get_text().replace("\n", " ")
    assert "2021: reconstructed" in line
    assert "2021: recorded" not in line


def test_recorded_shifts_are_called_recorded(table):
    case = CASES["openai_gpt4"]
    replay = read_replay_table(ROOT / "data/replay/openai_gpt4.csv", case)
    figure = confusion_figure(confusion(replay, case), case)
    assert "March 2023: recorded; June 2023: recorded." in figure._supxlabel.get_text()
    assert "2021" not in " ".join(text for text, *_ in texts(figure))


def test_a_shift_is_drawn_on_a_scale_centred_at_0(table):
    rows = table[table["case"] == "ibm_amnist"]
    _, (axis,) = panels(1, 1, width=3, height=3)
    draw_matrix(axis, rows, "shift", title="")
    image = axis.images[0]
    low, high = image.get_clim()
    assert low == -high
    assert high == pytest.approx(100 * rows["shift"].abs().max())
    assert not isinstance(image.norm, TwoSlopeNorm)
    middle = image.cmap(image.norm(0.0))
    assert min(middle[:3]) > 0.95


def test_up_to_ten_labels_have_numbers_and_more_have_a_list(table):
    for name, numbered in (("google_digit", True), ("google_cmd", False)):
        rows = table[table["case"] == name]
        figure = confusion_figure(table, CASES[name])
        expected = int((100 * rows["old"] >= matrices._LEAST).sum()) if numbered else 0
        assert len(figure.axes[0].texts) == expected
        listed = [text for text, *_ in texts(figure) if "Largest changes" in text]
        assert bool(listed) is not numbered
    assert all(f"\n{line}" in listed[0] for line in largest_changes(rows))


def test_the_list_names_the_largest_changes_first(table):
    """IBM on AMNIST, Figure 1 of the paper: "four" comes to be heard as "five"."""
    first, second = largest_changes(table[table["case"] == "ibm_amnist"], 2)
    assert first.startswith("four as four: −")
    assert second.startswith("four as five: +")


def test_label_names_stand_at_both_sides(table):
    figure = figure_1(table, curves(["ibm_amnist"], sampler=["uniform", "masa"]), CASES["ibm_amnist"])
    for axis in (figure.axes[0], figure.axes[1], figure.axes[3]):
        assert [text.get_text() for text in axis.get_yticklabels()] == list(CASES["ibm_amnist"].labels)
        assert [text.get_text() for text in axis.get_xticklabels()] == list(
            CASES["ibm_amnist"].predicted_labels
        )


@pytest.mark.parametrize("others", [1, 11])
def test_labels_and_names_with_dollar_signs_are_no_formulas(others, tmp_path):
    names = ["$5 to $10", "$\\no$", *(f"more than ${n}0" for n in range(others))]
    rows = [(name, other, 0.01, 0.02, 0.01) for name in names for other in names]
    table = pd.DataFrame(rows, columns=["label", "predicted", "old", "new", "shift"]).assign(case="mine")
    case = replace(
        CASES["ibm_amnist"], case="mine", labels=tuple(names), api="$a^$", predicted_labels=tuple(names)
    )
    for name, figure in (
        ("matrix", confusion_figure(table, case)),
        ("figure_5", figure_5(curves(["mine"], sampler=["uniform", "masa"]), {"mine": case})),
        ("figure_7", figure_7(curves(["mine"], K=[1, 3]), {"mine": case})),
        ("ablation_a", ablation_a(curves(["mine"], a=[0.5, 1.0]), {"mine": case})),
    ):
        save(figure, [tmp_path / f"{name}.svg"])
        assert (tmp_path / f"{name}.svg").stat().st_size > 1000
        for text in figure.findobj(Text):
            assert "$a" not in text.get_text() or not text.get_parse_math()


def test_figure_5_leaves_out_errors_of_0(tmp_path):
    errors = curves(["ibm_amnist"], sampler=["uniform", "masa"])
    errors.loc[errors["sampler"] == "masa", "mse"] = 0.0
    figure = figure_5(errors, CASES)
    assert figure.axes[0].get_ylim()[0] == pytest.approx(0.8 * errors.loc[errors["mse"] > 0, "mse"].min())
    assert not figure.axes[0].texts
    save(figure_5(errors.assign(mse=0.0), CASES), [tmp_path / "none.png"])


@pytest.mark.parametrize(("draw_ablation", "column"), [(figure_7, "K"), (ablation_a, "a")])
@pytest.mark.parametrize("without", [[1.0], [2.0], [1.0, 2.0]])
def test_ablations_of_a_case_without_error_are_drawn(draw_ablation, column, without, tmp_path):
    errors = curves(["ibm_amnist", "google_cmd"], **{column: [1.0, 2.0]})
    errors.loc[(errors["case"] == "ibm_amnist") & errors[column].isin(without), "mse"] = 0.0
    figure = draw_ablation(errors.astype({"K": int}), CASES)
    save(figure, [tmp_path / "figure.png"])
    said = [[text.get_text() for text in axis.texts] for axis in figure.axes[:2]]
    assert said == [[] if without == [2.0] and draw_ablation is figure_7 else ["no error"], []]


@pytest.mark.parametrize(("answers", "named"), [(matrices.NAMED, True), (matrices.NAMED + 1, False)])
def test_names_that_would_cover_each_other_are_left_out(answers, named):
    names = [f"c{n}" for n in range(answers)]
    rows = [(label, other, 0.01, 0.02, 0.01) for label in names[:20] for other in names]
    table = pd.DataFrame(rows, columns=["label", "predicted", "old", "new", "shift"]).assign(case="mine")
    _, [axis] = panels(1, 1, width=3, height=3)
    draw_matrix(axis, table, "old", title="")
    assert [text.get_text() for text in axis.get_xticklabels() if text.get_text()] == (names if named else [])
    assert [text.get_text() for text in axis.get_yticklabels()] == names[:20]
    plt.close()


def test_a_figure_of_a_case_that_the_run_lacks_says_so(table):
    digits = table[table["case"] == "google_cmd"]
    with pytest.raises(
        InputError, match="Figure 1 shows ibm_amnist, which is not among the cases of this run"
    ):
        figure_1(digits, curves(["google_cmd"], sampler=["masa"]), CASES["ibm_amnist"])
    with pytest.raises(InputError, match=r"Figure 6 shows amazon_imdb, .* none of which"):
        figure_6(digits, CASES)


def test_figure_6_draws_the_cases_that_are_there(table):
    figure = figure_6(table[table["case"].isin(["google_digit", "google_cmd"])], CASES)
    assert [axis.get_title()[:10] for axis in figure.axes] == ["(a) 2020, ", "(b) 2021, ", "(c) shift,"]


def test_errors_relative_to_a_base_by_hand():
    """A ratio of 1.3 whose parts have relative errors of 5% has an interval of 1.96 * 1.3 * 5% * sqrt(2)."""
    of_case = curves(["amazon_imdb"], K=[1, 3]).set_index(["K", "budget"])
    line = relative(of_case, 3, 1)
    np.testing.assert_allclose(line["ratio"], 1.3)
    np.testing.assert_allclose(line["band"], 1.96 * 1.3 * 0.05 * np.sqrt(2))
    assert relative(of_case, 1, 1)["band"].eq(0).all()


def test_the_ablation_on_a_shows_budgets_that_all_lines_have():
    errors = curves(["amazon_imdb"], a=[0.1, 1.0])
    assert list(shown_budgets(errors)) == [2000, 5000, 20000]
    later = errors[(errors["a"] == 1.0) | (errors["budget"] > 6000)]
    assert min(shown_budgets(later)) > 6000


@pytest.mark.parametrize(("value", "text"), [(0.04, "0.0"), (-0.04, "0.0"), (-1.26, "−1.3"), (2.7, "+2.7")])
def test_signs(value, text):
    assert signed(value) == text
