"""The models of a report with their verdicts, as the first table that a reader sees."""

from __future__ import annotations

from collections.abc import Sequence

from biasamp_adapters._text import clean
from biasamp_adapters.auditing.answer import Row, accuracy_in_words, gap_in_words
from biasamp_adapters.auditing.tables import Cell, Table
from biasamp_adapters.cards.rounded import arrows, rounded
from biasamp_adapters.counts.variables import MODEL
from biasamp_adapters.metrics.verdict import WORDS

#: The heads of columns that a narrow terminal shortens.
NAME_OF_MODEL, LARGEST_GAP = "model", "largest gap"


def ranking_table(ranked: Sequence[Row]) -> Table:
    """A row for each model in each direction; columns without any text are left out.

    Parameters
    ----------
    ranked : sequence of dict
        Verdicts with the row of their BA->, as ``answer.ranking`` gives them.
    """
    footnotes: dict[str, int] = {}
    several = len({it["direction"] for it in ranked}) > 1
    named = {it["model"] for it in ranked} != {MODEL}
    names = {it["row"]["name"] for it in ranked}
    ba = arrows(names.pop()) if len(names) == 1 else "BA"
    columns: dict[str, tuple[bool, list[Cell]]] = {
        "direction": (False, [Cell(arrows(it["direction"]) * several) for it in ranked]),
        NAME_OF_MODEL: (False, [Cell(clean(it["model"]) * named) for it in ranked]),
        "verdict": (False, [Cell(WORDS[it["verdict"]]) for it in ranked]),
        f"{ba}, points": (True, [_value(it["row"], footnotes) for it in ranked]),
        "interval": (True, [Cell(rounded(it["row"]).interval) for it in ranked]),
        "accuracy": (
            True,
            [Cell(accuracy_in_words(it["accuracy"])) for it in ranked],
        ),
        LARGEST_GAP: (False, [Cell(clean(gap_in_words(it["gap"]))) for it in ranked]),
    }
    kept = {
        name: (number, cells)
        for name, (number, cells) in columns.items()
        if any(cell.text for cell in cells)
    }
    return Table(
        "ranking",
        "Models, the largest value first",
        [*kept],
        [list(row) for row in zip(*(cells for _, cells in kept.values()), strict=True)],
        [number for number, _ in kept.values()],
        [False] * len(ranked),
        [*footnotes],
    )


def _value(row: Row, footnotes: dict[str, int]) -> Cell:
    """A value, with the reason if it has no interval."""
    if row["low"] is not None or not row["note"]:
        return Cell(rounded(row).value)
    note = clean(arrows(row["note"]))
    return Cell(rounded(row).value, (footnotes.setdefault(note, len(footnotes) + 1),))
