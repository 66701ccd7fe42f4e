"""CSV and Parquet files as DuckDB relations: read in streams, so they may be larger than memory.

CSV is read as text by a fixed dialect, without guessing: a guess can turn "yes" into True, take a
row that starts with "#" for a comment, or give one column two types in two files. What the text
means is then decided for all columns that must agree, from all of their rows.
"""

from __future__ import annotations

import csv
import glob
import gzip
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.inputs.frames import check_columns, check_every_row_has_a_run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_PARQUET = (".parquet",)
_DELIMITERS = ",;\t|"

#: The column that holds the name of the file a row came from, unless the files have it.
FILENAME = "filename"

_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_WHOLE = (*_SIGNED, *(f"U{name}" for name in _SIGNED))
_ZONED = "TIMESTAMP WITH TIME ZONE"
_FRACTION = ("FLOAT", "DOUBLE", "DECIMAL")
# NaN is a number that is missing, not a label.
_NUMBER = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[nN][aA][nN]$"


# Paths: as the user writes them, and as DuckDB takes them


def expand(patterns: Sequence[str]) -> list[str]:
    """The files that paths and glob patterns name, each once, however it is spelled.

    Raises
    ------
    ValueError
        If a pattern names no file.
    """
    files: dict[tuple[int, int], str] = {}
    for pattern in patterns:
        if not pattern:
            raise ValueError("a path must name a file or match some; received ''")
        found = [pattern] if Path(pattern).is_file() else sorted(glob.glob(pattern, recursive=True))
        found = [name for name in found if Path(name).is_file()]
        if not found and Path(pattern).is_dir():
            found = _tables_in(pattern)
        if not found:
            raise ValueError(
                f"a path must name a file or match some; there is none for {pattern!r}"
            )
        for name in found:
            # Other spellings of a path, and links, name the same file, which is read once.
            found_at = os.stat(name)
            files.setdefault((found_at.st_dev, found_at.st_ino), name)
    return list(files.values())


def _tables_in(folder: str) -> list[str]:
    """The CSV or Parquet files in a folder and its folders, but for hidden ones.

    Raises
    ------
    ValueError
        If there are none.
    """
    found = [
        str(path)
        for path in sorted(Path(folder).rglob("*"))
        if path.name.lower().endswith(_CSV + _PARQUET)
        and path.is_file()
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise ValueError(
            f"a folder must hold files that end in {', '.join(_CSV + _PARQUET)}; there is none in "
            f"{folder!r}"
        )
    return found


def quoted(text: str) -> str:
    """A string as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted_path(path: str | os.PathLike[str]) -> str:
    """The path of one local file as an SQL literal, with the characters of patterns escaped."""
    return quoted(re.sub(r"([*?\[])", r"[\1]", _local(os.fspath(path))))


def _folder_keys(path: str) -> list[str]:
    """The keys of the folders of a path that are named ``key=value`` (Hive partitioning)."""
    folders = Path(_local(path)).parts[:-1]
    return [name.partition("=")[0] for name in folders if name.count("=") == 1]


def _local(path: str) -> str:
    """The same path, absolute where DuckDB would look on the network or in the home folder."""
    return os.path.abspath(path) if path.startswith("~") or ":" in path else path


def _same_name(name: str) -> bytes:
    """A key by which column names are compared as DuckDB does: the case of ASCII is ignored."""
    return name.encode("utf-8", "surrogateescape").lower()


# Tables


def connect() -> DuckDBPyConnection:
    """A connection that neither downloads nor loads extensions, and shows times in UTC."""
    import duckdb

    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    # Otherwise the labels of times would depend on the time zone of the machine.
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@contextmanager
def reading(files: Sequence[str]) -> Iterator[DuckDBPyConnection]:
    """A connection to read files with; errors of DuckDB become ValueErrors."""
    import duckdb

    with connect() as connection:
        try:
            yield connection
        except duckdb.Error as error:
            raise ValueError(f"cannot read {', '.join(files)}: {_first_lines(error)}") from None


def open_files(
    connection: DuckDBPyConnection, patterns: Sequence[str], *, filename: bool = False
) -> DuckDBPyRelation:
    """A relation over the rows of CSV or Parquet files, which may be globs.

    Columns of CSV are text; see :func:`agree_on_types`. With ``filename`` a column of that name
    says which file a row came from, unless the files have one.

    Raises
    ------
    ValueError
        If a file is missing, of another kind, empty, or has no valid header.
    """
    import duckdb

    files = expand(patterns)
    kinds = {_kind(name) for name in files}
    if len(kinds) > 1:
        raise ValueError(f"files must all be CSV or all be Parquet; received {files}")
    empty = [name for name in files if Path(name).stat().st_size == 0]
    if empty:
        raise ValueError(f"a file must have rows; {empty[0]!r} is empty")
    try:
        readers = _readers(files)
        plain = _rows(connection, readers)
        named = quoted(FILENAME) if filename and FILENAME not in plain.columns else "false"
        partitioned = _partitioned(connection, files, plain.columns)
        return _rows(connection, readers, named, partitioned=partitioned)
    except (duckdb.Error, RuntimeError, UnicodeError) as error:
        # Column names that are not text raise an error that is not DuckDB's.
        raise ValueError(f"cannot read {', '.join(files)}: {_first_lines(error)}") from None


def _rows(
    connection: DuckDBPyConnection,
    readers: Sequence[str],
    filename: str = "false",
    *,
    partitioned: bool = False,
) -> DuckDBPyRelation:
    """The rows that :func:`_readers` read, with the last arguments of their calls."""
    last = f"filename = {filename}, hive_partitioning = {partitioned}, hive_types_autocast = false"
    return connection.sql(" UNION ALL BY NAME ".join(f"FROM {x}, {last})" for x in readers))


def _partitioned(
    connection: DuckDBPyConnection, files: Sequence[str], columns: Sequence[str]
) -> bool:
    """Whether the folders of all files give further columns, as in ``race=a/part.parquet``.

    Raises
    ------
    ValueError
        If a folder gives a column that a file in it has too: one would override the other.
    """
    keys = {name: _folder_keys(name) for name in files}
    known = set(map(_same_name, columns))
    suspects = [name for name in files if not known.isdisjoint(map(_same_name, keys[name]))]
    for name in suspects:
        in_file = {_same_name(x): x for x in _rows(connection, _readers([name])).columns}
        for key in keys[name]:
            if column := in_file.get(_same_name(key)):
                raise ValueError(
                    f"a folder key must not be a column of a file in that folder; received the key "
                    f"{key!r} of the path {name!r}, whose file has the column {column!r} (rename "
                    "one of the two, or name the file from inside of that folder)"
                )
    return bool(keys[files[0]]) and all(other == keys[files[0]] for other in keys.values())


def _readers(files: Sequence[str]) -> list[str]:
    """SQL calls that read files, without their last arguments.

    CSV files with the same delimiter and header share one call; their columns are text.
    """
    if _kind(files[0]) == _PARQUET:
        return [f"read_parquet({_list(files)}, union_by_name = true"]
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in files:
        alike.setdefault(_header(name), []).append(name)
    readers = []
    for (delimiter, names), members in alike.items():
        columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
        readers.append(
            f"read_csv({_list(members)}, auto_detect = false, header = true, strict_mode = true, "
            f"delim = {quoted(delimiter)}, quote = '\"', escape = '\"', comment = '', "
            f"nullstr = '', columns = {{{columns}}}"
        )
    return readers


def _header(name: str) -> tuple[str, tuple[str, ...]]:
    """Delimiter and column names of a CSV file."""
    opened = gzip.open if name.lower().endswith(".gz") else open
    try:
        with opened(name, "rt", encoding="utf-8-sig", newline="") as file:
            line = file.readline()
            delimiter = max(_DELIMITERS, key=line.count)
            file.seek(0)
            names = tuple(next(csv.reader(file, delimiter=delimiter), []))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"cannot read {name} as CSV in UTF-8: {error}") from None
    if not names or "" in names or len(set(map(_same_name, names))) < len(names):
        index = ": the index that pandas writes unless to_csv has index=False"
        raise ValueError(
            f"the first line of {name!r} must name each column, once, where capital letters make "
            f"no difference; received {list(names)}{index if names[:1] == ('',) else ''}"
        )
    return delimiter, names


def _kind(name: str) -> tuple[str, ...]:
    for kind in (_CSV, _PARQUET):
        if name.lower().endswith(kind):
            return kind
    raise ValueError(f"a file must end in {', '.join(_CSV + _PARQUET)}; received {name!r}")


def agree_on_types(
    tables: Sequence[DuckDBPyRelation],
    roles: Sequence[Sequence[str]],
    indicators: Collection[str] = (),
) -> list[DuckDBPyRelation]:
    """Give the columns of each role one type in all tables.

    Columns become integers if all of their values are, else floats if all are numbers, else text.
    Only the usual notation of a number counts: codes such as "01" stay text.

    Parameters
    ----------
    tables : sequence of relations
    roles : sequence of lists of column names
        Columns that share their labels.
    indicators : collection of str
        Columns of 0 and 1, in which true and false are read as 1 and 0.
    """
    names = [name for role in roles for name in role]
    looks = [_looks(table, names, indicators) for table in tables]
    types: dict[str, str] = {}
    for role in roles:
        seen = {look[name] for look in looks for name in role if name in look}
        if seen <= {"whole", "truth"}:
            kind = "BIGINT"
        elif seen <= {"whole", "number", "truth"}:
            kind = "DOUBLE"
        else:
            # A single other type, such as BOOLEAN, stays. Mixtures are compared as text, and so are
            # times with a zone, which Python would convert to the time zone of the machine.
            kind = seen.pop() if len(seen) == 1 and not seen & {"text", _ZONED} else "VARCHAR"
        types |= dict.fromkeys(role, kind)
    return [_cast(table, types, look) for table, look in zip(tables, looks, strict=True)]


def _looks(
    relation: DuckDBPyRelation, names: Sequence[str], indicators: Collection[str]
) -> dict[str, str]:
    """What values look like: "whole", "number", "truth", "text", or another type of the column."""
    looks, texts = {}, []
    for name, dtype in zip(relation.columns, map(str, relation.types), strict=True):
        if name not in names:
            continue
        if dtype.startswith(_FRACTION):
            looks[name] = "number"
        elif dtype in _WHOLE:
            looks[name] = "whole"
        elif dtype == "BOOLEAN" and name in indicators:
            looks[name] = "truth"
        elif dtype == "VARCHAR":
            texts.append(name)
        else:
            looks[name] = dtype
    if texts:
        questions = ", ".join(_questions(name, truth=name in indicators) for name in texts)
        (answers,) = relation.aggregate(questions).fetchall()
        for name, answer in zip(texts, answers, strict=True):
            looks[name] = next((kind for kind, yes in answer.items() if yes), "text")
    wrong = [name for name, look in looks.items() if look == "infinite"]
    if wrong:
        raise ValueError(f"column {wrong[0]!r} must hold finite numbers; received infinite ones")
    return looks


def _questions(name: str, *, truth: bool) -> str:
    """For each format of text, an SQL expression: whether all values of a column have it."""
    column = identifier(name)
    whole = f"TRY_CAST({column} AS BIGINT)::VARCHAR = {column}"
    # Text with more digits than an integer can hold is a code.
    number = (
        f"regexp_matches({column}, {quoted(_NUMBER)}) AND "
        f"({column} SIMILAR TO '.*[.eEnN].*' OR TRY_CAST({column} AS BIGINT) IS NOT NULL)"
    )
    looks = {
        "whole": f"coalesce({whole}, false)",
        "number": number,
        "truth": f"lower({column}) IN ('true', 'false')" if truth else "false",
        "infinite": f"{number} OR lower({column}) SIMILAR TO '[+-]?inf(inity)?'",
    }
    all_of = (
        f"{look}: bool_and({rule}) FILTER ({column} IS NOT NULL)" for look, rule in looks.items()
    )
    return "{" + ", ".join(all_of) + "}"


def _cast(
    relation: DuckDBPyRelation, types: dict[str, str], looks: dict[str, str]
) -> DuckDBPyRelation:
    columns = []
    for name, dtype in zip(relation.columns, map(str, relation.types), strict=True):
        column = identifier(name)
        if looks.get(name) == "truth" and dtype == "VARCHAR":
            column = f"CAST({column} AS BOOLEAN)"
        if name in types and dtype != types[name]:
            column = f"CAST({column} AS {types[name]}) AS {identifier(name)}"
        columns.append(column)
    return relation.select(", ".join(columns))


def is_relation(rows: Any) -> bool:
    """Whether rows are those of a DuckDB relation."""
    from duckdb import DuckDBPyRelation

    return isinstance(rows, DuckDBPyRelation)


def distinct_values(relation: DuckDBPyRelation, column: str) -> int:
    """The approximate number of distinct values of a column."""
    ((count,),) = relation.aggregate(f"approx_count_distinct({identifier(column)})").fetchall()
    return int(count)


#: DuckDB vectors per chunk, and rows per vector.
_VECTORS, _VECTOR = 64, 2048


def chunks_of(connection: DuckDBPyConnection, relation: DuckDBPyRelation) -> Iterator[Any]:
    """The rows of a relation as pandas frames of bounded size, in a stream."""
    result = connection.execute(relation.sql_query())
    while len(chunk := result.fetch_df_chunk(_VECTORS)):
        yield chunk


def number_of_chunks(relation: DuckDBPyRelation) -> int:
    """The number of frames that :func:`chunks_of` yields."""
    ((n_rows,),) = relation.aggregate("count(*)").fetchall()
    return -(-int(n_rows) // (_VECTORS * _VECTOR))


def distinct_rows(
    relation: DuckDBPyRelation, columns: Sequence[str], at_most: int
) -> list[tuple[Any, ...]] | None:
    """The distinct rows of some columns; None if there are more than ``at_most``."""
    chosen = ", ".join(map(identifier, columns))
    rows = relation.select(chosen).distinct().limit(at_most + 1).fetchall()
    return None if len(rows) > at_most else rows


def _first_lines(error: BaseException) -> str:
    """The message of a DuckDB error, without its suggestions."""
    text = str(error).split("Possible fixes")[0].split("LINE 1:")[0]
    return "; ".join(line.strip() for line in text.splitlines()[:5] if line.strip())


def by_value(relation: DuckDBPyRelation, column: str) -> Iterator[tuple[str, DuckDBPyRelation]]:
    """The rows of each value of ``column``, in the order of the values.

    Raises
    ------
    ValueError
        If the column is not there or has missing values.
    """
    check_columns(relation.columns, [column])
    name = identifier(column)
    values = relation.aggregate(f"{name}, count(*)").order(name).fetchall()
    check_every_row_has_a_run(column, sum(n for value, n in values if value is None))
    from duckdb import ConstantExpression, SQLExpression

    for value, _ in values:
        rows = relation.filter(SQLExpression(name) == ConstantExpression(value))
        yield str(value), rows


def identifier(name: str) -> str:
    """The name of a column, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _list(files: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted_path, files)) + "]"


def ranked_scores(
    relation: DuckDBPyRelation, column: str, name: str, levels: Sequence[float]
) -> tuple[Array, DuckDBPyRelation]:
    """Thresholds of a score, highest first, and the first threshold that each row reaches.

    Parameters
    ----------
    relation : relation
    column : str
        The score.
    name : str
        What the further column is called.
    levels : sequence of float
        Thresholds are the scores at which the share of rows reaches one of them.

    Returns
    -------
    thresholds : array of shape (thresholds,)
    relation : relation
        The rows with a further column: the position of their first threshold.

    Raises
    ------
    ValueError
        If the column is not there, or a score is missing, infinite or no number.
    """
    check_columns(relation.columns, [column])
    score = f"TRY_CAST({identifier(column)} AS DOUBLE)"
    # isfinite also excludes NaN, whichever condition SQL evaluates first.
    bad = f"count(*) FILTER (NOT coalesce(isfinite({score}), false))"
    quantiles = f"quantile_disc(-{score}, {list(levels)})"
    ((n_bad, found),) = relation.aggregate(f"{bad}, {quantiles}").fetchall()
    if n_bad:
        raise ValueError(
            f"scores must be finite numbers; column {column!r} has {n_bad:,} value(s) that are not"
        )
    # Adding 0 turns -0.0 into 0.0.
    thresholds = -np.unique(np.asarray(found, dtype=float)) + 0.0
    # As text, since SQL would read a number with a point as a decimal and round it twice.
    above = " + ".join(f"({score} < '{limit!r}'::DOUBLE)::BIGINT" for limit in thresholds.tolist())
    return thresholds, relation.select(f"*, {above} AS {identifier(name)}")
