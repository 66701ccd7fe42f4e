"""Sentences below tables, and the legends of pictures."""

from __future__ import annotations

import re
from typing import Any

from contradictions.boxes import told
from contradictions.directions import UP, Direction, Parts, family, is_clear
from contradictions.printed import are_sizes, is_end, is_near, is_rate, shown, value
from contradictions.verdicts import are_unclear

# Below tables: the largest differences, and why there is no interval.

MEASURES = {
    "selection rates": "selection_rate",
    "mean probabilities": "selection_rate",
    "true positive rates": "true_positive_rate",
    "false positive rates": "false_positive_rate",
    "accuracies": "accuracy",
}
MEASURE = rf"(?P<measure>{'|'.join(MEASURES)})"


def largest(d: Direction, measure: str) -> Any:
    for row in d.summary["largest"]:
        if (row["model"], row["measure"]) == (d.verdict["model"], measure):
            return row
    return None


def is_extreme(d: Direction, row: Any, group: str, rate: str | None, choose: Any) -> bool:
    """Return whether a group has the lowest or highest rate, as printed."""
    rates = {d.group(name): x for name, x in zip(row["groups"], row["rates"], strict=True)}
    extreme = choose(rates.values())
    return rates[group] == extreme and (rate is None or is_rate(rate, extreme))


def is_span(row: Any) -> bool:
    return abs(max(row["rates"]) - min(row["rates"]) - row["value"]) < 1e-9


@family(
    rf"The {MEASURE} differ by <x:size> \(<e:ends>\): <r:rate> for <a:group> and <s:rate> for "
    r"<b:group>\."
)
def _(d: Direction, m: Parts) -> Any:
    row = largest(d, MEASURES[m["measure"]])
    ends = is_extreme(d, row, m["a"], m["r"], max) and is_extreme(d, row, m["b"], m["s"], min)
    sizes = is_near(m["x"], row["value"]) and are_sizes(m["e"], row)
    return ends and sizes and row["low"] > 0 and is_span(row) and len(row["rates"]) == 2


@family(
    rf"The {MEASURE} range from <s:rate> for <b:group> to <r:rate> for <a:group>; the largest "
    r"difference is between <low:x> and <high:size>\."
)
def _(d: Direction, m: Parts) -> Any:
    row = largest(d, MEASURES[m["measure"]])
    ends = is_extreme(d, row, m["a"], m["r"], max) and is_extreme(d, row, m["b"], m["s"], min)
    return (
        ends and is_end(m["low"], row["low"]) and is_end(m["high"], row["high"]) and row["low"] > 0
    )


@family(
    rf"The {MEASURE} do not clearly differ between groups; a difference of more than <x:size> is "
    r"excluded\."
)
def _(d: Direction, m: Parts) -> Any:
    row = largest(d, MEASURES[m["measure"]])
    return row["low"] == 0 and is_end(m["x"], row["high"])


@family(rf"The {MEASURE} have no interval: (?P<reason>.+)\.")
def _(d: Direction, m: Parts) -> Any:
    row = largest(d, MEASURES[m["measure"]])
    is_right = row["low"] is None and m["reason"] == spaced_reason(row["reason"])
    return is_right and is_true_reason(d, m["reason"])


SMALL = re.compile(
    r"(.+) ha(?:s|ve) fewer than 15 (rows|clusters|effective rows)(?: labelled (.+))?"
)


FEW_EACH = (
    r"(.+) ha(?:s|ve) fewer than 15 (?:effective rows|rows|clusters)(?: each)? and "
    r"(?:carry|carries) \d+% of its variance"
)


def is_true_reason(d: Direction, reason: str) -> bool:
    """Return whether groups that are said to have few rows of a kind have few."""
    match = SMALL.fullmatch(reason)
    if not match or d.is_reversed:
        return not match
    if match[2] != "rows" and match[3]:  # The summary has these sizes of groups alone.
        return True
    sizes, groups = {}, [row for row in d.data["groups"] if row["name"] in d.named]
    for row in groups:
        size = row["rows"] if match[2] == "rows" else row["size"]
        if match[3]:
            rate = d.rate(row["name"], d.data["positive"])["true"]
            size *= rate if match[3] == d.kind(d.data["positive"]) else 1 - rate
        sizes[d.group(row["name"])] = size
    few = {shown(row["name"]) for row in groups if sizes[d.group(row["name"])] < 15 * (1 - 1e-9)}
    more = re.search(r"and (\d+) more$", match[1])
    named = re.findall(_names(few), match[1]) if few else []
    return bool(few) and len(named) + int(more[1] if more else 0) == len(few)


def _names(names: set[str]) -> str:
    texts = sorted(map(re.escape, names), key=len, reverse=True)
    return rf"(?:^|(?<=, )|(?<=and ))(?:{'|'.join(texts)})(?=$|, | and )"


def spaced_reason(text: str) -> str:
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", " ", text).split())


@family(
    r"Among rows labelled <k:kind>, (?:<r:rate> of <a:group> and <s:rate> of <b:group> are "
    r"predicted "
    r"<p:kind>|the mean probability of <q:kind> is <t:rate> for <e:group> and <u:rate> for "
    r"<f:group>) \((?P<short>FPR|TPR); (?:they differ by <low:x> to <high:size>|no clear "
    r"difference, at most <x:size>)\)\."
)
def _(d: Direction, m: Parts) -> Any:
    positive = d.data["positive"]
    name = "true_positive_rate" if m["short"] == "TPR" else "false_positive_rate"
    kind = d.kind(positive, positive=m["short"] == "TPR")
    row = largest(d, name)
    high, low = m["r"] or m["t"], m["s"] or m["u"]
    ends = is_extreme(d, row, m["a"] or m["e"], high, max)
    ends = ends and is_extreme(d, row, m["b"] or m["f"], low, min)
    if m["x"] is not None:
        sizes = row["low"] == 0 and is_end(m["x"], row["high"])
    else:
        sizes = row["low"] > 0 and is_end(m["low"], row["low"]) and is_end(m["high"], row["high"])
    return ends and sizes and m["k"] == kind and (m["p"] or m["q"]) == d.kind(positive)


@family(
    r"The lowest selection rate, that of <b:group>, is <x:x> times the highest, that of <a:group>"
    r" \(<low:x> to <high:x>\)\."
)
def _(d: Direction, m: Parts) -> Any:
    row = largest(d, "selection_rate")
    ends = is_extreme(d, row, m["a"], None, max) and is_extreme(d, row, m["b"], None, min)
    ratio = is_near(m["x"], min(row["rates"]) / max(row["rates"]), 1)
    limits = ((m["low"], row["ratio_low"]), (m["high"], row["ratio_high"]))
    return (
        ends
        and ratio
        and d.verdict["model"] not in d.data["probabilities"]
        and all(is_near(x, y, 1) and (value(x) == 0.8) == (y == 0.8) for x, y in limits)
    )


@family(
    r"The interval (?P<place>lies below|includes|lies above) 0\.8, the bound of the four-fifths "
    r"screening rule(?:; <c:class> is marked as unfavourable)?\.(?: The rule is about favourable "
    r"outcomes; check that <e:class> is one\.)?"
)
def _(d: Direction, m: Parts) -> Any:
    row, data = largest(d, "selection_rate"), d.data
    place = "includes"
    if row["ratio_high"] < 0.8:
        place = "lies below"
    elif row["ratio_low"] > 0.8:
        place = "lies above"
    named = d.class_(data["positive"])
    marked = data["favorable"] not in (None, data["positive"])
    unknown = named if data["favorable"] is None else None
    return place == m["place"] and m["c"] == (named if marked else None) and m["e"] == unknown


@family(r"The impact ratio is undefined, as no row is predicted positive\.")
def _(d: Direction, m: Parts) -> Any:
    return not any(largest(d, "selection_rate")["rates"])


@family(r"No interval of (?P<names>[^:]+): (?P<reason>.+)\.")
def _(d: Direction, m: Parts) -> Any:
    names = re.split(r", | and ", re.sub(r" and \d+ more$", "", m["names"]).replace("→", "->"))
    if m["names"].startswith("the ratio of "):
        ratios = [row for row in d.summary["largest"] if row["ratio_reason"] == m["reason"]]
        return any(row["ratio"] is not None and row["ratio_low"] is None for row in ratios)
    rows = [row for row in d.summary["metrics"] if spaced_reason(row["reason"]) == m["reason"]]
    strata = [x for x in d.summary["strata"] if spaced_reason(x["reason"]) == m["reason"]]
    if strata and all(row["low"] is None for row in strata):
        of_strata = [*map(shown, {x["stratum"]: 0 for x in strata})]
        if all(name in m["names"] for name in of_strata[:8]):
            return True
    known = {row["name"] for row in rows} | {"BA" for row in rows if row["key"].startswith("ba_")}
    if m["names"] == "BA" and (few := re.search(FEW_EACH, m["reason"])):
        few_rows = {shown(x["name"]) for x in d.members if x["size"] < 15 * (1 - 1e-9)}
        named = re.findall(_names({shown(x["name"]) for x in d.members}), few[1])
        if not {*named} <= few_rows:
            return False
    return {*names} <= known and all(row["low"] is None for row in rows)


@family(r"Changes are rounded after subtraction, so <x:x> → <y:x> can be <z:x>\.")
def _(d: Direction, m: Parts) -> Any:
    parts = {"x": "true", "y": "predicted", "z": "value"}
    rounded = abs(value(m["y"]) - value(m["x"]) - value(m["z"])) > 1e-9
    return rounded and any(
        all(is_near(m[key], gap[name]) for key, name in parts.items()) for gap in d.every_gap
    )


@family(r"<k:n> of <n:n> rows are shown(?:; to_frame\('(?P<part>\w+)'\) has all)?\.")
def _(d: Direction, m: Parts) -> Any:
    return value(m["k"]) < value(m["n"]) and m["part"] in {None, *d.summary}


# Legends.


@family(
    r"○ (?P<rate>rate in the labels|given rate), ● rate in the predictions; the dashed line is the "
    r"predicted rate of all rows\.(?: Bars: the gap between <a:member> and <b:member>\.)?"
)
def _(d: Direction, m: Parts) -> Any:
    is_right = (m["rate"] == "given rate") == (d.true == "given rates")
    return is_right and (m["a"] is None or any(d.is_at(m, gap) for gap in d.gaps))


@family(r"○ gap in the <t:true>, ● gap in the predictions\.")
def _(d: Direction, m: Parts) -> Any:
    return m["t"] == d.true


COLOURS = {
    "Orange": ("grows or appears", UP),
    "Blue": ("shrinks", ("shrinks",)),
    "Purple": ("reverses", ("reverses",)),
    "Grey": ("does not clearly", ("unclear",)),
}


@family(r"(?P<colour>Orange|Blue|Purple|Grey): (?:the gap|it) (?P<what>[a-z ]+)\.")
def _(d: Direction, m: Parts) -> Any:
    (what, statuses), gaps = COLOURS[m["colour"]], d.gaps[:10]
    verb = m["what"].removeprefix("does not clearly ")
    if m["colour"] == "Grey" and not are_unclear(
        [x for x in gaps if x["status"] == "unclear"], verb
    ):
        return False
    return m["what"].startswith(what) and any(gap["status"] in statuses for gap in gaps)


@family(r"Pale band: where the predicted gap would lie at the ends of its band\.")
def _(d: Direction, m: Parts) -> Any:
    return True


@family(
    r"<up:n> of <n:n> predicted rates (?:is|are) clearly above the rates in the <t:true>, and "
    r"<down:n> (?:is|are) clearly below\."
)
def _(d: Direction, m: Parts) -> Any:
    gaps = [x for x in d.summary["gaps"] if (x["model"], x["direction"]) == told(d)]
    compared = {gap["of_class"] for gap in gaps}
    rates = [x for x in d.summary["rates"] if (x["model"], x["direction"]) == told(d)]
    rates = [x for x in rates if x["of_class"] in compared]
    clear = [x for x in rates if is_clear(x)]
    up = sum(x["predicted"] > x["true"] for x in clear)
    counts = [value(m[key]) for key in ("up", "n", "down")]
    return counts == [up, len(rates), len(clear) - up] and m["t"] == d.true
