"""Pictures: what is drawn where, in which colours, read from the axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, false_positive_rate
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import biasamp_adapters as bam
from biasamp_adapters.fairlearn import amplification_frame

ORANGE, BLUE, PURPLE, GREY = "#b84f00", "#0a66a8", "#7b4ba0", "#5f6973"
GROUPS = np.repeat(["a", "b"], 200)
TRUTH = np.repeat([1, 0, 1, 0], [120, 80, 80, 120])  # 60 % of a, 40 % of b.
MODELS = {
    "wider": np.repeat([1, 0, 1, 0], [160, 40, 40, 160]),  # 80 % and 20 %.
    "equal": np.repeat([1, 0, 1, 0], [100, 100, 100, 100]),
    "turned": np.repeat([0, 1, 0, 1], [160, 40, 40, 160]),
    "labels": TRUTH,
}


@pytest.fixture
def ax() -> Axes:
    """Axes of a figure that pyplot does not know."""
    return Figure(layout="constrained").add_subplot()


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the figures that a test asks for."""
    yield
    plt.close("all")


def audit(*models: str, **options: Any) -> bam.AuditReport:
    predictions = {name: MODELS[name] for name in models}
    return bam.audit(TRUTH, predictions, sensitive_features=GROUPS, n_boot=300, **options)


def result_of(model: str, metric: Any = None, **options: Any) -> bam.AmplificationResult:
    metric = metric or bam.DirectionalBiasAmplification()
    options = {"sensitive_features": GROUPS, "n_boot": 0, **options}
    return metric.result(TRUTH, MODELS[model], **options)


def rows_of(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def colours_of(artists: Any) -> list[str]:
    return [to_hex(artist.get_color()) for artist in artists]


def legend_of(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def dots_of(ax: Axes) -> list[tuple[float, float, str]]:
    """Return x, y and colour of lone dots; a hollow one has none."""
    lines = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    return [(*line.get_xydata()[0], str(line.get_markerfacecolor())) for line in lines]


# Reports.


@pytest.mark.parametrize(
    ("model", "numbers", "colour", "meaning"),
    [
        ("wider", ["60 → 80%", "40 → 20%"], ORANGE, "the gap grows or appears"),
        ("equal", ["60 → 50%", "40 → 50%"], BLUE, "the gap shrinks"),
        ("turned", ["60 → 20%", "40 → 80%"], PURPLE, "the gap reverses"),
    ],
)
def test_report_plot_shows_rates_in_the_colour_of_the_gap(
    ax: Axes, model: str, numbers: list[str], colour: str, meaning: str
) -> None:
    assert audit(model).plot(ax) is ax
    assert rows_of(ax)[:3] == ["a, 200 rows", "b, 200 rows", "gap in the labels"]
    assert texts_of(ax)[:2] == numbers
    assert colours_of(ax.texts[:3]) == [colour, colour, GREY]
    assert legend_of(ax)[:2] == ["rate in the labels", "rate in the predictions"]
    assert legend_of(ax)[-1] == meaning
    assert ax.get_title(loc="left") == "Rates of class 1 by group"


def test_report_plot_places_dots_line_and_bars_at_rates(ax: Axes) -> None:
    audit("wider").plot(ax)
    assert [(x, y) for x, y, _ in dots_of(ax)] == [(0.6, 0), (0.8, 0), (0.4, 1), (0.2, 1)]
    dashed = [line.get_xdata().tolist() for line in ax.lines if line.get_linestyle() == "--"]
    assert dashed == [[0.5, 0.5]] * 2
    bars = {
        rows_of(ax)[round(p.get_y() + 0.25)]: sorted(p.get_bbox().intervalx) for p in ax.patches
    }
    assert bars["gap in the labels"] == pytest.approx([0.4, 0.6])
    assert bars["gap in the predictions"] == pytest.approx([0.2, 0.8])


def test_report_plot_of_several_models_stacks_them_and_one_is_chosen(ax: Axes) -> None:
    report = audit("equal", "wider")
    report.plot(ax)
    heads = [x.get_text() for x in ax.get_yticklabels() if x.get_fontweight() == "bold"]
    assert sorted(heads) == ["equal", "wider"]
    alone = report.plot(Figure().add_subplot(), model="equal")
    assert texts_of(alone)[:2] == ["60 → 50%", "40 → 50%"]


def test_report_plot_of_a_direction_shows_its_rates(ax: Axes) -> None:
    options = {"sensitive_features": GROUPS, "sensitive_features_pred": np.roll(GROUPS, 40)}
    report = bam.audit(TRUTH, MODELS["wider"], n_boot=300, **options)
    report.plot(ax, direction="T->A")
    # Of 200 rows of class 0, 120 are b, of class 1 80; 40 more are predicted b, and 40 fewer.
    assert ax.get_title(loc="left") == "Share of b by class"
    assert texts_of(ax)[:2] == ["60 → 60%", "40 → 40%"]
    assert report.plot(Figure().add_subplot()).get_title(loc="left") == "Rates of class 1 by group"


def test_report_plot_of_gaps_has_the_band_of_each_change(ax: Axes) -> None:
    groups = np.tile(["a", "b", "c"], 200)[:400]
    report = bam.audit(TRUTH, MODELS["wider"], sensitive_features=groups, n_boot=300)
    report.plot(ax, part="gaps")
    gaps = report.to_frame("gaps")
    pairs = gaps[["first", "second"]].to_numpy().tolist()
    assert rows_of(ax) == [" − ".join(pair) for pair in pairs]
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
    assert plt.get_fignums() == []


# Intervals.


def test_comparison_plot_has_a_dot_for_each_model(ax: Axes) -> None:
    models = {name: MODELS[name] for name in ("wider", "turned", "labels")}
    comparison = bam.compare(TRUTH, models, sensitive_features=GROUPS, n_boot=300)
    comparison.plot(ax)
    assert rows_of(ax) == ["wider", "turned", "labels"]
    # Rates of both groups change by 20 points along the correlation, then by 40 against it.
    assert [dot[0] for dot in dots_of(ax)] == pytest.approx([0.2, -0.4, 0])
    assert [dot[2] for dot in dots_of(ax)] == [ORANGE, BLUE, GREY]
    assert texts_of(ax)[0].startswith("+20")
    assert ax.get_xlabel() == "BA A→T, points"
    assert legend_of(ax) == ["clearly above 0", "clearly below 0", "not clear"]
    ends = comparison.frame.loc[0, ["low", "high"]].tolist()
    assert ax.lines[1].get_xdata() == pytest.approx(ends)


def test_intervals_without_interval_are_hollow_and_sizes_have_no_sign(ax: Axes) -> None:
    result = result_of("turned", bam.MultiAttributeBiasAmplification())
    bam.plot.intervals(result, ax=ax)
    assert [dot[1:] for dot in dots_of(ax)] == [(0, "none")]
    assert texts_of(ax) == ["40.0"]
    assert legend_of(ax) == []


def test_intervals_of_frames_name_rows_by_what_varies(ax: Axes) -> None:
    report = audit("wider", "labels")
    bam.plot.intervals(bam.over_runs(report), ax=ax)
    assert rows_of(ax) == ["BA", "mean change", "excess"]  # Without accuracy, a scale of its own.
    both = bam.plot.intervals(
        report.to_frame().query("key == 'ba_a_to_t'"), ax=Figure().add_subplot()
    )
    assert rows_of(both) == ["wider", "labels"]


def test_intervals_of_metric_frame_have_its_quantiles(ax: Axes) -> None:
    frame = MetricFrame(
        metrics={"FPR": false_positive_rate},
        y_true=TRUTH,
        y_pred=MODELS["wider"],
        sensitive_features=GROUPS,
        n_boot=20,
        ci_quantiles=[0.025, 0.5, 0.975],
        random_state=0,
    )
    bam.plot.intervals(frame, ax=ax)
    assert rows_of(ax) == ["a", "b"]
    assert ax.get_xlabel() == "FPR, points"
    # Of a, 40 of 80 negative rows are predicted positive, and of b none.
    assert [dot[0] for dot in dots_of(ax)] == [0.5, 0]
    ends = [frame.by_group_ci[i].loc["a", "FPR"] for i in (0, 2)]
    assert ax.lines[1].get_xdata() == pytest.approx(ends)


def test_amplification_frame_plot_has_each_stratum_and_group(ax: Axes) -> None:
    frame = amplification_frame(
        metrics={"BA": "BA", "FPR": false_positive_rate},
        y_true=TRUTH,
        y_pred=MODELS["wider"],
        sensitive_features=GROUPS,
        control_features=np.tile(["m", "n"], 200),
        n_boot=300,
        ci_quantiles=[0.025, 0.975],
    )
    assert frame.plot(ax) is ax
    assert rows_of(ax)[:2] == ["BA, m, a", "BA, m, b"]
    # Both strata have the rates of all rows, each changed by 20 points along the correlation.
    assert [(x, colour) for x, _, colour in dots_of(ax)[:2]] == [(pytest.approx(0.2), ORANGE)] * 2
    assert [(x, colour) for x, _, colour in dots_of(ax)[4:6]] == [(0.5, GREY), (0, GREY)]


# Curves.


def test_sweep_plot_is_coloured_where_its_band_excludes_0(ax: Axes) -> None:
    score = np.tile([1, 2, 3, 4], 100) + (GROUPS == "a") * TRUTH
    sweep = bam.threshold_sweep(TRUTH, score, sensitive_features=GROUPS, n_boot=300)
    sweep.plot(ax)
    frame = sweep.frame
    assert ax.lines[1].get_xydata() == pytest.approx(frame[["share", "value"]].to_numpy())
    above = ax.lines[2]
    assert to_hex(above.get_color()) == ORANGE
    assert np.isfinite(above.get_ydata()).tolist() == (frame["band_low"] > 0).tolist()
    assert ax.get_xlabel() == "share of rows predicted positive"
    by_threshold = bam.plot.curves(sweep, x="threshold", ax=Figure().add_subplot())
    assert by_threshold.lines[1].get_xdata().tolist() == frame["threshold"].tolist()[1:]


def test_curves_of_epochs_stand_at_their_numbers_or_names(ax: Axes) -> None:
    epochs = {1: MODELS["labels"], 5: MODELS["wider"], 20: TRUTH}
    steps = bam.track(bam.audit(TRUTH, epochs, sensitive_features=GROUPS, n_boot=300))
    bam.plot.curves(steps, ax=ax)
    assert legend_of(ax) == ["BA", "mean change", "excess"]
    assert ax.lines[1].get_xdata().tolist() == [1, 5, 20]
    assert ax.lines[1].get_ydata() == pytest.approx([0, 0.2, 0])
    named = steps.assign(model=steps["model"].map({1: "s", 5: "m", 20: "l"}))
    named_ax = bam.plot.curves(named, ax=Figure().add_subplot())
    assert [label.get_text() for label in named_ax.get_xticklabels()] == ["s", "m", "l"]


def test_curves_of_a_mapping_vary_in_colour_and_style(ax: Axes) -> None:
    frame = pd.DataFrame({"share": [0, 1], "value": [0.1, 0.2]})
    bam.plot.curves({"FPR difference": frame, "BA": frame}, ax=ax)
    assert legend_of(ax) == ["FPR difference", "BA"]
    assert [line.get_linestyle() for line in ax.lines[1:]] == ["-", "--"]
    assert not {*colours_of(ax.lines[1:])} & {ORANGE, BLUE, PURPLE}


# Frontier and pairs.


def test_frontier_places_models_and_joins_the_unbeaten(ax: Axes) -> None:
    bam.plot.frontier(audit("equal", "wider", "turned"), ax=ax)
    dots = {(round(x, 9), y): face for x, y, face in dots_of(ax)}
    # Right are 100 - 20 + 100 - 20 of "equal" in each group: 180 of 200; of "wider" 160 of 200; of
    # "turned" 40 of a's 80 negatives and none of its positives, and the same of b.
    assert dots == {(-0.1, 0.9): BLUE, (0.2, 0.8): ORANGE, (-0.4, 0.2): BLUE}
    assert ax.lines[1].get_xydata() == pytest.approx(np.array([[-0.1, 0.9]]))
    assert texts_of(ax) == ["turned", "wider", "equal"]


def test_frontier_of_many_models_names_the_unbeaten_only(ax: Axes) -> None:
    rng = np.random.default_rng(0)
    models = {f"m{i}": np.where(rng.random(400) < 0.3, 1 - TRUTH, TRUTH) for i in range(15)}
    models["best"] = TRUTH
    bam.plot.frontier(bam.audit(TRUTH, models, sensitive_features=GROUPS, n_boot=0), ax=ax)
    assert texts_of(ax) == ["best"]


def test_result_plot_maps_pairs_in_orange_and_blue(ax: Axes) -> None:
    result = result_of("turned")
    result.plot(ax)
    assert rows_of(ax) == ["0", "1"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b"]
    assert texts_of(ax) == ["−40.0"] * 4
    [cells] = ax.collections
    assert [to_hex(cells.to_rgba(value)) for value in (-0.4, 0.4)] == [BLUE, ORANGE]
    assert ax.get_title(loc="left") == "BA A→T by pair"


def test_pairs_of_a_report_have_its_contributions(ax: Axes) -> None:
    bam.plot.pairs(audit("wider"), ax=ax)
    assert texts_of(ax) == ["+20.0"] * 4


def test_pairs_of_many_keep_the_largest_in_order(ax: Axes) -> None:
    values = np.arange(30.0) / 100
    frame = pd.DataFrame({"group": "a", "class": [f"c{i}" for i in range(30)], "value": values})
    frame.loc[29, "value"] = np.nan
    bam.plot.pairs(frame, ax=ax)
    assert rows_of(ax) == [f"c{i}" for i in range(9, 29)]
    assert ax.get_title(loc="left") == "value by pair: the largest of 30"


def test_pairs_without_value_are_empty(ax: Axes) -> None:
    frame = pd.DataFrame({"group": ["a", "a", "b"], "class": [0, 1, 0], "value": [0.1, 0.2, 0.3]})
    bam.plot.pairs(frame, ax=ax)
    assert [text.get_position() for text in ax.texts] == [(0, 0), (1, 0), (0, 1)]


# All pictures.


def test_names_are_text_on_one_line_and_stay_different(ax: Axes) -> None:
    start, end = (
        "the administrative district of the Lakeside ",
        " in the northern part of the region",
    )
    names = [f"{start}{number}{end}" for number in ("first", "second")]
    models = {names[0]: MODELS["wider"], names[1]: TRUTH, "$a_1$\nb": TRUTH}
    bam.compare(TRUTH, models, sensitive_features=GROUPS, n_boot=0).plot(ax)
    assert [row.replace("\n", " ") for row in rows_of(ax)] == [*names, "$a_1$ b"]
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())


def test_no_label_overlaps_another_at_the_default_size() -> None:
    names = [f"the administrative district number {i} of the region" for i in range(12)]
    groups = np.tile(names, 34)[:400]
    report = bam.audit(TRUTH, MODELS["wider"], sensitive_features=groups, n_boot=300)
    result = result_of("wider", sensitive_features=groups)
    for picture in (report.plot(), report.plot(part="gaps"), result.plot()):
        picture.figure.canvas.draw()
        boxes = [x.get_window_extent() for x in (*picture.get_yticklabels(), *picture.texts)]
        assert not any(one.count_overlaps(boxes) > 1 for one in boxes)
        room = picture.figure.bbox
        assert all(room.x0 <= box.x0 and box.x1 <= room.x1 for box in boxes)


def test_picture_changes_no_setting_and_opens_a_figure_only_without_axes(ax: Axes) -> None:
    settings = dict(mpl.rcParams)
    result = result_of("wider")
    result.plot(ax)
    assert plt.get_fignums() == []
    assert result.plot().figure is plt.gcf()
    assert len(plt.get_fignums()) == 1
    assert dict(mpl.rcParams) == settings


BOTH_DIRECTIONS = {
    direction: result_of(
        "labels",
        bam.DirectionalBiasAmplification(direction=direction),
        sensitive_features_pred=GROUPS,
    )
    for direction in ("A->T", "T->A")
}
ROW = pd.DataFrame({"value": [1], "low": 0, "high": 1})


@pytest.mark.parametrize(
    ("picture", "results", "fragment"),
    [
        ("intervals", {}, "at least one value; received none"),
        ("intervals", {"a": 1.0}, "one metric and direction; received value of float"),
        ("intervals", BOTH_DIRECTIONS, "one metric and direction; received BA A->T, BA T->A"),
        ("intervals", pd.DataFrame({"x": [1]}), "value, low, high; received x"),
        ("rates", pd.DataFrame(), "must be an AuditReport; received a DataFrame"),
        ("frontier", "report", "low, high; received a str"),
        ("frontier", ROW[["value"]], "a frame needs model, name"),
        ("pairs", [1], "a frame needs group; received a list"),
        ("pairs", ROW[["value"]], "a frame needs group; received value"),
        ("pairs", ROW.iloc[[0, 0]].assign(group=1, **{"class": 1}), "each pair must occur once"),
        ("curves", [1, 2], "a frame needs value; received a list"),
        ("curves", pd.DataFrame({"value": []}), "at least one point; received none"),
        ("curves", {}, "a frame needs value; received a dict"),
        ("curves", {"a": ROW[["value"]]}, "share, value; received v"),
    ],
)
def test_picture_of_bad_input_says_the_rule_and_leaves_no_figure(
    picture: str, results: Any, fragment: str
) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # The fragments follow.
        getattr(bam.plot, picture)(results)
    assert fragment in str(error.value)
    assert "\n" not in str(error.value)
    assert plt.get_fignums() == []


def test_picture_on_no_axes_is_refused() -> None:
    with pytest.raises(ValueError, match="ax must be matplotlib Axes; received a int"):
        bam.plot.intervals(ROW, ax=1)
