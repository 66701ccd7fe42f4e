"""The pictures of a report: rates by group with the named gap below them, or the gaps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.axes import Axes

from biasamp_adapters import words
from biasamp_adapters.plot import canvas


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
    if not hasattr(report, "picture"):
        raise ValueError(f"report must be an AuditReport; received a {type(report).__name__}")
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
