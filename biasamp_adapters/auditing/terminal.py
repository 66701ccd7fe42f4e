"""A report as lines of text: the answer on one screen, and all tables where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from biasamp_adapters._text import arrows, clean, shown
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.answer import BOXES, NO_VERDICT, ranking, subtitle
from biasamp_adapters.auditing.layout import GAP, GridColumn, fitted, grid, total_width, wrapped
from biasamp_adapters.auditing.ranked import LARGEST_GAP, NAME_OF_MODEL, ranking_table
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.auditing.tables import Table, data_facts, method_facts, tables
from biasamp_adapters.cards.strips import Strip, strips
from biasamp_adapters.metrics.verdict import TONES, WITHOUT_NUMBERS, WORDS

#: Lines of more characters are hard to read.
_WIDEST = 120

#: Lines of a short report with its verdict, whatever it has to say.
_SCREEN = 25

#: Models of which the short report has a row in each direction, if there is room, and at least.
_FEW_MODELS, _FEWEST_MODELS = 10, 3

#: Lines that a title and all headlines may have, which hold names of any length.
_TITLE, _HEADLINES = 2, 4

#: Most columns of the name of a model, and what it may be shortened to.
_MODEL, _SHORT_MODEL = 30, 12

#: Columns that a strip may take.
_STRIP, _LONG_STRIP = 13, 27

#: Styles by the side of 0 on which a value clearly lies, or of which a verdict speaks.
_SIDES = {"above": "dark_orange", "below": "dodger_blue1", "unclear": ""}


def body(summary: Summary, width: int, *, full: bool = False, pictures: bool = False) -> list[Text]:
    """The report but for the verdict that it ends with, as lines.

    Parameters
    ----------
    summary : dict
    width : int
        Columns of the terminal.
    full : bool
        Whether to add all tables and notes. Otherwise, sentences that would make the report longer
        than a screen are left out; notes and tables have what they say.
    pictures : bool
        Whether to draw intervals, where there is room.
    """
    width = min(width, _WIDEST)
    n_models = min(_FEW_MODELS, len(summary["data"]["models"]))
    if full:
        answer, most = next(_shortened(summary["answer"], n_models))
        models = _ranked_models(summary, width, most, pictures=pictures)
        return [*_answer(summary, answer, models, width), *_everything(summary, width)]
    more = f"All tables and {len(summary['notes'])} notes: --full, or to_text(full=True) in Python."
    last = wrapped([(more, "dim")], width)
    room = _SCREEN - len(last) - len(verdict(summary, width))
    for answer, most in _shortened(summary["answer"], n_models):
        models = _ranked_models(summary, width, most, pictures=pictures)
        lines = _answer(summary, answer, models, width)
        if len(lines) <= room:
            break
    return [*lines, *last]


def verdict(summary: Summary, width: int, *, named: bool = False) -> list[Text]:
    """What the report ends with: its verdict in one sentence, of which report if it is named."""
    directions, width = summary["answer"]["directions"], min(width, _WIDEST)
    of = f" of {clean(summary['title'])}" if named else ""
    parts = [(f"Verdict{of}:", "bold")]
    if len(directions) == 1:
        return wrapped([*parts, _headline(directions[0], _HEADLINES * width)], width)
    one_model = len(summary["data"]["models"]) == 1
    for told in directions:
        text, style = _headline(told, _HEADLINES * width // len(directions))
        name = arrows(told["direction"])
        parts += [(name if one_model else f"{name}:", "")]
        parts += [(f"{WORDS[told['verdict']]}." if one_model else text, style)]
    return wrapped(parts if directions else [*parts, (NO_VERDICT, "bold")], width)


def plain(lines: Iterable[Text]) -> str:
    """Lines without styles."""
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def _shortened(answer: Row, n_models: int) -> Iterator[tuple[Row, int]]:
    """The answer with a number of models in each direction, and shorter ones.

    Each lacks one more sentence or model that can be done without; headlines stay to the end. It is
    one answer, shortened in place. The sentence of a direction is a list of one, as its details are
    a list.
    """
    models = [*range(n_models)]
    directions = [
        told | {"sentence": [told["sentence"]], "details": [*told["details"]]}
        for told in answer["directions"]
    ]
    sure, read, do = ([*answer[part]] for part in ("sure", "read", "do"))
    answer = answer | {"directions": directions, "sure": sure, "read": read, "do": do}
    # What is shortened, from its end, and to how many.
    steps: list[tuple[list[Any], int]] = [
        *((told["details"], 0) for told in directions[::-1]),
        (do, 1),
        (sure, 1),
        (read, 2),
        (models, _FEWEST_MODELS),
        (read, 1),
        *((told["sentence"], 0) for told in directions[:0:-1]),
        (sure, 0),
        (do, 0),
        (read, 0),
        *((told["sentence"], 0) for told in directions[:1]),
        (models, 1),
    ]
    yield answer, len(models)
    for part, least in steps:
        while len(part) > least:
            part.pop()
            yield answer, len(models)


def _answer(summary: Summary, answer: Row, models: Sequence[Text], width: int) -> list[Text]:
    """What was audited, the verdicts, the models, and what to know, to read and to do."""
    # A title may be any text.
    lines = wrapped([(fitted(clean(summary["title"]), _TITLE * width), "bold")], width)[:_TITLE]
    lines += [*wrapped([(clean(" \u00b7 ".join(subtitle(summary))), "dim")], width), Text()]
    for told in answer["directions"]:
        name = f"{arrows(told['direction'])}:" if len(answer["directions"]) > 1 else ""
        sentences = " ".join(map(shown, told["sentence"] + told["details"]))
        headline = _headline(told, _HEADLINES * width // len(answer["directions"]))
        lines += wrapped([(name, ""), headline, (sentences, "")], width)
    if not answer["directions"]:
        lines += wrapped([(NO_VERDICT, "bold")], width)
    lines += [Text(), *models, *([Text()] if models else [])]
    for heading, part in BOXES.items():
        if answer[part]:
            sentences = " ".join(map(shown, answer[part]))
            lines += wrapped([(f"{heading}:", "bold"), (sentences, "")], width, "  ")
    return [*lines, Text()]


def _headline(told: Row, most: int) -> tuple[str, str]:
    style = f"bold {_SIDES[TONES.get(told['verdict'], 'unclear')]}".strip()
    return fitted(shown(told["headline"]), most), style


# The models, ranked.


def _ranked_models(summary: Summary, width: int, most: int, *, pictures: bool) -> list[Text]:
    """Some models in each direction with their BA, in as many columns as there is room for."""
    ranked, drawn = [], []
    for told in summary["answer"]["directions"]:
        models = ranking(summary, told["direction"])
        ranked += models[:most]
        # All models share a scale.
        drawn += strips([it["row"] for it in models])[:most]
    if not ranked:
        return []
    table = ranking_table(ranked)
    judged = [it["verdict"] not in WITHOUT_NUMBERS for it in ranked]
    columns, room = _that_fit(_columns(table), width, pictures=pictures and any(judged))
    lines = grid(columns, width)
    if room:
        _add_strips(lines, drawn, judged, room)
    if len(ranked) < len(summary["verdicts"]):
        lines.append(Text(f"and {len(summary['verdicts']) - len(ranked):,} more", "dim"))
    return [*lines, *_footnotes(table, width)]


def _that_fit(
    columns: list[GridColumn], width: int, *, pictures: bool
) -> tuple[list[GridColumn], int]:
    """The columns for which there is room, and the room for a strip, which may be 0.

    A strip comes before the names of the groups of a gap, which the answer has, and these before
    the whole name of a model. After that, columns are left out.
    """
    briefly = [_without_groups(column) for column in columns]
    for of_models in (_MODEL, _SHORT_MODEL):
        for strip in (_STRIP, 0)[not pictures :]:
            for chosen in (columns, briefly):
                fitting = [_shorter(column, of_models) for column in chosen]
                rest = width - _width(fitting) - GAP
                if strip and rest >= strip:
                    return fitting, min(rest, _LONG_STRIP)
                if not strip and rest >= -GAP:
                    # The names of models get the room that is left.
                    return [_shorter(column, of_models + rest + GAP) for column in chosen], 0
    while _width(fitting) > width and len(fitting) > 2:
        fitting = fitting[:-1]
    most = _SHORT_MODEL + max(0, width - _width(fitting))
    return [_shorter(column, most) for column in briefly[: len(fitting)]], 0


def _width(columns: Sequence[GridColumn]) -> int:
    return total_width(column.natural for column in columns)


def _shorter(column: GridColumn, most: int) -> GridColumn:
    if column.name != NAME_OF_MODEL:
        return column
    return column._replace(cells=[fitted(cell, most) for cell in column.cells])


def _without_groups(column: GridColumn) -> GridColumn:
    if column.name != LARGEST_GAP:
        return column
    return column._replace(cells=[cell.rpartition(": ")[2] for cell in column.cells])


def _add_strips(
    lines: Sequence[Text], strips: Sequence[Strip], judged: Sequence[bool], room: int
) -> None:
    """Put a strip behind each row of the ranking, and what its marks mean into the head."""
    width = max(line.cell_len for line in lines)
    texts = [("\u25c7 errors, \u253c 0", "bold")]
    for strip, told in zip(strips, judged, strict=True):
        # An odd number of characters has a middle.
        texts.append((_strip(strip, room - 1 + room % 2), _SIDES[strip.tone] if told else ""))
    for line, (text, style) in zip(lines, texts, strict=True):
        line.append(" " * (width - line.cell_len + GAP)).append(text, style)


def _strip(strip: Strip, n: int) -> str:
    """A value with its interval on a line of ``n`` characters with 0 in the middle."""

    def at(position: float) -> int:
        return round(position / 100 * (n - 1))

    marks = ["\u251c", *["\u2500"] * (n - 2), "\u2524"]
    if strip.low is not None and strip.high is not None:
        for i in range(at(strip.low), at(strip.high) + 1):
            marks[i] = "\u2501"
    marks[at(strip.zero)] = "\u253c"
    for position, mark in ((strip.blind, "\u25c7"), (strip.value, "\u25cf")):
        if position is not None:
            marks[at(position)] = mark
    return "".join(marks)


# Everything else.


def _everything(summary: Summary, width: int) -> Iterator[Text]:
    """All tables with their footnotes, the facts and the notes."""
    for table in tables(summary, short=True):
        yield from _table(table, width)
    for term, text in [*data_facts(summary), *method_facts(summary)]:
        yield from wrapped([(f"{term}:", "dim"), (shown(text), "")], width, "  ")
    yield Text()
    yield Text("Notes", "bold")
    for note in summary["notes"]:
        yield from wrapped([(f"- {shown(note)}", "")], width, "  ")
    yield Text()


def _table(table: Table, width: int) -> Iterator[Text]:
    yield from wrapped([(table.caption, "bold")], width)
    yield from grid(_columns(table), width)
    yield from _footnotes(table, width)
    yield Text()


def _columns(table: Table) -> list[GridColumn]:
    return [
        GridColumn(name, [str(row[i]) for row in table.rows], number)
        for i, (name, number) in enumerate(zip(table.names, table.numbers, strict=True))
    ]


def _footnotes(table: Table, width: int) -> Iterator[Text]:
    for number, note in enumerate(table.footnotes, 1):
        yield from wrapped([(f"[{number}] {note}", "dim")], width, "    ")
