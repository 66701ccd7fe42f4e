"""Tables: two-way margins of counts, or of many draws of them at once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.blocks import (
    EXACT_SETS,
    ONE,
    UNLABELLED,
    Block,
    Categories,
    Layout,
    Values,
    agreement,
    sets_of,
    silence,
    sums_of_products,
)
from biasamp_adapters.counts.variables import ATTRIBUTE, TASK, Axis, Schema

#: A tuple, since an enumeration is slow to search, and roles are given as strings as well.
_ROLES = tuple(Role)

#: Two variables' pairs of labels that occur, as codes, and their weights, of shape (..., pairs).
Pairs: TypeAlias = tuple[Array, Array, Array]


class Margins(Protocol):
    """Sums over rows of the products of two blocks, of shape (..., first, second)."""

    def __call__(self, first: Block, second: Block) -> Array: ...

    def pairs(self, first: Block, second: Block) -> Pairs | None:
        """The cells of a margin in which there are rows; None where rows are not read by pairs."""
        return None


class MarginsOfRows:
    """Margins of rows under weights, each computed once.

    Parameters
    ----------
    values : Values
    weights : array of shape (..., rows)
    """

    def __init__(self, values: Values, weights: Array) -> None:
        self._values, self._weights = values, weights
        self._known: dict[tuple[Block, Block], Array] = {}
        self._pairs: dict[tuple[Block, Block], Pairs] = {}

    def __call__(self, first: Block, second: Block) -> Array:
        if (first, second) not in self._known:
            known = self._from_known(first, second)
            self._known[first, second] = self._made(first, second) if known is None else known
        return self._known[first, second]

    def _from_known(self, first: Block, second: Block) -> Array | None:
        """The margin from the one of both in the other order, or from that by groups, or None.

        Whole numbers have the same sums in any order.
        """
        if (second, first) in self._known:
            return self._known[second, first].swapaxes(-1, -2)
        by_groups = self._known.get((ATTRIBUTE, second))
        if by_groups is None or first != ONE or self._weights.dtype.kind != "i":
            return None
        groups = self._values[ATTRIBUTE]
        if not isinstance(groups, Categories) or (groups.codes < 0).any():
            return None
        return by_groups.sum(axis=-2, keepdims=True)

    def _made(self, first: Block, second: Block) -> Array:
        values = self._values
        keys = values.pairs(first, second)
        if keys is None and first == ONE and ATTRIBUTE in values.layout.axes:
            groups = values[ATTRIBUTE]
            # Metrics need the table by groups as well, of which this is the sum.
            if isinstance(groups, Categories) and (groups.codes >= 0).all():
                return self(ATTRIBUTE, second).sum(axis=-2, keepdims=True)
        if keys is None:
            return sums_of_products(self._weights, values[first], values[second])
        shape = values[first].size, values[second].size
        return keys.sums(self._weights).reshape(*self._weights.shape[:-1], *shape)

    def pairs(self, first: Block, second: Block) -> Pairs | None:
        keys = self._values.pairs(first, second)
        if keys is None:
            return None
        if (first, second) not in self._pairs:
            codes = np.divmod(keys.occurring, self._values[second].size)
            self._pairs[first, second] = *codes, keys.sums_of_occurring(self._weights)
        return self._pairs[first, second]


@dataclass(frozen=True)
class StoredMargins(Margins):
    """Margins from stored sums, of shape (..., left, width)."""

    layout: Layout
    moments: Array

    def __call__(self, first: Block, second: Block) -> Array:
        left, blocks = self.layout.left_blocks, self.layout.blocks
        if first in left:
            return self.moments[..., left[first], blocks[second]]
        return self.moments[..., left[second], blocks[first]].swapaxes(-1, -2)


@dataclass(frozen=True)
class MarginsWithoutOne:
    """Margins of all rows but one of each kind, of shape (rows, first, second)."""

    every: Margins
    values: Values
    rows: slice

    def __call__(self, first: Block, second: Block) -> Array:
        left, right = (self.values.dense(block, self.rows) for block in (first, second))
        unit = self.values.rows.unit
        if unit is not None:
            left = left * unit[self.rows, None]
        table = self.every(first, second)
        product = left[:, :, None] * right[:, None, :]
        return table - (product.astype(table.dtype) if table.dtype.kind == "i" else product)

    def pairs(self, first: Block, second: Block) -> Pairs | None:
        keys, every = self.values.pairs(first, second), self.every.pairs(first, second)
        if keys is None or every is None:
            return None
        one, two, weight = every
        key, unit = keys.of_rows[self.rows], self.values.rows.unit
        out = np.tile(weight, (len(key), 1))
        row = np.flatnonzero(key >= 0)
        left_out = 1 if unit is None else unit[self.rows][row]
        out[row, np.searchsorted(keys.occurring, key[row])] -= left_out
        return one, two, out


@dataclass(frozen=True, eq=False)
class Tables:
    """Margins of counts, with any number of leading batch axes.

    Everything that a metric needs is a margin, so the same formula gives the value (no batch axis)
    and its bootstrap replicates (one). Beside the four roles, tables have the label sets that were
    counted: "task_sets" and "prediction_sets", which rows contain, and "exact_sets".

    Attributes
    ----------
    counts : Schema
        What was counted.
    margins : Margins
    model : str
        The model whose predictions are read.
    values : Values or None
        The distinct rows, where tables are made of rows.
    weights : ndarray of shape (..., rows), or None
        How much each of them counts.
    times : ndarray of int, shape (..., rows), or None
        How often each distinct row was drawn; None if only weights are drawn.
    """

    counts: Schema
    margins: Margins = field(repr=False)
    model: str
    values: Values | None = field(default=None, repr=False)
    weights: Array | None = None
    times: Array | None = None

    def __len__(self) -> int:
        return len(self.total)

    def for_model(self, model: str) -> Tables:
        """The same draws, read for another model."""
        return replace(self, model=model)

    def of_rows(self, rows: Array, weights: Array) -> Tables:
        """Tables of some of the distinct rows, under weights of shape (..., rows)."""
        if self.values is None:
            raise ValueError("labels of rows are not known from tables of sums")
        values = self.values.of_rows(rows)
        margins = MarginsOfRows(values, weights)
        return replace(self, margins=margins, values=values, weights=weights, times=None)

    @cached_property
    def total(self) -> Array:
        """Sum of all weights, of shape (...)."""
        return self.margins(ONE, ONE)[..., 0, 0]

    @property
    def labelled(self) -> Array:
        """Sum of the weights of rows that have a group or a task, of shape (...)."""
        codes = {} if self.values is None else self.values.rows.codes
        if ATTRIBUTE in codes or TASK in codes:
            return self.total  # A true variable that is not columns has a label in each row.
        return self.total - self.margins(ONE, UNLABELLED)[..., 0, 0]

    def joint(self, first: str, second: str, *, abstained: bool = False) -> Array:
        """Two-way margin of shape (..., first labels, second labels).

        ``abstained=True`` keeps one more category for the abstentions of a predicted variable, if
        there are any.
        """
        blocks = [self._block(role) for role in (first, second)]
        if not abstained:
            return self.margins(*blocks)
        rows, columns = map(self._with_silence, blocks)
        parts = [[self.margins(row, column) for column in columns] for row in rows]
        return np.concatenate([np.concatenate(part, axis=-1) for part in parts], axis=-2)

    def _with_silence(self, block: Block) -> list[Block]:
        """A block and, of a prediction that has abstentions, the mark of these."""
        predicted = isinstance(block, Axis) and block.role.predicted
        if predicted and self.counts.abstentions(block[0], self.model):
            return [block, silence(Axis(*block))]  # type: ignore[arg-type]  # an Axis, as asked
        return [block]

    def _block(self, role: str) -> Block:
        """The block of a role, or of label sets."""
        if role in _ROLES:
            return self.counts.axis(role, self.model)
        if not self.counts.sets:
            raise ValueError("label sets were not counted; count with label_sets=")
        if role == EXACT_SETS[0]:
            return EXACT_SETS
        return sets_of(self.counts.axis(Role(role.removesuffix("_sets")), self.model))

    def pairs(self, first: str, second: str) -> Pairs | None:
        """The pairs of labels of two variables that occur, where each row has one label of both.

        Of many labels they are far fewer than the cells of :meth:`joint`.

        Returns
        -------
        (ndarray, ndarray, ndarray) or None
            The labels of each pair as codes, in the order of the first, of shape (pairs,), and the
            weight of each, (..., pairs). None where rows are not known, or a variable is columns.
        """
        return self.margins.pairs(self._block(first), self._block(second))

    @property
    def crosses_all(self) -> bool:
        """Whether all variables can be crossed, not only those that sums were stored of."""
        return not isinstance(self.margins, StoredMargins)

    def marginal(self, role: str) -> Array:
        """Weight of each label of a variable, of shape (..., labels)."""
        return self.margins(ONE, self._block(role))[..., 0, :]

    def silent(self, role: str, by: str | None = None) -> Array:
        """Weight of the rows for which the model predicted no ``role``, of shape (..., labels).

        Parameters
        ----------
        role : {"task", "attribute"}
            The variable without a prediction.
        by : {"task", "attribute"}, optional
            The variable by whose labels rows are split; by default they are not, (..., 1).
        """
        mark = silence(self.counts.axis(Role(role).prediction, self.model))
        return self.margins(mark, ONE if by is None else self._block(by))[..., 0, :]

    def agreement(self, role: str, *, by_group: bool = False) -> Array:
        """Weight of each label of ``role`` where the prediction agrees, of shape (..., labels).

        ``by_group=True`` keeps the groups of the attribute apart: (..., groups, labels).
        """
        block = agreement(self.counts.axis(Role(role).prediction, self.model))
        table = self.margins(ATTRIBUTE if by_group else ONE, block)
        return table if by_group else table[..., 0, :]
