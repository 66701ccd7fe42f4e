"""CSV and Parquet files as DuckDB relations: read in streams, so larger than memory.

CSV is read as text by a fixed dialect, without guessing: a guess can turn "yes" into True, take a
row that starts with "#" for a comment, or give one column two types in two files. What the text
means is then settled for all columns that must agree, from all of their rows.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasamp_adapters.inputs.paths import expand, folder_keys, quoted, quoted_path, same_name

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
    """A connection to read files with; what DuckDB cannot do with them is a ValueError."""
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
        If a file is missing, of another kind, empty, or has no sound header.
    """
    import duckdb

    files = expand(patterns)
    kinds = {_kind(name) for name in files}
    if len(kinds) > 1:
        raise ValueError(f"files must all be CSV or all be Parquet; received {files}")
    empty = [name for name in files if Path(name).stat().st_size == 0]
    if empty:
        raise ValueError(f"a file must have rows; {empty[0]!r} is empty")
    parts = (
        [f"read_parquet({_list(files)}, union_by_name = true"]
        if kinds == {_PARQUET}
        else _csv_parts(files)
    )

    def select(**options: str) -> DuckDBPyRelation:
        said = "".join(f", {name} = {value}" for name, value in options.items())
        readers = (f"SELECT * FROM {part}{said}, hive_types_autocast = false)" for part in parts)
        return connection.sql(" UNION ALL BY NAME ".join(readers))

    try:
        plain = select(filename="false", hive_partitioning="false")
        named = filename and FILENAME not in plain.columns
        return select(
            filename=quoted(FILENAME) if named else "false",
            hive_partitioning="true" if _partitioned(connection, files, plain.columns) else "false",
        )
    except (duckdb.Error, RuntimeError, UnicodeError) as error:
        # Names of columns that are no text end in an error that is not DuckDB's.
        raise ValueError(f"cannot read {', '.join(files)}: {_first_lines(error)}") from None


def _partitioned(
    connection: DuckDBPyConnection, files: Sequence[str], columns: Sequence[str]
) -> bool:
    """Whether the folders of all files give further columns, as in ``race=a/part.parquet``.

    Raises
    ------
    ValueError
        If a folder gives a column that a file in it has too: one of them would be overridden.
    """
    keys = {name: folder_keys(name) for name in files}
    known = set(map(same_name, columns))
    for name in files:
        if not known.isdisjoint(map(same_name, keys[name])):
            _check_keys(connection, name, keys[name])
    return bool(keys[files[0]]) and all(each == keys[files[0]] for each in keys.values())


def _check_keys(connection: DuckDBPyConnection, name: str, keys: Sequence[str]) -> None:
    """Raise for a folder key that is a column of the file."""
    if _kind(name) == _PARQUET:
        query = f"SELECT * FROM read_parquet({quoted_path(name)}, hive_partitioning = false)"
        columns: Sequence[str] = connection.sql(query).columns
    else:
        _, columns = _header(name)
    for key in keys:
        both = [column for column in columns if same_name(column) == same_name(key)]
        if both:
            raise ValueError(
                f"a folder key must not be a column of a file in that folder; received the key "
                f"{key!r} of the path {name!r}, whose file has the column {both[0]!r} (rename one "
                "of the two, or name the file from inside of that folder)"
            )


def _csv_parts(files: Sequence[str]) -> list[str]:
    """A call, still open, for all files that share a dialect and a header; columns are text."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in files:
        alike.setdefault(_header(name), []).append(name)
    parts = []
    for (delimiter, names), members in alike.items():
        columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
        parts.append(
            f"read_csv({_list(members)}, auto_detect = false, header = true, strict_mode = true, "
            f"delim = {quoted(delimiter)}, quote = '\"', escape = '\"', comment = '', "
            f"nullstr = '', columns = {{{columns}}}"
        )
    return parts


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
    if not names or "" in names or len(set(map(same_name, names))) < len(names):
        raise ValueError(
            f"the first line of {name!r} must name each column, once, where capital letters make "
            f"no difference; received {list(names)}"
        )
    return delimiter, names


def _kind(name: str) -> tuple[str, ...]:
    for kind in (_CSV, _PARQUET):
        if name.lower().endswith(kind):
            return kind
    raise ValueError(f"FILE must end in {', '.join(_CSV + _PARQUET)}; received {name!r}")


def agree_on_types(
    data: DuckDBPyRelation,
    reference: DuckDBPyRelation | None,
    roles: Sequence[Sequence[str]],
    indicators: Collection[str] = (),
) -> tuple[DuckDBPyRelation, DuckDBPyRelation | None]:
    """Give the columns of each role one type in data and reference.

    Columns become whole numbers if all of their values are, else numbers if all are, else text.
    A number must look as it is written: codes such as "01" stay text.

    Parameters
    ----------
    data, reference : relations
    roles : sequence of lists of column names
        Columns that speak of the same labels.
    indicators : collection of str
        Columns of 0 and 1, where true and false are these numbers.
    """
    names = [name for role in roles for name in role]
    looks = [_looks(each, names, indicators) for each in (data, reference) if each is not None]
    wanted: dict[str, str] = {}
    for role in roles:
        seen = {look[name] for look in looks for name in role if name in look}
        if seen <= {"whole", "truth"}:
            kind = "BIGINT"
        elif seen <= {"whole", "number", "truth"}:
            kind = "DOUBLE"
        else:
            # One type of its own, such as BOOLEAN, stays; a mixture is compared as text, and so are
            # times with a zone, which Python reads by the clock of the machine.
            kind = seen.pop() if len(seen) == 1 and not seen & {"text", _ZONED} else "VARCHAR"
        wanted |= dict.fromkeys(role, kind)
    return (
        _cast(data, wanted, looks[0]),
        None if reference is None else _cast(reference, wanted, looks[1]),
    )


def _looks(
    relation: DuckDBPyRelation, names: Sequence[str], indicators: Collection[str]
) -> dict[str, str]:
    """What values look like: "whole", "number", "truth", "text", or another type of the column."""
    looks = {}
    questions = []
    for name, dtype in zip(relation.columns, map(str, relation.types), strict=True):
        if name not in names:
            continue
        if dtype.startswith(_FRACTION):
            looks[name] = "number"
        elif dtype in _WHOLE:
            looks[name] = "whole"
        elif dtype == "BOOLEAN" and name in indicators:
            looks[name] = "truth"
        elif dtype != "VARCHAR":
            looks[name] = dtype
        else:
            column = identifier(name)
            whole = f"TRY_CAST({column} AS BIGINT)::VARCHAR = {column}"
            # More digits than a whole number holds are a code, and no number.
            number = (
                f"regexp_matches({column}, {quoted(_NUMBER)}) AND "
                f"({column} SIMILAR TO '.*[.eEnN].*' OR TRY_CAST({column} AS BIGINT) IS NOT NULL)"
            )
            truth = f"lower({column}) IN ('true', 'false')" if name in indicators else "false"
            infinite = f"{number} OR lower({column}) SIMILAR TO '[+-]?inf(inity)?'"
            for question in (f"coalesce({whole}, false)", number, truth, infinite):
                questions.append((name, f"bool_and({question}) FILTER ({column} IS NOT NULL)"))
    if questions:
        (answers,) = relation.aggregate(", ".join(text for _, text in questions)).fetchall()
        kinds = ("whole", "number", "truth", "infinite")
        for i in range(0, len(questions), len(kinds)):
            found = zip(kinds, answers[i : i + len(kinds)], strict=True)
            looks[questions[i][0]] = next((kind for kind, yes in found if yes), "text")
    wrong = [name for name, look in looks.items() if look == "infinite"]
    if wrong:
        raise ValueError(f"column {wrong[0]!r} must hold finite numbers; received infinite ones")
    return looks


def _cast(
    relation: DuckDBPyRelation, wanted: dict[str, str], looks: dict[str, str]
) -> DuckDBPyRelation:
    columns = []
    for name, dtype in zip(relation.columns, map(str, relation.types), strict=True):
        column = identifier(name)
        if looks.get(name) == "truth" and dtype == "VARCHAR":
            column = f"CAST({column} AS BOOLEAN)"
        if name in wanted and dtype != wanted[name]:
            column = f"CAST({column} AS {wanted[name]}) AS {identifier(name)}"
        columns.append(column)
    return relation.select(", ".join(columns))


def distinct_values(relation: DuckDBPyRelation, column: str) -> int:
    """About how many values a column has."""
    if column not in relation.columns:
        return 0
    ((count,),) = relation.aggregate(f"approx_count_distinct({identifier(column)})").fetchall()
    return int(count)


#: Vectors of DuckDB that make up a chunk, and rows of a vector.
_VECTORS, _VECTOR = 64, 2048


def chunks_of(connection: DuckDBPyConnection, relation: DuckDBPyRelation) -> Iterator[Any]:
    """The rows of a relation as pandas frames of bounded size, in a stream."""
    result = connection.execute(relation.sql_query())
    while len(chunk := result.fetch_df_chunk(_VECTORS)):
        yield chunk


def number_of_chunks(relation: DuckDBPyRelation) -> int:
    """How many frames :func:`chunks_of` hands out."""
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
    """What an error of DuckDB says, without its proposals."""
    text = str(error).split("Possible fixes")[0].split("LINE 1:")[0]
    return "; ".join(line.strip() for line in text.splitlines()[:5] if line.strip())


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
    name = identifier(column)
    values: list[tuple[Any, ...]] = relation.aggregate(name).order(name).fetchall()
    if any(value is None for (value,) in values):
        raise ValueError(f"column {column!r} must not have missing values")
    from duckdb import ConstantExpression, SQLExpression

    for (value,) in values:
        rows = relation.filter(SQLExpression(name) == ConstantExpression(value))
        yield str(value), rows


def identifier(name: str) -> str:
    """The name of a column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _list(files: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted_path, files)) + "]"
