"""Counts at every threshold of a matrix of scores: entries pass from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.blocks import Block, agreement
from biasamp_adapters.counts.rows import dense
from biasamp_adapters.counts.tables import Margins, Tables
from biasamp_adapters.counts.variables import Axis


def as_chances(rank: Array, n_ranks: int) -> Array:
    """Ranks from 0 on as numbers between 0 and 1, which are counted row by row."""
    return (rank + 1) / (n_ranks + 1)


class MatrixSteps:
    """Counts at step s, where the entries of the s highest distinct scores are predicted 1.

    Parameters
    ----------
    ranked : Counts
        With ranks, 0 for the highest score, :func:`as_chances` in the place of the prediction.
    role : Role
        What the scores predict.
    n_ranks : int

    Attributes
    ----------
    width : int
        Numbers at each step.
    """

    def __init__(self, ranked: Counts, role: Role, n_ranks: int) -> None:
        (self.axis,) = (axis for axis in ranked.axes if axis.role == role)
        chances = dense(ranked.values.rows.indicators[self.axis])
        self.ranked = ranked
        rank = np.rint(chances * (n_ranks + 1)).astype(np.int64) - 1
        # Groups of the reference alone have no scores, and are predicted at no step.
        self.rank = np.where(rank < 0, n_ranks, rank)
        self._order = np.argsort(self.rank, axis=None, kind="stable")
        self._in_order = self.rank.ravel()[self._order]
        self.width = 4 * len(ranked.groups) * len(ranked.labels)

    def counts(self, step: int) -> Counts:
        """The counts at one step."""
        rows = self.ranked.values.rows
        predicted = {**rows.indicators, self.axis: (self.rank < step).astype(np.int8)}
        soft = self.ranked.soft_axes - {self.axis}
        return replace(self.ranked, rows=replace(rows, indicators=predicted), soft_axes=soft)

    def alike(self, steps: Array) -> Array:
        """For each step the first of them at which the same columns have an entry that is 1."""
        rows = self.ranked.values.rows
        first = self.rank[rows.weight > 0].min(axis=0, initial=len(self._in_order))
        n_columns = np.searchsorted(np.sort(first), steps)
        _, where, which = np.unique(n_columns, return_index=True, return_inverse=True)
        return np.asarray(steps[where][which])

    def tables(self, steps: Array, like: Counts) -> Tables:
        """The tables of several increasing steps at once, as one batch.

        ``like`` are aligned counts of one step.
        """
        tables = like.tables()
        return Tables(like, _MarginsOfMatrix(tables.margins, self, steps), tables.model)

    def sums(self, steps: Array, left: Array, truth: Array | None) -> Array:
        """Sums over rows of the products of columns and the entries that are 1 at each step.

        Parameters
        ----------
        steps : array of int, shape (steps,)
        left : array of shape (rows, columns)
        truth : array of the shape of the scores, optional
            What each entry counts; by default 1.

        Returns
        -------
        ndarray of shape (steps, columns, columns of the scores)
        """
        before = (self.rank < steps[0]).astype(np.float64)
        added = slice(*np.searchsorted(self._in_order, steps[[0, -1]]))
        row, column = np.divmod(self._order[added], self.rank.shape[1])
        at = np.searchsorted(steps, self._in_order[added] + 1)
        share = np.ones(len(row))
        if truth is not None:
            before *= truth
            share = truth[row, column]
        cell = at * self.rank.shape[1] + column
        size = len(steps) * self.rank.shape[1]
        sums = [np.bincount(cell, share * of_row[row], size) for of_row in left.T]
        moved = np.stack([one.reshape(len(steps), -1) for one in sums], axis=1)
        return np.asarray(left.T @ before + moved.cumsum(axis=0))


@dataclass(frozen=True)
class _MarginsOfMatrix(Margins):
    """Margins at every step, (steps, first, second), or (1, first, second) if none changes them.

    Attributes
    ----------
    fixed : Margins
        Those of one step.
    scored : MatrixSteps
    steps : ndarray of int
    """

    fixed: Margins
    scored: MatrixSteps
    steps: Array
    _known: dict[tuple[Block, Block], Array] = field(default_factory=dict)

    def __call__(self, first: Block, second: Block) -> Array:
        if (first, second) not in self._known:
            self._known[first, second] = self._made(first, second)
        return self._known[first, second]

    def _made(self, first: Block, second: Block) -> Array:
        axis = self.scored.axis
        scored = axis, agreement(axis)
        if second not in scored:
            if first in scored:
                return self(second, first).swapaxes(-1, -2)
            return self.fixed(first, second)[None]
        if first in scored:
            raise ValueError(f"no metric reads {first[0]} by {second[0]} at many steps")
        values = self.scored.ranked.values
        left = values.dense(first) * values.rows.weight[:, None]
        truth = None if second == axis else values.dense(Axis(axis.role.truth))
        return self.scored.sums(self.steps, left, truth)
