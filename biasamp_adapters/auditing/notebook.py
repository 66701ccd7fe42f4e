"""The card of a report, which notebooks show: a verdict, a table and a picture, the rest folded."""

from __future__ import annotations

from collections.abc import Iterator

from biasamp_adapters._text import shortened
from biasamp_adapters.auditing import drawing
from biasamp_adapters.auditing.page import HERE, Context, variables
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.cards.card import Card, Cell, Column, Footnotes, Table, name_of
from biasamp_adapters.cards.templating import rendered

#: A card of two directions with more rows of models than this is long, and shows less of the rest.
_SHORT = 2

#: Most rows of a table of models and of the picture, and of those of a long card.
_MODELS, _FEW_MODELS, _GROUPS, _FEW_GROUPS = 3, 2, 4, 2

#: Most characters of a caption and, all in all, of the sentences, which names may make long.
_CAPTION, _SENTENCES = 80, 330

#: A verdict of more characters leaves no room for the accuracy, and a label for so many groups.
_LONG_VERDICT, _LONG_LABEL = 20, 28


def to_card(summary: Summary) -> str:
    """A card for a notebook: no script, pictures as images, and no need of a style sheet."""
    report = variables(summary, short=True)
    directions, footnotes = report["directions"], Footnotes()
    is_folded = len(directions) > 1 and sum(len(it["rows"]) for it in directions) > _SHORT
    sentences = [
        (_of_several(it["headline"], it, directions), "" if is_folded else it["sentence"])
        for it in directions
    ]
    most = _SENTENCES // (sum(bool(text) for pair in sentences for text in pair) or 1)
    n_models, n_groups = (_FEW_MODELS, _FEW_GROUPS) if is_folded else (_MODELS, _GROUPS)
    tables = [_models(it, n_models, footnotes) for it in directions]
    tables += [_groups(it, n_groups) for it in directions[:1] if it["panels"]]
    unsaid = [_of_several(it["sentence"], it, directions) for it in directions if is_folded]
    return Card(
        title=shortened(report["title"], _CAPTION),
        facts=[shortened(fact, _CAPTION) for fact in _facts(report)],
        tone=report["tone"],
        sentences=[
            # What a headline does not need is left to its sentence.
            (shortened(first, most), shortened(more, 2 * most - min(len(first), most)))
            for first, more in sentences
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
        text = " ".join("".join(part.text for part in sentence) for sentence in sentences)
        yield f"{heading} {text}"


def _models(direction: Context, most: int, footnotes: Footnotes) -> Table:
    """The models of a direction, ranked."""
    ranked = direction["rows"]
    kept = ranked[:most]
    some = f" ({len(kept)} of {len(ranked)} models)" if len(kept) < len(ranked) else ""
    # A long verdict leaves no room for all columns.
    n_columns = 5 if any(len(it["words"]) > _LONG_VERDICT for it in kept) else 6
    return Table(
        caption=f"{shortened(direction['caption'], _CAPTION)}{some}",
        columns=[
            Column("model", "name"),
            Column("verdict", "tag"),
            Column("BA, points", "number"),
            Column(f"{direction['level']} interval", "number"),
            Column("| 0, ◇ blind errors", "strip"),
            Column("accuracy", "number"),
        ][:n_columns],
        rows=[
            [
                Cell(name_of(it["model"])),
                Cell(it["words"], tone=it["tone"]),
                Cell(it["value"], footnotes.of(it["row"])),
                Cell(it["interval"] or "–"),
                Cell(drawn=it["strip"]),
                Cell(it["accuracy"]),
            ][:n_columns]
            for it in kept
        ],
    )


def _groups(direction: Context, most: int) -> Table:
    """How the rates of groups move, of the first model."""
    panel: drawing.Panel = direction["panels"][0]
    kept = panel.dumbbells[:most]
    if any(len(it.label) > _LONG_LABEL for it in kept):
        kept = kept[:_FEW_GROUPS]
    line = f"; dashed: {direction['line']}" if direction["has_line"] else ""
    where = shortened(direction["where"].removeprefix("Where: "), _CAPTION)
    if len(kept) < panel.pairs:
        where = f"{where} ({len(kept)} of {panel.pairs:,})"
    return Table(
        caption=f"{name_of(panel.model)}, {where}. "
        f"Orange amplifies, blue reduces, grey is unclear{line}.",
        columns=[
            Column("group", "name"),
            Column("○ truth → ● prediction", "dumbbell"),
            Column("rates", "number"),
        ],
        rows=[
            [Cell(name_of(it.label)), Cell(drawn=it), Cell(f"{it.text[0]} → {it.text[1]}%")]
            for it in kept
        ],
    )
