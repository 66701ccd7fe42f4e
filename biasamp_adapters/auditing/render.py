"""A summary as text, Markdown and JSON. Nothing is computed here, only put into cells."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from biasamp_adapters._text import clean
from biasamp_adapters.auditing.table_kinds import Summary
from biasamp_adapters.auditing.tables import audited, computed, tables


def to_text(summary: Summary) -> str:
    """The report as plain text."""
    facts = [*audited(summary), *computed(summary)]
    parts = [clean(summary["title"]), "\n".join(f"{term}: {said}" for term, said in facts)]
    if summary["headlines"]:
        parts.append("\n".join(map(clean, summary["headlines"])))
    for table in tables(summary, few=True):
        parts.append(f"{table.caption}\n" + _aligned([table.names, *table.rows]))
    parts.append("Notes\n" + "\n".join(f"- {clean(note)}" for note in summary["notes"]))
    return "\n\n".join(parts) + "\n"


def _aligned(rows: Sequence[Sequence[str]], limit: int = 120) -> str:
    cells = [[*(_cut(cell, limit) for cell in row[:-1]), row[-1]] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def to_markdown(summary: Summary) -> str:
    """The report as Markdown, with tables of the GitHub flavour."""
    facts = [*audited(summary), *computed(summary)]
    parts = [f"# {_escaped(summary['title'])}"]
    parts.append("\n".join(f"- {term}: {_escaped(said)}" for term, said in facts))
    if summary["headlines"]:
        parts.append("\n".join(f"- **{_escaped(line)}**" for line in summary["headlines"]))
    for table in tables(summary, few=True):
        cells = [list(map(_escaped, row)) for row in [table.names, *table.rows]]
        lines = [cells[0], ["---"] * len(cells[0]), *cells[1:]]
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"## {_escaped(table.caption)}\n\n{body}")
    parts.append("## Notes\n\n" + "\n".join(f"- {_escaped(note)}" for note in summary["notes"]))
    return "\n\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    """Text in which Markdown and HTML find nothing to do."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~!])", r"\\\1", text)


def to_json(document: Any) -> str:
    """A summary, or a list of them, as strict JSON."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def schema() -> dict[str, Any]:
    """What such a document holds, as JSON Schema."""
    file = files("biasamp_adapters.auditing") / "report.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
