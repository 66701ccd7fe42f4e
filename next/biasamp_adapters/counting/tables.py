"""Tables of any kind: the columns that arguments name, in chunks of bounded size."""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters.counting.arrays import to_array
from biasamp_adapters.counting.columns import Choice, UnknownColumnError, find_columns
from biasamp_adapters.counting.labels import TASK, TRUTH, Array, listing
from biasamp_adapters.counting.paths import explained, open_files
from biasamp_adapters.counting.variables import OverlappingGroups

#: The column that says how many rows a distinct row stands for.
_COUNT = "n"

_ENGINES = nw.Implementation

#: Most cells of a chunk, and the rows of the vectors in which DuckDB hands them over.
_CELLS, _VECTOR = 2**22, 2048

#: Numbers of which DuckDB makes floats, and types that some engine cannot group or hand over.
_EXACT = (nw.Decimal, nw.Int128, nw.UInt128)
_AS_TEXT = (*_EXACT, nw.Unknown)
_TEXT_ELSEWHERE = (*_AS_TEXT, nw.Categorical, nw.Enum)  # Polars groups categories faster.


def read_table(
    data: Any, arguments: Mapping[str, Any], missing_values: Sequence[Any] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the columns that arguments name, of one chunk of rows after the other.

    Parameters
    ----------
    data : frame of any engine, mapping of columns, path, pattern of paths, or list of these
    arguments : mapping of str to names
        The arguments of :meth:`Counts.from_arrays`, y_score and control_features; those that are
        None are ignored.
    missing_values : sequence of labels
        Text of files without types, such as CSV, that stands for a missing value.

    Yields
    ------
    dict of str to object
        For each argument a column; a mapping of names to columns if features are crossed;
        OverlappingGroups if it is a matrix. Predictions and scores are mappings of models to
        these. Labels of engines and files come as distinct rows, with their numbers as "count".
        "names" holds the names of the columns of arguments that have no models.
    """
    chunks = _read(data, arguments, missing_values)
    while True:
        # Users can do nothing about what engines and adapters warn of here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chunk = next(chunks, None)
        if chunk is None:
            return
        yield chunk


def _read(
    data: Any, arguments: Mapping[str, Any], missing_values: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Yield what :func:`read_table` does, with the warnings of engines."""
    paths = data if isinstance(data, list | tuple) else [data]
    data = nw.to_native(data, pass_through=True)
    if all(isinstance(path, str | os.PathLike) for path in paths):
        yield from _read_files(paths, arguments, missing_values)
    elif isinstance(data, pd.DataFrame | Mapping):
        yield _read_memory(data, arguments)
    else:
        yield from _read_engine(data, arguments)


def _read_memory(
    table: pd.DataFrame | Mapping[Any, Any], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return columns of pandas, which numpy counts faster than a group-by, or of a mapping."""
    columns = list(table)
    index = table.index if isinstance(table, pd.DataFrame) else pd.Index([])
    names = [*columns, *(level for level in index.names if level not in (None, *columns))]
    choices = find_columns(names, arguments)
    chunk = {}
    for alias, position in _columns_of(choices).items():
        name = names[position]
        is_level = position >= len(columns)
        values = pd.Series(index.get_level_values(name)) if is_level else table[name]
        column = nw.from_native(values, series_only=True, pass_through=True)
        if isinstance(column, nw.Series):
            _check_type(column.dtype, alias, name)
        chunk[alias] = _plain(values, name)
    return _arrange(choices, chunk)


def _read_files(
    paths: Sequence[Any], arguments: Mapping[str, Any], missing_values: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of files."""
    files = open_files(paths)
    try:
        choices = find_columns(files.names, arguments)
    except UnknownColumnError:
        files.check_header()
        raise
    positions = _columns_of(choices)
    names = {alias: files.names[position] for alias, position in positions.items()}
    count = _COUNT if files.is_text and _is_grouped(choices) else None
    with explained(files.paths):
        rows = files.read(positions, _labels_together(choices), missing_values, count)
        frame = nw.from_native(rows)
        yield from _read_query(frame, names, choices, count, files.connection)


def _read_engine(native: Any, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame that Narwhals reads."""
    engine = _engine_of(native)
    if engine == _ENGINES.DASK and native.index.name not in (None, *native.columns):
        native = native.reset_index()
    is_arrow = engine == _ENGINES.PYARROW
    table = native.column_names if is_arrow else list(native.columns)
    choices = find_columns(table, arguments)
    columns = _columns_of(choices)
    names = {column: table[position] for column, position in columns.items()}
    if engine == _ENGINES.DUCKDB:  # By position, as the name "Race" also finds a column "race".
        chosen = ", ".join(f"#{position + 1} AS {column}" for column, position in columns.items())
        frame = nw.from_native(native.select(chosen))
    else:
        if len(set(table)) < len(table):  # Names that nobody asks for may stand twice.
            used = list(dict.fromkeys(names.values()))
            native = native.select(used) if is_arrow else native[used]
        aliased = [nw.col(name).alias(column) for column, name in names.items()]
        frame = nw.from_native(native).select(*aliased)
    yield from _read_query(frame, names, choices)


def _engine_of(native: Any) -> nw.Implementation:
    """Return what holds the rows of a frame."""
    if nw.dependencies.is_pyarrow_table(native):
        return _ENGINES.PYARROW  # Narwhals refuses a table with two columns of one name.
    try:
        return nw.from_native(native).implementation
    except TypeError:
        raise TypeError(
            "data must be a frame, a mapping of columns or paths of files; received "
            f"{type(native).__name__}."
        ) from None


def _read_query(
    frame: Any,
    names: Mapping[str, Any],
    choices: list[Choice],
    count: str | None = None,
    connection: Any = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of columns that are called by their aliases, of labels the distinct ones."""
    schema = frame.collect_schema()
    as_text = _AS_TEXT if frame.implementation == _ENGINES.POLARS else _TEXT_ELSEWHERE
    casts = {}
    for alias, name in names.items():
        _check_type(schema[alias], alias, name)
        if _is_number(alias) and schema[alias] in _EXACT:
            casts[alias] = nw.col(alias).cast(nw.Float64)
        elif not _is_number(alias) and (schema[alias] in as_text or _has_time_zone(schema[alias])):
            casts[alias] = nw.col(alias).cast(nw.String)
    query = frame.lazy().with_columns(**casts) if casts else frame.lazy()
    if _is_grouped(choices):
        if count is None:
            query = query.group_by(*names).agg(nw.len().alias(_COUNT))
        query = query.sort(*names)  # Engines return groups in any order.
    exact = [alias for alias in names if not _is_number(alias) and schema[alias] in _EXACT]
    for table in _fetch(query, connection):
        chunk = {
            alias: _plain(table[alias].to_native(), names.get(alias)) for alias in table.columns
        }
        chunk |= {alias: _to_decimals(chunk[alias]) for alias in exact}
        yield _arrange(choices, chunk)


def _fetch(query: nw.LazyFrame[Any], connection: Any) -> Iterator[nw.DataFrame[Any]]:
    """Yield the rows of a query, in chunks if its engine has a public way to do so."""
    native, engine = query.to_native(), query.implementation
    n_rows = max(_VECTOR, _CELLS // len(query.collect_schema()))
    if engine == _ENGINES.DUCKDB:
        chunks = _fetch_duckdb(native, n_rows, connection)
    elif engine == _ENGINES.DASK:
        chunks = (partition.compute() for partition in native.to_delayed())
    else:
        chunks = iter([query.collect().to_native()])
    for chunk in chunks:
        table = nw.from_native(chunk, eager_only=True)
        for start in range(0, len(table), n_rows):
            yield table[start : start + n_rows]


def _fetch_duckdb(relation: Any, n_rows: int, connection: Any) -> Iterator[Any]:
    """Yield the rows of a relation; at once if neither its connection nor pyarrow is here."""
    result = relation if connection is None else connection.execute(relation.sql_query())
    if hasattr(result, "fetch_df_chunk"):  # Not of a relation since DuckDB 2.
        while len(chunk := result.fetch_df_chunk(n_rows // _VECTOR)):
            yield chunk
    elif importlib.util.find_spec("pyarrow"):
        import pyarrow as pa

        for batch in relation.to_arrow_reader(n_rows):
            yield pa.Table.from_batches([batch])
    else:
        yield relation.df()


# Columns: those of labels are called "label" and their position, those of numbers "number".


def _is_number(alias: str) -> bool:
    return alias.startswith("number")


def _check_type(dtype: nw.dtypes.DType, alias: str, name: Any) -> None:
    """Raise if a column can hold neither labels nor, where they are needed, numbers."""
    may_be_numbers = dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown)
    if dtype.is_nested() or (_is_number(alias) and not may_be_numbers):
        kind = "numbers" if _is_number(alias) else "labels such as text, numbers or dates"
        raise ValueError(
            f"column {listing([name])} must hold {kind}; received {type(dtype).__name__}"
        )


def _has_time_zone(dtype: nw.dtypes.DType) -> bool:
    return isinstance(dtype, nw.Datetime) and dtype.time_zone is not None


def _plain(values: Any, name: Any) -> Any:
    """Return a column as an array of numpy, or as a series if numpy has no such type."""
    array = to_array(values, f"column {name!r}")
    if isinstance(array, pd.Series) and isinstance(array.dtype, np.dtype) and array.dtype != object:
        return array.to_numpy()
    return array


def _to_decimals(texts: Any) -> Array:
    """Return numbers that came as text."""
    codes, distinct = pd.factorize(texts)
    numbers = np.array([*map(Decimal, distinct), None], dtype=object)
    return numbers[codes]  # The code of a missing value is -1.


# Choices.


def _columns_of(choices: list[Choice]) -> dict[str, int]:
    """Return the positions of all chosen columns."""
    return {column: position for choice in choices for column, position in choice.columns.items()}


def _is_grouped(choices: list[Choice]) -> bool:
    """Return whether rows are grouped: they hold labels, and were not grouped before."""
    return all(choice.labels is None and choice.argument != "count" for choice in choices)


def _labels_together(choices: list[Choice]) -> list[list[str]]:
    """Return the columns of labels, those of truths with those of their predictions."""
    together: dict[tuple[str, int], list[str]] = {}
    for choice in choices:
        for level, column in enumerate(choice.columns):
            truth = TRUTH.get(choice.argument, choice.argument)
            if not _is_number(column):
                together.setdefault((truth, level), []).append(column)
    return list(together.values())


def _arrange(choices: list[Choice], chunk: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a chunk by argument and model."""
    values: dict[str, Any] = {"names": {}}
    for choice in choices:
        columns = [chunk[column] for column in choice.columns]
        value = columns[0] if len(columns) == 1 else dict(zip(choice.names, columns, strict=True))
        if choice.labels is not None:
            value = OverlappingGroups(_stack(columns), choice.labels)
        if choice.model is None:
            values[choice.argument] = value
            is_matrix_of_classes = choice.argument == TASK and choice.labels is not None
            values["names"][choice.argument] = None if is_matrix_of_classes else choice.title
        else:
            values.setdefault(choice.argument, {})[choice.model] = value
    if _COUNT in chunk:
        values["count"] = chunk[_COUNT]
    return values


def _stack(columns: Sequence[Any]) -> Array:
    """Return columns as a matrix, of bytes if they hold 0 and 1."""
    arrays = [np.asarray(column) for column in columns]
    is_binary = all(
        array.dtype.kind in "bui" and array.min(initial=0) >= 0 and array.max(initial=0) <= 1
        for array in arrays
    )
    if not is_binary:
        return np.column_stack(arrays)
    matrix = np.empty((len(arrays[0]), len(arrays)), dtype=np.uint8)
    for i, array in enumerate(arrays):
        matrix[:, i] = array
    return matrix
