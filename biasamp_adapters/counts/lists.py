"""Label lists of variables, and the rules for their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from biasamp_adapters._roles import Domain, Role
from biasamp_adapters._typing import Array, Label, as_float, is_real
from biasamp_adapters.counts.labels import check_labels, listing, lookup, ordered
from biasamp_adapters.counts.options import Options
from biasamp_adapters.counts.sources import Source
from biasamp_adapters.counts.variables import TASK, Axis, missing_message

#: Of more numbers that are not whole, a variable is continuous, and its values are no labels.
_MOST_DECIMALS = 100

_DOMAINS: tuple[Domain, ...] = get_args(Domain)


@dataclass(frozen=True, eq=False)
class Seen:
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

    @cached_property
    def present(self) -> list[Label]:
        """The labels that occur."""
        (codes,) = np.bincount(self.codes + 1)[1:].nonzero()
        return [self.labels[code] for code in codes.tolist()]


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
    declared : frozenset of {"labels", "groups"}
        Lists that were given, or are the columns of a matrix.
    origins : dict of {"labels", "groups"} to str
        In words, where each list comes from.
    """

    labels: tuple[Label, ...]
    groups: tuple[Label, ...]
    levels: Array
    soft_axes: frozenset[Axis]
    declared: frozenset[str]
    origins: Mapping[Domain, str]

    def of(self, axis: Axis) -> tuple[Label, ...]:
        """The list of a variable."""
        return self.groups if axis.role.of_attribute else self.labels

    def order(self, source: Source) -> Array:
        """Position, among the columns of a matrix, of each label of its list."""
        return lookup(self.of(source.axis), () if source.matrix is None else source.matrix.labels)

    def codes(self, axis: Axis, codes: Array, labels: Sequence[Label]) -> Array:
        """Codes of a variable over its list: -1 for labels that it lacks, its length if missing."""
        domain = self.of(axis)
        position = lookup(labels, domain)
        if axis in self.soft_axes:
            level = lookup(labels, self.levels.tolist())
            position = np.where(level >= 0, len(domain) + 1 + level, position).astype(np.int32)
        return np.concatenate([position, [len(domain)]], dtype=np.int32)[codes]

    def listed_codes(self, variable: Seen, n: Array) -> Array:
        """Codes of a variable over its list.

        Raises
        ------
        ValueError
            If the list lacks one of its labels; ``n`` rows have each code.
        """
        axis, argument = variable.source.axis, variable.source.argument
        codes = self.codes(axis, variable.codes, variable.labels)
        unlisted = codes < 0
        if unlisted.any():
            code = variable.codes[unlisted][0]
            raise ValueError(
                f"{argument} must hold only labels listed in {self.origins[axis.role.domain]}; "
                f"received {listing([variable.labels[code]])} in "
                f"{int(n[variable.codes == code].sum())} row(s), listed are "
                f"{listing(self.of(axis))}"
            )
        return codes


def check_absent(source: Source, count: int, n_rows: int, options: Options) -> None:
    """Raise for ``count`` missing values of a variable where the rule does not allow them.

    Raises
    ------
    ValueError
        If they are not allowed, or none of the ``n_rows`` rows has a value.
    """
    axis = source.axis
    silent = options.abstains(axis.role)
    # A variable may consist of abstentions only if its labels are listed.
    listed = source.matrix is None and options.listed(axis.role.domain) is not None
    if count == n_rows and not (options.partial or (silent and listed)):
        raise ValueError(f"{source.argument} must hold values; all {count} are missing")
    if count and not (silent or options.missing == "drop"):
        predicted = axis.role.predicted
        raise ValueError(missing_message(source.argument, count, predicted=predicted))


def check_dropped(dropped: int, n_rows: int, options: Options) -> None:
    """Raise if no rows are left and no further rows follow."""
    if dropped == n_rows and not options.partial:
        raise ValueError(f"missing='drop' must leave rows; all {n_rows} have a missing value")


def common_lists(seen: Sequence[Seen], matrices: Sequence[Source], options: Options) -> Lists:
    """The label lists that variables share.

    Parameters
    ----------
    seen : sequence of Seen
        Variables with one label per row, without rows that are dropped.
    matrices : sequence of Source
        Variables that are matrices.
    options : Options
        Its explicit lists.

    Raises
    ------
    ValueError
        If labels are no labels, or columns of matrices differ.
    """
    soft, levels = _probabilities(seen, options.labels)
    lists: dict[Domain, tuple[Label, ...]] = {}
    origins: dict[Domain, str] = {}
    declared = set()
    for domain in _DOMAINS:
        listed = options.listed(domain)
        columns = [source for source in matrices if source.axis.role.domain == domain]
        if columns:
            lists[domain], origins[domain] = _of_matrices(columns, listed, domain)
        else:
            occurring = _occurring(seen, domain, soft)
            if not listed:
                _check_are_categories(seen, domain, soft)
            lists[domain], origins[domain] = listed or ordered(occurring), domain
        if listed or columns:
            declared.add(domain)
    return Lists(
        lists["labels"], lists["groups"], np.array(levels), soft, frozenset(declared), origins
    )


def _occurring(seen: Sequence[Seen], domain: Domain, soft: Collection[Axis]) -> list[Label]:
    """The labels that occur in variables, checked."""
    labels: list[Label] = [0, 1] if soft and domain == "labels" else []
    for variable in seen:
        axis = variable.source.axis
        if axis.role.domain == domain and axis not in soft:
            check_labels(variable.present, variable.source.argument)
            labels.extend(variable.present)
    return labels


def _check_are_categories(seen: Sequence[Seen], domain: Domain, soft: Collection[Axis]) -> None:
    """Raise for a continuous variable where labels are expected, before each number is one."""
    for variable in seen:
        axis = variable.source.axis
        if axis.role.domain != domain or axis in soft:
            continue
        split = [x for x in variable.present if isinstance(x, float) and not x.is_integer()]
        if len(split) > _MOST_DECIMALS:
            may_be_soft = axis.role == Role.PREDICTION
            soft_rule = ", or probabilities beside a truth of 0 and 1" if may_be_soft else ""
            raise ValueError(
                f"{variable.source.argument} must hold labels{soft_rule}; received {len(split):,} "
                f"different numbers that are not whole, such as {split[0]} (put a continuous "
                f"variable into bins, or list its values in {domain}= if each is meant as a label)"
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
