"""The counts behind a frame, by slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Label
from biasamp_adapters.counts import Counts, count_arrays
from biasamp_adapters.counts.arrays import Key, count_slices
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.counts.variables import Missing
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
            If the attribute is constant inside every slice.
        """
        if self.keys == [()]:
            return [whole]
        counts = [self._inside(control) for control in self.controls]
        if self.group_names:
            counts += [self.parts[key] for key in self._part_keys]
        lists, sets = (whole.counts.labels, whole.counts.groups), whole.counts.sets
        evaluations = [
            whole
            if part is self.whole
            else replace(whole, counts=part.align(*lists).with_sets(sets))
            for part in counts
        ]
        self._check_attribute_varies(evaluations)
        return evaluations

    def _inside(self, control: Key) -> Counts:
        """Counts of all rows of a control level."""
        keys = [key for key in self._part_keys if key[: len(control)] == control]
        if len(keys) == len(self.parts):
            return self.whole
        return self.whole.union([self.parts[key] for key in keys])

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

    @property
    def source(self) -> Counts | None:
        """The counts whose draws all slices are read off; None where there is only one part."""
        return self.whole if len(self.parts) > 1 else None


def cells_of(counts: Counts, metric: str) -> Counts:
    """Counts whose distinct rows a host metric can read.

    Raises
    ------
    ValueError
        For label matrices.
    """
    if counts.rows is None or counts.rows.indicators:
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
        If a feature has missing values or a name twice.
    """
    control_names, controls = _features(control_features, "control_features")
    group_names, grouped = _features(group_features, "group_features")
    attribute_names = _attribute_names(inputs.sensitive_features)
    names = [*control_names, *(group_names or attribute_names)]
    if len(set(names)) < len(names):
        raise ValueError(f"features must have distinct names; received {names}")
    options: dict[str, Any] = {"labels": lists[0], "groups": lists[1], "missing": missing}
    if not (controls or grouped):
        whole = count_arrays(inputs, **options)
        return Sliced(whole, {(): whole}, [], [], attribute_names)
    whole, parts = count_slices(inputs, [*controls, *grouped], **options)
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
