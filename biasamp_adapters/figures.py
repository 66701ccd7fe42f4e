"""Numbers, names and plurals as a reader wants them. Shares are fractions, and print in points."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

MINUS, NONE = "−", "–"

#: More decimals than this are not printed, but to tell ends from bounds.
_MOST_DECIMALS, _MOST_OF_ENDS = 6, 12

#: Differences that are smaller are those of floating-point arithmetic.
_NOISE = 1e-12

#: Control characters, and those that turn a line around or have no width.
_UNSEEN = re.compile(
    " *[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]+ *"
)

#: What could be taken for the end of a name.
_SEPARATORS = re.compile(r",| and | to ")


@dataclass(frozen=True)
class Digits:
    """The decimals, in points, of all numbers about one thing."""

    decimals: int = 1

    @classmethod
    def of(cls, *numbers: Mapping[str, Any]) -> Digits:
        """Return the finest decimals that the intervals of some numbers ask for."""
        return cls(max((_decimals(x["low"], x["high"]) for x in numbers), default=1))

    def number(self, value: float, sign: str = "") -> str:
        """Return a number; -0 is 0, and has no sign."""
        text = f"{100 * value:{sign}z.{self.decimals}f}"
        return text.lstrip("+") if float(text) == 0 else text.replace("-", MINUS)

    def end(self, value: float, sign: str = "", bound: float = 0.0) -> str:
        """Return an end of an interval, which looks like 0 or a bound only if it is that."""
        decimals = 0 if abs(value) < _NOISE else self.decimals
        decimals = _tell_apart(100 * value, _tell_apart(100 * (value - bound), decimals))
        return Digits(decimals).number(value, sign)

    def ends(self, low: float, high: float, sign: str = "") -> str:
        """Return both ends: "+9 to +15"."""
        return f"{self.end(low, sign)} to {self.end(high, sign)}"

    def size(self, value: float) -> str:
        """Return a size with its unit: "1 point", "1.0 points"."""
        return with_unit(self.number(abs(value)))

    def signed(self, value: float) -> str:
        """Return a change with its unit: "+6 points"."""
        return with_unit(self.number(value, "+"))

    def bound(self, value: float) -> str:
        """Return an end as a size with its unit."""
        return with_unit(self.end(abs(value)))

    def change(self, number: Mapping[str, Any], unit: str = "") -> str:
        """Return a change with its interval: "+12 (+9 to +15)"."""
        if number["low"] is None:
            return self.number(number["value"], "+") + unit
        if number["low"] == number["high"] == number["value"] == 0:
            return f"0{unit} (0 to 0)"
        ends = self.ends(number["low"], number["high"], "+")
        return f"{self.number(number['value'], '+')}{unit} ({ends})"

    def change_in_points(self, number: Mapping[str, Any]) -> str:
        """Return a change as a sentence tells it: "+12 points (+9 to +15)"."""
        return self.change(number, unit_of(self.number(number["value"], "+")))

    def by(self, number: Mapping[str, Any]) -> str:
        """Return a size with its interval, small to large: "24 points (21 to 27)"."""
        return f"{self.size(number['value'])} ({self.sizes(number)})"

    def sizes(self, number: Mapping[str, Any]) -> str:
        """Return the ends as sizes, small to large: "21 to 27"."""
        return self.ends(*sorted((abs(number["low"]), abs(number["high"]))))

    def rate(self, share: float | None) -> str:
        """Return a rate in per cent; only one of exactly 0 or 1 prints as 0% or 100%."""
        if share is None:
            return NONE
        if min(abs(share), abs(1 - share)) < _NOISE:
            return f"{share:z.0%}"
        text, step = self.number(share), 10.0**-self.decimals
        if float(text) == 0:
            return f"under {step:.{self.decimals}f}%"
        if float(text) == 100:
            return f"over {100 - step:.{self.decimals}f}%"
        return f"{text}%"


def _decimals(low: float | None, high: float | None) -> int:
    """Return none for a half width of 2.5 points, one for 0.25, and so on; one without any."""
    if low is None or high is None or not high - low > _NOISE:
        return 1
    half = 50 * (high - low)
    return min(max(0, math.ceil(math.log10(2.5 / half) - 1e-9)), _MOST_DECIMALS)


def _tell_apart(difference: float, decimals: int) -> int:
    """Return as many decimals as a difference needs to be seen, if there is one."""
    if abs(difference) > 100 * _NOISE:
        while decimals < _MOST_OF_ENDS and round(difference, decimals) == 0:
            decimals += 1
    return decimals


def unit_of(number: str) -> str:
    """Return the unit that a printed number has."""
    return " point" if number.lstrip(f"+{MINUS}") == "1" else " points"


def with_unit(number: str) -> str:
    """Return a printed number with its unit."""
    return number + unit_of(number)


def percent(share: float | None, decimals: int = 1) -> str:
    """Return a rate with so many decimals."""
    return Digits(decimals).rate(share)


def error_rate(share: float | None) -> str:
    """Return FPR or TPR in whole per cent, below 1% with one decimal."""
    return percent(share, 1 if share is not None and 0 < share < 0.01 else 0)


def ratio(value: float, bound: float = 0.8) -> str:
    """Return a ratio with two decimals, or as many as tell it from a bound."""
    return f"{value:.{_tell_apart(value - bound, 2)}f}"


def sign_of(key: str) -> str:
    """Return "+" if a number with this key is a change; sizes and rates print without a sign."""
    return "" if key.startswith(("accuracy", "multi")) or key.endswith("_difference") else "+"


def is_clear(number: Mapping[str, Any]) -> bool:
    """Return whether an interval excludes 0."""
    return number["low"] is not None and (number["low"] > 0 or number["high"] < 0)


# Words that agree with numbers.


def count(n: int, noun: str) -> str:
    """Return a number with its noun: "1 gap", "2,145 gaps"."""
    return f"{n:,} {plural(n, noun)}"


def plural(n: int, noun: str) -> str:
    """Return a noun as it stands after a number."""
    if n == 1:
        return noun
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def agree(n: int, one: str, several: str) -> str:
    """Return the verb that agrees with a number."""
    return one if n == 1 else several


# Names.


def unknown_name(kind: str, received: str, names: Collection[str], others: Iterable[str]) -> str:
    """Return an error that lists names, and says which of them or of others may be meant."""
    choices = {choice.lower(): choice for choice in [*others, *names]}
    nearest = get_close_matches(received.lower(), choices, 1)
    hint = f"; did you mean {choices[nearest[0]]!r}?" if nearest else "."
    listed = textwrap.shorten(", ".join(names), 200, placeholder=" ...")
    return f"unknown {kind} {received[:40]!r}{hint} The {kind}s are {listed}."


def clean(text: str) -> str:
    """Return text on one line, without characters that cannot be seen."""
    return _UNSEEN.sub(" ", text)


def name(label: Any, feature: str = "", among: tuple[Any, ...] = ()) -> str:
    """Return a name: cut in the middle if it is long, in quotes if it could be taken for two.

    One that is cut still differs from all that it stands among. Groups that are numbers print
    with their feature: "sex = 1".
    """
    levels = label if isinstance(label, tuple) else (label,)
    if feature and all(isinstance(level, bool | int | float) for level in levels):
        return f"{name(feature)} = {on_one_line(label)}"
    text = cut(on_one_line(label), longest_name(among))
    return f"'{text}'" if text != text.strip() or not text or _SEPARATORS.search(text) else text


def on_one_line(label: Any) -> str:
    """Return a label as text; levels of crossed features are joined by a cross."""
    return clean(" × ".join(map(str, label)) if isinstance(label, tuple) else str(label))


def cut(text: str, most: int) -> str:
    """Return a text without its middle if it is longer."""
    end = 3 * most // 8
    beginning = text[: most - end - 1].rstrip()
    return text if len(text) <= most else f"{beginning}…{text[-end:].lstrip()}"


@lru_cache
def longest_name(labels: tuple[Any, ...], most: int = 40) -> int:
    """Return the characters to which names are cut: so many, or more until no two become equal."""
    texts = set(map(on_one_line, labels))
    while len({cut(text, most) for text in texts}) < len(texts):
        most *= 2
    return most


def join(names: Iterable[str], limit: int = 3) -> str:
    """Return "A, B and C", or "A, B, C and 4 more"."""
    listed: Sequence[str] = list(names)
    if len(listed) > limit:
        listed = [*listed[:limit], f"{len(listed) - limit:,} more"]
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"
