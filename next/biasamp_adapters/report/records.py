"""The records of one model in one direction: what tables and pictures read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from biasamp_adapters.auditing.names import Names, names_of
from biasamp_adapters.auditing.subject import gaps_of, is_changed
from biasamp_adapters.auditing.summary import (
    GapRecord,
    MetricRecord,
    RateRecord,
    Summary,
    VerdictRecord,
)
from biasamp_adapters.figures import name

#: More groups are not drawn.
MOST_GROUPS = 12


@dataclass(frozen=True)
class ModelRecords:
    """The records of one model in one direction."""

    summary: Summary
    verdict: VerdictRecord

    @cached_property
    def names(self) -> Names:
        """How groups and classes are called."""
        return names_of(self.summary, self.verdict["direction"])

    @property
    def name(self) -> str:
        """The name of the model."""
        return name(self.verdict["model"])

    @cached_property
    def gaps(self) -> list[GapRecord]:
        """All gaps, the most certain change first."""
        return gaps_of(self.summary, self.verdict)

    @cached_property
    def gap(self) -> GapRecord | None:
        """The gap of the table and of the pictures: the only one, or one that changes."""
        if len(self.gaps) == 1:
            return self.gaps[0]
        named = [self.gaps[position] for position in sorted(self.verdict["named"])]
        return next(filter(is_changed, named), None)

    @cached_property
    def rates(self) -> list[RateRecord]:
        """All rates."""
        key = self.verdict["model"], self.verdict["direction"]
        return [rate for rate in self.summary["rates"] if (rate["model"], rate["direction"]) == key]

    @cached_property
    def of_class(self) -> Any:
        """The class (for T->A, the group) whose rates are drawn: that of the first gap."""
        if self.gap or self.gaps:
            return (self.gap or self.gaps[0])["of_class"]
        positive = self.summary["data"]["positive"]
        if positive is None or self.names.compares_classes:
            return self.rates[-1]["of_class"]
        return positive

    @cached_property
    def rates_compared(self) -> list[RateRecord]:
        """The rates of the class, the highest first; without a verdict those of all groups."""
        gaps = [gap for gap in self.gaps if gap["of_class"] == self.of_class]
        compared = [side for gap in gaps for side in (gap["first"], gap["second"])]
        return [
            rate
            for rate in sorted(self.rates, key=_true_rate, reverse=True)
            if rate["of_class"] == self.of_class and (not gaps or rate["group"] in compared)
        ]

    @cached_property
    def rates_drawn(self) -> list[RateRecord]:
        """The rates of the class, without small groups if there are many."""
        chosen = sorted(
            self.rates_compared,
            key=lambda rate: (self.is_named(rate["group"]), rate["rows"]),
            reverse=True,
        )
        return [rate for rate in self.rates_compared if rate in chosen[:MOST_GROUPS]]

    def is_named(self, group: Any) -> bool:
        """Return whether a group is one of the two of the named gap."""
        return self.gap is not None and group in (self.gap["first"], self.gap["second"])

    def metric(self, key: str) -> MetricRecord | None:
        """Return a number of the model: that of the direction, or the one without a direction."""
        for record in self.summary["metrics"]:
            is_of_direction = record["direction"] in (self.verdict["direction"], "")
            if (record["model"], record["key"]) == (self.verdict["model"], key) and is_of_direction:
                return record
        return None

    def rates_of_score(self) -> tuple[float | None, float | None]:
        """Return the two rates of the named gap that the scores imply."""
        if self.gap is None or self.names.compares_classes:
            return None, None
        key = self.verdict["model"], self.gaps.index(self.gap)
        for score in self.summary["scores"]:
            if (score["model"], score["gap"]) == key:
                return score["first"], score["second"]
        return None, None


def _true_rate(rate: RateRecord) -> float:
    return rate["true"] or 0.0
