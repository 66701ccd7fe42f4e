"""Sentences on scores and thresholds."""

from __future__ import annotations

from typing import Any

from contradictions.boxes import the_feature, told
from contradictions.directions import DOWN, UP, Direction, Parts, family, is_clear
from contradictions.printed import are_sizes, is_change, is_near, is_rate, is_size, shown
from contradictions.verdicts import GAP

RULE = r"(?P<rule>[^,:]+?)"


def record(d: Direction) -> Any:
    """Return the two steps of the gap that is named."""
    for row in d.summary["scores"]:
        if row["model"] == d.verdict["model"] and not d.is_reversed:
            return row
    return None


def implied(d: Direction) -> float:
    """Return the gap that the scores imply; both steps add up to the change of the gap."""
    row = record(d)
    gap = d.gaps[row["gap"]]
    steps = row["by_score"]["value"] + row["by_threshold"]["value"]
    assert abs(steps - gap["value"]) < 1e-9
    return row["first"] - row["second"]


@family(
    r"The gap that the scores imply is <x:size>: the change from the <t:true> is <ch:change>\.",
    r"The gap that the scores imply, <x:size>, (?P<unclear>does not clearly differ) from that of "
    r"the <t:true>: the change is <ch:change>\.",
)
def _(d: Direction, m: Parts) -> Any:
    by_score = record(d)["by_score"]
    is_right = is_clear(by_score) == (m["unclear"] is None) and m["t"] == d.true
    return is_right and is_size(m["x"], implied(d)) and is_change(m["ch"], by_score)


@family(
    rf"In the decisions at {RULE}, the gap is <x:size> (?P<word>larger|smaller) \(<e:ends>\) than "
    r"the scores imply\.",
    rf"In the decisions at {RULE}, the gap (?P<unclear>does not clearly differ) from what the "
    r"scores imply: the change is <ch:change>\.",
    rf"As <a:member> minus <b:member>, the gap in the decisions at {RULE} differs from what the "
    r"scores imply by <ch:change>\.",
)
def _(d: Direction, m: Parts) -> Any:
    step = record(d)["by_threshold"]
    is_right = is_clear(step) == (m["unclear"] is None) and m["rule"] == record(d)["rule"]
    if m["ch"] is not None:
        return is_right and is_change(m["ch"], step)
    sizes = abs(d.gaps[record(d)["gap"]]["predicted"]) - abs(implied(d))
    is_right = is_right and (sizes > 0) == (m["word"] == "larger") == (step["low"] > 0)
    return is_right and is_near(m["x"], abs(sizes)) and are_sizes(m["e"], step)


LEADS = {
    (
        False,
        True,
    ): "from the scores to the decisions, and not clearly from the <t:true> to the scores",
    (
        True,
        False,
    ): "from the <t:true> to the scores, and not clearly from the scores to the decisions",
    (True, True): "in both steps: from the <t:true> to the scores, and on to the decisions",
    (False, False): "in neither step alone, from the <t:true> to the scores or on to the decisions",
}


@family(*(rf"The gap clearly grows {text}\." for text in LEADS.values()))
def _(d: Direction, m: Parts) -> Any:
    steps = tuple(is_clear(record(d)[name]) for name in ("by_score", "by_threshold"))
    text = LEADS[steps].replace("<t:true>", d.true)
    return m.text == f"The gap clearly grows {text}." and d.main["status"] == "grows"


@family(
    r"In the gap that the scores imply, each row counts with the share of <c:counted> among all "
    r"rows of the same or a similar score\."
)
def _(d: Direction, m: Parts) -> Any:
    return m["c"] == d.counted(d.main["of_class"])


@family(r"Score and threshold are not separated: (?P<reason>.+)\.")
def _(d: Direction, m: Parts) -> Any:
    row = record(d)
    if m["reason"] == "no gap is named":
        return not any(d.statuses[status] for status in (*UP, *DOWN))
    return row["reason"] == m["reason"] and row["first"] is None


def thresholds(d: Direction) -> list[Any]:
    return [x for x in d.summary["thresholds"] if x["model"] == d.verdict["model"]]


def undoes_half(d: Direction, row: Any) -> bool:
    gap = d.main
    is_half = abs(row["gap"] - gap["true"]) <= abs(gap["predicted"] - gap["true"]) / 2
    return is_half and row["accuracy_falls"] is False


OUTCOME = rf"the {GAP} would be <x:size>, BA <y:x> points? and the accuracy <r:rate>"


@family(
    rf"With a threshold of (?P<at>-?[\d.e+-]*\d) for all rows, {OUTCOME}; <s:rate> of the rows "
    r"would be predicted <k:kind>, and <t:rate> are labelled <e:kind>\.",
    r"A threshold for each group reads (?P<feature>.+?) to decide, which may be unlawful\. It aims "
    r"at the rate of each group in the labels, and so at their gap; that is not fairness\. With it "
    rf"\(PrevalenceThreshold\), {OUTCOME} in the rows that set the thresholds\.",
)
def _(d: Direction, m: Parts) -> Any:
    if d.find_gap(m) is not d.main or m["feature"] not in (None, the_feature(d)):
        return False
    for row in thresholds(d):
        at = row["threshold"]
        if (at is None) == (m["at"] is None) and undoes_half(d, row):
            is_same = at is None or f"{at:g}" == m["at"]
            numbers = is_size(m["x"], row["gap"]) and is_near(m["y"], row["ba"])
            if is_same and numbers and is_rate(m["r"], row["accuracy"]):
                return at is None or are_shares(d, m, row)
    return False


def are_shares(d: Direction, m: Parts, row: Any) -> bool:
    """Return whether the shares predicted and labelled positive are those of a threshold."""
    [labelled] = [
        x["true"]
        for x in d.summary["frequency"]
        if (x["model"], x["direction"], x["of_class"]) == (*told(d), d.data["positive"])
    ]
    is_right = m["k"] == m["e"] == shown(d.data["positive"]) and is_rate(m["t"], labelled)
    return is_right and is_rate(m["s"], row["predicted_positive"])


@family(
    rf"No other threshold for all rows undoes at least half of the change of the {GAP} without a "
    r"clear fall in accuracy; the Thresholds table has the gap at each\."
)
def _(d: Direction, m: Parts) -> Any:
    rows = [row for row in thresholds(d) if row["threshold"] is not None]
    are_decisions = all(row["accuracy_falls"] is not None for row in rows)
    return bool(rows) and are_decisions and not any(undoes_half(d, row) for row in rows)


@family(
    r"If the label stands in for something else, such as an arrest for a crime, agreement with it "
    r"is not the goal by itself\."
)
def _(d: Direction, m: Parts) -> Any:
    return bool(d.data["scores"])


@family(
    r"The scores of <m:model> rank the classes in reverse order\.",
    r"No threshold of the scores gives the predictions of <m:model>\.",
)
def _(d: Direction, m: Parts) -> Any:
    return m["m"] in map(shown, d.data["scores"])
