"""Counts at every threshold of a score: rows pass from predicted negative to positive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts, JointCounts
from biasamp_adapters.counts.labels import listing, positive_class
from biasamp_adapters.counts.rows import concatenated, lexicographic_key
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.counts.variables import ATTRIBUTE, TASK
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.reference import align
from biasamp_adapters.thresholds.cuts import lowest_positive


def two_labels(metric: Metric, truth: Counts) -> tuple[Counts, int]:
    """The truth with the labels and groups of the metric, and the position of the positive label.

    Raises
    ------
    ValueError
        If there are not two labels, or the metric's ``pos_label`` is none of them.
    """
    reference = getattr(metric, "reference", None)
    counts = align(truth, reference, metric.labels, metric.groups).counts
    labels, pos_label = counts.labels, getattr(metric, "pos_label", None)
    if len(labels) == 2 and pos_label in (None, *labels):
        positive = positive_class(labels) if pos_label is None else pos_label
        return counts, labels.index(positive)
    rule = "" if pos_label is None else f", one of them pos_label={pos_label!r}"
    raise ValueError(f"y_true must have two labels{rule}; received {listing(labels)}")


def shares(added: Array) -> Array:
    """The share of all weight that is predicted positive, before any score and after each."""
    total = np.cumsum(added)
    return np.concatenate([[0.0], total / total[-1]])


def steps_of(metric: Metric, ranked: JointCounts) -> Steps:
    """The counts at every threshold, from counts whose predictions are ranks of the score."""
    others = tuple(axis for axis in ranked.axes if axis.role != Role.PREDICTION)
    truth = replace(ranked, axes=others, rows=ranked.values.rows.of_axes(others).merged())
    binary, positive = two_labels(metric, truth)
    # Ranks were counted as labels of the prediction; 1 may be both a label and a rank.
    ranks = [label for label in ranked.labels if label not in binary.labels]
    aligned = ranked.align((*binary.labels, *ranks), binary.groups)
    return Steps(aligned, binary.labels, positive)


class Steps:
    """Counts at step s, where the rows of the s highest distinct scores are predicted positive.

    ``ranked`` counts rows with the rank of the score, 0 for the highest, as labels of the
    prediction; ``positive`` is the position of the positive one of two labels. Rows that differ
    only in their score share two cells, predicted negative and positive.

    Attributes
    ----------
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

    def __init__(self, ranked: JointCounts, labels: tuple[Label, ...], positive: int) -> None:
        rows = ranked.values.rows
        (axis,) = (axis for axis in ranked.axes if axis.role == Role.PREDICTION)
        # The label of rank 1 may be an equal number of another type.
        ranks = [int(ranked.labels[code]) for code in rows.codes[axis].tolist()]
        self.ranks, self._step = np.unique(ranks, return_inverse=True)
        self.added = np.bincount(self._step, weights=rows.weight)
        self.share = shares(self.added)
        both = concatenated(
            [
                replace(rows, codes={**rows.codes, axis: np.full(len(rows), code, dtype=np.int32)})
                for code in (1 - positive, positive)
            ]
        )
        key = lexicographic_key(both.keys())
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        self._negative, self._positive = np.split(cell, 2)
        self._rows, self._cells = rows, both.taken(first)
        self.positive = positive
        self._template = replace(ranked, labels=labels)
        self.width = len(first)

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

    def tables(self, steps: Array, like: Counts) -> Tables:
        """The tables of several steps at once, as one batch.

        ``like`` are aligned counts of one step, with its ``empty`` cells: these are the cells of
        all steps in the same order.
        """
        sums = self._sums(steps)
        return like.weighted_by(sums.get("w", sums["n"]))

    def counts(self, step: int, *, empty: bool = False) -> JointCounts:
        """The counts at one step, with the ``empty`` cells or without."""
        return self._at(self._sums(np.array([step])), empty=empty)

    def _at(self, sums: dict[str, Array], *, empty: bool = False) -> JointCounts:
        rows = replace(self._cells, **{name: values[0] for name, values in sums.items()})
        return replace(self._template, rows=rows if empty else rows.taken(rows.n > 0))

    def by_group(self, n_groups: int) -> tuple[Array, JointCounts]:
        """The step of each group at which its rate is nearest to that of its truth.

        Returns
        -------
        steps : ndarray of int, shape (groups,)
        counts : JointCounts
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
