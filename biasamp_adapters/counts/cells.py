"""The cells of a count table with their sums: sorted, distinct and additive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from biasamp_adapters._typing import Array

#: Rows are 64-bit integers.
MOST_ROWS = 2**63


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct codes with what was added up over their rows.

    Attributes
    ----------
    codes : ndarray of int32, shape (cells, axes)
    n : ndarray of int64, shape (cells,)
        Rows.
    w, w2 : ndarray of float64, shape (cells,), or None
        Sum of the weights and of their squares; None without weights.
    unit : ndarray of float64, shape (cells,), or None
        Weight of every row of a cell, where rows with different weights are in different cells.
    """

    codes: Array
    n: Array
    w: Array | None = None
    w2: Array | None = None
    unit: Array | None = None

    def arrays(self) -> dict[str, Array]:
        """The arrays that are there, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: values for name, values in found.items() if values is not None}

    def consolidated(self) -> Cells:
        """The same cells in lexicographic order, those with the same keys added up."""
        sums = [values for values in (self.n, self.w, self.w2) if values is not None]
        codes, sums, unit = consolidate(self.codes, sums, self.unit)
        if unit is not None:
            # Exact, where adding up one row after the other rounds.
            return Cells(codes, sums[0], sums[0] * unit, sums[0] * unit**2, unit)
        return Cells(codes, *sums)

    def recoded(self, codes: Array) -> Cells:
        """The same rows under other codes."""
        return replace(self, codes=codes).consolidated()

    def unweighted(self) -> Cells:
        """The same rows, each counted once."""
        return Cells(self.codes, self.n).consolidated()

    def _weighted(self) -> Cells:
        if self.w is not None:
            return self
        ones = self.n.astype(np.float64)
        return Cells(self.codes, self.n, ones, ones, np.ones(len(self.n)))

    def __add__(self, other: Cells) -> Cells:
        n_rows = int(self.n.sum()) + int(other.n.sum())
        if n_rows >= MOST_ROWS:
            raise ValueError(f"counts must hold fewer than 2**63 rows; received {n_rows}")
        parts = [self, other]
        if any(part.w is not None for part in parts):
            parts = [part._weighted() for part in parts]
        if any(part.unit is None for part in parts):
            parts = [replace(part, unit=None) for part in parts]
        first, second = (part.arrays() for part in parts)
        stacked = {name: np.concatenate([first[name], second[name]]) for name in first}
        return Cells(**stacked).consolidated()


def consolidate(
    codes: Array, sums: Sequence[Array], unit: Array | None = None
) -> tuple[Array, list[Array], Array | None]:
    """Sort cells by their codes and add up the ones that share them.

    Parameters
    ----------
    codes : array of shape (cells, axes)
    sums : sequence of arrays of shape (cells,)
    unit : array of shape (cells,), optional
        A last key: cells that differ in it stay apart.

    Returns
    -------
    codes, sums, unit
        The distinct keys in lexicographic order, with their sums.
    """
    columns = [*codes.T] if unit is None else [*codes.T, np.unique(unit, return_inverse=True)[1]]
    key = lexicographic_key(columns)
    order = np.argsort(key, kind="stable")
    key = key[order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    return (
        codes[order[starts]],
        [np.add.reduceat(values[order], starts) for values in sums],
        None if unit is None else unit[order[starts]],
    )


def lexicographic_key(columns: Sequence[Array]) -> Array:
    """One 64-bit integer a row that orders rows as their codes do, column by column.

    Parameters
    ----------
    columns : sequence of integer arrays of shape (rows,)
        Codes of at least -1.
    """
    key, n_keys = np.zeros(len(columns[0]), dtype=np.int64), 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 2
        if n_keys * size >= 2**62:
            key, n_keys = np.unique(key, return_inverse=True)[1], len(key)
        key = key * size + codes + 1
        n_keys *= size
    return key
