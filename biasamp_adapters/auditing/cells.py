"""Numbers and intervals as the text of a cell."""

from __future__ import annotations

from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

#: A level beyond it is the inverse of a loss of 0.
_UNBOUNDED = 1e12


def number(value: float | None, sign: str = "+") -> str:
    """A number of four decimals, signed unless it is a level, or that it is undefined."""
    if value is None:
        return "undefined"
    return "unbounded (no error)" if abs(value) > _UNBOUNDED else f"{value:{sign}z.4f}"


def ends(row: Row, sign: str = "+") -> str:
    """The interval of a row, or that there is none; the note says why."""
    if row["low"] is None:
        return "none"
    return f"[{number(row['low'], sign)}, {number(row['high'], sign)}]"


def estimate(row: Row | None, sign: str = "+") -> str:
    """A number and its interval, or why there is none; nothing where there is no number."""
    if row is None:
        return ""
    if row["low"] is None:
        return f"{number(row['value'], sign)} (no interval: {row['note']})"
    return f"{number(row['value'], sign)} {ends(row, sign)}"
