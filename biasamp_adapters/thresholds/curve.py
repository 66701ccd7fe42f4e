"""Counts at every threshold of a score: rows pass from predicted negative to positive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.blocks import ONE, Block, agreement
from biasamp_adapters.counts.rows import concatenated, lexicographic_key
from biasamp_adapters.counts.tables import Margins, Tables
from biasamp_adapters.counts.variables import ATTRIBUTE, TASK, Axis
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.reference import align
from biasamp_adapters.thresholds.cuts import lowest_positive
from biasamp_adapters.thresholds.swept import Swept


def aligned_truth(metric: Metric, truth: Counts) -> Counts:
    """The truth with the labels and groups of the metric."""
    reference = getattr(metric, "reference", None)
    return align(truth, reference, metric.labels, metric.groups).counts


def shares(added: Array) -> Array:
    """The share of all weight that is predicted positive, before any score and after each.

    Parameters
    ----------
    added : array of shape (..., scores)
        The weight that is predicted positive from each score on.

    Returns
    -------
    ndarray of shape (..., scores + 1)
    """
    total = np.cumsum(added, axis=-1)
    nobody = np.zeros((*total.shape[:-1], 1))
    return np.concatenate([nobody, total / total[..., -1:]], axis=-1)


def integral(share: Array, values: Array) -> Array:
    """The trapezoid integral of values over shares, without the points that are NaN.

    Parameters
    ----------
    share, values : array of shape (..., points)

    Returns
    -------
    ndarray of shape (...)
        NaN where fewer than two points are defined.
    """
    whole = np.asarray(np.trapezoid(values, share, axis=-1))
    # A NaN makes the whole integral NaN.
    for i in map(tuple, np.argwhere(np.isnan(whole))):
        known = ~np.isnan(values[i])
        if known.sum() > 1:
            whole[i] = np.trapezoid(values[i][known], share[i][known])
    return whole


def steps_of(metric: Metric, ranked: Counts, swept: Swept) -> Steps:
    """The counts at every threshold, from counts whose prediction is the rank of the score."""
    role, domain = swept.role, swept.role.domain
    others = tuple(axis for axis in ranked.axes if axis.role != role)
    rows = ranked.values.rows.of_axes(others).merged()
    binary = aligned_truth(metric, replace(ranked, axes=others, rows=rows))
    labels = binary.labels_of(role)
    positive = swept.position(labels)
    # Ranks were counted as labels of the prediction; 1 may be both a label and a rank.
    ranks = [label for label in ranked.labels_of(role) if label not in labels]
    lists = {"labels": binary.labels, "groups": binary.groups, domain: (*labels, *ranks)}
    return Steps(ranked.align(**lists), role, labels, positive)


class Steps:
    """Counts at step s, where the rows of the s highest distinct scores are predicted positive.

    ``ranked`` counts rows with the rank of the score, 0 for the highest, as labels of the
    prediction of a ``role``; ``positive`` is the position of the positive one of its two
    ``labels``. Rows that differ only in their score share two cells, predicted negative and
    positive.

    Attributes
    ----------
    ranked : Counts
    ranks : ndarray of int, shape (ranks,)
        Ranks that occur.
    added : ndarray of shape (ranks,)
        Weight of the rows of each rank.
    share : ndarray of shape (ranks + 1,)
        Share of the weight that is predicted positive at each step, from 0 to 1.
    width : int
        Cells at each step, including empty ones.
    positive : int
        The position of the positive label.
    """

    def __init__(
        self, ranked: Counts, role: Role, labels: tuple[Label, ...], positive: int
    ) -> None:
        self.ranked = ranked
        rows = ranked.values.rows
        (axis,) = (axis for axis in ranked.axes if axis.role == role)
        # The label of rank 1 may be an equal number of another type.
        known = ranked.labels_of(role)
        codes = rows.codes[axis]
        ranks = [int(known[code]) for code in codes.tolist()]
        self.ranks, first, self._step = np.unique(ranks, return_index=True, return_inverse=True)
        self._axis, self._codes = axis, codes[first]
        self.added = np.bincount(self._step, weights=rows.weight)
        self.share = shares(self.added)
        both = concatenated(
            [
                replace(rows, codes={**rows.codes, axis: np.full(len(rows), code, dtype=np.int32)})
                for code in (1 - positive, positive)
            ]
        )
        # Rows that hold probabilities are each a cell of their own; their keys need not differ.
        apart = [np.tile(np.arange(len(rows)), 2)] if rows.soft else []
        key = lexicographic_key([*apart, *both.keys()])
        _, first_of_cell, cell = np.unique(key, return_index=True, return_inverse=True)
        self._negative, self._positive = np.split(cell, 2)
        self._rows, self._cells = rows, both.taken(first_of_cell)
        self.positive = positive
        lists: dict[str, Any] = {role.domain: labels}
        self._template = replace(ranked, **lists)
        self.width = len(first_of_cell)

    def _sums(self, steps: Array, before: Array | None = None) -> dict[str, Array]:
        """The sums of each cell at increasing steps, of shape (steps, cells).

        ``before`` is the number of steps at which a row is still negative; by default, those up to
        its rank.
        """
        if before is None:
            before = np.searchsorted(steps, np.arange(len(self.ranks)), side="right")[self._step]
        size = (len(steps) + 1) * self.width
        unit = self._cells.unit
        sums = {}
        for name, values in (self._rows.sums() if unit is None else {"n": self._rows.n}).items():
            negative, positive = (
                np.bincount(before * self.width + cell, values, size).reshape(-1, self.width)
                for cell in (self._negative, self._positive)
            )
            # Sums from both ends make an empty cell exactly 0.
            total = positive[:-1].cumsum(axis=0) + negative[:0:-1].cumsum(axis=0)[::-1]
            sums[name] = total.astype(values.dtype)
        if unit is not None:
            sums |= {"w": sums["n"] * unit, "w2": sums["n"] * unit**2}
        return sums

    def at_all(self, tables: Tables, like: Counts) -> tuple[Array, Tables]:
        """What tables of ``ranked``, such as drawn ones, would be at every step.

        Parameters
        ----------
        tables : Tables
            Of batch shape (...).
        like : Counts
            Those of one step, for the lists of labels.

        Returns
        -------
        share : ndarray of shape (..., ranks + 1)
            Of the weight that is predicted positive.
        tables : Tables
            Of batch shape (..., ranks + 1), or (..., 1) where no step changes a margin.
        """
        by_rank = tables.marginal(self._axis.role)[..., self._codes]
        margins = MarginsOfSteps(tables.margins, self._axis, self._codes, self.positive)
        return shares(by_rank), Tables(like, margins, tables.model)

    def tables(self, steps: Array, like: Counts) -> Tables:
        """The tables of several steps at once, as one batch.

        ``like`` are aligned counts of one step, with its ``empty`` cells: these are the cells of
        all steps in the same order.
        """
        sums = self._sums(steps)
        return like.weighted_by(sums.get("w", sums["n"]))

    def counts(self, step: int, *, empty: bool = False) -> Counts:
        """The counts at one step, with the ``empty`` cells or without."""
        return self._at(self._sums(np.array([step])), empty=empty)

    def _at(self, sums: dict[str, Array], *, empty: bool = False) -> Counts:
        rows = replace(self._cells, **{name: values[0] for name, values in sums.items()})
        return replace(self._template, rows=rows if empty else rows.taken(rows.n > 0))

    def by_group(self, n_groups: int) -> tuple[Array, Counts]:
        """The step of each group at which its rate is nearest to that of its truth.

        Returns
        -------
        steps : ndarray of int, shape (groups,)
        counts : Counts
            With each group at its own step.
        """
        rows = self._rows
        group, is_positive = rows.codes[ATTRIBUTE], rows.codes[TASK] == self.positive
        steps = np.zeros(n_groups, dtype=np.int64)
        for code in np.unique(group):
            member = group == code
            weight, rank = rows.weight[member], self._step[member]
            share = float(np.average(is_positive[member], weights=weight))
            lowest = lowest_positive(-rank.astype(float), share, weight)
            steps[code] = 0 if np.isinf(lowest) else 1 - lowest
        before = (self._step >= steps[group]).astype(np.int64)
        return steps, self._at(self._sums(np.zeros(1), before))


@dataclass(frozen=True)
class MarginsOfSteps(Margins):
    """Margins at every step, from those in which the labels of a prediction are ranks.

    Attributes
    ----------
    ranked : Margins
        Of shape (..., first, second). In lists with ranks, two labels come first.
    swept : Axis
        The prediction.
    codes : ndarray of int, shape (ranks,)
        Where the ranks are in its list.
    positive : int
    """

    ranked: Margins
    swept: Axis
    codes: Array
    positive: int

    def __call__(self, first: Block, second: Block) -> Array:
        """The margin, of shape (..., steps, first, second), or (..., 1, first, second)."""
        if (first, second) == (ONE, agreement(self.swept)):
            # Of the labels, those that are predicted too: the diagonal of the confusions.
            found = np.diagonal(self(self.truth, self.swept), axis1=-2, axis2=-1)
            return found[..., None, :]
        if second == self.swept:
            return self(second, first).swapaxes(-1, -2)
        if first != self.swept:
            return self._two_labels(self.ranked(first, second), first, second)[..., None, :, :]
        by_rank = self._two_labels(self.ranked(first, second), ONE, second)[..., self.codes, :]
        # Sums from both ends make an empty cell exactly 0.
        nobody = np.zeros_like(by_rank[..., :1, :])
        positive = np.concatenate([nobody, by_rank.cumsum(axis=-2)], axis=-2)
        rest = by_rank[..., ::-1, :].cumsum(axis=-2)[..., ::-1, :]
        both = [np.concatenate([rest, nobody], axis=-2), positive]
        return np.stack(both if self.positive else both[::-1], axis=-2)

    @property
    def truth(self) -> Axis:
        """The true variable that is predicted."""
        return Axis(self.swept.role.truth)

    def _two_labels(self, table: Array, first: Block, second: Block) -> Array:
        """A table without the ranks in the list of the truth."""
        rows = slice(2 if first == self.truth else None)
        return table[..., rows, slice(2 if second == self.truth else None)]
