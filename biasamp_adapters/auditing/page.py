"""Render summaries as an HTML page."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from biasamp_adapters._text import arrows, clean, shortened, shown
from biasamp_adapters.auditing import drawing
from biasamp_adapters.auditing.answer import (
    NO_VERDICT,
    accuracy_in_words,
    attributes_in_words,
    gap_in_parts,
    ranking,
    subtitle,
)
from biasamp_adapters.auditing.notes import NOT_FAIRNESS
from biasamp_adapters.auditing.summary import Row, Summary
from biasamp_adapters.auditing.tables import Table, data_facts, method_facts, tables
from biasamp_adapters.auditing.terms import TERMS, Part, parts
from biasamp_adapters.cards.card import Footnotes
from biasamp_adapters.cards.rounded import rounded
from biasamp_adapters.cards.strips import Strip, strips
from biasamp_adapters.cards.templating import rendered, template_file
from biasamp_adapters.counts.labels import task_in_words
from biasamp_adapters.metrics.measurement import A_TO_T
from biasamp_adapters.metrics.result import percent as level_of
from biasamp_adapters.metrics.verdict import TONES, WITHOUT_NUMBERS, WORDS

#: The package of the templates.
HERE = "biasamp_adapters.auditing"

#: What a template reads.
Context: TypeAlias = dict[str, Any]

#: Tables with more rows can be filtered, and those with even more scroll by themselves.
_LONG, _TALL = 12, 60

#: Most characters of a name in a narrow column.
_NAME = 32

#: Columns of tables that hold names of metrics or measures.
_NAMES_TERMS = ("metric", "number", "measure")

#: Heads of columns that are terms; others may be names of models.
_HEADS = ("blind errors", "excess", "BA A\u2192T", "BA T\u2192A", "FPR difference", "MALS")

#: Models whose dumbbells are on the first screen.
_FIRST_MODELS = 3

#: The parts that are folded: the name that tables refer to, the heading and what it says first.
_FOLDS = (
    ("results", "All metrics", ()),
    (
        "differences",
        "Models compared",
        ("The value of a model minus that of the first, on the same resampled rows.",),
    ),
    (
        "reading",
        "What to read",
        ("Which numbers suit these data, by the rules of the documentation.",),
    ),
    (
        "pairs",
        "Pairs",
        (
            "What each pair of a group and a task adds to BA: above 0 it moves along the "
            "correlation of the reference. A pair is clear if an interval that holds for all "
            "pairs at once excludes 0.",
        ),
    ),
    (
        "hidden",
        "What the mean hides",
        ("A mean over pairs can be small because some pairs are amplified and others reduced.",),
    ),
    (
        "sweeps",
        "Thresholds",
        (
            "Every value depends on the threshold. At both ends all rows get the same prediction, "
            "so a small value there is no merit.",
        ),
    ),
    ("fairness", "Fairness measures", (NOT_FAIRNESS,)),
    ("runs", "Runs", ("A value is the mean over runs, with its interval over them.",)),
    ("data", "Groups and classes", ()),
    ("method", "How computed", ()),
)

_HOW_TO_READ = (
    "BA, directional bias amplification, is the average change of the rates of groups, from the "
    "truth to the predictions. It is above 0 where rates move along the correlations that the "
    "reference has, so that a gap between groups grows, and below 0 where they move against them.",
    "Values are in percentage points. An interval says how much of a value may be chance: where it "
    "includes 0, neither more nor less bias is shown.",
    "Mistakes alone move rates, usually towards each other. The diamond marks what mistakes as "
    "frequent as the model's would give if they knew nothing of the attribute; only what lies "
    "beyond it, the excess, is due to error rates that differ between groups.",
    "A verdict needs both: a model amplifies if its value and its excess are clearly above 0.",
)


def to_html(summaries: Sequence[Summary]) -> str:
    """One self-contained page with a section for each report."""
    script = template_file(HERE, "report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return rendered(
        HERE,
        "page.html.j2",
        reports=[variables(summary, f"r{i}") for i, summary in enumerate(summaries, 1)],
        style=template_file(HERE, "report.css"),
        script=script,
        # The page runs this script only, even if a label contains another.
        digest=f"sha256-{digest}",
    )


def variables(summary: Summary, name: str = "", *, short: bool = False) -> Context:
    """What templates show of a report; ``name`` sets its identifiers apart on a page."""
    answer = summary["answer"]
    directions = [_direction(summary, told) for told in answer["directions"]]
    # More bias in any direction is what a reader has to know first.
    tones = {told["tone"] for told in directions}
    # What to read is text of ours, with terms; other sentences may hold any names.
    boxes: list[tuple[str, str, set[str] | None]] = [
        ("How sure?", "sure", None),
        ("What to read", "read", set()),
        ("What to do", "do", None),
    ]
    return {
        "id": name,
        "title": clean(summary["title"]),
        "facts": list(map(clean, subtitle(summary))),
        "tone": next((tone for tone in ("above", "below") if tone in tones), "unclear"),
        "directions": directions,
        "no_verdict": NO_VERDICT,
        "boxes": [
            (heading, [_parts(shown(sentence), seen) for sentence in answer[part]])
            for heading, part, seen in boxes
            if answer[part]
        ],
        "folds": list(_folds(summary, directions, short)),
    }


def _parts(text: str, seen: set[str] | None) -> list[Part]:
    """The parts of a text, in which each term is explained unless it was seen before.

    In a text that may hold any names nothing is explained; ``seen`` is None.
    """
    if seen is None:
        return [Part(text)]
    found = [Part(it.text, "" if it.title in seen else it.title) for it in parts(text)]
    seen.update(part.title for part in found)
    return found


def _direction(summary: Summary, told: Row) -> Context:
    """The verdict, the ranking and the dumbbells of one direction."""
    direction, data = told["direction"], summary["data"]
    ranked = ranking(summary, direction)
    footnotes = Footnotes()
    drawn = strips([it["row"] for it in ranked])
    panels = drawing.panels(summary, direction, [it["model"] for it in ranked])
    of_task = direction == A_TO_T
    reference = "the reference" if "reference data" in data["reference"] else "these rows"
    return {
        "name": arrows(direction),
        "tone": TONES.get(told["verdict"], "unclear"),
        "headline": shown(told["headline"]),
        "sentence": shown(told["sentence"]),
        "details": list(map(shown, told["details"])),
        "caption": f"{arrows(direction)}: {clean(_question(data, of_task))}",
        "ba": f"BA {arrows(direction)}",
        "terms": TERMS,
        "level": level_of(summary["method"]["confidence"]),
        "rows": [_ranked(it, strip, footnotes) for it, strip in zip(ranked, drawn, strict=True)],
        "footnotes": list(footnotes.texts),
        "where": _where(summary, of_task),
        "line": f"everybody in {reference}",
        "has_line": any(it.overall is not None for panel in panels for it in panel.dumbbells),
        "panels": panels[:_FIRST_MODELS],
        "more_panels": panels[_FIRST_MODELS:],
    }


def _question(data: Row, of_task: bool) -> str:
    """What a direction asks of the data."""
    attribute = attributes_in_words(data["attributes"])
    if data["tasks_are_columns"]:
        tasks = f"do the tasks push the predicted {attribute}?"
        return f"does {attribute} push the predicted tasks?" if of_task else tasks
    task = data["task"] or "class"
    cause, effect = (attribute, task) if of_task else (task, attribute)
    return f"does {cause} push the predicted {effect}?"


def _where(summary: Summary, of_task: bool) -> str:
    """What the dumbbells show."""
    data = summary["data"]
    one = data["positive"]
    task = "each task" if data["tasks_are_columns"] else "each class"
    if one is not None:
        task = clean(task_in_words(one, data["task"], is_column=data["tasks_are_columns"]))
    if of_task:
        return f"Where: share predicted to be {task}, by group"
    return f"Where: share of each group predicted among {task}"


def _ranked(it: Row, strip: Strip, footnotes: Footnotes) -> Context:
    """A row of the ranking."""
    number = rounded(it["row"])
    return {
        "model": shortened(clean(it["model"]), _NAME),
        "words": WORDS[it["verdict"]],
        "tone": TONES.get(it["verdict"], "unclear"),
        "value": number.value,
        "interval": number.interval,
        "row": it["row"],
        "marks": footnotes.of(it["row"]),
        "strip": strip if it["verdict"] not in WITHOUT_NUMBERS else strip._replace(tone="unclear"),
        "accuracy": accuracy_in_words(it["accuracy"]),
        "gap": tuple(map(shown, gap_in_parts(it["gap"]))),
    }


def _folds(summary: Summary, directions: list[Context], short: bool) -> Iterator[Context]:
    """The parts behind the first screen."""
    by_part: dict[str, list[Context]] = {}
    for table in tables(summary, short=short):
        by_part.setdefault(table.part, []).append(_table(table))
    facts = {"method": method_facts(summary), "data": data_facts(summary)}
    pictures: dict[str, Context] = {}
    if not short:
        more = [panel for direction in directions for panel in direction["more_panels"]]
        pictures = {
            "pairs": {"panels": more},
            "sweeps": {"sweeps": list(drawing.sweeps(summary))},
            "runs": {"runs": list(drawing.runs(summary))},
        }
    for part, heading, intro in _FOLDS:
        if part not in by_part and part != "method":
            continue
        yield {
            "id": part,
            "heading": heading,
            "intro": intro,
            "facts": facts.get(part, []),
            "tables": by_part.get(part, []),
            **pictures.get(part, {}),
        }
    terms = TERMS.items()
    yield {"id": "how", "heading": "How to read this", "intro": _HOW_TO_READ, "facts": terms}
    notes = [shown(note) for note in summary["notes"]]
    yield {"id": "notes", "heading": f"Caveats ({len(notes)})", "notes": notes}


def _table(table: Table) -> Context:
    """A table whose heads and cells are parts of text."""
    seen: set[str] = set()
    return table._asdict() | {
        "heads": [_parts(name, seen if name in _HEADS else None) for name in table.names],
        "rows": [
            (
                [
                    (_parts(cell.text, seen if name in _NAMES_TERMS else None), cell.marks)
                    for cell, name in zip(row, table.names, strict=True)
                ],
                clear,
            )
            for row, clear in zip(table.rows, table.clear, strict=True)
        ],
        "judged": any(table.clear),
        "long": len(table.rows) > _LONG,
        "tall": len(table.rows) > _TALL,
    }
