"""Rows with scores, a truth and a group: what thresholds are set on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import listing, lookup, ordered, positive_class
from biasamp_adapters.inputs.columns import Column, read_columns
from biasamp_adapters.inputs.combinations import combinations
from biasamp_adapters.inputs.matrices import Indicators, Matrix, is_matrix, one_shape
from biasamp_adapters.thresholds.cuts import thresholds
from biasamp_adapters.thresholds.scores import read_scores


class ScoredRows(NamedTuple):
    """Rows with scores and truth.

    Attributes
    ----------
    scores : ndarray of shape (n,) or (n, K)
    truth : ndarray of bool, of the same shape
    weight : ndarray of shape (n,) or None
    exclusive : bool
        Whether the columns are classes, of which each row has one.
    """

    scores: Array
    truth: Array
    weight: Array | None
    exclusive: bool

    def of(self, rows: Array) -> ScoredRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return self._replace(scores=self.scores[rows], truth=self.truth[rows], weight=weight)

    def by_group(self, codes: Array, n_groups: int) -> list[ScoredRows]:
        """The rows of each group, by the position of the group of each row."""
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(1, n_groups))
        return [self.of(members) for members in np.split(order, starts)]

    @property
    def rates(self) -> Array:
        """The share of each class or label in the truth; NaN of no rows."""
        if not len(self.truth):
            return np.full(self.truth.shape[1:], np.nan)
        return np.asarray(np.average(self.truth, axis=0, weights=self.weight))

    def decided(self, cuts: Array) -> Array:
        """Which classes or labels are predicted at these thresholds, in the shape of the scores."""
        above = self.scores - cuts
        if self.exclusive:
            return np.asarray(above.argmax(axis=1)[:, None] == np.arange(above.shape[1]))
        return np.asarray(above > 0)

    def thresholds(self, shares: Array, tolerance: float) -> Array:
        """The most accurate thresholds whose rates are within the tolerance of the shares."""
        return thresholds(*self[:2], shares, self.weight, tolerance, exclusive=self.exclusive)


def read_scored(
    y_true: Any, y_score: Any, pos_label: Label | None
) -> tuple[ScoredRows, tuple[Label, ...], int | None]:
    """Scores and truth, their labels, and the position of the positive one of two classes.

    Raises
    ------
    ValueError
        If they do not fit together.
    """
    y_true, y_score = one_shape([y_true, y_score]) if not is_matrix(y_true) else (y_true, y_score)
    scores, names = read_scores(y_score)
    if is_matrix(y_true):
        matrix = Matrix(y_true, "y_true", soft=False)
        labels = matrix.labels
        truth, absent = matrix.read(0, len(matrix), np.arange(len(labels)))
        if absent is not None:
            raise ValueError(
                f"y_true must not have missing values; received {absent.sum()} row(s) with one"
            )
        _check_shape(scores, (len(truth), len(labels)), names, labels if matrix.named else None)
        if pos_label is not None:
            raise ValueError(f"pos_label is for two classes; received {pos_label!r} and a matrix")
        return ScoredRows(scores, truth.astype(bool), None, exclusive=False), labels, None
    labels, codes = read_labels(read_columns(y_true, "y_true"))
    if len(labels) < 2:
        raise ValueError(f"y_true must hold at least two classes; received {listing(labels)}")
    if scores.ndim == 1:
        if len(labels) > 2:
            raise ValueError(
                f"y_score must have one column for each of {len(labels)} classes; received a vector"
            )
        if pos_label not in (None, *labels):
            raise ValueError(f"pos_label must be one of {listing(labels)}; received {pos_label!r}")
        positive = labels.index(positive_class(labels) if pos_label is None else pos_label)
        _check_shape(scores, (len(codes),), None, None)
        return ScoredRows(scores, codes == positive, None, exclusive=False), labels, positive
    if pos_label is not None:
        raise ValueError(f"pos_label is for a vector of scores; received {pos_label!r}")
    _check_shape(scores, (len(codes), len(labels)), names, labels)
    return ScoredRows(scores, codes[:, None] == np.arange(len(labels)), None, True), labels, None


def _check_shape(
    scores: Array, shape: tuple[int, ...], names: list[str] | None, labels: Any
) -> None:
    if scores.shape != shape:
        raise ValueError(f"y_score must have the shape {shape}; received {scores.shape}")
    if labels is not None and not fits(names, labels):
        raise ValueError(f"y_score must have the columns {listing(labels)}; received {names}")


def fits(names: Sequence[str] | None, labels: Sequence[Label]) -> bool:
    """Whether the names of columns, if they have any, are those of the labels."""
    return names is None or list(map(str, labels)) == list(names)


def read_labels(columns: Sequence[tuple[str, Column]]) -> tuple[tuple[Label, ...], Array]:
    """The labels of one variable in their natural order, and the position of that of each row.

    Several columns are crossed.

    Raises
    ------
    ValueError
        If a value is missing.
    """
    number, keys = combinations([column for _, column in columns])
    found = [key[0] if len(key) == 1 else key for key in keys]
    labels = ordered(found)
    return labels, lookup(found, labels)[number]


def read_groups(sensitive_features: Any, n_rows: int) -> tuple[tuple[Label, ...], Array]:
    """The groups in their natural order, and the position of that of each row.

    Raises
    ------
    ValueError
        If the attribute is missing in a row or as a whole, has another length, or rows may belong
        to several groups.
    """
    if sensitive_features is None:
        raise ValueError(
            "sensitive_features must be given: each group has thresholds of its own; received None"
        )
    if isinstance(sensitive_features, Indicators):
        raise ValueError("thresholds need exactly one group for each row; received Indicators")
    groups, codes = read_labels(read_columns(sensitive_features, "sensitive_features"))
    if len(codes) != n_rows:
        raise ValueError(
            f"inputs must have the same length; received sensitive_features {len(codes)} for "
            f"{n_rows} rows"
        )
    return groups, codes
