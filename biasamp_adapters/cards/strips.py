"""Values with their intervals on a line, as positions in per cent of the width of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biasamp_adapters._typing import Row
from biasamp_adapters.inference.estimates import side_of_zero

#: Colours by the side of 0 on which something clearly lies; None is not known.
TONES = {1: "above", -1: "below", 0: "unclear", None: "unclear"}


def side(row: Row) -> int | None:
    """The side of 0 on which the interval of a row lies: 1, -1, 0 if it contains 0, or None."""
    return None if row["low"] is None else side_of_zero((row["low"], row["high"]))


#: Per cent of a picture on either side, in which a mark at the end of a scale has room.
_MARGIN = 5


class Scale(NamedTuple):
    """A range of numbers that fills a picture but for its margins."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """The position of a number, in per cent of the width."""
        span = self.high - self.low or 1.0
        return round(_MARGIN + (100 - 2 * _MARGIN) * (value - self.low) / span, 2)

    def place(self, value: float | None) -> float | None:
        """The position of a number that there may be none of."""
        return None if value is None else self.at(value)


class Strip(NamedTuple):
    """A value with its interval; blind errors are a diamond, and 0 is a line."""

    tone: str
    zero: float
    value: float | None
    low: float | None
    high: float | None
    blind: float | None


def strips(rows: Sequence[Row]) -> list[Strip]:
    """The values of several rows on one scale with 0 in the middle.

    Each row has ``value``, ``low`` and ``high``, each a float or None.
    """
    blind = [(row.get("blind_errors") or {}).get("value") for row in rows]
    numbers = [row[name] for row in rows for name in ("value", "low", "high")] + blind
    reach = max((abs(value) for value in numbers if value is not None), default=0.0) or 1.0
    scale = Scale(-reach, reach)
    return [strip_of(row, scale, value) for row, value in zip(rows, blind, strict=True)]


def strip_of(row: Row, scale: Scale, blind: float | None = None) -> Strip:
    """A value with its interval on a scale."""
    value, low, high = (scale.place(row[name]) for name in ("value", "low", "high"))
    return Strip(TONES[side(row)], scale.at(0), value, low, high, scale.place(blind))
