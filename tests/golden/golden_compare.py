"""How close outputs must be to those that were written: exactly, or within what draws vary by.

Outputs are trees of dicts and lists. What is drawn anew is marked in what was written:

- a dict with ``low`` and ``high`` is an interval. Of its ends, ``within`` gives the range.
- a dict with ``se`` has a ``value`` that is a mean of draws with that standard error.

All other numbers are held to 1e-12, and all other things must be equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

#: Numbers without draws: absolute and relative.
EXACT = 1e-12

#: Standard errors that two results with other draws may lie apart. For normal errors, 5 are
#: exceeded once in 1.7 million comparisons; there are a few thousand of them.
ERRORS = 5.0

#: The level of all intervals. The quantiles 0.1 and 0.9 of 200 replicates leave room beyond them.
CONFIDENCE = 0.8

#: What is written for a text that is another one with other draws.
OF_DRAWS = "(of the draws)"

_NORMAL = NormalDist()


class Draw(NamedTuple):
    """Which replicates are drawn, and at which level intervals are read off them.

    The range of an end is that of its quantile. Of B replicates, a share q (1 - q) / B of variance
    belongs to the share below the true quantile; two sets of replicates differ by twice that. In
    units of the normal distribution, with density phi(z) at the quantile, the standard error is
    sqrt(2 q (1 - q) / B) / phi(z). BCa also adds the bias z0 twice, of which the standard error is
    sqrt(2 / (4 B)) / phi(0). So the end of other draws lies between the ends of these draws at
    levels that are ``ERRORS`` such standard errors further in and further out: no density of the
    replicates has to be estimated, as their own quantiles are read.

    Attributes
    ----------
    seed : int
        Of the bootstrap.
    shift : int
        1 for the level further out, -1 for the one further in, 0 for the level itself.
    """

    seed: int = 0
    shift: int = 0

    def confidence(self, n_boot: int, method: str = "percentile") -> float:
        """The level of an interval."""
        return 2 * _NORMAL.cdf(self._z(n_boot, method)) - 1

    def quantiles(self, n_boot: int) -> list[float]:
        """Both ends of an interval."""
        tail = _NORMAL.cdf(-self._z(n_boot, "percentile"))
        return [tail, 1 - tail]

    def _z(self, n_boot: int, method: str) -> float:
        tail = (1 - CONFIDENCE) / 2
        z = -_NORMAL.inv_cdf(tail)
        error = math.sqrt(2 * tail * (1 - tail) / n_boot) / _NORMAL.pdf(z)
        if method == "bca":
            error += 2 * math.sqrt(2 / (4 * n_boot)) / _NORMAL.pdf(0)
        return z + self.shift * ERRORS * error


def held(found: Any, inner: Any, outer: Any, others: Sequence[Any]) -> Any:
    """What is written of outputs, given those at levels further in and out, and of other seeds."""
    if isinstance(found, dict):
        tree = {
            name: held(value, inner[name], outer[name], [other[name] for other in others])
            for name, value in found.items()
            if name not in ("low", "high")
        }
        return tree | _interval(found, inner, outer, others) if "low" in found else tree
    if isinstance(found, list):
        if found and all(isinstance(value, str) for value in found):
            return _lines(found, others)
        columns = zip(*others, strict=True) if others else [()] * len(found)
        return [
            held(*values, others=of)
            for *values, of in zip(found, inner, outer, columns, strict=True)
        ]
    if any(isinstance(one, str) for one in (found, *others)):
        return _text(found, others)
    if isinstance(found, float) and not all(_close(found, other) for other in others):
        raise ValueError(f"a number depends on the seed of the bootstrap: {found}, {others}")
    return found


def _interval(found: Any, inner: Any, outer: Any, others: Sequence[Any]) -> dict[str, Any]:
    ends = {name: found[name] for name in ("low", "high")}
    everywhere = [found, inner, outer, *others]
    if all(one[name] == found[name] for one in everywhere for name in ends):
        return ends
    # Without an interval further in, the value is the end there: no interval leaves it out.
    low, high = (inner[name] if inner[name] is not None else found["value"] for name in ends)
    ends["within"] = [[outer["low"], low], [high, outer["high"]]]
    if any(one["low"] is None for one in everywhere):
        ends["may_be_none"] = True
    return ends


def _lines(found: list[str], others: Sequence[list[str]]) -> list[str]:
    """The texts that all seeds have; with the mark, where some have more."""
    masked = [[mask(line) for line in other] for other in others]
    lines = [
        line if all(line in other for other in others) else mask(line)
        for line in found
        if all(mask(line) in other for other in masked)
    ]
    everywhere = len(lines) == len(found) == max(map(len, others), default=len(found))
    return lines if everywhere else [*lines, OF_DRAWS]


def _text(found: str | None, others: Sequence[str | None]) -> str | None:
    if all(other == found for other in others):
        return found
    if found is None or None in others:
        return OF_DRAWS
    return mask(found) if all(mask(str(other)) == mask(found) for other in others) else OF_DRAWS


def mask(text: str) -> str:
    """The text without its fractions."""
    return re.sub(r"[+-]?\d+\.\d+", "#", text)


def differences(written: Any, found: Any, path: str = "") -> Iterator[str]:
    """Say where outputs differ from what was written by more than they may."""
    if isinstance(written, dict) and isinstance(found, dict):
        yield from _of_dicts(written, found, path)
    elif isinstance(written, list) and isinstance(found, list):
        if OF_DRAWS in written:
            lines = [*found, *map(mask, found)]
            missing = [line for line in written if line not in (*lines, OF_DRAWS)]
            yield from (f"{path}: no longer says {line!r}" for line in missing)
        elif len(written) != len(found):
            yield f"{path}: {len(found)} entries in place of {len(written)}"
        else:
            for i, (old, new) in enumerate(zip(written, found, strict=True)):
                yield from differences(old, new, f"{path}[{i}]")
    elif not _equal(written, found):
        yield f"{path}: {found!r} in place of {written!r}"


def filled(texts: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Texts with an empty one at each place where only the other ones say something."""
    places = other.keys() | texts.keys()
    return {
        name: {k: type(v)() for k, v in other.get(name, {}).items()} | texts.get(name, {})
        for name in places
    }


def _of_dicts(written: dict[str, Any], found: dict[str, Any], path: str) -> Iterator[str]:
    marks = {"within", "may_be_none"}
    if written.keys() - marks != found.keys():
        yield f"{path}: keys {sorted(found)} in place of {sorted(written.keys() - marks)}"
        return
    # Of two means of draws, each with the standard error.
    noise = ERRORS * math.sqrt(2) * (written.get("se") or 0)
    drawn = {"low", "high"} if "within" in written else set()
    if noise:
        drawn |= {"value", "se"}
        if not _near(written["value"], found["value"], noise):
            yield f"{path}.value: {found['value']!r}, not within {noise:g} of {written['value']!r}"
    for name in found.keys() - drawn:
        yield from differences(written[name], found[name], f"{path}.{name}")
    if "within" not in written:
        return
    for name, (least, most) in zip(("low", "high"), written["within"], strict=True):
        end = found[name]
        if end is None or written[name] is None:
            if not written.get("may_be_none"):
                yield f"{path}.{name}: {end!r} in place of {written[name]!r}"
        elif not (
            (least is None or end >= least - noise - EXACT)
            and (most is None or end <= most + noise + EXACT)
        ):
            yield f"{path}.{name}: {end!r}, not within [{least}, {most}]"


def _equal(written: Any, found: Any) -> bool:
    if written == OF_DRAWS:
        return found is None or isinstance(found, str)
    if isinstance(written, str) and isinstance(found, str):
        return written in (found, mask(found))
    if isinstance(written, float | int) and isinstance(found, float | int):
        return type(written) is type(found) and _close(written, found)
    return bool(written == found)


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=EXACT, abs_tol=EXACT)


def _near(one: float | None, other: float | None, noise: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= noise
