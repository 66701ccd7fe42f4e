"""Distinct rows of the data with their multiplicities: what tables are sums over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.labels import lookup
from biasamp_adapters.counts.variables import Axis, Schema

#: Rows are 64-bit integers.
MOST_ROWS = 2**63

#: With fewer entries than this share, a sparse matrix is smaller and faster than a dense one.
_SPARSE = 0.2

#: Numbers that one block of dense rows may hold.
_BLOCK = 2**21


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of all variables, and how many rows of the data equal each.

    Attributes
    ----------
    codes : dict of Axis to ndarray of int32, shape (rows,)
        Variables with one label per row. A code is a position in the label list; the code after
        the last label is an abstention; higher codes are probabilities.
    n : ndarray of int64, shape (rows,)
        Rows of the data.
    w, w2 : ndarray of float64, shape (rows,), or None
        Sum of their weights and of the squares of these; None without weights.
    unit : ndarray of float64, shape (rows,), or None
        Weight of each of these rows, if rows of different weights are kept apart.
    indicators : dict of Axis to ndarray or scipy.sparse.csr_array, shape (rows, labels)
        Variables with one column per label: 0 and 1 as int8, or probabilities as float64.
    silent : dict of Axis to ndarray of bool, shape (rows,)
        Rows for which a model predicted no indicators.
    part : ndarray of int, shape (rows,), or None
        A number that keeps apart rows that agree in all variables.
    cluster : ndarray of int, shape (rows,), or None
        The number of the cluster of each row: its rows are drawn together.
    origin : ndarray of int, shape (rows,), or None
        Positions in the rows from which tables are drawn, if these rows are a subset of them.
    """

    codes: Mapping[Axis, Array]
    n: Array
    w: Array | None = None
    w2: Array | None = None
    unit: Array | None = None
    indicators: Mapping[Axis, Any] = field(default_factory=dict)
    silent: Mapping[Axis, Array] = field(default_factory=dict)
    part: Array | None = None
    cluster: Array | None = None
    origin: Array | None = None

    def __len__(self) -> int:
        return len(self.n)

    @property
    def weight(self) -> Array:
        """What each row adds to a table: its weights or, without any, the number of rows."""
        return self.n if self.w is None else self.w

    @property
    def soft(self) -> bool:
        """Whether indicators hold probabilities."""
        return any(matrix.dtype.kind == "f" for matrix in self.indicators.values())

    def sums(self) -> dict[str, Array]:
        """The sums over rows that are not None, by name."""
        by_name = {"n": self.n, "w": self.w, "w2": self.w2, "unit": self.unit}
        return {name: values for name, values in by_name.items() if values is not None}

    def taken(self, where: Any) -> Rows:
        """Some of the rows."""
        return Rows(**{f.name: _entries(getattr(self, f.name), where) for f in fields(self)})

    def of_axes(self, axes: Sequence[Axis]) -> Rows:
        """The same rows with some of the variables."""
        return replace(
            self,
            codes={axis: values for axis, values in self.codes.items() if axis in axes},
            indicators={axis: values for axis, values in self.indicators.items() if axis in axes},
            silent={axis: values for axis, values in self.silent.items() if axis in axes},
        )

    def unweighted(self) -> Rows:
        """The same rows, each counted once."""
        return replace(self, w=None, w2=None, unit=None)

    def relabelled(self, before: Schema, after: Schema, n_levels: int) -> Rows:
        """The rows with other label lists, which contain every label that occurs.

        Parameters
        ----------
        before, after : Schema
            What has the lists.
        n_levels : int
            Probabilities that codes stand for.
        """
        codes, indicators = dict(self.codes), dict(self.indicators)
        for axis in after.axes:
            old, new = before.labels_of(axis.role), after.labels_of(axis.role)
            if axis in codes:
                # After the labels come the abstention and the probabilities, in the same order.
                beyond = len(new) + np.arange(1 + n_levels, dtype=np.int32)
                codes[axis] = np.concatenate([lookup(old, new), beyond])[codes[axis]]
            else:
                indicators[axis] = _moved_columns(indicators[axis], lookup(new, old))
        return replace(self, codes=codes, indicators=indicators)

    def merged(self) -> Rows:
        """The rows in lexicographic order, with equal rows added up.

        Rows with probabilities among their indicators are hardly ever equal and stay as they are;
        so do rows that are a subset of those from which tables are drawn.
        """
        if self.soft or self.origin is not None or not len(self):
            return self
        key = lexicographic_key(self.keys())
        if self.unit is None and (key[1:] > key[:-1]).all():
            return self  # In order, and each of them once.
        order, starts = _runs_of(key)
        sums = {name: np.add.reduceat(x[order], starts) for name, x in self.sums().items()}
        if self.unit is not None:
            unit = sums["unit"] = self.unit[order[starts]]
            # This is exact, whereas adding up row after row rounds.
            sums |= {"w": sums["n"] * unit, "w2": sums["n"] * unit**2}
        return replace(self.taken(order[starts]), **sums)  # type: ignore[arg-type]  # fields

    def keys(self) -> list[Array]:
        """Integer columns in which two rows differ if they are to be kept apart."""
        keys = [*self.codes.values()]
        for axis, matrix in self.indicators.items():
            keys += _keys(matrix)
            keys += [self.silent[axis]] if axis in self.silent else []
        keys += [number for number in (self.part, self.cluster) if number is not None]
        if self.unit is not None:
            keys.append(np.unique(self.unit, return_inverse=True)[1])
        return keys

    def __add__(self, other: Rows) -> Rows:
        """The rows of both; clusters with the same number are the same."""
        n_rows = int(self.n.sum()) + int(other.n.sum())
        if n_rows >= MOST_ROWS:
            raise ValueError(f"counts must hold fewer than 2**63 rows; received {n_rows}")
        return concatenated([self, other]).merged()

    def _weighted(self) -> Rows:
        if self.w is not None:
            return self
        ones = self.n.astype(np.float64)
        return replace(self, w=ones, w2=ones, unit=np.ones(len(self.n)))


def concatenated(parts: Sequence[Rows]) -> Rows:
    """Rows one after the other; beside weighted rows, unweighted ones weigh 1."""
    if any(part.w is not None for part in parts):
        parts = [part._weighted() for part in parts]
    if any(part.unit is None for part in parts):
        parts = [replace(part, unit=None) for part in parts]
    first = parts[0]
    sums = [part.sums() for part in parts]
    numbers = {
        name: [getattr(part, name) for part in parts if getattr(part, name) is not None]
        for name in ("part", "cluster")
    }
    return Rows(
        {axis: np.concatenate([part.codes[axis] for part in parts]) for axis in first.codes},
        indicators={
            axis: _stacked([part.indicators[axis] for part in parts]) for axis in first.indicators
        },
        silent={
            axis: np.concatenate([part.silent[axis] for part in parts]) for axis in first.silent
        },
        **{
            name: np.concatenate(values)
            for name, values in numbers.items()
            if len(values) == len(parts)
        },
        **{name: np.concatenate([by_name[name] for by_name in sums]) for name in sums[0]},
    )


def lexicographic_key(columns: Sequence[Array]) -> Array:
    """One 64-bit integer per row that orders rows as their codes do, column by column.

    Parameters
    ----------
    columns : sequence of integer arrays of shape (rows,)
        Codes of at least -1.
    """
    key, n_keys = np.zeros(len(columns[0]), dtype=np.int64), 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 2
        if n_keys * size >= 2**62:
            key, n_keys = np.unique(key, return_inverse=True)[1], len(key)
        key = key * size + codes + 1
        n_keys *= size
    return key


def runs(columns: Sequence[Array]) -> tuple[Array, Array]:
    """The lexicographic order of rows, and where in it each distinct combination starts."""
    return _runs_of(lexicographic_key(columns))


def _runs_of(key: Array) -> tuple[Array, Array]:
    order = np.argsort(key, kind="stable")
    key = key[order]
    return order, np.flatnonzero(np.r_[True, key[1:] != key[:-1]])


def distinct(labels: Any) -> tuple[Array, Array]:
    """The distinct rows of one variable: where each is first, and which of them each row is.

    Parameters
    ----------
    labels : array of int, shape (rows,), or matrix of 0 and 1, shape (rows, labels)
    """
    keys = [labels] if labels.ndim == 1 else _keys(labels)
    _, first, which = np.unique(lexicographic_key(keys), return_index=True, return_inverse=True)
    return first, which


def _entries(values: Any, where: Any) -> Any:
    """Some entries of an array, or of each in a mapping; None of None."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        return {axis: of_axis[where] for axis, of_axis in values.items()}
    return values[where]


def blocks_of(n_rows: int, width: int) -> Iterator[slice]:
    """Slices that cover ``n_rows`` rows of ``width`` numbers, in blocks of bounded memory."""
    step = max(1, _BLOCK // max(width, 1))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def dense(matrix: Any) -> Array:
    """A dense or sparse matrix as an array."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


def compact(block: Array) -> Any:
    """A block of rows in the smallest form that loses nothing."""
    from scipy.sparse import csr_array

    whole = block.astype(np.int8)
    smallest = whole if (whole == block).all() else block.astype(np.float64)
    sparse = np.count_nonzero(block) < _SPARSE * block.size
    return csr_array(smallest) if sparse else smallest


def _stacked(blocks: Sequence[Any]) -> Any:
    """Blocks of rows below one another, dense or sparse as befits all of them."""
    from scipy.sparse import csr_array, issparse, vstack

    soft = any(block.dtype.kind == "f" for block in blocks)
    blocks = [block.astype(np.float64) if soft else block for block in blocks]
    if all(issparse(block) for block in blocks):
        return csr_array(vstack(blocks, format="csr"))
    return np.concatenate([dense(block) for block in blocks])


def packed(matrix: Any) -> Array:
    """Rows of 0 and 1 as 64-bit words, 64 columns each."""
    words = []
    for rows in blocks_of(matrix.shape[0], matrix.shape[1]):
        bits = np.packbits(dense(matrix[rows]).astype(bool), axis=1)
        padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
        padded[:, : bits.shape[1]] = bits
        words.append(padded.view(np.uint64))
    return np.concatenate(words) if words else np.zeros((0, 1), dtype=np.uint64)


def _keys(matrix: Any) -> list[Array]:
    """Integer columns in which two rows of 0 and 1 differ if they do."""
    return [pd.factorize(word, sort=True)[0] for word in packed(matrix).T]


def _moved_columns(matrix: Any, origin: Array) -> Any:
    """A matrix with columns from other positions; -1 gives a column of zeros."""
    from scipy.sparse import csr_array

    present = np.flatnonzero(origin >= 0)
    if isinstance(matrix, np.ndarray):
        out = np.zeros((matrix.shape[0], len(origin)), dtype=matrix.dtype)
        out[:, present] = matrix[:, origin[present]]
        return out
    choice = csr_array(
        (np.ones(len(present), dtype=matrix.dtype), (origin[present], present)),
        shape=(matrix.shape[1], len(origin)),
    )
    return csr_array(matrix @ choice)
