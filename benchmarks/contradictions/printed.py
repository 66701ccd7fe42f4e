"""What a report prints, read back: prose line by line, names, and numbers within rounding.

Nothing here uses the package, so that a fault of its wording is not shared.
"""

from __future__ import annotations

import html
import numbers
import re
from collections.abc import Iterator
from typing import Any

NUMBER = r"[+−]?\d[\d,]*(?:\.\d+)?"
RATE = r"(?:(?:under |over )?\d+(?:\.\d+)?%|–)"
KINDS = {
    "n": r"\d[\d,]*",
    "x": NUMBER,
    "size": rf"{NUMBER} points?(?: the other way round)?",
    "change": rf"{NUMBER} points?(?: \({NUMBER} to {NUMBER}\))?",
    "ends": rf"{NUMBER} to {NUMBER}",
    "rate": RATE,
    "rates": rf"{RATE}(?: to {RATE})?",
    "true": "labels|given rates",
    "level": r"[\d.]+%",
    "signs": r"the labels|the given rates|[\d,]+ reference rows?",
}


def prose(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield lines that are no rows of a table, as plain text, each with what it is.

    That is a "heading" (of a section or a table), or "" for sentences.
    """
    lines = [line for line in markdown.splitlines() if line.strip()]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("| "):
            continue
        is_heading = line.startswith("#") or (line.startswith("**") and after.startswith("| "))
        yield "heading" if is_heading else "", re.sub(r"^#+ |^- |\*\*", "", plain(line))


def plain(text: str) -> str:
    """Return Markdown as it looks."""
    return html.unescape(re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", text))


def tables(markdown: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the caption of each table, and its rows with the head first."""
    caption, rows = "", []
    for line in [*markdown.splitlines(), "end"]:
        if line.startswith("| "):
            rows.append([plain(x).strip() for x in re.split(r"(?<!\\) \|", line[1:])[:-1]])
        elif rows and line.strip():
            yield caption, [rows[0], *rows[2:]]
            rows = []
        if line.startswith(("**", "#")):
            caption = plain(line).strip("*# ")


def spaced(text: str) -> str:
    """Return text with single spaces."""
    return " ".join(text.split())


# Names.

#: The characters to which names are cut: twice as many until no two of a report become equal.
_longest = 40


def tell_apart(data: Any) -> None:
    """Read the names of a report, all of which print differently."""
    global _longest
    labels = [row["name"] for part in ("groups", "classes") for row in data[part]]
    texts, _longest = {_visible(x) for x in [*labels, *data["models"]]}, 40
    while len(set(map(_cut, texts))) < len(texts):
        _longest *= 2


def _visible(label: Any) -> str:
    return re.sub(r" *[\x00-\x1f\x7f-\x9f\u202a-\u202e]+ *", " ", str(label))


def _cut(text: str) -> str:
    end = _longest * 3 // 8
    beginning = text[: _longest - end - 1].rstrip()
    return text if len(text) <= _longest else f"{beginning}…{text[-end:].lstrip()}"


def shown(label: Any, feature: str | None = None) -> str:
    """Return a name as it prints: visible, cut if it is long, quoted where it is ambiguous."""
    if feature and isinstance(label, numbers.Number):
        return f"{shown(feature)} = {label}"
    text = _cut(_visible(label))
    ambiguous = text != text.strip() or not text or re.search(r",| and | to ", text)
    return f"'{text}'" if ambiguous else text


# Numbers.


def value(text: str) -> float:
    """Return a printed number, of its first word."""
    return float(text.split()[0].replace(",", "").replace("−", "-"))


def is_near(text: str, number: float | None, scale: float = 100.0) -> bool:
    """Return whether a printed number is this one, rounded; a sign that stands there is right."""
    if number is None:
        return False
    word = text.split()[0]
    _, _, decimals = word.partition(".")
    error = abs(value(word) - scale * number)
    has_right_sign = value(word) == 0 or word[0] not in "+−" or (word[0] == "+") == (number > 0)
    return error <= 0.5 * 10 ** -len(decimals) + 1e-9 and has_right_sign


def is_end(text: str, number: float | None) -> bool:
    """Return whether a printed end is this one; it prints as 0 only if it is 0."""
    return is_near(text, number) and (value(text) == 0) == (number == 0)


def is_size(text: str, number: float) -> bool:
    """Return whether a printed size is that of a gap; one against its direction says so."""
    turned = text.endswith("the other way round")
    return is_near(text, abs(number)) and (turned == (number < 0) or value(text) == 0)


def is_change(text: str, record: Any) -> bool:
    """Return whether "+12 points (+9 to +15)" is a number with its interval."""
    first, *ends = re.findall(NUMBER, text)
    if record["low"] is None or not ends:
        return is_near(first, record["value"]) and record["low"] is None and not ends
    return is_near(first, record["value"]) and are_ends(ends, record)


def are_ends(ends: list[str], record: Any) -> bool:
    return is_end(ends[0], record["low"]) and is_end(ends[1], record["high"])


def are_sizes(text: str, record: Any) -> bool:
    """Return whether "9 to 15" are the ends of an interval as sizes, small to large."""
    low, high = sorted((abs(record["low"]), abs(record["high"])))
    return are_ends(re.findall(NUMBER, text), {"low": low, "high": high})


def is_rate(text: str, share: float | None) -> bool:
    """Return whether "51%" is a share; only one of exactly 0 or 1 prints as 0% or 100%."""
    if text == "–" or share is None:
        return text == "–" and share is None
    share = round(share, 12)
    number = text.removeprefix("under ").removeprefix("over ").removesuffix("%")
    if text.startswith("under"):
        return 0 < 100 * share < float(number)
    if text.startswith("over"):
        return float(number) < 100 * share < 100
    return is_near(number, share) and (float(number) in (0, 100)) == (share in (0, 1))
