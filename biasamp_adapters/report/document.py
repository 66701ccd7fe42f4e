"""What a report shows, for every surface the same: sentences, tables and small pictures.

Text is as users gave it; each surface escapes it. A surface computes nothing: it knows five kinds
of columns and four shapes of marks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from biasamp_adapters import words
from biasamp_adapters.auditing.answer import Answer
from biasamp_adapters.auditing.subject import Tone
from biasamp_adapters.figures import MINUS

#: What a column holds: words, numbers, verdicts, or pictures (narrow or wide ones).
Kind: TypeAlias = Literal["text", "number", "tag", "strip", "chart"]


@dataclass(frozen=True)
class Mark:
    """A small picture on a scale.

    A dumbbell has a hollow dot at `start` and a full one at `end`; a bar joins two values, and a
    hollow one is paler; a point has no start. `low` and `high` are an interval, `guide` is a
    dashed line.
    """

    shape: Literal["dumbbell", "bar", "hollow bar", "point"]
    end: float
    start: float | None = None
    low: float | None = None
    high: float | None = None
    guide: float | None = None


@dataclass(frozen=True)
class Scale:
    """The axis that all marks of a column share, with the ticks to print."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]] = ()

    @classmethod
    def over(
        cls, values: Sequence[float | None], unit: str = "", symmetric: bool = False, most: int = 6
    ) -> Scale:
        """Return an axis that holds 0 and some fractions, with at most so many steps.

        A symmetric one, which is short, prints its ends and 0 alone.
        """
        known = [100 * value for value in values if value is not None]
        low, high = min([0.0, *known]), max([0.0, *known])
        if symmetric:
            low, high = min(low, -high), max(high, -low)
        step = _step(high - low or 1.0, most)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        last = max(last, first + 1)
        steps = sorted({first, 0, last}) if symmetric else range(first, last + 1)
        texts = [f"{i * step:.4g}{unit}".replace("-", MINUS) for i in steps]
        ticks = [(i * step / 100, text) for i, text in zip(steps, texts, strict=True)]
        return cls(ticks[0][0], ticks[-1][0], ticks)

    def share(self, value: float) -> float:
        """Return where a value lies, from 0 at the left end to 1 at the right end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def _step(width: float, most: int) -> float:
    """Return the smallest of 1, 2, 5, 10 ... that the width holds at most so many times."""
    power = 10.0 ** math.floor(math.log10(width / most))
    steps = (power * first for first in (1, 2, 5, 10, 20))
    return next(step for step in steps if width / step <= most + 1e-9)


@dataclass(frozen=True)
class Cell:
    """What stands in one place of a table.

    `note` is softer and follows the text. `narrow` is shown where wide columns are left out.
    """

    text: str = ""
    note: str = ""
    tone: Tone = ""
    mark: Mark | None = None
    narrow: str = ""


@dataclass(frozen=True)
class Column:
    """The head of a column; a wide column is left out where there is little room."""

    head: str
    kind: Kind = "text"
    scale: Scale | None = None
    wide: bool = False
    term: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells, under a caption and above some lines.

    `part` is what ``to_frame`` calls the table.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    lines: Sequence[str] = ()
    part: str = ""

    def first(self, most: int) -> Table:
        """Return the table with its first rows and, if it has more, a line that says so."""
        if len(self.rows) <= most:
            return self
        template = words.SHORTENED if self.part else words.SHORTENED_ALONE
        line = template.format(k=most, m=len(self.rows), part=self.part)
        return replace(self, rows=self.rows[:most], lines=[*self.lines, line])

    def without_pictures(self) -> Table:
        """Return the table for a surface that holds only text."""
        return self.with_columns([i for i, x in enumerate(self.columns) if x.scale is None])

    def with_columns(self, kept: Sequence[int]) -> Table:
        """Return the table with some of its columns."""
        columns = [self.columns[i] for i in kept]
        return replace(self, columns=columns, rows=[[row[i] for i in kept] for row in self.rows])


@dataclass(frozen=True)
class Part:
    """A section: what stands under one heading.

    `over` is the head of its direction. `brief` are the tables that the first screen of a terminal
    has room for.
    """

    heading: str
    intro: str = ""
    tables: Sequence[Table] = ()
    points: Sequence[str] = ()
    terms: Sequence[tuple[str, str]] = ()
    over: str = ""
    brief: Sequence[Table] = ()


#: Heads and their sentences: one head or, where each has one short sentence, several.
Box: TypeAlias = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class Document:
    """A report: what a reader sees first, and the folds.

    `between` stands before the boxes of two directions, `more` says where the rest is,
    `alternative` describes the pictures, and a page is called by the `headline`.
    """

    title: str
    facts: Sequence[str]
    verdicts: Sequence[Answer]
    models: Sequence[Table]
    pictures: Sequence[Part]
    boxes: Sequence[Box]
    folds: Sequence[Part]
    between: str = ""
    more: str = ""
    alternative: str = ""
    headline: str = ""
