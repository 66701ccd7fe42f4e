"""Chunks of coded columns in, distinct cells with their sums out. Rows end here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.cells import consolidate

#: Cells of a chunk are counted in a dense table up to this many, else by sorting.
_MAX_DENSE = 2**17

#: Cells kept apart before the ones with the same codes are added up.
_MAX_PENDING = 2**20


class Tally:
    """Adds up rows by the combination of their labels.

    Each axis learns its labels in the order in which they appear, so chunks may be coded
    independently of each other.

    Parameters
    ----------
    n_axes : int
        How many columns a row has.
    """

    def __init__(self, n_axes: int) -> None:
        self._codebooks: list[dict[Label, int]] = [{} for _ in range(n_axes)]
        self._pending: list[tuple[Array, ...]] = []
        self._n_pending = 0

    def add(
        self,
        columns: Sequence[tuple[Array, Sequence[Label]]],
        sums: Sequence[Array] | None = None,
    ) -> None:
        """Count rows given as one pair of codes and labels an axis.

        Parameters
        ----------
        columns : sequence of (codes, labels)
            Codes of shape (rows,), -1 where missing.
        sums : sequence of arrays of shape (rows,), optional
            What to add up a cell: n, and for weighted rows w and w squared. One row each without.
        """
        sizes = [len(labels) + 1 for _, labels in columns]
        key = np.zeros(len(columns[0][0]), dtype=np.int64)
        n_keys = 1
        for (codes, _), size in zip(columns, sizes, strict=True):
            if n_keys * size >= 2**62:
                key, n_keys = np.unique(key, return_inverse=True)[1], 2**32
            key = key * size + (codes + 1) if n_keys > 1 else codes + 1
            n_keys *= size
        if n_keys <= _MAX_DENSE:
            self._add_dense(key, n_keys, columns, sizes, sums)
        else:
            first, inverse = np.unique(key, return_index=True, return_inverse=True)[1:]
            codes = np.stack([column_codes[first] for column_codes, _ in columns], axis=1)
            totals = _sum_by(inverse, len(first), sums)
            self._append(self._global_codes(codes, [labels for _, labels in columns]), totals)

    def _add_dense(
        self,
        key: Array,
        n_keys: int,
        columns: Sequence[tuple[Array, Sequence[Label]]],
        sizes: Sequence[int],
        sums: Sequence[Array] | None,
    ) -> None:
        totals = _sum_by(key, n_keys, sums)
        rows = np.bincount(key, minlength=n_keys) if sums is not None else totals[0]
        present = np.flatnonzero(rows)
        codes = np.stack(np.unravel_index(present, sizes), axis=1) - 1
        self._append(
            self._global_codes(codes, [labels for _, labels in columns]),
            [total[present] for total in totals],
        )

    def _global_codes(self, codes: Array, labels: Iterable[Sequence[Label]]) -> Array:
        out = np.empty(codes.shape, dtype=np.int32)
        for axis, (book, axis_labels) in enumerate(zip(self._codebooks, labels, strict=True)):
            lookup = np.full(len(axis_labels) + 1, -1, dtype=np.int32)
            for code in np.unique(codes[:, axis]).tolist():
                if code >= 0:
                    lookup[code] = book.setdefault(axis_labels[code], len(book))
            out[:, axis] = lookup[codes[:, axis]]
        return out

    def _append(self, codes: Array, totals: Sequence[Array]) -> None:
        self._pending.append((codes, *totals))
        self._n_pending += len(codes)
        if self._n_pending > _MAX_PENDING:
            codes, merged = self._merged()
            self._pending = [(codes, *merged)]
            # Twice the distinct cells: merging costs a bounded number of passes over them.
            self._n_pending = len(self._pending[0][0]) // 2

    def _merged(self) -> tuple[Array, list[Array]]:
        codes, *totals = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        return consolidate(codes, totals)[:2]

    def cells(self) -> tuple[Array, list[Array], list[list[Label]]]:
        """Distinct codes of shape (cells, axes), their sums, and the labels of each axis."""
        return *self._merged(), [list(book) for book in self._codebooks]


def _sum_by(key: Array, n_keys: int, sums: Sequence[Array] | None) -> list[Array]:
    if sums is None:
        return [np.bincount(key, minlength=n_keys)]
    totals = []
    for values in sums:
        if values.dtype.kind in "iu":
            total = np.zeros(n_keys, dtype=np.int64)
            np.add.at(total, key, values)
        else:
            total = np.bincount(key, weights=values, minlength=n_keys)
        totals.append(total)
    return totals
