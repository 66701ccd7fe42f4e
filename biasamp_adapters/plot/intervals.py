"""Values with their intervals, one below the other."""

from __future__ import annotations

from collections.abc import Mapping
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
        ours, as in "BA by race", have a sign.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        Rows are at 0, 1, ... from the top; fractions are on the x axis, whose ticks are points, or
        times 100 if DPA is among them. Without shares, its ticks are the numbers as they are.

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
    metrics = {getattr(result, "metric", "value") for result in results.values()}
    others = {f"a {type(x).__name__}" for x in results.values() if not hasattr(x, "interval")}
    if others or len(metrics) > 1:
        rule = "results must be a frame, a report, or of one metric and direction"
        raise ValueError(f"{rule}; received {', '.join(sorted(others or metrics)):.150}")
    numbers = [[x.value, *(x.interval or (np.nan, np.nan))] for x in results.values()]
    frame = pd.DataFrame(numbers, columns=canvas.NUMBER)
    return frame.assign(row=list(results), of_metric=[*metrics] * len(frame))


def _read_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a frame, such as a part of a report."""
    frame = canvas.check_columns(frame, *canvas.NUMBER)
    sides = frame.filter(["first", "second"]).astype(str)
    frame = frame.assign(gap=sides.agg(f" {MINUS} ".join, axis=1)) if "second" in sides else frame
    metric = frame.get("metric", frame.get("name", "value"))
    part = next((name for column, name in _PARTS.items() if column in frame), metric)
    names = _NAMES[:-1] if "->" in "".join(map(str, metric)) else _NAMES
    return labelled(frame.assign(of_metric=part), *names)


def _read_groups(frame: Any) -> pd.DataFrame:
    """Return each metric in each group of a MetricFrame, with its outermost quantiles."""
    tables = [frame.by_group, *(frame.by_group_ci[i] for i in (0, -1) if frame.ci_quantiles)]
    long = [pd.DataFrame(x).melt(ignore_index=False, var_name="of_metric") for x in tables]
    numbers = dict(zip(canvas.NUMBER, (x["value"].to_numpy() for x in long), strict=False))
    rows = long[0].reset_index().assign(**{"low": np.nan, "high": np.nan} | numbers)
    return labelled(rows, "of_metric", *frame.by_group.index.names)


def labelled(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return rows with a name, from the columns that vary or else the first that exists.

    Accuracies, whose scale is another one, are left out unless there is nothing else.
    """
    is_accuracy = (frame.filter(["metric", "name"]) == "accuracy").any(axis=1)
    frame = frame if is_accuracy.all() else frame[~is_accuracy]
    known = [column for column in columns if column in frame]
    varied = [column for column in known if frame[column].nunique() > 1] or known[:1]
    row = frame[varied].astype(str).agg(", ".join, axis=1) if varied else "value"
    return frame.assign(row=row)
