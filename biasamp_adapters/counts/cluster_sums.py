"""Sums of the rows of each cluster: tables of drawn clusters are made of them, and not of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.blocks import Layout, Values, weighted_sums
from biasamp_adapters.counts.clusters import whole_clusters
from biasamp_adapters.counts.draws import BLOCK, are_exact, resample_clusters
from biasamp_adapters.counts.rows import Rows, runs
from biasamp_adapters.counts.second_moments import MOST_COLUMNS, pattern_of
from biasamp_adapters.counts.variables import TASK

#: Of fewer rows, products with all of them cost little.
_FEW_ROWS = 2**14

#: The sums must be of at most this share as many rows, and take at most so many bytes.
_FEWER, _MOST_BYTES = 0.5, 2**29


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over the rows of each cluster, apart for each pattern of the left side.

    Attributes
    ----------
    rows_of : ndarray of int, shape (clusters,)
        Rows of each cluster.
    left : ndarray of bool, shape (patterns, left)
        Which of the left columns the rows of a pattern have.
    cluster : sequence of ndarray of int
        For each pattern, the clusters that have rows of it.
    sums : sequence of ndarray of shape (clusters of the pattern, width)
        The sums of these rows: whole numbers in the smallest type that holds them, or floats.
    """

    rows_of: Array
    left: Array
    cluster: Sequence[Array]
    sums: Sequence[Array]

    @classmethod
    def of_values(cls, values: Values) -> ClusterSums | None:
        """The sums; None where rows are read, or sums would save little or take much memory."""
        rows, layout = values.rows, values.layout
        if rows.cluster is None or not _are_enough(rows):
            return None
        if len(rows) < _FEW_ROWS or layout.width > MOST_COLUMNS:
            return None
        pattern = np.unique(pattern_of(rows, layout), return_inverse=True)[1]
        order, starts = runs([pattern, rows.cluster])
        n_bytes = len(starts) * layout.width * (1 if values.whole else 8)
        if len(starts) > _FEWER * len(rows) or n_bytes > _MOST_BYTES:
            return None
        sums = _summed(values, order, starts)
        first = np.searchsorted(pattern[order[starts]], np.arange(pattern.max() + 1))
        return cls(
            np.bincount(rows.cluster, rows.n).astype(np.int64),
            sums[first][:, layout.left] > 0,
            np.split(rows.cluster[order[starts]], first[1:]),
            np.split(sums, first[1:]),
        )

    @property
    def at_once(self) -> int:
        """Replicates of one block: sums are read once for all of them."""
        return max(1, 2 * BLOCK // len(self.rows_of))

    def draw(self, layout: Layout, size: int, rng: np.random.Generator) -> Array:
        """Sums over the rows of drawn clusters, of shape (size, left, width)."""
        times = resample_clusters(len(self.rows_of), size, rng)
        whole = self.sums[0].dtype.kind != "f"
        exact = whole and are_exact(times @ self.rows_of)
        times = times.astype(np.float32 if exact else np.float64)
        out = np.zeros((size, self.left.shape[1], layout.width))
        for left, cluster, sums in zip(self.left, self.cluster, self.sums, strict=True):
            out[:, left] += weighted_sums(times[:, cluster], sums)[:, None, :]
        return out


def _are_enough(rows: Rows) -> bool:
    """Whether all that metrics read of drawn rows is in the sums of label matrices."""
    is_part = rows.origin is not None or rows.part is not None
    if is_part or rows.w is not None or TASK not in rows.indicators:
        return False
    groups = (matrix for axis, matrix in rows.indicators.items() if axis.role.of_attribute)
    return all(matrix.dtype.kind != "f" for matrix in groups)


def _summed(values: Values, order: Array, starts: Array) -> Array:
    """Sums of rows in some order, between each start and the next, of shape (starts, width)."""
    rows, layout = values.rows, values.layout
    ends = np.append(starts, len(order))
    most = int(np.add.reduceat(rows.n[order], starts).max())
    dtype = np.min_scalar_type(most) if values.whole else np.dtype(np.float64)
    dense = np.float32 if values.whole and are_exact(np.array([most])) else np.float64
    out = np.empty((len(starts), layout.width), dtype=dtype)
    for part in whole_clusters(ends, layout.width):
        some = values.of_rows(order[part])
        blocks = [some.dense(block, dtype=dense) for block in layout.blocks]
        numbers = np.concatenate(blocks, axis=1) * some.rows.n[:, None].astype(dense)
        at = slice(*np.searchsorted(starts, [part.start, part.stop]).tolist())
        out[at] = np.add.reduceat(numbers, starts[at] - part.start, axis=0)
    return out
