"""Counting of distinct combinations in chunks of coded columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.rows import lexicographic_key, runs

#: Cells of a chunk are counted in a dense table up to this many, else by sorting.
_MAX_DENSE = 2**18

#: Cells that are collected before those with the same codes are added up.
_MAX_PENDING = 2**15


class CountedCells(NamedTuple):
    """Distinct codes of shape (cells, axes), their sums, and the labels of each axis."""

    codes: Array
    sums: list[Array]
    books: list[list[Label]]


class CellCounter:
    """Adds up rows by the combination of their labels.

    Each axis learns its labels in the order in which they appear, so chunks may be coded
    independently of each other.

    Parameters
    ----------
    n_axes : int
        How many columns a row has.
    max_cells : int, optional
        With more cells than this, the last axis is dropped.
    """

    def __init__(self, n_axes: int, max_cells: int | None = None) -> None:
        self._max_cells = max_cells
        self._codebooks: list[dict[Label, int]] = [{} for _ in range(n_axes)]
        self._pending: list[tuple[Array, ...]] = []
        self._n_pending = 0

    def add(
        self,
        columns: Sequence[tuple[Array, Sequence[Label]]],
        sums: Sequence[Array] | None = None,
    ) -> None:
        """Count rows, given as one pair of codes and labels per axis.

        Parameters
        ----------
        columns : sequence of (codes, labels)
            Codes of shape (rows,): unsigned, or signed with -1 where missing.
        sums : sequence of arrays of shape (rows,), optional
            Numbers to add up: n, which is not 0, and for weighted rows also w and w squared. By
            default every row counts once.

        Notes
        -----
        If the columns lack the last axis, it is dropped.
        """
        if len(columns) < len(self._codebooks):
            self._drop_last_axis()
        columns = columns[: len(self._codebooks)]
        # Signed codes may be -1: their column gets one more code, the first, for missing values.
        shifts = [int(codes.dtype.kind != "u") for codes, _ in columns]
        sizes = [len(labels) + shift for (_, labels), shift in zip(columns, shifts, strict=True)]
        n_keys = math.prod(sizes)
        if n_keys <= _MAX_DENSE:
            # A narrow key makes for fast passes; unsigned overflow cancels out in the final sum.
            key = np.zeros(len(columns[0][0]), dtype=np.min_scalar_type(n_keys))
            for (codes, _), size, shift in zip(columns, sizes, shifts, strict=True):
                key *= key.dtype.type(size)
                key += codes.astype(key.dtype, copy=False)
                if shift:
                    key += key.dtype.type(shift)
            rows, *totals = _sum_by(key, n_keys, sums)
            present = np.flatnonzero(rows)
            cells = np.stack(np.unravel_index(present, sizes), axis=1) - shifts
            totals = [total[present] for total in (rows, *totals)]
        else:
            first, group = _group([codes for codes, _ in columns])
            cells = np.stack([codes[first] for codes, _ in columns], axis=1).astype(np.int64)
            totals = _sum_by(group, len(first), sums)
        codes = self._global_codes(cells, [labels for _, labels in columns])
        self._pending.append((codes, *totals))
        self._n_pending += len(codes)
        if self._n_pending > _MAX_PENDING:
            self._merge()
            # Twice the distinct cells: merging costs a bounded number of passes over them.
            self._n_pending = len(self._pending[0][0]) // 2

    def _global_codes(self, codes: Array, labels: Iterable[Sequence[Label]]) -> Array:
        out = np.empty(codes.shape, dtype=np.int32)
        for axis, (book, axis_labels) in enumerate(zip(self._codebooks, labels, strict=True)):
            lookup = np.full(len(axis_labels) + 1, -1, dtype=np.int32)
            present = np.bincount(codes[:, axis] + 1, minlength=1)[1:]
            for code in present.nonzero()[0].tolist():
                lookup[code] = book.setdefault(axis_labels[code], len(book))
            out[:, axis] = lookup[codes[:, axis]]
        return out

    def _merge(self) -> None:
        """Add up all pending cells that have the same codes. Those of one chunk are distinct."""
        if len(self._pending) > 1:
            self._add_up()
        if self._max_cells is not None and len(self._pending[0][0]) > self._max_cells:
            self._drop_last_axis()
            self._add_up()

    def _add_up(self) -> None:
        codes, *totals = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        order, starts = runs([*codes.T])
        sums = [np.add.reduceat(values[order], starts) for values in totals]
        self._pending = [(codes[order[starts]], *sums)]

    def _drop_last_axis(self) -> None:
        self._max_cells = None
        self._codebooks.pop()
        self._pending = [(codes[:, :-1], *totals) for codes, *totals in self._pending]

    def cells(self) -> CountedCells:
        """The cells counted so far."""
        self._merge()
        codes, *totals = self._pending[0]
        return CountedCells(codes, totals, [list(book) for book in self._codebooks])


def _group(columns: Sequence[Array]) -> tuple[Array, Array]:
    """First row of each distinct combination, and which combination each row has."""
    group, distinct = pd.factorize(lexicographic_key(columns))
    first = np.empty(len(distinct), dtype=np.intp)
    first[group[::-1]] = np.arange(len(group))[::-1]
    return first, group


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
