"""Pictures of intervals and curves: what is drawn where, in which colours."""

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, count, false_positive_rate
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from plot import axes_reader as read
from plot.axes_reader import BLUE, GREY, GROUPS, INK, MODELS, ORANGE, PURPLE, TRUTH, audit

import biasamp_adapters as bam
from biasamp_adapters.fairlearn import amplification_frame

WIDER = {"y_true": TRUTH, "y_pred": MODELS["wider"], "sensitive_features": GROUPS}


def test_comparison_plot_has_a_dot_for_each_model(ax) -> None:
    models = {name: MODELS[name] for name in ("wider", "turned", "labels")}
    comparison = bam.compare(TRUTH, models, sensitive_features=GROUPS, n_boot=300)
    comparison.plot(ax)
    assert read.rows_of(ax) == ["wider", "turned", "labels"]
    # Rates of both groups change by 20 points along the correlation, then by 40 against it.
    assert [dot[0] for dot in read.dots_of(ax)] == pytest.approx([0.2, -0.4, 0])
    assert [dot[2] for dot in read.dots_of(ax)] == [ORANGE, BLUE, GREY]
    assert read.texts_of(ax)[0].startswith("+20")
    assert ax.get_xlabel() == "BA A→T, points"
    assert read.legend_of(ax) == ["clearly above 0", "clearly below 0", "not clear"]
    ends = comparison.frame.loc[0, ["low", "high"]].tolist()
    assert ax.lines[1].get_xdata() == pytest.approx(ends)


def test_intervals_without_interval_are_hollow_and_sizes_have_no_sign(ax) -> None:
    result = read.result_of("turned", bam.MultiAttributeBiasAmplification())
    bam.plot.intervals({"Multi": result, "BA": read.result_of("turned")}, ax=ax)
    assert [dot[1:] for dot in read.dots_of(ax)] == [(0, "none"), (1, "none")]
    assert read.texts_of(ax) == ["40.0", "−40.0"]
    assert read.legend_of(ax) == []


def test_intervals_of_frames_name_rows_by_what_varies(ax) -> None:
    report = audit("wider", "labels")
    bam.plot.intervals(bam.over_runs(report), ax=ax)
    assert read.rows_of(ax) == ["BA", "mean change", "excess"]  # Accuracy has another scale.
    both = bam.plot.intervals(report.to_frame().query("key == 'ba_a_to_t'"))
    assert read.rows_of(both) == ["wider", "labels"]


@pytest.mark.parametrize(
    ("part", "first", "label"),
    [
        ("strata", "m", "BA A→T, points"),
        ("gaps", "a − b", "change of the gap, points"),
        ("pairs", "a, 0", "part of BA, points"),
        ("largest", "selection_rate", "difference between groups, points"),
        ("equal_errors", "BA A→T", "excess, points"),
        ("metrics", "BA A→T", "times 100"),
    ],
)
def test_intervals_of_parts_name_rows_and_numbers(ax, part, first, label) -> None:
    options = {"control_features": np.tile(["m", "n"], 200), "n_boot": 50}
    groups = np.tile(["a", "b", "c"], 200)[:400]
    report = bam.audit(TRUTH, MODELS["wider"], sensitive_features=groups, **options)
    bam.plot.intervals(report.to_frame(part), ax=ax)
    assert first in read.rows_of(ax)
    assert len({*read.rows_of(ax)}) == len(read.rows_of(ax))
    assert ax.get_xlabel() == label


def test_intervals_keep_rows_without_value_and_ratios_without_dot(ax) -> None:
    names = ["BA", "excess", "FPR", "selection_rate_ratio", "log loss"]
    frame = pd.DataFrame({"name": names, "value": [np.nan, -0.2, 0.1, 0.5, 0.625]})
    bam.plot.intervals(frame.assign(low=frame["value"] - 0.1, high=frame["value"] + 0.1), ax=ax)
    assert read.rows_of(ax) == names
    assert [(dot[1], dot[2]) for dot in read.dots_of(ax)] == [(1, BLUE), (2, INK)]
    assert read.texts_of(ax)[:2] == ["no value", "−20 (−30 to −10)"]
    assert read.texts_of(ax)[3:] == ["0.5 (0.4 to 0.6)", "0.625 (0.525 to 0.725)"]
    assert read.legend_of(ax) == ["clearly below 0"]


def test_intervals_of_metric_frame_have_its_quantiles(ax) -> None:
    draws = {"n_boot": 20, "ci_quantiles": [0.025, 0.5, 0.975], "random_state": 0}
    frame = MetricFrame(metrics={"FPR": false_positive_rate}, **WIDER, **draws)
    bam.plot.intervals(frame, ax=ax)
    assert read.rows_of(ax) == ["a", "b"]
    assert ax.get_xlabel() == "FPR, points"
    # Of a, 40 of 80 negative rows are predicted positive, and of b none.
    assert [dot[0] for dot in read.dots_of(ax)] == [0.5, 0]
    ends = [frame.by_group_ci[i].loc["a", "FPR"] for i in (0, 2)]
    assert ax.lines[1].get_xdata() == pytest.approx(ends)


def test_amplification_frame_plot_has_each_stratum_and_group(ax) -> None:
    options = {"control_features": np.tile(["m", "n"], 200), "n_boot": 300}
    metrics, quantiles = {"amplified": "BA", "wrong": false_positive_rate}, [0.025, 0.975]
    frame = amplification_frame(metrics=metrics, ci_quantiles=quantiles, **WIDER, **options)
    assert frame.plot(ax) is ax
    assert read.rows_of(ax)[:2] == ["amplified, m, a", "amplified, m, b"]
    # Both strata have the rates of all rows, each changed by 20 points along the correlation.
    assert [(x, colour) for x, _, colour in read.dots_of(ax)[:2]] == [
        (pytest.approx(0.2), ORANGE)
    ] * 2
    assert [(x, colour) for x, _, colour in read.dots_of(ax)[4:6]] == [(0.5, INK), (0, INK)]
    assert read.legend_of(ax) == ["clearly above 0"]


def test_amplification_frame_plot_of_counts_has_them_as_they_are(ax) -> None:
    amplification_frame(metrics={"BA": "BA", "count": count}, **WIDER).plot(ax)
    assert read.rows_of(ax) == ["BA, a", "BA, b", "count, a", "count, b"]
    assert [dot[0] for dot in read.dots_of(ax)] == pytest.approx([0.2, 0.2])
    assert read.texts_of(ax) == ["+20.0", "+20.0", "200", "200"]
    assert ax.get_xlabel() == "BA, points"
    alone = amplification_frame(metrics={"count": count}, **WIDER).plot(Figure().add_subplot())
    assert [dot[0] for dot in read.dots_of(alone)] == [200, 200]
    assert alone.get_xlabel() == "count"


def test_sweep_plot_is_coloured_where_its_band_excludes_0(ax) -> None:
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
    assert by_threshold.lines[1].get_xdata().tolist() == frame["threshold"].tolist()[:0:-1]


def test_curves_of_epochs_stand_at_their_numbers_or_names(ax) -> None:
    epochs = {1: MODELS["labels"], 5: MODELS["wider"], 20: TRUTH}
    steps = bam.track(bam.audit(TRUTH, epochs, sensitive_features=GROUPS, n_boot=300))
    bam.plot.curves(steps, ax=ax)
    assert read.legend_of(ax) == ["BA", "mean change", "excess"]
    assert ax.lines[1].get_xdata().tolist() == [1, 5, 20]
    assert ax.lines[1].get_ydata() == pytest.approx([0, 0.2, 0])
    named = steps.assign(model=steps["model"].map({1: "s", 5: "m", 20: "l"}))
    named_ax = bam.plot.curves(named, ax=Figure().add_subplot())
    assert [label.get_text() for label in named_ax.get_xticklabels()] == ["s", "m", "l"]
    assert all(tick == round(tick) for tick in ax.get_xticks())
    assert (ax.get_xlabel(), named_ax.get_xlabel()) == ("model", "model")


def test_curves_over_dates_and_long_names_turn_them_and_leave_some_out(ax) -> None:
    days = pd.Series(pd.date_range("2026-01-01", periods=40))
    bam.plot.curves(pd.DataFrame({"day": days, "value": 0.1, "metric": "log loss"}), x="day", ax=ax)
    assert ax.lines[1].get_xdata().tolist() == list(range(40))
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == days.astype(str)[::2].tolist()
    ax.figure.canvas.draw()
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {40}
    assert ax.get_ylabel() == "log loss"
    with pytest.raises(ValueError, match="a frame needs 5, value; received day"):
        bam.plot.curves(pd.DataFrame({"day": days, "value": 0.1}), x=5)


def test_curves_without_value_have_a_gap_there_and_are_in_order(ax) -> None:
    frame = pd.DataFrame({"epoch": [3, 1, 2], "value": [0.3, 0.1, np.nan]})
    frame = frame.assign(low=frame["value"] - 0.1, high=frame["value"] + 0.1)
    bam.plot.curves(frame, x="epoch", ax=ax)
    [band], line = ax.collections, ax.lines[1]
    expected = np.array([[1, 0.1], [2, np.nan], [3, 0.3]])
    assert line.get_xydata() == pytest.approx(expected, nan_ok=True)
    assert len(band.get_paths()) == 2
    assert line.get_marker() == "o"  # A lone point is seen.
    named = bam.plot.curves(frame.assign(epoch=["s", "m", "l"]), x="epoch")
    assert [label.get_text() for label in named.get_xticklabels()] == ["s", "m", "l"]


def test_curves_of_long_names_have_room_beside_their_legend() -> None:
    frame = pd.DataFrame({"share": [0, 1], "value": [0.1, 0.2]})
    names = [f"the curve of model {i} with a name that goes on" for i in range(12)]
    ax = bam.plot.curves(dict.fromkeys(names, frame))
    ax.figure.canvas.draw()
    legend, room = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert room.x0 <= legend.x0 < legend.x1 <= room.x1
    assert room.y0 <= legend.y0
    assert ax.bbox.width > room.width / 2
    assert ax.bbox.height > 200


def test_curves_of_a_mapping_vary_in_colour_and_style(ax) -> None:
    frame = pd.DataFrame({"share": [0, 1], "value": [0.1, 0.2]})
    names = [f"FPR difference {i}" for i in range(20)]
    bam.plot.curves(dict.fromkeys(names, frame), ax=ax)
    assert (read.legend_of(ax), ax.get_ylabel()) == (names, "points")
    assert len({(x.get_color(), x.get_linestyle()) for x in ax.lines[1:]}) == 20
    assert not {*read.colours_of(ax.lines[1:])} & {ORANGE, BLUE, PURPLE}
