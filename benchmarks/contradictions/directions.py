"""The records of one direction of a summary, as sentences name and need them.

Nothing here uses the wording code, so that its faults are not shared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from contradictions.printed import KINDS, shown, spaced

UP, DOWN = ("grows", "appears"), ("shrinks", "reverses")
CODES = {
    "larger gaps": "amplifies",
    "smaller gaps": "reduces",
    "reversed gaps": "reverses",
    "mixed changes": "mixed",
    "no clear change": "no_clear_change",
    "no verdict": "cannot_say",
}
VERBS = {"grow": "grows", "appear": "appears", "shrink": "shrinks", "reverse": "reverses"}
VERBS |= {verb: verb for verb in VERBS.values()}


@dataclass
class Direction:
    """The records of one direction, of the model that is told; `gap` is the one just named."""

    summary: Any
    name: str
    gap: Any = None
    others: dict[str, Any] = field(default_factory=dict)

    # Names.

    @property
    def data(self) -> Any:
        return self.summary["data"]

    @property
    def is_reversed(self) -> bool:
        return self.name == "T->A"

    @property
    def members(self) -> list[Any]:
        return self.data["classes" if self.is_reversed else "groups"]

    @property
    def noun(self) -> str:
        return self.class_noun if self.is_reversed else "group"

    @property
    def class_noun(self) -> str:
        return "task" if self.data["kind"] == "tasks" else "class"

    @property
    def nouns(self) -> str:
        return {"group": "groups", "class": "classes", "task": "tasks"}[self.noun]

    def group(self, label: Any) -> str:
        is_number = not isinstance(label, str)
        if self.data["feature"] is None and is_number:
            return f"group {label}"
        return shown(label, self.data["feature"])

    def class_(self, label: Any) -> str:
        if self.data["kind"] == "tasks":
            return f"task {label}" if isinstance(label, int) else shown(label)
        if self.data["label"] is None:
            return f"class {shown(label)}"
        return f"{shown(self.data['label'])} = {shown(label)}"

    def member(self, label: Any) -> str:
        if label == "all rows":
            return "all rows"
        return self.class_(label) if self.is_reversed else self.group(label)

    def counted(self, label: Any) -> str:
        return self.group(label) if self.is_reversed else self.class_(label)

    def kind(self, label: Any, positive: bool = True) -> str:
        """Return rows by their label: "1", "without horse", "other than red"."""
        if self.data["kind"] == "tasks":
            return f"{'with' if positive else 'without'} {self.class_(label)}"
        others = [row["name"] for row in self.data["classes"] if row["name"] != label]
        if positive:
            return shown(label)
        return shown(others[0]) if len(others) == 1 else f"other than {shown(label)}"

    @cached_property
    def patterns(self) -> dict[str, str]:
        """Return what placeholders match."""
        groups = [row["name"] for row in self.data["groups"]]
        classes = [row["name"] for row in self.data["classes"]]
        given, counted = (classes, groups) if self.is_reversed else (groups, classes)
        kinds = [self.kind(label, positive) for label in classes for positive in (True, False)]
        members = _one([*map(self.member, given), "all rows"])
        return KINDS | {
            "member": members,
            "counted": _one(map(self.counted, counted)),
            "class": _one(map(self.class_, classes)),
            "group": _one([*map(self.group, groups), "all rows"]),
            "kind": _one([*kinds, *map(shown, classes)]),
            "model": _one(map(shown, self.data["models"])),
            "word": "more|less|equally high|equally|higher|lower|larger|smaller|the same",
            "nouns": "groups|classes|tasks",
            "scope": f"(?:groups|classes|tasks)(?: and all rows)?|(?:{members}) and (?:{members})",
        }

    # Records.

    @property
    def true(self) -> str:
        return "labels" if self.data["compared_with"] == "labels" else "given rates"

    @property
    def verdicts(self) -> list[Any]:
        return [row for row in self.summary["verdicts"] if row["direction"] == self.name]

    @cached_property
    def named(self) -> list[Any]:
        """Return the members that have rates; of a group that is gone only its name is known."""
        rates = [x["group"] for x in self.summary["rates"] if x["direction"] == self.name]
        return [row["name"] for row in self.members if row["name"] in rates]

    def is_compared(self, rate: Any) -> bool:
        """Return whether gaps compare a rate: of two classes, or T->A of two groups, only one."""
        if self.verdict["signs"] != len(self.named):
            return True
        own = [x for x in self.every_gap if x["model"] == rate["model"]]
        rates = [x for x in self.summary["rates"] if x["direction"] == self.name]
        last = rates[-1]["of_class"] if self.is_reversed else self.data["positive"]
        return bool(rate["of_class"] == (own[0]["of_class"] if own else last))

    @cached_property
    def every_gap(self) -> list[Any]:
        return [gap for gap in self.summary["gaps"] if gap["direction"] == self.name]

    @cached_property
    def verdict(self) -> Any:
        """The verdict of the model with the most certain change that makes errors."""

        def certainty_of(row: Any) -> tuple[bool, float]:
            gaps = [gap for gap in self.every_gap if gap["model"] == row["model"]]
            if row["no_errors"] or not gaps:
                return False, -2.0
            return max(map(certainty, gaps))

        return max(self.verdicts, key=certainty_of)

    def tell(self, model: str = "") -> None:
        """Turn to a model, or back to the one with the most certain change."""
        self.__dict__.pop("verdict", None)
        self.__dict__.pop("gaps", None)
        if model:
            self.verdict = next(x for x in self.verdicts if shown(x["model"]) == model)

    @cached_property
    def gaps(self) -> list[Any]:
        gaps = [gap for gap in self.every_gap if gap["model"] == self.verdict["model"]]
        return sorted(gaps, key=certainty, reverse=True)

    @property
    def statuses(self) -> Counter[str]:
        return Counter(gap["status"] for gap in self.gaps)

    @property
    def has_several_models(self) -> bool:
        return len(self.verdicts) > 1

    @property
    def main(self) -> Any:
        """The gap that sentences on equal error rates and errors are about."""
        return self.gaps[0]

    def metric(self, key: str, model: str | None = None) -> Any:
        model = self.verdict["model"] if model is None else model
        for row in self.summary["metrics"]:
            if (row["key"], row["model"]) == (key, model) and row["value"] is not None:
                return row
        return None

    @property
    def suffix(self) -> str:
        return "t_to_a" if self.is_reversed else "a_to_t"

    @property
    def ba(self) -> Any:
        return self.metric(f"ba_{self.suffix}")

    def find_gap(self, parts: Any) -> Any:
        """Return the gap that a sentence names, or the only one."""
        if parts["a"] is None:
            return self.gaps[0] if len(self.gaps) == 1 else None
        for gap in self.gaps:
            names = (self.member(gap["first"]), self.member(gap["second"]))
            of_class = self.counted(gap["of_class"])
            if names == (parts["a"], parts["b"]) and parts["c"] in (None, of_class):
                return gap
        return None

    def is_at(self, parts: Any, gap: Any) -> bool:
        """Return whether the sides and the class that a sentence names are those of a gap."""
        names = {"a": self.member(gap["first"]), "b": self.member(gap["second"])}
        names["c"] = self.counted(gap["of_class"])
        return all(parts.get(key) in (None, text) for key, text in names.items())

    def rate(self, group: Any, of_class: Any) -> Any:
        for row in self.summary["rates"]:
            key = row["model"], row["direction"], row["group"], row["of_class"]
            if key == (self.verdict["model"], self.name, group, of_class):
                return row
        return None


def certainty(gap: Any) -> tuple[bool, float]:
    """Return whether a gap clearly changes, and how far the band of its change lies from 0."""
    return gap["status"] != "unclear", max(gap["low"], -gap["high"])


def is_clear(record: Any) -> bool:
    return record["low"] is not None and (record["low"] > 0 or record["high"] < 0)


def _one(names: Any) -> str:
    """Return a pattern of one of some names."""
    texts = sorted(set(names), key=len, reverse=True)
    return "|".join(re.escape(spaced(text)) for text in texts) or "(?!)"


Check = Callable[[Direction, dict[str, Any]], Any]
FAMILIES: list[tuple[str, Check]] = []


def family(*patterns: str) -> Callable[[Check], Check]:
    """Register the check of a family; <a:member> is a placeholder a of the kind member."""

    def register(check: Check) -> Check:
        FAMILIES.extend((pattern, check) for pattern in patterns)
        return check

    return register


class Parts(dict[str, Any]):
    """The parts of a sentence, and its text; a part that it has not is None."""

    text = ""

    def __missing__(self, key: str) -> None:
        return None
