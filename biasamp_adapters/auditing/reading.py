"""Which numbers of a report to read first, which beside them and which to leave, and why.

The rules are those of the documentation, "Which metric when": the name of a rule is a row of its
table. Two of its rows are not here, as counts do not show them: whether the label is a proxy for
what is meant (risk prediction), and numbers that are no labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.subject import SILENCE, Subject
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A, UNDIRECTED

Place: TypeAlias = Literal["first", "beside", "leave"]

#: In the order in which they are shown.
PLACES: tuple[Place, ...] = ("first", "beside", "leave")

_SELECTION, _FALSE_POSITIVES = "selection_rate_difference", "false_positive_rate_difference"

#: Parts of a report that rules speak of, beside its metrics and fairness measures.
PARTS = ("prevalence", "trends", "sweeps")

#: Their names in words, where those are others.
_IN_WORDS = {"trends": "what the mean hides", "sweeps": "thresholds"}

_METRICS = ("BA", "MALS", "Multi", "LA", "DPA", "DPA(U)")


class Rule(NamedTuple):
    """A rule for what to read.

    Attributes
    ----------
    name : str
        The kind of data that it is about: a row of the table in the documentation.
    numbers : tuple of str
        Metrics without their direction, fairness measures or parts.
    place : {"first", "beside", "leave"}
    applies : callable
        Whether the rule holds for such a number.
    sentence : str
        Why, with attributes of the number in braces.
    """

    name: str
    numbers: tuple[str, ...]
    place: Place
    applies: Callable[[Subject], object]
    sentence: str


#: The first rule that applies to a number is the one that counts.
RULES: tuple[Rule, ...] = (
    Rule(
        "several or crossed attributes",
        _METRICS,
        "leave",
        lambda it: it.verdict["reason"] == "one_group",
        "{it.verdict[sentence]}",
    ),
    Rule(
        "several or crossed attributes",
        ("BA",),
        "leave",
        lambda it: it.verdict["reason"] == "few_rows",
        "{it.verdict[sentence]}",
    ),
    Rule(
        "balanced data",
        ("BA", "MALS", "Multi"),
        "leave",
        lambda it: it.row["zero_by_construction"] and it.row["value"] == 0,
        "{it.zero}, whatever the model does.",
    ),
    Rule(
        "no ground truth",
        ("BA",),
        "first",
        lambda it: it.by_hand,
        "Rates were set by hand, as there is no ground truth. BA-> compares the predictions with "
        "them; with other rates it is another number.",
    ),
    Rule(
        "no ground truth",
        ("MALS",),
        "beside",
        lambda it: it.by_hand,
        "It compares with rates set by hand as well, with both directions in one number.",
    ),
    Rule(
        "no ground truth",
        ("LA", "DPA", "DPA(U)"),
        "leave",
        lambda it: it.by_hand,
        "It compares with a truth; here the rates that were set by hand are what counts.",
    ),
    Rule(
        "training data and predictions, no test truth",
        ("MALS",),
        "first",
        lambda it: it.lacks_truth,
        "The audited rows have no truth, and it compares the predictions with the rates of the "
        "reference.",
    ),
    Rule(
        "training data and predictions, no test truth",
        ("Multi",),
        "beside",
        lambda it: it.lacks_truth,
        "It compares with the rates of the reference as well: how far they move, not which way.",
    ),
    Rule(
        "a constant prediction",
        (_SELECTION,),
        "first",
        lambda it: it.is_constant and it.has_value and not it.is_silent,
        "{it.who} predicts {it.constant} for everybody, so selection rates are the same in all "
        "groups.",
    ),
    Rule(
        "a constant prediction",
        _METRICS,
        "leave",
        lambda it: it.is_constant,
        "{it.who} predicts {it.constant} for everybody: that is what this describes, not bias.",
    ),
    Rule(
        "abstentions",
        tuple(SILENCE.values()),
        "first",
        lambda it: it.is_silent,
        "{it.who} abstains from every prediction: there is nothing else to read.",
    ),
    Rule(
        "abstentions",
        tuple(SILENCE.values()),
        "first",
        lambda it: it.silence_differs and it.has_value,
        "{it.who} abstains from one group more often than from another, by {it.points}, which "
        "moves every rate of a group.",
    ),
    Rule(
        "abstentions",
        tuple(SILENCE.values()),
        "beside",
        lambda it: it.has_value,
        "{it.who} abstains from some predictions, which moves rates. Abstention rates {it.differ}.",
    ),
    Rule(
        "abstentions",
        _METRICS,
        "leave",
        lambda it: it.silence_differs,
        "{it.who} abstains from one group more often than from another, which cannot be told from "
        "a change of bias.",
    ),
    Rule(
        "balanced data",
        (_SELECTION,),
        "first",
        lambda it: it.is_balanced and it.has_value and not it.is_silent,
        "The reference is balanced, and selection rates of {it.task} {it.differ}.",
    ),
    Rule(
        "nearly balanced data",
        ("BA",),
        "leave",
        lambda it: it.is_nearly_balanced or it.direction_unknown,
        "The reference hardly correlates the pairs that move, so whether a change is more or less "
        "bias is not known.",
    ),
    Rule(
        "nearly balanced data",
        (_SELECTION,),
        "first",
        lambda it: it.is_nearly_balanced and it.has_value and not it.is_silent,
        "The reference is nearly balanced, and selection rates of {it.task} {it.differ}.",
    ),
    Rule(
        "nearly balanced data",
        (_SELECTION,),
        "first",
        lambda it: it.direction_unknown and it.has_value,
        "Whichever way the reference goes, selection rates of {it.task} {it.differ}.",
    ),
    Rule(
        "groups of unequal size",
        ("DPA",),
        "leave",
        lambda it: it.groups.unequal and it.direction == T_TO_A,
        "Here {it.sizes}, and 1/cross-entropy reads size as bias.{it.contradiction}",
    ),
    Rule(
        "classes of unequal size",
        ("DPA",),
        "leave",
        lambda it: it.classes.unequal and it.direction == A_TO_T,
        "Here {it.sizes}, and 1/cross-entropy reads size as bias.{it.contradiction}",
    ),
    Rule(
        "sparse tables",
        ("LA", "DPA", "DPA(U)"),
        "leave",
        lambda it: it.summary["method"]["n_boot"] > 0 and it.row["low"] is None,
        "It has no interval that can be trusted; its note says why.",
    ),
    Rule(
        "metrics that contradict each other",
        ("LA", "DPA", "DPA(U)"),
        "beside",
        lambda it: it.contradicts,
        'It is {it.row[reading]} where the verdict is "{it.words}". {it.belief}',
    ),
    Rule(
        "metrics that contradict each other",
        ("LA", "DPA", "DPA(U)"),
        "beside",
        lambda it: it.agrees_beneath_errors,
        "It is above 0 where BA-> is not, and both hold: rates did not move apart, and mistakes as "
        "frequent as these should have moved them together.",
    ),
    Rule(
        "balanced data",
        ("DPA",),
        "first",
        lambda it: it.shows_no_direction and not (it.groups.unequal or it.classes.unequal),
        "Groups and classes are of nearly equal size, where DPA sees what BA-> cannot.",
    ),
    Rule(
        "balanced data",
        ("DPA(U)",),
        "beside",
        lambda it: it.shows_no_direction,
        "It sees whether predictions depend on groups at all; read it with the levels of U.",
    ),
    Rule(
        "balanced data",
        ("Multi",),
        "beside",
        lambda it: it.shows_no_direction and it.direction != UNDIRECTED,
        "It shows how far rates move, though not which way.",
    ),
    Rule(
        "groups of unequal size",
        ("LA",),
        "beside",
        lambda it: it.groups.unequal,
        "Here {it.sizes}, and balanced accuracy gains nothing by guessing the largest.",
    ),
    Rule(
        "classes of unequal size",
        ("DPA(U)",),
        "beside",
        lambda it: it.sizes.unequal,
        "It measures dependence, not size; read it with the levels of U.",
    ),
    Rule(
        "classes of unequal size",
        (_FALSE_POSITIVES,),
        "beside",
        lambda it: it.classes.unequal and it.has_value and not it.is_constant,
        "Whatever the size of classes, false positive rates of {it.task} {it.differ}.",
    ),
    Rule(
        "a predicted attribute",
        ("BA", "DPA"),
        "beside",
        lambda it: it.direction == T_TO_A,
        "T->A is there because the attribute is predicted: ask first whether that is needed. "
        "Values of the two directions cannot be compared.",
    ),
    Rule(
        "many labels in a row",
        ("trends",),
        "beside",
        lambda it: it.opposite_pairs,
        "Some pairs move along the reference's correlations and others against them, which a mean "
        "over pairs hides.",
    ),
    Rule(
        "prevalence far from the truth's",
        ("prevalence",),
        "beside",
        lambda it: it.prevalence is not None and not it.is_constant,
        "{it.frequency}, and rates move with that.",
    ),
    Rule(
        "scores, not decisions",
        ("sweeps",),
        "beside",
        lambda it: True,
        "Every value depends on the threshold, and the curve shows how.",
    ),
    Rule(
        "several or crossed attributes",
        ("Multi",),
        "beside",
        lambda it: len(it.summary["data"]["attributes"]) > 1 and it.direction != UNDIRECTED,
        "Attributes are crossed: it shows how far the rates of all groups move, not which way.",
    ),
    Rule(
        "correlated labels with a known truth",
        ("BA",),
        "first",
        lambda it: True,
        "It compares predicted rates with those of the truth, in the direction of the reference's "
        "correlations.{it.caution}",
    ),
    Rule(
        "correlated labels with a known truth",
        ("MALS",),
        "leave",
        lambda it: True,
        "It mixes both directions, and takes the larger group for the correlated one.",
    ),
)


def what_to_read(summary: Row) -> list[Row]:
    """The numbers of a report in the order in which to read them, with the reasons.

    Parameters
    ----------
    summary : dict
        The summary of a report, without this part.

    Returns
    -------
    list of dict
        Each with ``metric`` (a metric and direction in short, a fairness measure, or a part of the
        summary), ``place`` ("first", "beside" or "leave"), ``reason`` and the ``models`` for which
        it holds. What no rule speaks of is not listed.
    """
    models: dict[tuple[int, str, str], list[str]] = {}
    for model in summary["data"]["models"]:
        for subject in _subjects(summary, model):
            number = _rule_for(subject)
            if number is not None:
                reason = RULES[number].sentence.format(it=subject)
                models.setdefault((number, subject.name, reason), []).append(model)
    rows = [
        {"metric": metric, "place": RULES[number].place, "reason": reason, "models": names}
        for (number, metric, reason), names in sorted(models.items(), key=lambda item: item[0][0])
    ]
    return sorted(rows, key=lambda row: PLACES.index(row["place"]))


def _rule_for(subject: Subject) -> int | None:
    """The position of the rule that counts for a number, if one applies."""
    applying = (
        i
        for i, rule in enumerate(RULES)
        if subject.metric in rule.numbers and rule.applies(subject)
    )
    return next(applying, None)


def _subjects(summary: Row, model: str) -> Iterator[Subject]:
    """The numbers of a model: metrics, the largest of each fairness measure, and parts."""
    named = [("name", row) for row in summary["metrics"]]
    named += [("measure", row) for row in summary["fairness"]]
    seen = set[str]()
    for key, row in named:
        if row["model"] == model and row[key] not in seen:
            seen.add(row[key])
            yield Subject(summary, model, row[key], row)
    for part in PARTS:
        if any(row["model"] == model for row in summary[part]):
            yield Subject(summary, model, part, {})


def number_in_words(name: str) -> str:
    """The name of a metric, a fairness measure or a part of the report, as a reader knows it."""
    return _IN_WORDS.get(name, name.replace("_", " "))
