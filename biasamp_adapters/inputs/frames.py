"""Frames of any engine, grouped where they live: only the count table comes back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.inputs.columns import LARGEST_WEIGHT, Column, NoRowsError, bad_weights

# Aliases for the user's columns: a column called "len" would break nw.len(), and some engines
# fold the case of names.
KEY, N, W, W2, _WEIGHT = "bam_key_{}", "bam_n", "bam_w", "bam_w2", "bam_weight"
_NEGATIVE, _NAN, _LARGE = "bam_negative", "bam_nan", "bam_large"
_LEAST, _MOST = "bam_least", "bam_most"

#: What a weight comes down to in each row.
WEIGHT_COLUMNS = (W, W2, _NEGATIVE, _NAN, _LARGE, _LEAST, _MOST)

_HANDS_OVER = dict.fromkeys(
    (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT, nw.Implementation.IBIS),
    "pyarrow",
)


def grouped(
    frame: Any, keys: Sequence[str], weight: str | None, max_cells: int | None = None
) -> tuple[list[tuple[Array, Sequence[Label]]], list[Array]]:
    """Distinct combinations of ``keys`` with their sums, computed by the frame's engine.

    Parameters
    ----------
    frame : frame or relation that Narwhals reads
    keys : sequence of str
        Columns to group by.
    weight : str, optional
        Column of the weights.
    max_cells : int, optional
        Group by the weight too, as the last key, unless that gives more combinations than this.

    Returns
    -------
    columns : list of (codes, labels)
        Each of the keys over the distinct combinations.
    sums : list of arrays
        Rows, and with weights the sum of the weights and of their squares.
    """
    lazy = lazy_of(frame)
    schema = lazy.collect_schema()
    check_columns(schema.names(), [*keys, *([] if weight is None else [weight])], engine=True)
    names = [KEY.format(i) for i in range(len(keys))]
    select = [nw.col(key).alias(name) for key, name in zip(keys, names, strict=True)]
    sums = [nw.len().alias(N)]
    if weight is not None:
        columns, totals = weight_columns(weight, schema[weight])
        select += columns
        sums += totals
        if max_cells is not None:
            select.append(nw.col(weight).cast(nw.Float64).alias(_WEIGHT))
            names.append(_WEIGHT)
    whole = whole_keys(keys, schema)
    counted = as_text(lazy.select(*select).group_by(*names).agg(*sums), whole)
    if max_cells is not None:
        counted = counted.head(max_cells + 1)
    table = collected(counted)
    if max_cells is not None and len(table) > max_cells:
        return grouped(frame, keys, weight)
    if not len(table):
        raise NoRowsError("the frame")
    n = [table[N].to_numpy(dtype=np.int64)]
    if weight is not None:
        check_weights(weight, table)
        n += [table[name].to_numpy(dtype=np.float64) for name in (W, W2)]
    return coded_keys(table, names, whole), n


def one_where(condition: nw.Expr) -> nw.Expr:
    """1 where a condition holds, else 0: some engines cannot add up truth values."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def whole_keys(keys: Sequence[str], schema: Mapping[str, Any]) -> list[str]:
    """Aliases of the keys that are whole numbers."""
    return [KEY.format(i) for i, key in enumerate(keys) if schema[key].is_integer()]


def as_text(cells: nw.LazyFrame[Any], whole: Sequence[str]) -> nw.LazyFrame[Any]:
    """Whole numbers as text: nulls beside them would make them floats on the way."""
    return cells.with_columns(*(nw.col(name).cast(nw.String) for name in whole)) if whole else cells


def coded_keys(
    table: pd.DataFrame, names: Sequence[str], whole: Sequence[str]
) -> list[tuple[Array, Sequence[Label]]]:
    """Codes and labels of the keys of a table of cells."""
    coded = []
    for name in names:
        codes, labels = Column(table[name], name).chunk(0, len(table))
        coded.append((codes, [_integer(x) for x in labels] if name in whole else labels))
    return coded


def _integer(label: Any) -> int:
    return int(label) if isinstance(label, float) else int(str(label))


def backend_of(frame: nw.LazyFrame[Any]) -> Any:
    """What an engine hands its rows over as: those that speak Arrow warn of newer pandas."""
    return _HANDS_OVER.get(frame.implementation, "pandas")


def collected(frame: nw.LazyFrame[Any]) -> pd.DataFrame:
    """The rows of a lazy frame, in memory."""
    return frame.collect(backend_of(frame)).to_pandas()


def weight_columns(name: str, dtype: nw.dtypes.DType) -> tuple[list[nw.Expr], list[nw.Expr]]:
    """What to select of a weight before grouping, and what to add up."""
    if not dtype.is_numeric():
        raise ValueError(f"column {name!r} must hold numbers to be a weight; received {dtype}")
    w = nw.col(name).cast(nw.Float64)

    # What is too large to be squared is found before.
    square = nw.when(w <= LARGEST_WEIGHT).then(w * w).otherwise(nw.lit(0.0))
    select = [
        w.alias(W),
        square.alias(W2),
        one_where(w < 0).alias(_NEGATIVE),
        one_where(w.is_null() | w.is_nan()).alias(_NAN),
        one_where((w > LARGEST_WEIGHT) & ~w.is_nan()).alias(_LARGE),
        nw.when(w < 0).then(w).alias(_LEAST),
        nw.when((w > LARGEST_WEIGHT) & ~w.is_nan()).then(w).alias(_MOST),
    ]
    sums = [nw.col(each).sum() for each in (W, W2, _NEGATIVE, _NAN, _LARGE)]
    return select, [*sums, nw.col(_LEAST).min(), nw.col(_MOST).max()]


def check_weights(name: str, table: pd.DataFrame) -> None:
    """Raise for weights that are missing, negative, infinite or too large."""
    found = {_NEGATIVE: table[_LEAST].min(), _NAN: np.nan, _LARGE: table[_MOST].max()}
    rows = {kind: int(table[kind].sum()) for kind in found}
    if any(rows.values()):
        kind = next(kind for kind, n in rows.items() if n)
        value = float(found[kind])
        raise ValueError(bad_weights(f"column {name!r}", value, sum(rows.values())))


def lazy_of(frame: Any) -> nw.LazyFrame[Any]:
    """What Narwhals makes of a frame, as a lazy one."""
    return as_frame(frame).lazy()


def as_frame(frame: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """What Narwhals makes of a frame, or of what hands over Arrow data such as a record batch."""
    if isinstance(frame, pd.DataFrame):
        check_distinct(list(frame.columns))
    try:
        return nw.from_native(frame)
    except TypeError:
        if hasattr(frame, "__arrow_c_stream__"):
            return nw.from_arrow(frame, backend="pyarrow")
        raise TypeError(
            "frame must be a dataframe or relation that Narwhals reads (pandas, polars, pyarrow, "
            f"duckdb, ...); received {type(frame).__name__}"
        ) from None


def check_columns(there: Iterable[Any], names: Sequence[str], *, engine: bool = False) -> None:
    """Raise for names that are not there, or twice, or that an engine's expressions cannot name."""
    there = list(there)
    if engine and "*" in names and "*" in there:
        raise ValueError(
            f"a column must not be called '*', which stands for every column of a frame; rename "
            f"it; received {there}"
        )
    missing = [name for name in dict.fromkeys(names) if name not in there]
    if missing:
        raise ValueError(
            f"columns must be in the frame; {', '.join(map(repr, missing))} "
            f"{'is' if len(missing) == 1 else 'are'} not among {there}"
        )
    check_distinct([name for name in there if name in names])


def check_distinct(columns: Sequence[Any]) -> None:
    """Raise for columns that have the same name."""
    twice = [name for name in dict.fromkeys(columns) if columns.count(name) > 1]
    if twice:
        raise ValueError(
            f"columns of the frame must have different names; received "
            f"{', '.join(map(repr, twice))} more than once"
        )
