"""Numbers as a reader wants them: in points or per cent, rounded by what is known of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biasamp_adapters._text import number

#: What stands in the place of a number that there is none of.
NONE = "\u2013"

#: A larger number is the inverse of a loss of 0.
UNBOUNDED = 1e12

#: Decimals are never more than this.
_MOST_DIGITS = 6


class Rounded(NamedTuple):
    """A number as text, and its interval, which is empty if there is none."""

    value: str
    interval: str

    @property
    def both(self) -> str:
        """The number, with its interval in brackets if it has one."""
        return f"{self.value} ({self.interval})" if self.interval else self.value


def rounded(row: dict[str, Any], scale: float = 100.0, sign: str = "+") -> Rounded:
    """A number with its interval, to two significant digits of the interval's width.

    Parameters
    ----------
    row : dict
        With ``value``, ``low`` and ``high``, each a float or None.
    scale : float
        100 for rates, which are shown in points or per cent, and 1 for numbers without a unit.
    sign : {"+", ""}
        Whether a number above 0 has a plus.

    Examples
    --------
    >>> rounded({"value": 0.0911, "low": 0.063, "high": 0.1174})
    Rounded(value='+9.1', interval='+6.3 to +11.7')
    >>> rounded({"value": 0.5, "low": None, "high": None}, sign="").value
    '50'
    """
    value, low, high = (row[name] for name in ("value", "low", "high"))
    if value is None:
        return Rounded(NONE, "")
    if abs(value) > UNBOUNDED:
        return Rounded("unbounded", "")
    ends = () if low is None or high is None else (low, high)
    width = high - low if ends else 0.0
    digits = digits_of(scale * (width or value / 2))
    # An end that is not 0 must not look like 0, as readers look whether 0 is inside.
    text = (number(scale * end, max(digits, _first_digit(scale * end)), sign) for end in ends)
    return Rounded(number(scale * value, digits, sign), " to ".join(text))


def digits_of(width: float) -> int:
    """Decimals with which a number of this width has two significant digits."""
    if not width or not math.isfinite(width):
        return 0
    return min(max(0, 1 - math.floor(math.log10(abs(width)))), _MOST_DIGITS)


def _first_digit(value: float) -> int:
    """Decimals that a number needs so as not to be rounded to 0."""
    if not value or abs(value) < 10.0**-_MOST_DIGITS:
        return 0
    return max(0, -math.floor(math.log10(2 * abs(value))))


def percent(share: float | None, digits: int = 0) -> str:
    """A share in per cent.

    Examples
    --------
    >>> percent(0.679, 1), percent(None)
    ('67.9%', '–')
    """
    return NONE if share is None else f"{number(100 * share, digits, '')}%"
