"""Plot values with their intervals as dots with whiskers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from biasamp_adapters._text import arrows
from biasamp_adapters.inference.estimates import Estimate, RunSummary, side_of_zero, summarize_runs
from biasamp_adapters.metrics.result import AmplificationResult, about
from biasamp_adapters.plot.canvas import (
    EDGE,
    ROW,
    TONES,
    UNCLEAR,
    axes_of,
    finish,
    mark,
    named_rows,
    scale_of_values,
)

_Estimated: TypeAlias = AmplificationResult | Estimate | RunSummary

#: The size of a diamond.
_DIAMOND = 4.5


def intervals(
    results: AmplificationResult | Mapping[str, AmplificationResult],
    *,
    signed: bool | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Plot values with their intervals, one per row, on a scale centred on 0.

    A dot is orange where the whole interval shows amplified bias, blue where it shows reduced bias,
    grey where it shows neither, and hollow where there is no interval. A diamond is the value that
    mistakes as frequent as the model's would give if they knew nothing of the attribute.

    Parameters
    ----------
    results : AmplificationResult, or mapping of str to such
        Results of the same metric and direction. The keys are the names of the rows.
    signed : bool, optional
        Whether values may be negative. By default, true except for Multi; set it for differences
        of Multi.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.
    legend : bool
        Whether to show a legend of the diamonds.

    Returns
    -------
    Axes
        The axes that were drawn on. Rows are at 0, 1, ... from the top, and values on the x axis
        as they are; the ticks of differences of rates show points.

    Raises
    ------
    ValueError
        If there is no result, or results are of several metrics or directions.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> metric = bam.DirectionalBiasAmplification(direction="A->T")
    >>> group, truth = ["a"] * 50 + ["b"] * 50, [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> models = {"along": [1] * 35 + [0] * 15 + [1] * 15 + [0] * 35, "as the data": truth}
    >>> results = {
    ...     name: metric.result(truth, y_pred, sensitive_features=group, n_boot=200)
    ...     for name, y_pred in models.items()
    ... }
    >>> ax = bam.plot.intervals(results)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['along', 'as the data']
    """
    rows = dict(results) if isinstance(results, Mapping) else {"": results}
    for name, row in rows.items():
        if not isinstance(row, AmplificationResult):
            raise ValueError(
                f"results must be of metric.result(...), or a mapping of names to such; received "
                f"{row!r} for {name!r}"
            )
    title = _common_name(rows.values())
    metric = about(next(iter(rows.values())).metric)
    if signed is None:
        signed = metric.signed
    blind = {
        y: row.blind_errors for y, row in enumerate(rows.values()) if row.blind_errors is not None
    }
    new = ax is None
    ax = axes_of(ax, 4.0)
    numbers = _numbers([*rows.values(), *blind.values()])
    named_rows(ax, rows)
    scale_of_values(ax, numbers, arrows(title), points=metric.in_points, signed=signed)
    for y, row in enumerate(rows.values()):
        _draw_dot(ax, row, y - 0.14 * bool(blind), signed=signed)
        if y in blind:
            _draw_diamond(ax, blind[y], y + 0.22)
    marks = [mark("blind errors", UNCLEAR, "D", hollow=True, size=_DIAMOND)]
    finish(ax, ROW * len(rows) if new else None, marks if legend and blind else [])
    return ax


def runs(
    results: Sequence[Any] | Mapping[str, Sequence[Any]],
    *,
    confidence: float = 0.95,
    method: Literal["t", "normal"] = "t",
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Plot runs (seeds, folds) as small dots, and their mean with its interval over runs.

    Parameters
    ----------
    results : sequence of AmplificationResult or float, or mapping of str to such
        One result for each run, all of the same metric and direction; a mapping has one row for
        each model.
    confidence, method
        As in :func:`~biasamp_adapters.summarize_runs`.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.
    legend : bool
        Whether to show a legend of the dots.

    Returns
    -------
    Axes
        The axes that were drawn on. Rows are at 0, 1, ... from the top, and values on the x axis
        as they are; the ticks of differences of rates show points.

    Raises
    ------
    ValueError
        If there is no run, a value is NaN, or results are of several metrics or directions.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> ax = bam.plot.runs({"small": [0.01, 0.03, 0.02], "large": [0.04, 0.05, 0.05]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['small', 'large']
    """
    rows = dict(results) if isinstance(results, Mapping) else {"": results}
    if not rows or not all(isinstance(row, Iterable) for row in rows.values()):
        raise ValueError(
            "results must be a sequence of runs, or map at least one model to such; received "
            f"{results!r}"
        )
    rows = {name: list(row) for name, row in rows.items()}
    known = [run for row in rows.values() for run in row if isinstance(run, AmplificationResult)]
    title = _common_name(known) if known else ""
    signed = not known or about(known[0].metric).signed
    points = bool(known) and about(known[0].metric).in_points
    means = [summarize_runs(row, confidence, method) for row in rows.values()]
    values = [[float(getattr(run, "value", run)) for run in row] for row in rows.values()]
    new = ax is None
    ax = axes_of(ax, 4.0)
    numbers = [*_numbers(means), *chain(*values)]
    named_rows(ax, rows)
    scale_of_values(ax, numbers, arrows(title), points=points, signed=signed)
    for y, (mean, row) in enumerate(zip(means, values, strict=True)):
        # Different heights keep runs with equal values apart.
        heights = y + 0.16 + np.linspace(0, 0.16, len(row))
        ax.scatter(row, heights, s=12, facecolors="none", edgecolors=UNCLEAR, linewidths=0.9)
        _draw_dot(ax, mean, y - 0.12, signed=signed)
    marks = [mark("one run", UNCLEAR, hollow=True, size=3.5), mark("mean", UNCLEAR, size=6.5)]
    finish(ax, 1.3 * ROW * len(rows) if new else None, marks if legend else [])
    return ax


def _common_name(results: Iterable[AmplificationResult]) -> str:
    """The metric and direction that all results share."""
    kinds = list(dict.fromkeys(result.short_name for result in results))
    if len(kinds) != 1:
        raise ValueError(
            "values compare within one metric and one direction, so a picture shows one; received "
            f"{kinds}"
        )
    return kinds[0]


def _numbers(estimates: Iterable[_Estimated]) -> list[float]:
    """All values and all ends of intervals."""
    return [
        number for estimate in estimates for number in (estimate.value, *(estimate.interval or ()))
    ]


def _draw_dot(ax: Axes, estimate: _Estimated, y: float, *, signed: bool) -> None:
    """Draw a value and its interval, in the colour of what the interval shows."""
    if not np.isfinite(estimate.value):
        word = "undefined" if np.isnan(estimate.value) else "unbounded"
        ax.text(0, y, word, ha="center", va="center", fontsize="small", style="italic")
        return
    colour, face = UNCLEAR, "none"
    if estimate.interval is not None:
        if signed:
            colour = TONES[side_of_zero(estimate.interval)]
        ax.plot(estimate.interval, (y, y), color=colour, linewidth=2, solid_capstyle="butt")
        face = colour
    ax.plot(estimate.value, y, "o", color=colour, markersize=6.5, mfc=face, markeredgewidth=EDGE)


def _draw_diamond(ax: Axes, blind: Estimate, y: float) -> None:
    if not np.isfinite(blind.value):
        return
    if blind.interval is not None:
        ax.plot(blind.interval, (y, y), color=UNCLEAR, linewidth=mpl.rcParams["axes.linewidth"])
    ax.plot(blind.value, y, "D", color=UNCLEAR, markersize=_DIAMOND, mfc="none", mew=EDGE)
