"""Margins: sums over rows by two variables, for a batch of draws. The data are a batch of one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    LABELLED,
    MISSING,
    PREDICTED,
    RIGHT,
    SHARED,
    TASK,
    TRUTH,
    Array,
)
from biasamp_adapters.counting.partition import Partition, sum_pairs
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes, Variable, indicator

#: Relative differences up to this are rounding, and shares that differ from 1 by less are 1.
_ROUNDING = 1e-12

#: Whole numbers as integers of any size, whose products are exact.
_to_integers: Any = np.frompyfunc(int, 1, 1)


class Margins:
    """Sums of weights by two variables, of shape (batch, labels, labels).

    Parameters
    ----------
    partition : Partition
    model : str or None
        Whose predictions are read.
    times : ndarray of shape (batch, parts)
        How often each part of the rows occurs.
    truth : Margins, optional
        Those of the truth, which several models share.
    """

    def __init__(
        self, partition: Partition, model: str | None, times: Array, truth: Margins | None = None
    ) -> None:
        self.partition, self.model, self.times, self.truth = partition, model, times, truth
        self.rows = partition.rows
        self._tables: dict[tuple[str, str], Array] = {}

    def has(self, role: str) -> bool:
        """Return whether a variable was counted."""
        return self.rows.has(role, self.model)

    def variable(self, role: str) -> Variable:
        """Return a variable of the rows."""
        return self.rows.variable(role, self.model)

    def joint(self, first: str, second: str, *, missing: bool = False) -> Array:
        """Return sums by two variables; with ``missing``, missing values are a last label.

        ``ALL`` as one of them gives the sums by the other one.
        """
        table = self._table(first, second)
        if not missing and self.variable(first).has_missing:
            table = table[:, :-1]
        if not missing and self.variable(second).has_missing:
            table = table[:, :, :-1]
        return table

    def _table(self, first: str, second: str) -> Array:
        """Return sums by two variables and their missing values, made once."""
        if self.truth is not None and first in SHARED and second in SHARED:
            return self.truth._table(first, second)
        if (first, second) in self._tables:
            return self._tables[first, second]
        by_group = self._tables.get((ATTRIBUTE, second))
        if first == ALL and by_group is not None and isinstance(self.variable(ATTRIBUTE), Codes):
            table = by_group.sum(axis=1, keepdims=True)
        else:
            sums = self.times @ self.partition.sums(first, second, self.model)
            shape = -1, self.variable(first).width, self.variable(second).width
            table = np.ascontiguousarray(sums).reshape(shape)
        self._tables[first, second] = table
        return table

    @property
    def total(self) -> Array:
        """All rows, (batch, 1, 1)."""
        return self.joint(ALL, ALL)

    @cached_property
    def equal_errors(self) -> Array:
        """Sums by group and predicted class if all groups had the same errors, as metrics share."""
        return pass_errors(self, TASK, self.joint(ATTRIBUTE, TASK), self.joint(ATTRIBUTE, ALL))

    @cached_property
    def squared(self) -> Margins:
        """Margins of the squares of the weights of rows."""
        if self.rows.w is None:
            return self
        truth = None if self.truth is None else self.truth.squared
        return Margins(self.partition.squared, self.model, self.times, truth)

    def sizes(self, first: str, second: str) -> Array:
        """Return what decides whether a sum has rows enough: clusters, or effective rows.

        These are the rows of equal weight that it is worth: (sum w)^2 / (sum w^2).
        """
        if self.rows.size_unit == "clusters":
            return count_clusters(self.rows, self.variable(first), self.variable(second))[None]
        return divide(self.joint(first, second) ** 2, self.squared.joint(first, second), 0.0)

    def sizes_of_kind(self, given: str, of: str, label: int, kind: str = "") -> Array:
        """Return the sizes by one variable of all rows, or of those of a kind.

        "positive" are those with a label of another variable, and "negative" those without it.
        """
        if not kind:
            of, label = ALL, 0
        if kind != "negative":
            sizes: Array = self.sizes(given, of)[0, :, label]
            return sizes
        if self.rows.size_unit == "clusters":
            others = indicator(self.variable(of).sparse[:, [label]].toarray()[:, 0] == 0)
            return count_clusters(self.rows, self.variable(given), others)[:, 0]
        sums = [minus(m.joint(given, ALL), m.joint(given, of)) for m in (self, self.squared)]
        return divide(sums[0] ** 2, sums[1], 0.0)[0, :, label]

    def of_model(self, model: str | None) -> Margins:
        """Return the margins of a model on the same draws; those of the truth are shared."""
        return Margins(self.partition, model, self.times, truth=self)


def margins_of_data(rows: Rows) -> Margins:
    """Return the margins of the data: all rows are one part, and the batch is one draw of it."""
    part = np.zeros(len(rows), dtype=np.int64)
    once = np.ones(1)
    return Margins(Partition(rows, part, rows.weight, once, 1.0), None, once[None])


def count_rows(rows: Rows, role: str, model: str | None = None) -> Array:
    """Return how many rows hold each label of a variable, whatever their weights."""
    return margins_of_data(rows.unweighted()).of_model(model).joint(ALL, role)[0, 0]


def count_clusters(rows: Rows, first: Variable, second: Variable) -> Array:
    """Return in how many clusters rows have both labels, (labels, labels)."""
    cluster: Any = rows.cluster
    sums = sum_pairs(first, second, cluster, np.ones(len(rows)), cluster.max(initial=-1) + 1)
    n = np.asarray((sums > 0).sum(axis=0), dtype=np.float64).reshape(first.width, second.width)
    return n[: len(first.labels), : len(second.labels)]


def pairs_of(rows: Rows) -> Iterator[tuple[str, str, str | None]]:
    """Yield the pairs of variables whose sums any metric reads, for each model."""
    for model in rows.models or (None,):
        roles = [role for role in TRUTH if rows.has(role, model)]
        read = [*combinations([*roles, ALL], 2), (ALL, ALL), (ALL, LABELLED)]
        for truth in PREDICTED:
            if truth in roles and PREDICTED[truth] in roles:
                read += [(given, RIGHT[truth]) for given in (*roles, ALL) if given in SHARED]
        for first, second in read:
            yield first, second, None if {first, second} <= {*SHARED} else model


def accuracy_of(margins: Margins, truth: str) -> Array:
    """Return the share of right predictions of labels, (batch, 1)."""
    right = margins.joint(ALL, RIGHT[truth]).sum(axis=-1)
    return _near_one(divide(right, margins.total[:, 0]))


def accuracy_by_label(margins: Margins, truth: str, *, missing_is_wrong: bool = True) -> Array:
    """Return the share of rows whose indicator of a label is predicted right, (batch, labels).

    A missing prediction of a label matrix is wrong, or else a 0 in each column.
    """
    predicted, missing = PREDICTED[truth], MISSING[truth]
    right = margins.joint(ALL, RIGHT[truth])[:, 0]
    wrong = margins.joint(ALL, truth)[:, 0] + margins.joint(ALL, predicted)[:, 0] - 2 * right
    variable = margins.variable(predicted)
    if missing_is_wrong and variable.is_matrix and variable.has_missing:
        wrong = wrong + margins.joint(ALL, missing)[:, 0] - margins.joint(truth, missing)[..., 0]
    return _near_one(1 - divide(wrong, margins.total[:, 0]))


def pass_errors(margins: Margins, truth: str, joint: Array, others: Array) -> Array:
    """Return sums by another variable and predictions whose errors do not depend on it.

    ``joint`` are sums by the other variable and the true one, (batch, others, labels), and
    ``others`` sums by the other variable, (batch, others, 1).
    """
    total = margins.joint(ALL, truth)
    if not margins.variable(truth).is_matrix:
        confusion = divide(margins.joint(truth, PREDICTED[truth]), total.swapaxes(-1, -2), 0.0)
        return joint @ confusion
    hits, predicted = margins.joint(ALL, RIGHT[truth]), margins.joint(ALL, PREDICTED[truth])
    hit_rate = divide(hits, total, 0.0)
    false_rate = divide(predicted - hits, margins.joint(ALL, ALL) - total, 0.0)
    return hit_rate * joint + false_rate * (others - joint)


def _near_one(share: Array) -> Array:
    return np.where(1 - share < _ROUNDING, 1.0, share)


def divide(above: Array, below: Array, otherwise: float = np.nan) -> Array:
    """Return the quotient, or ``otherwise`` where the denominator is not above 0."""
    is_defined = np.asarray(below) > 0
    if is_defined.all():
        return above / below
    shape = np.broadcast_shapes(np.shape(above), np.shape(below))
    return np.divide(above, below, out=np.full(shape, otherwise), where=is_defined)


def minus(whole: Array, part: Array) -> Array:
    """Return what is left of sums of weights; what rounding leaves is nothing."""
    left = whole - part
    return np.where(left > _ROUNDING * whole, left, 0.0)


def mean_of_pairs(values: Array, axis: Any = (1, 2)) -> Array:
    """Return the mean of what is not NaN over groups and classes, or of an axis of 2 over classes.

    Values have the shape (batch, groups, classes).
    """
    total: Array = values.sum(axis)
    if values.size and not np.isnan(total).any():
        return total / (values.size // total.size)
    defined = ~np.isnan(values)
    return divide(np.where(defined, values, 0).sum(axis), defined.sum(axis))


# Signs of correlations, and how certain they are.


def signs(origin: Margins, *, is_even: bool) -> Array:
    """Return the sign of P(a | t) minus P(a), or minus an even share: (batch, groups, classes).

    It is exact for whole numbers.
    """
    group, total = _expected_groups(origin, is_even)
    return _compare_products(total, origin.joint(ATTRIBUTE, TASK), group, origin.joint(ALL, TASK))


def certainty(origin: Margins, *, is_even: bool) -> Array:
    """Return how many standard errors each of these differences is from 0, (groups, classes)."""
    labelled = origin.joint(ALL, LABELLED)[0]
    if not labelled.any():
        return np.zeros(origin.joint(ATTRIBUTE, TASK).shape[1:])
    joint, task = origin.joint(ATTRIBUTE, TASK)[0] / labelled, origin.joint(ALL, TASK)[0] / labelled
    group, total = _expected_groups(origin, is_even)
    share, rate = group[0] / total[0], 0.0 if is_even else task
    squares, ones = (_squared_influences(m, share, rate) for m in (origin.squared, origin))
    variance = share * (1 - share) * task * (1 - rate) / labelled * divide(squares, ones, 0.0)
    return divide(joint - share * task, np.sqrt(np.maximum(variance, 0)), 0.0)


def _squared_influences(margins: Margins, share: Array, rate: Array | float) -> Array:
    """Return the sums of (1(a) - share)^2 (1(t) - rate)^2, (groups, classes)."""
    joint, group = margins.joint(ATTRIBUTE, TASK)[0], margins.joint(ATTRIBUTE, ALL)[0]
    task, labelled = margins.joint(ALL, TASK)[0], margins.joint(ALL, LABELLED)[0]
    of_group = (1 - 2 * share) * ((1 - 2 * rate) * joint + rate**2 * group)
    return of_group + share**2 * ((1 - 2 * rate) * task + rate**2 * labelled)


def _expected_groups(origin: Margins, is_even: bool) -> tuple[Array, Array]:
    """Return sums of groups that classes are compared with, and their total: even ones are 1."""
    if is_even:
        n_groups = origin.joint(ATTRIBUTE, TASK).shape[1]
        return np.ones((1, 1, 1)), np.full((1, 1, 1), float(n_groups))
    return origin.joint(ATTRIBUTE, ALL), origin.joint(ALL, LABELLED)


def sign_of_difference(left: Array, right: Array | float) -> Array:
    """Return the sign of the difference; 0 if both are equal up to rounding."""
    is_tie = np.abs(left - right) <= _ROUNDING * np.maximum(np.abs(left), np.abs(right))
    return np.where(is_tie, 0.0, np.sign(left - right))


def _compare_products(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return the sign of a b - c d, which is exact if all are whole."""
    factors = np.concatenate([factor.ravel() for factor in (a, b, c, d)])
    if not (factors == np.rint(factors)).all():
        return sign_of_difference(a * b, c * d)
    if factors.max(initial=0) > 2**26:  # Floats hold the products of smaller whole numbers.
        a, b, c, d = map(_to_integers, (a, b, c, d))
    return np.sign(a * b - c * d).astype(np.float64)
