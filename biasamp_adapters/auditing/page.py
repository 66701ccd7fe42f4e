"""Render a summary as an HTML page, or as a fragment for a notebook."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from biasamp_adapters._text import clean
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.auditing.tables import Table, data_facts, method_facts, tables

#: Tables with more rows can be filtered.
_LONG = 12

#: Cells with up to ``_SHORT`` characters are not wrapped; those with over ``_WIDE`` are wide.
_SHORT, _WIDE = 28, 60


def to_html(summaries: Sequence[Summary]) -> str:
    """One self-contained page with a section for each report."""
    script = _file("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _rendered(
        "page.html.j2",
        reports=[_report(summary, f"r{i}", short=False) for i, summary in enumerate(summaries, 1)],
        script=script,
        # The page runs this script only, even if a label contains another.
        digest=f"sha256-{digest}",
    )


def to_fragment(summary: Summary) -> str:
    """A short report for another page, such as a notebook, without a script."""
    # Identifiers must be unique if a page contains several reports.
    name = hashlib.sha256(repr(summary).encode("utf-8", "replace")).hexdigest()[:8]
    return _rendered("fragment.html.j2", reports=[_report(summary, f"b{name}", short=True)])


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
    return environment.get_template(template).render(style=_file("report.css"), **variables)


def _report(summary: Summary, name: str, *, short: bool) -> dict[str, Any]:
    """The variables of the template for a report."""
    from biasamp_adapters.auditing.pictures import WIDTH, drawn, pictures

    parts: dict[str, dict[str, list[Any]]] = {}

    def add(part: str, kind: str, *shown: Any) -> None:
        parts.setdefault(part, {"facts": [], "pictures": [], "tables": []})[kind].extend(shown)

    add("method", "facts", *method_facts(summary))
    for i, picture in enumerate(pictures(summary)):
        svg = drawn(picture.draw, WIDTH, picture.height, f"{name}-p{i}", picture.alt)
        add(picture.part, "pictures", {**picture._asdict(), "svg": svg})
    for table in tables(summary, short=short):
        add(table.part, "tables", _table(table, short=short))
    return {
        "id": name,
        "title": clean(summary["title"]),
        "headlines": list(map(clean, summary["headlines"])),
        "facts": data_facts(summary),
        "parts": parts,
        "notes": list(map(clean, summary["notes"])),
    }


def _table(table: Table, *, short: bool) -> dict[str, Any]:
    """The variables of the template for a table."""

    def sized(text: str) -> tuple[str, str]:
        return text, "short" if len(text) <= _SHORT else "wide" if len(text) > _WIDE else ""

    rows = zip(table.rows, table.clear, strict=True)
    return {
        "caption": table.caption,
        "heads": list(zip(table.names, table.numbers, strict=True)),
        "rows": [([sized(cell) for cell in row], clear) for row, clear in rows],
        "long": len(table.rows) > _LONG and not short,
        "judged": any(table.clear),
    }
