"""Tables of any kind: the columns that arguments name, in chunks of bounded size."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import pandas as pd
from narwhals.dependencies import is_duckdb_relation

from biasamp_adapters.counting.arrays import to_array, to_objects, to_plain
from biasamp_adapters.counting.columns import Choice, Column, are_labels, columns_of, find_columns
from biasamp_adapters.counting.labels import TASK, TRUTH, listing
from biasamp_adapters.counting.paths import COUNT, Selection, are_paths, explained, query_files
from biasamp_adapters.counting.variables import OverlappingGroups

#: Names of columns by argument, and columns by argument.
Arguments: TypeAlias = Mapping[str, Any]
Chunk: TypeAlias = dict[str, Any]

#: Most cells of a chunk, and the rows of the vectors in which DuckDB hands them over.
_CELLS, _VECTOR = 2**22, 2048

#: Exact numbers, which floats could merge, and types that some engine cannot group or hand over.
_EXACT = (nw.Decimal, nw.Int128, nw.UInt128)
_AS_TEXT = (*_EXACT, nw.Unknown)
_TEXT_ELSEWHERE = (*_AS_TEXT, nw.Categorical, nw.Enum)  # Polars groups categories faster.


def read_table(data: Any, arguments: Arguments, missing_values: Any = ()) -> Iterator[Chunk]:
    """Yield the columns that arguments name, of one chunk of rows after the other.

    Parameters
    ----------
    data : frame of any engine, mapping of columns, path, pattern of paths, or list of these
        Or a Selection of the rows of files.
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
        with warnings.catch_warnings(action="ignore"):
            chunk = next(chunks, None)
        if chunk is None:
            return
        yield chunk


def _read(data: Any, arguments: Arguments, missing_values: Any) -> Iterator[Chunk]:
    """Yield what :func:`read_table` does, with the warnings of engines."""
    where = None
    if isinstance(data, Selection):
        data, where = data.paths, data.where
    data = to_plain(nw.to_native(data, pass_through=True))
    if are_paths(data):
        with explained(data) as files:
            connection, rows, choices = query_files(files, arguments, missing_values, where)
            yield from _read_query(nw.from_native(rows), choices, connection)
    elif isinstance(data, pd.DataFrame | Mapping):
        yield _read_memory(data, arguments)
    else:
        yield from _read_engine(data, arguments)


def _read_memory(table: pd.DataFrame | Mapping[Any, Any], arguments: Arguments) -> Chunk:
    """Return columns of pandas, which numpy counts faster than a group-by, or of a mapping."""
    names = list(table)
    index = table.index if isinstance(table, pd.DataFrame) else pd.Index([])
    levels = [level for level in index.names if level not in (None, *names)]
    choices = find_columns([*names, *levels], arguments)
    arrays = []
    for column in columns_of(choices).values():
        is_level = column.name in levels
        level = index.get_level_values(column.name).to_series(index=index) if is_level else None
        arrays.append(table[column.name] if level is None else level)
    return _arrange(choices, arrays)


def _read_engine(native: Any, arguments: Arguments) -> Iterator[Chunk]:
    """Yield the rows of a frame that Narwhals reads."""
    is_dask = nw.dependencies.is_dask_dataframe(native)
    if is_dask and native.index.name not in (None, *native.columns):
        native = native.reset_index()
    is_arrow = nw.dependencies.is_pyarrow_table(native)
    names = getattr(native, "column_names" if is_arrow else "columns", None)
    if names is None:
        rule = "data must be a frame, a mapping of columns or paths of files"
        raise TypeError(f"{rule}; received {type(native).__name__}. Labels are passed as y_true=.")
    choices = find_columns(names, arguments)
    columns = columns_of(choices)
    if is_duckdb_relation(native):  # By position: "Race" also finds "race".
        chosen = [f"#{names.index(column.name) + 1} AS {key}" for key, column in columns.items()]
        frame = nw.from_native(native.select(", ".join(chosen)))
    else:
        if len(set(names)) < len(names):  # Names that nobody asks for may stand twice.
            used = list(dict.fromkeys(column.name for column in columns.values()))
            native = native.select(used) if is_arrow else native[used]
        for i, column_of_arrow in enumerate(native.columns if is_arrow else ()):
            native = native.set_column(i, native.column_names[i], to_plain(column_of_arrow))
        aliased = [nw.col(column.name).alias(key) for key, column in columns.items()]
        frame = nw.from_native(native).select(*aliased)
    yield from _read_query(frame, choices)


def _read_query(frame: Any, choices: list[Choice], connection: Any = None) -> Iterator[Chunk]:
    """Yield the rows of columns that are called by their aliases, of labels the distinct ones."""
    schema, columns = frame.collect_schema(), columns_of(choices)
    as_text = _AS_TEXT if frame.implementation == nw.Implementation.POLARS else _TEXT_ELSEWHERE
    casts = {}
    for alias, column in columns.items():
        dtype = schema[alias]
        _check_type(dtype, column, frame.implementation)
        if dtype in _EXACT and not column.variable:
            casts[alias] = nw.col(alias).cast(nw.Float64)
        elif column.variable and dtype in as_text:
            casts[alias] = nw.col(alias).cast(nw.String)
    query = frame.lazy().with_columns(**casts) if casts else frame.lazy()
    if are_labels(choices):
        if COUNT not in schema:
            query = query.group_by(*columns).agg(nw.len().alias(COUNT))
        query = query.sort(*columns)  # Engines return groups in any order.
    for table in _fetch(query, connection):
        arrays = []
        for key, column in columns.items():
            array = to_array(table[key].to_native(), key)
            if column.variable and schema[key] in _EXACT:  # Text that floats would merge.
                array = to_objects(None if pd.isna(value) else Decimal(value) for value in array)
            elif schema[key] == nw.Binary:
                array = to_objects(None if pd.isna(value) else bytes(value) for value in array)
            arrays.append(array)
        inputs = _arrange(choices, arrays)
        if COUNT in table.columns:
            inputs["count"] = table[COUNT].to_numpy()
        yield inputs


def _fetch(query: nw.LazyFrame[Any], connection: Any) -> Iterator[nw.DataFrame[Any]]:
    """Yield the rows of a query, in chunks if its engine has a public way to do so."""
    native, engine = query.to_native(), query.implementation
    n_rows = max(_VECTOR, _CELLS // len(query.collect_schema()))
    if engine == nw.Implementation.DUCKDB:
        chunks = _fetch_duckdb(native, n_rows, connection)
    elif engine == nw.Implementation.DASK:
        chunks = (partition.compute() for partition in native.to_delayed())
    else:
        chunks = iter([query.collect().to_native()])
    for chunk in chunks:
        table = nw.from_native(chunk)
        for start in range(0, len(table), n_rows):
            yield table[start : start + n_rows]


def _fetch_duckdb(relation: Any, n_rows: int, connection: Any) -> Iterator[Any]:
    """Yield the rows of a relation; at once if neither its connection nor pyarrow is here."""
    result = relation if connection is None else connection.execute(relation.sql_query())
    if hasattr(result, "fetch_df_chunk"):  # Not of a relation since DuckDB 2.
        while len(chunk := result.fetch_df_chunk(n_rows // _VECTOR)):
            yield chunk
    elif importlib.util.find_spec("pyarrow"):
        yield from map(to_plain, relation.to_arrow_reader(n_rows))
    else:
        yield relation.df()


def _check_type(dtype: nw.dtypes.DType, column: Column, engine: nw.Implementation) -> None:
    """Raise if a column can hold neither labels nor, where they are needed, numbers.

    Intervals of DuckDB have no length that all versions of Narwhals read alike. Periods of Arrow
    and polars would be read as the numbers that are stored.
    """
    may_be_numbers = dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown)
    is_interval = dtype == nw.Duration and engine == nw.Implementation.DUCKDB
    is_stored = dtype in (nw.Unknown, nw.Object) and str(engine) in ("pyarrow", "polars")
    has_kind = not is_stored if column.variable else may_be_numbers
    if dtype.is_nested() or is_interval or not has_kind:
        kind = "labels such as text, numbers or dates" if column.variable else "numbers"
        name, received = listing([column.name]), type(dtype).__name__
        raise ValueError(f"column {name} must hold {kind}; received {received}")


def _arrange(choices: list[Choice], arrays: Iterable[Any]) -> Chunk:
    """Return the columns of all choices by argument and model."""
    values: dict[str, Any] = {"names": {}}
    remaining = iter(arrays)
    for choice in choices:
        columns = {name: next(remaining) for name in choice.names}
        value: Any = columns if len(columns) > 1 else columns[choice.names[0]]
        if choice.labels is not None:
            value = OverlappingGroups(columns, choice.labels)
        if TRUTH.get(choice.argument, choice.argument) != choice.argument:  # Those of a model.
            values.setdefault(choice.argument, {})[choice.model] = value
        else:
            values[choice.argument] = value
            is_matrix_of_classes = choice.argument == TASK and choice.labels is not None
            values["names"][choice.argument] = None if is_matrix_of_classes else choice.title
    return values
