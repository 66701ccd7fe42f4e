"""What a report holds: rates by group or gaps, models, and pairs of a group and a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import CenteredNorm, LinearSegmentedColormap

from biasamp_adapters import words
from biasamp_adapters.figures import Digits
from biasamp_adapters.plot import canvas

#: Of models: the height of a new figure in inches, the characters of a name, and how many are
#: named; of more models, only those that no other beats.
_HEIGHT, _NAME, _MOST_NAMES = 3.8, 24, 14

#: Of pairs: most rows and most columns, characters of the name of a column, and the share of the
#: largest number above which a cell is so dark that its text is white.
_MOST_ROWS, _MOST_COLUMNS, _COLUMN, _DARK = 20, 12, 26, 0.85

_ENDS = [canvas.COLOURS["down"], "#f6f6f6", canvas.COLOURS["up"]]
_COLOURS = LinearSegmentedColormap.from_list("biasamp", _ENDS)


def rates(
    report: Any, *, ax: Any = None, part: str = "rates", model: Any = None, direction: Any = None
) -> Axes:
    """Draw the rates of each group in labels and predictions, or the gaps, as a report does.

    Of rates, the hollow dot is the rate in the labels, the full dot that in the predictions, and
    the dashed line the predicted rate of all rows. Bars below them are the named gap. Several
    models stand one below the other, the one with the most certain change first, at most three.
    Of gaps, the dots are the gap in labels and predictions, and the pale line is the band of the
    change; these are the ten most certain changes of one model. The title says of how many groups,
    models or changes a picture shows a part.

    Parameters
    ----------
    report : AuditReport
    ax : matplotlib Axes, optional
    part : {"rates", "gaps"}
        By default the rates.
    model : str, optional
        The only model to draw.
    direction : {"A->T", "T->A"}, optional
        By default the first that the report has.

    Returns
    -------
    Axes
        Rows are at 0, 1, ... from the top; fractions are on the x axis.

    Raises
    ------
    ValueError
        If the report has no such model, direction or picture.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> groups, truth = ["a"] * 50 + ["b"] * 50, [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> report = bam.audit(truth, [1] * 45 + [0] * 55, sensitive_features=groups, n_boot=200)
    >>> ax = bam.plot.rates(report)
    >>> [label.get_text() for label in ax.get_yticklabels()[:2]]
    ['a, 50 rows', 'b, 50 rows']
    >>> [text.get_text() for text in ax.texts[:2]]
    ['60 → 90%', '40 → 0%']
    """
    picture = report.picture(part, model=model, direction=direction)
    n_drawn, n_models = len(picture.tables), len(report.summary["data"]["models"])
    rows = list(_rows(picture.tables))
    ax = canvas.axes_with_rows(ax, [name for name, _ in rows])
    for y, (_, cells) in enumerate(rows):
        if cells:
            _draw(ax, y, cells)
        else:
            ax.get_yticklabels()[y].set_fontweight("bold")
    ax.set_xticks(*zip(*picture.tables[0].columns[1].scale.ticks, strict=True))
    ax.set_xlabel("points" if part == "gaps" else "rate")
    more = f"; {n_drawn} of {n_models:,} models" if 1 < n_drawn < n_models else ""
    canvas.add_title(ax, picture.heading + more)
    before, after, line = words.PICTURE_MARKS[part, report.summary["data"]["compared_with"]]
    mark, grey = canvas.mark, canvas.GREY
    marks = [mark(before, grey, face="none"), mark(after, grey), mark(line, grey, "", "--")]
    marks += canvas.tone_marks({x[1].tone for _, x in rows if x}, "s", texts=words.PICTURE_TONES)
    canvas.add_legend(ax, marks)
    return ax


def _rows(tables: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names of rows, and their cells; the head of a model has none."""
    for table in tables:
        if table.caption:
            yield table.caption, []
        for row in table.rows:
            text, note = row[0].text, row[0].note
            whole = f"{text}, {note}" if note else text
            yield whole if canvas.wrap(whole) == whole else f"{text}\n{note}", row


def _draw(ax: Axes, y: int, cells: Any) -> None:
    """Draw the mark of a row, and write its numbers next to it."""
    shape, colour = cells[1].mark, canvas.COLOURS[cells[1].tone]
    canvas.write_beside(ax, y, cells[-1].note or cells[2].text, colour)
    if shape is None:
        return
    if shape.shape in ("bar", "hollow bar"):
        face = colour if shape.shape == "bar" else "none"
        ax.barh(y, shape.end - shape.start, 0.5, left=shape.start, color=face, edgecolor=colour)
        return
    ax.plot((shape.low, shape.high), (y, y), color=colour, linewidth=7, alpha=0.25)
    ax.plot([shape.guide] * 2, (y - 0.5, y + 0.5), "--", color=canvas.GREY, linewidth=1)
    ax.plot((shape.start, shape.end), (y, y), color=colour, linewidth=2)
    ax.plot(shape.start, y, "o", color=colour, mfc=ax.get_facecolor(), ms=7, clip_on=False)
    ax.plot(shape.end, y, "o", color=colour, markersize=6, clip_on=False)


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
    models = _read_models(report.to_frame() if hasattr(report, "to_frame") else report, direction)
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


def _read_models(frame: Any, direction: str | None) -> Any:
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
    >>> y_pred = [1] * 35 + [0] * 65  # of a, 70% instead of 60; of b, 0% instead of 40
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
