"""Sentences and tables as lines of text of a given width.

Sentences wrap at spaces, and so does text in a column of a table; a number or a word is never
broken. What is too long for a line is shortened in the middle, where names of one kind differ
least. Columns for which there is no room continue below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

#: Spaces between columns.
GAP = 2

#: What a column of text is made narrower to where numbers have no room otherwise.
_LEAST = 8

#: A column of text is not made narrower than this, nor than a word of up to so many characters.
_NARROW, _WORD = 16, 30


def fitted(text: str, width: int) -> str:
    """Text that takes at most ``width`` columns of a terminal; a longer one lacks its middle."""
    if cell_len(text) <= width:
        return text
    tail = (width - 1) // 3
    # Half of a character of two columns would be a space, at which a reader would see two words.
    start = set_cell_size(text, width - 1 - tail).rstrip()
    end = set_cell_size(text[::-1], tail)[::-1].lstrip()
    return f"{start}\u2026{end}"


def wrapped(parts: Sequence[tuple[str, str]], width: int, indent: str = "") -> list[Text]:
    """Text in one or several styles, as lines that break at spaces.

    Parameters
    ----------
    parts : sequence of (text, style)
    width : int
    indent : str
        Begins every line but the first.
    """
    # Each line is a list of runs of one style. At first, a line begins with the first word.
    lines: list[list[tuple[str, str]]] = []
    used = width
    for text, style in parts:
        for word in text.split():
            start = indent if lines else ""
            shown = fitted(word, width - len(indent))
            if used + 1 + cell_len(shown) > width:
                lines.append([(start + shown, style)])
                used = len(start) + cell_len(shown)
                continue
            before, known = lines[-1][-1]
            if known == style:
                lines[-1][-1] = (f"{before} {shown}", style)
            else:
                lines[-1].append((f" {shown}", style))
            used += 1 + cell_len(shown)
    return [Text.assemble(*line) for line in lines] or [Text()]


class GridColumn(NamedTuple):
    """A column of a table: its head, its cells and whether they are numbers."""

    name: str
    cells: Sequence[str]
    number: bool
    style: str = ""

    @property
    def natural(self) -> int:
        """The width at which nothing wraps; the head of numbers may be a long name."""
        head = min(cell_len(self.name), _WORD) if self.number else cell_len(self.name)
        return max(head, *map(cell_len, self.cells))

    @property
    def least(self) -> int:
        """The width below which it is not to be shown."""
        if self.number:
            return self.natural
        words = (cell_len(word) for cell in (self.name, *self.cells) for word in cell.split())
        return min(self.natural, max(_NARROW, min(_WORD, max(words, default=0))))


def grid(columns: Sequence[GridColumn], width: int) -> list[Text]:
    """A table, as lines; columns for which there is no room continue below the others."""
    lines: list[Text] = []
    for block in _blocks(columns, width):
        lines += [*([Text()] if lines else []), *_block(block, width)]
    return lines


def _blocks(columns: Sequence[GridColumn], width: int) -> Iterator[list[GridColumn]]:
    """The columns of each block: every one begins with the columns of text on the left."""
    n_keys = max(1, next((i for i, column in enumerate(columns) if column.number), 1))
    while n_keys > 1 and total_width(column.least for column in columns[:n_keys]) > width / 2:
        n_keys -= 1
    keys, rest = list(columns[:n_keys]), columns[n_keys:]
    block = list(keys)
    for column in rest:
        if len(block) > len(keys) and total_width(it.least for it in (*block, column)) > width:
            yield block
            block = list(keys)
        block.append(column)
    yield block


def total_width(widths: Iterable[int]) -> int:
    """The width of columns with the gaps between them."""
    listed = [*widths]
    return sum(listed) + GAP * (len(listed) - 1)


def _block(columns: Sequence[GridColumn], width: int) -> list[Text]:
    """Columns that have room beside each other, at least at their least widths."""
    widths = [column.natural for column in columns]
    for narrow in (_WORD, _LEAST):
        least = [it.least if it.number else min(it.least, narrow) for it in columns]
        while total_width(widths) > width and widths != least:
            room = [(now > low, now) for now, low in zip(widths, least, strict=True)]
            widths[room.index(max(room))] -= 1
    heads = [GridColumn(column.name, [column.name], column.number, "bold") for column in columns]
    lines = _row(heads, widths, 0)
    for i in range(len(columns[0].cells)):
        lines += _row(columns, widths, i)
    return lines


def _row(columns: Sequence[GridColumn], widths: Sequence[int], i: int) -> list[Text]:
    """A row of a table: as many lines as its longest cell has."""
    cells = [
        [Text(fitted(column.cells[i], width), column.style)]
        if column.number
        else wrapped([(column.cells[i], column.style)], width)
        for column, width in zip(columns, widths, strict=True)
    ]
    lines = []
    for j in range(max(map(len, cells))):
        line = Text()
        for column, width, cell in zip(columns, widths, cells, strict=True):
            text = cell[j] if j < len(cell) else Text()
            room = " " * (width - text.cell_len)
            line.append_text(Text(room) + text if column.number else text + Text(room))
            line.append(" " * GAP)
        line.rstrip()
        lines.append(line)
    return lines
