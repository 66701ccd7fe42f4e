"""The rows that an attacker is fitted on: those behind counts, or arrays that hold numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from biasamp_adapters._roles import ARGUMENTS, Inputs, Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.blocks import silence
from biasamp_adapters.counts.clusters import check_clusters
from biasamp_adapters.counts.labels import listing, lookup, ordered
from biasamp_adapters.counts.rows import blocks_of, lexicographic_key
from biasamp_adapters.counts.sources import crossed
from biasamp_adapters.counts.variables import Missing, missing_message
from biasamp_adapters.inputs.columns import Column, check_same_length, read_weights
from biasamp_adapters.inputs.matrices import one_shape
from biasamp_adapters.inputs.numbers import Given, read_given
from biasamp_adapters.inputs.order import warn_of_order
from biasamp_adapters.metrics.attacks.target_values import numeric_labels
from biasamp_adapters.reference import check_several

#: Explicit label lists of the two true variables.
Lists: TypeAlias = Mapping[Role, Sequence[Label] | None]


class Variable(NamedTuple):
    """A variable of every row, as an attacker reads or predicts it.

    Attributes
    ----------
    argument : str
        Its name in messages.
    kind : {"label", "columns", "numbers"}
        One label in each row; columns that are each a variable of two classes; or numbers.
    columns : array of shape (rows, k)
        Indicators of the labels, or of each column, probabilities allowed; or the numbers. Counted
        indicators of 0 and 1 are int8; attackers get float64.
    silent : array of shape (rows, 0 or 1)
        Where the model predicted nothing; no column where it always predicted something.
    labels : tuple
        What the classes of a label, or of each column, stand for.
    """

    argument: str
    kind: Literal["label", "columns", "numbers"]
    columns: Array
    silent: Array
    labels: tuple[Label, ...] = ()

    @property
    def read(self) -> Array:
        """The input of an attacker, of shape (rows, columns)."""
        return np.hstack([self.columns, self.silent]) if self.silent.size else self.columns

    @property
    def n_inputs(self) -> int:
        """Number of independent columns: one less than the labels that occur."""
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

    def numbers(self, quality: str) -> Array:
        """The numbers that the classes stand for, which a quality needs.

        Raises
        ------
        ValueError
            If a label is not a number, or predictions are missing.
        """
        if self.silent.size:
            raise ValueError(f"{quality} needs a numeric target; received abstained predictions")
        return numeric_labels(self.labels, quality)

    def numeric_targets(self, quality: str) -> Iterator[tuple[Array, Array]]:
        """What a regressor predicts, one after the other: shares of numbers, and these numbers."""
        if self.kind == "numbers":
            yield from ((np.ones_like(column), column) for column in self.columns.T[..., None])
        else:
            numbers = self.numbers(quality)
            yield from ((shares, numbers) for shares in self.targets())

    def as_numbers(self, quality: str) -> Variable:
        """Columns of numbers; of classes, the mean of the numbers that they stand for."""
        is_label = self.kind == "label"
        columns = self.columns @ self.numbers(quality)[:, None] if is_label else self.columns
        return self._replace(kind="numbers", columns=columns)

    def accuracy(self, prediction: Variable, weight: Array) -> Array | None:
        """Accuracy of a model on this variable, or on each of its columns; None for numbers."""
        same_shape = self.columns.shape == prediction.columns.shape
        if "numbers" in (self.kind, prediction.kind) or not same_shape:
            return None
        blocks = blocks_of(*self.columns.shape)
        right = sum(weight[rows] @ self._right(prediction, rows) for rows in blocks)
        return np.asarray(right / weight.sum())

    def _right(self, prediction: Variable, rows: slice) -> Array:
        """How far some rows, or each of their columns, are predicted right, from 0 to 1."""
        true, predicted = self.columns[rows], prediction.columns[rows]
        if self.kind == "label":
            return np.asarray((true * predicted).sum(axis=1))
        right = 1 - np.abs(true - predicted)
        return right * (1 - prediction.silent[rows].sum(axis=1, keepdims=True))

    def flipped(self, accuracy: Array, rng: np.random.Generator) -> Variable:
        """The same with errors at random: in each column, or to another label."""
        if self.kind == "columns":
            columns = self.columns.copy()
            for rows in blocks_of(*columns.shape):
                wrong = rng.random(columns[rows].shape) >= accuracy
                columns[rows] = np.abs(columns[rows] - wrong)
            return self._replace(columns=columns)
        n_rows, n_labels = self.columns.shape
        label = self.columns.argmax(axis=1)
        moved = (label + rng.integers(1, max(n_labels, 2), n_rows)) % n_labels
        wrong = rng.random(n_rows) >= accuracy
        one_each = np.eye(n_labels, dtype=self.columns.dtype)
        return self._replace(columns=one_each[np.where(wrong, moved, label)])


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
    cluster : array of int of shape (rows,), or None
        The number of the cluster of each row; a cluster is never split between folds.
    """

    variables: Mapping[Role, Variable]
    weight: Array
    n_rows: int
    dropped: int = 0
    cluster: Array | None = None

    def folds(self, n_folds: int, rng: np.random.Generator) -> Array:
        """A random fold for each row, of shape (rows,), the same for all rows of a cluster."""
        if self.cluster is None:
            return rng.permutation(len(self.weight)) % n_folds
        numbers, which = np.unique(self.cluster, return_inverse=True)
        return (rng.permutation(len(numbers)) % n_folds)[which]


def rows_of_counts(counts: Counts, model: str, roles: Collection[Role]) -> AttackRows:
    """Every row of the data, as often as it occurred, in the order of the variables that are read.

    Variables that are not read, such as the predictions of other models, do not affect this order;
    nor does the original order of the rows.

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
    of_unit = [] if unit is None else [unit[:, None]]
    key = _key([block for pair in distinct.values() for block in pair] + of_unit)
    order = np.argsort(key, kind="stable")
    times = n if unit is None else np.where(unit > 0, n, 0)
    row = np.repeat(order, times[order])
    variables = {}
    for role in sorted(roles):
        columns, silent = distinct.pop(role)  # So that one variable at a time is there twice.
        variables[role] = Variable(
            ARGUMENTS[role],
            "columns" if counts.is_matrix(role) else "label",
            columns[row],
            silent[row],
            (0, 1) if counts.is_matrix(role) else counts.labels_of(role),
        )
    weight = np.ones(len(row)) if unit is None else unit[row]
    cluster = None if counts.rows.cluster is None else counts.rows.cluster[row]
    return AttackRows(variables, weight, counts.n_rows, cluster=cluster)


def _of_distinct(counts: Counts, role: Role, model: str) -> tuple[Array, Array]:
    """Columns of a variable and of its silence, of the distinct rows."""
    axis, values = counts.axis(role, model), counts.values
    # Categories, which have no type, are 0 and 1.
    columns = values.dense(axis, dtype=getattr(values[axis], "dtype", np.int8))
    if not (role.predicted and counts.abstentions(role, model)):
        return columns, np.zeros((len(columns), 0), dtype=np.int8)
    return columns, values.dense(silence(axis), dtype=np.int8)


def _key(blocks: Sequence[Array]) -> Array:
    """One integer per row that orders rows by their last column, equal ones by the column before.

    Parameters
    ----------
    blocks : sequence of arrays of shape (rows, columns)
    """
    columns = [column for block in blocks for column in block.T]
    codes = (
        column
        if column.dtype.kind == "i"
        else np.unique(column, return_inverse=True)[1].astype(np.int32)
        for column in reversed(columns)
    )
    return lexicographic_key([*codes])


def numbers_of_rows(matrix: Array) -> Array:
    """A number for each row of a matrix, the same for equal rows: 0 for the first row."""
    return pd.factorize(_key([matrix]))[0]


def number_rows(
    inputs: Inputs, needed: Collection[Role], lists: Lists, missing: Missing
) -> AttackRows | None:
    """The rows of arrays, if some that an attack reads hold numbers that cannot be counted.

    Parameters
    ----------
    inputs : Inputs
    needed : collection of Role
        What the attack reads.
    lists : mapping of Role to sequence or None
        Explicit label lists.
    missing : {"error", "drop", "abstain"}

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.
    """
    y_true, y_pred = one_shape([inputs.y_true, inputs.y_pred])
    inputs = inputs._replace(y_true=y_true, y_pred=y_pred)
    roles = {ARGUMENTS[role]: role for role in needed}
    arrays = {name: x for name, x in inputs._asdict().items() if name in roles and x is not None}
    given = {
        roles[name]: read_given(values, name, predicted=roles[name].predicted)
        for name, values in arrays.items()
    }
    if len(given) < len(needed) or all(
        variable.kind != "numbers" or _are_chances(role, given, lists)
        for role, variable in given.items()
    ):
        return None
    columns = {variable.argument: variable.values for variable in given.values()}
    if inputs.sample_weight is not None:
        columns["sample_weight"] = read_weights(inputs.sample_weight)
    if inputs.clusters is not None:
        clusters = Column(inputs.clusters, "clusters")
        columns["clusters"], _ = clusters.chunk(0, len(clusters))
    check_same_length({name: len(column) for name, column in columns.items()})
    warn_of_order((name, getattr(inputs, name)) for name in columns)

    cluster = columns.get("clusters")
    absent = _rows_with_missing(given, missing, cluster)
    weight = columns.get("sample_weight", np.ones(len(absent)))
    read, dropped = ~absent & (weight > 0), int(absent.sum())
    if not read.any():
        raise ValueError("weights must have a positive sum; received only zeros")
    for role, variable in given.items():
        given[role] = variable = variable._replace(values=variable.values[read])
        if variable.kind == "numbers" and np.isinf(variable.values).any():
            raise ValueError(f"{variable.argument} must be finite; received infinite values")
    n_rows = len(absent) - dropped
    if cluster is not None:
        check_clusters(len(np.unique(cluster[~absent])), n_rows)
        cluster = cluster[read]
    return AttackRows(_variables(given, lists), weight[read], n_rows, dropped, cluster)


def _rows_with_missing(
    given: Mapping[Role, Given], missing: Missing, cluster: Array | None
) -> Array:
    """Where a value or the cluster is missing, which only ``"drop"`` allows, of shape (rows,)."""
    missed = {} if cluster is None else {"clusters": cluster < 0}
    missed |= {variable.argument: variable.missing for variable in given.values()}
    predicted = {variable.argument for role, variable in given.items() if role.predicted}
    for argument, rows in missed.items():
        count = int(rows.sum())
        if count and missing != "drop":
            message = missing_message(argument, count, predicted=False)
            if missing == "abstain" and argument in predicted:
                message += "; missing='abstain' is for variables that are all labels"
            raise ValueError(message)
    absent = np.any([*missed.values()], axis=0)
    if absent.all():
        raise ValueError(f"missing='drop' must leave rows; all {len(absent)} have missing ones")
    return absent


def _variables(given: Mapping[Role, Given], lists: Lists) -> dict[Role, Variable]:
    """The variables as an attacker reads them, true ones first."""
    chances = {role for role in given if _are_chances(role, given, lists)}
    labels: dict[Role, tuple[Label, ...]] = {}
    variables = {}
    for role, variable in sorted(given.items(), key=lambda item: item[0].predicted):
        kind, columns, known = variable.kind, variable.values, labels.get(role.truth, ())
        if role in chances:
            kind, columns = "label", np.where(np.array(known) == 1, columns, 1 - columns)
        elif kind == "label":
            codes, values = crossed(variable.values, variable.books)
            seen = ordered(values[code] for code in np.unique(codes).tolist())
            if role.predicted:
                known = known or ordered(values)
            else:
                if role.prediction in chances:
                    seen = (0, 1)
                if role.of_attribute:
                    check_several(seen)
                known = labels[role] = tuple(lists[role] or seen)
            columns = _indicators(role, codes, values, known)
        elif kind == "columns":
            known = (0, 1)
        silent = np.zeros((len(columns), 0))
        variables[role] = Variable(variable.argument, kind, columns, silent, known)
    return variables


def _indicators(
    role: Role, codes: Array, values: Sequence[Label], known: tuple[Label, ...]
) -> Array:
    """One column of 0 and 1 per known label.

    Raises
    ------
    ValueError
        If a label is not known from the truth.
    """
    position = lookup(values, known)[codes]
    if (position < 0).any():
        unknown = ordered(values[code] for code in np.unique(codes[position < 0]).tolist())
        raise ValueError(
            f"{ARGUMENTS[role]} must hold only labels known from {ARGUMENTS[role.truth]} or a "
            f"list; received {listing(unknown)}, known are {listing(known)}"
        )
    return np.eye(len(known))[position]


def _are_chances(role: Role, given: Mapping[Role, Given], lists: Lists) -> bool:
    """Whether a prediction is probabilities of 1, of a truth that is 0 or 1."""
    prediction, truth = given[role], given.get(role.truth)
    if not role.predicted or truth is None or truth.kind != "label" or len(truth.books) != 1:
        return False
    values, listed = prediction.values, lists[role.truth]
    if prediction.kind != "numbers" or values.shape[1] != 1:
        return False
    binary = set(truth.books[0]) <= {0, 1} and (listed is None or set(listed) == {0, 1})
    present = values[~np.isnan(values)]
    return binary and bool(((present >= 0) & (present <= 1)).all())
