"""Columns of indicators, added up by their engine: no rows come back, only sums by group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.inputs.columns import NoRowsError
from biasamp_adapters.inputs.frames import (
    KEY,
    W2,
    WEIGHT_COLUMNS,
    N,
    W,
    as_text,
    backend_of,
    check_columns,
    check_weights,
    coded_keys,
    collected,
    lazy_of,
    one_where,
    weight_columns,
    whole_keys,
)

_VALUE, _SUM = "bam_value_{}_{}", "bam_sum_{}_{}"
_STATE, _BAD, _SPLIT, _ALL = "bam_missing_{}", "bam_bad_{}", "bam_split_{}", "bam_all"

#: Whole numbers so narrow that a sum over the columns of a row may not fit them.
_NARROW = (nw.Int8, nw.Int16, nw.UInt8, nw.UInt16)

#: Columns of which a sum fits the narrowest type.
_FEW_COLUMNS = 100

#: What each kind of sum is a sum of.
_OF = {"n": N, "w": W, "w2": W2}


@dataclass(frozen=True)
class Sums:
    """Cells of rows that agree in their keys, and what these rows add up to.

    Attributes
    ----------
    keys : list of (codes, labels)
        Each of the keys over the cells.
    missing : array of bool, shape (cells, matrices)
        Whether the rows of a cell have no value in a matrix.
    split : array of bool, shape (matrices,)
        Whether a matrix holds numbers strictly between 0 and 1.
    totals : dict of str to array of shape (cells,)
        ``n``: rows; with weights ``w`` and ``w2``, sums of the weights and of their squares.
    sums : dict of str to array of shape (cells, columns)
        The same, of every column of the matrices and every derived one times the weight of a row.
    """

    keys: list[tuple[Array, Sequence[Label]]]
    missing: Array
    split: Array
    totals: dict[str, Array]
    sums: dict[str, Array]


@dataclass(frozen=True)
class BadRow:
    """A row of a matrix that breaks a rule.

    Attributes
    ----------
    matrix : int
    row : frame of one row
    """

    matrix: int
    row: nw.DataFrame[Any]


def summed(
    frame: Any,
    keys: Sequence[str],
    weight: str | None,
    matrices: Sequence[tuple[Sequence[str], bool]],
    derive: Callable[[Sequence[Sequence[nw.Expr]]], Sequence[nw.Expr]],
    max_cells: int,
) -> Sums | BadRow | None:
    """Sums of columns of indicators by ``keys``, computed by the frame's engine.

    Parameters
    ----------
    frame, weight
        As in :func:`grouped`.
    keys : sequence of str
        Columns to group by; without any, all rows are one cell.
    matrices : sequence of (columns, whether numbers between 0 and 1 are allowed)
    derive : callable
        From the columns of the matrices, 0 where missing, to further columns to be summed.
    max_cells : int

    Returns
    -------
    Sums, or a row that is no indicators, or None
        None where columns are not numbers, or there are more cells than ``max_cells``: the engine
        cannot add them up, or that would save nothing.
    """
    lazy = lazy_of(frame)
    schema = lazy.collect_schema()
    every = [name for columns, _ in matrices for name in columns]
    names = [*every, *keys, *([] if weight is None else [weight])]
    check_columns(schema.names(), names, engine=True)
    query = _Query(lazy, keys, weight, matrices, derive, max_cells)
    if all(schema[name].is_integer() or schema[name] == nw.Boolean for name in every):
        found = query.of_whole_numbers()
        if found is not None:
            return found
    if not all(schema[name].is_numeric() or schema[name] == nw.Boolean for name in every):
        return None
    return query.of_any_numbers()


class _Query:
    """The sums that are asked of an engine; the arguments are those of :func:`summed`."""

    def __init__(
        self,
        lazy: nw.LazyFrame[Any],
        keys: Sequence[str],
        weight: str | None,
        matrices: Sequence[tuple[Sequence[str], bool]],
        derive: Callable[[Sequence[Sequence[nw.Expr]]], Sequence[nw.Expr]],
        max_cells: int,
    ) -> None:
        self._lazy, self._schema = lazy, lazy.collect_schema()
        self._matrices, self._derive, self._max_cells = matrices, derive, max_cells
        self._weight, self._kinds = weight, ["n"] if weight is None else ["n", "w", "w2"]
        self._keys = [KEY.format(i) for i in range(len(keys))]
        self._whole = whole_keys(keys, self._schema)
        self._select = [nw.col(key).alias(x) for key, x in zip(keys, self._keys, strict=True)]
        # Without a key, all rows are one cell of a constant.
        self._select += [] if keys else [nw.lit(0).alias(_ALL)]
        self._grouped = self._keys or [_ALL]
        self._totals = [nw.len().alias(N)]
        if weight is not None:
            of_weight, sums_of_weight = weight_columns(weight, self._schema[weight])
            self._select += of_weight
            self._totals += sums_of_weight
        self._values = [
            [_VALUE.format(i, j) for j in range(len(columns))]
            for i, (columns, _) in enumerate(matrices)
        ]
        self._sums: dict[str, list[str]] = {}

    def of_whole_numbers(self) -> Sums | None:
        """The sums of columns that are all 0 or 1 and never missing; None if they are not.

        What is looked at in each column, and not in each row, costs next to nothing.
        """
        select = []
        for (columns, soft), aliases in zip(self._matrices, self._values, strict=True):
            for name, alias in zip(columns, aliases, strict=True):
                column, dtype = nw.col(name), self._schema[name]
                if dtype not in _NARROW:
                    # Products of large numbers must not overflow before they are refused.
                    column = column.cast(nw.Float64)
                elif not soft or len(columns) > _FEW_COLUMNS:
                    # Sums of a row must not wrap around.
                    column = column.cast(nw.Int32)
                select.append(column.alias(alias))
        every = [alias for aliases in self._values for alias in aliases]
        checks = [
            check
            for name in every
            for check in (
                nw.col(name).min().alias(f"{name}_min"),
                nw.col(name).max().alias(f"{name}_max"),
                nw.col(name).count().alias(f"{name}_n"),
            )
        ]
        table = self._collected(select, every, [], checks)
        n = table[N].to_numpy()
        for name in every:
            low, high, there = (table[f"{name}_{kind}"].to_numpy() for kind in ("min", "max", "n"))
            if (there < n).any() or (low < 0).any() or (high > 1).any():
                return None
        return self._found(table, np.zeros((len(table), len(self._matrices)), dtype=bool))

    def of_any_numbers(self) -> Sums | BadRow | None:
        """The sums of columns that may hold fractions, or be missing."""
        select, flags, splits = [], [], []
        states = [_STATE.format(i) for i in range(len(self._matrices))]
        rules = []
        for i, (columns, soft) in enumerate(self._matrices):
            rule = _Rule([_indicator(name, self._schema[name]) for name in columns], soft=soft)
            select += [
                x.alias(alias) for x, alias in zip(rule.filled, self._values[i], strict=True)
            ]
            select += [rule.state.alias(states[i]), rule.bad.alias(_BAD.format(i))]
            flags.append(_BAD.format(i))
            if soft:
                select.append(rule.split.alias(_SPLIT.format(i)))
                splits.append(_SPLIT.format(i))
            rules.append(rule)
        kept = [*states, *flags, *splits]
        table = self._collected(select, kept, states, [nw.col(x).sum() for x in (*flags, *splits)])
        for i, rule in enumerate(rules):
            if table[_BAD.format(i)].sum():
                columns = list(dict.fromkeys(self._matrices[i][0]))
                bad = self._lazy.filter(rule.bad > 0).select(*columns).head(1)
                return BadRow(i, bad.collect(backend_of(bad)))
        return self._found(table, table[states].to_numpy(dtype=bool))

    def _collected(
        self,
        select: Sequence[nw.Expr],
        kept: Sequence[str],
        states: Sequence[str],
        checks: Sequence[nw.Expr],
    ) -> pd.DataFrame:
        """One row for each cell: rows, weights, the sums of all numbers, and what is checked."""
        clean = [[nw.col(alias) for alias in aliases] for aliases in self._values]
        numbers = [*(value for values in clean for value in values), *self._derive(clean)]
        second = []
        for kind in self._kinds:
            names = [_SUM.format(kind, j) for j in range(len(numbers))]
            once = [number * nw.col(_OF[kind]) if kind != "n" else number for number in numbers]
            second += [each.alias(name) for each, name in zip(once, names, strict=True)]
            self._sums[kind] = names
        weight = () if self._weight is None else WEIGHT_COLUMNS
        rows = self._lazy.select(*self._select, *select).select(
            *(nw.col(name) for name in (*self._grouped, *kept, *weight)), *second
        )
        added = [nw.col(name).sum() for names in self._sums.values() for name in names]
        cells = rows.group_by(*self._grouped, *states).agg(*self._totals, *added, *checks)
        cells = cells.head(self._max_cells + 1)
        table = collected(cells)
        if any(
            table[key].dtype.kind == "f" and table[key].abs().max() >= 2**53 for key in self._whole
        ):
            # Beside nulls whole numbers come as floats, which do not hold these. Text does, but
            # engines take a while to write so many columns once more.
            table = collected(as_text(cells, self._whole))
        if not len(table):
            raise NoRowsError("the frame")
        return table

    def _found(self, table: pd.DataFrame, missing: Array) -> Sums | None:
        if self._weight is not None:
            check_weights(self._weight, table)
        if len(table) > self._max_cells:
            return None
        splits = [_SPLIT.format(i) for i in range(len(self._matrices))]
        return Sums(
            coded_keys(table, self._keys, self._whole),
            missing,
            np.array([name in table and bool(table[name].sum()) for name in splits]),
            {kind: table[_OF[kind]].to_numpy(dtype=np.float64) for kind in self._kinds},
            {kind: table[of].to_numpy(dtype=np.float64) for kind, of in self._sums.items()},
        )


def row_sum(columns: Iterable[nw.Expr]) -> nw.Expr:
    """Sum of columns in each row; by halves, as engines do not like deep expressions.

    Narwhals' own sum over columns cannot be compared with a number on dask.
    """
    parts = [*columns]
    while len(parts) > 1:
        halves = zip_longest(parts[::2], parts[1::2])
        parts = [left if right is None else left + right for left, right in halves]
    return parts[0]


class _Rule:
    """What is asked of the columns of a matrix in every row.

    Attributes
    ----------
    filled : list of expressions
        The columns, 0 where missing.
    state : expression
        1 if the row has no value, 0 if it has all.
    bad : expression
        1 for rows that miss some values, or hold one that is no indicator.
    split : expression
        1 for rows with a number strictly between 0 and 1.
    """

    def __init__(self, columns: Sequence[tuple[nw.Expr, nw.Expr]], *, soft: bool) -> None:
        self.filled = [nw.when(absent).then(nw.lit(0.0)).otherwise(x) for x, absent in columns]
        absent = row_sum((one_where(absent) for _, absent in columns))
        outside = row_sum(one_where((x < 0) | (x > 1)) for x in self.filled)
        between = row_sum(one_where((x > 0) & (x < 1)) for x in self.filled)
        wrong = outside if soft else outside + between
        in_part = (absent > 0) & (absent < len(columns))
        self.state = one_where(absent == len(columns))
        self.bad = one_where(in_part | (wrong > 0))
        self.split = one_where(between > 0)


def _indicator(name: str, dtype: nw.dtypes.DType) -> tuple[nw.Expr, nw.Expr]:
    """A column as numbers, and where it is missing."""
    column = nw.col(name)
    absent = column.is_null() | column.is_nan() if dtype.is_float() else column.is_null()
    return one_where(column) if dtype == nw.Boolean else column.cast(nw.Float64), absent
