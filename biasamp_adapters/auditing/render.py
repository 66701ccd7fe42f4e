"""Render a summary as text, Markdown or JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from biasamp_adapters._text import shown
from biasamp_adapters.auditing.answer import BOXES, ranking, subtitle
from biasamp_adapters.auditing.ranked import ranking_table
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.auditing.text_tables import Table, data_facts, method_facts, tables

#: The width of plain text, and of plain text with all tables.
WIDTH, FULL_WIDTH = 80, 100


def to_text(summary: Summary, *, full: bool = False) -> str:
    """The report as plain text: the answer, or also all tables."""
    from biasamp_adapters.auditing.terminal import body, plain, verdict

    width = FULL_WIDTH if full else WIDTH
    return plain([*body(summary, width, full=full), *verdict(summary, width)])


def to_markdown(summary: Summary) -> str:
    """The report as Markdown, with tables of the GitHub flavour: the answer, then all tables."""
    answer = summary["answer"]
    parts = [f"# {_escaped(summary['title'])}"]
    parts.append(_escaped(" \u00b7 ".join(subtitle(summary))))
    several = len(answer["directions"]) > 1
    for entry in answer["directions"]:
        name = f"{_escaped(entry['direction'])}: " if several else ""
        sentences = " ".join(map(_escaped, [entry["sentence"], *entry["details"]]))
        parts.append(f"{name}**{_escaped(entry['headline'])}** {sentences}")
    ranked = [it for entry in answer["directions"] for it in ranking(summary, entry["direction"])]
    parts += [_markdown_table(ranking_table(ranked))] * bool(ranked)
    boxes = (
        f"- **{heading}:** {_escaped(' '.join(answer[part]))}"
        for heading, part in BOXES.items()
        if answer[part]
    )
    parts.append("\n".join(boxes))
    for table in tables(summary, short=True):
        parts += [f"## {_escaped(table.caption)}", _markdown_table(table)]
    facts = [*data_facts(summary), *method_facts(summary)]
    parts.append("## How computed")
    parts.append("\n".join(f"- {term}: {_escaped(text)}" for term, text in facts))
    parts.append("## Notes\n\n" + "\n".join(f"- {_escaped(note)}" for note in summary["notes"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_table(table: Table) -> str:
    lines = [table.names, *([str(cell) for cell in row] for row in table.rows)]
    cells = [list(map(_escaped, line)) for line in lines]
    rules = ["--:" if number else "---" for number in table.numbers]
    body = "\n".join(f"| {' | '.join(line)} |" for line in [cells[0], rules, *cells[1:]])
    notes = "\n".join(
        f"- {_escaped(f'[{number}]')} {_escaped(note)}"
        for number, note in enumerate(table.footnotes, 1)
    )
    return f"{body}\n\n{notes}" if notes else body


def _escaped(text: str) -> str:
    """Escape the special characters of Markdown and HTML."""
    text = shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~!])", r"\\\1", text)


def to_json(document: Any) -> str:
    """A summary, or a list of them, as strict JSON."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
