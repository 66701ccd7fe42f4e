"""Pictures: what is drawn where, in which colours, read from the axes."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from plot import axes_reader as read
from plot.axes_reader import BLUE, GREY, GROUPS, MODELS, ORANGE, PURPLE, TRUTH, audit

import biasamp_adapters as bam

# Reports.


@pytest.mark.parametrize(
    ("model", "numbers", "colour", "meaning"),
    [
        ("wider", ["60 → 80%", "40 → 20%"], ORANGE, "the gap grows or appears"),
        ("equal", ["60 → 50%", "40 → 50%"], BLUE, "the gap shrinks"),
        ("turned", ["60 → 20%", "40 → 80%"], PURPLE, "the gap reverses"),
    ],
)
def test_report_plot_has_the_colour_of_the_gap(ax, model, numbers, colour, meaning) -> None:
    assert audit(model).plot(ax) is ax
    assert read.rows_of(ax)[:3] == ["a, 200 rows", "b, 200 rows", "gap in the labels"]
    assert read.texts_of(ax)[:2] == numbers
    assert read.colours_of(ax.texts[:3]) == [colour, colour, GREY]
    assert read.legend_of(ax)[:2] == ["rate in the labels", "rate in the predictions"]
    assert read.legend_of(ax)[-1] == meaning
    assert ax.get_title(loc="left") == "Rates of class 1 by group"


def test_report_plot_places_dots_line_and_bars_at_rates(ax) -> None:
    audit("wider").plot(ax)
    assert [(x, y) for x, y, _ in read.dots_of(ax)] == [(0.6, 0), (0.8, 0), (0.4, 1), (0.2, 1)]
    dashed = [line.get_xdata().tolist() for line in ax.lines if line.get_linestyle() == "--"]
    assert dashed == [[0.5, 0.5]] * 2
    bars = {
        read.rows_of(ax)[round(p.get_y() + 0.25)]: sorted(p.get_bbox().intervalx)
        for p in ax.patches
    }
    assert bars["gap in the labels"] == pytest.approx([0.4, 0.6])
    assert bars["gap in the predictions"] == pytest.approx([0.2, 0.8])
    assert [bar.get_facecolor()[3] for bar in ax.patches] == [0, 1, 0]  # Others are hollow.


def test_report_plot_of_several_models_stacks_them_and_one_is_chosen(ax) -> None:
    report = audit("equal", "wider")
    report.plot(ax)
    heads = [x.get_text() for x in ax.get_yticklabels() if x.get_fontweight() == "bold"]
    assert sorted(heads) == ["equal", "wider"]
    alone = report.plot(Figure().add_subplot(), model="equal")
    assert read.texts_of(alone)[:2] == ["60 → 50%", "40 → 50%"]


def test_report_plot_of_many_models_and_groups_says_how_many_it_draws(ax) -> None:
    groups = np.tile(np.arange(13), 31)[:400]
    report = bam.audit(TRUTH, MODELS, sensitive_features=groups, n_boot=300)
    report.plot(ax)
    title = "Rates of class 1 by group: 12 of 13 groups; 3 of 4 models"
    assert ax.get_title(loc="left") == title
    gaps = report.plot(Figure().add_subplot(), part="gaps")  # 78 pairs of 13 groups.
    title = "Gaps between groups: the 10 most certain changes of 78"
    assert gaps.get_title(loc="left") == title
    [of_model] = [x.get_text() for x in gaps.get_yticklabels() if x.get_fontweight() == "bold"]
    assert of_model in MODELS


def test_report_plot_of_a_direction_shows_its_rates(ax) -> None:
    options = {"sensitive_features": GROUPS, "sensitive_features_pred": np.roll(GROUPS, 40)}
    report = bam.audit(TRUTH, MODELS["wider"], n_boot=300, **options)
    report.plot(ax, direction="T->A")
    # Of 200 rows of class 0, 120 are b, of class 1 80; 40 more are predicted b, and 40 fewer.
    assert ax.get_title(loc="left") == "Share of b by class"
    assert read.texts_of(ax)[:2] == ["60 → 60%", "40 → 40%"]
    assert report.plot(Figure().add_subplot()).get_title(loc="left") == "Rates of class 1 by group"


def test_report_plot_of_gaps_has_the_band_of_each_change(ax) -> None:
    groups = np.tile(["a", "b", "c"], 200)[:400]
    report = bam.audit(TRUTH, MODELS["wider"], sensitive_features=groups, n_boot=300)
    report.plot(ax, part="gaps")
    gaps = report.to_frame("gaps")
    pairs = gaps[["first", "second"]].to_numpy().tolist()
    assert read.rows_of(ax) == [" − ".join(pair) for pair in pairs]
    assert sorted(map(sorted, pairs)) == [[*"ab"], [*"ac"], [*"bc"]]
    pale = [line for line in ax.lines if line.get_alpha() == 0.25]
    gap = gaps.iloc[0]
    expected = [gap["true"] + gap["low"], gap["true"] + gap["high"]]
    assert pale[0].get_xdata() == pytest.approx(expected)


def test_report_picture_that_does_not_exist_is_refused() -> None:
    report = audit("wider")
    with pytest.raises(ValueError, match="part must be 'rates' or 'gaps'; received 'pairs'"):
        report.plot(part="pairs")
    with pytest.raises(ValueError, match="no picture of gaps"):
        report.plot(part="gaps")
    with pytest.raises(ValueError, match="model must be"):
        report.plot(model="other")
    with pytest.raises(TypeError, match=r"rates\(\) got an unexpected keyword argument 'foo'"):
        report.plot(foo=1)
    assert plt.get_fignums() == []


def test_frontier_places_models_and_joins_the_unbeaten(ax) -> None:
    bam.plot.frontier(audit("equal", "wider", "turned"), ax=ax)
    dots = {(round(x, 9), y): face for x, y, face in read.dots_of(ax)}
    # Right are 100 - 20 + 100 - 20 of "equal" in each group: 180 of 200; of "wider" 160 of 200; of
    # "turned" 40 of a's 80 negatives and none of its positives, and the same of b.
    assert dots == {(-0.1, 0.9): BLUE, (0.2, 0.8): ORANGE, (-0.4, 0.2): BLUE}
    assert ax.lines[1].get_xydata() == pytest.approx(np.array([[-0.1, 0.9]]))
    assert read.texts_of(ax) == ["turned", "wider", "equal"]


def test_frontier_of_many_models_names_the_unbeaten_only(ax) -> None:
    rng = np.random.default_rng(0)
    models = {f"m{i}": np.where(rng.random(400) < 0.3, 1 - TRUTH, TRUTH) for i in range(15)}
    models["best"] = TRUTH
    bam.plot.frontier(bam.audit(TRUTH, models, sensitive_features=GROUPS, n_boot=0), ax=ax)
    assert read.texts_of(ax) == ["best"]
    assert ax.get_title(loc="left") == "1 of 16 models are named"
    assert ax.get_ylim()[1] == 1.0


def test_result_plot_maps_pairs_in_orange_and_blue(ax) -> None:
    read.result_of("turned").plot(ax)
    assert read.rows_of(ax) == ["0", "1"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b"]
    assert read.texts_of(ax) == ["−40.0"] * 4
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("class", "group")
    [cells] = ax.collections
    assert [to_hex(cells.to_rgba(value)) for value in (-0.4, 0.4)] == [BLUE, ORANGE]
    assert ax.get_title(loc="left") == "BA A→T by pair, points"


def test_pairs_of_a_report_have_its_contributions(ax) -> None:
    bam.plot.pairs(audit("wider"), ax=ax)
    assert read.texts_of(ax) == ["+20.0"] * 4
    assert ax.get_title(loc="left") == "BA A→T by pair, points"


def test_pairs_of_both_directions_are_refused_and_one_is_chosen(ax) -> None:
    options = {"sensitive_features": GROUPS, "sensitive_features_pred": np.roll(GROUPS, 40)}
    report = bam.audit(TRUTH, MODELS["wider"], n_boot=0, **options)
    with pytest.raises(ValueError, match="one model and one direction"):
        bam.plot.pairs(report)
    bam.plot.pairs(report.to_frame("pairs").query("direction == 'T->A'"), ax=ax)
    assert read.rows_of(ax) == ["a", "b"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1"]
    assert ax.get_title(loc="left") == "BA T→A by pair, points"


def test_pairs_of_many_keep_the_largest_in_order(ax) -> None:
    values = np.arange(30.0) / 100
    frame = pd.DataFrame({"group": "a", "class": [f"c{i}" for i in range(30)], "value": values})
    frame.loc[29, "value"] = np.nan
    bam.plot.pairs(frame, ax=ax)
    assert read.rows_of(ax) == [f"c{i}" for i in range(9, 29)]
    assert ax.get_title(loc="left") == "value by pair, times 100: the largest of 30"


def test_pairs_without_value_are_empty(ax) -> None:
    frame = pd.DataFrame({"group": ["a", "a", "b"], "class": [0, 1, 0], "value": [0.1, 0.2, 0.3]})
    bam.plot.pairs(frame, ax=ax)
    assert [text.get_position() for text in ax.texts] == [(0, 0), (1, 0), (0, 1)]


def test_names_are_text_on_one_line_and_stay_different(ax) -> None:
    name = "the administrative district of the Lakeside {} in the northern part of the region"
    names = [name.format(number) for number in ("first", "second")]
    models = {names[0]: MODELS["wider"], names[1]: TRUTH, "$a_1$\nb": TRUTH}
    bam.compare(TRUTH, models, sensitive_features=GROUPS, n_boot=0).plot(ax)
    assert [row.replace("\n", " ") for row in read.rows_of(ax)] == [*names, "$a_1$ b"]
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())


def test_no_label_overlaps_another_at_the_default_size() -> None:
    names = [f"the administrative district number {i} of the region" for i in range(12)]
    groups = np.tile(names, 34)[:400]
    report = bam.audit(TRUTH, MODELS["wider"], sensitive_features=groups, n_boot=300)
    result = read.result_of("wider", sensitive_features=groups)
    for picture in (report.plot(), report.plot(part="gaps"), result.plot()):
        picture.figure.canvas.draw()
        boxes = [x.get_window_extent() for x in (*picture.get_yticklabels(), *picture.texts)]
        assert not any(one.count_overlaps(boxes) > 1 for one in boxes)
        room = picture.figure.bbox
        assert all(room.x0 <= box.x0 and box.x1 <= room.x1 for box in boxes)


def test_picture_changes_no_setting_and_opens_a_figure_only_without_axes(ax) -> None:
    settings = dict(mpl.rcParams)
    result = read.result_of("wider")
    result.plot(ax)
    assert plt.get_fignums() == []
    assert result.plot().figure is plt.gcf()
    assert len(plt.get_fignums()) == 1
    assert dict(mpl.rcParams) == settings


ROW = pd.DataFrame({"value": [1], "low": 0, "high": 1})


@pytest.mark.parametrize(
    ("picture", "results", "fragment"),
    [
        ("intervals", {}, "at least one value; received none"),
        ("intervals", {"a": 1.0}, "or results of metrics; received a float"),
        ("intervals", pd.DataFrame({"x": [1]}), "value, low, high; received x"),
        ("intervals", ROW.assign(high="x"), "could not convert string to float: 'x'"),
        ("frontier", "report", "low, high; received a str"),
        ("frontier", ROW[["value"]], "a frame needs model, name"),
        ("pairs", [1], "a frame needs group; received a list"),
        ("pairs", ROW[["value"]], "a frame needs group; received value"),
        ("pairs", ROW.iloc[[0, 0]].assign(group=1, **{"class": 1}), "each pair must occur once"),
        ("pairs", ROW[:0].assign(group=1, **{"class": 1}), "received 0 pairs"),
        ("curves", [1, 2], "share, value; received a list"),
        ("curves", pd.DataFrame({"value": [], "share": []}), "at least one value; received none"),
        ("curves", ROW.assign(value=np.nan, share=0), "at least one value; received none"),
        ("curves", {}, "share, value; received a dict"),
        ("curves", {"a": ROW[["value"]]}, "share, value; received v"),
    ],
)
def test_picture_of_bad_input_leaves_no_figure(picture, results, fragment) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # The fragments follow.
        getattr(bam.plot, picture)(results)
    assert fragment in str(error.value)
    assert "\n" not in str(error.value)
    assert plt.get_fignums() == []
