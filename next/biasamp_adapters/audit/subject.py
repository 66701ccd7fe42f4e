"""Which records of a summary the sentences of one direction are about."""

from __future__ import annotations

from dataclasses import dataclass

from biasamp_adapters.audit.names import Names, names_of
from biasamp_adapters.audit.summary import (
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
        return not (
            self.verdict["no_errors"] or self.verdict["constant"] or self.names.true != "labels"
        )

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
        models = [verdict["model"] for verdict in self.verdicts]
        records = [record for model in models if (record := self.metric("accuracy", model))]
        if not any(map(is_clear, self.differences("accuracy"))) or len(records) < 2:
            return None
        return min(records, key=_value), max(records, key=_value)


def subject_of(summary: Summary, direction: str) -> Subject:
    """Return what the sentences of one direction are about."""
    verdicts = [row for row in summary["verdicts"] if row["direction"] == direction]
    verdict = leading(summary, direction)
    return Subject(
        summary, names_of(summary, direction), verdicts, verdict, gaps_of(summary, verdict)
    )


def leading(summary: Summary, direction: str) -> VerdictRecord:
    """Return the verdict with the most certain change of all models; of equal ones the first."""
    most_certain: dict[str, float] = {}
    for gap in summary["gaps"]:
        if gap["direction"] == direction:
            certainty = _certainty(gap)
            most_certain[gap["model"]] = max(certainty, most_certain.get(gap["model"], certainty))
    verdicts = [row for row in summary["verdicts"] if row["direction"] == direction]
    return max(verdicts, key=lambda row: _rank(row, most_certain))


def _rank(verdict: VerdictRecord, most_certain: dict[str, float]) -> float:
    """Return the certainty of the model's changes; a model without errors changes nothing."""
    return -2.0 if verdict["no_errors"] else most_certain.get(verdict["model"], -2.0)


def _certainty(gap: GapRecord) -> float:
    """Return how far the band of a change is from 0; below 0 if it holds 0."""
    if gap["low"] is None or gap["high"] is None:
        return -1.0
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


def _value(number: Number) -> float:
    return number["value"] or 0.0
