"""A card: what it says, as text and numbers, and its HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from biasamp_adapters._text import shortened, shown
from biasamp_adapters._typing import Row
from biasamp_adapters.cards.rounded import rounded
from biasamp_adapters.cards.strips import Strip, strips
from biasamp_adapters.cards.templating import SHARED, rendered, template_file

#: How a column is set: its rows' names, tags, numbers, or one of two kinds of pictures.
Kind: TypeAlias = Literal["name", "tag", "number", "strip", "dumbbell"]

#: Most rows of a table, and most characters of a name in it.
MOST_ROWS, _NAME = 8, 30


class Column(NamedTuple):
    """A column of a table."""

    head: str
    kind: Kind


class Cell(NamedTuple):
    """Text, with the numbers of its footnotes, or a picture.

    As text alone, the numbers are in brackets.
    """

    text: str = ""
    marks: tuple[int, ...] = ()
    tone: str = "unclear"
    drawn: Any = None

    def __str__(self) -> str:
        return self.text + "".join(f"[{mark}]" for mark in self.marks)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A small table.

    Attributes
    ----------
    caption : str
    columns : sequence of Column
    rows : sequence of sequence of Cell
        A cell for each column.
    more : int
        Rows that there is no room for.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    more: int = 0


@dataclass(frozen=True, kw_only=True)
class Card:
    """A card.

    Attributes
    ----------
    title : str
    facts : sequence of str
        One line about the data.
    tone : {"above", "below", "unclear"}
        The colour beside the sentences.
    sentences : sequence of (str, str)
        The verdict in a few words, and the sentence after it; either may be empty.
    tables : sequence of Table
    footnotes : iterable of str
        What the marks of cells refer to, such as the reason for a missing interval.
    folded : str
        What the part that is folded away is called; without, there is none.
    more_tables : sequence of Table
        Tables of that part.
    notes : sequence of str
        Caveats, in that part.
    more : str
        HTML of that part.
    """

    title: str
    facts: Sequence[str] = ()
    tone: str = "unclear"
    sentences: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    footnotes: Iterable[str] = ()
    folded: str = ""
    more_tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    more: str = ""

    def to_html(self) -> str:
        """The card as a fragment of HTML, without scripts and without addresses elsewhere."""
        style = template_file(SHARED, "card.css")
        return rendered(SHARED, "card.html.j2", card=self, style=style)


@dataclass
class Footnotes:
    """Numbers texts, such as the reasons for missing intervals, each once."""

    texts: dict[str, int] = field(default_factory=dict)

    def of(self, row: Row) -> tuple[int, ...]:
        """The mark of a number that has no interval, if there is a reason for that."""
        return self.mark(row.get("note", "") if row["low"] is None else "")

    def mark(self, text: str) -> tuple[int, ...]:
        """The number of a footnote; none of an empty text."""
        return (self.texts.setdefault(shown(text), len(self.texts) + 1),) if text else ()


def name_of(text: str) -> str:
    """The name of a group or of a model, which may be long."""
    return shortened(shown(text), _NAME)


def values(
    caption: str,
    head: str,
    named: Iterable[tuple[str, Row]],
    footnotes: Footnotes,
    *,
    interval: str,
    in_points: bool,
    signed: bool = True,
) -> Table:
    """A table of numbers with intervals, one a row, each with a strip on the same scale.

    Parameters
    ----------
    caption : str
    head : str
        What the names are.
    named : iterable of (str, dict)
        Names, and rows with ``value``, ``low`` and ``high``, each a float or None, and ``note``:
        the reason for a missing interval.
    footnotes : Footnotes
        Those of the card.
    interval : str
        The head of the intervals, such as "95% interval".
    in_points : bool
        Whether values are differences of rates, which are shown in points.
    signed : bool
        Whether the side of 0 has a meaning, and a colour.

    Returns
    -------
    Table
    """
    rows = list(named)
    kept = rows if len(rows) <= MOST_ROWS else rows[: MOST_ROWS - 1]
    cells = []
    for (name, row), strip in zip(kept, strips([row for _, row in kept]), strict=True):
        number = rounded(row, 100.0 if in_points else 1.0, "+" if signed else "")
        drawn: Strip = strip if signed else strip._replace(tone="unclear")
        value = Cell(number.value, footnotes.of(row))
        name_cell = Cell(name_of(name))
        cells.append([name_cell, value, Cell(number.interval or "–"), Cell(drawn=drawn)])
    return Table(
        caption=shown(caption),
        columns=[
            Column(head, "name"),
            Column("points" if in_points else "value", "number"),
            Column(interval, "number"),
            Column("the line is 0", "strip"),
        ],
        rows=cells,
        more=len(rows) - len(kept),
    )
