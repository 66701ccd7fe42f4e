"""Compose a report: from a summary to what every surface shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biasamp_adapters import words
from biasamp_adapters.audit.advice import boxes
from biasamp_adapters.audit.answer import Answer, answers, leading
from biasamp_adapters.audit.facts import facts, head, title, two_directions
from biasamp_adapters.audit.names import Names, names_of
from biasamp_adapters.audit.summary import GapRecord, Summary, VerdictRecord
from biasamp_adapters.figures import agree, clean, count, is_clear
from biasamp_adapters.report import cells, pictures
from biasamp_adapters.report.document import Box, Document, Part, Table, Tone, Verdict
from biasamp_adapters.report.folded import folded_tables
from biasamp_adapters.report.tables import models

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
    told = answers(summary)
    several = len(told) > 1
    heads = [head(summary, answer.direction) if several else "" for answer in told]
    verdicts = [_verdict(answer, over) for answer, over in zip(told, heads, strict=True)]
    tables: list[Table] = []
    drawn: list[Part] = []
    for answer, over in zip(told, heads, strict=True):
        names = names_of(summary, answer.direction)
        judged = [x for x in summary["verdicts"] if x["direction"] == answer.direction]
        tables.append(models(summary, judged, names, over, answer.line))
        drawn += _pictures(summary, judged, names, over)
    headline = " ".join(verdict.headline for verdict in verdicts)
    return Document(
        title=title(summary),
        facts=facts(summary),
        verdicts=verdicts,
        models=tables,
        pictures=drawn,
        boxes=_boxes(boxes(summary)),
        folds=list(_folds(summary, told, date)),
        between=two_directions(summary),
        more=words.MORE.format(notes=count(len(summary["notes"]), "note")),
        last=[answer.last for answer in told if answer.last],
        alternative=words.ALTERNATIVE.format(headline=headline),
    )


def _verdict(answer: Answer, over: str) -> Verdict:
    """Return the box of one direction; models that differ make it grey."""
    codes = set(answer.codes)
    tone: Tone = cells.tone_of(answer.codes[0]) if len(codes) == 1 else "unclear"
    return Verdict(
        head=over,
        tag=answer.tag,
        tone=tone,
        headline=answer.headline,
        named=answer.named,
        more=answer.more,
        closing=answer.closing,
    )


def _boxes(advice: dict[str, list[str]]) -> list[Box]:
    """Return the boxes; those of one short sentence are joined into one."""
    filled = [(heading, sentences) for heading, sentences in advice.items() if sentences]
    short = [box for box in filled if len(box[1]) == 1 and len(box[1][0].split()) <= MOST_WORDS]
    if len(short) < 2:
        return [[box] for box in filled]
    return [*([box] for box in filled if box not in short), short]


# Pictures.


def _pictures(
    summary: Summary, verdicts: Sequence[VerdictRecord], names: Names, over: str
) -> Iterator[Part]:
    """Yield the rates by group and, of several gaps, the gaps."""
    first = leading(summary, names.direction)
    if not pictures.rates_of(summary, first):
        return
    others = [verdict for verdict in verdicts if verdict is not first]
    shown = [first, *others[: MOST_PANELS - 1]]
    panels = pictures.rates_pictures(summary, shown, names)
    counted = names.counted(pictures.class_shown(summary, first))
    heading = f"Rates of {counted} by group"
    if names.compares_classes:
        heading = f"Share of {counted} by {names.noun}"
    legend = _legend_of_rates(summary, shown, names)
    yield Part(heading, legend, panels, over=over, brief=panels[:1])
    total = len(cells.gaps_of(summary, first))
    if total < 2:
        return
    heading = f"Gaps between {names.nouns}, most certain change first"
    if total > pictures.MOST_GAPS:
        most = pictures.MOST_GAPS
        heading = f"Gaps between {names.nouns}: the {most} most certain changes of {total:,}"
    picture = pictures.gaps_picture(summary, first, names)
    yield Part(heading, _legend_of_gaps(summary, first, names), [picture], over=over)


def _legend_of_rates(summary: Summary, verdicts: Sequence[VerdictRecord], names: Names) -> str:
    """Return what dots, line and bars of the rates are."""
    has_labels = names.true == words.LABELS
    rate = words.RATE_IN_LABELS if has_labels else words.GIVEN_RATE
    legend = words.LEGEND_RATES.format(rate=rate)
    gap = cells.named_gap(summary, verdicts[0])
    if gap is None or len(verdicts) > 1:
        return legend
    a, b = names.member(gap["first"]), names.member(gap["second"])
    return f"{legend} {words.LEGEND_BARS.format(a=a, b=b)}"


def _legend_of_gaps(summary: Summary, verdict: VerdictRecord, names: Names) -> str:
    """Return what dots, colours and bands of the gaps are."""
    gaps = cells.gaps_of(summary, verdict)[: pictures.MOST_GAPS]
    parts = [words.LEGEND_GAPS.format(true=names.true), *_colours(gaps), words.LEGEND_BAND]
    if summary["data"]["kind"] == "tasks" and not names.compares_classes:
        parts.insert(0, _rates_that_moved(summary, verdict, names))
    return " ".join(parts)


def _colours(gaps: Sequence[GapRecord]) -> list[str]:
    """Return what the colours say that occur."""
    tones = {cells.tone_of(gap["status"]) for gap in gaps}
    legend: list[str] = []
    for tone, sentence in words.LEGEND_COLOURS.items():
        if tone in tones:
            legend.append(sentence.format(gap="it" if legend else "the gap"))
    return legend


def _rates_that_moved(summary: Summary, verdict: VerdictRecord, names: Names) -> str:
    """Return how many predicted rates are clearly above or below the rates in the labels."""
    rates = pictures.rates_of(summary, verdict)
    clear = [rate for rate in rates if is_clear(rate)]
    down = sum(rate["high"] is not None and rate["high"] < 0 for rate in clear)
    up = len(clear) - down
    are, are_down = agree(up, "is", "are"), agree(down, "is", "are")
    return words.RATES_MOVED.format(
        up=up, m=len(rates), are=are, true=names.true, down=down, are_down=are_down
    )


# Folds.


def _folds(summary: Summary, told: Sequence[Answer], date: str) -> Iterator[Part]:
    """Yield what a page folds, in its order."""
    details = _details(told)
    if details:
        yield Part("Behind the verdict", points=details)
    tables: list[Table] = list(folded_tables(summary))
    yield Part("Tables", tables=tables)
    true = names_of(summary, summary["data"]["directions"][0]).true
    text = words.HOW_TO_READ if true == words.LABELS else words.HOW_TO_READ_GIVEN_RATES
    yield Part("How to read this", text.format(true=true), terms=list(words.GLOSSARY.items()))
    notes = [clean(note) for note in summary["notes"]]
    yield Part("Notes and facts", points=notes, terms=list(_method(summary, date)))


def _details(told: Sequence[Answer]) -> list[str]:
    """Return what is behind the verdict; what one direction alone says begins with its name."""
    details = []
    for answer in told:
        others = [sentence for x in told if x is not answer for sentence in x.details]
        for sentence in answer.details:
            if len(told) > 1 and sentence not in others:
                sentence = f"{words.DIRECTIONS[answer.direction]}: {sentence}"
            details.append(sentence)
    return list(dict.fromkeys(details))


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
