"""Sentences of one gap, on the largest differences between groups, and on the four-fifths rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import Names, Subject, is_above, verb_of_unclear
from biasamp_adapters.auditing.summary import (
    MEASURES,
    ErrorRecord,
    GapRecord,
    LargestRecord,
    Number,
    ScoreRecord,
    number_of,
)
from biasamp_adapters.figures import Digits, count, is_clear, ratio


@dataclass(frozen=True)
class GapSentences:
    """The sentences of one gap, all with the decimals of its change.

    Attributes
    ----------
    gap : GapRecord
    names : Names
    gaps : sequence of GapRecord
        All gaps of the model; the short name of this one tells it from them.
    """

    gap: GapRecord
    names: Names
    gaps: Sequence[GapRecord]

    @property
    def digits(self) -> Digits:
        """The decimals of all numbers about the gap."""
        return Digits.of(self.gap)

    @property
    def short_gap(self) -> str:
        """What tells the gap from the others of its model."""
        return words.GAP_ALONE if len(self.gaps) == 1 else self.between

    @property
    def between(self) -> str:
        """The gap by its sides and, where gaps are of several classes or groups, by its own."""
        if len({gap["of_class"] for gap in self.gaps}) == 1:
            return words.GAP_BETWEEN.format(**self._parts())
        return self._full_gap()

    def headline(self) -> str:
        """Return what happens to the gap, without a full stop."""
        gap, status = self.gap, self.gap["status"]
        parts = self._parts() | {"gap": self._full_gap()}
        if status == "appears":
            return words.APPEARS.format(**parts)
        if status == "reverses":
            return words.REVERSES.format(**parts | self._rates_that_reverse())
        if status == "unclear":
            return words.UNCLEAR.format(verb=verb_of_unclear([gap])[0], **parts)
        if status == "shrinks" and not gap["true_clear"]:
            first, then = self._higher(gap["true"]), self._higher(gap["predicted"])
            return words.SHRINKS_UNCLEAR.format(first_higher=first, then_higher=then, **parts)
        if status == "shrinks" and not gap["predicted_clear"]:
            return words.SHRINKS_AWAY.format(**parts)
        return words.CHANGES.format(verb=words.STATUSES[status][0], **parts)

    def rates(self) -> str:
        """Return how the rates of both sides differ from those in the labels."""
        gap = self.gap
        template, directions = words.RATES, words.OFTEN
        if self.names.compares_classes:
            template, directions = words.RATES_SHARE, words.LARGE
        elif gap["model"] in self.names.data["probabilities"]:
            template, directions = words.RATES_PROBABILITY, words.HIGH
        first = self._direction(gap["first_true"], gap["first_predicted"])
        second = self._direction(gap["second_true"], gap["second_predicted"])
        then = "" if first == second else directions[second]
        return template.format(
            first=self._rate("first", directions[first]),
            second=self._rate("second", then),
            **self._parts(),
        )

    def change(self, is_constant: bool = False) -> str:
        """Return the change of the gap; the short sentence needs two sizes in the headline."""
        gap, digits, parts = self.gap, self.digits, self._parts()
        status, change = gap["status"], self.digits.change_in_points(gap)
        if status == "appears" and not is_constant:
            low = digits.bound(gap["low"] or 0.0)
            return words.CHANGE_APPEARS.format(low=low, true=parts["true"])
        both_clear = gap["true_clear"] and gap["predicted_clear"]
        is_short = status == "grows" or (status == "shrinks" and both_clear)
        if is_short and not is_constant:
            return words.CHANGE.format(change=change)
        template, predicted = words.CHANGE_SIGNED, gap["predicted"]
        if status == "reverses":
            template, predicted = words.CHANGE_REVERSES, abs(predicted)
        signed = {"dp": digits.signed(gap["true"]), "dq": digits.signed(predicted)}
        return template.format(**parts | signed, change=change)

    def errors(self, records: Sequence[ErrorRecord]) -> str:
        """Return how often both sides are predicted positive among rows labelled alike."""
        records = sorted(records, key=lambda record: record["labelled"])
        unclear = [record["low"] is not None and not is_clear(record) for record in records]
        marks = [words.NO_CLEAR_DIFFERENCE if mark else "" for mark in unclear]
        if unclear == [True, True]:
            marks = ["", words.NO_CLEAR_DIFFERENCE_IN_EITHER]
        digits, sentence, of_class = Digits.of(*records), "", self.gap["of_class"]
        for record, mark in zip(records, marks, strict=True):
            parts = {"first": digits.rate(record["first"]), "second": digits.rate(record["second"])}
            kind = self.names.labelled(of_class, record["labelled"] == "positive")
            template = words.ERRORS_OTHER if sentence else words.ERRORS
            named = self._parts() | parts
            shares = _shares_predicted(record["model"], self.names, of_class, named)
            sentence += template.format(kind=kind, mark=mark, shares=shares, **parts)
        return " ".join(f"{text}." for text in (sentence, self.names.marked()) if text)

    def equal_errors(self, error: str) -> list[str]:
        """Return the gap with equal error rates, and the difference of the predicted one."""
        equal, beyond = self.gap["equal_errors"], number_of(self.gap, "beyond")
        if equal is None:
            return []
        gap, size = self.short_gap, size_along(equal, self.digits)
        sentence = words.EQUAL_ERRORS.format(error=error, both=self.names.both, gap=gap, size=size)
        if beyond["low"] is None or beyond["high"] is None:
            return [sentence]
        digits = Digits.of(beyond)
        about = {"error": error, "difference": digits.number(beyond["value"] or 0.0, "+")}
        about["limits"] = digits.ends(beyond["low"], beyond["high"], "+")
        texts = words.EQUAL_ERRORS_BY, words.EQUAL_ERRORS_SIGNED, words.EQUAL_ERRORS_UNCLEAR
        return [sentence, self._differs(texts, beyond, digits, equal, **about)]

    def score_or_threshold(self, record: ScoreRecord) -> tuple[list[str], list[str]]:
        """Return the lead and what is clear, and what is not clear."""
        if record["first"] is None or record["second"] is None:
            return [], [words.NOT_SEPARATED.format(reason=record["reason"])]
        by_score, by_threshold = record["by_score"], record["by_threshold"]
        digits, implied = Digits.of(by_score, by_threshold), record["first"] - record["second"]
        template = words.SCORE_CLEAR if is_clear(by_score) else words.SCORE_UNCLEAR
        size, change = size_along(implied, digits), digits.change_in_points(by_score)
        score = template.format(gap=size, change=change, true=self.names.true)
        texts = words.THRESHOLD_CLEAR, words.THRESHOLD_SIGNED, words.THRESHOLD_UNCLEAR
        threshold = self._differs(texts, by_threshold, digits, implied, rule=record["rule"])
        steps = [(score, is_clear(by_score)), (threshold, is_clear(by_threshold))]
        clear = [sentence for sentence, is_clear_step in steps if is_clear_step]
        unclear = [sentence for sentence, is_clear_step in steps if not is_clear_step]
        meaning = words.SCORES_IMPLY.format(of=self.names.counted(self.gap["of_class"]))
        return [*self._lead(by_score, by_threshold), *clear], [*unclear, meaning]

    def _differs(
        self, texts: Sequence[str], number: Number, digits: Digits, expected: float, **about: str
    ) -> str:
        """Return how the predicted gap differs from the expected one; sizes, if both are along."""
        clear, signed, unclear = texts
        parts = self._parts() | about | {"change": digits.change_in_points(number)}
        if not is_clear(number):
            return unclear.format(**parts)
        if expected < 0 or self.gap["predicted"] < 0:
            return signed.format(**parts)
        word = words.LARGER if is_above(number) else words.SMALLER
        size, ends = digits.size(number["value"] or 0.0), digits.sizes(number)
        return clear.format(size=size, word=word, ends=ends, **parts)

    def _lead(self, by_score: Number, by_threshold: Number) -> list[str]:
        """Return in which step the gap grows, if neither makes it smaller."""
        numbers = (by_score, by_threshold)
        shrinks = any(number["high"] is not None and number["high"] < 0 for number in numbers)
        if self.gap["status"] != "grows" or shrinks:
            return []
        lead = words.LEADS[is_clear(by_score), is_clear(by_threshold)]
        return [lead.format(true=self.names.true)]

    def _parts(self) -> dict[str, str]:
        """Return what most sentences name: both sides, the class, and the sizes of the gap."""
        gap, names = self.gap, self.names
        return {
            "a": names.member(gap["first"]),
            "b": names.member(gap["second"]),
            "of": names.counted(gap["of_class"]),
            "dp": self.digits.size(gap["true"]),
            "dq": self.digits.size(gap["predicted"]),
            "true": names.true,
        }

    def _full_gap(self) -> str:
        template = words.GAP_IN_SHARE if self.names.compares_classes else words.GAP
        return template.format(**self._parts())

    def _higher(self, value: float) -> str:
        """Return the side that has the higher rate, unless the gap is 0 as printed."""
        if _is_0(self.digits.size(value)):
            return ""
        side = self.gap["first"] if value > 0 else self.gap["second"]
        return words.HIGHER_FOR.format(name=self.names.member(side))

    def _rates_that_reverse(self) -> dict[str, str]:
        rate = words.RATE
        if self.names.compares_classes:
            rate = words.SHARE_OF.format(of=self.names.counted(self.gap["of_class"]))
        given = words.IN_THE_LABELS if self.names.has_labels else words.GIVEN
        return {"rate": rate, "given": given.format(rate=rate)}

    def _direction(self, true: float, predicted: float) -> int:
        """Return the position of the word for a rate that rises, falls or stays as printed."""
        if self.digits.rate(true) == self.digits.rate(predicted):
            return 2
        return 0 if predicted > true else 1

    def _rate(self, side: str, how: str) -> str:
        """Return the rates of one side: "more often for B (30% to 45%; 3,000 rows)"."""
        gap: dict[str, Any] = {**self.gap}
        true = self.digits.rate(gap[f"{side}_true"])
        predicted = self.digits.rate(gap[f"{side}_predicted"])
        rates = true if true == predicted else words.FROM_TO.format(p=true, q=predicted)
        name, rows = self.names.member(gap[side]), count(gap[f"{side}_rows"], "row")
        return words.RATE_OF.format(how=how, name=name, rates=rates, rows=rows)


def _shares_predicted(model: str, names: Names, label: Any, parts: dict[str, str]) -> str:
    """Return "45% of A and 23% of B are predicted 1"."""
    if model in names.data["probabilities"]:
        pos = names.class_(label) if names.data["kind"] == "tasks" else names.text(label)
        return words.ERRORS_PROBABILITY.format(pos=pos, **parts)
    return words.ERRORS_SHARES.format(pos=names.labelled(label), **parts)


def size_along(value: float, digits: Digits) -> str:
    """Return the size of a gap, which may be against the direction of the named one."""
    size = digits.size(value)
    if value < 0 and not _is_0(size):
        return words.OTHER_WAY_ROUND.format(size=size)
    return size


def _is_0(size: str) -> bool:
    """Return whether a printed size is 0."""
    return float(size.split()[0]) == 0


_FOUR_FIFTHS = 0.8


def largest_sentences(subject: Subject) -> list[str]:
    """Return what is said of each measure of a model."""
    names, model, sentences = subject.names, subject.verdict["model"], []
    for record in subject.records("largest"):
        if record["reason"] != words.NOT_REQUESTED:
            sentences.append(_difference(record, names))
            are_decisions = model not in names.data["probabilities"]
            if record["measure"] == "selection_rate" and are_decisions:
                sentences += _impact(record, names)
    return sentences


def measure_of(record: LargestRecord, names: Names) -> str:
    """Return what is compared; predicted rates of probabilities are their means."""
    is_soft = record["model"] in names.data["probabilities"]
    is_mean = is_soft and record["measure"] == "selection_rate"
    return words.MEAN_PROBABILITIES if is_mean else MEASURES[record["measure"]].plural


def _difference(record: LargestRecord, names: Names) -> str:
    named, value = MEASURES[record["measure"]], record["value"]
    measure = measure_of(record, names)
    if value is None or record["low"] is None or record["high"] is None:
        return words.LARGEST_NO_INTERVAL.format(measure=measure, reason=record["reason"])
    digits, is_clear = Digits.of(record), record["low"] > 0
    bound = digits.bound(record["high"])
    if named.short and names.data["positive"] is not None:
        difference = words.DIFFER_UNCLEAR.format(bound=bound)
        if is_clear:
            difference = words.DIFFER_BY.format(least=digits.end(record["low"]), most=bound)
        label, parts = names.data["positive"], _lowest_and_highest(record, names, digits)
        parts |= {"first": parts["high"], "second": parts["low"]}
        shares = _shares_predicted(record["model"], names, label, parts)
        kind = names.labelled(label, named.labelled == "positive")
        about = {"kind": kind, "shares": shares, "short": named.short}
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
    positive, marked = names.data["positive"], names.marked()
    if not marked:
        of = "" if positive is None else names.class_(positive)
        check = words.FOUR_FIFTHS_CHECK.format(of=of) if of else ""
        return words.FOUR_FIFTHS.format(place=place, marked="") + check
    unfavourable = "" if positive == names.data["favorable"] else f"; {marked}"
    return words.FOUR_FIFTHS.format(place=place, marked=unfavourable)
