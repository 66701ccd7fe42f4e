"""The rows behind counts: to flip rows that have weights, and to fit attackers on them.

Everything that attacks read of counts beyond their margins is here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from biasamp_adapters._roles import ARGUMENTS, Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.blocks import silence, sum_by
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.replicates import Draws
from biasamp_adapters.metrics.equalize import flip_rows, repeated


class DrawnRows(NamedTuple):
    """The distinct rows behind tables, where rows differ in weight.

    Attributes
    ----------
    tables : Tables
    times : array of int, shape (..., rows)
        How often each was drawn.
    weights : array
        The different weights of rows.
    stratum : array of int, shape (rows,)
        Which of them is the weight of one such row.
    """

    tables: Tables
    times: Array
    weights: Array
    stratum: Array

    def flipped(
        self, roles: Sequence[Role], column: Mapping[Role, int], accuracy: Array, rng: Draws
    ) -> Array:
        """Tables of two variables, the second of which is flipped in each row with all its weight.

        Parameters
        ----------
        roles : (Role, Role)
        column : mapping of Role to int
            The variables of which one column is read; of others, all labels.
        accuracy : array that broadcasts to the batch of tables
        rng : Generator or SharedDraws
        """
        (stays, n_stays), (flips, n_flips) = (
            self.tables.categories(role, column.get(role)) for role in roles
        )
        times, stratum, sizes = self.times, self.stratum, (n_stays, n_flips)
        if column:
            # Rows that agree in both variables, and in their weight, are one.
            shape = (len(self.weights), *sizes)
            key = np.ravel_multi_index((stratum, stays, flips), shape)
            stratum, stays, flips = np.indices(shape).reshape(3, -1)
            times = sum_by(times, key, len(stratum))
        weight = self.weights[stratum]
        return flip_rows(
            times, stays, flips, sizes=sizes, accuracy=accuracy, rng=rng, weight=weight
        )


def drawn_rows(tables: Tables, trials: int | None = None) -> DrawnRows | None:
    """The rows behind tables; None where all weigh the same, so that their margins say enough.

    With ``trials``, the same rows for each of them, along a new first axis.

    Raises
    ------
    ValueError
        If the rows have weights and only their sums are known.
    """
    rows = None if tables.values is None else tables.values.rows
    if rows is None or rows.w is None:
        return None
    if rows.unit is None or tables.times is None:
        raise ValueError("flips need rows; these tables hold only sums of weights")
    weights, stratum = np.unique(rows.unit, return_inverse=True)
    return DrawnRows(tables, repeated(tables.times, trials), weights, stratum)


class Variable(NamedTuple):
    """A variable of every row, as an attacker reads or predicts it.

    Attributes
    ----------
    argument : str
        What it is called in messages.
    kind : {"label", "columns", "numbers"}
        One label in each row; columns that are each a variable of two classes; or numbers.
    columns : array of shape (rows, k)
        Indicators of the labels, or of each column, probabilities allowed; or the numbers.
    silent : array of shape (rows, 0 or 1)
        Where the model predicted nothing; no column where it always predicted something.
    labels : tuple
        What the columns of a label stand for.
    values : array of shape (classes,) or None
        The numbers that classes stand for, to be predicted by a regressor.
    """

    argument: str
    kind: Literal["label", "columns", "numbers"]
    columns: Array
    silent: Array
    labels: tuple[Label, ...] = ()
    values: Array | None = None

    @property
    def read(self) -> Array:
        """What an attacker sees of it, of shape (rows, columns)."""
        return np.hstack([self.columns, self.silent])

    @property
    def n_inputs(self) -> int:
        """Columns that vary freely: of the labels that occur, all but one."""
        occur = int((self.columns != 0).any(axis=0).sum())
        return max(occur - 1, 1) if self.kind == "label" else occur

    @property
    def hard(self) -> bool:
        """Whether there is neither a probability nor a silence."""
        return self.silent.size == 0 and bool(np.isin(self.columns, (0, 1)).all())

    @property
    def n_classes(self) -> int:
        """Classes of the label, or of each column."""
        return 2 if self.kind == "columns" else len(self.columns.T)

    def targets(self) -> Iterator[Array]:
        """What an attacker predicts, one after the other: shares of classes, (rows, classes)."""
        if self.kind == "label":
            yield self.read
            return
        spoken = 1 - self.silent.sum(axis=1)
        for column in self.columns.T:
            yield np.column_stack([spoken - column, column, self.silent])

    def with_values(self) -> Variable:
        """The same with the numbers that its labels are, or the 0 and 1 of columns.

        Raises
        ------
        ValueError
            If a label is not a number, or predictions are missing.
        """
        if self.kind == "numbers":
            return self
        if self.silent.size:
            raise ValueError("inverse_rmse needs a numeric target; received abstained predictions")
        labels: Any = (0, 1) if self.kind == "columns" else self.labels
        if not all(isinstance(label, Real) for label in labels):
            raise ValueError(
                f"inverse_rmse needs a numeric target; received the labels {listing(labels)}"
            )
        return self._replace(values=np.array(labels, dtype=np.float64))

    def as_numbers(self) -> Variable:
        """Columns of numbers; of classes, the mean of the numbers that they stand for."""
        if self.kind != "label" or self.values is None:
            return self._replace(kind="numbers")
        return self._replace(kind="numbers", columns=self.columns @ self.values[:, None])

    def accuracy(self, prediction: Variable, weight: Array) -> Array | None:
        """Of a model on this variable, or on each of its columns; None where one is numbers."""
        same_shape = self.columns.shape == prediction.columns.shape
        if "numbers" in (self.kind, prediction.kind) or not same_shape:
            return None
        if self.kind == "label":
            right = (self.columns * prediction.columns).sum(axis=1)
        else:
            right = 1 - np.abs(self.columns - prediction.columns)
            right = right * (1 - prediction.silent.sum(axis=1, keepdims=True))
        return np.average(right, axis=0, weights=weight)

    def flipped(self, accuracy: Array, rng: np.random.Generator) -> Variable:
        """The same with errors at random: in each column, or to another label."""
        if self.kind == "columns":
            wrong = rng.random(self.columns.shape) >= accuracy
            return self._replace(columns=np.abs(self.columns - wrong))
        n_rows, n_labels = self.columns.shape
        label = self.columns.argmax(axis=1)
        moved = (label + rng.integers(1, max(n_labels, 2), n_rows)) % n_labels
        wrong = rng.random(n_rows) >= accuracy
        return self._replace(columns=np.eye(n_labels)[np.where(wrong, moved, label)])


class AttackRows(NamedTuple):
    """All rows with some weight, by variable.

    Attributes
    ----------
    variables : mapping of Role to Variable
    weight : array of shape (rows,)
        Above 0.
    n_rows : int
        Rows evaluated, those without weight among them.
    dropped : int
        Rows with missing values that were left out.
    """

    variables: Mapping[Role, Variable]
    weight: Array
    n_rows: int
    dropped: int = 0


def rows_of_counts(counts: Counts, model: str, roles: Collection[Role]) -> AttackRows:
    """Every row of the data, as often as it occurred, in the order of the variables that are read.

    What is not read, such as the predictions of other models, does not order the rows; nor does
    the order in which they came.

    Parameters
    ----------
    counts : Counts
        With rows: cells whose rows have the same weight, or a matrix whose rows were kept.
    model : str
        The model whose predictions are read.
    roles : collection of Role
        The variables that are read.

    Raises
    ------
    ValueError
        If the counts hold only sums.
    """
    if counts.rows is None or not counts.knows_rows:
        raise ValueError("a fitted attacker needs rows; received counts that hold only sums")
    n, unit = counts.rows.n, counts.rows.unit
    distinct = {role: _of_distinct(counts, role, model) for role in sorted(roles)}
    keys = [*np.hstack([part for parts in distinct.values() for part in parts]).T]
    order = np.lexsort(keys if unit is None else [*keys, unit])
    times = n if unit is None else np.where(unit > 0, n, 0)
    row = np.repeat(order, times[order])
    variables = {
        role: Variable(
            ARGUMENTS[role],
            "columns" if counts.is_matrix(role) else "label",
            columns[row],
            silent[row],
            counts.labels_of(role),
        )
        for role, (columns, silent) in distinct.items()
    }
    weight = np.ones(len(row)) if unit is None else unit[row]
    return AttackRows(variables, weight, counts.n_rows)


def _of_distinct(counts: Counts, role: Role, model: str) -> tuple[Array, Array]:
    """Columns of a variable and of its silence, of the distinct rows."""
    axis = counts.axis(role, model)
    columns = counts.values.dense(axis)
    if not (role.predicted and counts.abstentions(role, model)):
        return columns, np.zeros((len(columns), 0))
    return columns, counts.values.dense(silence(axis))
