"""Values with their intervals, one below the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from biasamp_adapters.figures import MINUS, Digits
from biasamp_adapters.plot import canvas

#: The columns of a number; ends are NaN where there is no interval.
_NUMBER = ["value", "low", "high"]


def intervals(results: Any, *, ax: Axes | None = None) -> Axes:
    """Draw values with their intervals, one row for each.

    A dot is orange where the whole interval lies above 0, blue where it lies below, and grey where
    it holds 0. It has the colour of text where the number has no sign, as rates and Multi have
    none, or no interval; without an interval it is also hollow. Next to shares, other numbers
    (ratios, and metrics that exceed 1, as counts do) have no dot. A row without a value says so.

    Parameters
    ----------
    results : AmplificationResult, Comparison, mapping of str to these, MetricFrame or DataFrame
        A DataFrame has ``low`` and ``high``, the value as ``value`` or ``mean``, and names of rows
        as ``metric``, ``name`` or ``model``: that of
        :func:`~biasamp_adapters.over_runs`, ``Comparison.frame`` and parts of a report. Its
        accuracies next to other numbers are left out, and without ``metric`` and ``name`` numbers
        have no sign. A MetricFrame has a row for each metric and
        group, with its outermost quantiles; metrics whose names begin like ours, as in
        "BA by race", have a sign.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        Rows are at 0, 1, ... from the top; fractions are on the x axis, whose ticks are points. If
        there are no shares, its ticks are the numbers as they are.

    Raises
    ------
    ValueError
        If there is no value, or results are of several metrics.

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
    frame = _read(results).astype(dict.fromkeys(_NUMBER, float))
    if frame["value"].isna().all():
        raise ValueError("a picture of intervals needs at least one value; received none")
    ax = canvas.axes_with_rows(ax, canvas.printed(frame["label"]))
    ax.axvline(0, **canvas.ZERO)
    largest = frame[_NUMBER].abs().max(axis=1).groupby(frame["of_metric"]).transform("max")
    frame["is_share"] = list(map(canvas.is_share, frame["of_metric"], largest))
    in_points = frame["is_share"].any()
    frame["is_drawn"] = frame["value"].notna() & (frame["is_share"] == in_points)
    frame["side"] = list(map(canvas.side_of, frame["of_metric"], frame["low"], frame["high"]))
    records: Any = frame.astype(object).where(frame.notna(), None).to_dict("records")
    digits = Digits.of(*(row for row in records if row["is_drawn"]))
    for y, row in enumerate(records):
        colour, has_interval = canvas.colour_of(row["side"]), row["low"] is not None
        canvas.write_beside(ax, y, _text(row, digits), colour)
        if row["is_drawn"] and has_interval:
            ax.plot((row["low"], row["high"]), (y, y), color=colour, linewidth=2)
        if row["is_drawn"]:
            ax.plot(row["value"], y, "o", color=colour, mfc=colour if has_interval else "none")
    metrics = canvas.printed(frame.loc[frame["is_drawn"], "of_metric"].unique())
    label = metrics if len(metrics) == 1 else []
    if in_points:
        canvas.scale_in_hundredths(ax.xaxis)
        label = [*label, "points"]
    ax.set_xlabel(", ".join(label), parse_math=False)
    canvas.add_legend(ax, canvas.tone_marks({*frame["side"]}))
    return ax


def _text(row: dict[str, Any], digits: Digits) -> str:
    """Return what stands beside a row: a change or a share in points, or a number as it is."""
    if row["value"] is None:
        return "no value"
    if row["is_share"]:
        text = digits.change(row)
        return text if canvas.is_signed(row["of_metric"]) else text.replace("+", "")
    known = [row[name] for name in _NUMBER if row[name] is not None]
    value, *ends = (f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}" for x in known)
    text = f"{value} ({' to '.join(ends)})" if ends else value
    return text.replace("-", MINUS)


def _read(results: Any) -> pd.DataFrame:
    """Return the rows of anything that is drawn: label, of_metric, value, low, high."""
    if hasattr(results, "control_levels"):
        return _read_groups(results)
    results = results.to_frame() if hasattr(results, "to_frame") else results
    if isinstance(results, pd.DataFrame):
        frame = results.rename(columns={"mean": "value"})
        canvas.check_columns(frame, *_NUMBER)
        further = ("metric", "direction") if "metric" in frame else ("name",)
        frame = labelled(frame, "model", *further)
        return frame.assign(of_metric=frame.get(further[0], "value"))
    results = getattr(results, "results", results)
    if not isinstance(results, Mapping):
        results = {getattr(results, "metric", "value"): results}
    numbers = [getattr(result, "estimate", result) for result in results.values()]
    metrics = {getattr(result, "metric", "value") for result in results.values()}
    if len(metrics) > 1 or not all(hasattr(number, "interval") for number in numbers):
        received = ", ".join(sorted(metrics)) + f" of {type(numbers[0]).__name__}"
        raise ValueError(f"results must be of one metric and direction; received {received:.150}")
    frame = pd.DataFrame([[x.value, x.low, x.high] for x in numbers], columns=_NUMBER)
    return frame.assign(label=list(map(str, results)), of_metric=[*metrics] * len(frame))


def _read_groups(frame: Any) -> pd.DataFrame:
    """Return each metric in each group of a MetricFrame, with its outermost quantiles."""
    tables = [frame.by_group]
    if frame.ci_quantiles:
        tables += [frame.by_group_ci[0], frame.by_group_ci[-1]]
    long = [pd.DataFrame(x).melt(ignore_index=False, var_name="of_metric") for x in tables]
    numbers = dict(zip(_NUMBER, (x["value"].to_numpy() for x in long), strict=False))
    rows = long[0].reset_index().assign(**{"low": np.nan, "high": np.nan} | numbers)
    return labelled(rows.astype({"of_metric": str}), "of_metric", *frame.by_group.index.names)


def labelled(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return rows with a label, from the columns that vary or else the first that exists.

    Accuracies, whose scale is another one, are left out unless there is nothing else.
    """
    is_accuracy = (frame.filter(regex="^(metric|name)$") == "accuracy").any(axis=1)
    frame = frame if is_accuracy.all() else frame[~is_accuracy]
    known = [column for column in columns if column in frame]
    varied = [column for column in known if frame[column].nunique() > 1] or known[:1]
    label = frame[varied].astype(str).agg(", ".join, axis=1) if varied else "value"
    return frame.assign(label=label)
