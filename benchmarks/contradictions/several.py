"""Sentences on several gaps and models, and where there is no verdict."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from contradictions.directions import CODES, DOWN, UP, VERBS, Direction, Parts, family, is_clear
from contradictions.printed import are_ends, is_change, is_near, is_rate, shown, value
from contradictions.verdicts import TAG, are_unclear, tag

# Several gaps.


def are_counts(d: Direction, text: str) -> bool:
    """Return whether "3 of 10 gaps ... clearly grow, 1 clearly appears" are all that change."""
    counts, total = Counter[str](), re.match(r"[\d,]+ of ([\d,]+)", text)
    assert total
    for n, verb in re.findall(r"([\d,]+)(?: of [^;]*?)?(?<!not) clearly (\w+)", text):
        counts[VERBS[verb]] += int(value(n))
        if verb.endswith("s") != (n == "1"):
            return False
    unclear = re.search(r"([\d,]+) (does|do) not clearly (change|grow or shrink)$", text)
    if unclear and (int(value(unclear[1])) != d.statuses["unclear"]):
        return False
    if unclear and (unclear[2] == "does") != (unclear[1] == "1"):
        return False
    if unclear and not are_unclear([x for x in d.gaps if x["status"] == "unclear"], unclear[3]):
        return False
    changed = {status: d.statuses[status] for status in (*UP, *DOWN) if d.statuses[status]}
    return value(total[1]) == len(d.gaps) and dict(counts) == changed


def is_scope(d: Direction, text: str) -> bool:
    names = [d.member(row["name"]) for row in d.members]
    if d.verdict["comparison"] == "all rows":
        return text == f"{d.nouns} and all rows"
    return text == d.nouns or (len(names) == 2 and text == " and ".join(names))


MEAN = (
    r"the (?:<k:n> gaps? with a certain direction|gaps) (?P<verb>grow|shrink)s? on average: "
    r"<ch:change>"
)


def is_mean(d: Direction, m: Parts) -> bool:
    """Return whether the mean change, its sign and its number of gaps are those of the verdict."""
    mean, n = d.verdict, len(d.gaps) if m["k"] is None else value(m["k"])
    side = mean["low"] > 0 if m["verb"] == "grow" else mean["high"] < 0
    is_part = mean["n_in_mean"] < len(d.gaps)
    return side and n == mean["n_in_mean"] and is_part == bool(m["k"]) and is_change(m["ch"], mean)


@family(
    TAG + r"In these rows, (?P<counts><n:n> of <m:n> gaps? between <scope:scope> clearly \w+"
    r"(?:(?:, | and )[\d,]+ (?:clearly \w+|do(?:es)? not clearly (?:change|grow or shrink)))*)"
    rf"(?:, but {MEAN})?\."
)
def _(d: Direction, m: Parts) -> Any:
    is_right = are_counts(d, m["counts"]) and is_scope(d, m["scope"]) and tag(d, m)
    if m["verb"]:
        same = UP if m["verb"] == "grow" else DOWN
        is_other_side = not any(d.statuses[status] for status in same)
        return is_right and is_other_side and is_mean(d, m)
    return is_right


@family(
    TAG
    + r"In these rows, no single gap between <scope:scope> clearly (?P<u>changes|grows or shrinks)"
    rf", but {MEAN}\."
)
def _(d: Direction, m: Parts) -> Any:
    no_gap = are_unclear(d.gaps, m["u"])
    return no_gap and tag(d, m) and is_scope(d, m["scope"]) and is_mean(d, m)


@family(
    TAG + r"In these rows, no gap between <scope:scope> clearly (?P<u>changes|grows or shrinks)\."
)
def _(d: Direction, m: Parts) -> Any:
    no_gap = are_unclear(d.gaps, m["u"])
    return no_gap and tag(d, m) and is_scope(d, m["scope"]) and not is_clear(d.verdict)


@family(r"The mean change of the <n:n> gaps? with a certain direction is <ch:change>\.")
def _(d: Direction, m: Parts) -> Any:
    in_mean = sum(gap["in_mean"] for gap in d.gaps)
    return value(m["n"]) == in_mean == d.verdict["n_in_mean"] and is_change(m["ch"], d.verdict)


@family(r"No gap has a certain direction, so there is no mean change\.")
def _(d: Direction, m: Parts) -> Any:
    return d.verdict["value"] is None and not any(gap["in_mean"] for gap in d.gaps)


@family(TAG + r"In these rows, <model:model> makes no errors, so no gap changes\.")
def _(d: Direction, m: Parts) -> Any:
    return not d.has_several_models and no_errors(d, m["model"]) and tag(d, m)


def no_errors(d: Direction, model: str) -> bool:
    """Return whether the rates of a model are those of the labels, and no gap changes."""
    rates = [
        x for x in d.summary["rates"] if x["direction"] == d.name and shown(x["model"]) == model
    ]
    gaps = [gap for gap in d.every_gap if shown(gap["model"]) == model]
    return not any(gap["value"] for gap in gaps) and not any(rate["change"] for rate in rates)


@family(
    TAG + r"In these rows, <model:model> predicts (?:<c:counted>|the same tasks) for every row, "
    r"so all predicted gaps are 0\.",
    r"<model:model> predicts (?:<c:counted>|the same tasks) for every row, so all predicted gaps "
    r"are 0\.",
)
def _(d: Direction, m: Parts) -> Any:
    return is_constant(d, m["model"], m["c"]) and tag(d, m)


#: Sums of weights differ from one another by rounding.
NOISE = 1e-9


def is_constant(d: Direction, model: str, of_class: str | None) -> bool:
    gaps = [gap for gap in d.every_gap if shown(gap["model"]) == model]
    rates = [
        rate["predicted"] > 1 - NOISE
        for rate in d.summary["rates"]
        if rate["direction"] == d.name
        and shown(rate["model"]) == model
        and d.counted(rate["of_class"]) == of_class
        and rate["rows"]
    ]
    return not any(abs(gap["predicted"]) > NOISE for gap in gaps) and (
        of_class is None or all(rates)
    )


# Several models, and no verdict.

SHOWS = rf"(?:shows?) (?:some )?(?:{'|'.join(CODES)})(?: on average)?|cannot be judged"


@family(
    rf"Compared with the (?:labels of these rows|given rates), (?P<body>.+? (?:{SHOWS}))"
    r"(?:; accuracy is <t:rate> for <i:model> and <u:rate> for <j:model>)?\."
)
def _(d: Direction, m: Parts) -> Any:
    if not are_codes(d, m["body"]):
        return False
    accuracies = {shown(x["model"]): d.metric("accuracy", x["model"]) for x in d.verdicts}
    if m["t"] is None:
        return True
    ordered = sorted(accuracies, key=lambda model: accuracies[model]["value"])
    values = [accuracies[ordered[place]]["value"] for place in (0, -1)]
    named = [accuracies[m[model]]["value"] for model in ("i", "j")]
    right = all(is_rate(m[text], x) for text, x in zip("tu", values, strict=True))
    is_alike = len(d.data["probabilities"]) in (0, len(d.verdicts))
    return values == named and right and m["t"] != m["u"] and is_alike


def kind_of(d: Direction, verdict: Any) -> tuple[str, bool]:
    """Return the code of a model, and whether any of its gaps clearly changes."""
    gaps = [gap for gap in d.every_gap if gap["model"] == verdict["model"]]
    return verdict["code"], any(gap["status"] in UP + DOWN for gap in gaps)


def are_codes(d: Direction, body: str) -> bool:
    """Return whether each model, or so many models, show what is said of them."""
    codes, told = {shown(x["model"]): kind_of(d, x) for x in d.verdicts}, Counter[Any]()
    place = 0
    for clause in re.finditer(rf" (?:{SHOWS})", body):
        who, words = body[place : clause.start()], clause[0]
        plain = words.removesuffix(" on average")
        word = next((c for text, c in CODES.items() if plain.endswith(text)), "cannot_say")
        code = word, word not in ("no_clear_change", "cannot_say") and plain == words
        gaps = [gap for gap in d.every_gap if codes[shown(gap["model"])] == code]
        is_part = code[1] and any(gap["status"] == "unclear" for gap in gaps)
        if (" some " in words) != (is_part and word in ("amplifies", "reduces", "reverses")):
            return False
        place, every = clause.end(), who.removeprefix(", ").removeprefix(" and ")
        counted = re.match(r"(?:all |both )?(\d+)?(?: of (\d+))?(?: ?models?)?$", every)
        if counted:
            total = len(codes) if every.startswith(("all", "both")) else int(counted[1])
            if counted[2] and int(counted[2]) != len(codes):
                return False
            told[code] += total
            continue
        models = re.findall(rf"(?:{d.patterns['model']})(?=$|,| and )", every)
        if not models or any(codes[model] != code for model in models):
            return False
        told[code] += len(models)
        if more := re.search(r" and (\d+) more$", every):
            told[code] += int(more[1])
    return dict(told) == dict(Counter(codes.values()))


@family(
    r"BA of <m:model> differs from that of <first:model> by <x:x> points? \(<low:x> to <high:x>, "
    r"a band for <k:n> models\)(?:; the accuracies are <r:rate> and <s:rate>)?\."
)
def _(d: Direction, m: Parts) -> Any:
    [record] = [x for x in differences(d) if shown(x["model"]) == m["m"]]
    bas = [d.metric(record["key"], record[side])["value"] for side in ("model", "first")]
    is_right = is_near(m["x"], bas[0] - bas[1]) and are_ends([m["low"], m["high"]], record)
    is_first = shown(record["first"]) == m["first"] == shown(d.data["models"][0])
    is_right = is_right and is_first and is_clear(record) and value(m["k"]) == len(d.verdicts)
    accuracies = [d.metric("accuracy", record[side]) for side in ("model", "first")]
    texts = [m["r"], m["s"]]
    return (
        is_right
        and (m["r"] is None or not d.is_reversed)
        and all(
            text is None or is_rate(text, x["value"])
            for text, x in zip(texts, accuracies, strict=True)
        )
    )


def differences(d: Direction) -> list[Any]:
    return [x for x in d.summary["differences"] if x["key"] == f"ba_{d.suffix}"]


@family(r"BA of no model clearly differs from that of <m:model>\.")
def _(d: Direction, m: Parts) -> Any:
    return not any(map(is_clear, differences(d))) and m["m"] == shown(d.data["models"][0])


@family(r"<m:model>(?:, <n:model>)?(?:, <o:model>)?(?: and (?:<p:model>|\d+ more))?:")
def _(d: Direction, m: Parts) -> Any:
    d.tell(m["m"])  # Of models that a sentence names together, the first is looked at.
    return d.has_several_models


def large(d: Direction) -> list[str]:
    return [d.member(row["name"]) for row in d.members if row["size"] >= 15 * (1 - 1e-9)]


@family(TAG + r"There is no gap to judge: these rows hold one (?P<noun>\w+) only \(<a:member>\)\.")
def _(d: Direction, m: Parts) -> Any:
    held = [d.member(row["name"]) for row in d.members if row["rows"]]
    return held == [m["a"]] and m["noun"] == d.noun and tag(d, m)


@family(
    TAG
    + r"No gap can be judged in these <n:n> rows?: (?:only <a:member> has|no (?P<noun>\w+) has) "
    r"15 (?P<unit>rows|clusters|effective rows)(?: or more)?, and a gap needs two such "
    r"(?P<nouns>\w+)\."
)
def _(d: Direction, m: Parts) -> Any:
    is_right = value(m["n"]) == d.data["rows"] and m["unit"] == d.data["unit"] and tag(d, m)
    return is_right and large(d) == ([m["a"]] if m["a"] else []) and m["nouns"] == d.nouns


@family(TAG + r"The gaps cannot be judged without intervals: (?P<reason>.+)\.")
def _(d: Direction, m: Parts) -> Any:
    no_gaps = not d.every_gap and d.verdict["why"] == "no_interval" and tag(d, m)
    return no_gaps and m["reason"] == d.verdict["reason"]
