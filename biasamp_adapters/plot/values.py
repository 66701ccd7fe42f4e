"""Values with their intervals: one below the other, or as curves over something that varies."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from biasamp_adapters.figures import MINUS, Digits
from biasamp_adapters.plot import canvas

#: The columns that tell rows apart.
_NAMES = ["model", "stratum", "metric", "name", "measure", "gap", "group", "of_class", "direction"]

#: What the numbers in parts of a report are, by a column of the part.
_PARTS = {"beyond": "change of the gap", "equal_errors": "excess", "sign": "part of BA"}
_PARTS |= {"first": "change from the first model", "measure": "difference between groups"}

#: Looks of several curves, none of which has a meaning: 5 colours and 4 styles make 20 pairs.
_COLOURS = ("#00795a", "#a8518a", "#7a6a00", "#6b6b6b", "#5b9420")
_STYLES = ("-", "--", "-.", ":")

#: Of curves: inches of a new figure, and of a line of names below it; characters of a name there.
_HEIGHT, _LINE, _NAME = 3.6, 0.09, 18

#: The columns that may hold the varied quantity, and what the axis is called.
_VARIED = {"share": "share of rows predicted positive", "threshold": "threshold", "model": "model"}


def intervals(results: Any, *, ax: Axes | None = None) -> Axes:
    """Draw values with their intervals, one row for each.

    A dot is orange where the whole interval lies above 0, blue where it lies below, and grey where
    it holds 0. It has the colour of text where the number has no sign, as rates and Multi have
    none, or no interval; without an interval it is also hollow. Names tell which numbers are
    shares, as rates, differences and our metrics are; next to them, others (ratios, losses, counts
    and names that are not known) have no dot. A row without a value says so.

    Parameters
    ----------
    results : AmplificationResult, Comparison, mapping of str to these, MetricFrame or DataFrame
        A DataFrame has ``low`` and ``high``, the value as ``value`` or ``mean``, and names of rows
        as ``metric``, ``name`` or ``model``: that of :func:`~biasamp_adapters.over_runs`,
        ``Comparison.frame``, and parts of a report, whose rows are named by the columns that
        vary (stratum, groups, class). Its accuracies next to other numbers are left out, and
        without ``metric`` and ``name`` numbers have no sign and no unit. A MetricFrame has a row
        for each metric and group, with its outermost quantiles; metrics whose names begin like
        ours, as in "BA by race", have a sign, and an AmplificationFrame knows what others are.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        Rows are at 0, 1, ... from the top; fractions are on the x axis, whose ticks are points, or
        times 100 if DPA is among them. Without shares, its ticks are the numbers as they are.

    Raises
    ------
    ValueError
        If there is no value, or results are neither a frame nor of metrics.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> metric, group = bam.DirectionalBiasAmplification(), ["a"] * 50 + ["b"] * 50
    >>> truth = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> models = {"along": [1] * 35 + [0] * 65, "as the data": truth}
    >>> ax = bam.plot.intervals(bam.compare(truth, models, sensitive_features=group, n_boot=200))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['along', 'as the data']
    """
    frame = _read(results).astype({"of_metric": str, **dict.fromkeys(canvas.NUMBER, float)})
    if frame["value"].isna().all():
        raise ValueError("a picture of intervals needs at least one value; received none")
    ax = canvas.axes_with_rows(ax, canvas.printed(frame["row"]))
    ax.axvline(0, **canvas.ZERO)
    frame["unit"] = frame["of_metric"].map(canvas.unit_of)
    unit = frame["unit"].max()  # What is in points is also times 100.
    frame["is_drawn"] = frame["value"].notna() & (frame["unit"].eq("") == (unit == ""))
    frame["side"] = list(map(canvas.side_of, frame["of_metric"], frame["low"], frame["high"]))
    records: Any = frame.astype(object).where(frame.notna(), None).to_dict("records")
    digits = Digits.of(*(row for row in records if row["is_drawn"]))
    for y, row in enumerate(records):
        colour = canvas.colour_of(row["side"])
        canvas.write_beside(ax, y, _text(row, digits), colour)
        if row["is_drawn"]:
            ax.plot((row["low"], row["high"]), (y, y), color=colour, linewidth=2)
            face = "none" if row["low"] is None else colour
            ax.plot(row["value"], y, "o", color=colour, mfc=face)
    metrics = frame.loc[frame["is_drawn"], "of_metric"].unique()
    canvas.label_numbers(ax.xaxis, canvas.printed(metrics), unit)
    canvas.add_legend(ax, canvas.tone_marks({*frame["side"]}))
    return ax


def _text(row: dict[str, Any], digits: Digits) -> str:
    """Return what stands at the right of a row: a change or share in hundredths, or the number."""
    if row["value"] is None:
        return "no value"
    if row["unit"]:
        text = digits.change(row)
        return text if canvas.is_signed(row["of_metric"]) else text.replace("+", "")
    known = [row[name] for name in canvas.NUMBER if row[name] is not None]
    value, *ends = (f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}" for x in known)
    return (f"{value} ({' to '.join(ends)})" if ends else value).replace("-", MINUS)


def _read(results: Any) -> pd.DataFrame:
    """Return the rows of anything that is drawn: row, of_metric, value, low, high."""
    if hasattr(results, "control_levels"):
        return _read_groups(results)
    results = results.to_frame() if hasattr(results, "to_frame") else results
    if isinstance(results, pd.DataFrame):
        return _read_frame(results.rename(columns={"mean": "value"}))
    results = getattr(results, "results", results)
    if not isinstance(results, Mapping):
        results = {getattr(results, "metric", "value"): results}
    others = {f"a {type(x).__name__}" for x in results.values() if not hasattr(x, "estimate")}
    if others:
        rule = "results must be a frame, a report, or results of metrics"
        raise ValueError(f"{rule}; received {', '.join(sorted(others)):.150}")
    numbers = [[x.metric, x.value, x.estimate.low, x.estimate.high] for x in results.values()]
    frame = pd.DataFrame(numbers, columns=["of_metric", *canvas.NUMBER])
    return frame.assign(row=list(results))


def _read_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a frame, such as a part of a report."""
    frame = canvas.check_columns(frame, *canvas.NUMBER)
    sides = frame.filter(["first", "second"]).astype(str)
    frame = frame.assign(gap=sides.agg(f" {MINUS} ".join, axis=1)) if "second" in sides else frame
    metric = frame.get("metric", frame.get("name", "value"))
    part = next((name for column, name in _PARTS.items() if column in frame), metric)
    names = _NAMES[:-1] if "->" in "".join(map(str, metric)) else _NAMES
    return _labelled(frame.assign(of_metric=part), *names)


def _read_groups(frame: Any) -> pd.DataFrame:
    """Return each metric in each group of a MetricFrame, with its outermost quantiles."""
    tables = [frame.by_group, *(frame.by_group_ci[i] for i in (0, -1) if frame.ci_quantiles)]
    long = [pd.DataFrame(x).melt(ignore_index=False, var_name="of_metric") for x in tables]
    numbers = dict(zip(canvas.NUMBER, (x["value"].to_numpy() for x in long), strict=False))
    rows = long[0].reset_index().assign(**{"low": np.nan, "high": np.nan} | numbers)
    rows = _labelled(rows, "of_metric", *frame.by_group.index.names)
    kinds = getattr(frame, "kinds", {})
    metrics = [x if canvas.unit_of(str(x)) else kinds.get(x, x) for x in rows["of_metric"]]
    return rows.assign(of_metric=metrics)


def curves(results: Any, *, x: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw metrics as curves with bands, over thresholds, epochs or anything else that varies.

    One curve of a metric with a sign is orange where its band lies above 0, blue where it lies
    below, and grey elsewhere. Several curves, up to 20, differ in colour and line style, without a
    meaning.

    Parameters
    ----------
    results : ThresholdSweep, DataFrame, or mapping of str to these
        A frame has the varied quantity, ``value``, and for a band ``band_low`` and ``band_high`` or
        ``low`` and ``high``: that of :func:`~biasamp_adapters.track`, which has a curve for
        each metric, or one that you made. Accuracies next to other numbers of a frame are left out.
    x : str, optional
        The column of the varied quantity; by default "share", "threshold" or "model", whichever
        comes first. What is no number (as dates) stands at 0, 1, ... under its name, and numbers
        in their order. A value that is NaN is a gap in its curve.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        Fractions are on the y axis, whose ticks are points (of DPA, times 100) if names tell that
        all numbers are shares, and otherwise the numbers as they are.

    Raises
    ------
    ValueError
        If there is no value, or a frame lacks a column.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", ICML 2021, Fig. 2 and 6.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> y_true, score, group = [1, 1, 0, 1, 0, 0], [5, 4, 3, 3, 2, 1], list("aaabbb")
    >>> sweep = bam.threshold_sweep(y_true, score, sensitive_features=group, n_boot=0)
    >>> ax = bam.plot.curves(sweep)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('share of rows predicted positive', 'BA A→T, points')
    """
    x, lines = _read_curves(results, x)
    numbers = pd.to_numeric(lines["x"].astype(object), errors="coerce")
    has_names = numbers.isna().any()
    places, names = pd.factorize(lines["x"].astype(str)) if has_names else (numbers, [])
    lines = lines.assign(x=places)[np.isfinite(places)]  # A threshold of infinity has no place.
    if lines["value"].isna().all():
        raise ValueError("a picture of curves needs at least one value; received none")
    parts = [part.sort_values("x", kind="stable") for _, part in lines.groupby("row", sort=False)]
    labels = [canvas.wrap(name) for name in canvas.printed(lines["row"].unique())]
    ax = canvas.axes_for(ax, _HEIGHT + _LINE * "\n".join(labels).count("\n"))
    ax.axhline(0, **canvas.ZERO)
    looks = zip(cycle(_COLOURS), cycle(_STYLES)) if len(parts) > 1 else [(canvas.GREY, "-")]
    marks: list[Any] = []
    for label, part, (colour, style) in zip(labels, parts, looks, strict=False):
        ax.fill_between(part["x"], part["low"], part["high"], color=colour, alpha=0.2, linewidth=1)
        marks += ax.plot(part["x"], part["value"], "o", ls=style, color=colour, ms=3, label=label)
    if len(parts) == 1:
        marks = _draw_sides(ax, *parts)
    if has_names:
        canvas.name_columns(ax, canvas.printed(names, _NAME))
    elif x == "share":
        canvas.scale_in_hundredths(ax.xaxis, "%")
    elif not (lines["x"] % 1).any():
        ax.locator_params("x", integer=True, min_n_ticks=1)
    units = {canvas.unit_of(metric) for metric in lines["of_metric"]}
    canvas.label_numbers(ax.yaxis, labels, max(units) if all(units) else "")
    ax.set_xlabel(_VARIED.get(x, str(x)), parse_math=False)
    canvas.add_legend(ax, marks)
    return ax


def _read_curves(results: Any, x: Any) -> tuple[Any, Any]:
    """Return the column that varies, and row, of_metric, x, value, low and high of all curves."""
    is_mapping, parts = isinstance(results, Mapping) and len(results) > 0, []
    for name, curve in results.items() if is_mapping else [("value", results)]:
        frame = getattr(curve, "frame", curve)
        x = x or next((name for name in _VARIED if name in getattr(frame, "columns", ())), "share")
        frame = canvas.check_columns(frame, x, "value")
        ends = {end: frame.get(f"band_{end}", frame.get(end, np.nan)) for end in ("low", "high")}
        metric = frame.get("metric", getattr(curve, "metric", name))
        part = frame.assign(x=frame[x], of_metric=metric, **ends)
        part = part.assign(row=name) if is_mapping else _labelled(part, "of_metric", "direction")
        parts.append(part[["row", "of_metric", "x", *canvas.NUMBER]])
    return x, pd.concat(parts).astype({"row": str, "of_metric": str})


def _draw_sides(ax: Axes, line: pd.DataFrame) -> list[Any]:
    """Draw the parts of a curve whose bands lie on a side of 0, and return a legend."""
    sides = np.array(list(map(canvas.side_of, line["of_metric"], line["low"], line["high"])))
    for side in ("up", "down"):
        part = line["value"].where(sides == side)
        ax.plot(line["x"], part, "o-", color=canvas.COLOURS[side], markersize=3)
    return canvas.tone_marks(sides, "", "-")


def _labelled(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return rows with a name, from the columns that vary or else the first that exists.

    Accuracies, whose scale is another one, are left out unless there is nothing else.
    """
    is_accuracy = (frame.filter(["metric", "name"]) == "accuracy").any(axis=1)
    frame = frame if is_accuracy.all() else frame[~is_accuracy]
    known = [column for column in columns if column in frame]
    varied = [column for column in known if frame[column].nunique() > 1] or known[:1]
    row = frame[varied].astype(str).agg(", ".join, axis=1) if varied else "value"
    return frame.assign(row=row)
