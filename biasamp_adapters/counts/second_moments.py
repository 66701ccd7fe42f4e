"""Second moments of rows of label matrices: they allow draws of sums without the rows.

A bootstrap replicate of a sum over many rows is nearly normal, and its covariance is the sum of the
products of all columns. That is one matrix for each pattern of the left side (the attributes and
silences of a row), and such matrices add up as counts do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.blocks import ONE, Layout, Values, agreement
from biasamp_adapters.counts.draws import EXACT_IN_FLOAT32
from biasamp_adapters.counts.rows import Rows, lexicographic_key
from biasamp_adapters.counts.variables import Axis

#: Of more distinct rows than this, sums are drawn, if these have at most so many columns and
#: products of columns. Intervals then differ by less than replicates do.
MOST_DRAWN, MOST_COLUMNS, MOST_PRODUCTS = 200_000, 2**10, 2**25

#: Patterns of the left side beyond which their matrices would take more room than rows.
_MAX_PATTERNS = 2**10


class NoSecondMomentsError(ValueError):
    """These rows have no second moments of a bounded size."""


@dataclass(frozen=True, eq=False)
class SecondMoments:
    """Sums and second moments of the rows of each pattern of the left side.

    Attributes
    ----------
    left : ndarray of shape (patterns, left)
        0 and 1: which of the left columns the rows of a pattern have.
    sums : ndarray of shape (patterns, width)
        Sum of the rows, each times its weight.
    squares : ndarray of shape (patterns, width, width)
        Sum of the products of all columns, times the squared weight of a row.
    """

    left: Array
    sums: Array
    squares: Array

    @classmethod
    def of_rows(
        cls, values: Values, n: Array | None = None, w: Array | None = None
    ) -> SecondMoments:
        """The moments of rows, each ``n`` times and of weight ``w``.

        Raises
        ------
        NoSecondMomentsError
            If a predicted attribute holds probabilities, or there are too many patterns.
        """
        layout = values.layout
        n_rows = len(values.rows) if n is None else n.sum()
        # Faster, and as exact: the products are whole, and their sums no larger than this.
        exact = values.whole and w is None and n_rows < EXACT_IN_FLOAT32
        dtype = np.dtype(np.float32 if exact else np.float64)
        rows = np.concatenate([values.dense(block, dtype=dtype) for block in layout.blocks], axis=1)
        left = rows[:, layout.left]
        if ((left != 0) & (left != 1)).any():
            raise NoSecondMomentsError(
                "second moments need predicted attributes of 0 and 1; received probabilities"
            )
        patterns, which = np.unique(left, axis=0, return_inverse=True)
        which = which.reshape(-1)
        _check_patterns(len(patterns))
        plain = n is None and w is None
        once = np.ones(len(rows), dtype=dtype) if n is None else n.astype(dtype)
        factors = (once, once) if w is None else (once * w, once * w**2)
        sums = np.empty((len(patterns), layout.width))
        squares = np.empty((len(patterns), layout.width, layout.width))
        for i in range(len(patterns)):
            chosen = which == i
            alike = rows[chosen]
            if plain:
                squares[i] = alike.T @ alike
                sums[i] = squares[i, layout.blocks[ONE].start]
            else:
                first, second = (factor[chosen] for factor in factors)
                sums[i], squares[i] = first @ alike, alike.T @ (alike * second[:, None])
        return cls(patterns.astype(np.float64), sums, squares)

    def __add__(self, other: SecondMoments) -> SecondMoments:
        return SecondMoments(
            np.concatenate([self.left, other.left]),
            np.concatenate([self.sums, other.sums]),
            np.concatenate([self.squares, other.squares]),
        ).merged()

    def merged(self) -> SecondMoments:
        """The same with one entry per pattern, in order."""
        patterns, which = np.unique(self.left, axis=0, return_inverse=True)
        _check_patterns(len(patterns))
        sums = np.zeros((len(patterns), *self.sums.shape[1:]))
        squares = np.zeros((len(patterns), *self.squares.shape[1:]))
        for i, pattern in enumerate(which.reshape(-1).tolist()):
            sums[pattern] += self.sums[i]
            squares[pattern] += self.squares[i]
        return SecondMoments(patterns, sums, squares)

    def taken(self, columns: Array, left: Array) -> SecondMoments:
        """The moments with columns from other positions; -1 gives zeros."""
        return SecondMoments(
            taken(self.left, left, 1),
            taken(self.sums, columns, 1),
            taken(taken(self.squares, columns, 1), columns, 2),
        ).merged()

    def draw(self, layout: Layout, size: int, rng: np.random.Generator) -> Array:
        """Sums of resampled rows, normally distributed, of shape (size, left, width).

        The number of rows varies as in a Poisson bootstrap, which does not affect rates.
        """
        out = np.zeros((size, self.left.shape[1], layout.width))
        for left, sums, factor in zip(self.left, self.sums, self._factors, strict=True):
            drawn = sums + rng.standard_normal((size, factor.shape[1])) @ factor.T
            _restrict(drawn, layout)
            out[:, left > 0] += drawn[:, None, :]
        return out

    @property
    def _factors(self) -> Iterator[Array]:
        """For each pattern F with F F' = squares: columns that always agree draw the same."""
        for squares in self.squares:
            values, vectors = np.linalg.eigh(squares)
            positive = values > values[-1] * len(values) * np.finfo(float).eps
            yield vectors[:, positive] * np.sqrt(values[positive])


def are_worth_it(rows: Rows, layout: Layout) -> bool:
    """Whether second moments are found sooner than rows are drawn, and take bounded memory."""
    if not rows.indicators or len(rows) <= MOST_DRAWN or layout.width > MOST_COLUMNS:
        return False
    patterns = len(np.unique(pattern_of(rows, layout)))
    return patterns <= _MAX_PATTERNS and patterns * layout.width**2 <= MOST_PRODUCTS


def pattern_of(rows: Rows, layout: Layout) -> Array:
    """A number for each row, which is the same for rows with the same left side."""
    axes = [axis for axis in layout.axes if axis.role.of_attribute]
    alone = replace(rows.unweighted().of_axes(axes), part=None, cluster=None)
    return lexicographic_key([np.zeros_like(rows.n), *alone.keys(), *rows.silent.values()])


def _restrict(drawn: Array, layout: Layout) -> None:
    """Clip drawn sums to the range that rows allow: from 0 to the number of rows."""
    rows = np.maximum(drawn[:, layout.blocks[ONE]], 0)
    np.clip(drawn, 0, rows, out=drawn)
    for axis in layout.axes:
        if axis.role.predicted and agreement(axis) in layout.blocks:
            truth = Axis(axis.role.truth)
            true, predicted = (drawn[:, layout.blocks[block]] for block in (truth, axis))
            agreed = drawn[:, layout.blocks[agreement(axis)]]
            least = np.maximum(true + predicted - rows, 0)
            np.clip(agreed, least, np.minimum(true, predicted), out=agreed)


def _check_patterns(n: int) -> None:
    if n > _MAX_PATTERNS:
        raise NoSecondMomentsError(
            f"second moments are kept for up to {_MAX_PATTERNS} combinations of groups, true and "
            f"predicted; received {n}"
        )


def taken(values: Array, positions: Array, axis: int) -> Array:
    """Entries from ``positions`` along an axis; -1 gives zeros."""
    padded = np.concatenate([values, np.zeros_like(values.take([0], axis=axis))], axis=axis)
    return padded.take(positions, axis=axis)
