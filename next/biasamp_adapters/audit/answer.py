"""The answer of an audit: one headline for each direction, and the sentences that follow it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from biasamp_adapters import words
from biasamp_adapters.audit.facts import level
from biasamp_adapters.audit.gap_sentences import GapSentences
from biasamp_adapters.audit.names import is_small
from biasamp_adapters.audit.subject import (
    DOWN,
    UP,
    Subject,
    gaps_of,
    is_changed,
    leading,
    subject_of,
)
from biasamp_adapters.audit.summary import GapRecord, Number, Summary, VerdictRecord
from biasamp_adapters.figures import Digits, agree, count, is_clear, join, name, percent
from biasamp_adapters.inference.gaps import MOST_GAPS
from biasamp_adapters.inference.intervals import FEW_ROWS

__all__ = ["Answer", "answers", "leading"]

#: A headline has no more words if it also counts the gaps that are not clear.
_MOST_WORDS = 30

#: More models of one kind are counted, not named.
_MOST_MODELS = 3


@dataclass(frozen=True)
class Answer:
    """What is said of one direction.

    Attributes
    ----------
    direction : {"A->T", "T->A"}
    codes : list of str
        The codes of the models, in their order.
    tag : str
        The code in words; empty for several models.
    headline : str
    named : list of lists of str
        The sentences of each named gap, or the bound of all.
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
    codes: list[str]
    tag: str
    headline: str
    named: list[list[str]]
    more: list[str]
    details: list[str]
    closing: str
    line: str
    last: str


def answers(summary: Summary) -> list[Answer]:
    """Return what is said of each direction."""
    return [_answer(summary, direction) for direction in summary["data"]["directions"]]


def _answer(summary: Summary, direction: str) -> Answer:
    subject = subject_of(summary, direction)
    code, headline = subject.verdict["code"], _headline(subject)
    tag = "" if subject.has_several_models else words.VERDICTS[code]
    of_gap, gap_details = _more_of_gap(subject)
    of_ba, ba_details = _ba(subject)
    details = [*_changes(subject), *ba_details, *gap_details]
    return Answer(
        direction=direction,
        codes=[verdict["code"] for verdict in subject.verdicts],
        tag=tag,
        headline=headline,
        named=_named(subject),
        more=[*of_gap, *_with_model(subject, of_ba)],
        details=[*_with_model(subject, details), *_differences(subject)],
        closing=_closing(subject),
        line=_line_below(subject),
        last=_last(subject, tag, headline),
    )


def _with_model(subject: Subject, sentences: list[str]) -> list[str]:
    """Return sentences that say which of several models they are about."""
    if not subject.has_several_models:
        return sentences
    model = name(subject.verdict["model"])
    return [words.OF_MODEL.format(model=model, sentence=sentence) for sentence in sentences]


# The headline.


def _headline(subject: Subject) -> str:
    verdict, names = subject.verdict, subject.names
    if verdict["code"] == "cannot_say":
        return _no_verdict(subject)
    if subject.has_several_models:
        return words.MODELS.format(true=_true_of_rows(subject), models=_models(subject))
    model = name(verdict["model"])
    if verdict["no_errors"]:
        headline = words.NO_ERRORS.format(model=model)
    elif verdict["constant"]:
        tasks = names.data["kind"] == "tasks" and not names.compares_classes
        what = words.SAME_TASKS if tasks else names.counted(verdict["constant"][0])
        headline = words.ONE_PREDICTION.format(model=model, what=what)
    elif len(subject.gaps) == 1:
        headline = GapSentences(subject.gaps[0], names, subject.gaps).headline()
    else:
        headline = _of_several_gaps(subject)
    return words.HEADLINE.format(headline=headline)


def _no_verdict(subject: Subject) -> str:
    names, verdict, method = subject.names, subject.verdict, subject.summary["method"]
    parts = {"member": names.noun, "members": names.nouns, "least": str(FEW_ROWS)}
    parts |= {"rows": count(names.data["rows"], "row"), "unit": names.data["unit"]}
    if verdict["why"] == "one_group":
        only = next((row["name"] for row in names.members if row["rows"]), None)
        return words.ONE_GROUP.format(name=names.member(only), **parts)
    if verdict["why"] == "too_many_gaps":
        return words.TOO_MANY_GAPS.format(n=verdict["n_gaps"], most=MOST_GAPS, **parts)
    if verdict["why"] == "no_interval":
        reason = verdict["reason"] if method["n_boot"] else words.NOT_REQUESTED
        return words.NO_INTERVAL.format(reason=reason)
    large = [names.member(row["name"]) for row in names.members if not is_small(row)]
    if large:
        return words.TOO_FEW_ROWS_ONE.format(name=large[0], **parts)
    return words.TOO_FEW_ROWS_NONE.format(**parts)


def _of_several_gaps(subject: Subject) -> str:
    """Return how many gaps clearly change, and whether the mean says otherwise."""
    mean, scope = subject.verdict, _scope(subject)
    statuses = Counter(gap["status"] for gap in subject.gaps)
    counts = _counts(subject.gaps, scope)
    verb, told = "", ""
    if is_clear(mean):
        verb = words.STATUSES["grows" if _is_above(mean) else "shrinks"][1]
        told = Digits.of(mean).change_in_points(mean)
    if not counts:
        if verb:
            return words.MEAN_ONLY.format(scope=scope, verb=verb, mean=told)
        return words.NONE_CHANGES.format(scope=scope)
    same_side = UP if _is_above(mean) else DOWN
    if verb and not any(statuses[status] for status in same_side):
        return words.ON_AVERAGE.format(counts=join(counts, 9), verb=verb, mean=told)
    unclear = statuses["unclear"]
    whole = [*counts, words.COUNT_UNCLEAR.format(n=unclear, are=agree(unclear, "is", "are"))]
    if unclear and len(words.HEADLINE.format(headline=join(whole, 9)).split()) <= _MOST_WORDS:
        return join(whole, 9)
    return join(counts, 9)


def _counts(gaps: Sequence[GapRecord], scope: str) -> list[str]:
    """Return "3 of 10 gaps between groups clearly grow", "1 clearly appears"."""
    statuses = Counter(gap["status"] for gap in gaps)
    counts: list[str] = []
    for status, verbs in words.STATUSES.items():
        if n := statuses[status]:
            template = words.COUNT_NEXT if counts else words.COUNT
            gaps_text, verb = count(len(gaps), "gap"), agree(n, *verbs)
            counts.append(template.format(n=n, gaps=gaps_text, scope=scope, verb=verb))
    return counts


def _scope(subject: Subject) -> str:
    names = subject.names
    if len(names.members) == 2 and not names.compares_classes:
        a, b = (names.member(row["name"]) for row in names.members)
        return words.BETWEEN.format(a=a, b=b)
    return words.BETWEEN_MEMBERS.format(members=names.nouns)


def _is_above(number: Number) -> bool:
    return number["low"] is not None and number["low"] > 0


# Several models.


def _true_of_rows(subject: Subject) -> str:
    true = subject.names.true
    return words.LABELS_OF_THESE_ROWS if true == words.LABELS else true


def _models(subject: Subject) -> str:
    """Return what models show: by name, or counted where many are alike."""
    accuracies = subject.differing_accuracies()
    by_code = _models_by_code(subject.verdicts)
    low = high = low_model = high_model = ""
    if accuracies:
        low, high = _two_accuracies(*accuracies)
        low_model, high_model = (name(record["model"]) for record in accuracies)
    if len(by_code) == 1 or max(map(len, by_code.values())) > _MOST_MODELS:
        counted = _count_models(by_code, len(subject.verdicts))
        if not accuracies:
            return counted
        return words.MODELS_ACCURACY_COUNTED.format(
            models=counted, low=low, high=high, low_model=low_model, high_model=high_model
        )
    if not accuracies:
        return join([_shows(code, models) for code, models in by_code.items()], 9)
    last = next(row for row in subject.verdicts if row["model"] == accuracies[0]["model"])
    others = _models_by_code(row for row in subject.verdicts if row is not last)
    parts = [_shows(code, models) for code, models in others.items()]
    models = join([*parts, _shows(last["code"], [low_model])], 9)
    return words.MODELS_ACCURACY.format(models=models, low=low, model=high_model, high=high)


def _models_by_code(verdicts: Iterable[VerdictRecord]) -> dict[str, list[str]]:
    """Return the names of the models of each code, in the order of the codes."""
    by_code: dict[str, list[str]] = {code: [] for code in words.VERDICTS}
    for verdict in verdicts:
        by_code[verdict["code"]].append(name(verdict["model"]))
    return {code: models for code, models in by_code.items() if models}


def _shows(code: str, models: list[str]) -> str:
    return f"{join(models)} {_verb(code, len(models))}"


def _verb(code: str, n: int) -> str:
    if code == "cannot_say":
        return words.CANNOT_BE_JUDGED
    return agree(n, *words.SHOWS).format(words=words.VERDICTS[code])


def _count_models(by_code: dict[str, list[str]], total: int) -> str:
    (code, models), *others = by_code.items()
    if not others:
        every = words.BOTH if total == 2 else words.ALL
        kinds = every.format(members="models" if total == 2 else count(total, "model"))
        return f"{kinds} {_verb(code, total)}"
    first = words.MODELS_COUNTED.format(
        n=len(models), models=count(total, "model"), verdict=_verb(code, len(models))
    )
    return join([first, *(f"{len(some):,} {_verb(code, len(some))}" for code, some in others)], 9)


def _two_accuracies(low: Number, high: Number) -> tuple[str, str]:
    """Return two accuracies in whole per cent, or finer if these are equal."""
    texts = percent(low["value"], 0), percent(high["value"], 0)
    if texts[0] != texts[1]:
        return texts
    digits = Digits.of(low, high)
    return digits.rate(low["value"]), digits.rate(high["value"])


def _differences(subject: Subject) -> list[str]:
    """Return how BA of each model differs from that of the first, where it clearly does."""
    key = "ba_t_to_a" if subject.names.compares_classes else "ba_a_to_t"
    records, sentences = subject.differences(key), []
    for record in filter(is_clear, records):
        digits, others = Digits.of(record), ""
        a, b = (subject.metric("accuracy", record[side]) for side in ("model", "first"))
        if a and b:
            rates = Digits.of(a, b)
            others = words.AND_ACCURACIES.format(a=rates.rate(a["value"]), b=rates.rate(b["value"]))
        sentences.append(
            words.DIFFERENCE.format(
                model=name(record["model"]),
                first=name(record["first"]),
                size=digits.signed(record["value"] or 0.0),
                ends=digits.ends(record["low"] or 0.0, record["high"] or 0.0, "+"),
                models=count(len(subject.verdicts), "model"),
                others=others,
            )
        )
    if records and not sentences:
        return [words.NO_DIFFERENCE.format(first=name(records[0]["first"]))]
    return sentences


# The named gaps, and the bound of those that do not clearly change.


def _named(subject: Subject) -> list[list[str]]:
    verdict, gaps, named = subject.verdict, subject.gaps, subject.named
    if verdict["code"] == "cannot_say" or verdict["no_errors"]:
        return []
    if not named:
        every = [gap for row in subject.verdicts for gap in gaps_of(subject.summary, row)]
        return [[_bound(words.BOUND_SEVERAL, every, subject)]]
    is_only_gap = len(gaps) == 1 and not subject.has_several_models
    told = []
    for gap in named:
        of_gap = GapSentences(gap, subject.names, gaps)
        sentences = [of_gap.rates(), of_gap.change(bool(verdict["constant"]))]
        if not is_only_gap:
            sentences.insert(0, _most_certain(subject, gap, of_gap.headline()))
        elif not is_changed(gap):
            sentences.append(_bound(words.BOUND_ONE, gaps, subject))
        told.append(sentences)
    return told


def _most_certain(subject: Subject, gap: GapRecord, headline: str) -> str:
    model = f", {name(subject.verdict['model'])}" if subject.has_several_models else ""
    if len(subject.named) == 1:
        return words.MOST_CERTAIN.format(model=model, headline=headline)
    kind = words.SMALLER
    if gap["status"] in UP:
        kind = words.LARGER
    elif gap["status"] == "reverses":
        kind = words.REVERSED
    return words.MOST_CERTAIN_TO.format(kind=kind, model=model, headline=headline)


def _bound(template: str, records: Sequence[GapRecord], subject: Subject, **parts: str) -> str:
    """Return the largest change that the bands of some gaps leave possible."""
    widest = max(records, key=_reach)
    bound = Digits.of(widest).bound(_reach(widest))
    return template.format(bound=bound, level=level(subject.summary), **parts)


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
    unclear = [gap for gap in gaps if not is_changed(gap)]
    if 0 < len(unclear) < len(gaps):
        do = agree(len(unclear), "does", "do")
        of_gaps = count(len(unclear), "gap")
        sentences.append(_bound(words.BOUND_OTHERS, unclear, subject, gaps=of_gaps, do=do))
    return sentences


def _more_of_gap(subject: Subject) -> tuple[list[str], list[str]]:
    """Return what else is said of the main gap on the first screen, and behind the verdict."""
    names, main, model = subject.names, subject.main, subject.verdict["model"]
    error = words.ERROR_AND_MISSING if names.data["missing"].get(model) else words.ERROR
    if main is None:
        return [], _equal_errors_of_ba(subject, error)
    of_gap, first, rest = GapSentences(subject.gaps[main], names, subject.gaps), [], []
    is_multiclass = names.data["kind"] == "classes" and not names.has_two_classes
    if subject.has_errors:
        rest = of_gap.equal_errors(error)
        errors = [
            record
            for record in subject.summary["errors"]
            if (record["model"], record["direction"], record["gap"])
            == (model, names.direction, main)
        ]
        if names.compares_classes or is_multiclass:
            first, rest = rest[:1], rest[1:]
        elif errors:
            first = [of_gap.errors(errors)]
    for record in subject.summary["scores"]:
        if (record["model"], record["gap"]) == (model, main) and not names.compares_classes:
            clear, unclear = of_gap.score_or_threshold(record)
            first, rest = [*first, *clear], [*rest, *unclear]
    return first, rest


def _equal_errors_of_ba(subject: Subject, error: str) -> list[str]:
    """Return BA with equal error rates, where no gap is named."""
    ba, excess, both = subject.number("ba"), subject.number("excess"), subject.names.both
    if not ba or not excess or not subject.has_errors:
        return []
    digits = Digits.of(excess)
    equal = digits.signed((ba["value"] or 0.0) - (excess["value"] or 0.0))
    told = digits.change_in_points(excess)
    return [words.EQUAL_ERRORS_BA.format(error=error, both=both, equal=equal, excess=told)]


# BA.


def _ba(subject: Subject) -> tuple[list[str], list[str]]:
    """Return where BA and the verdict differ, for the first screen, and what BA is."""
    ba, verdict = subject.number("ba"), subject.verdict
    if ba is None:
        return [], []
    signs = _signs(subject)
    if ba["value"] == 0 and _has_no_signs(subject):
        return [], [words.BA_IS_0.format(signs=signs)]
    change = Digits.of(ba).change_in_points(ba)
    if verdict["half"] and len(subject.gaps) == 1:
        its_own = words.BA_ITS_OWN if ba["low"] != ba["high"] else ""
        sentences = [words.BA_HALF.format(ba=change, its_own=its_own)]
    else:
        sentences = [words.BA.format(ba=change, signs=signs)]
    if verdict["signs_unclear"]:
        k, m = verdict["signs_unclear"], verdict["signs"]
        sentences.append(words.BA_SIGNS.format(k=k, m=m))
    return _disagreement(subject, ba, signs), sentences


def _disagreement(subject: Subject, ba: Number, signs: str) -> list[str]:
    """Return how BA and the verdict differ in sign or clearness."""
    gaps, code = subject.gaps, subject.verdict["code"]
    side = words.ABOVE if _is_above(ba) else words.BELOW
    if code == "cannot_say" or ba["low"] is None:
        return []
    if is_clear(ba) and code == "no_clear_change":
        barely = _is_two_by_two(subject)
        template = words.BA_BARELY if barely else words.BA_ALONE_CLEAR
        return [template.format(side=side)]
    if is_clear(ba):
        against = _what_gaps_do(subject, DOWN if _is_above(ba) else UP)
        if against:
            return [words.BA_AGAINST.format(side=side, gaps=against, signs=signs)]
    elif len(gaps) > 1 and (changing := _what_gaps_do(subject, UP + DOWN)):
        return [words.BA_UNCLEAR.format(gaps=changing)]
    return []


def _what_gaps_do(subject: Subject, statuses: Sequence[str]) -> str:
    """Return "some gaps grow and some shrink" of these statuses, or what they do on average."""
    occur = {gap["status"] for gap in subject.gaps}
    verbs = [verbs for status, verbs in words.STATUSES.items() if status in occur & {*statuses}]
    if len(subject.gaps) == 1:
        return words.THE_GAP.format(verb=verbs[0][0]) if verbs else ""
    if verbs:
        first = words.SOME_GAPS.format(verb=verbs[0][1])
        return join([first, *(words.SOME.format(verb=verb) for _, verb in verbs[1:])], 9)
    mean = "grows" if _is_above(subject.verdict) else "shrinks"
    if is_clear(subject.verdict) and mean in statuses:
        return words.GAPS_ON_AVERAGE.format(verb=words.STATUSES[mean][1])
    return ""


def _signs(subject: Subject) -> str:
    """Return what decides the signs of BA."""
    data = subject.names.data
    if data["reference"] is not None:
        return count(data["reference"], "reference row")
    has_labels = subject.names.true == words.LABELS
    return words.THE_LABELS if has_labels else words.THE_GIVEN_RATES


def _has_no_signs(subject: Subject) -> bool:
    key = subject.verdict["model"], subject.verdict["direction"]
    rates = [row for row in subject.summary["rates"] if (row["model"], row["direction"]) == key]
    return bool(rates) and not any(row["sign"] for row in rates)


def _is_two_by_two(subject: Subject) -> bool:
    return subject.names.has_two_classes and len(subject.names.data["groups"]) == 2


def _line_below(subject: Subject) -> str:
    if subject.number("ba") is None:
        return ""
    half = words.BA_LINE_HALF
    if _is_two_by_two(subject) and not all(verdict["half"] for verdict in subject.verdicts):
        half = ""
    return words.BA_LINE.format(signs=_signs(subject), half=half, ba_is_not=words.BA_IS_NOT)


# The last lines.


def _closing(subject: Subject) -> str:
    """Return what the codes that occur do not mean."""
    codes = {row["code"] for row in subject.verdicts if not row["no_errors"]}
    lines = dict(words.CLOSING)
    if len(subject.gaps) > 1:
        lines["reverses"] = words.CLOSING_SEVERAL_REVERSE
    parts = {"true": subject.names.true, "members": subject.names.nouns}
    return " ".join(line.format(**parts) for code, line in lines.items() if code in codes)


def _last(subject: Subject, tag: str, headline: str) -> str:
    verdict, direction = subject.verdict, ""
    if len(subject.names.data["directions"]) > 1:
        direction = f" {words.DIRECTIONS[verdict['direction']]}"
    if subject.has_several_models:
        return words.LAST_OF_MODELS.format(direction=direction, headline=headline)
    return words.LAST.format(
        direction=direction, words=tag, code=verdict["code"], headline=headline
    )
