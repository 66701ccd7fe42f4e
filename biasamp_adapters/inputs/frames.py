"""Frames of any engine: their columns, and some of their rows in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import narwhals.stable.v2 as nw
import pandas as pd

from biasamp_adapters._text import did_you_mean
from biasamp_adapters._typing import Array

_HANDS_OVER = dict.fromkeys(
    (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT, nw.Implementation.IBIS),
    "pyarrow",
)


def backend_of(frame: nw.LazyFrame[Any]) -> Any:
    """The backend that collects the rows of an engine; Arrow avoids warnings about newer pandas."""
    return _HANDS_OVER.get(frame.implementation, "pandas")


def collected(frame: nw.LazyFrame[Any]) -> pd.DataFrame:
    """The rows of an engine in memory."""
    return frame.collect(backend_of(frame)).to_pandas()


def as_frame(frame: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """A Narwhals frame of a frame, or of an object that exports or holds Arrow data."""
    if isinstance(frame, pd.DataFrame):
        check_distinct(list(frame.columns))
    try:
        return nw.from_native(frame)
    except TypeError:
        if (table := _arrow_of_dataset(frame)) is not None:
            return nw.from_native(table)
        # A column exports Arrow data too, but no table.
        if hasattr(frame, "__arrow_c_stream__"):
            with suppress(ValueError):
                return nw.from_arrow(frame, backend="pyarrow")
        raise TypeError(
            "frame must be a dataframe or relation that Narwhals reads (pandas, polars, pyarrow, "
            f"duckdb, ...); received {type(frame).__name__}"
        ) from None


def _arrow_of_dataset(frame: Any) -> Any:
    """The rows of a ``datasets.Dataset`` of Hugging Face as an Arrow table; else None.

    Columns of lists and structs, such as images, cannot be labels. They are left out, since the
    rows of a dataset that was filtered or shuffled are copied.
    """
    schema = getattr(getattr(frame, "data", None), "schema", None)
    if schema is None or not hasattr(frame, "select_columns"):
        return None
    from pyarrow.types import is_nested

    names = [column.name for column in schema if not is_nested(column.type)]
    return frame.select_columns(names).with_format("arrow")[:]


def columns_of(frame: Any) -> list[str]:
    """The names of the columns of a frame; those that are no text cannot be asked for."""
    table = as_frame(frame)
    eager = isinstance(table, nw.DataFrame)
    names = table.columns if eager else table.collect_schema().names()
    texts = [name for name in names if isinstance(name, str)]
    if names and not texts:
        raise ValueError(f"the columns of the frame must have names of text; received {names}")
    return texts


def shared_columns(first: Any, second: Any) -> list[str]:
    """The names of the columns of two tables that have the same ones; else none.

    Matrices without names, and single columns, are no tables.
    """
    names, others = (list(getattr(frame, "columns", ())) for frame in (first, second))
    is_table = len(names) > 1 and all(isinstance(name, str) for name in names)
    return names if is_table and names == others else []


def fetched(frame: Any, names: Iterable[str]) -> nw.DataFrame[Any]:
    """Some columns of a frame in memory."""
    table = as_frame(frame)
    chosen = list(dict.fromkeys(names))
    check_columns(columns_of(frame), chosen)
    if isinstance(table, nw.DataFrame):
        return table.select(chosen)
    lazy = table.select(chosen)
    return lazy.collect(backend_of(lazy))


def with_column(table: nw.DataFrame[Any], name: str, values: Array) -> Any:
    """The native table in memory with a further column of numbers."""
    column = nw.new_series(name, values, backend=table.implementation)
    return table.with_columns(column).to_native()


def unused_name(columns: Iterable[str], name: str) -> str:
    """A name for a further column: longer if there is one of this name, in any case of letters."""
    taken = {column.lower() for column in columns}
    while name.lower() in taken:
        name += "_"
    return name


def check_every_row_has_a_run(column: str, n_missing: int) -> None:
    """Raise for rows without a value in a column of runs."""
    if n_missing:
        raise ValueError(
            f"column {column!r} must say for every row which run it is of; received {n_missing} "
            "row(s) without a value"
        )


def check_columns(columns: Iterable[Any], names: Sequence[str], *, engine: bool = False) -> None:
    """Raise for columns that are absent or duplicated, or that an engine cannot name."""
    columns = list(columns)
    if engine and "*" in names and "*" in columns:
        raise ValueError(
            f"a column must not be called '*', which stands for every column of a frame; rename "
            f"it; received {columns}"
        )
    missing = [name for name in dict.fromkeys(names) if name not in columns]
    if missing:
        known = {name.lower(): name for name in columns if isinstance(name, str)}
        raise ValueError(
            f"columns must be in the frame; {', '.join(map(repr, missing))} "
            f"{'is' if len(missing) == 1 else 'are'} not among {columns}"
            f"{did_you_mean(missing, known)}"
        )
    check_distinct([name for name in columns if name in names])


def check_distinct(columns: Sequence[Any]) -> None:
    """Raise for columns that have the same name."""
    twice = [name for name in dict.fromkeys(columns) if columns.count(name) > 1]
    if twice:
        raise ValueError(
            f"columns of the frame must have different names; received "
            f"{', '.join(map(repr, twice))} more than once"
        )
