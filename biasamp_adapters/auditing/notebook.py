"""The card of a report, which notebooks show: a verdict, a table and a picture, the rest folded."""

from __future__ import annotations

from collections.abc import Iterator

from biasamp_adapters._text import shortened
from biasamp_adapters.auditing import drawing
from biasamp_adapters.auditing.page import HERE, Context, variables
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.cards.card import Card, Cell, Column, Footnotes, Table, name_of
from biasamp_adapters.cards.templating import rendered

#: A card with more rows of models than this is long, and shows less of the rest.
_SHORT = 2

#: Most rows of a table of models, and of the picture: of a short card, of a long one, and of a
#: long one of two directions.
_MODELS, _GROUPS, _FEW_GROUPS, _FEWEST_GROUPS = 3, 4, 3, 2


#: Most characters of a caption and of a sentence, which names may make long.
_CAPTION, _SENTENCE = 100, 250


def to_card(summary: Summary) -> str:
    """A card for a notebook: no script, pictures as images, and no need of a style sheet."""
    report = variables(summary, short=True)
    directions, footnotes = report["directions"], Footnotes()
    is_long = sum(len(it["rows"]) for it in directions) > _SHORT
    is_folded = is_long and len(directions) > 1
    sentences = [
        (_of_several(it["headline"], it, directions), "" if is_folded else it["sentence"])
        for it in directions
    ]
    groups = _FEWEST_GROUPS if is_folded else _FEW_GROUPS if is_long else _GROUPS
    tables = [_models(it, footnotes) for it in directions]
    tables += [_groups(it, groups) for it in directions[:1] if it["panels"]]
    unsaid = [_of_several(it["sentence"], it, directions) for it in directions if is_folded]
    return Card(
        title=shortened(report["title"], _CAPTION),
        facts=[shortened(fact, _CAPTION) for fact in _facts(report)],
        tone=report["tone"],
        sentences=[
            (shortened(told, _SENTENCE), shortened(more, _SENTENCE)) for told, more in sentences
        ]
        or [("", report["no_verdict"])],
        tables=tables,
        footnotes=footnotes.texts,
        folded="How sure, what to read, what to do, all numbers",
        notes=[*unsaid, *_boxes(report)],
        more=rendered(HERE, "folded.html.j2", folds=report["folds"]),
    ).to_html()


def _of_several(text: str, direction: Context, directions: list[Context]) -> str:
    return f"{direction['name']}: {text}" if len(directions) > 1 else text


def _facts(report: Context) -> list[str]:
    """What the data are; the level of the intervals stands in the head of a table."""
    return [fact for fact in report["facts"] if not fact.endswith("% intervals")]


def _boxes(report: Context) -> Iterator[str]:
    for heading, sentences in report["boxes"]:
        yield f"{heading} {' '.join(sentences)}"


def _models(direction: Context, footnotes: Footnotes) -> Table:
    """The models of a direction, ranked."""
    ranked = direction["rows"]
    kept = ranked[:_MODELS]
    marks = [[direction["footnotes"][mark - 1] for mark in it["marks"]] for it in kept]
    return Table(
        caption=shortened(direction["caption"], _CAPTION),
        columns=[
            Column("model", "name"),
            Column("verdict", "tag"),
            Column("BA, points", "number"),
            Column(f"{direction['level']} interval", "number"),
            Column("line: 0, ◇ blind errors", "strip"),
            Column("accuracy", "number"),
        ],
        rows=[
            [
                Cell(name_of(it["model"])),
                Cell(it["words"], it["tone"]),
                Cell(it["value"], marks=[footnotes.mark(note) for note in notes]),
                Cell(it["interval"] or "–"),
                Cell(drawn=it["strip"]),
                Cell(it["accuracy"]),
            ]
            for it, notes in zip(kept, marks, strict=True)
        ],
        more=len(ranked) - len(kept),
    )


def _groups(direction: Context, most: int) -> Table:
    """How the rates of groups move, of the first model."""
    panel: drawing.Panel = direction["panels"][0]
    kept = panel.dumbbells[:most]
    line = f"; the dashed line is {direction['line']}" if direction["has_line"] else ""
    where = shortened(direction["where"].removeprefix("Where: "), _CAPTION)
    if len(kept) < panel.pairs:
        where = f"{where} ({len(kept)} of {panel.pairs:,})"
    return Table(
        caption=f"{name_of(panel.model)}, {where}. "
        f"Orange amplifies, blue reduces, grey is not clear{line}.",
        columns=[
            Column("group", "name"),
            Column("○ truth → ● prediction", "dumbbell"),
            Column("rates", "number"),
        ],
        rows=[
            [Cell(it.label), Cell(drawn=it), Cell(f"{it.text[0]} → {it.text[1]}%")] for it in kept
        ],
    )
