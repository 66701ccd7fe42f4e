"""Sentences on the largest differences between groups, and on the four-fifths rule."""

from __future__ import annotations

from biasamp_adapters import words
from biasamp_adapters.auditing.gap_sentences import shares_predicted
from biasamp_adapters.auditing.names import Names
from biasamp_adapters.auditing.subject import Subject
from biasamp_adapters.auditing.summary import MEASURES, LargestRecord
from biasamp_adapters.figures import Digits, ratio

_FOUR_FIFTHS = 0.8


def largest_sentences(subject: Subject) -> list[str]:
    """Return what is said of each measure of a model."""
    names, model = subject.names, subject.verdict["model"]
    sentences = []
    for record in subject.summary["largest"]:
        if record["model"] == model and record["reason"] != words.NOT_REQUESTED:
            sentences.append(_difference(record, names))
            if record["measure"] == "selection_rate" and not names.data["probabilities"]:
                sentences += _impact(record, names)
    return sentences


def _difference(record: LargestRecord, names: Names) -> str:
    told, value = MEASURES[record["measure"]], record["value"]
    measure = told.plural
    if value is None and not record["reason"]:
        return words.LARGEST_TOO_FEW.format(measure=measure)
    if value is None or record["low"] is None or record["high"] is None:
        return words.LARGEST_NO_INTERVAL.format(measure=measure, reason=record["reason"])
    digits, is_clear = Digits.of(record), record["low"] > 0
    bound = digits.bound(record["high"])
    if told.short and names.data["positive"] is not None:
        difference = words.DIFFER_UNCLEAR.format(bound=bound)
        if is_clear:
            difference = words.DIFFER_BY.format(least=digits.end(record["low"]), most=bound)
        label, parts = names.data["positive"], _lowest_and_highest(record, names, digits)
        parts |= {"first": parts["high"], "second": parts["low"]}
        shares = shares_predicted(names, label, parts)
        kind = names.labelled(label, told.labelled == "positive")
        about = {"kind": kind, "shares": shares, "short": told.short}
        return words.LARGEST_ERRORS.format(difference=difference, **about)
    if not is_clear:
        return words.LARGEST_UNCLEAR.format(measure=measure, bound=bound)
    parts = _lowest_and_highest(record, names, digits) | {"measure": measure}
    if len(record["rates"]) == 2:
        return words.LARGEST_TWO.format(by=digits.by(record), **parts)
    return words.LARGEST_SEVERAL.format(least=digits.end(record["low"]), most=bound, **parts)


def _lowest_and_highest(record: LargestRecord, names: Names, digits: Digits) -> dict[str, str]:
    """Return the two groups with the highest and the lowest rate."""
    groups, rates = record["groups"], record["rates"]
    lowest = min(range(len(rates)), key=lambda i: (rates[i], i))
    highest = max(range(len(rates)), key=lambda i: (rates[i], i))
    return {
        "a": names.group(groups[highest]),
        "high": digits.rate(rates[highest]),
        "b": names.group(groups[lowest]),
        "low": digits.rate(rates[lowest]),
    }


def _impact(record: LargestRecord, names: Names) -> list[str]:
    """Return the ratio of selection rates and the four-fifths rule; no ratio without interval."""
    value, low, high = record["ratio"], record["ratio_low"], record["ratio_high"]
    if value is None:
        return [] if any(record["rates"]) or not record["rates"] else [words.IMPACT_UNDEFINED]
    if low is None or high is None:
        return []
    place = words.INCLUDES
    if high < _FOUR_FIFTHS:
        place = words.LIES_BELOW
    elif low > _FOUR_FIFTHS:
        place = words.LIES_ABOVE
    ratios = {"ratio": ratio(value), "ratio_low": ratio(low), "ratio_high": ratio(high)}
    extremes = _lowest_and_highest(record, names, Digits.of(record))
    return [words.IMPACT.format(**extremes, **ratios), _four_fifths(place, names)]


def _four_fifths(place: str, names: Names) -> str:
    data, marked = names.data, names.marked()
    if marked and data["positive"] == data["favorable"]:
        return words.FOUR_FIFTHS.format(place=place, marked="")
    if marked:
        return words.FOUR_FIFTHS.format(place=place, marked=f"; {marked}")
    of = "" if data["positive"] is None else names.class_(data["positive"])
    sentence = words.FOUR_FIFTHS.format(place=place, marked="")
    return sentence + words.FOUR_FIFTHS_CHECK.format(of=of) if of else sentence
