"""Plot pairs of groups and tasks one below the other: rates that move, or contributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from biasamp_adapters._text import rates_in_per_cent
from biasamp_adapters._typing import Label
from biasamp_adapters.plot.canvas import (
    EDGE,
    TONES,
    UNCLEAR,
    axes_of,
    finish,
    in_per_cent,
    in_points,
    mark,
    named_rows,
    reach_of,
    told_apart,
    tone_marks,
    zero_line,
)
from biasamp_adapters.plot.pair_table import PairTable, Source, interval_of, pair_table, tone

#: Most groups that are all shown; of more, the clearest pairs are.
MOST_GROUPS = 12

#: Rows of a picture, if it cannot show all.
MOST_ROWS = 20

#: Height of a row of a new figure, in inches.
ROW = 0.28

#: Characters of a task or a group in the name of a pair.
_PART = 22

#: Points between a mark and the text beside it.
_BESIDE = 7

#: The shapes of two groups that share a row.
_SHAPES = ("o", "s")


def rates(
    result: Source,
    *,
    model: str | None = None,
    direction: str | None = None,
    tasks: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    most: int = MOST_ROWS,
    ax: Axes | None = None,
) -> Axes:
    """Plot how rates move from the truth to the predictions, as a report shows it.

    A hollow mark is the rate in the truth, a filled one the rate in the predictions, and the dotted
    line the rate of everybody in the reference. Orange moves clearly away from what everybody has,
    so that bias is amplified, blue clearly towards it, and grey not clearly.

    One task has a row per group. Several tasks of two groups have a row per task, with both groups
    in it, and other tables a row per pair; the clearest are at the top.

    Parameters
    ----------
    result : AmplificationResult, AuditReport or DataFrame
        A result of BA->, a report, or its ``to_frame("pairs")``. Only a report or its table knows
        which pairs are clear. Of two classes, only the positive one is shown of a report or a
        result.
    model, direction : str, optional
        The model and the direction ("A->T" or "T->A") to show of a report or a table that has
        several.
    tasks, groups : sequence, optional
        The tasks and groups to show. By default, all.
    most : int
        The number of rows that are shown. The title says of how many, if there are more.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.

    Returns
    -------
    Axes
        The axes that were drawn on; rates are on the x axis, between 0 and 1.

    Raises
    ------
    ValueError
        If no pair has both rates, as in results of other metrics, several models or directions are
        left, or a task or group is missing.

    Examples
    --------
    In group a, 30 of 50 rows are 1 and 35 are predicted 1; in group b, 20 are 1 and none is
    predicted 1.

    >>> import biasamp_adapters as bam
    >>> group, truth = ["a"] * 50 + ["b"] * 50, [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> report = bam.audit(truth, [1] * 35 + [0] * 65, sensitive_features=group, n_boot=200)
    >>> ax = bam.plot.rates(report)
    >>> [text.get_text() for text in ax.texts]
    ['60 → 70%', '40 → 0%']
    """
    table = pair_table(result, tasks, groups, model, direction, positive=True)
    if not table.has_rates:
        raise ValueError(
            "a picture of rates needs the columns true and predicted, which results of BA-> and "
            f"reports have; received {[*table.rows.columns]}"
        )
    return draw_rows(table, ax, most)


class _Row(NamedTuple):
    """Pairs that share a row: one pair, or those of a task and two groups."""

    name: str
    pairs: list[dict[Any, Any]]


def draw_rows(table: PairTable, ax: Axes | None, most: int) -> Axes:
    """Draw pairs as rows: their rates where they are known, and else their contributions."""
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise ValueError(f"most must be a whole number of at least 1; received {most!r}")
    rows = _rows(table)
    shown, kind = rows[:most], "tasks" if _shares_rows(table) else "pairs"
    total = len(rows) if _shares_rows(table) else max(len(rows), table.total)
    new = ax is None
    ax = axes_of(ax, 4.0)
    named_rows(ax, [row.name for row in shown])
    ax.spines[["top", "right", "left"]].set_visible(False)
    marks = _draw_rates(ax, table, shown) if table.has_rates else _draw_dots(ax, table, shown)
    if len(shown) < total:
        text = f"the {len(shown)} clearest of {total} {kind}"
        ax.set_title(text, loc="left", fontsize="small")
    finish(ax, ROW * len(shown) if new else None, marks)
    if table.has_rates and kind == "pairs":
        _write_rates(ax, shown)
    return ax


def _rows(table: PairTable) -> list[_Row]:
    """All rows that a table may show, the clearest first; groups of one task keep their order."""
    rows = table.with_rates if table.has_rates else table.rows.dropna(subset=["score"])
    pairs = table.clearest_first(rows)
    if not pairs:
        raise ValueError(f"a picture needs a pair with a value; received {len(table.rows)} without")
    if len(table.tasks) == 1:
        if len(table.groups) <= MOST_GROUPS:
            pairs.sort(key=lambda pair: table.groups.index(pair["attribute"]))
        return [_Row(str(pair["attribute"]), [pair]) for pair in pairs]
    if len(table.groups) == 1:
        return [_Row(str(pair["task"]), [pair]) for pair in pairs]
    if len(table.groups) == 2:
        shared: dict[Label, list[dict[Any, Any]]] = {}
        for pair in pairs:
            shared.setdefault(pair["task"], []).append(pair)
        return [_Row(str(task), of_task) for task, of_task in shared.items()]
    tasks = dict(zip(table.tasks, told_apart(table.tasks, _PART), strict=True))
    groups = dict(zip(table.groups, told_apart(table.groups, _PART), strict=True))
    return [_Row(f"{tasks[pair['task']]}, {groups[pair['attribute']]}", [pair]) for pair in pairs]


def _shares_rows(table: PairTable) -> bool:
    """Whether two groups share the row of a task."""
    return len(table.groups) == 2 and len(table.tasks) > 1


def _draw_rates(ax: Axes, table: PairTable, rows: list[_Row]) -> list[Line2D]:
    """Draw a dumbbell per pair, and return the marks of the legend."""
    largest, overall = 0.0, False
    for pair, shape, y, half in _places(table, rows):
        true, predicted, colour = pair["true"], pair["predicted"], TONES[tone(pair)]
        everybody = pair.get("overall")
        if not pd.isna(everybody):
            overall, largest = True, max(largest, everybody)
            ax.plot((everybody, everybody), (y - half, y + half), ":", color=UNCLEAR, zorder=1)
        largest = max(largest, true, predicted)
        ax.plot((true, predicted), (y, y), color=colour, linewidth=2)
        hollow: dict[str, Any] = {"mfc": ax.get_facecolor(), "markeredgewidth": EDGE}
        ax.plot(true, y, shape, color=colour, markersize=6.5, **hollow)
        ax.plot(predicted, y, shape, color=colour, markersize=5)
    top = math.ceil(20 * largest - 1e-9) / 20 or 0.05
    ax.set_xlim(-0.02 * top, 1.02 * top)
    in_per_cent(ax.xaxis)
    ax.set_xlabel(_share(table), parse_math=False)
    marks = [mark("truth", UNCLEAR, hollow=True), *_tone_marks("prediction ", rows)]
    if overall:
        marks.append(Line2D([], [], linestyle=":", color=UNCLEAR, label="everybody"))
    return marks + _group_marks(table)


def _draw_dots(ax: Axes, table: PairTable, rows: list[_Row]) -> list[Line2D]:
    """Draw a contribution with its interval per pair, and return the marks of the legend."""
    numbers = []
    for pair, shape, y, _ in _places(table, rows):
        colour, interval = TONES[tone(pair)], interval_of(pair)
        numbers += [pair["score"], *(interval or ())]
        if interval is not None:
            ax.plot(interval, (y, y), color=colour, linewidth=2, solid_capstyle="butt")
        ax.plot(pair["score"], y, shape, color=colour, markersize=6)
    reach = reach_of(numbers)
    ax.set_xlim(-reach, reach)
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    if table.in_points:
        in_points(ax)
    zero_line(ax)
    ax.set_xlabel(table.label)
    return _tone_marks("", rows) + _group_marks(table)


def _places(
    table: PairTable, rows: list[_Row]
) -> Iterator[tuple[dict[Any, Any], str, float, float]]:
    """The pairs of all rows, each with its shape, its height and half the room that it has."""
    for y, row in enumerate(rows):
        for pair in row.pairs:
            if _shares_rows(table):
                i = table.groups.index(pair["attribute"])
                yield pair, _SHAPES[i], y + (0.18, -0.18)[i == 0], 0.18
            else:
                yield pair, _SHAPES[0], y, 0.5


def _tone_marks(prefix: str, rows: list[_Row]) -> list[Line2D]:
    return tone_marks(prefix, {tone(pair) for row in rows for pair in row.pairs})


def _group_marks(table: PairTable) -> list[Line2D]:
    if not _shares_rows(table):
        return []
    names = told_apart(table.groups)
    return [mark(name, UNCLEAR, shape) for name, shape in zip(names, _SHAPES, strict=True)]


def _share(table: PairTable) -> str:
    """What the rates are shares of."""
    if table.direction == "T->A":
        return "share of the group among the rows of a task"
    if len(table.tasks) == 1:
        return f"share of {told_apart(table.tasks)[0]} in each group"
    return "share of the task in each group"


def _write_rates(ax: Axes, rows: list[_Row]) -> None:
    """Write both rates beside each dumbbell, and make the axes wide enough for them."""
    texts = []
    for y, row in enumerate(rows):
        (pair,) = row.pairs
        true, predicted = pair["true"], pair["predicted"]
        both = " → ".join(rates_in_per_cent(true, predicted))
        texts.append(
            ax.annotate(
                f"{both}%",
                (max(true, predicted), y),
                xytext=(_BESIDE, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
                bbox={"facecolor": ax.get_facecolor(), "linewidth": 0, "pad": 0.5},
            )
        )
    low, high = ax.get_xlim()
    width = ax.get_window_extent().width
    for text in texts:
        x, room = text.xy[0], text.get_window_extent().width + _BESIDE * ax.figure.dpi / 72
        high = max(high, low + (x - low) * width / max(width - room, width / 3))
    ax.set_xlim(low, high)
