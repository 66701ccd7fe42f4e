"""Sentences on BA, the last line of the verdict, and the three boxes."""

from __future__ import annotations

import re
from typing import Any

from contradictions.directions import DOWN, UP, VERBS, Direction, Parts, family, is_clear
from contradictions.printed import is_change, is_rate, shown, value
from contradictions.verdicts import are_unclear, is_level

# BA.


def signs(d: Direction, text: str) -> bool:
    """Return whether a sentence says right what decides the signs of BA."""
    n = d.data["reference"]
    if n is not None:
        return text == f"{n:,} reference row{'' if n == 1 else 's'}"
    return text == ("the labels" if d.true == "labels" else "the given rates")


def is_half(d: Direction, model: str) -> bool:
    """Return whether BA of a model is half the change of its only gap."""
    gaps = [gap for gap in d.every_gap if gap["model"] == model]
    ba = d.metric(f"ba_{d.suffix}", model)
    return len(gaps) == 1 and abs(ba["value"] - gaps[0]["value"] / 2) < 1e-9


@family(
    r"BA is <ch:change>, half the change of the gap"
    r"(?P<own>; its own interval differs a little from half of the gap's)?\."
)
def _(d: Direction, m: Parts) -> Any:
    has_own = d.ba["low"] != d.ba["high"] or d.ba["low"] is None
    return is_half(d, d.verdict["model"]) and is_change(m["ch"], d.ba) and bool(m["own"]) == has_own


@family(r"BA is <ch:change>: the mean change of rates, with the signs of <signs:signs>\.")
def _(d: Direction, m: Parts) -> Any:
    return is_change(m["ch"], d.ba) and signs(d, m["signs"])


@family(
    r"BA is the mean change of the rates along the correlations of <signs:signs>(?P<half>; "
    r"with two "
    r"groups and two classes it is half of the change of the gap)?\. It is not balanced accuracy, "
    r"and 0 is not a pass\."
)
def _(d: Direction, m: Parts) -> Any:
    two_by_two = (
        len(d.data["groups"]) == 2 == len(d.data["classes"]) and d.data["kind"] == "classes"
    )
    halves = not m["half"] or (two_by_two and all(is_half(d, x["model"]) for x in d.verdicts))
    return signs(d, m["signs"]) and halves


@family(
    r"The sign of <k:n> of <n:n> rates in BA is not clear, so BA may have the wrong sign there\."
)
def _(d: Direction, m: Parts) -> Any:
    rates = [x for x in d.summary["rates"] if (x["model"], x["direction"]) == told(d)]
    n = sum(d.is_compared(x) for x in rates)
    is_right = value(m["k"]) == d.verdict["signs_unclear"] <= n
    return is_right and value(m["n"]) == d.verdict["signs"] == n


def told(d: Direction) -> tuple[str, str]:
    return d.verdict["model"], d.name


def side(d: Direction, word: str) -> bool:
    return d.ba["low"] > 0 if word == "above" else d.ba["high"] < 0


@family(
    r"BA is clearly (?P<side>above|below) 0, but no gap clearly (?P<verb>changes|grows or shrinks)"
    r"\. (?P<why>Rates can move together without a change in any gap|A mean can be clear where "
    r"none of its parts is)\."
)
def _(d: Direction, m: Parts) -> Any:
    is_right = (len(d.members) == 2) == m["why"].startswith("A mean")
    return is_right and side(d, m["side"]) and are_unclear(d.gaps, m["verb"])


@family(r"BA is barely (?P<side>above|below) 0; by the wider band of the gap this is not clear\.")
def _(d: Direction, m: Parts) -> Any:
    return side(d, m["side"]) and d.statuses == {"unclear": 1} and not is_clear(d.gaps[0])


@family(
    r"BA is clearly (?P<side>above|below) 0, but the gap does not clearly grow or shrink, as it is "
    r"not clear which group has the higher rate\."
)
def _(d: Direction, m: Parts) -> Any:
    [gap] = d.gaps
    unclear = gap["status"] == "unclear" and not gap["true_clear"]
    return side(d, m["side"]) and unclear and is_clear(gap)


@family(
    r"BA is (?:clearly (?P<side>above|below) 0|not clearly different from 0), but "
    r"(?P<what>the gap \w+|some gaps \w+(?:(?:, | and )some \w+)*|the gaps \w+ on average)\. "
    r"(?:BA averages changes of rates with the signs of <signs:signs>; the verdict compares "
    r"sizes of "
    r"gaps|A mean can hide opposite changes)\."
)
def _(d: Direction, m: Parts) -> Any:
    statuses = {
        VERBS[word] for word in re.findall(r"grows?|appears?|shrinks?|reverses?", m["what"])
    }
    if "on average" in m["what"]:
        mean = d.verdict
        occurs = mean["low"] > 0 if statuses == {"grows"} else mean["high"] < 0
    else:
        occurs = all(d.statuses[status] for status in statuses)
    if m["side"] is None:
        return occurs and not is_clear(d.ba)
    is_against = not statuses & {*(UP if m["side"] == "above" else DOWN)}
    return occurs and is_against and side(d, m["side"]) and signs(d, m["signs"])


# The last line of the box.


@family(
    r"(?P<amplifies>Larger means further apart than in the <t:true>; whether the <u:true> are "
    r"right "
    r"is not tested\.)",
    r"(?P<reduces>Smaller is not better by itself: random predictions also shrink gaps\.)",
    r"(?P<reverses>The order of the <m:nouns> is exchanged; the size of the gap alone does not "
    r"show "
    r"it\.)",
    r"(?P<reverses>Where a gap reverses, the order of the two <m:nouns> is exchanged; the size of "
    r"the gap alone does not show it\.)",
    r"(?P<mixed>Mixed does not mean balanced: a gap that shrinks or reverses does not make up for "
    r"another that grows\.)",
    r"(?P<no_clear_change>Not clear is not the same as no change\.)",
)
def _(d: Direction, m: Parts) -> Any:
    codes = {row["code"] for row in d.verdicts if not row["no_errors"]}
    names = m["t"] in (None, d.true) and m["u"] in (None, d.true) and m["m"] in (None, d.nouns)
    return names and any(m[code] for code in codes)


# How sure.


@family(r"(?:How sure|What to read|What to do)\.")
def _(d: Direction, m: Parts) -> Any:
    return True


@family(
    r"The verdict uses the <l:level> band of one change\.",
    r"The verdict uses <l:level> bands that (?P<either>allow for either direction of the gap "
    r"in the "
    r"<t:true>)\.",
)
def _(d: Direction, m: Parts) -> Any:
    [gap] = d.gaps
    is_one = not d.has_several_models and gap["true_clear"] == (m["either"] is None)
    return is_one and is_level(d, m["l"]) and m["t"] in (None, d.true)


@family(
    r"The verdict uses <l:level> bands that hold at once for all <n:n> gaps?(?P<mean> and "
    r"their mean)?"
    r"\.",
    r"The verdict uses <l:level> bands that hold at once for (?P<one>the gaps) of "
    r"(?:(?P<two>both)|all <k:n>) models\.",
    r"The verdict uses <l:level> bands that hold at once for the <n:n> gaps? of each of <k:n> "
    r"models"
    r"(?P<mean> and their means)?\.",
)
def _(d: Direction, m: Parts) -> Any:
    models = [x for x in d.verdicts if x["code"] != "cannot_say"]
    counts = {x["n_gaps"] for x in models}
    has_mean = any(x["n_in_mean"] for x in models)
    is_right = counts == {int(value(m["n"])) if m["n"] else 1}
    told = int(m["k"]) if m["k"] else 2 if m["two"] else 1
    n_models = told == len(models) and (told > 1) == d.has_several_models
    mean = m["one"] is not None or bool(m["mean"]) == has_mean
    return is_right and n_models and mean and is_level(d, m["l"])


@family(
    r"In the <t:true> it is clear which (?P<noun>\w+) has the higher rate(?P<every>, for every "
    r"gap)?\."
)
def _(d: Direction, m: Parts) -> Any:
    every = bool(m["every"]) == (len(d.gaps) > 1) and m["noun"] == d.noun and m["t"] == d.true
    return every and bool(d.gaps) and all(gap["true_clear"] for gap in d.gaps)


@family(r"<k:n> of <n:n> gaps? (?:is|are) not clear in the <t:true>\.")
def _(d: Direction, m: Parts) -> Any:
    unclear = sum(not gap["true_clear"] for gap in d.gaps)
    return value(m["k"]) == unclear and value(m["n"]) == len(d.gaps) and m["t"] == d.true


@family(
    r"The report does not know (?:whether <c:class> is|which classes are) good or bad for a "
    r"person; "
    r"favorable_label= says so\."
)
def _(d: Direction, m: Parts) -> Any:
    positive = d.data["positive"]
    named = None if positive is None else d.class_(positive)
    return d.data["favorable"] is None and not d.is_reversed and m["c"] == named


@family(r"Intervals cover sampling variation, not wrong <t:true> or missing rows\.")
def _(d: Direction, m: Parts) -> Any:
    return m["t"] == d.true and d.summary["method"]["n_boot"] > 0


@family(r"No number here has an interval, so no change is called clear\.")
def _(d: Direction, m: Parts) -> Any:
    parts = ("metrics", "gaps", "errors", "largest", "differences", "rates", "pairs")
    return all(row["low"] is None for part in parts for row in d.summary[part])


# What to read.


@family(
    r"Read the rates as a description of these rows; no difference between (?P<nouns>\w+) can be "
    r"judged\."
)
def _(d: Direction, m: Parts) -> Any:
    return d.verdict["code"] == "cannot_say" and m["nouns"] == d.nouns


@family(
    r"Read the (?P<noun>gaps?) first, then BA: both compare the predictions with the given rates\. "
    r"Other given rates give other numbers\."
    r"(?P<none> LA and DPA need labels and are not computed\.)?",
    r"Read the (?P<noun>gaps?) first\. BA is for comparison with published results of the same "
    r"direction\.",
    r"Read the (?P<noun>gaps?) first, then FPR and TPR by group\. BA is for comparison with "
    r"published results\.",
    r"Read the count of (?P<noun>gaps?) first, then the most certain changes by task, with FPR and "
    r"TPR by group\. BA is for comparison with published results\. A mean over tasks can hide "
    r"opposite changes\.",
)
def _(d: Direction, m: Parts) -> Any:
    has_rates = any(x["fpr"] is not None for x in d.summary["rates"])
    needs_rates = "FPR" in m.text
    has_attacks = any(x["key"].startswith(("la", "dpa")) for x in d.summary["metrics"])
    is_given = d.true == "given rates"
    right = is_given == ("given rates" in m.text)
    right = right and not (has_attacks if m["none"] else is_given and not d.is_reversed)
    return right and (has_rates or not needs_rates) and (m["noun"] == "gap") == (len(d.gaps) == 1)


@family(
    r"The rates of the groups in the labels are (?P<close>equal|so close that their order is not "
    r"clear), so BA (?:is 0 for every model|may have the wrong sign)\. Read the gaps and selection "
    r"rates first(?:, then (?P<then>[\w() ]+))?\. Ignore (?P<ignored>BA(?: and MALS)?) here\."
)
def _(d: Direction, m: Parts) -> Any:
    rates = [x for x in d.summary["rates"] if (x["model"], x["direction"]) == told(d)]
    equal = not any(gap["true"] for gap in d.gaps) and not any(x["sign"] for x in rates)
    unclear = not any(gap["true_clear"] for gap in d.gaps)
    is_0 = not equal or not any(d.metric(f"ba_{d.suffix}", x["model"])["value"] for x in d.verdicts)
    names = [*(m["then"] or "").split(" and "), *m["ignored"].split(" and ")]
    return equal == (m["close"] == "equal") and unclear and is_0 and are_computed(d, names)


NAMES = {"MALS": "mals", "LA": "la", "DPA": "dpa_a_to_t", "DPA(U)": "dpa_u_a_to_t"}
NAMES |= {"Multi": "multi_a_to_t", "BA": "ba_a_to_t"}


def are_computed(d: Direction, names: list[str]) -> bool:
    return all(d.metric(NAMES[name]) for name in names if name)


@family(
    r"Also read (?P<names>[\w() ]+), which gives? no credit for guessing the largest group or class"
    r"\.(?P<dpa> Ignore DPA here: 1/cross-entropy gives such credit\.)?",
    r"Ignore (?P<names>MALS) here: it mixes both directions\.",
)
def _(d: Direction, m: Parts) -> Any:
    return are_computed(d, [*m["names"].split(" and "), "DPA" if m["dpa"] else ""])


def accuracies(d: Direction) -> list[Any]:
    rows = [d.metric("accuracy", x["model"]) for x in d.verdicts]
    return sorted(rows, key=lambda row: row["value"])


@family(
    r"The accuracies differ \(<a:model> <r:rate>, <b:model> <s:rate>\)\. With equal error rates, "
    r"more errors usually mean smaller gaps: compare the column \"gap beyond equal error rates\"\."
)
def _(d: Direction, m: Parts) -> Any:
    low, *_, high = accuracies(d)
    differ = any(is_clear(x) for x in d.summary["differences"] if x["key"] == "accuracy")
    models = {shown(x["model"]): x["value"] for x in accuracies(d)}
    is_right = (models[m["a"]], models[m["b"]]) == (low["value"], high["value"])
    is_right = is_right and len(d.data["probabilities"]) in (0, len(d.verdicts))
    return differ and is_right and is_rate(m["r"], low["value"]) and is_rate(m["s"], high["value"])


# What to do.


@family(
    r"(?P<amplifies>Compare FPR and TPR by group: they show which errors differ, if any do\.)",
    r"(?P<reverses>Read FPR and TPR by group: they show which errors turn a gap round\.)",
    r"(?P<reduces>Read FPR and TPR by group before calling a smaller gap an improvement\.)",
)
def _(d: Direction, m: Parts) -> Any:
    code = d.verdict["code"]
    return not d.is_reversed and m["reduces" if code == "mixed" else code] is not None


@family(r"Pass y_score= to see whether the change is in the scores or in the decisions\.")
def _(d: Direction, m: Parts) -> Any:
    two = len(d.data["classes"]) == 2 and d.data["kind"] == "classes"
    changes = any(d.statuses[status] for status in UP) or is_clear(d.verdict)
    return d.verdict["model"] not in d.data["scores"] and two and changes


@family(
    r"Collect more (?P<unit>rows|clusters), or merge (?P<nouns>\w+) where that makes sense; a "
    r"(?P<noun>\w+) that is left out is not checked\."
)
def _(d: Direction, m: Parts) -> Any:
    is_named = m["nouns"] == d.nouns and m["noun"] == d.noun
    return is_named and bool(small(d)) and d.data["unit"].endswith(m["unit"])


def small(d: Direction) -> list[Any]:
    return [row for row in d.members if row["size"] < 15 * (1 - 1e-9)]


@family(r"Start with the <n:n> gaps? that grow or appear; to_frame\('gaps'\) lists them\.")
def _(d: Direction, m: Parts) -> Any:
    return value(m["n"]) == sum(d.statuses[status] for status in UP)


@family(
    r"Ask whether the model has to predict (?P<f>.+?)\. If it does not, leaving that out also ends "
    r"T→A amplification\.",
    r"T→A means that the model predicts (?P<f>.+?); a model that does not predict it has no T→A "
    r"amplification\.",
)
def _(d: Direction, m: Parts) -> Any:
    return m["f"] == the_feature(d) and "T->A" in d.data["directions"]


def the_feature(d: Direction) -> str:
    return "the sensitive feature" if d.data["feature"] is None else shown(d.data["feature"])


@family(
    r"With about <n:n> rows of the same kind, a BA of <x:size> would be clear in 80% of samples\."
)
def _(d: Direction, m: Parts) -> Any:
    rows = d.data["rows"]
    [for_all] = (
        row["rows"]
        for row in d.summary["rows_needed"]
        if (row["model"], row["direction"]) == (d.verdict["model"], d.verdict["direction"])
    )
    needed = {x: for_all * (100 / x) ** 2 for x in (10, 5, 2, 1, 0.5, 0.2, 0.1)}
    x = value(m["x"])
    is_largest = x == max(size for size, n in needed.items() if n > rows)
    enough = needed[x] <= value(m["n"]) <= 1.11 * needed[x] + 1 and not is_clear(d.ba)
    return is_largest and enough and not any(d.statuses[status] for status in (*UP, *DOWN))


@family(r"Add rows of a second (?P<noun>\w+)\.")
def _(d: Direction, m: Parts) -> Any:
    return m["noun"] == d.noun and sum(row["rows"] > 0 for row in d.members) == 1


@family(r"Set n_boot=2000 to get intervals and a verdict\.")
def _(d: Direction, m: Parts) -> Any:
    return d.summary["method"]["n_boot"] < 2000 and d.verdict["code"] == "cannot_say"
