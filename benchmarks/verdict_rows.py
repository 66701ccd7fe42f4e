"""Populations of weighted, clustered, crossed and overlapping rows, and of guessed attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.verdict_populations import (
    MANY_ROWS,
    Array,
    CausedPopulation,
    ColumnPopulation,
    LabelPopulation,
)


@dataclass(frozen=True)
class WeightedPopulation(LabelPopulation):
    """One label per row, and a sampling weight.

    Attributes
    ----------
    drawn : tuple of float
        Shares of the groups among the rows that are drawn; weights make up for the difference.
    spread : float
        Standard deviation of the logarithm of weights within a group.
    """

    drawn: tuple[float, ...] = ()
    spread: float = 0.0

    @property
    def _weights(self) -> Array:
        """The mean weight of each group."""
        return np.asarray(self.table.sum((1, 2)) / self.drawn)

    @property
    def _squares(self) -> Array:
        """The mean of the squares, over that of the weights; those within groups are lognormal."""
        return np.asarray(self._weights * np.exp(self.spread**2))

    @property
    def design_effect(self) -> float:  # type: ignore[override]
        """That of a mean over all rows (Kish)."""
        return float(self.table.sum((1, 2)) @ self._squares)

    def deviation(self, gradients: Sequence[Array]) -> float:
        """Over the cells, with the squares of the weights."""
        (gradient,) = gradients
        away = gradient - (self.table * gradient).sum()
        return float(np.sqrt((self._squares[:, None, None] * self.table * away**2).sum()))

    def sample(self, rows: int, rng: np.random.Generator) -> bam.JointCounts:
        """Rows of different weights stay apart."""
        chance = self.table / self._weights[:, None, None]
        cells = rng.choice(chance.size, rows, p=chance.ravel() / chance.sum())
        group = cells // chance[0].size
        noise = np.exp(self.spread * rng.standard_normal(rows) - self.spread**2 / 2)
        weight = self._weights[group] * noise
        return self._counts(cells, sample_weight=weight, by_weight=True)


@dataclass(frozen=True)
class ClusteredPopulation(LabelPopulation):
    """Clusters of rows of one group, some of which share their luck.

    Attributes
    ----------
    size : int
        Rows of a cluster.
    shared : float
        How likely a row takes its truth from the number that all rows of the cluster share, and,
        independently of that, its prediction. The truths of two rows then correlate by the square.
    """

    size: int = 10
    shared: float = 0.6

    @property
    def design_effect(self) -> float:  # type: ignore[override]
        """That of the truth, whose group is the same in the cluster."""
        return 1 + (self.size - 1) * self.shared**2

    def _cells(self, clusters: int, rng: np.random.Generator) -> Array:
        """The cell of each row, of shape (clusters, size)."""
        shares = self.table.sum((1, 2))
        group = rng.choice(len(shares), clusters, p=shares / shares.sum())[:, None]
        group = np.broadcast_to(group, (clusters, self.size))
        true = self._quantile(self.table.sum(2)[group], rng)
        predicted = self._quantile(self.table[group, true], rng)
        return np.ravel_multi_index((group, true, predicted), self.table.shape)

    def _quantile(self, chances: Array, rng: np.random.Generator) -> Array:
        """A value for each row, from a number of its own or the one of its cluster."""
        own, of_all = rng.random(chances.shape[:2]), rng.random((len(chances), 1))
        number = np.where(rng.random(own.shape) < self.shared, of_all, own)
        ends = np.cumsum(chances, axis=-1)
        return np.asarray((number[..., None] * ends[..., -1:] >= ends[..., :-1]).sum(-1))

    def deviation(self, gradients: Sequence[Array]) -> float:
        """Over many drawn clusters, because their rows depend on each other."""
        (gradient,) = gradients
        cells = self._cells(MANY_ROWS // self.size, np.random.default_rng(0))
        return float(gradient.ravel()[cells].sum(1).std() / np.sqrt(self.size))

    def sample(self, rows: int, rng: np.random.Generator) -> bam.JointCounts:
        """Rows with the numbers of their clusters."""
        cells = self._cells(rows // self.size, rng)
        clusters = np.repeat(np.arange(len(cells)), self.size)
        return self._counts(cells.ravel(), clusters=clusters)


@dataclass(frozen=True)
class CrossedPopulation(LabelPopulation):
    """Groups that are combinations of two attributes, the second of ``levels`` values."""

    levels: int = 2

    def _attribute(self, given: Array) -> Array:
        return np.stack(np.divmod(given, self.levels), axis=1)


@dataclass(frozen=True)
class OverlappingPopulation(ColumnPopulation):
    """A label matrix whose groups are columns too; rows have any combination of them.

    The first axis of ``causes``, ``found`` and ``mistaken`` is the combination.

    Attributes
    ----------
    combinations : ndarray of shape (combinations, groups)
        Which groups a row belongs to.
    """

    combinations: Array

    @property
    def groups(self) -> int:  # type: ignore[override]
        """How many groups there are."""
        return int(self.combinations.shape[1])

    @property
    def member(self) -> Array:
        """Which combinations belong to each group."""
        return self.combinations.T.astype(float)

    def _attribute(self, group: Array) -> Any:
        return bam.Indicators(self.combinations[group])


@dataclass(frozen=True)
class GuessedPopulation(CausedPopulation):
    """One whose groups are predicted: T->A.

    Attributes
    ----------
    guess : ndarray of shape (groups, causes, groups)
        How likely each group is predicted, given the true one and the cause.
    """

    guess: Array

    direction = "T->A"
    # What is given is a column that is positive.
    _pairs = (slice(1, 2), slice(None))

    @cached_property
    def tables(self) -> Sequence[Array]:
        """One table of shape (2, groups, groups) per column."""
        guessed = self.causes[..., None] * self.guess
        chances = np.stack([1 - self.present, self.present])
        return list(np.einsum("vcj,gcp->jvgp", chances, guessed))

    def _rows(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        cell = rng.choice(self.causes.size, rows, p=self.causes.ravel())
        group, cause = np.unravel_index(cell, self.causes.shape)
        truth = rng.random((rows, self.tasks)) < self.present[cause]
        ends = np.cumsum(self.guess[group, cause], axis=1)
        guessed = (rng.random((rows, 1)) * ends[:, -1:] >= ends[:, :-1]).sum(1)
        return truth.astype(int), group, guessed

    def deviation(self, gradients: Sequence[Array]) -> float:
        """Over many drawn rows, because columns depend on each other."""
        truth, group, guessed = self._rows(MANY_ROWS, np.random.default_rng(0))
        each = [gradient[truth[:, j], group, guessed] for j, gradient in enumerate(gradients)]
        return float(np.sum(each, axis=0).std())

    def mixed(self, other: GuessedPopulation, share: float) -> GuessedPopulation:
        """The same rows with a mixture of the chances."""
        return replace(self, guess=(1 - share) * self.guess + share * other.guess)

    def sample(self, rows: int, rng: np.random.Generator) -> bam.CooccurrenceCounts:
        """Rows are drawn and kept."""
        truth, group, guessed = self._rows(rows, rng)
        return bam.CooccurrenceCounts.from_arrays(
            truth, None, group, sensitive_features_pred=guessed, keep_rows=True
        )
