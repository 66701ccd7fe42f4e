"""Compose a report: from a summary to what every surface shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biasamp_adapters import words
from biasamp_adapters.auditing.advice import boxes, merge_directions
from biasamp_adapters.auditing.answer import Answer, answers
from biasamp_adapters.auditing.facts import facts, title, two_directions
from biasamp_adapters.auditing.notes import notes
from biasamp_adapters.auditing.subject import (
    Subject,
    names_of,
    subject_of,
    tone_of,
    verb_of_unclear,
)
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.figures import agree, clean, count
from biasamp_adapters.report import pictures
from biasamp_adapters.report.document import Box, Document, Part, Table
from biasamp_adapters.report.folded import folded_tables
from biasamp_adapters.report.tables import models, sides

#: More models are not drawn, and longer sentences do not share a box.
MOST_PANELS, MOST_WORDS = 3, 15


def compose(summary: Summary, date: str = "") -> Document:
    """Return what a report shows.

    Parameters
    ----------
    summary : Summary
    date : str
        Printed among the facts at the end, if given.
    """
    all_answers = answers(summary)
    on_first_screen = {
        text for answer in all_answers for sentences in answer.named for text in sentences
    }
    caveats = [clean(note) for note in notes(summary) if note not in on_first_screen]
    overview, drawn = list[Table](), list[Part]()
    for answer in all_answers:
        first = subject_of(summary, answer.direction)
        overview.append(models(first.models, answer.head, answer.line))
        drawn += _pictures(first, answer.head)
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
    )


def _boxes(advice: dict[str, list[str]]) -> list[Box]:
    """Return the boxes; those of one short sentence are joined into one."""
    filled = [(heading, sentences) for heading, sentences in advice.items() if sentences]
    short = [box for box in filled if len(box[1]) == 1 and len(box[1][0].split()) <= MOST_WORDS]
    if len(short) < 2:
        return [[box] for box in filled]
    return [*([box] for box in filled if box not in short), short]


# Pictures.


def _pictures(first: Subject, over: str) -> Iterator[Part]:
    """Yield the rates by group, in the order of models, and the gaps of the leading one."""
    if not first.rates:
        return
    names, total = first.names, len(first.gaps)
    others = [model for model in first.models if model.verdict is not first.verdict]
    left_out = others[MOST_PANELS - 1 :]
    drawn = [model for model in first.models if model not in left_out]
    leading = [model.verdict for model in drawn].index(first.verdict)
    panels = [pictures.rates_picture(x, _caption(x) if others else "") for x in drawn]
    panels = pictures.on_one_scale(panels)
    counted = names.counted(pictures.class_drawn(first))
    heading = f"Rates of {counted} by group"
    if names.compares_classes:
        heading = f"Share of {counted} by {names.noun}"
    n_drawn, n_rows = len(pictures.rates_drawn(first)), len(pictures.rates_compared(first))
    if n_drawn < n_rows:
        heading = f"{heading}: {n_drawn} of {n_rows:,} {names.nouns}"
    legend = _legend_of_rates(first, with_bars=not others)
    yield Part(heading, legend, panels, over=over, brief=[panels[leading]])
    if total > 1:
        order = "most certain change first"
        heading = f"Gaps between {names.nouns}, {order}"
        if total > pictures.MOST_GAPS:
            most = f"the {pictures.MOST_GAPS} most certain changes of {total:,}"
            heading = f"Gaps between {names.nouns}: {most}"
        picture = pictures.gaps_picture(first, first.name if others else "")
        yield Part(heading, _legend_of_gaps(first), [picture], over=over)


def _caption(model: Subject) -> str:
    """Return the name of a model and, of several gaps, the one of the bars."""
    if model.gap is None or len(pictures.rates_drawn(model)) == 2:
        return model.name
    return f"{model.name}, bars: {sides(model.gap, model.names)}"


def _legend_of_rates(model: Subject, with_bars: bool) -> str:
    """Return what dots, line and bars of the rates are."""
    has_labels = model.names.true == words.LABELS
    rate = words.RATE_IN_LABELS if has_labels else words.GIVEN_RATE
    legend = words.LEGEND_RATES.format(rate=rate)
    if model.gap is None or not with_bars:
        return legend
    a, b = (model.names.member(model.gap[side]) for side in ("first", "second"))
    return f"{legend} {words.LEGEND_BARS.format(a=a, b=b)}"


def _legend_of_gaps(model: Subject) -> str:
    """Return what dots, colours and bands of the gaps are."""
    names, tones = model.names, {tone_of(x["status"]) for x in model.gaps[: pictures.MOST_GAPS]}
    legend = [words.LEGEND_GAPS.format(true=names.true)]
    colours = [text for tone, text in words.LEGEND_COLOURS.items() if tone in tones]
    verb, _ = verb_of_unclear(model.gaps[: pictures.MOST_GAPS])
    for i, text in enumerate(colours):
        legend.append(text.format(gap="it" if i else "the gap", verb=verb))
    legend.append(words.LEGEND_BAND)
    if model.summary["data"]["kind"] == "tasks":
        legend.insert(0, _rates_that_moved(model))
    return " ".join(legend)


def _rates_that_moved(model: Subject) -> str:
    """Return how many predicted rates are clearly above or below the rates in the labels."""
    compared = {gap["of_class"] for gap in model.gaps}
    rates = [rate for rate in model.rates if rate["of_class"] in compared]
    up = sum(rate["low"] is not None and rate["low"] > 0 for rate in rates)
    down = sum(rate["high"] is not None and rate["high"] < 0 for rate in rates)
    are, are_down = agree(up, "is", "are"), agree(down, "is", "are")
    counts = {"up": up, "m": len(rates), "down": down}
    return words.RATES_MOVED.format(**counts, are=are, are_down=are_down, true=model.names.true)


# Folds.


def _folds(
    summary: Summary, all_answers: Sequence[Answer], caveats: Sequence[str], date: str
) -> Iterator[Part]:
    """Yield what a page folds, in its order."""
    if details := _details(all_answers):
        yield Part("Behind the verdict", points=details)
    yield Part("Tables", tables=[table for table in folded_tables(summary) if table.rows])
    true = names_of(summary, summary["data"]["directions"][0]).true
    text = words.HOW_TO_READ if true == words.LABELS else words.HOW_TO_READ_GIVEN_RATES
    yield Part("How to read this", text.format(true=true), terms=list(words.GLOSSARY.items()))
    yield Part("Notes and facts", points=caveats, terms=list(_method(summary, date)))


def _details(all_answers: Sequence[Answer]) -> list[str]:
    """Return what is behind the verdict; what one direction alone says begins with its name."""
    details = {answer.direction: answer.details for answer in all_answers}
    return list(dict.fromkeys(merge_directions(details)))


def _method(summary: Summary, date: str) -> Iterator[tuple[str, str]]:
    """Yield how the report was made, for those who file it."""
    method = summary["method"]
    yield "replicates", f"{method['n_boot']:,}"
    if method["random_state"] is not None:
        yield "seed", f"{method['random_state']}"
    if date:
        yield "date", date
    yield from ((clean(tool), clean(version)) for tool, version in method["versions"].items())
    for file, digest in method["files"].items():
        yield clean(file), f"SHA-256 {clean(digest)}"
