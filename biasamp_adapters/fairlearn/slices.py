"""The counts behind a frame, by slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Label
from biasamp_adapters.counts import Counts, count_arrays
from biasamp_adapters.counts.arrays import count_slices
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.inputs.columns import Column, name_of, read_columns
from biasamp_adapters.inputs.combinations import Key
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.reference import Evaluation, of_one_kind


@dataclass(frozen=True, eq=False)
class Slices:
    """Counts of disjoint parts, which together are the whole.

    Attributes
    ----------
    whole : Counts
    parts : dict of Key to Counts
        Keys are levels of the control features, followed by levels of the features to group by.
        Without features, the empty key holds the whole.
    control_names, group_names, attribute_names : list of str
        ``group_names`` is empty where the frame is split by the attribute itself.

    Raises
    ------
    ValueError
        If the attribute is constant in every slice, because it is also one of the features.
    """

    whole: Counts
    parts: dict[Key, Counts]
    control_names: list[str]
    group_names: list[str]
    attribute_names: list[str]

    def __post_init__(self) -> None:
        smallest = self.parts if self.group_names else self.controls
        seen = [len(self.counts[key].seen(Role.ATTRIBUTE)) for key in smallest]
        if len(self.whole.seen(Role.ATTRIBUTE)) > 1 and max(seen) < 2:
            raise ValueError(
                "sensitive_features must have at least two groups inside some level of "
                f"{listing([*self.control_names, *self.group_names])}; received one in each: it is "
                "the attribute itself, by which by_group is split already"
            )

    @cached_property
    def controls(self) -> list[Key]:
        """Combinations of control levels that have rows; one empty key without control features."""
        return list(dict.fromkeys(key[: len(self.control_names)] for key in self.parts))

    @property
    def split_names(self) -> list[str]:
        """Names of the features that the frame is split by."""
        return self.group_names or self.attribute_names

    @cached_property
    def counts(self) -> dict[Key, Counts]:
        """The counts of each combination of control levels, and of the parts to group by."""
        counts = {control: self._inside(control) for control in self.controls}
        return counts | self.parts if self.group_names else counts

    def _inside(self, control: Key) -> Counts:
        """Counts of all rows of a combination of control levels."""
        inside = [part for key, part in self.parts.items() if key[: len(control)] == control]
        return self.whole if len(inside) == len(self.parts) else self.whole.union(inside)

    def combinations(self, groups: Mapping[Key, Sequence[Label]]) -> list[Key]:
        """Control levels with the groups that have rows there, or the levels to group by."""
        if self.group_names:
            return list(self.parts)
        crossed = len(self.attribute_names) > 1
        return [
            (*control, *(group if crossed and isinstance(group, tuple) else (group,)))
            for control in self.controls
            for group in groups[control]
        ]

    def evaluations(self, whole: Evaluation) -> dict[Key, Evaluation]:
        """The evaluation of each slice, with the reference and the label lists of the whole."""
        lists, sets = (whole.counts.labels, whole.counts.groups), whole.counts.sets
        evaluations = {}
        for key, counts in self.counts.items():
            if counts is self.whole:
                evaluations[key] = whole
                continue
            # Columns without names have been given those of the reference.
            named, _ = of_one_kind(counts, whole.counts)
            evaluations[key] = replace(whole, counts=named.align(*lists).with_sets(sets))
        return evaluations


def count_by_slice(
    inputs: Inputs,
    control_features: Any,
    group_features: Any,
    **options: Any,
) -> Slices:
    """Count rows by the levels of further features, with the options of ``from_arrays``.

    Raises
    ------
    ValueError
        If a feature has missing values or a name twice.
    """
    control_names, controls = _features(control_features, "control_features")
    group_names, grouped = _features(group_features, "group_features")
    attribute_names = ["sensitive_feature_0"]
    if not isinstance(inputs.sensitive_features, Indicators):
        attribute_names, _ = _features(inputs.sensitive_features, "sensitive_features")
    names = [*control_names, *(group_names or attribute_names)]
    if len(set(names)) < len(names):
        raise ValueError(f"features must have distinct names; received {names}")
    if not (controls or grouped):
        whole = count_arrays(inputs, **options)
        return Slices(whole, {(): whole}, [], [], attribute_names)
    whole, counted = count_slices(inputs, [*controls, *grouped], **options)
    keys: Sequence[Any] = ordered(counted)
    return Slices(
        whole, {key: counted[key] for key in keys}, control_names, group_names, attribute_names
    )


def _features(values: Any, argument: str) -> tuple[list[str], list[Column]]:
    """Columns by name, as MetricFrame names them: "control_feature_0" where there is none."""
    if values is None:
        return [], []
    names, columns = zip(*read_columns(values, argument), strict=True)
    is_table = isinstance(values, Mapping) or hasattr(values, "columns")
    if not is_table and name_of(values) is None:
        names = tuple(f"{argument[:-1]}_{i}" for i in range(len(names)))
    return list(names), list(columns)
