"""Variables of the rows: one label in each row, or one column of indicators for each label.

Both kinds have the same methods. A missing value is one more code, or one more column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from math import prod
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd
from scipy import sparse

from biasamp_adapters.counting.labels import Array, Key, Label, are_same, show_set


class OverlappingGroups:
    """A matrix whose columns are groups to which a row may belong at once.

    Parameters
    ----------
    values : array, frame or sparse matrix of shape (rows, groups)
        0 and 1; probabilities are allowed for predicted groups.
    names : sequence of labels, optional
        Names of the groups; by default those of the columns.
    """

    def __init__(self, values: Any, names: Sequence[Label] | None = None) -> None:
        self.values = values
        self.names = None if names is None else tuple(names)


class _Labelled:
    """What both kinds share: labels, of which a row may have none."""

    labels: tuple[Label, ...]
    missing: Any

    @cached_property
    def has_missing(self) -> bool:
        """Whether a row has no label."""
        return bool(self.missing.any())

    @property
    def width(self) -> int:
        """The number of labels, and one if there are missing values."""
        return len(self.labels) + self.has_missing


@dataclass(frozen=True, eq=False)
class Codes(_Labelled):
    """One label in each row.

    Attributes
    ----------
    labels : tuple
    codes : ndarray of int, shape (rows,)
        The position of each row's label; the number of labels if it is missing.
    """

    labels: tuple[Label, ...]
    codes: Array

    is_matrix: ClassVar[bool] = False
    is_soft: ClassVar[bool] = False

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> Array:
        """Rows without a label."""
        return self.codes == len(self.labels)

    @cached_property
    def seen(self) -> list[Label]:
        """Labels that occur."""
        n = np.bincount(self.codes, minlength=len(self.labels))
        return list(compress(self.labels, n.tolist()))

    @cached_property
    def sparse(self) -> sparse.csr_array:
        """Indicators of the labels, and of missing values if there are any, (rows, width)."""
        entries = np.ones(len(self)), self.codes.astype(np.int64), np.arange(len(self) + 1)
        return sparse.csr_array(entries, (len(self), self.width))

    @property
    def values(self) -> Array:
        """Indicators of the labels, (rows, labels)."""
        return (self.codes[:, None] == np.arange(len(self.labels))).astype(np.uint8)

    def take(self, rows: Array | slice) -> Codes:
        """Return the variable of some of the rows."""
        return replace(self, codes=self.codes[rows])

    def with_labels(self, labels: Sequence[Label]) -> Codes:
        """Return the variable on another list of labels; those that it lacks become missing."""
        if are_same(tuple(labels), self.labels):
            return self
        return Codes(tuple(labels), recode(self.codes, self.labels, labels))

    def keys(self) -> Array:
        """Return a number for each row, equal for equal rows."""
        return self.codes


@dataclass(frozen=True, eq=False)
class Block(_Labelled):
    """A column of indicators, or of probabilities, for each label.

    Attributes
    ----------
    labels : tuple
    values : ndarray or csr_array of shape (rows, labels)
        Bytes of 0 and 1, or floats.
    missing : ndarray of bool, shape (rows,)
        Rows without a value, which are 0 in all columns.
    is_matrix : bool
        Whether each column is a variable of its own, and not one of several classes.
    """

    labels: tuple[Label, ...]
    values: Any
    missing: Array
    is_matrix: bool

    def __len__(self) -> int:
        return self.values.shape[0]

    @property
    def seen(self) -> list[Label]:
        """All columns, whether they hold a 1 or not."""
        return list(self.labels)

    @cached_property
    def is_soft(self) -> bool:
        """Whether there are probabilities, as in any block that is no matrix."""
        entries = self.values.data if sparse.issparse(self.values) else self.values
        is_whole = entries.dtype.kind != "f" or not ((entries != 1) & (entries != 0)).any()
        return not (self.is_matrix and is_whole)

    @cached_property
    def sparse(self) -> sparse.csr_array:
        """Indicators of the labels, and of missing values if there are any, (rows, width)."""
        values = sparse.csr_array(self.values, dtype=np.float64)
        if not self.has_missing:
            return values
        return sparse.hstack([values, sparse.csr_array(self.missing[:, None])], "csr")

    def dense(self, rows: slice, dtype: type) -> Array:
        """Return indicators of some rows, and of missing values if there are any."""
        values = self.values[rows].astype(dtype)
        if not self.has_missing:
            return values
        return np.column_stack([values, self.missing[rows].astype(dtype)])

    def take(self, rows: Array | slice) -> Block:
        """Return the variable of some of the rows."""
        return replace(self, values=self.values[rows], missing=self.missing[rows])

    def with_labels(self, labels: Sequence[Label]) -> Block:
        """Return the variable on another list of labels, which holds all its own."""
        if tuple(labels) == self.labels:
            return self
        position = {label: i for i, label in enumerate(labels)}
        identity = sparse.eye_array(len(labels), dtype=self.values.dtype, format="csr")
        moves = identity[[position[label] for label in self.labels]]
        return replace(self, labels=tuple(labels), values=self.values @ moves)

    def keys(self) -> Array:
        """Return a number for each row; rows that differ have the same once in 2^100 times."""
        projection = np.random.default_rng(7).random((len(self.labels) + 1, 2))
        keys = np.empty((len(self), 2))
        for rows in chunks(len(self), 2**12):
            keys[rows] = self.values[rows] @ projection[:-1]
        keys += self.missing[:, None] * projection[-1]
        return keys.view(np.complex128)[:, 0]


Variable: TypeAlias = Codes | Block
Variables: TypeAlias = dict[Key, Variable]


def factorize(values: Any, argument: str, remedy: str = "", size_hint: int | None = None) -> Any:
    """Return codes and distinct labels of a column as pandas does; raise for lists or records."""
    try:
        return pd.factorize(values, size_hint=size_hint)
    except (TypeError, NotImplementedError):  # They have no hash.
        rule = f"{argument} must hold labels such as text, numbers or dates"
        raise ValueError(f"{rule}; received a list or record{remedy}.") from None


def recode(codes: Array, labels: Sequence[Label], others: Sequence[Label]) -> Array:
    """Return codes on another list of labels; what the list lacks is missing, and so is -1."""
    position = {label: i for i, label in enumerate(others)}
    positions = [position.get(label, len(others)) for label in labels]
    return np.array([*positions, len(others)], dtype=np.min_scalar_type(len(others)))[codes]


def append(first: Variable, second: Variable) -> Variable:
    """Return the rows of both; their labels are the same, unless they are scores."""
    if isinstance(first, Codes) and isinstance(second, Codes):
        if first.labels != second.labels:
            labels = np.union1d(*map(np.array, (first.labels, second.labels))).tolist()
            first, second = first.with_labels(labels), second.with_labels(labels)
        return replace(first, codes=np.concatenate([first.codes, second.codes]))
    values = [first.values, second.values]
    is_sparse = any(map(sparse.issparse, values))
    missing = np.concatenate([first.missing, second.missing])
    stacked = sparse.vstack(values, "csr") if is_sparse else np.concatenate(values)
    return Block(first.labels, stacked, missing, first.is_matrix)


def indicator(holds: Array) -> Codes:
    """Return the same label in the rows where something holds, and a missing value elsewhere."""
    return Codes((True,), (~holds).astype(np.uint8))


def right_labels(truth: Variable, prediction: Variable) -> Variable:
    """Return the true labels that are predicted right; they are missing elsewhere."""
    if isinstance(truth, Codes) and isinstance(prediction, Codes):
        codes = np.where(truth.codes == prediction.codes, truth.codes, len(truth.labels))
        return replace(truth, codes=codes.astype(truth.codes.dtype))
    both: Any = truth.values * prediction.values
    if sparse.issparse(both):
        both = both.tocsr()
    return Block(truth.labels, both, np.zeros(len(truth), dtype=bool), prediction.is_matrix)


def label_sets(variable: Variable, sets: Sequence[tuple[int, ...]]) -> Block:
    """Return indicators of label sets, each of which holds where all its labels do."""
    cell, first = cells_of([variable.keys()])
    has_label = variable.take(first).sparse[:, : len(variable.labels)].toarray() != 0
    members = np.zeros((len(sets), has_label.shape[1]), dtype=bool)
    for i, positions in enumerate(sets):
        members[i, list(positions)] = True
    row, column = _find_sets(has_label, members)
    held = sparse.csr_array((np.ones(len(row)), (row, column)), (len(first), len(sets)))
    names = tuple(show_set([variable.labels[i] for i in positions]) for positions in sets)
    return Block(names, held[cell], variable.missing, is_matrix=True)


def _find_sets(has_label: Array, members: Array) -> tuple[Array, Array]:
    """Return each pair of a row and a set of labels that it contains.

    A set is looked for only in the rows that have the two rarest of its labels.
    """
    labels, asked = _pack(has_label), _pack(members)
    n_rows, has_rows = has_label.sum(axis=0), has_label.T.copy()
    rarity = np.where(members, n_rows, len(labels) + 1)
    rarest = rarity.argmin(axis=1)
    np.put_along_axis(rarity, rarest[:, None], len(labels), axis=1)
    next_rarest = rarity.argmin(axis=1)  # Of a single label, it itself.
    pair_of_set = rarest * len(n_rows) + next_rarest
    pairs = [np.empty((2, 0), dtype=np.int64)]
    for pair in np.unique(pair_of_set):
        rows = np.flatnonzero(has_rows[pair // len(n_rows)] & has_rows[pair % len(n_rows)])
        sets = np.flatnonzero(pair_of_set == pair)
        for part in chunks(len(rows), max(2**22 // len(sets), 1)):
            holds = np.ones((len(rows[part]), len(sets)), dtype=bool)
            for of_rows, of_sets in zip(labels[rows[part]].T, asked[sets].T, strict=True):
                holds &= (of_rows[:, None] & of_sets) == of_sets
            row, column = holds.nonzero()
            pairs.append(np.array([rows[part][row], sets[column]]))
    row, column = np.concatenate(pairs, axis=1)
    return row, column


def _pack(holds: Array) -> Array:
    """Return each row of a Boolean matrix as words of 64 bits."""
    padded = np.pad(holds, ((0, 0), (0, -holds.shape[1] % 64)))
    return np.packbits(padded, axis=1).view(np.uint64)


# Cells: rows that are alike, found by numbers.


def chunks(n_rows: int, step: int = 2**15) -> Iterator[slice]:
    """Yield slices of so many rows that temporary arrays stay small."""
    for start in range(0, n_rows, step):
        yield slice(start, start + step)


def first_rows(cell: Array) -> Array:
    """Return the first row of each cell."""
    first = np.empty(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    first[cell[::-1]] = np.arange(len(cell))[::-1]
    return first


def cells_of(keys: Sequence[Array]) -> tuple[Array, Array]:
    """Return the cell of each row, and the first row of each cell, in the order of the keys."""
    cell, size = np.zeros(len(keys[0]), dtype=np.int64), 1
    for key in keys:
        if key.dtype.kind not in "ui":
            key = pd.factorize(key)[0]
        width = int(key.max(initial=0)) + 1
        if size * width > 2**62:
            cell = pd.factorize(cell)[0].astype(np.int64)
            size = len(cell)
        cell *= width
        cell += key
        size *= width
    cell = pd.factorize(cell, sort=True)[0]
    return cell, first_rows(cell)


def count_cells(codes: Sequence[Array], sizes: Sequence[int], n: Array) -> Array:
    """Return the number of rows with each combination of codes, flat."""
    size = prod(sizes)
    total = np.zeros(size)
    for rows in chunks(len(n), max(2**16, 4 * size)):
        cell = codes[0][rows].astype(np.int64)
        for code, width in zip(codes[1:], sizes[1:], strict=True):
            cell *= width
            cell += code[rows]
        total += np.bincount(cell, n[rows], size)
    return total
