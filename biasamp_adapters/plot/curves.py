"""Metrics over something that varies: thresholds, epochs, sizes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from biasamp_adapters.plot import canvas
from biasamp_adapters.plot.intervals import labelled

#: Looks of several curves, none of which has a meaning: 5 colours and 4 styles make 20 pairs.
_COLOURS = ("#00795a", "#a8518a", "#7a6a00", "#6b6b6b", "#5b9420")
_STYLES = ("-", "--", "-.", ":")

#: Inches of a new figure, and of a line of names below it; characters of a name on the x axis.
_HEIGHT, _LINE, _NAME = 3.6, 0.09, 18

#: The columns that may hold the varied quantity, and what the axis is called.
_VARIED = {"share": "share of rows predicted positive", "threshold": "threshold", "model": "model"}


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
    x, lines = _read(results, x)
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


def _read(results: Any, x: Any) -> tuple[Any, Any]:
    """Return the column that varies, and row, of_metric, x, value, low and high of all curves."""
    is_mapping, parts = isinstance(results, Mapping) and len(results) > 0, []
    for name, curve in results.items() if is_mapping else [("value", results)]:
        frame = getattr(curve, "frame", curve)
        x = x or next((name for name in _VARIED if name in getattr(frame, "columns", ())), "share")
        frame = canvas.check_columns(frame, x, "value")
        ends = {end: frame.get(f"band_{end}", frame.get(end, np.nan)) for end in ("low", "high")}
        metric = frame.get("metric", getattr(curve, "metric", name))
        part = frame.assign(x=frame[x], of_metric=metric, **ends)
        part = part.assign(row=name) if is_mapping else labelled(part, "of_metric", "direction")
        parts.append(part[["row", "of_metric", "x", *canvas.NUMBER]])
    return x, pd.concat(parts).astype({"row": str, "of_metric": str})


def _draw_sides(ax: Axes, line: pd.DataFrame) -> list[Any]:
    """Draw the parts of a curve whose bands lie on a side of 0, and return a legend."""
    sides = np.array(list(map(canvas.side_of, line["of_metric"], line["low"], line["high"])))
    for side in ("up", "down"):
        part = line["value"].where(sides == side)
        ax.plot(line["x"], part, "o-", color=canvas.COLOURS[side], markersize=3)
    return canvas.tone_marks(sides, "", "-")
