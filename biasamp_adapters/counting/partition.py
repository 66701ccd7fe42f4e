"""Partitions: rows split into parts, each of which is drawn as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import ndtri, pdtr, stdtrit

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array, Label
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Block, Codes, Variable, chunks

#: More distinct rows, or clusters, than this are drawn in blocks.
_MOST_PARTS = 5000

#: Up to so many distinct rows that stand for so many rows each are drawn one by one: in blocks
#: they would take the place of all rows. More are, too, if they stand for so many rows that these
#: cannot be put into blocks one by one.
_MOST_CELLS, _FULL, _MOST_ROWS = 50_000, 4, 2**26

#: Blocks: four for each pair of a group and a class, within these limits.
_FEWEST_BLOCKS, _MOST_BLOCKS, _BLOCKS_PER_PAIR = 1000, 4000, 4

#: The seed of blocks is one that no data are drawn with: groups made by ``default_rng(0).integers``
#: and blocks of the same seed would be the same numbers.
_SEED = 5_364_121_093

#: Poisson numbers of a mean up to this are read from tables, if there are at most so many means,
#: and are below this.
_SMALL_MEAN, _MOST_TABLES, _MOST_DRAWS = 16.0, 16, 64

#: Sums of more numbers than this are sparse, unless most of them are not 0.
_DENSE = 2**16

#: Blocks are summed in dense arrays of up to so many numbers.
_MOST_DENSE = 2**23


@dataclass(frozen=True, eq=False)
class Partition:
    """Rows split into parts; the data have a single part.

    Attributes
    ----------
    rows : Rows
        Row by row of the partition: a distinct row that lies in several parts is repeated.
    part : ndarray of int, shape (rows,)
    weight : ndarray of shape (rows,)
        What each row adds to its part.
    times : ndarray of shape (parts,)
        How often each part occurs in the data.
    share : float
        The mean number of draws of a part, relative to ``times``.
    note : str
        What the parts are, if they are random blocks.
    """

    rows: Rows
    part: Array
    weight: Array
    times: Array
    share: float
    note: str = ""
    _sums: dict[tuple[str, str, str | None], Any] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def to_draw(cls, rows: Rows, n_pairs: int) -> Partition:
        """Return what a bootstrap draws: distinct rows, clusters, or blocks of either.

        ``n_pairs`` are the pairs of a group and a class that have rows enough to matter.
        """
        n_blocks = int(np.clip(_BLOCKS_PER_PAIR * n_pairs, _FEWEST_BLOCKS, _MOST_BLOCKS))
        if rows.cluster is not None and rows.n_clusters is not None:
            if rows.n_clusters > _MOST_PARTS:
                return cls.in_blocks(rows, n_blocks)
            n = rows.n_clusters
            return cls(rows, rows.cluster, rows.weight, np.ones(n), _share(n))
        if len(rows) > _MOST_PARTS:
            rows = rows.merged()
        are_cells = len(rows) <= _MOST_CELLS and rows.n_rows >= _FULL * len(rows)
        if len(rows) <= _MOST_PARTS or are_cells or rows.n_rows > _MOST_ROWS:
            times = rows.n.astype(np.float64)
            return cls(rows, np.arange(len(rows)), rows.unit, times, 1.0)
        return cls.in_blocks(rows, n_blocks)

    @classmethod
    def in_blocks(cls, rows: Rows, n_blocks: int) -> Partition:
        """Return blocks into which every row of the data, or every cluster, was put at random."""
        rng, weight = np.random.default_rng(_SEED), rows.weight
        if rows.cluster is not None:
            block = rng.integers(n_blocks, size=rows.n_clusters)[rows.cluster]
        elif rows.n.max() == 1:
            block = rng.integers(n_blocks, size=len(rows))
        else:
            row = np.repeat(np.arange(len(rows)), rows.n)
            block, weight = rng.integers(n_blocks, size=len(row)), rows.unit[row]
            rows = replace(rows.take(row), n=np.ones(len(row), dtype=np.int64))
        what = "rows" if rows.n_clusters is None else "clusters"
        note = words.BLOCKS_DRAWN.format(n=n_blocks, what=what, most=_MOST_PARTS)
        return cls(rows, block, weight, np.ones(n_blocks), _share(n_blocks), note)

    @cached_property
    def squared(self) -> Partition:
        """The partition with the square of the weight of each row of the data."""
        return replace(self, weight=self.weight * self.rows.unit)

    def stratum(self, label: Label | None) -> Partition:
        """Return the rows of one stratum in the same parts; None is all rows."""
        if label is None:
            return self
        kept = self.rows.in_stratum(label)
        rows, part, weight = self.rows.take(kept), self.part[kept], self.weight[kept]
        return replace(self, rows=rows, part=part, weight=weight)

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        """Return how often each part occurs in replicates, (size, parts).

        It is a Poisson number. Only the number of all rows then varies, on which no rate depends.
        """
        return _poisson_numbers(self.share * self.times, size, rng)

    def sums(self, first: str, second: str, model: str | None) -> Any:
        """Return the sums by two variables in each part, made once: (parts, labels * labels)."""
        key = first, second, model
        if key not in self._sums:
            x, y = self.rows.variable(first, model), self.rows.variable(second, model)
            tables = self.rows.block_sums
            if tables is None:
                sums = sum_pairs(x, y, self.part, self.weight, len(self.times))
            else:  # Files hold the sums of two variables in one order, by the saved labels.
                turned = tables.get((second, first, model))
                table = tables[key] if turned is None else turned.transpose(0, 2, 1)
                # A group without rows is a block of weight 0.
                scale = self.weight / np.where(self.rows.weight > 0, self.rows.weight, 1.0)
                sums = np.zeros((len(self.times), x.width * y.width))
                moves = sparse.kron(x.sparse, y.sparse, "csr")
                moved = table.reshape(len(table), -1) @ moves
                np.add.at(sums, self.part, scale[:, None] * moved)
            self._sums[key] = sums
        return self._sums[key]


def _poisson_numbers(mean: Array, size: int, rng: np.random.Generator) -> Array:
    """Return Poisson numbers, (size, means); those of small means from tables of quantiles."""
    is_small, shape = mean <= _SMALL_MEAN, (size, len(mean))
    means, place = np.unique(mean[is_small], return_inverse=True)
    if not 0 < len(means) <= _MOST_TABLES:
        return rng.poisson(mean, shape).astype(np.float64)
    quantiles = np.concatenate([_poisson_quantiles(small) for small in means.tolist()])
    start = np.zeros(len(mean), dtype=np.int32)
    start[is_small] = place * 2**16
    drawn = quantiles[start + rng.integers(2**16, size=shape, dtype=np.uint16)]
    numbers = drawn.astype(np.float64)
    if not is_small.all():
        numbers[:, ~is_small] = rng.poisson(mean[~is_small], (size, (~is_small).sum()))
    return numbers


@lru_cache(maxsize=2 * _MOST_TABLES)
def _poisson_quantiles(mean: float) -> Array:
    """Return the quantiles of 2^16 equally likely levels, as bytes."""
    levels = (np.arange(2**16) + 0.5) / 2**16
    return np.searchsorted(pdtr(np.arange(_MOST_DRAWS), mean), levels).astype(np.uint8)


def students_factor(freedom: float) -> float:
    """Return how much wider than a bootstrap's an interval is with Student's t of its variance.

    A bootstrap of n numbers, which have n - 1 degrees of freedom, finds (n - 1) / n of it.
    """
    return float(np.sqrt((freedom + 1) / freedom) * stdtrit(freedom, 0.975) / ndtri(0.975))


def _share(n: int) -> float:
    """Return the mean number of draws of each of ``n`` parts: intervals are Student's t."""
    return 1.0 if n <= 1 else max(1.0, n / students_factor(n - 1) ** 2) / n


# Sums by two variables and by part, of shape (parts, labels * labels), dense or sparse. The last
# label of each variable is a missing value.


def sum_pairs(x: Variable, y: Variable, part: Array, weight: Array, n_parts: int) -> Any:
    """Return the weight of each pair of labels in each part of the rows.

    Parameters
    ----------
    x, y : Variable
    part : ndarray of int, shape (rows,)
    weight : ndarray of shape (rows,)
    """
    if isinstance(y, Block):
        return _sum_columns(x, y, part, weight, n_parts)
    if isinstance(x, Block):
        sums = _sum_columns(y, x, part, weight, n_parts)
        return sums[:, np.arange(sums.shape[1]).reshape(y.width, x.width).T.ravel()]
    n_pairs = x.width * y.width
    pair = x.codes.astype(np.int64) * y.width + y.codes
    if n_parts * n_pairs <= _DENSE or n_parts == 1:
        return np.bincount(part * n_pairs + pair, weight, n_parts * n_pairs).reshape(n_parts, -1)
    return _dense_if_full(sparse.csr_array((weight, (part, pair)), (n_parts, n_pairs)))


def _sum_columns(x: Variable, y: Block, part: Array, weight: Array, n_parts: int) -> Any:
    """Return the sums of the columns of a block by part and label of another variable."""
    shape = n_parts * x.width, y.width
    is_sparse = sparse.issparse(y.values) or n_parts * x.width * y.width > _MOST_DENSE
    sums: Any = sparse.csr_array(shape) if is_sparse else np.zeros(shape)
    # Whole numbers that are added in single precision are exact, and twice as fast.
    is_exact = not (is_sparse or x.is_soft or y.is_soft) and bool((weight == 1).all())
    dtype = np.float32 if is_exact else np.float64
    for rows in chunks(len(part), 2**15 if is_sparse else max(2**13, 2 * shape[0])):
        columns = y.sparse[rows] if is_sparse else y.dense(rows, dtype)
        label, added = part[rows] * x.width, weight[rows]
        if isinstance(x, Codes):
            label, starts = label + x.codes[rows], np.arange(len(label) + 1)
        else:
            held = x.sparse[rows]
            n_held, starts = np.diff(held.indptr), held.indptr
            label = np.repeat(label, n_held) + held.indices
            added = np.repeat(added, n_held) * held.data
        entries = added.astype(dtype), label, starts
        sums += sparse.csc_array(entries, (shape[0], len(starts) - 1)) @ columns
    sums = sums.reshape(n_parts, -1)
    return _dense_if_full(sums.tocsr()) if is_sparse else sums


def _dense_if_full(sums: sparse.csr_array) -> Any:
    """Return sparse sums as an array if more than a quarter of them are not 0."""
    return sums.toarray() if 4 * sums.nnz > sums.shape[0] * sums.shape[1] else sums
