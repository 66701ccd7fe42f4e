"""CSV and Parquet files as DuckDB relations: read in streams, so larger than memory."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_READERS = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".csv.gz": "read_csv",
    ".tsv.gz": "read_csv",
    ".parquet": "read_parquet",
}

#: The column that holds the name of the file a row came from, unless the files have it.
FILENAME = "filename"


def expand(patterns: Sequence[str]) -> list[str]:
    """The files that paths and glob patterns name.

    Raises
    ------
    ValueError
        If a pattern names no file.
    """
    files: list[str] = []
    for pattern in patterns:
        found = [pattern] if Path(pattern).is_file() else sorted(glob.glob(pattern, recursive=True))
        found = [name for name in found if Path(name).is_file()]
        if not found:
            raise ValueError(f"FILE must be a file or match some; there is none for {pattern!r}")
        files += found
    return list(dict.fromkeys(files))


def open_files(connection: DuckDBPyConnection, patterns: Sequence[str]) -> DuckDBPyRelation:
    """A relation over the rows of CSV or Parquet files, which may be globs.

    Raises
    ------
    ValueError
        If a file is missing, of another kind, empty, or cannot be read.
    """
    import duckdb

    files = expand(patterns)
    readers = {_reader(name) for name in files}
    if len(readers) > 1:
        raise ValueError(f"files must all be CSV or all be Parquet; received {files}")
    empty = [name for name in files if Path(name).stat().st_size == 0]
    if empty:
        raise ValueError(f"a file must have rows; {empty[0]!r} is empty")
    reader = readers.pop()
    try:
        columns = _select(connection, reader, files, "").columns
        name_column = "" if FILENAME in columns else f", filename = '{FILENAME}'"
        return _select(connection, reader, files, name_column)
    except duckdb.Error as error:
        raise ValueError(f"cannot read {', '.join(files)}: {first_line(error)}") from None


def _select(
    connection: DuckDBPyConnection, reader: str, files: list[str], options: str
) -> DuckDBPyRelation:
    names = ", ".join("'" + name.replace("'", "''") + "'" for name in files)
    if reader == "read_csv":
        # The types are found from all rows: a late "n/a" must not stop a count half-way.
        options += ", header = true, sample_size = -1"
    return connection.sql(f"SELECT * FROM {reader}([{names}], union_by_name = true{options})")


def _reader(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    ending = "".join(suffixes[-2:]) if suffixes[-1:] == [".gz"] else "".join(suffixes[-1:])
    if ending not in _READERS:
        raise ValueError(f"FILE must end in {', '.join(_READERS)}; received {name!r}")
    return _READERS[ending]


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def by_value(relation: DuckDBPyRelation, column: str) -> Iterator[tuple[str, DuckDBPyRelation]]:
    """The rows of each value of ``column``, in the order of the values.

    Raises
    ------
    ValueError
        If the column is not there or has missing values.
    """
    if column not in relation.columns:
        raise ValueError(
            f"column {column!r} must be in the files; it is not among {relation.columns}"
        )
    quoted = '"' + column.replace('"', '""') + '"'
    values: list[tuple[Any, ...]] = relation.aggregate(quoted).order(quoted).fetchall()
    if any(value is None for (value,) in values):
        raise ValueError(f"column {column!r} must not have missing values")
    from duckdb import ColumnExpression, ConstantExpression

    for (value,) in values:
        rows = relation.filter(ColumnExpression(column) == ConstantExpression(value))
        yield str(value), rows
