"""Compose a report: from a summary to what every surface shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biasamp_adapters import words
from biasamp_adapters.auditing.advice import boxes, merge_directions
from biasamp_adapters.auditing.answer import Answer, answers
from biasamp_adapters.auditing.facts import facts, title, two_directions
from biasamp_adapters.auditing.notes import notes
from biasamp_adapters.auditing.subject import subject_of
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.figures import count
from biasamp_adapters.report.document import Box, Document, Part, Table
from biasamp_adapters.report.folded import folded_tables
from biasamp_adapters.report.pictures import pictures
from biasamp_adapters.report.tables import models

#: Longer sentences do not share a box.
MOST_WORDS = 15


def compose(summary: Summary, date: str = "") -> Document:
    """Return what a report shows.

    Parameters
    ----------
    summary : Summary
    date : str
        Printed among the facts at the end, if given.
    """
    all_answers = answers(summary)
    named = {text for answer in all_answers for sentences in answer.named for text in sentences}
    caveats = [note for note in notes(summary) if note not in named]
    overview, drawn = list[Table](), list[Part]()
    for answer in all_answers:
        first = subject_of(summary, answer.direction)
        overview.append(models(first.models, answer.head, answer.line))
        drawn += pictures(first, answer.head)
    headline = " ".join(answer.headline for answer in all_answers)
    return Document(
        title=title(summary),
        facts=facts(summary),
        verdicts=all_answers,
        models=overview,
        pictures=drawn,
        boxes=_boxes(boxes(summary)),
        folds=list(_folds(summary, all_answers, caveats, date)),
        between=two_directions(summary),
        more=words.MORE.format(notes=count(len(caveats), "note")),
        alternative=words.ALTERNATIVE.format(headline=headline),
        headline=headline,
    )


def _boxes(advice: dict[str, list[str]]) -> list[Box]:
    """Return the boxes; those of one short sentence are joined into one."""
    filled = [(heading, sentences) for heading, sentences in advice.items() if sentences]
    short = [box for box in filled if len(box[1]) == 1 and len(box[1][0].split()) <= MOST_WORDS]
    if len(short) < 2:
        return [[box] for box in filled]
    return [*([box] for box in filled if box not in short), short]


# Folds.


def _folds(
    summary: Summary, all_answers: Sequence[Answer], caveats: Sequence[str], date: str
) -> Iterator[Part]:
    """Yield what a page folds, in its order."""
    details = merge_directions({answer.direction: answer.details for answer in all_answers})
    if points := list(dict.fromkeys(details)):
        yield Part("Behind the verdict", points=points)
    yield Part("Tables", tables=[table for table in folded_tables(summary) if table.rows])
    true = summary["data"]["compared_with"]
    text = words.HOW_TO_READ if true == words.LABELS else words.HOW_TO_READ_GIVEN_RATES
    yield Part("How to read this", text.format(true=true), terms=list(words.GLOSSARY.items()))
    yield Part("Notes and facts", points=caveats, terms=list(_method(summary, date)))


def _method(summary: Summary, date: str) -> Iterator[tuple[str, str]]:
    """Yield how the report was made, for those who file it."""
    method = summary["method"]
    yield "replicates", f"{method['n_boot']:,}"
    if method["random_state"] is not None:
        yield "seed", f"{method['random_state']}"
    if date:
        yield "date", date
    yield from method["versions"].items()
    yield from ((file, f"SHA-256 {digest}") for file, digest in method["files"].items())
