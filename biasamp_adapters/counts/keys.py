"""Keys: a number for each row, by which rows are summed, as many times as there are replicates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biasamp_adapters._typing import Array

#: Sums by at most this many keys are computed as products with indicators of the keys.
_FEW_KEYS = 32

#: Whole numbers are added to sums by more keys than this one by one, which then is faster.
_MANY_KEYS = 1000


@dataclass(frozen=True, eq=False)
class Keys:
    """Rows by key; sorted once, however often they are summed.

    Attributes
    ----------
    of_rows : ndarray of int, shape (rows,)
        The key of each row; -1 where it has none.
    size : int
        How many keys there may be.
    """

    of_rows: Array
    size: int

    @cached_property
    def _sorted(self) -> tuple[slice | Array, Array, Array]:
        """Where rows are in the order of their keys, where these begin in that, and the keys.

        Rows without a key are left out. Distinct rows are often in order, and not copied then.
        """
        key, steps = self.of_rows, _steps(self.of_rows)
        order: slice | Array = slice(None)
        if steps.min(initial=0) < 0:
            order = np.argsort(key, kind="stable")[np.count_nonzero(key < 0) :]
            key = key[order]
            steps = _steps(key)
        steps[:1] = 1
        starts = np.flatnonzero(steps)
        return order, starts, key[starts]

    @cached_property
    def occurring(self) -> Array:
        """The keys of the rows, each once and in order."""
        return self._sorted[2]

    def sums_of_occurring(self, values: Array) -> Array:
        """Sums over the last axis of (..., rows), of shape (..., occurring keys)."""
        order, starts, _ = self._sorted
        if not len(starts):
            return np.zeros((*values.shape[:-1], 0), dtype=values.dtype)
        return np.add.reduceat(values[..., order], starts, axis=-1)

    def sums(self, values: Array) -> Array:
        """Sums over the last axis of (..., rows), of shape (..., size)."""
        if values.ndim > 1 and values.dtype.kind == "f" and self.size <= _FEW_KEYS:
            return values @ (self.of_rows[:, None] == np.arange(self.size)).astype(values.dtype)
        if values.dtype.kind == "i" and (values.ndim == 1 or self.size > _MANY_KEYS):
            # Rows without a key, -1, are added to one more, the last.
            added = np.zeros((*values.shape[:-1], self.size + 1), dtype=values.dtype)
            for at in np.ndindex(values.shape[:-1]):
                np.add.at(added[at], self.of_rows, values[at])
            return added[..., :-1]
        out = np.zeros((*values.shape[:-1], self.size), dtype=values.dtype)
        out[..., self.occurring] = self.sums_of_occurring(values)
        return out


def _steps(key: Array) -> Array:
    """How much larger each number is than the one before it; the first one itself."""
    return np.concatenate((key[:1], key[1:] - key[:-1]))


def sum_by(values: Array, key: Array, size: int) -> Array:
    """Sums over the last axis of ``values`` (..., rows) by ``key``, of shape (..., size)."""
    return Keys(key, size).sums(values)
