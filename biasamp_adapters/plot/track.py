"""Plot amplification over ordered runs, with accuracy and calibration below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from biasamp_adapters._text import arrows
from biasamp_adapters._typing import Array, is_real
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.plot.canvas import WIDTH, axes_of, told_apart
from biasamp_adapters.plot.curves import curves
from biasamp_adapters.plot.pair_table import rows_of

#: Height of a new figure, in inches.
_HEIGHT = 5.0

#: Most steps whose names stand below the axes, if they are no numbers.
_MOST_NAMES = 12

#: What is shown below the amplification.
_BESIDE = {
    "accuracy": "accuracy",
    "mean_confidence": "mean confidence",
    "calibration_error": "calibration error",
}


def track(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    axes: Sequence[Axes] | None = None,
) -> tuple[Axes, Axes]:
    """Plot a metric over ordered runs, with accuracy, confidence and calibration error below.

    The upper picture shows the metric of decisions and, if the runs are probabilities, of these
    too, with bands for their intervals. In the lower one, a mean confidence above the accuracy is
    over-confidence.

    Parameters
    ----------
    table : DataFrame
        Result of :func:`~biasamp_adapters.track`.
    metric : str, optional
        The metric to show of several, such as "BA A->T".
    axes : pair of matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.

    Returns
    -------
    (upper, lower) : Axes
        The axes that were drawn on. Increasing numbers as steps are positions on the x axis; other
        steps are at 0, 1, ... and have their names.

    Raises
    ------
    ValueError
        If the table has no rows or lacks a column, or has several metrics of which none was chosen.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> y_true = [1, 1, 1, 0, 1, 0, 0, 0]
    >>> epochs = {
    ...     2: [0.75, 0.75, 0.75, 0.25, 0.75, 0.25, 0.25, 0.25],
    ...     8: [0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1],
    ... }
    >>> table = bam.track(epochs, y_true, sensitive_features=list("aaaabbbb"), n_boot=0)
    >>> upper, lower = bam.plot.track(table)
    >>> upper.get_ylabel()
    'BA A→T'
    >>> [text.get_text() for text in lower.get_legend().get_texts()]
    ['accuracy', 'mean confidence', 'calibration error']
    """
    if not (isinstance(table, pd.DataFrame) and len(table)):
        raise ValueError(
            f"table must be a DataFrame with rows, as track returns it; received {table!r}"
        )
    needed = ["step", "metric", "predictions", "value", "low", "high", *_BESIDE]
    missing = [name for name in needed if name not in table]
    if missing:
        raise ValueError(
            f"a picture of ordered runs needs the table of track; {listing(missing)} is not in it"
        )
    rows = rows_of(table, "metric", metric)
    upper, lower = _pair(axes)
    kinds = {str(kind): of_kind for kind, of_kind in rows.groupby("predictions", sort=False)}
    beside = next(iter(kinds.values()))
    steps = beside["step"].tolist()
    places = _places(steps)
    curves(places, kinds, ax=upper)
    upper.set_ylabel(arrows(rows["metric"].iloc[0]))
    drawn = {
        name: beside[column] for column, name in _BESIDE.items() if beside[column].notna().any()
    }
    if drawn:
        curves(places, drawn, ax=lower)
    lower.set_xlabel("step")
    for ax in (upper, lower):
        _name_steps(ax, steps, places)
    return upper, lower


def _pair(axes: Sequence[Axes] | None) -> tuple[Axes, Axes]:
    """The given axes, or the two of a new figure."""
    if axes is None:
        from matplotlib import pyplot as plt

        _, (upper, lower) = plt.subplots(
            2, 1, figsize=(WIDTH, _HEIGHT), layout="constrained", sharex=True
        )
        return upper, lower
    pair = [*axes] if isinstance(axes, Iterable) else [axes]
    if len(pair) != 2:
        raise ValueError(f"axes must be a pair of matplotlib Axes; received {len(pair)}")
    return axes_of(pair[0], _HEIGHT), axes_of(pair[1], _HEIGHT)


def _places(steps: Sequence[object]) -> Array:
    """Where steps are on the axis: at increasing numbers, or at 0, 1, ..."""
    if all(map(is_real, steps)):
        numbers = np.asarray(steps, dtype=float)
        if (np.diff(numbers) > 0).all():
            return numbers
    return np.arange(len(steps), dtype=float)


def _name_steps(ax: Axes, steps: Sequence[object], places: Array) -> None:
    """Names below steps that are not at their own numbers; whole ticks between whole numbers."""
    if list(places) == list(steps):
        if all(float(place).is_integer() for place in places):
            ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        return
    shown = range(0, len(steps), -(-len(steps) // _MOST_NAMES))
    names = told_apart(steps)
    ax.set_xticks([float(places[i]) for i in shown], [names[i] for i in shown], parse_math=False)
