"""The models of a report with their verdicts, as the first table that a reader sees."""

from __future__ import annotations

from collections.abc import Sequence

from biasamp_adapters._text import arrows
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.answer import accuracy_in_words, gap_in_parts
from biasamp_adapters.auditing.text_tables import Column, Table, table_of
from biasamp_adapters.cards.rounded import rounded
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
    several = len({it["direction"] for it in ranked}) > 1
    named = {it["model"] for it in ranked} != {MODEL}
    names = {it["row"]["name"] for it in ranked}
    ba = arrows(names.pop()) if len(names) == 1 else "BA"
    columns = [
        Column("direction", lambda it: arrows(it["direction"]) * several),
        Column(NAME_OF_MODEL, lambda it: it["model"] * named),
        Column("verdict", lambda it: WORDS[it["verdict"]]),
        Column(f"{ba}, points", lambda it: rounded(it["row"]).value, True, _no_interval),
        Column("interval", lambda it: rounded(it["row"]).interval, True),
        Column("accuracy", lambda it: accuracy_in_words(it["accuracy"]), True),
        Column(LARGEST_GAP, lambda it: ": ".join(filter(None, gap_in_parts(it["gap"])))),
    ]
    caption = "Models, the largest value first"
    return table_of("ranking", caption, columns, ranked, [False] * len(ranked))


def _no_interval(it: Row) -> str:
    """Why a value has no interval, if it has none."""
    return str(it["row"]["note"]) if it["row"]["low"] is None else ""
