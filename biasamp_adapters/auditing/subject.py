"""The records of one model in one direction, and how its groups and classes are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from biasamp_adapters import words
from biasamp_adapters.auditing.summary import (
    DOWN,
    PARTS,
    UP,
    Data,
    DifferenceRecord,
    GapRecord,
    LeftOutRecord,
    Member,
    MetricRecord,
    MissingRecord,
    Number,
    RateRecord,
    ScoreRecord,
    Summary,
    VerdictRecord,
    no_number,
    number_of,
)
from biasamp_adapters.figures import Digits, count, is_clear, name, percent, plural
from biasamp_adapters.inference.intervals import are_few
from biasamp_adapters.inference.verdict import ALL_ROWS


@dataclass(frozen=True)
class Names:
    """How the groups, classes and tasks of one direction are called.

    A gap compares two *members*, which are groups or, for T->A, classes or tasks. Its rates count
    what the other role holds.

    Attributes
    ----------
    direction : {"A->T", "T->A"}
    data : Data
        The part of the summary that holds the names.
    """

    direction: str
    data: Data

    @property
    def compares_classes(self) -> bool:
        """Whether classes are compared in the shares of groups (T->A)."""
        return self.direction == "T->A"

    @property
    def noun(self) -> str:
        """What is compared: "group", "class" or "task"."""
        return self._class_noun if self.compares_classes else "group"

    @property
    def nouns(self) -> str:
        """The plural of the noun."""
        return plural(2, self.noun)

    @property
    def _class_noun(self) -> str:
        return "task" if self.data["kind"] == "tasks" else "class"

    @property
    def members(self) -> list[Member]:
        """The groups or, for T->A, the classes."""
        return self.data["classes" if self.compares_classes else "groups"]

    @property
    def both(self) -> str:
        """All that is compared: "both groups", "all classes"."""
        template = words.BOTH if len(self.members) == 2 else words.ALL
        return template.format(members=self.nouns)

    @property
    def true(self) -> str:
        """What predictions are compared with: "labels" or "given rates"."""
        return self.data["compared_with"]

    @property
    def has_labels(self) -> bool:
        """Whether predictions are compared with labels."""
        return self.true == words.LABELS

    @property
    def has_two_classes(self) -> bool:
        """Whether labels have two classes, of which one says it all."""
        return self.data["kind"] == "classes" and len(self.data["classes"]) == 2

    @property
    def feature(self) -> str:
        """The name of the sensitive feature; "group" if its column has none."""
        return "group" if self.data["feature"] is None else name(self.data["feature"])

    @property
    def the_feature(self) -> str:
        """The name of the sensitive feature, as a sentence tells it."""
        return words.THE_FEATURE if self.data["feature"] is None else self.feature

    @property
    def label(self) -> str:
        """The name of the column of labels; "class" or "task" if there is none."""
        if self.data["kind"] == "tasks" or self.data["label"] is None:
            return self._class_noun
        return name(self.data["label"])

    @cached_property
    def _all(self) -> tuple[Any, ...]:
        """All names that must differ in print: groups, classes or tasks, and models."""
        members = [row["name"] for row in (*self.data["groups"], *self.data["classes"])]
        return (*members, *self.data["models"])

    def text(self, label: Any, feature: str = "") -> str:
        """Return how a group, a class or a model prints."""
        return name(label, feature, self._all)

    def _alone(self, noun: str, label: Any) -> str:
        """Return a name that stands alone: "horse", but a number after its noun, as in "task 1"."""
        is_number = isinstance(label, int | float)
        return words.AFTER_NOUN.format(noun=noun, value=label) if is_number else self.text(label)

    def model(self, label: Any) -> str:
        """Return the name of a model: "forest", "model 0" of a seed."""
        return self._alone("model", label)

    def group(self, label: Any) -> str:
        """Return the name of a group: "Caucasian", "sex = 1"."""
        if self.data["feature"] is not None:
            return self.text(label, self.data["feature"])
        return self._alone("group", label)

    def class_(self, label: Any) -> str:
        """Return the name of a class or a task: "hired = 1", "class 1", "horse"."""
        if self.data["kind"] == "tasks":
            return self._alone("task", label)
        if self.data["label"] is None:
            return words.AFTER_NOUN.format(noun="class", value=self.text(label))
        return words.CLASS.format(label=name(self.data["label"]), value=self.text(label))

    def member(self, label: Any) -> str:
        """Return the name of one side of a gap: a group or, for T->A, a class."""
        if label == ALL_ROWS:
            return ALL_ROWS
        return self.class_(label) if self.compares_classes else self.group(label)

    def counted(self, label: Any) -> str:
        """Return the name of what a rate counts: a class or, for T->A, a group."""
        return self.group(label) if self.compares_classes else self.class_(label)

    def labelled(self, label: Any, positive: bool = True) -> str:
        """Return a kind of rows by its value: "1", "without horse", "other than red"."""
        if self.data["kind"] == "tasks":
            return (words.WITH if positive else words.WITHOUT).format(value=self.class_(label))
        if positive:
            return self.text(label)
        others = [row["name"] for row in self.data["classes"] if row["name"] != label]
        if len(others) == 1:
            return self.text(others[0])
        return words.OTHER_THAN.format(value=self.text(label))

    def missing(self, record: MissingRecord) -> dict[str, str]:
        """Return between which members, and in which rows, predictions are missing unequally."""
        of_model = f" of {self.model(record['model'])}" if len(self.data["models"]) > 1 else ""
        predictions = words.PREDICTED_GROUPS if self.compares_classes else words.PREDICTIONS
        return {"predictions": predictions, "of_model": of_model, **self.shares(record)}

    def shares(self, record: LeftOutRecord) -> dict[str, str]:
        """Return which share of which two members a record is about, and in which rows."""
        rates, decimals = (record["first_rate"], record["second_rate"]), 0
        while len({percent(rate, decimals) for rate in rates}) < len({*rates}):
            decimals += 1
        first, second = (percent(rate, decimals) for rate in rates)
        members = {"a": self.member(record["first"]), "b": self.member(record["second"])}
        return {"within": self._within(record), "first": first, "second": second, **members}

    def _within(self, record: LeftOutRecord) -> str:
        """Return in which rows shares differ, as it goes on after "Find out why"."""
        kind = record["labelled"]
        if kind is None:
            return " "
        if self.compares_classes:
            return words.WITHIN_GROUP.format(group=self.group(kind))
        return words.WITHIN_LABELLED.format(kind=self.labelled(kind))

    def accuracies(self, low: MetricRecord, high: MetricRecord, digits: Digits) -> dict[str, str]:
        """Return two accuracies and the models that have them."""
        models = {"low_model": self.model(low["model"]), "high_model": self.model(high["model"])}
        return models | {"low": digits.rate(low["value"]), "high": digits.rate(high["value"])}

    def marked(self) -> str:
        """Return which class is marked as favourable or unfavourable, if any is."""
        data, label, favorable = self.data, self.data["positive"], self.data["favorable"]
        if isinstance(favorable, list | None) or self.compares_classes or data["kind"] == "tasks":
            return ""
        if label is None or not self.has_two_classes:
            label = favorable
        mark = words.FAVOURABLE if label == favorable else words.UNFAVOURABLE
        return words.MARKED.format(class_=self.class_(label), favourable=mark)


def is_small(member: Member) -> bool:
    """Return whether a group or class is too small to be compared."""
    return bool(are_few(member["size"]))


#: Colours by meaning: up is orange, down blue, turned purple, mixed half orange and half blue.
Tone: TypeAlias = Literal["", "up", "down", "turned", "mixed", "unclear"]
_TONES: dict[str, Tone] = {"amplifies": "up", "grows": "up", "appears": "up", "reduces": "down"}
_TONES |= {"shrinks": "down", "reverses": "turned", "mixed": "mixed"}


@dataclass(frozen=True)
class Subject:
    """The records of one model in one direction.

    Attributes
    ----------
    summary : Summary
    verdict : VerdictRecord
        Says which model and which direction.
    """

    summary: Summary
    verdict: VerdictRecord

    @cached_property
    def names(self) -> Names:
        """How groups and classes are called."""
        return Names(self.verdict["direction"], self.summary["data"])

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.names.model(self.verdict["model"])

    @cached_property
    def models(self) -> list[Subject]:
        """All models in this direction, of which this is one."""
        return subjects_of(self.summary, self.verdict["direction"])

    @property
    def has_several_models(self) -> bool:
        """Whether the audit compares models."""
        return len(self.models) > 1

    def with_model(self, sentence: str) -> str:
        """Return a sentence on the model, which names it where there are several."""
        is_named = self.has_several_models
        return words.OF_MODEL.format(model=self.name, sentence=sentence) if is_named else sentence

    def records(self, part: str) -> list[Any]:
        """Return the records of a part about this model and direction; if they say none, A->T."""
        parts: dict[str, Any] = {**self.summary}
        about = self.verdict["model"], self.verdict["direction"]
        return [x for x in parts[part] if (x["model"], x.get("direction", "A->T")) == about]

    @cached_property
    def gaps(self) -> list[GapRecord]:
        """All gaps, from the most certain change on."""
        return self.records("gaps")

    @property
    def changed(self) -> list[GapRecord]:
        """The gaps that clearly change."""
        return list(filter(is_changed, self.gaps))

    @property
    def verb_of_unclear(self) -> tuple[str, str]:
        """What gaps that are not clear do not clearly do, plural and singular."""
        return verb_of_unclear(self.gaps)

    @cached_property
    def has_several_classes(self) -> bool:
        """Whether gaps are of several classes or tasks or, for T->A, of several groups."""
        return len({gap["of_class"] for gap in self.gaps}) > 1

    @property
    def named(self) -> list[GapRecord]:
        """The gaps that sentences name: one, for mixed changes two, or none."""
        named = [self.gaps[position] for position in self.verdict["named"]]
        is_only_gap = len(self.gaps) == 1 and not self.has_several_models
        if self.verdict["no_errors"] or not (is_only_gap or any(map(is_changed, named))):
            return []
        return named

    @property
    def main(self) -> int | None:
        """The position of the named gap with the most certain change."""
        return min(self.verdict["named"]) if self.named else None

    @cached_property
    def gap(self) -> GapRecord | None:
        """The gap of the table and of the pictures: the only one, or one that changes."""
        if len(self.gaps) == 1:
            return self.gaps[0]
        named = [self.gaps[position] for position in sorted(self.verdict["named"])]
        return next(filter(is_changed, named), None)

    @cached_property
    def rates(self) -> list[RateRecord]:
        """The rates of all groups and classes."""
        return self.records("rates")

    @property
    def has_signs(self) -> bool:
        """Whether a rate differs between groups in the labels; else BA is 0 for every model."""
        return {rate["sign"] for rate in self.rates} != {0}

    @property
    def has_errors(self) -> bool:
        """Whether equal error rates and errors by group say something: not of one prediction."""
        is_constant = bool(self.verdict["constant"])
        if self.main is not None and self.names.data["kind"] == "tasks":
            task = self.gaps[self.main]["of_class"]
            rates = [rate["overall"] for rate in self.rates if rate["of_class"] == task]
            is_constant = is_constant or any(rate in (0, 1) for rate in rates)
        return self.names.has_labels and not (self.verdict["no_errors"] or is_constant)

    @property
    def beyond(self) -> Number:
        """The predicted gap of the table minus the one with equal error rates, if it exists."""
        return number_of(self.gap, "beyond") if self.gap and self.has_errors else no_number()

    @property
    def compares_beyond(self) -> bool:
        """Whether the table of several models has such a number."""
        return self.has_several_models and any(x.beyond["value"] is not None for x in self.models)

    def score(self, position: int | None) -> ScoreRecord | None:
        """Return how a gap goes from the labels to the scores and on to the decisions."""
        return next((x for x in self.records("scores") if x["gap"] == position), None)

    def number(self, name: str) -> MetricRecord | None:
        """Return a number of the model in this direction, if it exists: "ba", "excess"."""
        record = self.metric(f"{name}_{'t_to_a' if self.names.compares_classes else 'a_to_t'}")
        return record if record and record["value"] is not None else None

    def metric(self, key: str, model: str | None = None) -> MetricRecord | None:
        """Return a number of the model, or of another one, by its key."""
        model = self.verdict["model"] if model is None else model
        for record in self.summary["metrics"]:
            if record["key"] == key and record["model"] == model:
                return record
        return None

    def differences(self, key: str) -> list[DifferenceRecord]:
        """Return the differences of the other models from the first in one number."""
        about = key, self.verdict["direction"]
        return [x for x in self.summary["differences"] if (x["key"], x["direction"]) == about]

    def differing_accuracies(self) -> tuple[MetricRecord, MetricRecord] | None:
        """Return the lowest and the highest accuracy if models clearly differ in it."""
        records = [model.metric("accuracy") for model in self.models]
        n_probabilities = len(self.names.data["probabilities"])  # Of all models or of none.
        is_alike = n_probabilities in (0, len(self.models))
        if not is_alike or not any(map(is_clear, self.differences("accuracy"))):
            return None
        ordered = sorted(filter(None, records), key=lambda record: record["value"] or 0.0)
        return (ordered[0], ordered[-1]) if ordered else None


def subject_of(summary: Summary, direction: str) -> Subject:
    """Return the subject of one direction: the model with the most certain change of all.

    Of equal ones it is the first.
    """
    return max(subjects_of(summary, direction), key=_certainty)


def subjects_of(summary: Summary, direction: str) -> list[Subject]:
    """Return the subjects of all models in one direction."""
    return [Subject(summary, x) for x in summary["verdicts"] if x["direction"] == direction]


def _certainty(subject: Subject) -> tuple[bool, float]:
    """Return whether a gap clearly changes, and how far the band of its change is from 0.

    A model without errors comes last.
    """
    gap = next(iter(subject.gaps), None)
    if subject.verdict["no_errors"] or not gap or gap["low"] is None or gap["high"] is None:
        return False, -2.0
    return is_changed(gap), max(gap["low"], -gap["high"])


def tone_of(code: str) -> Tone:
    """Return the colour of a code or of a status."""
    return _TONES.get(code, "unclear")


def is_changed(gap: GapRecord) -> bool:
    """Return whether a gap clearly changes."""
    return gap["status"] in UP + DOWN


def verb_of_unclear(gaps: Iterable[GapRecord]) -> tuple[str, str]:
    """Return what those of some gaps that are not clear do not clearly do, plural and singular."""
    is_moving = any(is_clear(gap) and not is_changed(gap) for gap in gaps)
    return words.GROW_OR_SHRINK if is_moving else words.CHANGE_AT_ALL


def all_models(n: int) -> str:
    """Return "both models" or "all 3 models"."""
    if n == 2:
        return words.BOTH.format(members="models")
    return words.ALL.format(members=count(n, "model"))


def is_above(number: Number) -> bool:
    """Return whether an interval lies above 0."""
    return number["low"] is not None and number["low"] > 0


def summary_of_model(summary: Summary, model: str) -> Any:
    """Return the summary of one model alone."""
    parts: dict[str, Any] = {**summary}
    kept = {
        part: [record for record in parts[part] if record.get("model", model) == model]
        for part in (*PARTS, "errors", "missing", "scores")
    }
    return {**summary, **kept, "data": {**summary["data"], "models": [model]}}
