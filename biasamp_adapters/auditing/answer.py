"""The answer of an audit: one headline for each direction, and the sentences that follow it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from biasamp_adapters import words
from biasamp_adapters.auditing.ba_and_models import (
    ba_against_verdicts,
    ba_sentences,
    equal_errors_of_ba,
    line_below,
    model_differences,
    models_headline,
)
from biasamp_adapters.auditing.facts import head, level
from biasamp_adapters.auditing.gap_sentences import GapSentences
from biasamp_adapters.auditing.notes import doubts
from biasamp_adapters.auditing.subject import Subject, Tone, is_above, is_small, subject_of, tone_of
from biasamp_adapters.auditing.summary import DOWN, UP, GapRecord, Summary
from biasamp_adapters.figures import Digits, agree, count, is_clear, join
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate
from biasamp_adapters.inference.verdict import ALL_ROWS, MOST_GAPS, Gap

#: A headline has no more words if it also counts the gaps that are not clear.
_MOST_WORDS = 30


@dataclass(frozen=True)
class Answer:
    """What is said of one direction.

    Attributes
    ----------
    direction : {"A->T", "T->A"}
    head : str
        What stands over one of two directions.
    tone : Tone
        The colour of the code; grey of models that differ.
    tag : str
        The code in words; empty for several models.
    headline : str
    named : list of lists of str
        What puts all in doubt, and the sentences of each named gap, or the bound of all.
    more : list of str
        The rest of the first screen.
    details : list of str
        What stands behind the verdict.
    closing : str
        The last line of the box: what the codes do not mean.
    line : str
        The line below the table, which says what BA is.
    last : str
        The last line of the terminal.
    """

    direction: str
    head: str
    tone: Tone
    tag: str
    headline: str
    named: list[list[str]]
    more: list[str]
    details: list[str]
    closing: str
    line: str
    last: str


@dataclass(frozen=True)
class Verdict:
    """What is said of one model in one direction.

    Attributes
    ----------
    model : str
    direction : {"A->T", "T->A"}
    code : {"amplifies", "reduces", "reverses", "mixed", "no_clear_change", "cannot_say"}
    reason : str
        Why nothing can be said; empty for the other codes.
    sentence : str
        The verdict in words, as if there were no other model.
    mean_change : Estimate
    gaps : tuple of Gap
    """

    model: str
    direction: str
    code: str
    reason: str
    sentence: str
    mean_change: Estimate
    gaps: tuple[Gap, ...]


def answers(summary: Summary) -> list[Answer]:
    """Return what is said of each direction."""
    return [_answer(summary, direction) for direction in summary["data"]["directions"]]


def _answer(summary: Summary, direction: str) -> Answer:
    subject = subject_of(summary, direction)
    code, headline = subject.verdict["code"], _headline(subject)
    codes = {model.verdict["code"] for model in subject.models}
    tag = "" if subject.has_several_models else words.VERDICTS[code]
    of_gap, gap_details = _more_of_gap(subject)
    details = [*_changes(subject), *ba_sentences(subject), *gap_details]
    return Answer(
        direction=direction,
        head=head(summary, direction) if len(summary["data"]["directions"]) > 1 else "",
        tone=tone_of(codes.pop()) if len(codes) == 1 else "unclear",
        tag=tag,
        headline=headline,
        named=[*filter(None, [doubts(subject)]), *_named(subject)],
        more=[*of_gap, *ba_against_verdicts(subject)],
        details=[*map(subject.with_model, details), *model_differences(subject)],
        closing=_closing(subject),
        line=line_below(subject),
        last=_last(subject, tag, headline),
    )


# The headline.


def _headline(subject: Subject) -> str:
    verdict, names = subject.verdict, subject.names
    if verdict["code"] == "cannot_say":
        return _no_verdict(subject)
    if subject.has_several_models:
        return models_headline(subject)
    if verdict["no_errors"]:
        headline = words.NO_ERRORS.format(model=subject.name)
    elif verdict["constant"]:
        tasks = names.data["kind"] == "tasks" and not names.compares_classes
        what = words.SAME_TASKS if tasks else names.counted(verdict["constant"][0])
        headline = words.ONE_PREDICTION.format(model=subject.name, what=what)
    elif len(subject.gaps) == 1:
        headline = GapSentences(subject.gaps[0], names, subject.gaps).headline()
    else:
        headline = _of_several_gaps(subject)
    return words.HEADLINE.format(headline=headline)


def _no_verdict(subject: Subject) -> str:
    names, verdict, why = subject.names, subject.verdict, subject.verdict["why"]
    kept = [x for x in names.members if (x["rows"] if why == "one_group" else not is_small(x))]
    if why == "too_few_rows" and kept:
        why = "too_few_rows_but_one"
    nouns = {"member": names.noun, "members": names.nouns, "unit": names.data["unit"]}
    limits = {"n": verdict["n_gaps"], "least": FEW_ROWS, "most": MOST_GAPS}
    return words.NO_VERDICT[why].format(
        name=names.member(kept[0]["name"]) if kept else "",
        rows=count(names.data["rows"], "row"),
        reason=verdict["reason"],
        **nouns,
        **limits,
    )


def _of_several_gaps(subject: Subject) -> str:
    """Return how many gaps clearly change, and whether the mean says otherwise."""
    mean, scope = subject.verdict, _scope(subject)
    statuses = Counter(gap["status"] for gap in subject.gaps)
    counts = _counts(statuses, scope)
    verb, average = "", {}
    if is_clear(mean):
        n, size = mean["n_in_mean"], Digits.of(mean).change_in_points(mean)
        verb = agree(n, *words.STATUSES["grows" if is_above(mean) else "shrinks"])
        in_mean = words.GAPS_IN_MEAN.format(gaps=count(n, "gap"))
        which = words.ALL_GAPS if n == len(subject.gaps) else in_mean
        average = {"gaps": which, "verb": verb, "mean": size}
    if not counts:
        _, changes = subject.verb_of_unclear
        if verb:
            return words.MEAN_ONLY.format(scope=scope, changes=changes, **average)
        return words.NONE_CHANGES.format(scope=scope, changes=changes)
    same_side = UP if is_above(mean) else DOWN
    if verb and not any(statuses[status] for status in same_side):
        return words.ON_AVERAGE.format(counts=join(counts, 9), **average)
    unclear = statuses["unclear"]
    (verb, _), do = subject.verb_of_unclear, agree(unclear, "does", "do")
    whole = [*counts, words.COUNT_UNCLEAR.format(n=unclear, do=do, verb=verb)]
    if unclear and len(words.HEADLINE.format(headline=join(whole, 9)).split()) <= _MOST_WORDS:
        return join(whole, 9)
    return join(counts, 9)


def _counts(statuses: Counter[str], scope: str) -> list[str]:
    """Return "3 of 10 gaps between groups clearly grow", "1 clearly appears"."""
    counts, gaps = list[str](), count(statuses.total(), "gap")
    for status, verbs in words.STATUSES.items():
        if n := statuses[status]:
            template, verb = words.COUNT_NEXT if counts else words.COUNT, agree(n, *verbs)
            counts.append(template.format(n=n, gaps=gaps, scope=scope, verb=verb))
    return counts


def _scope(subject: Subject) -> str:
    names = subject.names
    if subject.verdict["comparison"] == ALL_ROWS:
        return words.BETWEEN.format(a=names.nouns, b=ALL_ROWS)
    if len(names.members) == 2 and not names.compares_classes:
        a, b = (names.member(row["name"]) for row in names.members)
        return words.BETWEEN.format(a=a, b=b)
    return words.BETWEEN_MEMBERS.format(members=names.nouns)


# The named gaps, and the bound of those that do not clearly change.


def _named(subject: Subject) -> list[list[str]]:
    verdict, gaps, named = subject.verdict, subject.gaps, subject.named
    if verdict["code"] == "cannot_say" or verdict["no_errors"]:
        return []
    if not named:
        every = [gap for model in subject.models for gap in model.gaps]
        return [_bound(words.BOUND_SEVERAL, every, subject)]
    is_only_gap = len(gaps) == 1 and not subject.has_several_models
    paragraphs = []
    for gap in named:
        of_gap = GapSentences(gap, subject.names, gaps)
        sentences = [of_gap.rates(), of_gap.change(bool(verdict["constant"]))]
        if not is_only_gap:
            sentences.insert(0, _most_certain(subject, gap, of_gap.headline()))
        elif gap["status"] == "unclear":
            sentences += _bound(words.BOUND_ONE, gaps, subject)
        paragraphs.append(sentences)
    return paragraphs


def _most_certain(subject: Subject, gap: GapRecord, headline: str) -> str:
    model = f", {subject.name}" if subject.has_several_models else ""
    if len(subject.named) == 1:
        return words.MOST_CERTAIN.format(model=model, headline=headline)
    kinds = {"shrinks": words.SMALLER, "reverses": words.REVERSED}
    kind = kinds.get(gap["status"], words.LARGER)
    return words.MOST_CERTAIN_TO.format(kind=kind, model=model, headline=headline)


def _bound(template: str, gaps: Sequence[GapRecord], subject: Subject, **parts: str) -> list[str]:
    """Return the largest change that the bands of some gaps leave possible, if it says a thing."""
    widest = max(gaps, key=_reach)
    if not 0 < _reach(widest) <= 1:
        return []
    bound = Digits.of(widest).bound(_reach(widest))
    return [template.format(bound=bound, level=level(subject.summary), **parts)]


def _reach(gap: GapRecord) -> float:
    return max(abs(gap["low"] or 0.0), abs(gap["high"] or 0.0))


def _changes(subject: Subject) -> list[str]:
    """Return the mean change, and the bound of the gaps that do not clearly change."""
    verdict, gaps, sentences = subject.verdict, subject.gaps, []
    if len(gaps) > 1 and verdict["value"] is None:
        sentences.append(words.NO_MEAN)
    elif len(gaps) > 1:
        mean = Digits.of(verdict).change_in_points(verdict)
        certain = count(verdict["n_in_mean"], "gap")
        sentences.append(words.MEAN.format(gaps=certain, mean=mean))
    unclear = [gap for gap in gaps if gap["status"] == "unclear"]
    if 0 < len(unclear) < len(gaps):
        parts = {"unclear": count(len(unclear), "gap"), "verb": subject.verb_of_unclear[0]}
        parts["do"] = agree(len(unclear), "does", "do")
        sentences += _bound(words.BOUND_OTHERS, unclear, subject, **parts)
    return sentences


def _more_of_gap(subject: Subject) -> tuple[list[str], list[str]]:
    """Return what else is said of the main gap on the first screen, and behind the verdict."""
    names, main = subject.names, subject.main
    missing = names.data["missing_groups" if names.compares_classes else "missing"]
    is_missing = missing.get(subject.verdict["model"])
    error = words.ERROR_AND_MISSING if is_missing else words.ERROR
    if main is None:
        rest = equal_errors_of_ba(subject, error)
        if subject.summary["scores"] and not names.compares_classes:
            rest.append(words.NOT_SEPARATED.format(reason=words.NO_GAP_NAMED))
        return [], rest
    of_gap, first, rest = GapSentences(subject.gaps[main], names, subject.gaps), [], []
    is_multiclass = names.data["kind"] == "classes" and not names.has_two_classes
    if subject.has_errors:
        rest = of_gap.equal_errors(error)
        if names.compares_classes or is_multiclass:
            first, rest = rest[:1], rest[1:]
        elif errors := [row for row in subject.records("errors") if row["gap"] == main]:
            first = [of_gap.errors(errors)]
    if record := subject.score(main):
        clear, unclear = of_gap.score_or_threshold(record)
        first, rest = [*first, *clear], [*rest, *unclear]
    return first, rest


# The last lines.


def _closing(subject: Subject) -> str:
    """Return what the codes that occur do not mean."""
    codes = {x.verdict["code"] for x in subject.models if not x.verdict["no_errors"]}
    lines = dict(words.CLOSING)
    if len(subject.gaps) > 1:
        lines["reverses"] = words.CLOSING_SEVERAL_REVERSE
    parts = {"true": subject.names.true, "members": subject.names.nouns}
    return " ".join(line.format(**parts) for code, line in lines.items() if code in codes)


def _last(subject: Subject, tag: str, headline: str) -> str:
    verdict, direction = subject.verdict, ""
    if len(subject.names.data["directions"]) > 1:
        direction = f" {words.DIRECTIONS[verdict['direction']]}"
    template = words.LAST_OF_MODELS if subject.has_several_models else words.LAST
    return template.format(direction=direction, words=tag, code=verdict["code"], headline=headline)
