"""The accuracy of models against their amplification."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from biasamp_adapters.plot import canvas

#: The height of a new figure in inches, and the characters of a name.
_HEIGHT, _NAME = 3.8, 24

#: Of more models, only those that no other beats are named.
_MOST_NAMES = 14


def frontier(report: Any, *, direction: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the accuracy of the models of a report against their BA.

    A model is a dot with the intervals of both numbers: orange where that of BA lies above 0, blue
    where it lies below, grey where it holds 0, and hollow without intervals. A thin line joins the
    models that no other beats, by a smaller size of BA and an accuracy that is at least as high. Of
    more than 14 models only these are named.

    Parameters
    ----------
    report : AuditReport, or its ``to_frame()``
        Of several models; a frame may join the metrics of several reports.
    direction : {"A->T", "T->A"}, optional
        That of BA; by default the first in the report.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        BA is on the x axis, accuracy on the y axis, and the names stand at the right.

    Raises
    ------
    ValueError
        If no model has BA and an accuracy.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> groups, truth = ["a"] * 50 + ["b"] * 50, [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> models = {"along": [1] * 35 + [0] * 65, "ones": [1] * 100}
    >>> report = bam.audit(truth, models, sensitive_features=groups, n_boot=200)
    >>> ax = bam.plot.frontier(report)
    >>> [text.get_text() for text in ax.texts]
    ['ones', 'along']
    """
    models = _read(report.to_frame() if hasattr(report, "to_frame") else report, direction)
    ax = canvas.axes_for(ax, _HEIGHT)
    ax.axvline(0, **canvas.ZERO)
    best = models.sort_values(["size", "value_y"], ascending=[True, False])
    best = best[best["value_y"] > best["value_y"].cummax().shift(fill_value=-1.0)]
    ax.plot(best["value"], best["value_y"], color=canvas.GREY, linewidth=0.8)
    for row in models.itertuples():
        colour = canvas.colour_of(row.side)
        ax.plot((row.low, row.high), [row.value_y] * 2, color=colour, linewidth=1)
        ax.plot([row.value] * 2, (row.low_y, row.high_y), color=colour, linewidth=1)
        face = colour if row.low <= row.high else "none"
        ax.plot(row.value, row.value_y, "o", color=colour, mfc=face, clip_on=False)
    canvas.scale_in_hundredths(ax.yaxis, "%")
    canvas.label_numbers(ax.xaxis, canvas.printed(models["name"].unique()), "points")
    ax.set(ylabel="accuracy", ylim=(None, min(ax.get_ylim()[1], 1.0)))
    named = models if len(models) <= _MOST_NAMES else best.iloc[:_MOST_NAMES]
    _write_names(ax, named)
    if len(named) < len(models):
        canvas.add_title(ax, f"{len(named)} of {len(models):,} models are named")
    canvas.add_legend(ax, canvas.tone_marks({*models["side"]}))
    return ax


def _read(frame: Any, direction: str | None) -> Any:
    """Return the models that have BA and an accuracy, whose columns end in _y."""
    needed = ("model", "name", "direction", *canvas.NUMBER)
    numbers = canvas.check_columns(frame, *needed).dropna(subset="value")
    bas = numbers[numbers["name"].str.startswith("BA ")]
    bas = bas[bas["direction"] == (direction or bas["direction"].iloc[:1].sum())]
    both = bas.merge(numbers[numbers["name"] == "accuracy"], on="model", suffixes=("", "_y"))
    if both.empty:
        raise ValueError(f"no model has BA and an accuracy; received direction={direction!r:.40}")
    sides = map(canvas.side_of, both["name"], both["low"], both["high"])
    return both.assign(size=both["value"].abs(), side=list(sides))


def _write_names(ax: Axes, models: pd.DataFrame) -> None:
    """Write names at the right in the order of accuracy, each joined to its dot."""
    ordered = models.sort_values("value_y")
    line = {"arrowstyle": "-", "color": canvas.GREY, "lw": 0.5, "shrinkB": 5}
    look: dict[str, Any] = {"textcoords": "axes fraction", "va": "center", "arrowprops": line}
    rows: Any = zip(canvas.printed(ordered["model"], _NAME), ordered.itertuples(), strict=True)
    for i, (name, row) in enumerate(rows):
        dot, at = (row.value, row.value_y), (1.03, (i + 0.5) / len(ordered))
        ax.annotate(name, dot, at, color=canvas.colour_of(row.side), parse_math=False, **look)
