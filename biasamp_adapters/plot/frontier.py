"""Plot the accuracy of models against how much bias they amplify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from biasamp_adapters._text import arrows
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.inference.estimates import side_of_zero
from biasamp_adapters.plot.canvas import (
    EDGE,
    LINES,
    TONES,
    UNCLEAR,
    axes_of,
    few_ticks,
    in_hundredths,
    lay_out,
    told_apart,
    zero_line,
)
from biasamp_adapters.plot.pair_table import Report, interval_of

#: Height of a new figure in inches, and the least distance of names, as shares of the axes.
_HEIGHT, _LINE = 3.6, 0.062

#: Most models that are named.
_MOST_NAMES = 16


class _Model(NamedTuple):
    """What is drawn of a model: its amplification and its accuracy, with their intervals."""

    name: str
    x: float
    y: float
    of_x: tuple[float, float] | None
    of_y: tuple[float, float] | None

    @property
    def colour(self) -> str:
        """Orange and blue where the interval shows the side of 0, and else grey."""
        return UNCLEAR if self.of_x is None else TONES[side_of_zero(self.of_x)]


def frontier(
    report: Any,
    *,
    direction: str | None = None,
    paths: Mapping[str, Sequence[str]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the accuracy of the models of an audit against how much bias they amplify.

    A model is a dot with whiskers, the intervals of both numbers: orange where bias is clearly
    amplified, blue where it is clearly reduced, grey where neither is clear, and hollow where there
    is no interval. The thin line joins the models that no other model beats, with less change of
    bias and higher accuracy. Models of one kind, such as those of several tolerances, can be joined
    too.

    Parameters
    ----------
    report : AuditReport
        Of several models, with a truth.
    direction : {"A->T", "T->A"}, optional
        The direction of BA->, if the report has both.
    paths : mapping of str to sequence of str, optional
        Names of models that are joined by a line, in this order, such as
        ``{"tolerance": ["0", ".01", ".02"]}``. Of their models, the first and the last are named.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.

    Returns
    -------
    Axes
        The axes that were drawn on: BA-> on the x axis, accuracy on the y axis, with names at the
        right.

    Raises
    ------
    ValueError
        If there is no report of models with BA-> and an accuracy, several directions are left, or a
        path names an unknown model.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> group, truth = ["a"] * 50 + ["b"] * 50, [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> models = {"along": [1] * 35 + [0] * 15 + [1] * 15 + [0] * 35, "the same": [1] * 100}
    >>> report = bam.audit(truth, models, sensitive_features=group, n_boot=200)
    >>> ax = bam.plot.frontier(report)
    >>> [text.get_text() for text in ax.texts]
    ['the same', 'along']
    """
    models, name = _models(report, direction)
    named = {model.name: model for model in models}
    if not isinstance(paths, Mapping | None) or any(
        isinstance(along, str) for along in (paths or {}).values()
    ):
        raise ValueError(f"paths must map names to lists of models; received {paths!r}")
    paths = {path: list(along) for path, along in (paths or {}).items()}
    unknown = [model for along in paths.values() for model in along if model not in named]
    if unknown:
        raise ValueError(
            f"paths must name models of the report, {listing(list(named))}; received "
            f"{listing(unknown)}"
        )
    new = ax is None
    ax = axes_of(ax, _HEIGHT)
    zero_line(ax)
    best = _unbeaten(models)
    ax.plot(*_points(best), color=UNCLEAR, linewidth=0.8, zorder=1)
    for along, style in zip(paths.values(), cycle(LINES[1:]), strict=False):
        ax.plot(*_points([named[model] for model in along]), style, color=UNCLEAR, lw=1.2, zorder=1)
    for model in models:
        _draw(ax, model)
    few_ticks(ax.xaxis, 5)
    in_hundredths(ax.xaxis)
    in_hundredths(ax.yaxis, "%")
    ax.set_xlabel(f"{arrows(name)}, points")
    ax.set_ylabel("accuracy")
    ax.spines[["top", "right"]].set_visible(False)
    inner = {model for along in paths.values() for model in along[1:-1]}
    shown = [model for model in models if model.name not in inner]
    if len(shown) > _MOST_NAMES:
        shown = best[:_MOST_NAMES]
    _name(ax, shown)
    if new:
        lay_out(ax)
    return ax


def _models(report: Any, direction: str | None) -> tuple[list[_Model], str]:
    """The models of a report that have both numbers, and the name of the metric."""
    if not isinstance(report, Report):
        raise ValueError(f"report must be an AuditReport; received {report!r}")
    summary = report.summary
    rows = [row for row in summary["metrics"] if row["name"].startswith("BA ")]
    found = list(dict.fromkeys(row["direction"] for row in rows))
    if direction is None and len(found) > 1:
        raise ValueError(f"direction must be one of {found}: the report has both")
    if direction is not None and found and direction not in found:
        raise ValueError(f"direction must be one of the report's, {found}; received {direction!r}")
    rows = [row for row in rows if direction in (None, row["direction"])]
    accuracy = {
        row["model"]: row["accuracy"]
        for row in summary["verdicts"]
        if direction in (None, row["direction"]) and row["accuracy"] is not None
    }
    models = [
        _Model(row["model"], row["value"], right["value"], interval_of(row), interval_of(right))
        for row in rows
        if row["value"] is not None and (right := accuracy.get(row["model"]))
    ]
    if not models:
        raise ValueError(
            "report must have models with BA-> and an accuracy, for which predictions are compared "
            f"with a truth; received directions {found} of models {summary['data']['models']}"
        )
    return models, rows[0]["name"]


def _unbeaten(models: Sequence[_Model]) -> list[_Model]:
    """The models of which no other has less change of bias and higher accuracy, by BA->."""
    best = [
        model
        for model in models
        if not any(
            (abs(other.x) <= abs(model.x) and other.y > model.y)
            or (abs(other.x) < abs(model.x) and other.y >= model.y)
            for other in models
        )
    ]
    return sorted(best, key=lambda model: model.x)


def _points(models: Sequence[_Model]) -> tuple[list[float], list[float]]:
    return [model.x for model in models], [model.y for model in models]


def _draw(ax: Axes, model: _Model) -> None:
    """A dot with whiskers in both directions."""
    colour = model.colour
    line: dict[str, Any] = {"color": colour, "linewidth": 1.4, "solid_capstyle": "butt"}
    if model.of_x is not None:
        ax.plot(model.of_x, (model.y, model.y), **line)
    if model.of_y is not None:
        ax.plot((model.x, model.x), model.of_y, **line)
    face = "none" if model.of_x is None else colour
    ax.plot(model.x, model.y, "o", color=colour, markersize=6, mfc=face, markeredgewidth=EDGE)


def _name(ax: Axes, models: Sequence[_Model]) -> None:
    """Names at the right of the axes, joined to their dots, at heights that keep them apart."""
    ordered = sorted(models, key=lambda model: model.y)
    low, high = ax.get_ylim()
    wanted = [(model.y - low) / (high - low) for model in ordered]
    texts = told_apart(model.name for model in ordered)
    for model, text, height in zip(ordered, texts, _apart(np.array(wanted)), strict=True):
        ax.annotate(
            text,
            (model.x, model.y),
            xytext=(1.02, height),
            textcoords="axes fraction",
            va="center",
            fontsize="small",
            color=model.colour,
            parse_math=False,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": UNCLEAR, "linewidth": 0.4, "shrinkB": 5},
        )


def _apart(heights: Array) -> Array:
    """Increasing heights, at least a line apart and as near to the given ones as a pass permits."""
    out = heights.copy()
    for i in range(1, len(out)):
        out[i] = max(out[i], out[i - 1] + _LINE)
    # Those that were pushed above the axes come down again, and push the others.
    top = max(1.0, _LINE * (len(out) - 1))
    for i in range(len(out) - 1, -1, -1):
        out[i] = min(out[i], top - _LINE * (len(out) - 1 - i))
    return out
