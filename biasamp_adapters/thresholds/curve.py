"""Counts at every threshold of a score: rows pass from predicted negative to positive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts, JointCounts
from biasamp_adapters.counts.joint import Cells
from biasamp_adapters.counts.labels import listing, positive_class
from biasamp_adapters.counts.rows import Rows, lexicographic_key
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.reference import align


def two_labels(metric: Metric, truth: Counts) -> tuple[Counts, int]:
    """The truth over the labels and groups that the metric uses, and which label is positive.

    Raises
    ------
    ValueError
        If there are other than two labels, or the metric's ``pos_label`` is none of them.
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
    """The counts at every threshold, of counts that hold ranks of the score as predictions."""
    others = tuple(axis for axis in ranked.axes if axis.role != Role.PREDICTION)
    truth = replace(ranked, axes=others, rows=ranked.values.rows.of_axes(others).merged())
    known, positive = two_labels(metric, truth)
    # Ranks were counted as labels of the prediction; 1 may be both a label and a rank.
    ranks = [label for label in ranked.labels if label not in known.labels]
    aligned = ranked.align((*known.labels, *ranks), known.groups)
    return Steps(aligned, known.labels, positive)


class Steps:
    """Counts at step s, where the rows of the s highest distinct scores are predicted positive.

    Rows that differ only in their score are of one kind. Each kind has two cells, predicted
    negative and positive. Sums run from both ends, so that an empty cell is exactly 0.

    Parameters
    ----------
    ranked : JointCounts
        Counts with the rank of the score, 0 for the highest, as labels of the prediction.
    labels : tuple of two labels
    positive : int
        Which of the two is the positive one.

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
    """

    def __init__(self, ranked: JointCounts, labels: tuple[Label, ...], positive: int) -> None:
        cells = ranked.cells
        axis = [axis.role for axis in ranked.axes].index(Role.PREDICTION)
        # As a label, the rank 1 may be another number that equals it.
        ranks = [int(ranked.labels[code]) for code in cells.codes[:, axis].tolist()]
        self.ranks, step = np.unique(ranks, return_inverse=True)
        self.added = np.bincount(step, weights=cells.n if cells.w is None else cells.w)
        self.share = shares(self.added)
        self._template = replace(ranked, labels=labels)
        negative = cells.codes.copy()
        negative[:, axis] = 1 - positive
        keys = [*negative.T]
        if cells.unit is not None:
            keys.append(np.unique(cells.unit, return_inverse=True)[1])
        _, first, kind = np.unique(lexicographic_key(keys), return_index=True, return_inverse=True)
        codes = np.tile(negative[first], (2, 1))
        codes[len(first) :, axis] = positive
        unit = None if cells.unit is None else np.tile(cells.unit[first], 2)
        # Counts keep their cells in this order.
        self._order = np.lexsort([*([] if unit is None else [unit]), *codes.T[::-1]])
        self._codes = codes[self._order]
        self._unit = None if unit is None else unit[self._order]
        self.width = len(codes)
        self._add_up(cells, kind, step)

    def _add_up(self, cells: Cells, kind: Array, step: Array) -> None:
        """Sums of the cells of each kind, from the highest score down and from the lowest up."""
        order = np.lexsort([step, kind])
        kind = kind[order]
        n_steps = len(self.ranks) + 1
        self._key = kind * n_steps + step[order]
        kinds = np.arange(kind[-1] + 1)
        self._first_key = kinds * n_steps
        self._start, self._end = (np.searchsorted(kind, kinds, side) for side in ("left", "right"))
        names = ["n"] if cells.w is None or self._unit is not None else ["n", "w", "w2"]
        sums = pd.DataFrame({name: getattr(cells, name)[order] for name in names})
        self._from_top = sums.groupby(kind).cumsum()
        self._from_bottom = sums[::-1].groupby(kind[::-1]).cumsum()[::-1]

    def _sums(self, steps: Array) -> dict[str, Array]:
        """The sums of each cell at each step, of shape (steps, cells)."""
        # The first entry of each kind that is still negative.
        entry = np.searchsorted(self._key, self._first_key + steps[:, None])
        sums: dict[str, Array] = {}
        for name in self._from_top.columns.astype(str):
            top, bottom = (frame[name].to_numpy() for frame in (self._from_top, self._from_bottom))
            positive = np.where(entry > self._start, top[entry - 1], 0)
            negative = np.where(entry < self._end, bottom[np.minimum(entry, len(bottom) - 1)], 0)
            sums[name] = np.concatenate([negative, positive], axis=1)[:, self._order]
        if self._unit is not None:
            sums |= {"w": sums["n"] * self._unit, "w2": sums["n"] * self._unit**2}
        return sums

    def tables(self, steps: Array, like: Counts) -> Tables:
        """The tables of several steps at once, as one batch.

        ``like`` are aligned counts of one step with its ``empty`` cells, which have the cells of
        all steps in their order.
        """
        sums = self._sums(steps)
        return like.weighted_by(sums.get("w", sums["n"]))

    def counts(self, step: int, *, empty: bool = False) -> JointCounts:
        """The counts at one step, with the ``empty`` cells or without."""
        sums = {name: values[0] for name, values in self._sums(np.array([step])).items()}
        keep = np.full(self.width, True) if empty else sums["n"] > 0
        sums = {name: values[keep] for name, values in sums.items()}
        unit = None if self._unit is None else self._unit[keep]
        codes = dict(zip(self._template.axes, self._codes[keep].T, strict=True))
        return replace(self._template, rows=Rows(codes, **sums, unit=unit))
