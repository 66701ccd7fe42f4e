"""How the groups, classes and tasks of one direction are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.auditing.summary import Data, Member, Summary
from biasamp_adapters.figures import name, plural
from biasamp_adapters.inference.gaps import ALL_ROWS
from biasamp_adapters.inference.intervals import FEW_ROWS


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
        has_labels = self.data["compared_with"] == words.LABELS
        return words.LABELS if has_labels else words.GIVEN_RATES

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

    def group(self, label: Any) -> str:
        """Return the name of a group: "Caucasian", "sex = 1"."""
        if self.data["feature"] is not None:
            return name(label, self.data["feature"])
        if isinstance(label, bool | int | float):
            return words.GROUP_ALONE.format(value=label)
        return name(label)

    def class_(self, label: Any) -> str:
        """Return the name of a class or a task: "hired = 1", "class 1", "horse"."""
        if self.data["kind"] == "tasks":
            return name(label)
        if self.data["label"] is None:
            return words.CLASS_ALONE.format(value=name(label))
        return words.CLASS.format(label=name(self.data["label"]), value=name(label))

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
            return (words.WITH if positive else words.WITHOUT).format(value=name(label))
        if positive:
            return name(label)
        others = [row["name"] for row in self.data["classes"] if row["name"] != label]
        if len(others) == 1:
            return name(others[0])
        return words.OTHER_THAN.format(value=name(label))

    def marked(self) -> str:
        """Return which class is marked as favourable or unfavourable, if any is."""
        label, favorable = self.data["positive"], self.data["favorable"]
        if favorable is None or self.compares_classes or self.data["kind"] == "tasks":
            return ""
        if label is None or not self.has_two_classes:
            label = favorable
        mark = words.FAVOURABLE if label == favorable else words.UNFAVOURABLE
        return words.MARKED.format(class_=self.class_(label), favourable=mark)


def names_of(summary: Summary, direction: str) -> Names:
    """Return how the groups and classes of one direction are called."""
    return Names(direction, summary["data"])


def is_small(member: Member) -> bool:
    """Return whether a group or class is too small to be compared."""
    return member["size"] < FEW_ROWS * (1 - 1e-9)
