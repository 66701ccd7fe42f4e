"""The counts behind a frame, by slice. No other file of this folder asks for kinds of counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np

from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Label
from biasamp_adapters.counts import Counts, JointCounts, count_arrays
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.choose import by_column
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.counts.slices import Key, Slices, count_slices
from biasamp_adapters.inputs.columns import Column, read_columns
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.reference import Evaluation

#: Explicit labels and groups.
Lists: TypeAlias = tuple[Sequence[Label] | None, Sequence[Label] | None]


@dataclass(frozen=True, eq=False)
class Sliced:
    """Counts of disjoint parts, which together are the whole.

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
    def _part_keys(self) -> list[Key]:
        return _ordered(self.parts)

    @property
    def keys(self) -> list[Key]:
        """The slices: control levels, then the parts where the frame has features to group by."""
        return [*self.controls, *(self._part_keys if self.group_names else [])]

    def combinations(self, evaluations: Sequence[Evaluation]) -> list[Key]:
        """Control levels with the groups, or levels to group by, that have rows."""
        return self._part_keys if self.group_names else list(self._with_groups(evaluations))

    def _with_groups(self, evaluations: Sequence[Evaluation]) -> Iterator[Key]:
        crossed = len(self.attribute_names) > 1
        for control, evaluation in zip(self.controls, evaluations, strict=True):
            seen = evaluation.counts.seen(Role.ATTRIBUTE)
            for group in evaluation.counts.groups:
                if group in seen:
                    levels = group if crossed and isinstance(group, tuple) else (group,)
                    yield (*control, *levels)

    def evaluations(self, whole: Evaluation) -> list[Evaluation]:
        """The evaluation of each slice, with the reference and the label lists of the whole.

        Raises
        ------
        ValueError
            If counts of label matrices are to be split, or the attribute is constant inside every
            slice.
        """
        if self.keys == [()]:
            return [whole]
        if not isinstance(whole.counts, JointCounts):
            raise ValueError(
                "slices by control_features or group_features need a reference of labels; received "
                "one of label matrices"
            )
        counts = [self._inside(control) for control in self.controls]
        if self.group_names:
            counts += [self.parts[key] for key in self._part_keys]
        lists = whole.counts.labels, whole.counts.groups
        evaluations = [
            whole if part is self.whole else replace(whole, counts=part.align(*lists))
            for part in counts
        ]
        self._check_attribute_varies(evaluations)
        return evaluations

    def _members(self, control: Key) -> list[int]:
        """Positions of the parts inside a control level."""
        return [i for i, key in enumerate(self._part_keys) if key[: len(control)] == control]

    def _inside(self, control: Key) -> Counts:
        """Counts of all rows of a control level."""
        parts = [self.parts[self._part_keys[i]] for i in self._members(control)]
        if len(parts) == len(self.parts):
            return self.whole
        return sum(parts[1:], start=parts[0])  # type: ignore[call-overload]  # counts add

    def _check_attribute_varies(self, evaluations: Sequence[Evaluation]) -> None:
        """Raise where the attribute is constant inside every slice, as if it were what slices."""
        smallest = evaluations[len(self.controls) if self.group_names else 0 :]
        several = len(self.whole.seen(Role.ATTRIBUTE)) > 1
        if several and all(len(part.counts.seen(Role.ATTRIBUTE)) < 2 for part in smallest):
            raise ValueError(
                "sensitive_features must have at least two groups inside some level of "
                f"{listing([*self.control_names, *self.group_names])}; received one in each: it is "
                "the attribute itself, by which by_group is split already"
            )

    def source(self, evaluations: Sequence[Evaluation]) -> Slices | None:
        """What draws the slices together; None where there is only one part."""
        if len(self.parts) == 1:
            return None
        counts = cast(list[JointCounts], [evaluation.counts for evaluation in evaluations])
        parts = counts[len(self.controls) :] or counts
        unions = [(union, self._members(key)) for union, key in zip(counts, self.keys, strict=True)]
        return Slices(parts, unions)


def cells_of(counts: Counts, metric: str) -> JointCounts:
    """Counts whose cells a host metric can read.

    Raises
    ------
    ValueError
        For label matrices.
    """
    if not isinstance(counts, JointCounts):
        raise ValueError(
            "metrics of label matrices must be those of biasamp_adapters; received "
            f"{metric!r} (a MetricFrame of its own can hold it)"
        )
    return counts


def count_sliced(
    inputs: Inputs,
    control_features: Any,
    group_features: Any,
    lists: Lists,
    missing: Missing,
) -> Sliced:
    """Count rows as ``JointCounts.from_arrays`` takes them, by the levels of further features.

    Raises
    ------
    ValueError
        If a feature has missing values or a name twice, or label matrices are to be sliced.
    """
    control_names, controls = _features(control_features, "control_features")
    group_names, grouped = _features(group_features, "group_features")
    attribute_names = _attribute_names(inputs.sensitive_features)
    names = [*control_names, *(group_names or attribute_names)]
    if len(set(names)) < len(names):
        raise ValueError(f"features must have distinct names; received {names}")
    options: dict[str, Any] = {"labels": lists[0], "groups": lists[1], "missing": missing}
    if not (controls or grouped):
        whole = count_arrays(*inputs, **options)
        return Sliced(whole, {(): whole}, [], [], attribute_names)
    if by_column(*inputs[:4]):
        raise ValueError(
            "label matrices cannot be split by control_features or group_features; received both: "
            "call amplification_frame once for each level (of matrices of one column, pass the "
            "columns, such as frame['label'])"
        )
    whole, parts = count_slices(*inputs, slices=[*controls, *grouped], **options)
    return Sliced(whole, dict(parts), control_names, group_names, attribute_names)


def _features(values: Any, argument: str) -> tuple[list[str], list[Column]]:
    if values is None:
        return [], []
    names, columns = zip(*read_columns(values, argument), strict=True)
    return _names(values, list(names), argument), list(columns)


def _attribute_names(values: Any) -> list[str]:
    argument = "sensitive_features"
    if values is None or isinstance(values, Indicators):
        return [f"{argument[:-1]}_0"]
    return _features(values, argument)[0]


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
    return sorted(keys, key=lambda key: [order[x] for order, x in zip(levels, key, strict=True)])
