"""Metrics over something that varies: thresholds, epochs, sizes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from biasamp_adapters.plot import canvas
from biasamp_adapters.plot.intervals import labelled

#: Colours of several curves, none of which has a meaning.
_COLOURS = ("#00795a", "#a8518a", "#7a6a00", "#4d4d4d")
_STYLES = ("-", "--", "-.", ":")

#: Inches of a new figure, and of a line of names below it; characters of a label on the x axis.
_HEIGHT, _LINE, _LABEL = 3.6, 0.09, 12

#: The columns that may hold the varied quantity, and what the axis is called.
_VARIED = {"share": "share of rows predicted positive", "threshold": "threshold", "model": "model"}


def curves(results: Any, *, x: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw metrics as curves with bands, over thresholds, epochs or anything else that varies.

    One curve of a metric with a sign is orange where its band lies above 0, blue where it lies
    below, and grey elsewhere. Several curves differ in colour and line style, without a meaning.

    Parameters
    ----------
    results : ThresholdSweep, DataFrame, or mapping of str to these
        A frame has the varied quantity, ``value``, and for a band ``band_low`` and ``band_high`` or
        ``low`` and ``high``: that of :func:`~biasamp_adapters.track`, which has a curve for
        each metric, or one that you made. Accuracies next to other numbers of a frame are left out.
    x : str, optional
        The column of the varied quantity; by default "share", "threshold" or "model", whichever
        comes first. What is no number stands at 0, 1, ... under its name, and numbers in their
        order. A value that is NaN is a gap in its curve.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        Fractions are on the y axis, whose ticks are points.

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
    frames = _read(results)
    first = next(iter(frames.values()), None)
    x = x or next((name for name in _VARIED if name in getattr(first, "columns", ())), "share")
    lines = {name: _prepare(frame, x) for name, frame in frames.items()}
    if not any(line["value"].notna().any() for line in lines.values()):
        raise ValueError("a picture of curves needs at least one value; received none")
    names, unit = [canvas.wrap(name) for name in canvas.printed(lines)], "points"
    ax = canvas.axes_for(ax, _HEIGHT + _LINE * "\n".join(names).count("\n"))
    ax.axhline(0, **canvas.ZERO)
    looks = zip(cycle(_COLOURS), cycle(_STYLES)) if len(lines) > 1 else [(canvas.GREY, "-")]
    drawn = zip(names, lines.values(), looks, strict=False)
    marks = [_draw(ax, name, line, *look) for name, line, look in drawn]
    if len(lines) == 1:
        [(metric, line)], unit = lines.items(), f"{names[0]}, points"
        marks = _draw_sides(ax, metric, line)
    places = np.concatenate([line["x"] for line in lines.values()])
    if x == "share":
        canvas.scale_in_hundredths(ax.xaxis, "%")
    elif places.dtype != object and not (places % 1).any():
        ax.locator_params("x", integer=True, min_n_ticks=1)
    canvas.scale_in_hundredths(ax.yaxis)
    ax.set_xlabel(_VARIED.get(x, x), parse_math=False)
    ax.set_ylabel(unit, parse_math=False)
    canvas.add_legend(ax, marks)
    return ax


def _read(results: Any) -> dict[str, Any]:
    """Return the frames of all curves by their names."""
    if isinstance(results, Mapping) and results:
        return {str(name): getattr(curve, "frame", curve) for name, curve in results.items()}
    if hasattr(results, "integral"):
        return {results.metric: results.frame}
    canvas.check_columns(results, "value")
    parts = labelled(results, "metric", "direction").groupby("label", sort=False)
    return {str(name): part for name, part in parts}


def _prepare(frame: Any, x: str) -> pd.DataFrame:
    """Return x, value, low and high; x that is no number becomes text."""
    canvas.check_columns(frame, x, "value")
    prefix = "band_" if "band_low" in frame else ""
    ends = {end: frame.get(prefix + end, np.nan) for end in ("low", "high")}
    line = frame[["value"]].assign(**ends).astype(float)
    places = pd.to_numeric(frame[x], errors="coerce")
    if places.isna().any():
        return line.assign(x=canvas.printed(frame[x], _LABEL))
    line = line.assign(x=places)[np.isfinite(places)]  # A threshold of infinity has no place.
    return line.sort_values("x", kind="stable")


def _draw(ax: Axes, name: str, line: pd.DataFrame, colour: str, style: str) -> Line2D:
    """Draw a curve with its band, and return its entry of a legend."""
    ax.fill_between(line["x"], line["low"], line["high"], color=colour, alpha=0.2, linewidth=1)
    ax.plot(line["x"], line["value"], "o", linestyle=style, color=colour, markersize=3)
    return canvas.mark(name, colour, "", style)


def _draw_sides(ax: Axes, metric: str, line: pd.DataFrame) -> list[Line2D]:
    """Draw the parts of a curve whose bands lie on a side of 0, and return a legend."""
    sides = np.array([canvas.side_of(metric, *x) for x in line[["low", "high"]].to_numpy()])
    for side in ("up", "down"):
        part = line["value"].where(sides == side)
        ax.plot(line["x"], part, "o-", color=canvas.COLOURS[side], markersize=3)
    return canvas.tone_marks(sides, "", "-")
