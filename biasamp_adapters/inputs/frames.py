"""Frames of any engine, grouped where they live: only the count table comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.inputs.columns import Column

# Aliases for the user's columns: a column called "len" would break nw.len(), and some engines
# fold the case of names.
_KEY, _N, _W, _W2, _WEIGHT = "bam_key_{}", "bam_n", "bam_w", "bam_w2", "bam_weight"
_BAD, _LEAST = "bam_bad", "bam_least"


def grouped(
    frame: Any, keys: Sequence[str], weight: str | None, *, by_weight: bool = False
) -> tuple[list[tuple[Array, Sequence[Label]]], list[Array]]:
    """Distinct combinations of ``keys`` with their sums, computed by the frame's engine.

    Parameters
    ----------
    frame : frame or relation that Narwhals reads
    keys : sequence of str
        Columns to group by.
    weight : str, optional
        Column of the weights.
    by_weight : bool
        Group by the weight too, as the last key.

    Returns
    -------
    columns : list of (codes, labels)
        Each of the keys over the distinct combinations.
    sums : list of arrays
        Rows, and with weights the sum of the weights and of their squares.
    """
    lazy = _lazy(frame)
    _check_columns(lazy, [*keys, *([] if weight is None else [weight])])
    names = [_KEY.format(i) for i in range(len(keys))]
    select = [nw.col(key).alias(name) for key, name in zip(keys, names, strict=True)]
    sums = [nw.len().alias(_N)]
    if weight is not None:
        w = _weight(lazy, weight)
        # A NaN is neither above nor below, a null gives null: both fail "is a weight".
        bad = nw.when(w.fill_null(-1.0) >= 0, w < np.inf).then(nw.lit(0)).otherwise(nw.lit(1))
        select += [w.alias(_W), (w * w).alias(_W2), bad.alias(_BAD), w.alias(_LEAST)]
        sums += [nw.col(_W).sum(), nw.col(_W2).sum(), nw.col(_BAD).sum(), nw.col(_LEAST).min()]
        if by_weight:
            select.append(w.alias(_WEIGHT))
            names.append(_WEIGHT)
    table = lazy.select(*select).group_by(*names).agg(*sums).collect(backend="pandas").to_pandas()
    if not len(table):
        raise ValueError("the frame must have at least one row; received none")
    if weight is not None and (bad_rows := int(table[_BAD].sum())):
        raise ValueError(
            f"column {weight!r} must hold weights that are finite and not negative; received "
            f"{table[_LEAST].min()} as the least, and {bad_rows} row(s) that break the rule"
        )
    columns = [Column(table[name], name).chunk(0, len(table)) for name in names]
    totals = [table[_N].to_numpy(dtype=np.int64)]
    if weight is not None:
        totals += [table[name].to_numpy(dtype=np.float64) for name in (_W, _W2)]
    return columns, totals


def _lazy(frame: Any) -> nw.LazyFrame[Any]:
    try:
        return nw.from_native(frame).lazy()
    except TypeError:
        raise TypeError(
            "frame must be a dataframe or relation that Narwhals reads (pandas, polars, pyarrow, "
            f"duckdb, ...); received {type(frame).__name__}"
        ) from None


def _check_columns(frame: nw.LazyFrame[Any], names: Sequence[str]) -> None:
    there = frame.collect_schema().names()
    missing = [name for name in names if name not in there]
    if missing:
        raise ValueError(
            f"columns must be in the frame; {', '.join(map(repr, missing))} "
            f"{'is' if len(missing) == 1 else 'are'} not among {there}"
        )


def _weight(frame: nw.LazyFrame[Any], name: str) -> nw.Expr:
    dtype = frame.collect_schema()[name]
    if not dtype.is_numeric():
        raise ValueError(f"column {name!r} must hold numbers to be a weight; received {dtype}")
    return nw.col(name).cast(nw.Float64)
