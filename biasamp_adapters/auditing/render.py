"""Render a summary as text, Markdown or JSON, or on a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from biasamp_adapters._text import clean, shortened
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.auditing.tables import Table, data_facts, method_facts, tables

if TYPE_CHECKING:
    from rich.console import Group

#: Most characters of a cell in plain text and on a terminal.
_TEXT_CELL, _TERMINAL_CELL = 120, 300

_COLOURS = {"amplifies": "dark_orange", "reduces": "dodger_blue1"}


def to_text(summary: Summary) -> str:
    """The report as plain text."""
    facts = [*data_facts(summary), *method_facts(summary)]
    parts = [clean(summary["title"]), "\n".join(f"{term}: {text}" for term, text in facts)]
    if summary["headlines"]:
        parts.append("\n".join(map(clean, summary["headlines"])))
    for table in tables(summary, short=True):
        parts.append(f"{table.caption}\n" + _aligned([table.names, *table.rows]))
    parts.append("Notes\n" + "\n".join(f"- {clean(note)}" for note in summary["notes"]))
    return "\n\n".join(parts) + "\n"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    cells = [[*map(_truncated, row[:-1]), row[-1]] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def _truncated(text: str) -> str:
    return text if len(text) <= _TEXT_CELL else text[: _TEXT_CELL - 3] + "..."


def to_markdown(summary: Summary) -> str:
    """The report as Markdown, with tables of the GitHub flavour."""
    facts = [*data_facts(summary), *method_facts(summary)]
    parts = [f"# {_escaped(summary['title'])}"]
    parts.append("\n".join(f"- {term}: {_escaped(text)}" for term, text in facts))
    if summary["headlines"]:
        parts.append("\n".join(f"- **{_escaped(line)}**" for line in summary["headlines"]))
    for table in tables(summary, short=True):
        cells = [list(map(_escaped, row)) for row in [table.names, *table.rows]]
        lines = [cells[0], ["---"] * len(cells[0]), *cells[1:]]
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"## {_escaped(table.caption)}\n\n{body}")
    parts.append("## Notes\n\n" + "\n".join(f"- {_escaped(note)}" for note in summary["notes"]))
    return "\n\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    """Escape the special characters of Markdown and HTML."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~!])", r"\\\1", text)


def to_json(document: Any) -> str:
    """A summary, or a list of them, as strict JSON."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of such a document."""
    file = files("biasamp_adapters.auditing") / "report.schema.json"
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def on_terminal(summary: Summary) -> Group:
    """The report for Rich to print, as wide as the terminal. Labels are never read as markup."""
    from rich import box
    from rich.console import Group, RenderableType
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    facts, notes = Grid.grid(padding=(0, 2)), Grid.grid(padding=(0, 1))
    for term, text in [*data_facts(summary), *method_facts(summary)]:
        facts.add_row(Text(term, style="dim"), Text(text))
    for note in summary["notes"]:
        notes.add_row(Text("-"), Text(clean(note)))
    blocks: list[RenderableType] = [
        Text(clean(summary["title"]), style="bold"),
        Padding(facts, (1, 0)),
        *(Text(clean(line), style="bold") for line in summary["headlines"]),
    ]
    for table in tables(summary, short=True):
        grid = Grid(
            box=box.SIMPLE_HEAD,
            title=Text(table.caption),
            title_justify="left",
            title_style="bold",
            pad_edge=False,
        )
        shown = [i for i, name in enumerate(table.names) if name != "note"]
        for i in shown:
            grid.add_column(Text(table.names[i]), overflow="fold")
        for row in table.rows:
            cells = ((shortened(row[i], _TERMINAL_CELL), _COLOURS.get(row[i], "")) for i in shown)
            grid.add_row(*(Text(*cell) for cell in cells))
        blocks += [Text(), grid, *(Text(note, style="dim") for note in _notes(table))]
    return Group(*blocks, Text("\nNotes", style="bold"), notes)


def _notes(table: Table) -> Iterator[str]:
    """The notes of rows, one per line: as a column, they would be too narrow."""
    if "note" not in table.names:
        return
    note = table.names.index("note")
    n_names = table.names.index("value") if "value" in table.names else note
    for row in table.rows:
        if row[note]:
            cells = (shortened(cell, _TERMINAL_CELL) for cell in row[:n_names])
            yield f"{' '.join(cells)}: {row[note]}"
