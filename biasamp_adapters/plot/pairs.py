"""Plot the pairs of groups and tasks: a heat map, or the clearest pairs of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text

from biasamp_adapters._text import number
from biasamp_adapters._typing import Array, Label, check_choice
from biasamp_adapters.plot.canvas import (
    GAP,
    UNCLEAR,
    WIDTH,
    axes_of,
    fit_height,
    heat_map,
    ink_on,
    lay_out,
    named_rows,
    with_unit,
)
from biasamp_adapters.plot.pair_table import PairTable, Source, interval_of, pair_table, tone
from biasamp_adapters.plot.rates import MOST_GROUPS, MOST_ROWS, ROW, draw_rows

#: Signs of the correlation in the reference; hollow where the sign may be noise.
_SIGNS = {1: "▲", -1: "▼", 0: "="}
_UNCERTAIN_SIGNS = {1: "△", -1: "▽", 0: "="}

#: The share of a cell that a number may take.
_FULL = 0.9

#: The least width in inches of a column of a new figure, so that its label is legible.
_COLUMN = 0.2


def pairs(
    result: Source,
    *,
    kind: Literal["auto", "map", "rows"] = "auto",
    model: str | None = None,
    direction: str | None = None,
    tasks: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    most: int = MOST_ROWS,
    reach: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot pairs of groups and tasks: a heat map, or rows where a map would not be legible.

    Three to 12 groups are a heat map, with tasks from top to bottom and groups from left to right.
    Each cell is the contribution of a pair: orange if it amplifies bias, blue if it reduces bias,
    in stronger colours for larger contributions. Hatched cells have no value. A triangle is the
    sign of the correlation in the reference: up if positive, down if negative, hollow if the sign
    may be noise. Bold numbers are clear, or have an interval without 0 where the table does not say
    which are. Numbers are in points, or without a unit if the metric is no difference of rates. If
    they do not fit into the cells, the triangles are left out, and then the numbers.

    Other tables have a row per pair, or per task with both of two groups: those first that most
    surely differ from 0. They show how rates move, as :func:`rates` does, where the table has
    rates, and else the contributions with their intervals.

    Parameters
    ----------
    result : AmplificationResult, AuditReport or DataFrame
        A result, a report, or a table with the columns ``attribute``, ``task``, ``contribution`` or
        ``value``, and optionally ``sign``, ``uncertain``, ``low``, ``high``, ``clear``, and
        ``true``, ``predicted`` and ``overall`` for rates. Such a table is ``by_pair`` of a result,
        or ``report.to_frame("pairs")``, which has intervals. A report that evaluates one of two
        classes shows that class only.
    kind : {"auto", "map", "rows"}
        What to draw. "auto" chooses by the number of groups.
    model, direction : str, optional
        The model and the direction ("A->T" or "T->A") to show of a report or a table that has
        several.
    tasks, groups : sequence, optional
        The tasks and groups to draw, in this order. By default, all in the order of the table.
    most : int
        The number of rows that are shown. The title says of how many, if there are more.
    reach : float, optional
        The value at which colours of a map are strongest; set it to compare pictures. By default,
        the largest magnitude.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.

    Returns
    -------
    Axes
        The axes that were drawn on. Cells and rows are at 0, 1, ... from the top.

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
    >>> result = metric.result(truth, y_pred, sensitive_features=group)
    >>> ax = bam.plot.pairs(result, kind="map")
    >>> [text.get_text() for text in ax.texts]
    ['▼ +10', '▲ +10', '▲ +40', '▼ +40']
    """
    check_choice("kind", kind, ("auto", "map", "rows"))
    if reach is not None and not (np.isfinite(reach) and reach > 0):
        raise ValueError(f"reach must be a finite number above 0; received {reach!r}")
    table = pair_table(result, tasks, groups, model, direction)
    few = 2 < len(table.groups) <= MOST_GROUPS or table.rows["score"].isna().all()
    if kind == "rows" or (kind == "auto" and not few):
        return draw_rows(table, ax, most)
    return _draw_map(table, reach, ax)


def _draw_map(table: PairTable, reach: float | None, ax: Axes | None) -> Axes:
    """Draw a heat map."""
    new, shape = ax is None, (len(table.tasks), len(table.groups))
    ax = axes_of(ax, 4.0)
    cells = np.full(shape, np.nan)
    where: tuple[Array, Array] = (
        pd.Index(table.tasks).get_indexer(pd.Index(table.rows["task"])),
        pd.Index(table.groups).get_indexer(pd.Index(table.rows["attribute"])),
    )
    cells[where] = table.rows["score"].to_numpy()
    down, across = (np.arange(n + 1) - 0.5 for n in shape)
    mesh = heat_map(ax, across, down, cells, reach, edgecolors=GAP, linewidth=1.5)
    # What lies behind cells without a value.
    ax.patch.set(hatch="////", edgecolor=UNCLEAR, linewidth=0)
    inks = ink_on(mesh.to_rgba(cells[where]))
    _write_numbers(ax, table, where, inks)
    named_rows(ax, table.tasks)
    named_rows(ax, table.groups, "x")
    ax.spines[:].set_visible(False)
    ax.set_xlabel(with_unit(table.name, points=table.in_points))
    if known := np.isnan(cells).sum():
        text = f"{cells.size - known} of {cells.size} pairs; hatched ones have no value"
        ax.set_title(text, loc="left", fontsize="small")
    if new:
        ax.figure.figure.set_figwidth(max(WIDTH, 2 + _COLUMN * len(table.groups)))
    _turn_labels(ax)
    if new:
        fit_height(ax, ROW * len(table.tasks))
    return ax


def _turn_labels(ax: Axes) -> None:
    """Turn the labels below columns if they are wider than these."""
    lay_out(ax)
    labels = ax.get_xticklabels()
    column = ax.get_window_extent().width / len(labels)
    extents = [label.get_window_extent() for label in labels]
    if max(extent.width for extent in extents) <= _FULL * column:
        return
    # Turned by 40 degrees, lines are .64 of a column apart.
    steep = 0.64 * column < max(extent.height for extent in extents)
    for label in labels:
        label.set(rotation=90 if steep else 40, rotation_mode="anchor", ha="right")
        label.set(verticalalignment="center" if steep else "top")


def _write_numbers(ax: Axes, table: PairTable, where: tuple[Array, Array], inks: list[str]) -> None:
    """Write what fits on the cells."""
    scale = 100.0 if table.in_points else 1.0
    largest = scale * float(table.rows["score"].abs().max())
    # Two significant digits of the largest number.
    digits = int(np.clip(1 - np.floor(np.log10(largest)), 0, 3)) if largest > 0 else 0
    numbers: dict[Text, tuple[str, ...]] = {}
    undefined: dict[Text, tuple[str, ...]] = {}
    for row, y, x, ink in zip(table.rows.to_dict("records"), *where, inks, strict=True):
        text = ax.text(x, y, "", ha="center", va="center", fontsize="small", in_layout=False)
        if np.isnan(row["score"]):
            box = {"facecolor": ax.get_facecolor(), "linewidth": 0, "pad": 1}
            text.set(style="italic", color=mpl.rcParams["text.color"], bbox=box)
            undefined[text] = ("undefined", "\u2013")
        else:
            text.set(color=ink, weight="bold" if _is_clear(row) else "normal")
            numbers[text] = _forms(row, number(scale * row["score"], digits))
    for texts in (numbers, undefined):
        if texts:
            ax.add_artist(_LongestThatFits(ax, texts))


def _is_clear(row: dict[Any, Any]) -> bool:
    return interval_of(row) is not None and tone(row) != 0


def _forms(row: dict[Any, Any], text: str) -> tuple[str, ...]:
    """The text of a pair with the sign of its correlation, and without."""
    if "sign" not in row:
        return (text,)
    signs = _UNCERTAIN_SIGNS if row.get("uncertain") else _SIGNS
    return f"{signs[int(row['sign'])]} {text}", text


class _LongestThatFits(Artist):
    """Chooses, whenever a map is drawn, the longest form of texts that fits into all cells.

    Only then the size of the cells is known, as figures change their size.
    """

    def __init__(self, ax: Axes, texts: dict[Text, tuple[str, ...]]) -> None:
        super().__init__()
        self._ax, self._texts = ax, texts
        # Before the texts are drawn.
        self.set(zorder=0, in_layout=False)
        self._choose(0)

    def _choose(self, form: int) -> None:
        for text, forms in self._texts.items():
            text.set(text=forms[min(form, len(forms) - 1)], visible=True)

    def _fits(self, renderer: RendererBase, width: float, height: float) -> bool:
        # Equal texts have the same size.
        different = {(text.get_text(), text.get_fontweight()): text for text in self._texts}
        sizes = [Text.get_window_extent(text, renderer) for text in different.values()]
        return all(size.width <= _FULL * width and size.height <= height for size in sizes)

    def draw(self, renderer: RendererBase) -> None:
        """Choose the texts that are drawn next."""
        width, height = abs(np.subtract(*self._ax.transData.transform([(0, 0), (1, 1)])))
        for form in range(max(map(len, self._texts.values()))):
            self._choose(form)
            if self._fits(renderer, width, height):
                return
        for text in self._texts:
            text.set_visible(False)
