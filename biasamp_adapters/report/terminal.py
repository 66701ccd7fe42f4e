"""A report on a terminal, or as plain text: the answer on one screen, or all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from io import StringIO
from textwrap import wrap

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from biasamp_adapters.auditing.answer import Answer
from biasamp_adapters.figures import clean
from biasamp_adapters.report.document import Cell, Column, Document, Mark, Part, Scale, Table

STYLES = {
    "": "",
    "up": "dark_orange",
    "down": "dodger_blue1",
    "turned": "magenta",
    "mixed": "magenta",
    "unclear": "bright_black",
}
#: Wide columns need so much room; lines do not become longer than the second width.
WIDE, WIDEST = 100, 120
MOST_MODELS, MOST_ROWS = 5, 40
#: The stage from which cells are broken between words; pictures never are.
_BROKEN_FROM = {"text": 2, "tag": 2, "number": 3}
_JOINED = {"bar": "█", "hollow bar": "░"}
_STRIP, _CHART, _WIDE_CHART, _BETWEEN, _LONG, _MOST_HEAD_LINES = 13, 26, 40, 2, 16, 6


def to_text(document: Document, full: bool = False, width: int = 80) -> str:
    """Return the report as plain text."""
    file = StringIO()
    console = Console(file=file, width=width, color_system=None, force_jupyter=False)
    show(document, console, full)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def show(document: Document, console: Console, full: bool = False) -> None:
    """Print the report; the verdict comes again at the end, where the next prompt is."""
    width = min(console.width, WIDEST)
    for block in _blocks(document, width, full):
        console.print(block, width=width)


def _blocks(document: Document, width: int, full: bool) -> Iterator[RenderableType]:
    """Yield what is printed, with empty lines between."""
    yield from (_text(document.title, "bold"), _text(" · ".join(document.facts), "dim"))
    if document.between:
        yield from ("", _text(document.between))
    for verdict in document.verdicts:
        yield ""
        yield from _verdict(verdict)
    for table in document.models:
        yield ""
        yield from _table(table if full else table.first(MOST_MODELS), width)
    pictures = [part for part in document.pictures if part.brief]
    for part in pictures if full else [replace(part, tables=part.brief) for part in pictures]:
        yield from _part(part, width)
    yield ""
    for sections in document.boxes:
        for heading, sentences in sections:
            yield Text.assemble((f"{heading}. ", "bold"), _text(" ".join(sentences)))
    for part in document.folds if full else ():
        yield from _part(part, width)
    if not full:
        yield _text(document.more, "dim")
    for verdict in document.verdicts:
        yield _text(verdict.last, f"bold {STYLES[verdict.tone]}")


def _text(text: str, style: str = "") -> Text:
    """Return text without control characters; Rich reads no markup in it."""
    return Text(clean(text), style)


def _verdict(verdict: Answer) -> Iterator[Text]:
    """Yield the sentences of one direction."""
    tag = f"{verdict.tag.upper()}  " if verdict.tag else ""
    if verdict.head:
        yield _text(verdict.head, "bold")
    headline = _text(verdict.headline, "bold")
    yield Text.assemble((tag, f"bold {STYLES[verdict.tone]}"), headline)
    for paragraph in [*verdict.named, verdict.more, [verdict.closing]]:
        if line := " ".join(paragraph):
            yield _text(line)


def _part(part: Part, width: int) -> Iterator[RenderableType]:
    """Yield a section, after an empty line."""
    yield from ("", _text(f"{part.over}: {part.heading}" if part.over else part.heading, "bold"))
    if part.intro:
        yield _text(part.intro, "dim")
    for point in part.points:
        yield Padding(_text(f"- {point}"), (0, 0, 0, 2))
    for i, table in enumerate(part.tables):
        if i or part.points:
            yield ""
        yield from _table(table.first(MOST_ROWS), width)
    for term, text in part.terms:
        yield Padding(Text.assemble(_text(term, "bold"), ": ", _text(text)), (0, 0, 0, 2))


def _table(table: Table, width: int) -> Iterator[RenderableType]:
    """Yield a table under its caption and above its lines."""
    if table.caption:
        yield _text(table.caption, "bold")
    yield _grid(table, width)
    for line in table.lines:
        yield _text(line, "dim")


def _grid(table: Table, room: int) -> Grid:
    """Return a table that fits, with its wide columns if they have room.

    Heads are broken first; then intervals go to a second line (stage 1), then names are broken (2),
    and at last numbers (3).
    """
    narrow = table.with_columns([i for i, x in enumerate(table.columns) if not x.wide])
    tries = [(narrow, stage) for stage in range(4)]
    if room >= WIDE:
        tries = [(table, 0), (table, 1), *tries]
    for tried, stage in tries:
        rows = [_cells(row, tried.columns, room, stage) for row in tried.rows]
        widths = _widths(tried.columns, rows, stage, room)
        if _total(widths) <= room:
            break
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column, width in zip(tried.columns, widths, strict=True):
        grid.add_column(
            _head(column, room),
            justify="right" if column.kind == "number" else "left",
            width=None if column.kind == "text" else width,
            no_wrap=column.scale is not None,
            overflow="fold",
        )
    for row in rows:
        grid.add_row(*row)
    return grid


def _widths(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], stage: int, room: int
) -> list[int]:
    """Return the widths of columns whose heads have as few lines as fit, or the narrowest ones."""
    needed = [_longest(x, [row[i] for row in rows], stage) for i, x in enumerate(columns)]
    for lines in range(3 if stage > 1 else 1, _MOST_HEAD_LINES + 1):
        heads = [_head_width(column.head, lines) for column in columns]
        widths = list(map(max, needed, heads))
        if _total(widths) <= room:
            break
    return widths


def _total(widths: Sequence[int]) -> int:
    """Return the width of a table."""
    return sum(widths) + _BETWEEN * (len(widths) - 1)


def _head(column: Column, room: int) -> Text:
    """Return the head of a column: of a picture, the ticks at both ends and at 0."""
    if column.scale is None:
        return _text(column.head)
    ticks = list(column.scale.ticks)
    line = [" "] * _width(column, room)
    for value, label in (ticks[-1], ticks[0], *(tick for tick in ticks if tick[0] == 0)):
        start = _place(value, column.scale, len(line)) - len(label) // 2
        start = min(max(start, 0), len(line) - len(label))
        if not "".join(line[max(start - 1, 0) : start + len(label) + 1]).strip():
            line[start : start + len(label)] = label
    return Text("".join(line))


def _cells(row: Sequence[Cell], columns: Sequence[Column], room: int, stage: int) -> list[Text]:
    """Return the texts of a row; from the first stage on, notes of numbers stand below them."""
    texts = []
    for cell, column in zip(row, columns, strict=True):
        text, note, between = clean(cell.text), clean(cell.note), " "
        if cell.mark is not None and column.scale is not None:
            text = _drawn(cell.mark, column.scale, _width(column, room))
        elif column.kind == "number" and stage:
            # A number with names has two lines itself.
            text = text.replace(" →", "\n→") if len(text) > _LONG else text
            note, between = note.replace(", ", ",\n"), "\n"
        elif column.kind == "number" and not note.startswith("("):
            between = ", "
        style = STYLES[cell.tone]
        texts.append(Text.assemble((text, style), between if note else "", (note, "dim")))
    return texts


def _longest(column: Column, cells: Sequence[Text], stage: int) -> int:
    """Return the width of the longest line or, of what is broken, of the longest word."""
    end = None if stage >= _BROKEN_FROM.get(column.kind, stage + 1) else "\n"
    pieces = [piece for cell in cells for piece in cell.plain.split(end)]
    return max(map(cell_len, pieces), default=0)


@cache
def _head_width(head: str, lines: int) -> int:
    """Return the letters that a head needs on so many lines, or on more if its words are long."""
    longest = max(map(len, head.split()), default=0)
    widths = range(longest, len(head))
    return next((x for x in widths if len(wrap(head, x)) <= lines), len(head))


def _width(column: Column, room: int) -> int:
    """Return the width of a picture."""
    if column.kind == "strip":
        return _STRIP
    return _WIDE_CHART if room >= WIDE else _CHART


def _place(value: float, scale: Scale, width: int) -> int:
    """Return the letter at which a value stands."""
    return round(scale.share(value) * (width - 1))


def _drawn(mark: Mark, scale: Scale, width: int) -> str:
    """Return a mark in characters: ○ for the labels, ● for the predictions."""
    line = [" "] * width
    if mark.guide is not None:
        _fill(line, mark.guide, mark.guide, scale, "┆")
    if mark.shape == "point" and mark.low is not None and mark.high is not None:
        _fill(line, mark.low, mark.high, scale, "━")
    if mark.start not in (None, mark.end):
        _fill(line, mark.start, mark.end, scale, _JOINED.get(mark.shape, "─"))
    if mark.shape == "dumbbell" and mark.start is not None:
        _fill(line, mark.start, mark.start, scale, "○")
    if mark.shape not in _JOINED:
        _fill(line, mark.end, mark.end, scale, "●")
    return "".join(line)


def _fill(line: list[str], start: float, end: float, scale: Scale, letter: str) -> None:
    """Draw a line between two values, or a letter at one."""
    low, high = sorted(_place(value, scale, len(line)) for value in (start, end))
    line[low : high + 1] = letter * (high + 1 - low)
