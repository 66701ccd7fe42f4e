"""A summary as tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from biasamp_adapters._text import clean, shortened
from biasamp_adapters.auditing.table_kinds import Summary
from biasamp_adapters.auditing.tables import Table, audited, computed, tables

#: Characters of a cell: names may have ten thousand.
_CELL = 300

_COLOURS = {"amplified": "dark_orange", "reduced": "dodger_blue1"}


def on_terminal(summary: Summary) -> Group:
    """The report as Rich shows it, as wide as the terminal. Labels are text, never markup."""
    return Group(*_parts(summary))


def _parts(summary: Summary) -> Iterator[RenderableType]:
    yield Text(clean(summary["title"]), style="bold")
    facts = Grid.grid(padding=(0, 2))
    for term, said in [*audited(summary), *computed(summary)]:
        facts.add_row(Text(term, style="dim"), Text(said))
    yield Padding(facts, (1, 0))
    for line in summary["headlines"]:
        yield Text(clean(line), style="bold")
    for table in tables(summary, few=True):
        yield Text()
        yield _grid(table)
        yield from _notes(table)
    yield Text("\nNotes", style="bold")
    notes = Grid.grid(padding=(0, 1))
    for note in summary["notes"]:
        notes.add_row(Text("-"), Text(clean(note)))
    yield notes


def _grid(table: Table) -> Grid:
    grid = Grid(
        box=box.SIMPLE_HEAD, title=Text(table.caption), title_justify="left", pad_edge=False
    )
    grid.title_style = "bold"
    shown = [i for i, name in enumerate(table.names) if name != "note"]
    for i in shown:
        grid.add_column(Text(table.names[i]), overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(shortened(row[i], _CELL), _COLOURS.get(row[i], "")) for i in shown))
    return grid


def _notes(table: Table) -> Iterator[Text]:
    """The notes of rows, which would make a column of few words a line."""
    if "note" not in table.names:
        return
    last = table.names.index("note")
    named = table.names.index("value") if "value" in table.names else last
    for row in table.rows:
        if row[last]:
            what = " ".join(shortened(cell, _CELL) for cell in row[:named])
            yield Text(f"{what}: {row[last]}", style="dim")
