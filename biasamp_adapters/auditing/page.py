"""A summary as HTML: a page of its own, or a part of a notebook. The template computes nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from biasamp_adapters._text import clean
from biasamp_adapters.auditing.table_kinds import Summary
from biasamp_adapters.auditing.tables import Table, audited, computed, tables

#: The parts of a report, in their order: the name by which tables and pictures ask for one, its
#: heading, and what a reader needs to know before reading it.
PARTS = (
    (
        "results",
        "Results",
        "Dots with their intervals, each metric on a scale of its own with 0 in the middle, as "
        "values compare within one metric and one direction only. Orange is amplified, blue "
        "reduced, grey neither, hollow without an interval. Diamonds are what random errors of the "
        "same accuracy would give.",
    ),
    (
        "differences",
        "Models compared",
        "The value of a model less that of the first, on the same drawn rows.",
    ),
    (
        "hidden",
        "What the mean hides",
        "A mean over pairs can be small because pairs go opposite ways.",
    ),
    (
        "pairs",
        "Pairs",
        "What each pair of a group and a task contributes: orange amplifies, blue reduces bias, "
        "the strongest first. Triangles are the correlation in the reference, up where group and "
        "task go together, hollow where that may be noise; bold numbers have an interval without "
        "0.",
    ),
    (
        "sweeps",
        "Thresholds",
        "Every value depends on a threshold that somebody chose; this is what the choice changes. "
        "Bands are the intervals at each share of rows predicted positive. At both ends all rows "
        "are predicted alike, which is no prediction and no merit.",
    ),
    (
        "fairness",
        "Fairness measures",
        "No amplification is not fairness: a model that repeats the bias of its data scores 0.",
    ),
    ("runs", "Runs", "Runs are circles; the dot is their mean with its interval over runs."),
    ("data", "Groups and classes", ""),
    ("method", "How it was computed", ""),
)

#: Tables of more rows can be filtered.
_LONG = 12

#: Characters of a cell that are not parted, and of one that needs room.
_SHORT, _WIDE = 28, 60


def to_html(summaries: Sequence[Summary]) -> str:
    """One self-contained page with a section for each report."""
    script = _file("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _rendered(
        "page.html.j2",
        reports=[_report(summary, f"r{i}", few=False) for i, summary in enumerate(summaries, 1)],
        style=_file("report.css"),
        script=script,
        # No other script runs, whatever a label may hold.
        digest=f"sha256-{digest}",
    )


def to_fragment(summary: Summary) -> str:
    """The report as a part of another page, such as a notebook: nothing long, and no script."""
    # Another report of the same page has other identifiers.
    name = hashlib.sha256(repr(summary).encode("utf-8", "replace")).hexdigest()[:8]
    return _rendered(
        "fragment.html.j2",
        reports=[_report(summary, f"b{name}", few=True)],
        style=_file("report.css"),
    )


def _file(name: str) -> str:
    return (files("biasamp_adapters.auditing") / "templates" / name).read_text(encoding="utf-8")


def _rendered(template: str, **variables: Any) -> str:
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("biasamp_adapters.auditing"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**variables)


def _table(table: Table, *, few: bool) -> dict[str, Any]:
    """What the template shows of a table."""

    def sized(text: str) -> tuple[str, str]:
        # Numbers are kept in one piece, and long text has room.
        return text, "short" if len(text) <= _SHORT else "wide" if len(text) > _WIDE else ""

    rows = zip(table.rows, table.clear, strict=True)
    return {
        "caption": table.caption,
        "heads": list(zip(table.names, table.numbers, strict=True)),
        "rows": [([sized(cell) for cell in row], clear) for row, clear in rows],
        "long": len(table.rows) > _LONG and not few,
        "judged": any(table.clear),
    }


def _report(summary: Summary, name: str, *, few: bool) -> dict[str, Any]:
    """What the template shows of a report, as text that is ready."""
    from biasamp_adapters.auditing.pictures import WIDTH, pictures
    from biasamp_adapters.auditing.svg import drawn

    shown_tables = list(tables(summary, few=few))
    shown_pictures = [
        {
            "part": picture.part,
            "title": picture.title,
            "caption": picture.caption,
            "svg": drawn(picture.draw, WIDTH, picture.height, f"{name}-p{i}", picture.alt),
        }
        for i, picture in enumerate(pictures(summary))
    ]
    parts = [
        {
            "id": f"{name}-{part}",
            "heading": heading,
            "text": text,
            "facts": computed(summary) if part == "method" else [],
            "pictures": [each for each in shown_pictures if each["part"] == part],
            "tables": [_table(table, few=few) for table in shown_tables if table.part == part],
        }
        for part, heading, text in PARTS
    ]
    return {
        "id": name,
        "title": clean(summary["title"]),
        "headlines": list(map(clean, summary["headlines"])),
        "facts": audited(summary),
        "parts": [part for part in parts if part["pictures"] or part["tables"] or part["facts"]],
        "notes": list(map(clean, summary["notes"])),
    }
