"""The counts behind a frame: of all rows, and of the slices that its features cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biasamp_adapters._typing import Label
from biasamp_adapters.counts import Counts, JointCounts, count_arrays
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.choose import by_column
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.counts.slices import Key, Slices, count_slices
from biasamp_adapters.inputs.columns import Column, read_columns
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.reference import Evaluation


@dataclass(frozen=True, eq=False)
class Sliced:
    """Counts of disjoint slices, which together are the whole.

    Attributes
    ----------
    whole : Counts
    parts : dict of Key to Counts
        By the levels of the control features, then of the features to group by. Without any, the
        whole under the empty key.
    control_names, group_names, attribute_names : list of str
        ``group_names`` is empty where the frame is split by the attribute itself.
    """

    whole: Counts
    parts: dict[Key, Counts]
    control_names: list[str]
    group_names: list[str]
    attribute_names: list[str]

    @cached_property
    def controls(self) -> list[Key]:
        """Combinations of control levels that have rows; one empty key without control features."""
        return _ordered({key[: len(self.control_names)] for key in self.parts})

    @cached_property
    def keys(self) -> list[Key]:
        """The keys of the parts, in order."""
        return _ordered(self.parts)

    def members(self, control: Key) -> list[int]:
        """Positions of the parts inside a control level."""
        return [i for i, key in enumerate(self.keys) if key[: len(control)] == control]

    def inside(self, control: Key) -> Counts:
        """Counts of all rows of a control level."""
        parts = [self.parts[self.keys[i]] for i in self.members(control)]
        if len(parts) == len(self.parts):
            return self.whole
        return sum(parts[1:], start=parts[0])  # type: ignore[call-overload]  # counts add

    def combinations(self, evaluated: Sequence[Evaluation]) -> list[Key]:
        """Control levels with the groups, or levels to group by, that have rows."""
        if self.group_names:
            return self.keys
        out: list[Key] = []
        for control, evaluation in zip(self.controls, evaluated, strict=True):
            seen = evaluation.counts.seen("attribute")
            for group in (each for each in evaluation.counts.groups if each in seen):
                crossed = isinstance(group, tuple) and len(self.attribute_names) > 1
                out.append((*control, *(group if crossed else (group,))))  # type: ignore[misc]
        return out

    def source(self, controls: Sequence[Counts], parts: Sequence[Counts]) -> Slices | None:
        """What draws all of them together; None where there is only one."""
        if len(self.parts) == 1:
            return None
        every = [part for part in parts if isinstance(part, JointCounts)]
        unions = [
            (counts, self.members(control))
            for counts, control in zip(controls, self.controls, strict=True)
            if isinstance(counts, JointCounts)
        ]
        return Slices(every, [*unions, *((part, [i]) for i, part in enumerate(every))])


def count_sliced(
    rows: tuple[Any, ...],
    control_features: Any,
    group_features: Any,
    labels: Sequence[Label] | None,
    groups: Sequence[Label] | None,
    missing: Missing,
) -> Sliced:
    """Count rows as ``JointCounts.from_arrays`` takes them, by the levels of further features.

    Raises
    ------
    ValueError
        If a feature has missing values or a name twice, or label matrices are to be sliced.
    """
    sensitive_features = rows[2]
    control_names, controls = _features(control_features, "control_features")
    group_names, grouped = _features(group_features, "group_features")
    attribute_names = _attribute_names(sensitive_features)
    names = [*control_names, *(group_names or attribute_names)]
    if len(set(names)) < len(names):
        raise ValueError(f"features must have distinct names; received {names}")
    options: dict[str, Any] = {"labels": labels, "groups": groups, "missing": missing}
    if not (controls or grouped):
        whole = count_arrays(*rows, **options)
        return Sliced(whole, {(): whole}, [], [], attribute_names)
    if by_column(*rows[:4]):
        raise ValueError(
            "label matrices cannot be split by control_features or group_features; received both: "
            "call amplification_frame once for each level (of matrices of one column, pass the "
            "columns, such as frame['label'])"
        )
    slices = [*controls, *grouped]
    whole, parts = count_slices(*rows, slices=slices, **options)
    return Sliced(whole, dict(parts), control_names, group_names, attribute_names)


def _features(values: Any, argument: str) -> tuple[list[str], list[Column]]:
    if values is None:
        return [], []
    columns = read_columns(values, argument)
    return _names(values, [name for name, _ in columns], argument), [each for _, each in columns]


def _attribute_names(values: Any) -> list[str]:
    argument = "sensitive_features"
    if values is None or isinstance(values, Indicators):
        return [f"{argument[:-1]}_0"]
    return _names(values, [name for name, _ in read_columns(values, argument)], argument)


def _names(values: Any, names: list[str], argument: str) -> list[str]:
    """Names as MetricFrame gives them: ``sensitive_feature_0`` where there is none."""
    unnamed = isinstance(values, list | tuple | np.ndarray)
    if names == [argument] and not isinstance(values, Mapping) and not hasattr(values, "columns"):
        unnamed = unnamed or getattr(values, "name", None) != argument
    return [f"{argument[:-1]}_{i}" for i in range(len(names))] if unnamed else names


def _ordered(keys: Any) -> list[Key]:
    """Keys in the order of their levels, feature by feature."""
    keys = list(keys)
    levels = [
        {level: i for i, level in enumerate(ordered(column))} for column in zip(*keys, strict=True)
    ]
    return sorted(keys, key=lambda key: [of[x] for of, x in zip(levels, key, strict=True)])


def check_varies(sliced: Sliced, evaluated: Sequence[Evaluation]) -> None:
    """Raise where the attribute is constant inside every slice, as if it were what slices."""
    sliced_by = [*sliced.control_names, *sliced.group_names]
    if sliced_by and len(sliced.whole.seen("attribute")) > 1:
        seen = [evaluation.counts.seen("attribute") for evaluation in evaluated]
        if all(len(groups) < 2 for groups in seen):
            raise ValueError(
                "sensitive_features must have at least two groups inside some level of "
                f"{listing(sliced_by)}; received one in each: it is the attribute itself, by which "
                "by_group is split already"
            )
