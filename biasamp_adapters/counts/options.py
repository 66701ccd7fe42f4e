"""What to count, and the rules for it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from biasamp_adapters._roles import Domain, Role
from biasamp_adapters._typing import Label
from biasamp_adapters.counts.labels import declared, lookup
from biasamp_adapters.counts.variables import LabelSet, Missing, check_missing

#: Label sets to count: given by their labels, or the exact sets that rows of the truth show.
LabelSets: TypeAlias = Sequence[Sequence[Label]] | Literal["observed"] | None


@dataclass(frozen=True)
class Options:
    """What counts should hold, and the rule for missing values.

    Attributes
    ----------
    labels, groups : tuple or None
        Explicit label lists.
    missing : {"error", "drop", "abstain"}
    by_weight : bool
        Whether rows of different weights are kept apart, in counts of labels.
    label_sets : sequence of sequences of labels, "observed" or None
    keep_rows, second_moments : bool
        What is kept of the rows of matrices.
    partial : bool
        Whether other rows follow, so that these may all be missing.
    merges : bool
        Whether probabilities of labels are merged where they make too many cells.
    """

    labels: tuple[Label, ...] | None = None
    groups: tuple[Label, ...] | None = None
    missing: Missing = "error"
    by_weight: bool = True
    label_sets: LabelSets = None
    keep_rows: bool = False
    second_moments: bool = False
    partial: bool = False
    merges: bool = True

    def __post_init__(self) -> None:
        check_missing(self.missing)

    @classmethod
    def of(
        cls, labels: Sequence[Label] | None, groups: Sequence[Label] | None, **options: Any
    ) -> Options:
        """Options with checked label lists."""
        return cls(declared(labels, "labels"), declared(groups, "groups"), **options)

    @classmethod
    def of_matrices(
        cls,
        labels: Sequence[Label] | None,
        groups: Sequence[Label] | None,
        clusters: Any,
        missing: Missing,
        label_sets: LabelSets,
        keep_rows: bool,
        second_moments: bool,
    ) -> Options:
        """Options of label matrices, whose ``clusters``, if there are any, need the rows."""
        if clusters is not None and second_moments:
            raise ValueError(
                "second_moments are of independent rows: with clusters it must be False, and "
                "keep_rows True; received True"
            )
        if clusters is not None and not keep_rows:
            raise ValueError(
                "clusters of label matrices are drawn by rows: keep_rows must be True; received "
                "False"
            )
        return cls.of(
            labels,
            groups,
            missing=missing,
            label_sets=label_sets,
            keep_rows=keep_rows,
            second_moments=second_moments,
        )

    @property
    def observes(self) -> bool:
        """Whether label sets are those that rows show."""
        return isinstance(self.label_sets, str) and self.label_sets == "observed"

    @property
    def collects_rows(self) -> bool:
        """Whether rows of matrices are kept until all are counted."""
        return self.keep_rows or self.observes

    def listed(self, domain: Domain) -> tuple[Label, ...] | None:
        """The explicit list of labels, or of groups."""
        return self.groups if domain == "groups" else self.labels

    def abstains(self, role: Role) -> bool:
        """Whether rows without a value of a variable count, as abstentions of the model."""
        return self.missing == "abstain" and role.predicted

    def sets(self, labels: tuple[Label, ...]) -> tuple[LabelSet, ...]:
        """The label sets that are given, as positions in the list of labels."""
        if self.label_sets is None or self.observes:
            return ()
        return _positions_of(self.label_sets, labels)

    def of_chunks(self) -> Options:
        """The options for each chunk; the counts of all chunks are finished together."""
        if not self.observes:
            return replace(self, partial=True)
        return replace(self, label_sets=None, keep_rows=True, second_moments=False, partial=True)


def _positions_of(label_sets: Any, labels: tuple[Label, ...]) -> tuple[LabelSet, ...]:
    if isinstance(label_sets, str):
        raise ValueError(
            f"label_sets must be 'observed' or a list of sets of labels; received {label_sets!r}"
        )
    out = set()
    for members in label_sets if isinstance(label_sets, Iterable) else [label_sets]:
        alone = isinstance(members, str) or not isinstance(members, Iterable)
        listed = [members] if alone else [*members]
        are_labels = isinstance(members, Iterable) and all(isinstance(x, Hashable) for x in listed)
        positions = lookup(listed, labels) if are_labels else np.zeros(0)
        if not len(positions) or (positions < 0).any():
            raise ValueError(f"label_sets must be sets of known labels; received {members!r}")
        out.add(tuple(sorted(set(positions.tolist()))))
    return tuple(sorted(out))
