"""Counts at every threshold of a score: rows pass from predicted negative to positive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.counts.cells import Cells, lexicographic_key


class Steps:
    """Cells at step s, where the rows of the s highest distinct scores are predicted positive.

    Rows that differ in their score alone are of one kind. Each kind has two cells, predicted
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
    ranks : ndarray of int, shape (steps,)
        Ranks that occur.
    added : ndarray of shape (steps,)
        Weight of the rows of each.
    """

    def __init__(self, ranked: JointCounts, labels: tuple[Label, ...], positive: int) -> None:
        cells = ranked.cells
        axis = [axis.role for axis in ranked.axes].index("prediction")
        self.ranks, step = _ranks(ranked, cells.codes[:, axis])
        kinds = cells.codes.copy()
        kinds[:, axis] = 1 - positive
        keys = [*kinds.T]
        if cells.unit is not None:
            keys.append(np.unique(cells.unit, return_inverse=True)[1])
        _, first, kind = np.unique(lexicographic_key(keys), return_index=True, return_inverse=True)
        moved = kinds[first]
        moved[:, axis] = positive
        codes = np.concatenate([kinds[first], moved])
        unit = None if cells.unit is None else np.tile(cells.unit[first], 2)
        # The order in which counts keep their cells.
        self._order = np.lexsort([*([] if unit is None else [unit]), *codes.T[::-1]])
        self._codes = codes[self._order]
        self._unit = None if unit is None else unit[self._order]
        self._template = replace(ranked, labels=labels)
        self._accumulate(cells, kind, step)
        weight = cells.n if cells.w is None else cells.w
        self.added = np.bincount(step, weights=weight)

    def _accumulate(self, cells: Cells, kind: Array, step: Array) -> None:
        order = np.lexsort([step, kind])
        kind = kind[order]
        self._n_steps = len(self.ranks) + 1
        self._key = kind * self._n_steps + step[order]
        self._kinds = np.arange(kind[-1] + 1)
        self._start = np.searchsorted(kind, self._kinds)
        self._end = np.searchsorted(kind, self._kinds, side="right")
        sums = {"n": cells.n}
        if cells.w is not None and cells.w2 is not None and cells.unit is None:
            sums |= {"w": cells.w, "w2": cells.w2}
        frame = pd.DataFrame({name: values[order] for name, values in sums.items()})
        self._from_top = frame.groupby(kind).cumsum()
        self._from_bottom = frame[::-1].groupby(kind[::-1]).cumsum()[::-1]

    @property
    def width(self) -> int:
        """Cells of a step, the empty ones included."""
        return len(self._codes)

    def _sums(self, steps: Array) -> dict[str, Array]:
        """What is added up in each cell, of shape (steps, cells)."""
        # The first entry of each kind that is still negative.
        entry = np.searchsorted(self._key, self._kinds * self._n_steps + steps[:, None])
        out: dict[str, Array] = {}
        for name in self._from_top.columns.astype(str):
            top, bottom = (frame[name].to_numpy() for frame in (self._from_top, self._from_bottom))
            positive = np.where(entry > self._start, top[entry - 1], 0)
            negative = np.where(entry < self._end, bottom[np.minimum(entry, len(bottom) - 1)], 0)
            out[name] = np.concatenate([negative, positive], axis=1)[:, self._order]
        if self._unit is not None:
            out |= {"w": out["n"] * self._unit, "w2": out["n"] * self._unit**2}
        return out

    def weight(self, steps: Array) -> Array:
        """Weight of each cell, of shape (steps, cells); rows where there are no weights."""
        sums = self._sums(steps)
        return sums.get("w", sums["n"])

    def counts(self, step: int, *, empty: bool = False) -> JointCounts:
        """The counts at one step, with the ``empty`` cells or without."""
        sums = {name: values[0] for name, values in self._sums(np.array([step])).items()}
        keep = np.full(self.width, True) if empty else sums["n"] > 0
        sums = {name: values[keep] for name, values in sums.items()}
        unit = None if self._unit is None else self._unit[keep]
        return replace(self._template, cells=Cells(self._codes[keep], **sums, unit=unit))


def _ranks(ranked: JointCounts, codes: Array) -> tuple[Array, Array]:
    """The ranks that occur, in order, and the position of each cell's among them."""
    present, where = np.unique(codes, return_inverse=True)
    # As a label, the rank 1 may be another number that equals it.
    ranks = np.array([int(ranked.labels[code]) for code in present.tolist()])
    found, position = np.unique(ranks, return_inverse=True)
    return found, position[where]
