"""What each pair of a group and a class adds to a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import CenteredNorm, LinearSegmentedColormap

from biasamp_adapters.figures import Digits
from biasamp_adapters.plot import canvas

#: Most rows and most columns of the map.
_MOST_ROWS, _MOST_COLUMNS = 20, 12

#: Characters of the name of a column.
_COLUMN = 26

#: Share of the largest number above which a cell is so dark that its text is white.
_DARK = 0.85

_ENDS = [canvas.COLOURS["down"], "#f6f6f6", canvas.COLOURS["up"]]
_COLOURS = LinearSegmentedColormap.from_list("biasamp", _ENDS)


def pairs(result: Any, *, ax: Axes | None = None) -> Axes:
    """Draw what each pair of a group and a class adds to a metric, as a map of colours.

    Cells are orange where a pair raises the metric, blue where it lowers it, and hatched where it
    is undefined. There are at most 20 rows and 12 columns: those with the largest numbers, in
    their usual order.

    Parameters
    ----------
    result : AmplificationResult, AuditReport or DataFrame
        A report of one model and one direction; of others, choose from ``to_frame("pairs")``. A
        frame has ``group``, ``class``, and
        ``contribution`` or ``value``, as ``by_pair`` of a result.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        Cells are at 0, 1, ... from the top and from the left, in the unit that the title says. Of
        groups and classes, those of which there are more are the rows.

    Raises
    ------
    ValueError
        If a column is missing, there is no pair, or a pair occurs twice.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> group, truth = ["a"] * 50 + ["b"] * 50, [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> metric = bam.DirectionalBiasAmplification()
    >>> y_pred = [1] * 35 + [0] * 65  # of a, 70 % instead of 60; of b, 0 % instead of 40
    >>> result = metric.result(truth, y_pred, sensitive_features=group, n_boot=0)
    >>> ax = bam.plot.pairs(result)
    >>> [text.get_text() for text in ax.texts]
    ['+10.0', '+40.0', '+10.0', '+40.0']
    """
    frame = result.to_frame("pairs") if hasattr(result, "to_frame") else result
    frame = getattr(frame, "by_pair", frame)
    table, total = _table(frame)
    ax = canvas.axes_with_rows(ax, canvas.printed(table.index))
    numbers, n_columns = table.to_numpy(), table.shape[1]
    reach = float(np.nanmax(np.abs(numbers), initial=0.0)) or 0.01
    across, down = (np.arange(n + 1) - 0.5 for n in (n_columns, len(table)))
    look: dict[str, Any] = {"cmap": _COLOURS, "edgecolors": "white", "linewidth": 1}
    ax.pcolormesh(across, down, numbers, norm=CenteredNorm(0, reach), **look)
    ax.patch.set(hatch="////", edgecolor=canvas.GREY)
    letters = {"ha": "center", "va": "center", "fontsize": "small" if n_columns > 6 else "medium"}
    for (y, x), value in np.ndenumerate(numbers):
        if np.isfinite(value):
            ink = "white" if abs(value) > _DARK * reach else "black"
            ax.text(x, y, Digits(1).number(value, "+"), letters, color=ink)
    canvas.name_columns(ax, canvas.printed(table.columns, _COLUMN))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel=table.columns.name, ylabel=table.index.name)
    # The pairs of a report are those of BA.
    metric = f"BA {frame['direction'].iloc[0]}" if "of_class" in frame else "value"
    [metric] = canvas.printed([getattr(result, "metric", metric)])
    largest = f": the largest of {total:,}" if total > table.size else ""
    canvas.add_title(ax, f"{metric} by pair, {canvas.unit_of(metric) or 'times 100'}{largest}")
    return ax


def _table(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Return the numbers to draw, the longer side as rows, and of how many pairs they are."""
    renamed = {"contribution": "value", "of_class": "class"}
    frame = canvas.check_columns(frame, "group").rename(columns=renamed)
    frame = canvas.check_columns(frame, "group", "class", "value")
    several = frame.filter(["model", "direction"]).nunique().gt(1).any()
    if several or frame.duplicated(["group", "class"]).any() or frame.empty:
        rule = "each pair must occur once: choose one model and one direction of to_frame('pairs')"
        raise ValueError(f"{rule}; received {len(frame):,} pairs")
    table = frame.set_index(["class", "group"])["value"].unstack(sort=False)
    table = table.T if table.shape[1] > table.shape[0] else table
    rows = table.abs().max(axis=1).nlargest(_MOST_ROWS).index
    columns = table.abs().max(axis=0).nlargest(_MOST_COLUMNS).index
    return table.loc[table.index.isin(rows), table.columns.isin(columns)], table.size
