"""Who predicts whom in an attack, and the two-way tables of input against target."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.replicates import Draws
from biasamp_adapters.metrics.attacks.rows import drawn_rows
from biasamp_adapters.metrics.bound_metric import T_TO_A
from biasamp_adapters.metrics.equalize import (
    accuracy_of,
    column_accuracy,
    flip_table,
    repeated,
    scaled_flips,
)

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

    @classmethod
    def of(cls, direction: str, leakage: bool) -> Self:
        """The roles of LA, or of DPA in a direction."""
        if leakage:
            return cls((Role.TASK, Role.ATTRIBUTE), (Role.PREDICTION, Role.ATTRIBUTE), Role.TASK)
        source, target = (Role.ATTRIBUTE, Role.TASK)
        if direction == T_TO_A:
            source, target = target, source
        return cls((source, target), (source, target.prediction), target)


class Sides(NamedTuple):
    """The tables of an attack, before anything is equalised.

    Attributes
    ----------
    reading : Reading
        How they were read.
    tables : Tables
        What they were read off.
    dataset, model : arrays of shape (..., *columns, inputs, targets)
        One table for each column, or pair of columns, that is a variable of its own.
    accuracy : array of shape (..., *columns)
        Of the model on the variable that is flipped.
    """

    reading: Reading
    tables: Tables
    dataset: Array
    model: Array
    accuracy: Array

    def expected(self) -> Array:
        """The dataset's tables with flips in expectation."""
        return scaled_flips(self.dataset, self.accuracy, self.reading.roles.axis)

    def flipped(
        self,
        rng: Draws,
        trials: int | None = None,
        columns: tuple[Array, ...] | None = None,
    ) -> Array:
        """The dataset's tables with the labels of one variable flipped at random.

        Parameters
        ----------
        rng : Generator or SharedDraws
        trials : int, optional
            Draws of the same tables, along a new first axis; otherwise one draw for each table.
        columns : tuple of arrays of int, optional
            Some of the columns, as positions on each of their axes; all by default.
        """
        reading, counts = self.reading, self.tables.counts
        axis, roles = reading.roles.axis, reading.roles.dataset
        if columns is None:
            columns = tuple(np.indices([counts.n_labels(role) for role in reading.column_roles]))
        rows = drawn_rows(self.tables, trials)
        if rows is None:
            at: Any = (Ellipsis, *columns)
            whole = np.rint(self.dataset[(*at, slice(None), slice(None))]).astype(np.int64)
            return flip_table(repeated(whole, trials), axis, self.accuracy[at], rng)
        stays_and_flips = roles if axis == -1 else roles[::-1]
        drawn = []
        for place in [*zip(*(positions.ravel() for positions in columns), strict=True)] or [()]:
            column = dict(zip(reading.column_roles, place, strict=True))
            accuracy = self.accuracy[(..., *place)]
            table = rows.flipped(stays_and_flips, column, accuracy, rng)
            drawn.append(table if axis == -1 else table.swapaxes(-1, -2))
        out = np.stack(drawn, axis=-3)
        shape = columns[0].shape if columns else ()
        return out.reshape(*out.shape[:-3], *shape, *out.shape[-2:])


class Reading(NamedTuple):
    """How the tables of an attack are read off margins.

    Attributes
    ----------
    roles : Roles
    by_column : (bool, bool)
        Whether the input, and the target, are read as one variable of the two classes no and yes
        for each label. Where both are, the axes of the columns are groups and tasks, in this order.
    silence : bool
        Whether rows of which a model predicted nothing are a category of their own, and wrong.
        Otherwise they are a no to every label.
    """

    roles: Roles
    by_column: tuple[bool, bool] = (False, False)
    silence: bool = True

    def sides(self, tables: Tables) -> Sides:
        """The tables of dataset and model, and the accuracy, for tables of any batch shape."""
        dataset = self._table(tables, self.roles.dataset)
        model = self._table(tables, self.roles.model)
        accuracy = np.broadcast_to(self._accuracy(tables), dataset.shape[:-2])
        return Sides(self, tables, dataset, model, accuracy)

    @property
    def column_roles(self) -> tuple[Role, ...]:
        """The variables that are read by column, in the order of the axes of their columns."""
        read = [
            role for role, split in zip(self.roles.dataset, self.by_column, strict=True) if split
        ]
        return tuple(sorted(read))

    def _accuracy(self, tables: Tables) -> Array:
        flipped = self.roles.flipped
        if not self.by_column[self.roles.axis]:
            share = accuracy_of(tables, flipped)
            return share[..., None] if any(self.by_column) else share
        share = column_accuracy(tables, flipped, silence_is_wrong=self.silence)
        if all(self.by_column):
            return np.expand_dims(share, -1 if flipped.of_attribute else -2)
        return share

    def _table(self, tables: Tables, variables: tuple[Role, Role]) -> Array:
        if not any(self.by_column):
            return tables.joint(*variables, abstained=True)
        n_inputs, n_targets = (tables.counts.n_labels(role) for role in variables)
        table = self._with_totals(tables, *variables)
        if self.by_column[0]:
            table = np.moveaxis(_no_and_yes(table.swapaxes(-1, -2), n_inputs), -3, -1)
        else:
            table = table[..., :-1, :]
        if self.by_column[1]:
            table = _no_and_yes(table, n_targets).swapaxes(-2, -3)
        else:
            table = table[..., :-1]
        if all(self.by_column) and not variables[0].of_attribute:
            table = table.swapaxes(-3, -4)
        return _without_rounding(table, tables.total)

    def _with_totals(self, tables: Tables, source: Role, target: Role) -> Array:
        """Inputs against targets, with a row and a column of silence if there is any, and totals.

        Returns
        -------
        ndarray of shape (..., inputs [+ 1] + 1, targets [+ 1] + 1)
        """
        blocks = [
            [tables.joint(source, target), tables.marginal(source)[..., None]],
            [tables.marginal(target)[..., None, :], np.asarray(tables.total)[..., None, None]],
        ]
        for role, other in ((source, target), (target, source)):
            silent = role.predicted and tables.counts.abstentions(role, tables.model)
            if not (silent and self.silence):
                continue
            by_other, total = tables.silent(role.truth, by=other), tables.silent(role.truth)
            if role is source:
                blocks.insert(1, [by_other[..., None, :], total[..., None]])
            else:
                blocks[0].insert(1, by_other[..., None])
                blocks[1].insert(1, total[..., None])
        return np.block(blocks)


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
