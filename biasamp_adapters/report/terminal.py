"""A report on a terminal, or as plain text: the answer on one screen, or all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from io import StringIO
from textwrap import wrap

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from biasamp_adapters import words
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
    facts = " · ".join(["", *map(clean, document.facts)])
    yield Text.assemble(_text(document.title, "bold"), (facts, "dim"))
    if document.between:
        yield from ("", _text(document.between))
    for verdict in document.verdicts:
        yield from ("", _verdict(verdict))
    for table in document.models:
        yield from ("", _table(table if full else table.first(MOST_MODELS), width))
    for part in document.pictures:
        if part.brief:
            yield from ("", _part(part, part.tables if full else part.brief, width))
    yield ""
    for sections in document.boxes:
        for heading, sentences in sections:
            text = _text(" ".join(sentences))
            yield Text.assemble((f"{heading}. ", "bold"), text)
    for part in document.folds if full else ():
        yield from ("", _part(part, part.tables, width))
    if not full:
        yield _text(document.more, "dim")
    for verdict in document.verdicts:
        yield _text(verdict.last, f"bold {STYLES[verdict.tone]}")


def _text(text: str, style: str = "") -> Text:
    """Return text without control characters; Rich reads no markup in it."""
    return Text(clean(text), style)


def _verdict(verdict: Answer) -> Group:
    """Return the sentences of one direction."""
    tag = f"{verdict.tag.upper()}  " if verdict.tag else ""
    style = f"bold {STYLES[verdict.tone]}"
    headline = Text.assemble((tag, style), _text(verdict.headline, "bold"))
    paragraphs = [*verdict.named, verdict.more, [verdict.closing]]
    lines = [" ".join(paragraph) for paragraph in paragraphs]
    head = [_text(verdict.head, "bold")] if verdict.head else []
    return Group(*head, headline, *(_text(line) for line in lines if line))


def _part(part: Part, tables: Sequence[Table], width: int) -> Group:
    """Return a section with some of its tables."""
    heading = f"{part.over}: {part.heading}" if part.over else part.heading
    blocks: list[RenderableType] = [_text(heading, "bold")]
    if part.intro:
        blocks.append(_text(part.intro, "dim"))
    blocks += [Padding(_text(f"- {point}"), (0, 0, 0, 2)) for point in part.points]
    for i, table in enumerate(tables):
        if i or part.points:
            blocks.append("")
        blocks.append(_table(table.first(MOST_ROWS), width))
    for term, text in part.terms:
        entry = Text.assemble(_text(term, "bold"), ": ", _text(text))
        blocks.append(Padding(entry, (0, 0, 0, 2)))
    return Group(*blocks)


def _table(table: Table, width: int) -> Group:
    """Return a table under its caption and above its lines."""
    lines = [_text(line, "dim") for line in table.lines]
    if table.is_short:
        lines.append(_text(shortened(table), "dim"))
    caption = [_text(table.caption, "bold")] if table.caption else []
    return Group(*caption, _grid(table, width), *lines)


def shortened(table: Table) -> str:
    """Return the line below a table that has more rows."""
    template = words.SHORTENED if table.part else words.SHORTENED_ALONE
    return template.format(k=len(table.rows), m=table.total, part=table.part)


def _grid(table: Table, room: int) -> Grid:
    """Return a table that fits, with its wide columns if they have room."""
    chart = _WIDE_CHART if room >= WIDE else _CHART
    narrow = table.with_columns([i for i, x in enumerate(table.columns) if not x.wide])
    rows, widths = _fit(narrow, room, chart, stages=4)
    if room >= WIDE:
        wide_rows, wide_widths = _fit(table, room, chart, stages=2)
        if _total(wide_widths) <= room:
            narrow, rows, widths = table, wide_rows, wide_widths
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column, width in zip(narrow.columns, widths, strict=True):
        grid.add_column(
            _head(column, chart),
            justify="right" if column.kind == "number" else "left",
            width=None if column.kind == "text" else width,
            no_wrap=column.scale is not None,
            overflow="fold",
        )
    for row in rows:
        grid.add_row(*row)
    return grid


def _fit(table: Table, room: int, chart: int, stages: int) -> tuple[list[list[Text]], list[int]]:
    """Return the texts and widths of a table that fits, or the narrowest ones.

    Heads are broken first; then intervals go to a second line (stage 1), then names are broken (2),
    and at last numbers (3).
    """
    for stage in range(stages):
        rows = [_cells(row, table.columns, chart, stage) for row in table.rows]
        columns = [(x, [row[i] for row in rows]) for i, x in enumerate(table.columns)]
        needed = [_longest(column, cells, stage) for column, cells in columns]
        for lines in range(3 if stage > 1 else 1, _MOST_HEAD_LINES + 1):
            heads = [_head_width(column.head, lines) for column in table.columns]
            widths = list(map(max, needed, heads))
            if _total(widths) <= room:
                return rows, widths
    return rows, widths


def _total(widths: Sequence[int]) -> int:
    """Return the width of a table."""
    return sum(widths) + _BETWEEN * (len(widths) - 1)


def _head(column: Column, chart: int) -> Text:
    """Return the head of a column: of a picture, the ticks at both ends and at 0."""
    if column.scale is None:
        return _text(column.head)
    ticks = list(column.scale.ticks)
    line = [" "] * _width(column, chart)
    for value, label in (ticks[-1], ticks[0], *(tick for tick in ticks if tick[0] == 0)):
        start = _place(value, column.scale, len(line)) - len(label) // 2
        start = min(max(start, 0), len(line) - len(label))
        if not "".join(line[max(start - 1, 0) : start + len(label) + 1]).strip():
            line[start : start + len(label)] = label
    return Text("".join(line))


def _cells(row: Sequence[Cell], columns: Sequence[Column], chart: int, stage: int) -> list[Text]:
    """Return the texts of a row; from the first stage on, notes of numbers stand below them."""
    texts = []
    for cell, column in zip(row, columns, strict=True):
        text = _text(cell.text, STYLES[cell.tone])
        if cell.mark is not None and column.scale is not None:
            line = _drawn(cell.mark, column.scale, _width(column, chart))
            text = Text(line, STYLES[cell.tone])
        elif column.kind == "number" and stage:
            text = _on_lines(cell)
        elif cell.note:
            is_count = column.kind == "number" and not cell.note.startswith("(")
            text = Text.assemble(text, ", " if is_count else " ", _text(cell.note, "dim"))
        texts.append(text)
    return texts


def _on_lines(cell: Cell) -> Text:
    """Return a number with its notes below; one with names has two lines itself."""
    text = cell.text.replace(" →", "\n→") if len(cell.text) > _LONG else cell.text
    lines = [_text(line, STYLES[cell.tone]) for line in text.split("\n")]
    notes = cell.note.replace(", ", ",\n").split("\n") if cell.note else []
    return Text("\n").join([*lines, *(_text(note, "dim") for note in notes)])


def _longest(column: Column, cells: Sequence[Text], stage: int) -> int:
    """Return the width of the longest line or, of what is broken, of the longest word."""
    is_broken = stage >= _BROKEN_FROM.get(column.kind, stage + 1)
    pieces: list[str] = []
    for cell in cells:
        pieces += cell.plain.split() if is_broken else cell.plain.split("\n")
    return max(map(cell_len, pieces), default=0)


@cache
def _head_width(head: str, lines: int) -> int:
    """Return the letters that a head needs on so many lines, or on more if its words are long."""
    width = max(map(len, head.split()), default=0)
    while width < len(head) and len(wrap(head, width)) > lines:
        width += 1
    return width


def _width(column: Column, chart: int) -> int:
    """Return the width of a picture."""
    return _STRIP if column.kind == "strip" else chart


def _place(value: float, scale: Scale, width: int) -> int:
    """Return the letter at which a value stands."""
    return round(scale.share(value) * (width - 1))


def _drawn(mark: Mark, scale: Scale, width: int) -> str:
    """Return a mark in characters: ○ for the labels, ● for the predictions."""
    line = [" "] * width
    if mark.guide is not None:
        line[_place(mark.guide, scale, width)] = "┆"
    if mark.shape == "point" and mark.low is not None and mark.high is not None:
        _fill(line, mark.low, mark.high, scale, "━")
    if mark.start not in (None, mark.end):
        letter = {"bar": "█", "hollow bar": "░"}.get(mark.shape, "─")
        _fill(line, mark.start, mark.end, scale, letter)
    if mark.shape == "dumbbell" and mark.start is not None:
        line[_place(mark.start, scale, width)] = "○"
    if mark.shape in ("dumbbell", "point"):
        line[_place(mark.end, scale, width)] = "●"
    return "".join(line)


def _fill(line: list[str], start: float, end: float, scale: Scale, letter: str) -> None:
    """Draw a line between two values."""
    low, high = sorted(_place(value, scale, len(line)) for value in (start, end))
    line[low : high + 1] = letter * (high + 1 - low)
