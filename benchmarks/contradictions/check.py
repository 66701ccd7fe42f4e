"""Sentences of a report against its own summary: what a sentence says has to hold there.

A sentence that no family knows is listed too, so that nothing escapes.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from biasamp_adapters.report.compose import compose
from contradictions import below_tables, boxes, facts, scores, several, verdicts  # noqa: F401
from contradictions.directions import CODES, FAMILIES, Check, Direction, Parts
from contradictions.printed import plain, prose, spaced, tell_apart


@dataclass
class Findings:
    """What a report says: sentences that hold by family, contradictions, and unknown ones."""

    held: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


#: Where sentences of both directions may stand, each with the name of its own.
BOXES = re.compile(r"(How sure|What to read|What to do)\. ")


def check_report(report: Any) -> Findings:
    """Return what the Markdown of a report says; its text has to say the same."""
    findings, summary = Findings(), report.summary
    tell_apart(summary["data"])
    directions = {name: Direction(summary, name) for name in summary["data"]["directions"]}
    families = {name: compiled(direction) for name, direction in directions.items()}
    current, heading, text = list(directions), "", spaced(report.to_text(full=True))
    for kind, line in prose(report.to_markdown()):
        if kind == "heading":
            ends = {name: f"({name.replace('->', '→')})" for name in directions}
            current = [name for name in directions if ends[name] in line] or list(directions)
            heading = line
            continue
        if BOXES.match(line):
            current, heading = list(directions), "Boxes"
        place = heading, heading in ("Boxes", "Behind the verdict")
        _check_line(findings, directions, families, current, place, spaced(line))
        if _as_in_text(spaced(line)) not in text:
            findings.wrong.append(f"not in the text: {line}")
    for part in compose(summary).pictures:  # Markdown and text do not have all.
        current = [name for name in directions if f"({name.replace('->', '→')})" in part.over]
        place = part.heading, False
        line = spaced(plain(part.intro))
        _check_line(findings, directions, families, current or list(directions), place, line)
    return findings


def _as_in_text(line: str) -> str:
    """Return a line of Markdown as text prints it: the tag in capitals, without its full stop."""
    tag = re.match(rf"({'|'.join(CODES)})\. ", line, re.IGNORECASE)
    return f"{tag[1].upper()} {line[tag.end() :]}" if tag else line


def _check_line(
    findings: Findings,
    directions: dict[str, Direction],
    families: Any,
    names: list[str],
    heading: tuple[str, bool],
    line: str,
) -> None:
    """Check the sentences of a line one after the other.

    One that names no direction holds in both or, outside boxes, in one.
    """
    where, in_both = heading
    place = 0
    for direction in directions.values():
        direction.tell()
    while place < len(line):
        start = place
        if prefix := re.compile(r"(A→T|T→A): ").match(line, place):
            names, start = [prefix[1].replace("→", "->")], prefix.end()
        results = [_try(directions[name], families[name], line, start) for name in names]
        known = [result for result in results if result[0] > start]
        ends = {end for end, _, _ in known}
        if len(ends) != 1 or (in_both and len(known) < len(results)):
            after = line.find(". ", start)
            place = len(line) if after < 0 else after + 2
            findings.unknown.append(f"{where}: {line[start:place]}")
            continue
        [end] = ends
        if (all if in_both else any)(holds for _, _, holds in known):
            findings.held[known[0][1]] += 1
        else:
            findings.wrong.append(f"{where}: {line[start:end]}")
        place = end + 1


def _try(direction: Direction, families: Any, line: str, start: int) -> tuple[int, str, bool]:
    """Return the end of the longest sentence that a pattern knows, its pattern, and its truth."""
    matches = [
        (pattern, match, check)
        for pattern, regex, check in families
        if (match := regex.match(line, start)) and match.end() > start
    ]
    if not matches:
        return start, "", False
    longest = max(match.end() for _, match, _ in matches)
    best = [x for x in matches if x[1].end() == longest]
    for pattern, match, check in best:
        parts = Parts(match.groupdict())
        parts.text = match[0]
        try:
            holds = bool(check(direction, parts))
        except (
            AssertionError,
            LookupError,
            TypeError,
            ValueError,
        ):  # It speaks of what does not exist.
            holds = False
        if holds:
            return longest, pattern, True
    return longest, best[0][0], False


def compiled(direction: Direction) -> list[tuple[str, re.Pattern[str], Check]]:
    def fill(match: re.Match[str]) -> str:
        return f"(?P<{match[1]}>{direction.patterns[match[2]]})"

    return [
        (pattern, re.compile(re.sub(r"<(\w+):(\w+)>", fill, pattern)), check)
        for pattern, check in FAMILIES
    ]
