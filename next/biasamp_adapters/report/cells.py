"""What stands in the cells of tables and pictures, and in which tone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.audit.names import Names
from biasamp_adapters.audit.summary import GapRecord, MetricRecord, Summary, VerdictRecord
from biasamp_adapters.figures import MINUS, NONE, Digits, clean, is_clear, join
from biasamp_adapters.report.document import Cell, Tone

ARROW = "→"

#: Colours of codes and of statuses; those that are not here are grey.
TONES: dict[str, Tone] = {
    "amplifies": "up",
    "reduces": "down",
    "reverses": "turned",
    "mixed": "mixed",
    "grows": "up",
    "appears": "up",
    "shrinks": "down",
}


def tone_of(code: str) -> Tone:
    """Return the colour of a code or of a status."""
    return TONES.get(code, "unclear")


def status(gap: GapRecord) -> str:
    """Return what happens to a gap, in a word."""
    one, _ = words.STATUSES.get(gap["status"], (words.NOT_CLEAR, ""))
    return one


def tone_of_mean(number: Mapping[str, Any]) -> Tone:
    """Return the colour of a mean change: that of its side of 0."""
    if not is_clear(number):
        return "unclear"
    return "up" if number["low"] > 0 else "down"


# Records of one model in one direction.


def gaps_of(summary: Summary, verdict: VerdictRecord) -> list[GapRecord]:
    """Return the gaps of one model in one direction, the most certain change first."""
    key = (verdict["model"], verdict["direction"])
    return [gap for gap in summary["gaps"] if (gap["model"], gap["direction"]) == key]


def named_gap(summary: Summary, verdict: VerdictRecord) -> GapRecord | None:
    """Return the gap of the table and of the pictures: the only one, or one that changes."""
    gaps = gaps_of(summary, verdict)
    if len(gaps) == 1:
        return gaps[0]
    named = [gaps[position] for position in sorted(verdict["named"])]
    return next((gap for gap in named if gap["status"] != "unclear"), None)


def metric_of(summary: Summary, verdict: VerdictRecord, key: str) -> MetricRecord | None:
    """Return a number of one model: that of the direction, or the one without a direction."""
    found = [x for x in summary["metrics"] if x["model"] == verdict["model"] and x["key"] == key]
    return next((x for x in found if x["direction"] in (verdict["direction"], "")), None)


def reasons(numbers: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each reason why numbers have no interval, with their names."""
    names: dict[str, list[str]] = {}
    for name, reason in numbers:
        if reason and name not in names.setdefault(reason, []):
            names[reason].append(name)
    return [
        words.NO_INTERVAL_OF.format(names=join(of, limit=8), reason=clean(reason))
        for reason, of in names.items()
    ]


# Cells.


def number(record: Mapping[str, Any], digits: Digits | None = None, sign: str = "+") -> Cell:
    """Return a number with its interval as a note."""
    if record["value"] is None:
        return Cell(NONE)
    digits = digits or Digits.of(record)
    if record["low"] is None:
        return Cell(digits.number(record["value"], sign))
    if record["low"] == record["high"] == record["value"] == 0:
        return Cell("0", "(0 to 0)")
    ends = digits.ends(record["low"], record["high"], sign)
    return Cell(digits.number(record["value"], sign), f"({ends})")


def ends(record: Mapping[str, Any], digits: Digits, sign: str = "+") -> Cell:
    """Return an interval alone."""
    if record["low"] is None:
        return Cell(NONE)
    return Cell(digits.ends(record["low"], record["high"], sign))


def rates(true: float | None, predicted: float | None, digits: Digits) -> str:
    """Return a rate in the labels and in the predictions: "51 → 59%"."""
    return f"{digits.rate(true).removesuffix('%')} {ARROW} {digits.rate(predicted)}"


def sides(gap: GapRecord, names: Names) -> str:
    """Return what a gap compares: "North − South"."""
    return f"{names.member(gap['first'])} {MINUS} {names.member(gap['second'])}"


def arrow(gap: GapRecord, names: Names, digits: Digits) -> str:
    """Return a gap in the labels and in the predictions: "12 → 24", "North +10 → South +8"."""
    sizes = [gap["true"], gap["predicted"]]
    texts = [digits.number(size) for size in sizes]
    if any(text.startswith(MINUS) for text in texts):
        texts = [size_with_side(size, gap, names, digits) for size in sizes]
    return f" {ARROW} ".join(texts)


def size_with_side(size: float, gap: GapRecord, names: Names, digits: Digits) -> str:
    """Return the size of a gap with the side that has the higher rate: "South +8"."""
    text = digits.number(abs(size), "+")
    if not text.startswith("+"):
        return text
    return f"{names.member(gap['first' if size > 0 else 'second'])} {text}"
