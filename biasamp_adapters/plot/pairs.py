"""Plot a heat map of the pairs of groups and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.inference.estimates import side_of_zero
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.plot.canvas import GAP, axes_of, heat_map, ink_on, named_rows

#: Signs of the correlation in the reference; hollow where the sign may be noise.
_SIGNS = {1: "▲", -1: "▼", 0: "="}
_UNCERTAIN_SIGNS = {1: "△", -1: "▽", 0: "="}

#: Up to this many groups, intervals fit into the cells.
_WIDE = 2


def pairs(
    result: AmplificationResult | pd.DataFrame,
    *,
    tasks: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    reach: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot a heat map of pairs: tasks from top to bottom, groups from left to right.

    Each cell shows the contribution of a pair: orange if it amplifies bias, blue if it reduces
    bias, in stronger colours for larger contributions. A triangle is the sign of the correlation in
    the reference: up if positive, down if negative, hollow if the sign may be noise. Bold numbers
    are clear, or have an interval without 0 where the table does not say which are. With up to two
    groups, intervals are written out.

    Parameters
    ----------
    result : AmplificationResult or DataFrame
        A result, or a table with the columns ``attribute``, ``task``, ``contribution`` or
        ``value``, and optionally ``sign``, ``uncertain``, ``low``, ``high`` and ``clear``. Such a
        table is ``by_pair`` of a result, or the rows of one model and direction of
        ``report.to_frame("pairs")``, which have intervals.
    tasks, groups : sequence, optional
        The tasks and groups to draw, in this order. By default, all in the order of the table.
    reach : float, optional
        The value at which colours are strongest; set it to compare pictures. By default, the
        largest magnitude.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If there is no pair, a pair occurs twice, or a column, task or group is missing.

    Examples
    --------
    In group a, 30 of 50 rows are 1 and 35 are predicted 1; in group b, 20 are 1 and none is
    predicted 1.

    >>> import biasamp_adapters as bam
    >>> group, truth = ["a"] * 50 + ["b"] * 50, [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> y_pred = [1] * 35 + [0] * 30 + [0] * 35
    >>> metric = bam.DirectionalBiasAmplification(direction="A->T")
    >>> ax = bam.plot.pairs(metric.result(truth, y_pred, sensitive_features=group))
    >>> [text.get_text() for text in ax.texts]
    ['▼ +0.1000', '▲ +0.1000', '▲ +0.4000', '▼ +0.4000']
    """
    table = _table(result)
    score = "contribution" if "contribution" in table else "value"
    tasks = _chosen("tasks", tasks, table["task"])
    groups = _chosen("groups", groups, table["attribute"])
    if reach is not None and not (np.isfinite(reach) and reach > 0):
        raise ValueError(f"reach must be a finite number above 0; received {reach!r}")
    table = table[table["task"].isin(tasks) & table["attribute"].isin(groups)]
    if table.empty:
        raise ValueError(
            f"a picture needs a pair; there is none of {listing(tasks)} with {listing(groups)}"
        )
    ax = axes_of(ax, 0.9 + 0.3 * len(tasks))
    cells = np.full((len(tasks), len(groups)), np.nan)
    where: tuple[Array, Array] = (
        pd.Index(tasks).get_indexer(pd.Index(table["task"])),
        pd.Index(groups).get_indexer(pd.Index(table["attribute"])),
    )
    cells[where] = table[score].to_numpy(dtype=float)
    across, down = (np.arange(len(labels) + 1) - 0.5 for labels in (groups, tasks))
    mesh = heat_map(ax, across, down, cells, reach, edgecolors=GAP, linewidth=1.5)
    inks = ink_on(mesh.to_rgba(cells[where]))
    for row, y, x, ink in zip(table.to_dict("records"), *where, inks, strict=True):
        text, style = _cell(row, float(row[score]), wide=len(groups) <= _WIDE)
        ax.text(x, y, text, ha="center", va="center", fontsize="small", **{"color": ink} | style)
    named_rows(ax, tasks)
    named_rows(ax, groups, "x")
    if len(groups) > _WIDE:
        ax.tick_params(axis="x", labelrotation=40)
        for label in ax.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    ax.spines[:].set_visible(False)
    if isinstance(result, AmplificationResult):
        ax.set_xlabel(result.short_name)
    return ax


def _table(result: AmplificationResult | pd.DataFrame) -> pd.DataFrame:
    if not isinstance(result, AmplificationResult | pd.DataFrame):
        raise ValueError(f"result must be an AmplificationResult or a table; received {result!r}")
    table = result.by_pair if isinstance(result, AmplificationResult) else result
    missing = [name for name in ("attribute", "task") if name not in table]
    if missing or not {"contribution", "value"} & set(table):
        raise ValueError(
            "a table of pairs needs the columns attribute, task, and contribution or value; "
            f"received {listing(list(table))}"
        )
    twice = table[table.duplicated(["attribute", "task"])]
    if len(twice):
        raise ValueError(
            "each pair must occur once, for one model and one direction; received "
            f"{twice.iloc[0]['attribute']!r} and {twice.iloc[0]['task']!r} again"
        )
    return table


def _chosen(argument: str, chosen: Sequence[Label] | None, column: pd.Series[Any]) -> list[Label]:
    """The labels to draw: those chosen, each once, or all."""
    known = column.unique().tolist()
    labels = known if chosen is None else list(chosen)
    if any(label not in known for label in labels) or len(set(labels)) < len(labels):
        raise ValueError(
            f"{argument} must be in {listing(known)}, each at most once; received {listing(labels)}"
        )
    return labels


def _cell(row: dict[Any, Any], value: float, *, wide: bool) -> tuple[str, dict[str, Any]]:
    """The text of a pair, and its style."""
    if np.isnan(value):
        return "undefined", {"style": "italic", "color": mpl.rcParams["text.color"]}
    text, weight = f"{value:+z.{4 if wide else 3}f}", "normal"
    if "sign" in row:
        signs = _UNCERTAIN_SIGNS if row.get("uncertain") else _SIGNS
        text = f"{signs[int(row['sign'])]} {text}"
    low, high = row.get("low"), row.get("high")
    if not (pd.isna(low) or pd.isna(high)):
        weight = "bold" if row.get("clear", side_of_zero((low, high))) else "normal"
        text += f" [{low:+z.4f}, {high:+z.4f}]" if wide else ""
    return text, {"weight": weight}
