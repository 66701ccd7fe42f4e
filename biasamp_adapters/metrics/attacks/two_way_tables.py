"""The input and the target of an attack, and their two-way tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.equalize import (
    accuracy_of,
    column_accuracy,
    flip_table,
    repeated,
    rows_alike,
    scaled_flips,
)
from biasamp_adapters.metrics.means import rate
from biasamp_adapters.metrics.measurement import T_TO_A, UNDIRECTED

#: Sums of weights that differ by less than this share of the total are equal.
_ROUNDING = 1e-12


class Roles(NamedTuple):
    """The input and the target of an attack, in the dataset and in the model's output.

    Attributes
    ----------
    dataset, model : (Role, Role)
    flipped : Role
        The true variable that is made as wrong as the model.
    """

    dataset: tuple[Role, Role]
    model: tuple[Role, Role]
    flipped: Role

    @property
    def axis(self) -> int:
        """The axis of the dataset's table whose labels are flipped, -2 or -1."""
        return self.dataset.index(self.flipped) - 2

    @property
    def of_leakage(self) -> bool:
        """Whether they are those of LA, where the input is flipped."""
        return self.flipped is self.dataset[0]

    @property
    def read(self) -> set[Role]:
        """All variables that are read."""
        return {*self.dataset, *self.model}

    @classmethod
    def of(cls, direction: str) -> Self:
        """The roles of DPA in a direction, or of LA, which has none."""
        if direction == UNDIRECTED:
            return cls((Role.TASK, Role.ATTRIBUTE), (Role.PREDICTION, Role.ATTRIBUTE), Role.TASK)
        source, target = (Role.ATTRIBUTE, Role.TASK)
        if direction == T_TO_A:
            source, target = target, source
        return cls((source, target), (source, target.prediction), target)


@dataclass(frozen=True, eq=False)
class Sides:
    """The two-way tables of an attack, of counts or of any batch of draws; nothing is equalised.

    Attributes
    ----------
    tables : Tables
        The tables from which they are read.
    roles : Roles
    by_column : (bool, bool)
        Whether the input, and the target, are read as one variable of the two classes no and yes
        for each label. Where both are, the axes of the columns are groups and tasks, in this order.
    silence : bool
        Whether rows for which a model predicted nothing are a separate category, which is wrong.
        Otherwise they are a no to every label.
    squares : (Tables, Tables) or None
        The tables of the data, by their weights and by the squares of these; None without weights.
    """

    tables: Tables
    roles: Roles
    by_column: tuple[bool, bool]
    silence: bool = True
    squares: tuple[Tables, Tables] | None = None

    @classmethod
    def of_counts(cls, counts: Counts, model: str, roles: Roles) -> Self:
        """The tables behind a value.

        A matrix with one label in every row is one label as an input, except that a model may
        predict any number of them (LA).
        """
        source, target = roles.dataset
        several = counts.is_matrix(source) and (roles.of_leakage or not counts.one_each(source))
        tables, by_column = counts.tables(model), (several, counts.is_matrix(target))
        squares = (tables, counts.tables_of_squares) if counts.weighted else None
        return cls(tables, roles, by_column, squares=squares)

    @property
    def with_flips_last(self) -> Self:
        """The same tables with flips of the target; LA flips its input, so its are transposed."""
        if not self.roles.of_leakage:
            return self
        roles = Roles(self.roles.dataset[::-1], self.roles.model[::-1], self.roles.flipped)
        return replace(self, roles=roles, by_column=self.by_column[::-1])

    @cached_property
    def dataset(self) -> Array:
        """One table for each column, or pair of columns: (..., *columns, inputs, targets)."""
        return self._table(self.roles.dataset)

    @cached_property
    def model(self) -> Array:
        """The same of what the model predicted."""
        return self._table(self.roles.model)

    @cached_property
    def accuracy(self) -> Array:
        """Of the model on the variable that is flipped, of shape (..., *columns)."""
        flipped, axis = self.roles.flipped, self.roles.axis
        if self.by_column[axis]:
            share = column_accuracy(self.tables, flipped, silence_is_wrong=self.silence)
            if all(self.by_column):
                share = np.expand_dims(share, -1 if flipped.of_attribute else -2)
        else:
            share = accuracy_of(self.tables, flipped)
            if any(self.by_column):
                share = share[..., None]
        return np.broadcast_to(share, self.dataset.shape[:-2])

    def expected(self) -> Array:
        """The dataset's tables with flips in expectation."""
        return scaled_flips(self.dataset, self.accuracy, self.roles.axis)

    def flipped(
        self,
        rng: np.random.Generator,
        trials: int | None = None,
        columns: tuple[Array, ...] = (),
    ) -> Array:
        """The dataset's tables with the labels of one variable flipped at random.

        Parameters
        ----------
        rng : numpy.random.Generator
        trials : int, optional
            Draws of the same tables, along a new first axis; otherwise one draw for each table.
        columns : tuple of arrays of int
            Positions of the columns to flip on each of their axes; without, all.
        """
        at: Any = (Ellipsis, *columns)
        tables, accuracy = (*at, slice(None), slice(None)), self.accuracy[at]
        if self.squares is None:
            whole = np.rint(self.dataset[tables]).astype(np.int64)
            return flip_table(repeated(whole, trials), self.roles.axis, accuracy, rng)
        out: Any = 0
        for numbers, sums in self._alike():
            whole = np.rint(numbers[tables]).astype(np.int64)
            mean = rate(sums[tables], whole, undefined=0.0)
            whole, mean = repeated(whole, trials), repeated(mean, trials)
            out = out + flip_table(whole, self.roles.axis, accuracy, rng, mean)
        return out

    def _alike(self) -> Iterator[tuple[Array, Array]]:
        """Tables of numbers of rows that weigh about the same, and of the sums of their weights."""
        values, times = self.tables.values, self.tables.times
        if values is None and self.squares is not None:
            # Of sums, a cell is as many rows of one weight as vary as much as its rows do.
            data = replace(self, tables=self.squares[0]).dataset
            weight = rate(replace(self, tables=self.squares[1]).dataset, data)
            numbers = rate(self.dataset, weight, undefined=0.0)
            yield np.where(self.dataset > 0, np.maximum(numbers, 1), 0), self.dataset
            return
        if values is None or values.rows.unit is None or times is None:
            raise ValueError("flips need rows; these tables hold only sums of weights")
        for rows in rows_alike(values.rows.unit):
            weight = values.rows.unit[rows]
            numbers = replace(self, tables=self.tables.of_rows(rows, times[..., rows])).dataset
            if (weight == weight[0]).all():
                yield numbers, numbers * weight[0]
            else:
                drawn = times[..., rows] * weight
                yield numbers, replace(self, tables=self.tables.of_rows(rows, drawn)).dataset

    def _table(self, variables: tuple[Role, Role]) -> Array:
        tables, counts = self.tables, self.tables.counts
        if not any(self.by_column):
            return tables.joint(*variables, abstained=True)
        inputs, targets = (self._totals(role) for role in variables)
        joint = tables.joint(*variables, abstained=self.silence)
        total = np.asarray(tables.total)[..., None, None]
        table = np.block([[joint, inputs[..., None]], [targets[..., None, :], total]])
        if self.by_column[0]:
            n_inputs = counts.n_labels(variables[0])
            table = np.moveaxis(_no_and_yes(table.swapaxes(-1, -2), n_inputs), -3, -1)
        else:
            table = table[..., :-1, :]
        if self.by_column[1]:
            table = _no_and_yes(table, counts.n_labels(variables[1])).swapaxes(-2, -3)
        else:
            table = table[..., :-1]
        if all(self.by_column) and not variables[0].of_attribute:
            table = table.swapaxes(-3, -4)
        return _without_rounding(table, tables.total)

    def _totals(self, role: Role) -> Array:
        """Weight of each label of a variable, and of silence if that is kept."""
        tables, labels = self.tables, self.tables.marginal(role)
        keeps_silence = self.silence and role.predicted
        if not (keeps_silence and tables.counts.abstentions(role, tables.model)):
            return labels
        return np.concatenate([labels, tables.silent(role.truth)], axis=-1)


def groups_vary(tables: Tables) -> Array:
    """Whether some rows belong to a group and some do not, of shape (..., groups, 1)."""
    group, total = tables.marginal(Role.ATTRIBUTE), np.asarray(tables.total)[..., None]
    return ((group > 0) & (group < total))[..., None]


def _no_and_yes(table: Array, n_labels: int) -> Array:
    """A table with its last axis, of labels, silence and total, split into one axis per label.

    Parameters
    ----------
    table : array of shape (..., labels [+ 1] + 1)
    n_labels : int

    Returns
    -------
    ndarray of shape (..., labels, 2 or 3)
        No, yes and, if there is any, silence.
    """
    yes, silent, total = table[..., :n_labels], table[..., n_labels:-1], table[..., -1:]
    parts = [total - yes - silent.sum(axis=-1, keepdims=True), yes]
    if silent.size:
        parts.append(np.broadcast_to(silent, yes.shape))
    return np.stack(parts, axis=-1)


def _without_rounding(table: Array, total: Array) -> Array:
    """A table of sums of weights, with 0 where rounding left the difference of equal sums."""
    if table.dtype.kind == "f" and (table != np.floor(table)).any():
        extra = (None,) * (table.ndim - np.ndim(total))
        table[np.abs(table) < _ROUNDING * np.asarray(total)[(..., *extra)]] = 0
    return table
