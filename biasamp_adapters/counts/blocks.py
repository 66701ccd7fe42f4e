"""Blocks: the columns that encode each variable, agreement and the label sets of a row.

A row is read as a vector of blocks, one for each variable and for each quantity derived from
several. A table is the sum over rows of the products of two blocks. If the rows are not kept, the
sums of all products of (1, A, A^, silence) with every block are kept instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.keys import Keys
from biasamp_adapters.counts.label_sets import rows_that_contain
from biasamp_adapters.counts.rows import Rows, blocks_of, dense, distinct
from biasamp_adapters.counts.variables import ATTRIBUTE, TASK, Axis, LabelSet

#: What a block holds and, for predictions, the model. An Axis is a block.
Block: TypeAlias = tuple[str, str | None]

#: The blocks of a single column, which describe a row as a whole.
ONE, UNLABELLED, NO_TASK, ONE_GROUP, ONE_TASK = MARKS = (
    ("one", None),
    ("unlabelled", None),
    ("no_task", None),
    ("one_group", None),
    ("one_task", None),
)

#: Names of blocks: rows for which a model predicted nothing, labels that it predicted right, label
#: sets that rows contain, and label sets that are exactly the labels of a row.
_SILENT = {Role.PREDICTION: "silent_task", Role.ATTRIBUTE_PREDICTION: "silent_attribute"}
_AGREEMENT = {Role.TASK: "task_agreement", Role.ATTRIBUTE: "attribute_agreement"}
_SETS = {Role.TASK: "task_sets", Role.PREDICTION: "prediction_sets"}
EXACT_SETS = ("exact_sets", None)

#: For each mark of rows: a true variable, and how many labels of it these rows have.
_MARKED: dict[Block, tuple[Axis, int]] = {
    ONE_GROUP: (ATTRIBUTE, 1),
    ONE_TASK: (TASK, 1),
    NO_TASK: (TASK, 0),
}

#: Categories with at most this many columns are compared with each of them.
_NARROW = 8

#: Products of at most this many rows and numbers are computed at once and without threads, which
#: would cost more than they save.
_FEW_ROWS, _FEW_NUMBERS = 128, 2**19


def silence(axis: Axis) -> Block:
    """The block that marks rows for which a model made no such prediction."""
    return _SILENT[axis.role], axis.model


def agreement(axis: Axis) -> Block:
    """The block of true labels that are also predicted."""
    return _AGREEMENT[axis.role.truth], axis.model


def sets_of(axis: Axis) -> Block:
    """The block of label sets that a variable contains."""
    return _SETS[axis.role], axis.model


class Categories(NamedTuple):
    """A block with at most one 1 in each row.

    Attributes
    ----------
    codes : ndarray of int, shape (rows,)
        The column that is 1; -1 where all are 0.
    size : int
        How many columns there are.
    """

    codes: Array
    size: int


class Values:
    """The blocks of some rows, each computed once.

    Parameters
    ----------
    layout : Layout
    rows : Rows
    chances : array of shape (levels, labels), optional
        Probabilities of the labels that codes beyond the labels stand for.
    """

    def __init__(self, layout: Layout, rows: Rows, chances: Array | None = None) -> None:
        self.layout, self.rows, self._chances = layout, rows, chances
        self._known: dict[Block, Any] = {}
        self._pairs: dict[tuple[Block, Block], Keys] = {}
        self._n_labels: dict[Axis, Array] = {}

    def of_rows(self, rows: Array) -> Values:
        """The blocks of some of the rows."""
        return Values(self.layout, self.rows.taken(rows), self._chances)

    def __getitem__(self, block: Block) -> Any:
        """Categories, or a matrix of shape (rows, columns)."""
        if block not in self._known:
            self._known[block] = self._made(block)
        return self._known[block]

    @property
    def whole(self) -> bool:
        """Whether all blocks hold 0 and 1, and no probabilities."""
        return self._chances is None and not self.rows.soft

    def pairs(self, first: Block, second: Block) -> Keys | None:
        """Rows by their pair of labels, where they have at most one of both blocks; else None."""
        if (first, second) not in self._pairs:
            rows, columns = self[first], self[second]
            if not (isinstance(rows, Categories) and isinstance(columns, Categories)):
                return None
            all_alike = first == ONE
            self._pairs[first, second] = (
                Keys(columns.codes, columns.size) if all_alike else pairs_of_labels(rows, columns)
            )
        return self._pairs[first, second]

    def dense(
        self, block: Block, rows: slice | Array = slice(None), dtype: Any = np.float64
    ) -> Array:
        """Some rows of a block as an array."""
        return _as_array(self[block], rows, dtype)

    def _made(self, block: Block) -> Any:
        layout, name = self.layout, block[0]
        if block == ONE:
            return Categories(np.zeros(len(self.rows), dtype=np.intp), 1)
        if block in MARKS:
            return _mark(self._marked(block))
        for axis in layout.axes:
            if block == axis:
                return self._variable(axis)
            if axis.role.predicted and block == silence(axis):
                return _mark(self._silent(axis))
            if axis.role.predicted and block == agreement(axis):
                return _agreed(self[Axis(axis.role.truth)], self[axis])
            if axis.role in _SETS and block == sets_of(axis):
                return self._held(axis)
        if block == EXACT_SETS:
            return self._exactly()
        raise ValueError(f"counts must hold the {name}")

    def _variable(self, axis: Axis) -> Any:
        if axis not in self.rows.codes:
            return self.rows.indicators[axis]
        codes, size = self.rows.codes[axis], self.layout.size(axis)
        if self._chances is None or not (codes > size).any():
            return Categories(np.where(codes < size, codes, -1), size)
        # A row of zeros for the abstention.
        shares = np.concatenate([np.eye(size), np.zeros((1, size)), self._chances])
        return shares[codes]

    def _silent(self, axis: Axis) -> Array:
        if axis in self.rows.codes:
            return self.rows.codes[axis] == self.layout.size(axis)
        return self.rows.silent[axis]

    def _labels_of(self, axis: Axis) -> Array:
        """The number of labels of a true variable in each row."""
        if axis not in self._n_labels:
            self._n_labels[axis] = _sums_of_rows(self[axis])
        return self._n_labels[axis]

    def _marked(self, block: Block) -> Array:
        truths = [axis for axis in (ATTRIBUTE, TASK) if axis in self.layout.axes]
        if block == UNLABELLED:
            without = np.full(len(self.rows), bool(truths))
            for axis in truths:
                without &= self._labels_of(axis) == 0
            return without
        axis, number = _MARKED[block]
        if axis not in truths:
            return np.zeros(len(self.rows), dtype=bool)
        return self._labels_of(axis) == number

    def _held(self, axis: Axis) -> Any:
        """Which label sets each row contains."""
        from scipy.sparse import csr_array

        block = self[axis]
        if not isinstance(block, Categories) and block.dtype.kind == "f":
            block = (block == 1).astype(np.int8)
        # Many rows may have the same labels.
        first, which = distinct(block.codes if isinstance(block, Categories) else block)
        rows, sets = rows_that_contain(
            self.layout.set_members,
            _present(block, first),
            lambda rows: _as_array(block, first[rows], np.float32),
        )
        shape = len(first), len(self.layout.sets)
        return csr_array((np.ones(len(rows), dtype=np.int8), (rows, sets)), shape=shape)[which]

    def _exactly(self) -> Any:
        """Which label set is exactly the labels of each row."""
        from scipy.sparse import csr_array

        held = self[sets_of(TASK)].tocoo()
        rows, sets = held.coords
        exactly = self._labels_of(TASK)[rows] == self.layout.set_sizes[sets]
        where = rows[exactly], sets[exactly]
        return csr_array((held.data[exactly], where), shape=held.shape)


def chances_of(levels: Array, labels: Sequence[Label]) -> Array | None:
    """Probabilities of the labels for each level, the probability of 1; None without levels."""
    if not len(levels):
        return None
    out = np.zeros((len(levels), len(labels)))
    out[:, labels.index(1)], out[:, labels.index(0)] = levels, 1 - levels
    return out


def _as_array(block: Any, rows: slice | Array, dtype: Any) -> Array:
    """Some rows of Categories or of a matrix."""
    if not isinstance(block, Categories):
        return dense(block[rows]).astype(dtype, copy=False)
    codes = block.codes[rows]
    if block.size <= _NARROW:
        return (codes == np.arange(block.size)[:, None]).T.astype(dtype)
    out = np.zeros((len(codes), block.size), dtype=dtype)
    present = np.flatnonzero(codes >= 0)
    out[present, codes[present]] = 1
    return out


def _sums_of_rows(block: Any) -> Array:
    """How many columns of a block of 0 and 1 each row has."""
    if isinstance(block, Categories):
        return (block.codes >= 0).astype(np.int64)
    if isinstance(block, np.ndarray):
        # Several times faster than sum(axis=1) on few columns, and in the smallest type that holds
        # the sums.
        return np.einsum("ij->i", block.astype(np.min_scalar_type(block.shape[1])))
    return np.asarray(block.sum(axis=1)).reshape(-1)


def _mark(rows: Array) -> Categories:
    return Categories(rows.astype(np.int8) - np.int8(1), 1)


def _present(block: Any, rows: Array) -> tuple[Array, Array]:
    """The positions and columns of the numbers that are not 0, of some rows of a block."""
    if isinstance(block, Categories):
        codes = block.codes[rows]
        present = np.flatnonzero(codes >= 0)
        return present, codes[present]
    return block[rows].nonzero()


def _agreed(truth: Any, predicted: Any) -> Any:
    """The product of two blocks, column by column."""
    kinds = isinstance(truth, Categories), isinstance(predicted, Categories)
    if all(kinds):
        return Categories(np.where(truth.codes == predicted.codes, truth.codes, -1), truth.size)
    if not any(kinds):
        sparse = next((m for m in (truth, predicted) if hasattr(m, "multiply")), None)
        if sparse is None:
            return truth * predicted
        return sparse.multiply(predicted if sparse is truth else truth).tocsr()
    codes, matrix = (truth.codes, predicted) if kinds[0] else (predicted.codes, truth)
    matrix = dense(matrix)
    out = np.zeros_like(matrix)
    present = np.flatnonzero(codes >= 0)
    out[present, codes[present]] = matrix[present, codes[present]]
    return out


def pairs_of_labels(first: Categories, second: Categories) -> Keys:
    """Rows by their pair of labels: the first times how many there are of the second, and it."""
    key = first.codes.astype(np.int64) * second.size + second.codes
    key[(first.codes < 0) | (second.codes < 0)] = -1
    return Keys(key, first.size * second.size)


def sums_of_products(weights: Array, first: Any, second: Any) -> Array:
    """Sums over rows of the products of two blocks.

    Parameters
    ----------
    weights : array of shape (..., rows)
        How often each row counts. Integers stay integers between two blocks of categories.
    first, second : Categories or matrix of shape (rows, columns)

    Returns
    -------
    ndarray of shape (..., columns of first, columns of second)
    """
    if isinstance(first, Categories) and isinstance(second, Categories):
        flat = pairs_of_labels(first, second).sums(weights)
        return flat.reshape(*weights.shape[:-1], first.size, second.size)
    if isinstance(second, Categories):
        return sums_of_products(weights, second, first).swapaxes(-1, -2)
    flat = weights.reshape(-1, weights.shape[-1])
    exact = flat.astype(np.float64) if flat.dtype.kind != "f" else flat
    columns = first.size if isinstance(first, Categories) else first.shape[1]
    out = np.zeros((len(flat), columns, second.shape[1]))
    for column in range(columns):
        if isinstance(first, Categories):
            where, share = np.flatnonzero(first.codes == column), None
        else:
            share = dense(first[:, [column]])[:, 0]
            where = np.flatnonzero(share)
            share = None if (share[where] == 1).all() else share[where]
        if not len(where):
            continue
        # Rows next to each other are read without a copy.
        adjacent = where[-1] - where[0] + 1 == len(where)
        chosen: Any = slice(where[0], where[-1] + 1) if adjacent else where
        part = exact[:, chosen] if share is None else exact[:, chosen] * share
        out[:, column] = weighted_sums(part, second[chosen])
    return out.reshape(*weights.shape[:-1], columns, second.shape[1])


def weighted_sums(weights: Array, matrix: Any) -> Array:
    """The product of weights (replicates, rows) and a matrix (rows, columns) of any type."""
    if hasattr(matrix, "tocsr"):
        return np.asarray((matrix.T @ weights.T).T)
    if matrix.dtype == weights.dtype:
        return weights @ matrix
    out = np.zeros((len(weights), matrix.shape[1]))
    for rows in blocks_of(*matrix.shape):
        out += weights[:, rows] @ matrix[rows].astype(weights.dtype)
    return out


@dataclass(frozen=True)
class Layout:
    """The blocks of a row, in the order in which their sums are stored.

    Attributes
    ----------
    axes : tuple of Axis
        The variables.
    n_labels, n_groups : int
    sets : tuple of LabelSet
        Label sets that were counted.
    """

    axes: tuple[Axis, ...]
    n_labels: int
    n_groups: int
    sets: tuple[LabelSet, ...] = ()

    def size(self, axis: Axis) -> int:
        """Labels of a variable."""
        return self.n_groups if axis.role.of_attribute else self.n_labels

    @cached_property
    def blocks(self) -> dict[Block, slice]:
        """Where each block is."""
        sizes: dict[Block, int] = {}
        # The constant comes last, next to the attributes.
        for mark in reversed(MARKS):
            sizes[mark] = 1
        # With the constant, attributes and marks of silence make up the left side.
        for axis in self.axes:
            if axis.role.of_attribute:
                sizes[axis] = self.size(axis)
        for axis in self.axes:
            if axis.role.predicted:
                sizes[silence(axis)] = 1
        for axis in self.axes:
            if not axis.role.of_attribute:
                sizes[axis] = self.size(axis)
        for axis in self.axes:
            if axis.role.predicted and Axis(axis.role.truth) in self.axes:
                sizes[agreement(axis)] = self.size(axis)
        if self.sets:
            for axis in self.axes:
                if axis.role in _SETS:
                    sizes[sets_of(axis)] = len(self.sets)
            if TASK in self.axes:
                sizes[EXACT_SETS] = len(self.sets)
        ends = np.cumsum([*sizes.values()]).tolist()
        return {
            block: slice(end - size, end)
            for (block, size), end in zip(sizes.items(), ends, strict=True)
        }

    @property
    def width(self) -> int:
        """Columns of all blocks."""
        return max(where.stop for where in self.blocks.values())

    @cached_property
    def left(self) -> slice:
        """The constant, the attributes and the marks of silence, by which sums are kept apart."""
        start = self.blocks[ONE].start
        size = 1 + sum(
            self.size(axis) * axis.role.of_attribute + axis.role.predicted for axis in self.axes
        )
        return slice(start, start + size)

    @cached_property
    def left_blocks(self) -> dict[Block, slice]:
        """Where the blocks of the left side are in it."""
        start, stop = self.left.start, self.left.stop
        return {
            block: slice(where.start - start, where.stop - start)
            for block, where in self.blocks.items()
            if start <= where.start < stop
        }

    @cached_property
    def set_members(self) -> Array:
        """Which labels make up each set, of shape (labels, sets)."""
        members = np.zeros((self.n_labels, len(self.sets)), dtype=np.float32)
        for i, labels in enumerate(self.sets):
            members[list(labels), i] = 1
        return members

    @cached_property
    def set_sizes(self) -> Array:
        """How many labels each set has."""
        return np.array([len(labels) for labels in self.sets])

    def zeros(self) -> Array:
        """The sums of no rows, of shape (left, width)."""
        return np.zeros((self.left.stop - self.left.start, self.width))

    def moments(self, values: Values, weight: Array | None) -> Array:
        """Sums over rows of the products of the left side with all blocks, in float64.

        Parameters
        ----------
        values : Values
            Without weights, of so few rows that their sums are exact in float32.
        weight : array of shape (rows,), optional
        """
        dtype = np.float32 if weight is None and values.whole else np.float64
        # Narrow blocks come first, and cost less in one product.
        narrow = [block for block, where in self.blocks.items() if where.stop <= self.left.stop]
        head = np.concatenate([values.dense(block, dtype=dtype) for block in narrow], axis=1)
        left = head[:, self.left]
        if weight is not None:
            left = left * weight[:, None]
        out = self.zeros()
        out[:, : self.left.stop] = _product(left, head)
        for block, where in self.blocks.items():
            if where.start >= self.left.stop:
                out[:, where] = _product(left, values.dense(block, dtype=dtype))
        return out

    def moved_from(self, other: Layout, positions: Mapping[str, Sequence[int]]) -> Array:
        """Position of each column in another layout of the same variables, -1 if it has none.

        Parameters
        ----------
        other : Layout
        positions : mapping of "labels", "groups" and "sets" to sequence of int
            Position in the other layout of each label, group and label set of this one, or -1.
        """
        out = np.full(self.width, -1)
        for block, where in self.blocks.items():
            if block not in other.blocks:
                continue
            name = block[0]
            if where.stop - where.start == 1 and (block in MARKS or name in _SILENT.values()):
                moved = np.zeros(1, dtype=int)
            elif name in (*_SETS.values(), EXACT_SETS[0]):
                moved = np.array(positions["sets"], dtype=int)
            else:
                kind = "groups" if name.startswith("attribute") else "labels"
                moved = np.array(positions[kind], dtype=int)
            out[where] = np.where(moved >= 0, other.blocks[block].start + moved, -1)
        return out


def _product(left: Array, right: Array) -> Array:
    """``left' right``, summed in float64 over blocks of rows."""
    step = max(8, min(_FEW_ROWS, _FEW_NUMBERS // max(left.shape[1] * right.shape[1], 1)))
    whole = len(left) // step * step
    blocks = left[:whole].reshape(-1, step, left.shape[1])
    right_blocks = right[:whole].reshape(len(blocks), step, right.shape[1])
    products = np.matmul(blocks.transpose(0, 2, 1), right_blocks)
    return products.sum(axis=0, dtype=np.float64) + left[whole:].T @ right[whole:]
