"""Label lists of variables, and the rules that their values keep."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, as_float, is_real
from biasamp_adapters.counts.blocks import chances_of
from biasamp_adapters.counts.labels import check_labels, listing, lookup, ordered
from biasamp_adapters.counts.sources import Source
from biasamp_adapters.counts.variables import TASK, Axis, Missing, missing_message


class Seen(NamedTuple):
    """A variable with one label per row, over distinct rows.

    Attributes
    ----------
    source : Source
    codes : ndarray of int, shape (rows,)
        -1 where missing.
    labels : sequence
        What the codes stand for.
    """

    source: Source
    codes: Array
    labels: Sequence[Label]

    @property
    def present(self) -> list[Label]:
        """The labels that occur."""
        codes = np.unique(self.codes).tolist()
        return [self.labels[code] for code in codes if code >= 0]


@dataclass(frozen=True)
class Lists:
    """The label lists that all variables share.

    Attributes
    ----------
    labels, groups : tuple
    levels : ndarray of float64
        Probabilities strictly between 0 and 1 that label vectors of predictions hold.
    soft_axes : frozenset of Axis
        The predictions that hold them.
    declared : frozenset of str
        Which of "labels" and "groups" were listed, or are columns of a matrix.
    origins : dict of str to str
        For "labels" and "groups", in words: where their list comes from.
    """

    labels: tuple[Label, ...]
    groups: tuple[Label, ...]
    levels: Array
    soft_axes: frozenset[Axis]
    declared: frozenset[str]
    origins: Mapping[str, str]

    @property
    def chances(self) -> Array | None:
        """Probabilities of the labels for each of the levels, of shape (levels, labels)."""
        return chances_of(self.levels, self.labels)

    def of(self, axis: Axis) -> tuple[Label, ...]:
        """The list of a variable."""
        return self.groups if axis.of_attribute else self.labels

    def order(self, source: Source) -> Array:
        """Position, among the columns of a matrix, of each label of its list."""
        return lookup(self.of(source.axis), () if source.matrix is None else source.matrix.labels)

    def codes(self, axis: Axis, codes: Array, labels: Sequence[Label]) -> Array:
        """Codes of a variable over its list; of what is missing one past its end.

        Labels that the list lacks get -1.
        """
        domain = self.of(axis)
        position = lookup(labels, domain)
        if axis in self.soft_axes:
            level = lookup(labels, self.levels.tolist())
            position = np.where(level >= 0, len(domain) + 1 + level, position).astype(np.int32)
        return np.append(position, len(domain)).astype(np.int32)[codes]


def check_missing_labels(
    seen: Sequence[Seen],
    n: Array,
    missing: Missing,
    listed: Collection[str],
    *,
    partial: bool = False,
) -> Array:
    """Rows to keep.

    ``partial`` says that other rows follow, so that these may all be missing.

    Raises
    ------
    ValueError
        If values are missing that the rule does not allow, or none are left.
    """
    keep = np.ones(len(n), dtype=bool)
    for source, codes, _ in seen:
        absent = codes < 0
        count = int(n[absent].sum())
        # Abstentions alone are fine where the labels are known from elsewhere.
        known = ("groups" if source.axis.of_attribute else "labels") in listed
        silent = missing == "abstain" and source.axis.predicted
        if count == n.sum() and not (partial or (silent and known)):
            raise ValueError(f"{source.argument} must hold values; all {count} are missing")
        check_rule(source, count, missing)
        if not silent:
            keep &= ~absent
    if not (partial or keep.any()):
        raise ValueError(f"missing='drop' must leave rows; all {n.sum()} have a missing value")
    return keep


def check_rule(source: Source, count: int, missing: Missing) -> None:
    """Raise for missing values that the rule does not allow."""
    predicted = source.axis.predicted
    if count and not (missing == "drop" or (missing == "abstain" and predicted)):
        raise ValueError(missing_message(source.argument, count, predicted=predicted))


def common_lists(
    seen: Sequence[Seen], matrices: Sequence[Source], listed: Mapping[str, tuple[Label, ...] | None]
) -> Lists:
    """The label lists that variables share.

    Parameters
    ----------
    seen : sequence of Seen
        Variables with one label per row, without rows that are dropped.
    matrices : sequence of Source
        Variables that are matrices.
    listed : mapping of "labels" and "groups" to tuple or None
        Explicit lists.

    Raises
    ------
    ValueError
        If labels are no labels, or columns of matrices differ.
    """
    soft, levels = _probabilities(seen, listed["labels"])
    found: dict[str, tuple[Label, ...]] = {}
    origins = {"labels": "labels", "groups": "groups"}
    for name, of_attribute in (("labels", False), ("groups", True)):
        columns = [s for s in matrices if s.axis.of_attribute == of_attribute]
        if columns:
            found[name], origins[name] = _of_matrices(columns, listed[name], name)
            continue
        labels: list[Label] = [0, 1] if soft and not of_attribute else []
        for variable in seen:
            axis = variable.source.axis
            if axis.of_attribute == of_attribute and axis not in soft:
                check_labels(variable.present, variable.source.argument)
                labels.extend(variable.present)
        found[name] = listed[name] or ordered(labels)
    declared = frozenset(
        name
        for name, of_attribute in (("labels", False), ("groups", True))
        if listed[name] or any(s.axis.of_attribute == of_attribute for s in matrices)
    )
    return Lists(found["labels"], found["groups"], np.array(levels), soft, declared, origins)


def check_listed(seen: Seen, codes: Array, n: Array, lists: Lists) -> None:
    """Raise for a label that its list lacks."""
    unlisted = codes < 0
    if unlisted.any():
        code, axis = seen.codes[unlisted][0], seen.source.axis
        origin = lists.origins["groups" if axis.of_attribute else "labels"]
        raise ValueError(
            f"{seen.source.argument} must hold only labels listed in {origin}; received "
            f"{listing([seen.labels[code]])} in {int(n[seen.codes == code].sum())} row(s), "
            f"listed are {listing(lists.of(axis))}"
        )


def _probabilities(
    seen: Sequence[Seen], labels: tuple[Label, ...] | None
) -> tuple[frozenset[Axis], list[float]]:
    """The predictions that hold probabilities of class 1, and those strictly between 0 and 1.

    A prediction is read as a probability where the truth is 0 or 1 and a predicted value is not
    whole; probabilities of exactly 0 and 1 are labels like any other.
    """
    truth = next((v.labels for v in seen if v.source.axis == TASK), labels or ())
    if not truth or not set(truth) <= {0, 1}:
        return frozenset(), []
    soft: set[Axis] = set()
    levels: set[float] = set()
    for variable in seen:
        source, values = variable.source, variable.present
        if source.axis.role != Role.PREDICTION or not all(map(is_real, values)):
            continue
        split = [number for number in map(as_float, values) if not number.is_integer()]
        if split:
            outside = [value for value in values if not 0 <= value <= 1]  # type: ignore[operator]
            if outside:
                raise ValueError(
                    f"probabilities in {source.argument} must lie in [0, 1]; received {outside[0]}"
                )
            if labels is not None and not {0, 1} <= set(labels):
                raise ValueError(
                    "labels must list both 0 and 1 where predictions are probabilities; "
                    f"received {list(labels)}"
                )
            soft.add(source.axis)
            levels.update(split)
    return frozenset(soft), sorted(levels)


def _of_matrices(
    sources: Sequence[Source], listed: tuple[Label, ...] | None, argument: str
) -> tuple[tuple[Label, ...], str]:
    """The list of labels that columns of matrices have, and where it comes from."""
    matrices = [source.matrix for source in sources if source.matrix is not None]
    first = next((matrix for matrix in matrices if matrix.named), matrices[0])
    domain, origin = (listed, argument) if listed else (first.labels, first.name)
    for matrix in matrices:
        if not matrix.named:
            if len(matrix.labels) != len(domain):
                raise ValueError(
                    f"{matrix.name} must have a column for each of the {len(domain)} of {origin}; "
                    f"received {len(matrix.labels)}"
                )
            matrix.labels = domain
        elif set(matrix.labels) != set(domain):
            absent = [label for label in domain if label not in matrix.labels]
            unknown = [label for label in matrix.labels if label not in domain]
            wrong = ([f"without {listing(absent)}"] if absent else []) + (
                [f"with {listing(unknown)}"] if unknown else []
            )
            raise ValueError(
                f"{matrix.name} must have the same columns as {origin}; received one "
                f"{' and '.join(wrong)}"
            )
    return tuple(domain), origin
