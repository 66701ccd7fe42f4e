"""Frames grouped by their own engine, which returns the sums of each group and no rows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any, TypeAlias, cast

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.inputs.columns import (
    LARGEST_WEIGHT,
    MISSING,
    Column,
    NoRowsError,
    bad_weights,
)
from biasamp_adapters.inputs.frames import (
    as_frame,
    backend_of,
    check_columns,
    check_every_row_has_a_run,
    collected,
)

#: Expressions to add up on an engine, by the block that their sums belong to.
Expressions: TypeAlias = Mapping[Any, Sequence[nw.Expr]]

# Aliases for the user's columns: a column called "len" would break nw.len(), and some engines
# fold the case of names.
_KEY, _ALL, _BAD_WEIGHT = "bam_key_{}", "bam_all", "bam_bad_weight"
_SUM, _MISSING, _GOOD, _SPLIT = "bam_{}_{}_{}", "bam_missing_{}", "bam_good_{}", "bam_split_{}"

#: The sums over the rows of a group: their number, their weights and the squares of these.
_TOTALS = {"n": "bam_n", "w": "bam_w", "w2": "bam_w2"}
_DTYPES = {"n": np.int64, "w": np.float64, "w2": np.float64}

#: Types whose products Int32 holds, whatever they hold: it is faster than floats. Dask cannot turn
#: a missing truth value into an integer.
_NARROW = (nw.Int8, nw.UInt8, nw.Int16)

#: Engines whose integers wrap around where others raise an error. Rows that are not 0 and 1 are
#: refused afterwards, so these need no copy of the columns as a wider type.
_WRAPS = (nw.Implementation.POLARS,)

#: As many indicators are added up in a row before their sum needs a wider type than theirs.
_FEW = 64


@dataclass(frozen=True)
class Groups:
    """Groups of rows with equal keys, and the sums over their rows.

    Attributes
    ----------
    keys : list of (codes, labels)
        The values of each key in the groups.
    totals : dict of str to array of shape (groups,)
        ``n``: rows; with weights ``w`` and ``w2``, sums of the weights and of their squares.
    missing : dict to array of bool, shape (groups,)
        Whether the rows of a group have no value in a matrix.
    split : set
        The matrices that hold numbers strictly between 0 and 1.
    sums : dict of str to dict to array of shape (groups, columns)
        For each of the totals, the sums of the columns of each matrix and of the derived ones.
    """

    keys: list[tuple[Array, Sequence[Label]]]
    totals: dict[str, Array]
    missing: dict[Any, Array]
    split: set[Any]
    sums: dict[str, dict[Any, Array]]


class NotGroupedError(ValueError):
    """There are more groups than allowed, or the columns to be added up are not numbers."""


class BadRowError(ValueError):
    """A row of a matrix is missing in part, or holds a number that is no indicator.

    Attributes
    ----------
    matrix : hashable
    row : frame of one row
    """

    def __init__(self, matrix: Any, row: nw.DataFrame[Any]) -> None:
        super().__init__("a row of a matrix breaks a rule")
        self.matrix, self.row = matrix, row


@dataclass(frozen=True)
class Matrices:
    """Columns of indicators that an engine adds up.

    Attributes
    ----------
    columns : mapping to sequence of str
        The columns of each matrix.
    soft : collection
        The matrices that may hold numbers between 0 and 1.
    derive : callable
        Returns further columns to add up, given the columns of the matrices (null where missing).
    """

    columns: Mapping[Any, Sequence[str]]
    soft: Collection[Any]
    derive: Callable[[Expressions], Expressions]


def grouped(
    frame: Any,
    keys: Sequence[str],
    weight: str | None,
    max_groups: int | None = None,
    matrices: Matrices = Matrices({}, (), lambda _: {}),
) -> Groups:
    """Distinct combinations of ``keys`` with their sums, computed by the frame's engine.

    Parameters
    ----------
    frame : frame or relation that Narwhals reads
    keys : sequence of str
        Columns to group by; without any, all rows are one group.
    weight : str or None
        Column of the weights.
    max_groups : int, optional
    matrices : Matrices, optional
        Matrices to add up. Rows without a value in a matrix form groups of their own.

    Returns
    -------
    Groups

    Raises
    ------
    NoRowsError
        If the frame has no rows.
    NotGroupedError
        If there are more groups than ``max_groups``, or matrices do not hold numbers.
    BadRowError
        If a row of a matrix breaks a rule.
    ValueError
        If a column is not there, or a weight breaks a rule.
    """
    lazy = as_frame(frame).lazy()
    schema = lazy.collect_schema()
    columns = [*chain.from_iterable(matrices.columns.values())]
    used = [*columns, *keys, *([] if weight is None else [weight])]
    check_columns(schema.names(), used, engine=True)
    if not all(schema[name].is_numeric() or schema[name] == nw.Boolean for name in columns):
        raise NotGroupedError
    wraps = lazy.implementation in _WRAPS
    query = _Query(schema, keys, weight, matrices, wraps=wraps)
    groups = query.groups(lazy)
    groups = groups if max_groups is None else groups.head(max_groups + 1)
    table = query.exact(groups, collected(groups))
    if not len(table):
        raise NoRowsError("the frame")
    # Not all groups are there then, and what breaks a rule would not be counted in full.
    if max_groups is not None and len(table) > max_groups:
        raise NotGroupedError
    query.check(lazy, table)
    return query.read(table)


def rows_by_value(frame: Any, column: str) -> Iterator[tuple[str, Any]]:
    """The rows of each value of a column, in the order of the values.

    Raises
    ------
    ValueError
        If the column is not there, has missing values, or has values of several types.
    """
    table = as_frame(frame)
    groups = grouped(frame, [column], None)
    ((codes, values),) = groups.keys
    check_every_row_has_a_run(column, int(groups.totals["n"][codes == MISSING].sum()))
    try:
        runs = sorted(values)  # type: ignore[type-var]  # values of one column
    except TypeError:
        # Two of them, such as 1 and "1", could have the same name.
        kinds = sorted({type(value).__name__ for value in values})
        raise ValueError(
            f"column {column!r} must hold runs of one type; received {' and '.join(kinds)}"
        ) from None
    for value in runs:
        yield str(value), table.filter(nw.col(column) == value).to_native()


class _Query:
    """The query of an engine; see :func:`grouped` for the arguments."""

    def __init__(
        self,
        schema: Mapping[str, nw.dtypes.DType],
        keys: Sequence[str],
        weight: str | None,
        matrices: Matrices,
        *,
        wraps: bool,
    ) -> None:
        self._keys = {_KEY.format(i): nw.col(key) for i, key in enumerate(keys)}
        self._whole = [_KEY.format(i) for i, key in enumerate(keys) if schema[key].is_integer()]
        self._weight = weight
        self._weights = {} if weight is None else _weight_columns(weight, schema[weight])
        self._kinds = ["n"] if weight is None else [*_TOTALS]
        self._blocks = {
            matrix: _Block(i, names, schema, soft=matrix in matrices.soft, wraps=wraps)
            for i, (matrix, names) in enumerate(matrices.columns.items())
        }
        read = {matrix: [*map(nw.col, block.values)] for matrix, block in self._blocks.items()}
        added = {**read, **matrices.derive(read)}
        self._products = {
            kind: {
                block: {
                    _SUM.format(kind, i, j): x if kind == "n" else x * nw.col(_TOTALS[kind])
                    for j, x in enumerate(expressions)
                }
                for i, (block, expressions) in enumerate(added.items())
            }
            for kind in self._kinds
        }

    def groups(self, lazy: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """One row per group: its keys, totals and sums, and the numbers that checks need."""
        # Without keys, all rows form one group, by a constant.
        by = self._keys or {_ALL: nw.lit(0)}
        blocks = self._blocks.values()
        values = {name: x for block in blocks for name, x in block.values.items()}
        marks = {name: x for block in blocks for name, x in block.marks.items()}
        products = {
            name: x
            for of_kind in self._products.values()
            for of_block in of_kind.values()
            for name, x in of_block.items()
            if name not in values  # These have the names of their sums.
        }
        missing = [block.missing for block in blocks]
        added = *self._weights, *marks, *values, *products
        rows = lazy.select(**by, **self._weights, **values)
        rows = rows.with_columns(**marks, **products) if values else rows
        return rows.group_by(*by, *missing).agg(
            nw.len().alias(_TOTALS["n"]),
            *(nw.col(name).sum() for name in added if name not in missing),
        )

    def exact(self, groups: nw.LazyFrame[Any], table: pd.DataFrame) -> pd.DataFrame:
        """The table with exact integer keys, which arrive as floats if nulls are among them.

        Integers too large for floats are fetched again as text, and only then, as this is slow.
        """
        rounded = [
            name
            for name in self._whole
            if table[name].dtype.kind == "f" and table[name].abs().max() >= 2**53
        ]
        if not rounded:
            return table
        return collected(groups.with_columns(nw.col(*rounded).cast(nw.String)))

    def check(self, lazy: nw.LazyFrame[Any], table: pd.DataFrame) -> None:
        """Raise where weights or indicators break a rule."""
        if self._weight is not None and (n_bad := int(table[_BAD_WEIGHT].sum())):
            bad = lazy.select(**self._weights).filter(nw.col(_BAD_WEIGHT) == 1)
            first = collected(bad.select(_TOTALS["w"]).head(1))
            value = float(first.to_numpy(dtype=np.float64, na_value=np.nan)[0, 0])
            raise ValueError(bad_weights(f"column {self._weight!r}", value, n_bad))
        for matrix, block in self._blocks.items():
            if block.is_broken(table):
                broken = lazy.filter(block.broken).select(*dict.fromkeys(block.names)).head(1)
                raise BadRowError(matrix, broken.collect(backend_of(broken)))

    def read(self, table: pd.DataFrame) -> Groups:
        """The groups of a fetched table."""
        keys = []
        for name in self._keys:
            codes, labels = Column(table[name], name).chunk(0, len(table))
            keys.append(
                (
                    codes,
                    [int(x) for x in cast("list[int]", labels)] if name in self._whole else labels,
                )
            )
        return Groups(
            keys,
            {kind: table[_TOTALS[kind]].to_numpy(_DTYPES[kind]) for kind in self._kinds},
            {matrix: table[x.missing].to_numpy(dtype=bool) for matrix, x in self._blocks.items()},
            {matrix for matrix, block in self._blocks.items() if block.is_split(table)},
            # Engines return null for a sum without values.
            {
                kind: {
                    block: table[[*names]].to_numpy(dtype=np.float64, na_value=0)
                    for block, names in of_kind.items()
                }
                for kind, of_kind in self._products.items()
            },
        )


class _Block:
    """The expressions for the columns of a matrix.

    Attributes
    ----------
    names : sequence of str
    values : dict of str to expression
        The columns as numbers, null or NaN where missing, under the names of their sums.
    missing : str
        Name of the mark that is 1 where the first column has no value.
    marks : dict of str to expression
        Numbers that are 1 where a row has a property, computed from ``values``.
    """

    def __init__(
        self,
        number: int,
        names: Sequence[str],
        schema: Mapping[str, nw.dtypes.DType],
        *,
        soft: bool,
        wraps: bool,
    ) -> None:
        columns = [_indicator(name, schema[name], wraps=wraps) for name in names]
        self.names, self._soft = names, soft
        self._columns, self._dtypes = columns, [schema[name] for name in names]
        self.values = {_SUM.format("n", number, j): column for j, column in enumerate(columns)}
        self.missing, self._good, self._split = (
            mark.format(number) for mark in (_MISSING, _GOOD, _SPLIT)
        )
        values = [*map(nw.col, self.values)]
        self.marks = {
            self.missing: one_where(_is_absent(values[0], self._dtypes[0])),
            self._good: _is_good(values, self._dtypes),
        }
        if not all(dtype.is_integer() or dtype == nw.Boolean for dtype in self._dtypes):
            self.marks[self._split] = row_sum(map(_between, values))

    @property
    def broken(self) -> nw.Expr:
        """Whether a row breaks a rule, from the columns themselves."""
        bad = _is_good(self._columns, self._dtypes) == 0
        return bad if self._soft else bad | (row_sum(map(_between, self._columns)) > 0)

    def is_split(self, table: pd.DataFrame) -> bool:
        """Whether rows hold numbers strictly between 0 and 1."""
        return self._split in table and bool(table[self._split].sum())

    def is_broken(self, table: pd.DataFrame) -> bool:
        """Whether rows are missing in part, or hold numbers that are no indicators."""
        good = (table[self._good] == table[_TOTALS["n"]]).all()
        return not good or (self.is_split(table) and not self._soft)


def _indicator(name: str, dtype: nw.dtypes.DType, *, wraps: bool) -> nw.Expr:
    """A column as numbers that can be added and multiplied."""
    column = nw.col(name)
    if wraps and dtype.is_integer():
        return column
    # Products of large numbers must not overflow before they are refused.
    return column.cast(nw.Int32 if dtype in _NARROW else nw.Float64)


def _is_good(columns: Sequence[nw.Expr], dtypes: Sequence[nw.dtypes.DType]) -> nw.Expr:
    """1 where a row is missing as a whole, or has all its values and these lie in [0, 1].

    One number for each row: the extremes of each column would make a query three times as wide.
    """
    absent = [_is_absent(name, dtype) for name, dtype in zip(columns, dtypes, strict=True)]
    complete = _row_all((column >= 0) & (column <= 1) for column in columns)
    return nw.when(absent[0]).then(one_where(_row_all(absent))).otherwise(one_where(complete))


def _is_absent(column: nw.Expr, dtype: nw.dtypes.DType) -> nw.Expr:
    return column.is_null() | column.is_nan() if dtype.is_float() else column.is_null()


def _between(column: nw.Expr) -> nw.Expr:
    return one_where((column > 0) & (column < 1))


def one_where(condition: nw.Expr) -> nw.Expr:
    """1 where a condition holds, else 0: some engines cannot add up truth values."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def row_sum(columns: Iterable[nw.Expr]) -> nw.Expr:
    """Sum of columns of indicators in each row.

    Narwhals' own sum over columns cannot be compared with a number on dask.
    """
    parts = [*columns]
    if len(parts) <= _FEW:
        return _by_halves(parts, operator.add)
    sums = [_by_halves(parts[i : i + _FEW], operator.add) for i in range(0, len(parts), _FEW)]
    return _by_halves([part.cast(nw.Float64) for part in sums], operator.add)


def _row_all(columns: Iterable[nw.Expr]) -> nw.Expr:
    """Whether all columns of truth values are true in a row."""
    return _by_halves([*columns], operator.and_)


def _by_halves(
    columns: Sequence[nw.Expr], combine: Callable[[nw.Expr, nw.Expr], nw.Expr]
) -> nw.Expr:
    """Columns combined by halves: engines cannot handle deep expressions."""
    parts = [*columns]
    while len(parts) > 1:
        halves = zip_longest(parts[::2], parts[1::2])
        parts = [left if right is None else combine(left, right) for left, right in halves]
    return parts[0]


def _weight_columns(name: str, dtype: nw.dtypes.DType) -> dict[str, nw.Expr]:
    """A weight, its square, and whether it breaks a rule."""
    if not dtype.is_numeric():
        raise ValueError(f"column {name!r} must hold numbers to be a weight; received {dtype}")
    w = nw.col(name).cast(nw.Float64)
    # In engines NaN is the largest number.
    good = (w >= 0) & (w <= LARGEST_WEIGHT)
    return {
        _TOTALS["w"]: w,
        # Weights that are too large to be squared are refused afterwards.
        _TOTALS["w2"]: nw.when(good).then(w * w).otherwise(nw.lit(0.0)),
        _BAD_WEIGHT: nw.when(good).then(nw.lit(0)).otherwise(nw.lit(1)),
    }
