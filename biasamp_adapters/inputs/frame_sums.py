"""Columns of indicators, added up by their engine: no rows come back, only sums by group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

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
_STATE, _BAD, _SPLIT = "bam_missing_{}", "bam_bad_{}", "bam_split_{}"

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
    check_columns(schema.names(), [*every, *keys, *([] if weight is None else [weight])])
    if not all(schema[name].is_numeric() or schema[name] == nw.Boolean for name in every):
        return None
    key_names = [KEY.format(i) for i in range(len(keys))]
    states = [_STATE.format(i) for i in range(len(matrices))]
    select = [nw.col(key).alias(name) for key, name in zip(keys, key_names, strict=True)]
    rules, clean = [], []
    for i, (columns, soft) in enumerate(matrices):
        rule = _Rule([_indicator(name, schema[name]) for name in columns], soft=soft)
        values = [nw.col(_VALUE.format(i, j)) for j in range(len(columns))]
        select += [column.alias(_VALUE.format(i, j)) for j, column in enumerate(rule.filled)] + [
            rule.state.alias(states[i]),
            rule.bad.alias(_BAD.format(i)),
        ]
        select += [rule.split.alias(_SPLIT.format(i))] if soft else []
        rules.append(rule)
        clean.append(values)
    totals = [nw.len().alias(N)]
    if weight is not None:
        of_weight, sums_of_weight = weight_columns(weight, schema[weight])
        select += of_weight
        totals += sums_of_weight
    numbers = [*(value for values in clean for value in values), *derive(clean)]
    names: dict[str, list[str]] = {}
    second = []
    for kind in ["n"] if weight is None else ["n", "w", "w2"]:
        names[kind] = [_SUM.format(kind, j) for j in range(len(numbers))]
        once = [number * nw.col(_OF[kind]) if kind != "n" else number for number in numbers]
        second += [each.alias(name) for each, name in zip(once, names[kind], strict=True)]
    flags = [_BAD.format(i) for i in range(len(matrices))]
    flags += [_SPLIT.format(i) for i, (_, soft) in enumerate(matrices) if soft]
    kept = [*key_names, *states, *flags]
    kept += [] if weight is None else list(WEIGHT_COLUMNS)
    rows = lazy.select(*select).select(*(nw.col(name) for name in kept), *second)
    added = [nw.col(name).sum() for name in [*flags, *(x for each in names.values() for x in each)]]
    whole = whole_keys(keys, schema)
    cells = as_text(rows.group_by(*key_names, *states).agg(*totals, *added), whole)
    table = collected(cells.head(max_cells + 1))
    if not len(table):
        raise NoRowsError("the frame")
    for i, rule in enumerate(rules):
        if table[_BAD.format(i)].sum():
            bad = lazy.filter(rule.bad > 0).select(*dict.fromkeys(matrices[i][0])).head(1)
            return BadRow(i, bad.collect(backend_of(bad)))
    if weight is not None:
        check_weights(weight, table)
    if len(table) > max_cells:
        return None
    split = [soft and bool(table[_SPLIT.format(i)].sum()) for i, (_, soft) in enumerate(matrices)]
    return Sums(
        coded_keys(table, key_names, whole),
        table[states].to_numpy(dtype=bool),
        np.array(split),
        {kind: table[_OF[kind]].to_numpy(dtype=np.float64) for kind in names},
        {kind: table[of].to_numpy(dtype=np.float64) for kind, of in names.items()},
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
