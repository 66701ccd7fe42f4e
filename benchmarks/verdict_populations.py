"""Populations whose amplification is known exactly, and counts of samples of their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import biasamp_adapters as bam

Array = NDArray[Any]

#: Step of numeric derivatives, relative to the whole table.
_STEP = 1e-6

#: Rows that the standard deviation of the values of a matrix is computed from.
MANY_ROWS = 100_000

#: Differences of rates that are not rounding.
_ROUNDING = 1e-12


def rates(table: Array, member: Array) -> tuple[Array, Array, Array]:
    """Rates of the truth, of the predictions, and of blind errors, of shape (..., groups, classes).

    Parameters
    ----------
    table : ndarray of shape (..., parts, classes, predictions)
        Shares of rows; a prediction after the last class is an abstention.
    member : ndarray of shape (groups, parts)
        Which parts of the rows belong to each group.
    """
    classes = table.shape[-2]
    true, predicted = member @ table.sum(-1), member @ table.sum(-2)[..., :classes]
    rows = true.sum(-1, keepdims=True)
    pooled = table.sum(-3)
    confusion = pooled[..., :classes] / pooled.sum(-1, keepdims=True)
    return true / rows, predicted / rows, true / rows @ confusion


def correlations(table: Array, member: Array) -> tuple[Array, Array, Array]:
    """P(a, t) - P(a) P(t), P(a) and P(t)."""
    joint, task = member @ table.sum(-1), table.sum((0, 2))
    group = joint.sum(-1, keepdims=True)
    away = joint - group * task
    return np.where(np.abs(away) < _ROUNDING, 0, away), group, task


class Population(ABC):
    """Rows of groups, tasks and predictions.

    Its amplification is the mean over pairs of the sign times the change of the rate; the excess
    is what it has more than blind errors.
    """

    groups: int
    tasks: int

    @property
    @abstractmethod
    def tables(self) -> Sequence[Array]:
        """Tables over (groups, classes, predictions): that of all, or one for each column."""

    #: Which groups and classes of a table are pairs.
    _pairs: tuple[slice, slice] = (slice(None), slice(None))

    #: Rows that say as much as one independent row of equal weight.
    design_effect: float = 1.0

    @property
    def member(self) -> Array:
        """Which parts of a table belong to each group, of shape (groups, parts)."""
        return np.eye(len(self.tables[0]))

    @abstractmethod
    def deviation(self, gradients: Sequence[Array]) -> float:
        """Standard deviation over rows of the sum of what the cells of a row have in a gradient."""

    @abstractmethod
    def mixed(self, other: Self, share: float) -> Self:
        """The same rows, with a share of the predictions replaced by those of another."""

    @abstractmethod
    def sample(self, rows: int, rng: np.random.Generator) -> Any:
        """Counts of rows drawn independently."""

    def _signs(self, table: Array) -> Array:
        return np.sign(correlations(table, self.member)[0])

    def _value(self, table: Array, sign: Array, is_excess: bool) -> Array:
        true, predicted, blind = rates(table, self.member)
        change = sign * (predicted - (blind if is_excess else true))
        return np.asarray(change[..., *self._pairs].mean((-1, -2)) / len(self.tables))

    @cached_property
    def amplification(self) -> float:
        """BA-> of all rows."""
        return float(sum(self._value(table, self._signs(table), False) for table in self.tables))

    @cached_property
    def excess(self) -> float:
        """BA-> of all rows less that of blind errors."""
        return float(sum(self._value(table, self._signs(table), True) for table in self.tables))

    def least_z(self, rows: int) -> float:
        """Standard errors from 0 of the weakest correlation of the truth in so many rows."""
        out = []
        for table in self.tables:
            away, group, task = correlations(table, self.member)
            z = away / np.sqrt(group * (1 - group) * task * (1 - task))
            out.append(np.abs(z[self._pairs]).min())
        return float(np.sqrt(rows / self.design_effect) * min(out))

    def error(self, rows: int, is_excess: bool = False) -> float:
        """Standard error of the value, with the signs of the population (delta method)."""
        gradients = []
        for table in self.tables:
            steps = _STEP * np.eye(table.size).reshape(-1, *table.shape)
            values = [
                self._value(table + step, self._signs(table), is_excess) for step in (steps, -steps)
            ]
            gradients.append(((values[0] - values[1]) / (2 * _STEP)).reshape(table.shape))
        return self.deviation(gradients) / float(np.sqrt(rows))

    def clearness(self, rows: int, is_excess: bool = False) -> float:
        """The value in standard errors of samples of ``rows`` rows; 0 where it is 0."""
        value = self.excess if is_excess else self.amplification
        return value / self.error(rows, is_excess) if abs(value) > _ROUNDING else 0.0


@dataclass(frozen=True)
class LabelPopulation(Population):
    """One label per row.

    Attributes
    ----------
    table : ndarray of shape (given, true, predicted)
        Shares of rows: the variable that is given, the one that is predicted, and its prediction.
    direction : {"A->T", "T->A"}
        Which of the two is the attribute.
    """

    table: Array
    direction: str = "A->T"

    @property
    def groups(self) -> int:  # type: ignore[override]
        """How many groups there are."""
        return int(self.table.shape[self.direction != "A->T"])

    @property
    def tasks(self) -> int:  # type: ignore[override]
        """How many classes there are."""
        return int(self.table.shape[self.direction == "A->T"])

    @property
    def tables(self) -> Sequence[Array]:
        """The one table."""
        return (self.table,)

    def deviation(self, gradients: Sequence[Array]) -> float:
        """Over the cells."""
        (gradient,) = gradients
        mean = (self.table * gradient).sum()
        return float(np.sqrt((self.table * (gradient - mean) ** 2).sum()))

    def mixed(self, other: Self, share: float) -> Self:
        """A mixture of the tables."""
        return replace(self, table=(1 - share) * self.table + share * other.table)

    def sample(self, rows: int, rng: np.random.Generator) -> bam.JointCounts:
        """A table of counts is drawn, not rows."""
        drawn = rng.multinomial(rows, self.table.ravel())
        weight = drawn[drawn > 0].astype(float)
        return self._counts(np.flatnonzero(drawn), sample_weight=weight).as_frequencies()

    def _counts(self, cells: Array, **options: Any) -> bam.JointCounts:
        """Counts of rows, which are given by the cells of the table."""
        given, true, predicted = np.unravel_index(cells, self.table.shape)
        guessed = np.array([*range(self.table.shape[1]), None], dtype=object)[predicted]
        names = ["y_true", "sensitive_features", "sensitive_features_pred"]
        values = [given, true, guessed]
        if self.direction == "A->T":
            names = ["y_true", "y_pred", "sensitive_features"]
            values = [true, guessed, self._attribute(given)]
        arrays: dict[str, Any] = dict(zip(names, values, strict=True))
        return bam.JointCounts.from_arrays(**arrays, **options, missing="abstain")

    def _attribute(self, given: Array) -> Array:
        """The attribute of rows, by the number of their group."""
        return given


@dataclass(frozen=True)
class CausedPopulation(Population):
    """A label matrix whose columns share causes, and a group per row.

    Attributes
    ----------
    causes : ndarray of shape (groups, causes)
        Shares of rows.
    present : ndarray of shape (causes, columns)
        How likely each column is positive.
    """

    causes: Array
    present: Array

    @property
    def groups(self) -> int:  # type: ignore[override]
        """How many groups there are."""
        return int(self.causes.shape[0])

    @property
    def tasks(self) -> int:  # type: ignore[override]
        """How many columns there are."""
        return int(self.present.shape[1])


@dataclass(frozen=True)
class ColumnPopulation(CausedPopulation):
    """One whose columns are predicted: A->T.

    Attributes
    ----------
    found, mistaken : ndarray of shape (groups, columns)
        How likely a positive, and a negative, is predicted to be positive.
    """

    found: Array
    mistaken: Array

    direction = "A->T"
    _pairs = (slice(None), slice(1, 2))

    @cached_property
    def tables(self) -> Sequence[Array]:
        """One table of shape (groups, 2, 2) per column."""
        positive, rows = self.causes @ self.present, self.causes.sum(1, keepdims=True)
        parts = [
            (part * (1 - chance), part * chance)
            for part, chance in ((rows - positive, self.mistaken), (positive, self.found))
        ]
        table = np.array(parts)  # (true, predicted, groups, columns)
        return [np.moveaxis(table[..., j], 2, 0) for j in range(self.tasks)]

    def _rows(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        cell = rng.choice(self.causes.size, rows, p=self.causes.ravel())
        group, cause = np.unravel_index(cell, self.causes.shape)
        truth = rng.random((rows, self.tasks)) < self.present[cause]
        chance = np.where(truth, self.found[group], self.mistaken[group])
        return group, truth.astype(int), (rng.random(truth.shape) < chance).astype(int)

    def deviation(self, gradients: Sequence[Array]) -> float:
        """Over many drawn rows, because columns depend on each other."""
        group, truth, predicted = self._rows(MANY_ROWS, np.random.default_rng(0))
        each = [
            gradient[group, truth[:, j], predicted[:, j]] for j, gradient in enumerate(gradients)
        ]
        return float(np.sum(each, axis=0).std())

    def mixed(self, other: Self, share: float) -> Self:
        """The same rows with a mixture of the chances."""
        found = (1 - share) * self.found + share * other.found
        mistaken = (1 - share) * self.mistaken + share * other.mistaken
        return replace(self, found=found, mistaken=mistaken)

    def sample(self, rows: int, rng: np.random.Generator) -> bam.CooccurrenceCounts:
        """Rows are drawn and kept."""
        group, truth, predicted = self._rows(rows, rng)
        attribute = self._attribute(group)
        return bam.CooccurrenceCounts.from_arrays(truth, predicted, attribute, keep_rows=True)

    def _attribute(self, group: Array) -> Any:
        """The attribute of rows, by the number of their group."""
        return group


def reaching(target: float, rows: int, base: Any, full: Any) -> Any:
    """The mixture of two populations whose amplification is ``target`` standard errors.

    None if even the second does not reach it.
    """
    low, high = 0.0, 1.0
    if full.clearness(rows) < target:
        return None
    for _ in range(20):
        middle = (low + high) / 2
        if base.mixed(full, middle).clearness(rows) < target:
            low = middle
        else:
            high = middle
    return base.mixed(full, high)
