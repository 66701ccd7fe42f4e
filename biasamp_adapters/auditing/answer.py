"""The answer of an audit in a few sentences: what a reader sees first.

An auditor asks whether a model amplifies bias, how sure that is, what else to read and what to do.
The sentences are made from a summary, and every rendering shows the same ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from biasamp_adapters._text import number, rates_in_per_cent
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing import drift, prevalence
from biasamp_adapters.auditing.reading import number_in_words
from biasamp_adapters.cards.rounded import (
    NONE,
    digits_of,
    percent,
    rounded,
)
from biasamp_adapters.cards.strips import side
from biasamp_adapters.counts.labels import task_in_words
from biasamp_adapters.counts.variables import model_in_words
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A
from biasamp_adapters.metrics.result import percent as level_of
from biasamp_adapters.metrics.verdict import WITHOUT_NUMBERS

#: What is said of one model and of several, in the order in which a reader has to know it.
_SAID = {
    "amplifies": ("{} amplifies bias", "{} amplify bias"),
    "amplifies_beneath_errors": (
        "{} amplifies bias beneath its mistakes",
        "{} amplify bias beneath their mistakes",
    ),
    "reverses": ("{} reverses the gap", "{} reverse the gap"),
    "cannot_say": (
        "it cannot be said whether {} amplifies bias",
        "it cannot be said whether {} amplify bias",
    ),
    "reduces": ("{} reduces bias", "{} reduce bias"),
    "mistakes_only": (
        "{} moves rates only as far as mistakes alone would",
        "{} move rates only as far as mistakes alone would",
    ),
    "no_clear_change": ("{} shows no clear change of bias", "{} show no clear change of bias"),
    "constant": ("{} says the same of everybody", "{} say the same of everybody"),
    "no_errors": ("{} makes no mistakes", "{} make no mistakes"),
}

#: What may help, by verdict or, of "cannot_say", by reason.
_HELP = {
    "one_group": "Add rows of another group: one group has no gap.",
    "reference_balanced": "Read the selection rates: they show how groups are treated; BA cannot.",
    "direction_unknown": "Give a reference with more rows, such as the training data: it tells the "
    "direction of the correlations that are uncertain here.",
    "silence_differs": "Find out why the model abstains more often from one group.",
    "few_rows": "Collect more rows of the small groups or classes, or merge them.",
    "no_interval": "The note on BA says what an interval needs.",
    "no_errors": "Make sure that the truth did not leak into the predictions.",
    "constant": "Check the threshold and the training: these predictions use nothing of a row.",
    "mistakes_only": "Bias is not what moves the rates. The fairness measures tell what the "
    "mistakes cost each group.",
    "reduces": "Read the fairness measures before calling that good: rates can meet because one "
    "group is judged worse.",
}

#: Advice to read rates of groups, which are not there where the predicted task or the truth is not.
_OF_RATES = ("reference_balanced", "mistakes_only", "reduces")

#: Verdicts that more rows could change.
_WANTS_ROWS = {"no_clear_change", "cannot_say"}

#: Verdicts that ask for a remedy.
_AMPLIFY = {"amplifies", "amplifies_beneath_errors"}

#: Prevalences that differ by more than this ask for another threshold.
_FAR_SHARE = 0.02

_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}

#: Headings of the lists of sentences of an answer.
BOXES = {"How sure": "sure", "What to read": "read", "What to do": "do"}

#: Most models that a sentence names.
_MOST_NAMED = 3


def answer(summary: Row) -> Row:
    """The answer of an audit.

    Parameters
    ----------
    summary : dict
        The summary of a report, without this part.

    Returns
    -------
    dict
        ``title`` (the task and the attributes), ``facts`` (list of str), ``directions`` (list of
        dicts with ``direction``, ``verdict`` (of the models that differ, the one to know first),
        ``headline``, ``sentence`` and ``details``), and the lists of sentences ``sure``, ``read``
        and ``do``.
    """
    directions = dict.fromkeys(row["direction"] for row in summary["verdicts"])
    return {
        "title": title(summary),
        "facts": list(facts(summary)),
        "directions": [_of_direction(summary, direction) for direction in directions],
        "sure": list(dict.fromkeys(_how_sure(summary))),
        "read": list(_what_to_read(summary)),
        "do": list(dict.fromkeys(_what_to_do(summary))),
    }


def ranking(summary: Row, direction: str) -> list[Row]:
    """The models in one direction: each verdict with the row of its BA->, the largest first."""
    rows = {row["model"]: row for row in summary["metrics"] if _is_ba(row, direction)}
    judged = [row for row in summary["verdicts"] if row["direction"] == direction]
    ranked = [verdict | {"row": rows[verdict["model"]]} for verdict in judged]
    # What is undefined comes last.
    return sorted(ranked, key=lambda it: (it["row"]["value"] is None, -(it["row"]["value"] or 0)))


def _is_ba(row: Row, direction: str) -> bool:
    return bool(row["name"] == f"BA {direction}")


def subtitle(summary: Row) -> list[str]:
    """What was audited: the facts, after the title of the answer where the report has another."""
    answer = summary["answer"]
    return [answer["title"]] * (summary["title"] != answer["title"]) + list(answer["facts"])


def accuracy_in_words(row: Row | None) -> str:
    """The share of predictions that are right, where there is a truth."""
    return NONE if row is None else percent(row["value"], 1)


def gap_in_parts(gap: Row | None) -> tuple[str, str]:
    """The gap that moves most: between whom, and how it moves from truth to predictions."""
    if gap is None:
        return "", NONE
    true, predicted = rates_in_per_cent(gap["true"], gap["predicted"])
    if gap["other"] is None:
        return gap["group"], f"{true} \u2192 {predicted}%"
    return f"{gap['group']} \u2212 {gap['other']}", f"{true} \u2192 {predicted} points"


# What is audited.


def title(summary: Row) -> str:
    """The task and the attributes, such as "recid = 1 by race × sex"."""
    data = summary["data"]
    task, classes = data["task"], data["classes"]
    if data["tasks_are_columns"]:
        # Without a truth, nothing tells how many there are.
        what = classes[0]["label"] if len(classes) == 1 else f"{len(classes) or 'the'} tasks"
    elif data["positive"] is not None:
        what = task_in_words(data["positive"], task, is_column=False)
    else:
        what = f"{task or 'the task'} ({len(classes)} classes)" if classes else task or "the task"
    return f"{what} by {attributes_in_words(data['attributes'])}"


def attributes_in_words(names: Sequence[str]) -> str:
    """The attributes, crossed; one without a name is "group"."""
    attributes = " × ".join(names)
    return "group" if attributes == _UNNAMED else attributes


#: What is said where nothing can be judged.
NO_VERDICT = "There is no BA here, so there is no verdict: see all metrics."

#: The name of an attribute that was handed over without one.
_UNNAMED = "sensitive_features"


def facts(summary: Row) -> Iterator[str]:
    """What was audited, in a few words each."""
    data, method = summary["data"], summary["method"]
    weighted = " with weights" if data["weighted"] else ""
    runs = f" in {data['runs']} runs" if "runs" in data else ""
    clusters = f" in {data['clusters']:,} clusters" if data["clusters"] else ""
    yield f"{data['rows']:,} rows{weighted}{clusters}{runs}"
    if data["dropped"]:
        yield f"{data['dropped']:,} rows left out"
    if data["abstained"]:
        yield f"{data['abstained']:,} predictions missing"
    if len(data["models"]) > 1:
        yield f"{len(data['models'])} models"
    yield f"directions from {data['reference']}"
    has_intervals = _has_intervals(summary)
    yield f"{level_of(method['confidence'])} intervals" if has_intervals else "no intervals"


def _has_intervals(summary: Row) -> bool:
    """Whether there are intervals from replicates, or over runs."""
    over_runs = "runs" in summary["data"] and any(
        it["low"] is not None for it in summary["metrics"]
    )
    return bool(summary["method"]["n_boot"]) or over_runs


# The verdict.


def _of_direction(summary: Row, direction: str) -> Row:
    ranked = ranking(summary, direction)
    order = list(_SAID)
    # What a reader has to know first, and of that the largest value.
    first = min(ranked, key=lambda it: order.index(it["verdict"]))
    named = f"{first['model']}: " if len(ranked) > 1 else ""
    return {
        "direction": direction,
        "verdict": first["verdict"],
        "headline": headline(ranked),
        "sentence": f"{named}{first['sentence']}",
        "details": list(_details(summary, direction, first["model"])),
    }


def headline(ranked: Sequence[Row]) -> str:
    """What the models do, in one sentence."""
    by_code = {code: [it["model"] for it in ranked if it["verdict"] == code] for code in _SAID}
    parts = [_said(code, models, len(ranked)) for code, models in by_code.items() if models]
    text = "; ".join(parts)
    # The name of a model stays as it is.
    ours = not any(text.startswith(it["model"]) for it in ranked)
    return f"{text[0].upper() if ours else text[0]}{text[1:]}."


def _said(code: str, models: Sequence[str], n_models: int) -> str:
    """A verdict on some of the models of a report."""
    if code == "cannot_say" and len(models) == n_models > 1:
        number = _NUMBERS.get(n_models, n_models)
        which = "either model" if n_models == 2 else f"any of the {number} models"
        return f"it cannot be said of {which} whether it amplifies bias"
    return _SAID[code][len(models) > 1].format(_subject(models, n_models))


def _subject(models: Sequence[str], n_models: int) -> str:
    """Some of the models of a report, as a sentence names them."""
    n = len(models)
    if n == n_models > 1:
        return "both models" if n == 2 else f"all {_NUMBERS.get(n, n)} models"
    if n > _MOST_NAMED:
        return f"{n} of {n_models} models"
    *first, last = models
    return f"{', '.join(first)} and {last}" if first else model_in_words(last)


def _details(summary: Row, direction: str, model: str) -> Iterator[str]:
    """How models differ, and what else moves the rates of the one that is told of."""
    differences = [row for row in summary["differences"] if _is_ba(row, direction)]
    clear = [row for row in differences if side(row)]
    if clear:
        most = max(clear, key=lambda row: abs(row["value"]))
        size = rounded({name: abs(most[name]) for name in ("value", "low", "high")}, sign="")
        where = "below" if most["value"] < 0 else "above"
        yield (
            f"BA of {most['model']} is {size.value} points {where} that of "
            f"{most['compared_with']} ({rounded(most).interval})."
        )
    elif any(row["low"] is not None for row in differences):
        yield "No difference between models can be told from chance."
    names = summary["data"]["task"], summary["data"]["tasks_are_columns"]
    confidence = summary["method"]["confidence"]
    if direction == T_TO_A or "runs" in summary["data"]:
        return
    for row in prevalence.far_apart(summary["prevalence"]):
        if row["model"] == model:
            yield prevalence.in_words(row, confidence, *names)
    yield from drift.in_words(summary["drift"], confidence, *names, briefly=True)


# How sure that is.


def _how_sure(summary: Row) -> Iterator[str]:
    if not _has_intervals(summary):
        yield "There are no intervals, so nothing here can be told from chance."
        return
    for direction in dict.fromkeys(row["direction"] for row in summary["verdicts"]):
        judged = [it for it in ranking(summary, direction) if it["verdict"] not in WITHOUT_NUMBERS]
        rows = [it["row"] for it in judged]
        bounded = [row for row in rows if row["low"] is not None]
        clear = sum(bool(side(row)) for row in bounded)
        name = f"BA {direction}"
        if len(bounded) == 1:
            yield f"The interval of {name} {'excludes' if clear else 'includes'} 0."
        elif bounded:
            yield f"{clear} of {len(bounded)} intervals of {name} exclude 0."
        yield from _doubts(summary, direction)
        seen = [row["detectable"] for row in bounded if row["detectable"] is not None]
        if seen:
            yield f"These rows can show changes of {name} of {_change(min(seen))} or more."


def _doubts(summary: Row, direction: str) -> Iterator[str]:
    """How many signs of the reference may be noise."""
    model = summary["data"]["models"][0]
    pairs = pairs_of(summary, direction, model)
    signs = [pair["uncertain"] for pair in pairs if pair["sign"]]
    if len(pairs) < number_of_pairs(summary, direction, model):
        row = next(it for it in summary["metrics"] if _is_ba(it, direction))
        share = percent(row["uncertain_signs"])
        yield f"{share} of the correlations of the reference may be noise."
    elif any(signs):
        yield f"{sum(signs)} of {len(signs)} correlations of the reference may be noise."
    elif signs:
        yield "No correlation of the reference is in doubt."


def pairs_of(summary: Row, direction: str, model: str) -> list[Row]:
    """The pairs of a model that are listed; of two classes, those of the positive one."""
    return [
        pair
        for pair in summary["pairs"]
        if pair["model"] == model
        and pair["direction"] == direction
        and summary["data"]["positive"] in (None, pair["task"])
    ]


def number_of_pairs(summary: Row, direction: str, model: str) -> int:
    """The pairs of a model, of which a report lists the strongest; of one class, those listed."""
    if summary["data"]["positive"] is not None:
        return 0
    trends = (row for row in summary["trends"] if row["model"] == model)
    return sum(row["pairs"] for row in trends if _is_ba(row, direction))


# What to read.


def _what_to_read(summary: Row) -> Iterator[str]:
    """The numbers to read first, beside them and not at all."""
    words = {"first": "First: {}.", "beside": "Beside it: {}.", "leave": "Leave aside: {}."}
    for place, sentence in words.items():
        models: dict[str, set[str]] = {}
        for row in summary["reading"]:
            if row["place"] == place:
                models.setdefault(row["metric"], set()).update(row["models"])
        names = [_number_to_read(summary, metric, named) for metric, named in models.items()]
        if names:
            yield sentence.format(", ".join(names))


def _number_to_read(summary: Row, metric: str, models: set[str]) -> str:
    """The name of a number and, unless it is so for all models, for which."""
    name = number_in_words(metric)
    named = [model for model in summary["data"]["models"] if model in models]
    return name if len(named) == len(summary["data"]["models"]) else f"{name} ({', '.join(named)})"


# What to do.


def _what_to_do(summary: Row) -> Iterator[str]:
    codes = {row["verdict"] for row in summary["verdicts"]}
    judged: dict[str, list[str]] = {}
    for row in summary["verdicts"]:
        judged.setdefault(row["reason"] or row["verdict"], []).append(row["model"])
    for key, models in judged.items():
        if key in _HELP and (summary["fairness"] or key not in _OF_RATES):
            few = len(judged) > 1 and len({*models}) <= _MOST_NAMED
            yield f"{', '.join(dict.fromkeys(models))}: {_HELP[key]}" if few else _HELP[key]
    amplifying = {
        (row["model"], row["direction"])
        for row in summary["verdicts"]
        if row["verdict"] in _AMPLIFY
    }
    for direction in (A_TO_T, T_TO_A):
        yield from _of_sweep(summary, direction, amplifying)
    one_class = summary["data"]["positive"] is not None
    if one_class and not summary["sweeps"] and amplifying:
        yield "Give scores to see what another threshold would change."
    if codes & _WANTS_ROWS and "runs" not in summary["data"]:
        yield from _of_more_rows(summary)


def _of_sweep(
    summary: Row, direction: str, amplifying: Collection[tuple[str, str]]
) -> Iterator[str]:
    """What other thresholds would do, for the model with the largest value, which tells most."""
    ranked = [it["model"] for it in ranking(summary, direction)]
    curves = {
        curve["model"]: curve
        for curve in summary["sweeps"]
        if curve["name"] == f"BA {direction}" and "run" not in curve
    }
    for curve in [curves[model] for model in ranked if model in curves][:1]:
        amplifies = (curve["model"], direction) in amplifying
        yield from _of_threshold(curve, amplifies=amplifies)
        if amplifies and "by_group" in curve:
            yield from _of_groups(curve)


def _of_threshold(curve: Row, *, amplifies: bool) -> Iterator[str]:
    """What the threshold that predicts as many as the reference has would do."""
    audited, wanted = curve["audited_share"], curve["reference_share"]
    positive = f"to be {curve['attribute']}" if "attribute" in curve else "positive"
    points = [point for point in curve["points"] if point["amplification"]["value"] is not None]
    nearest = min(points, key=lambda point: abs(point["share"] - wanted), default=None)
    if nearest is None:
        return
    if abs(nearest["share"] - audited) < _FAR_SHARE:
        if amplifies:
            yield (
                f"The threshold of {model_in_words(curve['model'])} is calibrated as far as its "
                f"scores allow ({percent(audited)} are predicted {positive}; in the reference, "
                f"{percent(wanted)} are): what amplifies is the score, not the threshold."
            )
        return
    amplification = rounded(nearest["amplification"])
    yield (
        f"{model_in_words(curve['model'], starts=True)} predicts {percent(audited)} {positive}; in "
        f"the reference, {percent(wanted)} are. At a threshold that predicts "
        f"{percent(nearest['share'])} {positive}, {curve['name']} is {amplification.value} points"
        f"{f' ({amplification.interval})' if amplification.interval else ''}, and "
        f"{nearest['accuracy']['value']:.1%} are right."
    )


def _of_groups(curve: Row) -> Iterator[str]:
    """What thresholds of each group would do, and what is to be known of them."""
    found = curve["by_group"]
    if found["amplification"]["value"] is None:
        return
    amplification = number(100 * found["amplification"]["value"], 1)
    yield (
        f"A threshold for each group (group_thresholds) would make {curve['name']} "
        f"{amplification} points, with {found['accuracy']['value']:.1%} right, on these "
        "rows, which set the thresholds. That keeps the gap of the data, which is not fairness, "
        "and reads the attribute to decide, which the law may forbid."
    )


def _of_more_rows(summary: Row) -> Iterator[str]:
    """What four times as many rows would show: the error of a value falls with their root."""
    found = [row["detectable"] for row in summary["metrics"] if row["name"].startswith("BA ")]
    seen = [change for change in found if change is not None]
    if seen:
        yield (
            f"Four times as many rows ({4 * summary['data']['rows']:,}) could show changes of "
            f"{_change(min(seen) / 2)} or more."
        )


def _change(change: float) -> str:
    """A change of rates that can be seen, in points."""
    # One decimal, unless that would leave no digit.
    digits = digits_of(100 * change)
    return f"{number(100 * change, max(min(digits, 1), digits - 1), '')} points"
