"""Families of sentences: the pattern of each, and what has to hold in the summary."""

from __future__ import annotations

from typing import Any

from contradictions.directions import CODES, DOWN, UP, Direction, Parts, family, is_clear
from contradictions.printed import (
    are_ends,
    are_sizes,
    is_change,
    is_end,
    is_near,
    is_rate,
    is_size,
    shown,
    value,
)

#: The gap of a headline, in full or as short as others allow.
GAP = r"gap(?: between <a:member> and <b:member>(?: in (?P<share>the share of )?<c:counted>)?)?"
LEAD = r"(?P<lead>In these rows, |Most certain change(?: to a (?P<kind>\w+) gap)?"
LEAD += r"(?:, <model:model>)?: )"
RATES_OF = r"(?:error|error and missing) rates"
#: The tag of one model, before its headline.
TAG = rf"(?:(?P<tag>{'|'.join(x.capitalize() for x in CODES)})\. )?"


def headline(pattern: str) -> Any:
    """Register a headline of one gap; its check gets the gap that is named."""

    def register(check: Any) -> Any:
        def whole(d: Direction, m: Parts) -> Any:
            d.gap = gap = d.find_gap(m)
            return gap and leads(d, m, gap) and tag(d, m) and check(d, m, gap)

        family(f"{TAG}{LEAD}(?:a|the) {GAP} {pattern}\\.")(whole)
        return check

    return register


def tag(d: Direction, m: Parts) -> bool:
    return m["tag"] is None or CODES[m["tag"].lower()] == d.verdict["code"]


def leads(d: Direction, m: Parts, gap: Any) -> bool:
    """Return whether the gap is the only one, or the most certain change (to one side)."""
    is_in_share = m["a"] is None or m["c"] is None or (m["share"] is not None) == d.is_reversed
    if m["lead"].startswith("In these"):
        return is_in_share and len(d.gaps) == 1 and not d.has_several_models
    side = {"larger": UP, "smaller": ("shrinks",), "reversed": ("reverses",)}
    if m["kind"] is None:
        is_first = gap is d.gaps[0]
    else:
        on_side = UP if m["kind"] == "larger" else DOWN
        if d.verdict["code"] == "reverses" and m["kind"] == "reversed":
            on_side = side["reversed"]
        is_first = gap is next(x for x in d.gaps if x["status"] in on_side)
        is_first = is_first and gap["status"] in side[m["kind"]]
    model = shown(d.verdict["model"]) if d.has_several_models else None
    return is_in_share and is_first and m["model"] == model


# One gap.


@headline(
    r"(?P<verb>grows|shrinks) from <dp:size> in the <true:true> to <dq:size> in the predictions"
)
def _(d: Direction, m: Parts, gap: Any) -> bool:
    grows = abs(gap["predicted"]) > abs(gap["true"])
    return (
        m["verb"] == gap["status"]
        and grows == (m["verb"] == "grows")
        and (gap["low"] > 0 if grows else gap["high"] < 0)
        and gap["true_clear"]
        and is_size(m["dp"], gap["true"])
        and is_size(m["dq"], gap["predicted"])
        and m["true"] == d.true
        and m["dp"] != m["dq"]
    )


@headline("appears in the predictions: the <true:true> show no clear gap")
def _(d: Direction, m: Parts, gap: Any) -> bool:
    is_larger = abs(gap["predicted"]) > abs(gap["true"])
    return (
        gap["status"] == "appears" and is_larger and not gap["true_clear"] and m["true"] == d.true
    )


@headline("shrinks: it is <dp:size> in the <true:true>, and the predictions show no clear gap")
def _(d: Direction, m: Parts, gap: Any) -> bool:
    return (
        gap["status"] == "shrinks"
        and gap["true_clear"]
        and not gap["predicted_clear"]
        and is_size(m["dp"], gap["true"])
        and m["true"] == d.true
    )


@headline(
    r"shrinks from <dp:size>(?: \(higher for <h:member>\))? to <dq:size>"
    r"(?: \(higher for <i:member>\))?"
)
def _(d: Direction, m: Parts, gap: Any) -> bool:
    def is_higher(size: str, number: float, named: str | None) -> bool:
        side = "first" if number > 0 else "second"
        right = d.member(gap[side]) if value(size) else None
        return named == right and is_near(size, abs(number))

    return (
        gap["status"] == "shrinks"
        and not gap["true_clear"]
        and is_higher(m["dp"], gap["true"], m["h"])
        and is_higher(m["dq"], gap["predicted"], m["i"])
    )


@headline(
    r"reverses: the (?:rate|given rate|share of <g:counted>|given share of <i:counted>)"
    r"(?: in the labels)? is higher for <h:member>, the predicted (?:rate|share of <j:counted>) "
    r"for <k:member>"
)
def _(d: Direction, m: Parts, gap: Any) -> bool:
    both = gap["true_clear"] and gap["predicted_clear"] and gap["status"] == "reverses"
    is_right = gap["true"] > 0 > gap["predicted"]
    names = [d.member(gap[side]) for side in ("first", "second")]
    return both and is_right and [m["h"], m["k"]] == names


def are_unclear(gaps: list[Any], verb: str) -> bool:
    """Return whether no gap clearly grows or shrinks, or even changes, as a verb says."""
    moves = any(map(is_clear, gaps))
    has_right_verb = verb.startswith("grow") if moves else verb in ("change", "changes")
    return all(gap["status"] == "unclear" for gap in gaps) and has_right_verb


@headline("does not clearly (?P<verb>change|grow or shrink)")
def _(d: Direction, m: Parts, gap: Any) -> bool:
    return are_unclear([gap], m["verb"])


@family(
    r"Compared with the <true:true>, (?:the share of |the mean probability of )?<c:counted> is "
    r"(?:predicted )?<u:word>(?: often)? for <a:member> \(<p:rates>; <n:n> rows?\) and "
    r"(?:<v:word>(?: often)? )?for <b:member> \(<q:rates>; <k:n> rows?\)\."
)
def _(d: Direction, m: Parts) -> Any:
    gap = d.find_gap(m)
    if gap is None or (d.gap is not None and gap is not d.gap) or m["true"] != d.true:
        return False
    d.gap = gap
    words = {"first": m["u"], "second": m["v"] or m["u"]}
    return all(
        is_moved(words[side], m[rates], gap[f"{side}_true"], gap[f"{side}_predicted"])
        and value(m[rows]) == gap[f"{side}_rows"]
        for side, rates, rows in (("first", "p", "n"), ("second", "q", "k"))
    )


def is_moved(word: str, rates: str, true: float, predicted: float) -> bool:
    """Return whether a rate goes as a word says, and prints so."""
    before, _, after = rates.partition(" to ")
    if word in ("equally", "equally high", "the same"):
        return not after and is_rate(before, true) and is_rate(before, predicted)
    rises = word in ("more", "higher", "larger")
    moves = predicted > true if rises else predicted < true
    return moves and is_rate(before, true) and is_rate(after, predicted)


@family(r"The gap changes by <ch:change>\.")
def _(d: Direction, m: Parts) -> Any:
    return d.gap["status"] in ("grows", "shrinks") and is_change(m["ch"], d.gap)


@family(r"The gap in the predictions is larger than in the <true:true> by at least <x:size>\.")
def _(d: Direction, m: Parts) -> Any:
    grown = abs(d.gap["predicted"]) - abs(d.gap["true"])
    low = d.gap["low"]
    return d.gap["status"] == "appears" and 0 < low <= grown and is_end(m["x"], low)


@family(
    r"The gap goes from <x:x> points? for <a:member> to <y:x> points? for <b:member>, "
    r"a change of <ch:change>\."
)
def _(d: Direction, m: Parts) -> Any:
    turned = d.gap["status"] == "reverses" and is_near(m["y"], -d.gap["predicted"])
    return (
        turned
        and d.is_at(m, d.gap)
        and is_near(m["x"], d.gap["true"])
        and is_change(m["ch"], d.gap)
    )


@family(
    r"As <a:member> minus <b:member>, the gap goes from <x:x> points? to <y:x> points?, "
    r"a change of <ch:change>\."
)
def _(d: Direction, m: Parts) -> Any:
    sizes = is_near(m["x"], d.gap["true"]) and is_near(m["y"], d.gap["predicted"])
    return sizes and d.is_at(m, d.gap) and is_change(m["ch"], d.gap)


def is_bound(text: str, gaps: list[Any]) -> bool:
    """Return whether no band of some gaps, of which none clearly changes, reaches farther."""
    reach = max(max(abs(gap["low"]), abs(gap["high"])) for gap in gaps)
    return is_end(text, reach) and all(gap["status"] == "unclear" for gap in gaps)


@family(
    r"(?P<every>For every gap, a|A) change of more than <x:size> is excluded at the <l:level> "
    r"level; "
    r"a smaller one is possible\."
)
def _(d: Direction, m: Parts) -> Any:
    gaps = d.every_gap if m["every"] != "A" else d.gaps
    return is_bound(m["x"], gaps) and is_level(d, m["l"]) and (len(gaps) > 1 or m["every"] == "A")


@family(
    r"For the <n:n> gaps? that (?:do|does) not clearly (?P<verb>change|grow or shrink), a "
    r"change of "
    r"more than <x:size> is excluded\."
)
def _(d: Direction, m: Parts) -> Any:
    unclear = [gap for gap in d.gaps if gap["status"] == "unclear"]
    is_right = value(m["n"]) == len(unclear) < len(d.gaps) and are_unclear(unclear, m["verb"])
    return is_right and is_bound(m["x"], unclear)


def is_level(d: Direction, text: str) -> bool:
    return text == f"{100 * d.summary['method']['confidence']:.6g}%"


# Errors, and equal error rates.


@family(
    r"Among rows labelled <k:kind>, (?:<f:rate> of <a:member> and <g:rate> of <b:member> are "
    r"predicted <p:kind>|the mean probability of <q:kind> is <h:rate> for <e:member> and <i:rate> "
    r"for <j:member>)(?P<u> \(no clear difference\))?(?:; among rows labelled <l:kind>, <r:rate> "
    r"and <s:rate>(?P<v> \(no clear difference\))?)?(?P<w> \(no clear difference in either\))?\."
)
def _(d: Direction, m: Parts) -> Any:
    gap = d.main
    sides = [d.member(gap["first"]), d.member(gap["second"])]
    is_named = [m["a"] or m["e"], m["b"] or m["j"]] == sides
    is_positive = m["p"] == d.kind(gap["of_class"]) or m["q"] == shown(gap["of_class"])
    told = [(m["k"], m["f"] or m["h"], m["g"] or m["i"], m["u"] or m["w"])]
    if m["l"] is not None:
        told.append((m["l"], m["r"], m["s"], m["v"] or m["w"]))
    return is_named and is_positive and all(are_errors(d, gap, *each) for each in told)


def are_errors(
    d: Direction, gap: Any, kind: str, first: str, second: str, mark: str | None
) -> bool:
    """Return whether both sides err so among rows of a kind, and whether the mark is right."""
    positive = kind == d.kind(gap["of_class"])
    if not positive and kind != d.kind(gap["of_class"], positive=False):
        return False
    name, labelled = ("tpr", "positive") if positive else ("fpr", "negative")
    rates = [d.rate(gap[side], gap["of_class"])[name] for side in ("first", "second")]
    key = d.verdict["model"], d.gaps.index(gap), labelled
    [record] = [x for x in d.summary["errors"] if (x["model"], x["gap"], x["labelled"]) == key]
    is_marked = record["low"] is not None and record["low"] <= 0 <= record["high"]
    same = [record["first"], record["second"]] == rates
    return (
        same and is_rate(first, rates[0]) and is_rate(second, rates[1]) and bool(mark) == is_marked
    )


def equal_rates(d: Direction, m: Parts) -> bool:
    """Return whether errors, or errors and missing predictions, are what a sentence speaks of."""
    missing = d.data["missing_groups" if d.is_reversed else "missing"]
    is_missing = bool(missing.get(d.verdict["model"]))
    both = m["both"] in (None, ("both " if len(d.members) == 2 else "all ") + d.nouns)
    return both and (m["e"] == "error and missing") == is_missing


@family(
    rf"With the same (?P<e>error|error and missing) rates in (?P<both>\w+ \w+), the {GAP} would be "
    r"<x:size>\."
)
def _(d: Direction, m: Parts) -> Any:
    gap = d.find_gap(m)
    if gap is not d.main:
        return False
    rates = gap["first_equal"] - gap["second_equal"] - gap["equal_errors"]
    is_right = abs(rates) < 1e-9 and is_size(m["x"], gap["equal_errors"])
    return equal_rates(d, m) and is_right


def beyond(d: Direction) -> Any:
    low, high = d.main["beyond_low"], d.main["beyond_high"]
    number = d.main["predicted"] - d.main["equal_errors"]
    return {"value": number, "low": low, "high": high}


@family(
    r"The gap in the predictions is <x:size> (?P<word>larger|smaller) \(<ends:ends>\) than with "
    r"equal (?P<e>error|error and missing) rates\."
)
def _(d: Direction, m: Parts) -> Any:
    number, is_larger = beyond(d), m["word"] == "larger"
    sizes = abs(d.main["predicted"]) - abs(d.main["equal_errors"])
    is_right = is_clear(number) and (number["low"] > 0) == is_larger == (sizes > 0)
    return (
        equal_rates(d, m)
        and is_right
        and is_near(m["x"], abs(sizes))
        and are_sizes(m["ends"], number)
    )


@family(
    r"The gap in the predictions does not clearly differ from that with equal "
    r"(?P<e>error|error and missing) rates \(difference <x:x>, <low:x> to <high:x>\)\."
)
def _(d: Direction, m: Parts) -> Any:
    number = beyond(d)
    is_right = not is_clear(number) and is_near(m["x"], number["value"])
    return equal_rates(d, m) and is_right and are_ends([m["low"], m["high"]], number)


@family(
    r"As <a:member> minus <b:member>, the gap in the predictions differs from that with equal "
    r"(?P<e>error|error and missing) rates by <ch:change>\."
)
def _(d: Direction, m: Parts) -> Any:
    is_right = is_clear(beyond(d)) and d.is_at(m, d.main)
    return equal_rates(d, m) and is_right and is_change(m["ch"], beyond(d))


@family(
    r"With the same (?P<e>error|error and missing) rates in (?P<both>\w+ \w+), BA would be <x:x> "
    r"points?\. The excess of BA is <ch:change>\."
)
def _(d: Direction, m: Parts) -> Any:
    excess = d.metric(f"excess_{d.suffix}")
    equal = d.ba["value"] - excess["value"]
    return equal_rates(d, m) and is_near(m["x"], equal) and is_change(m["ch"], excess)
