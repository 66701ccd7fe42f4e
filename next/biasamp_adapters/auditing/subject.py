"""Which records of a summary the sentences of one direction are about."""

from __future__ import annotations

from dataclasses import dataclass

from biasamp_adapters import words
from biasamp_adapters.auditing.names import Names, names_of
from biasamp_adapters.auditing.summary import (
    DifferenceRecord,
    GapRecord,
    MetricRecord,
    Number,
    Summary,
    VerdictRecord,
)
from biasamp_adapters.figures import is_clear

UP, DOWN = ("grows", "appears"), ("shrinks", "reverses")


@dataclass(frozen=True)
class Subject:
    """The records that one direction is told by.

    Attributes
    ----------
    summary : Summary
    names : Names
    verdicts : list of VerdictRecord
        One for each model.
    verdict : VerdictRecord
        The one that is told: that of the model with the most certain change.
    gaps : list of GapRecord
        The gaps of that model, from the most certain change on.
    """

    summary: Summary
    names: Names
    verdicts: list[VerdictRecord]
    verdict: VerdictRecord
    gaps: list[GapRecord]

    @property
    def has_several_models(self) -> bool:
        """Whether the audit compares models."""
        return len(self.verdicts) > 1

    @property
    def named(self) -> list[GapRecord]:
        """The gaps that are told: one, for mixed changes two, or none."""
        named = [self.gaps[position] for position in self.verdict["named"]]
        is_only_gap = len(self.gaps) == 1 and not self.has_several_models
        if self.verdict["no_errors"] or not (is_only_gap or any(map(is_changed, named))):
            return []
        return named

    @property
    def main(self) -> int | None:
        """The position of the named gap with the most certain change."""
        return min(self.verdict["named"]) if self.named else None

    @property
    def has_errors(self) -> bool:
        """Whether equal error rates and errors by group can be told of the model."""
        has_labels = self.names.true == words.LABELS
        return has_labels and not (self.verdict["no_errors"] or self.verdict["constant"])

    def number(self, name: str) -> MetricRecord | None:
        """Return a number of the model in this direction: "ba", "excess"."""
        key = f"{name}_{'t_to_a' if self.names.compares_classes else 'a_to_t'}"
        return self.metric(key, self.verdict["model"])

    def metric(self, key: str, model: str) -> MetricRecord | None:
        """Return a number of a model by its key."""
        for record in self.summary["metrics"]:
            if record["key"] == key and record["model"] == model:
                return record if record["value"] is not None else None
        return None

    def differences(self, key: str) -> list[DifferenceRecord]:
        """Return the differences of the other models from the first in one number."""
        return [
            record
            for record in self.summary["differences"]
            if record["key"] == key and record["direction"] in ("", self.verdict["direction"])
        ]

    def differing_accuracies(self) -> tuple[MetricRecord, MetricRecord] | None:
        """Return the lowest and the highest accuracy if models clearly differ in it."""
        records = [self.metric("accuracy", row["model"]) for row in self.verdicts]
        if not any(map(is_clear, self.differences("accuracy"))):
            return None
        ordered = sorted(filter(None, records), key=lambda record: record["value"] or 0.0)
        return (ordered[0], ordered[-1]) if ordered else None


def subject_of(summary: Summary, direction: str) -> Subject:
    """Return what the sentences of one direction are about."""
    verdicts = [row for row in summary["verdicts"] if row["direction"] == direction]
    verdict = leading(summary, direction)
    return Subject(
        summary, names_of(summary, direction), verdicts, verdict, gaps_of(summary, verdict)
    )


def leading(summary: Summary, direction: str) -> VerdictRecord:
    """Return the verdict with the most certain change of all models; of equal ones the first."""
    most_certain: dict[str, GapRecord] = {}
    for gap in summary["gaps"]:
        if gap["direction"] == direction:
            most_certain.setdefault(gap["model"], gap)
    verdicts = [row for row in summary["verdicts"] if row["direction"] == direction]
    return max(verdicts, key=lambda row: _certainty(row, most_certain.get(row["model"])))


def _certainty(verdict: VerdictRecord, gap: GapRecord | None) -> float:
    """Return how far the band of a change is from 0; a model without errors comes last."""
    if verdict["no_errors"] or gap is None or gap["low"] is None or gap["high"] is None:
        return -2.0
    return max(gap["low"], -gap["high"])


def gaps_of(summary: Summary, verdict: VerdictRecord) -> list[GapRecord]:
    """Return the gaps of a model in one direction, from the most certain change on."""
    key = verdict["model"], verdict["direction"]
    return [gap for gap in summary["gaps"] if (gap["model"], gap["direction"]) == key]


def is_changed(gap: GapRecord) -> bool:
    """Return whether a gap clearly changes."""
    return gap["status"] in UP + DOWN


def is_above(number: Number) -> bool:
    """Return whether an interval lies above 0."""
    return number["low"] is not None and number["low"] > 0
