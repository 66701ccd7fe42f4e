"""Files as tables: CSV, Parquet and JSON, which DuckDB reads in a stream."""

from __future__ import annotations

import csv
import glob
import gzip
import hashlib
import os
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from biasamp_adapters.counting.columns import (
    Choice,
    Column,
    are_labels,
    columns_of,
    find_columns,
    unknown_column,
)
from biasamp_adapters.counting.labels import listing
from biasamp_adapters.progress import watch

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

#: The column that says how many rows a distinct row stands for.
COUNT = "n"

#: The kinds of files by the endings of their names.
_KINDS = dict.fromkeys([".csv", ".tsv", ".txt", ".data"], "csv")
_KINDS |= dict.fromkeys([".json", ".jsonl", ".ndjson"], "json")
_KINDS |= dict.fromkeys([".parquet", ".pq"], "parquet")

#: How files begin whose names must have an ending.
_BEGINNINGS = {b"\x1f\x8b": ("gzip", (".gz",)), b"PAR1": ("Parquet", (".parquet", ".pq"))}

#: What reads other files, by their ending.
_READERS = {".xlsx": "pandas.read_excel", ".dta": "pandas.read_stata"}
_READERS |= {".feather": "pandas.read_feather", ".duckdb": "duckdb.connect(...).table"}

_DELIMITERS = ",;\t|"

#: DuckDB's longest line of CSV. A last line that is much longer it leaves out without a word.
_LONGEST_LINE = 2_000_000

#: Parts of errors of DuckDB, and what they mean.
_CAUSES = {
    "unicode": "is not UTF-8{line}: pass the frame of pandas.read_csv(..., encoding=...)",
    "state machine": "mixes line ends (LF and CRLF), or has a quote that does not end{line}",
    "string .* casting": "has text in a column that where compares with a number{line}: quote it",
    "'trim": "has lists or records in a column that must hold labels{line}",
}

#: SQL of the cast that all values of a column of text, $, allow. Codes such as "01" are text, and
#: NaN is a missing number.
_CAST = """CASE
    WHEN bool_and($ IS NULL OR coalesce(TRY_CAST($ AS BIGINT)::VARCHAR = trim($), false))
        THEN 'CAST(trim($) AS BIGINT)'
    WHEN bool_and(regexp_full_match(trim($), '[+-]?((0|[1-9][0-9]{0,17})([.][0-9]*)?|[.][0-9]+)'
        || '([eE][+-]?[0-9]+)?|[nN][aA][nN]')) THEN 'CAST(trim($) AS DOUBLE)'
    WHEN bool_and(lower(trim($)) IN ('true', 'false')) THEN 'CAST(trim($) AS BOOLEAN)'
    WHEN bool_and(lower(trim($)) IN ('true', 'false', '0', '1'))
        THEN 'CAST(CAST(trim($) AS BOOLEAN) AS BIGINT)'
    ELSE '$' END"""

#: SQL of text as a number, or an error that begins with %. Most are 0 and 1, and true and false
#: take long to find.
_NUMBER = """coalesce(TRY_CAST(CASE WHEN strlen($) < 4 THEN $ WHEN lower(trim($)) = 'true' THEN '1'
    WHEN lower(trim($)) = 'false' THEN '0' ELSE $ END AS DOUBLE),
    CASE WHEN $ IS NOT NULL THEN error(% || $) END)"""

#: SQL of what a condition, $1, reads that changes from run to run: functions, or words for clocks.
_CHANGING = """SELECT function_name || '()' FROM duckdb_functions() WHERE (stability = 'VOLATILE'
    OR stability = 'CONSISTENT_WITHIN_QUERY' AND len(parameters) = 0) AND contains(
    json_serialize_sql('SELECT 1 WHERE ' || $1), '"function_name":"' || function_name || '"')
    UNION ALL SELECT word FROM (VALUES ('current_date'), ('current_time'), ('current_timestamp'),
    ('localtime'), ('localtimestamp')) AS clocks(word) WHERE contains(
    lower(json_serialize_sql('SELECT 1 WHERE ' || $1)), '"column_names":["' || word || '"]')"""


@dataclass(frozen=True)
class Selection:
    """Files of which only some rows are read.

    Attributes
    ----------
    paths : sequence of path
    where : str
        A condition of SQL on the columns. Columns of text whose values are all numbers are numbers.
    """

    paths: Sequence[Any]
    where: str


class _File(NamedTuple):
    """A file, the names of its columns, and SQL of a table that calls these c0, c1, ..."""

    path: str
    names: Sequence[str]
    sql: str


def is_saved_counts(path: str) -> bool:
    """Return whether a file holds counts that this package saved."""
    with open(path, "rb") as file:
        beginning = file.read(1024).removeprefix(b"\xef\xbb\xbf")
    # Tools that sort the keys of JSON put "block_sums" first.
    first = rb'\s*\{\s*("format"\s*:\s*"biasamp-counts|"block_sums"\s*:)'
    return re.match(first, beginning) is not None


def query_files(
    paths: Sequence[str],
    arguments: Mapping[str, Any],
    missing_values: Sequence[Any],
    where: str | None = None,
) -> tuple[DuckDBPyConnection, DuckDBPyRelation, list[Choice]]:
    """Return the columns of files that arguments name, as one table with aliases for names.

    Parameters
    ----------
    paths : sequence of str
    arguments : mapping of str to names
    missing_values : sequence
        Text of files without types that stands for a missing value.
    where : str, optional
        The condition that rows must meet.

    Returns
    -------
    connection : DuckDBPyConnection
        A database of the files alone.
    rows : DuckDBPyRelation
        Equal rows of text that holds labels are one, with their number as a further column.
    choices : list of Choice
    """
    if where is not None and any(map(is_saved_counts, paths)):
        raise ValueError("where chooses rows, and counts hold none: count with where instead.")
    kind, connection, files = _open(paths)
    try:
        choices = find_columns(files[0].names, arguments)
    except ValueError:
        _check_header(files[0], kind)
        raise
    columns, conditions = columns_of(choices), _columns_in(where or "", files[0].names)
    missing_values = () if kind == "parquet" else missing_values
    queries = [_select(file, columns | conditions, missing_values) for file in files]
    rows = connection.sql(" UNION ALL ".join(queries))
    if where is not None:
        if changing := connection.execute(_CHANGING, [where]).fetchone():
            raise ValueError(f"where must choose the same rows each time; received {changing[0]}")
        rows = _filter(rows, list(columns), conditions, where, files[0].names)
    if kind != "parquet":
        rows = _with_types(connection, rows, choices)
    return connection, rows, choices


def names_of_columns(path: Any) -> Sequence[str]:
    """Return the names of the columns of a file, or of the first of several."""
    with explained(path) as files:
        return _open(files[:1])[2][0].names


def are_paths(values: Any) -> bool:
    """Return whether a value is a path or a name, or a list of these."""
    several = values if isinstance(values, list | tuple) else [values]
    return all(isinstance(value, str | os.PathLike) for value in several)


def find_files(path: Any) -> list[str]:
    """Return the files of a path or pattern, or of a list of these, each once."""
    if isinstance(path, list | tuple):
        files = [file for one in path for file in find_files(one)]
        return list({os.path.realpath(file): file for file in files}.values())
    path = os.path.expanduser(os.fspath(path))
    names = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not names:
        is_address = re.match(r"\w\w+:/", path)
        rule = "Paths must be those of local files; received" if is_address else "There is no file"
        raise FileNotFoundError(f"{rule} {_quote(path)}.")
    for name in names:
        if not os.path.isfile(name):
            raise ValueError(f"{_quote(name)} must be a file, or files as in 'folder/*.csv'.")
        if not os.path.getsize(name):
            raise ValueError(f"{_quote(name)} is empty.")
    return names


def digests_of(data: Any) -> dict[str, str]:
    """Return the SHA-256 of files by their names; nothing if the data are not files."""
    paths = data.paths if isinstance(data, Selection) else data
    if not are_paths(paths):
        return {}
    files = find_files(paths)
    names = {file: os.path.basename(file) for file in files}
    if len(set(names.values())) < len(files):
        names = {file: file for file in files}
    digests = {}
    for file in watch(files, len(files), "digests of files", "fewer files"):
        with open(file, "rb") as opened:
            digests[names[file]] = hashlib.file_digest(opened, "sha256").hexdigest()
    return digests


def _open(paths: Sequence[str]) -> tuple[str, DuckDBPyConnection, list[_File]]:
    """Return the kind of all files, a database of these alone, and their tables."""
    import duckdb

    kinds = {_kind_of(path) for path in paths}
    if len(kinds) != 1:
        raise ValueError("Files must be all CSV, all Parquet or all JSON, and at least one.")
    kind = kinds.pop()
    connection = duckdb.connect(config={"enable_external_file_cache": False})
    connection.execute("SET TimeZone = 'UTC'")  # Labels do not depend on the machine.
    # A condition must not read other files. DuckDB compares these as they are written in SQL.
    names = [name for path in map(os.path.abspath, paths) for name in (path, glob.escape(path))]
    connection.execute(f"SET allowed_paths = [{', '.join(map(_literal, names))}]")
    connection.execute("SET enable_external_access = false")
    read = _open_csv if kind == "csv" else _open_typed
    return kind, connection, [read(path, kind, connection) for path in paths]


def _kind_of(path: str) -> str:
    """Return whether a file is CSV, JSON or Parquet."""
    lower = path.lower()
    with open(path, "rb") as file:
        beginning = file.read(4)
    for begins, (kind, endings) in _BEGINNINGS.items():
        if beginning.startswith(begins) and not lower.endswith(endings):
            raise ValueError(f"{_quote(path)} is {kind}: let its name end in {endings[0]!r}.")
    ending = os.path.splitext(lower.removesuffix(".gz"))[1]
    if ending not in _KINDS:
        reader = _READERS.get(ending, "pandas.read_csv")
        raise ValueError(f"{_quote(path)} must be CSV, Parquet or JSON: pass {reader}(...).")
    return _KINDS[ending]


# Tables of SQL.


def _open_csv(path: str, kind: str, connection: DuckDBPyConnection) -> _File:
    """Return a table of text, without the guesses of DuckDB, which takes "yes" for true."""
    _check_last_line(path)
    options = f"{_pattern(path)}, auto_detect = false, strict_mode = true"
    lines = connection.sql(
        f"FROM read_csv({options}, columns = {{line: 'VARCHAR'}}, delim = '\x1f', quote = '')"
    )
    header = [line for (line,) in lines.limit(1).fetchall() if line]
    # The delimiter is the one that gives most names.
    readings = [(next(csv.reader(header, delimiter=x), []), x) for x in _DELIMITERS]
    names, delimiter = max(readings, key=lambda reading: len(reading[0]))
    columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(names)))
    options += f", header = true, delim = '{delimiter}', quote = '\"', escape = '\"', comment = ''"
    return _File(path, names, f"read_csv({options}, nullstr = '', columns = {{{columns}}})")


def _check_last_line(path: str) -> None:
    """Raise if a file ends with a line that DuckDB leaves out without a word."""
    opener, block = gzip.open if path.lower().endswith(".gz") else open, b"\n"
    # DuckDB says what is wrong with a file that cannot be unpacked.
    with suppress(OSError, EOFError, zlib.error), opener(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 2 * _LONGEST_LINE))
        while b"\n" in block or b"\r" in block:
            block = file.read(_LONGEST_LINE)
    if len(block) == _LONGEST_LINE:
        raise ValueError(f"{_quote(path)} has a line that is too long.")


def _open_typed(path: str, kind: str, connection: DuckDBPyConnection) -> _File:
    """Return a table of Parquet, or one of JSON whose values are text but for lists and records."""
    options = _pattern(path)
    if kind == "json":
        options += ", format = 'auto', sample_size = -1, map_inference_threshold = -1"
    found = connection.sql(f"FROM read_{kind}({options})")
    if found.columns == ["json"]:  # What DuckDB calls values that are no records.
        raise ValueError(f"{_quote(path)} must hold records.")
    if kind == "json":
        types = [str(x) if str(x)[-1] in ")]" else "VARCHAR" for x in found.types]
        pairs = zip(map(_literal, found.columns), map(_literal, types), strict=True)
        options += f", columns = {{{', '.join(map(': '.join, pairs))}}}"
    aliases = ", ".join(f"c{i}" for i in range(len(found.columns)))
    return _File(path, found.columns, f"read_{kind}({options}) AS t({aliases})")


def _select(file: _File, columns: Mapping[str, Column], missing_values: Sequence[Any] = ()) -> str:
    """Return SQL of columns of a file by their aliases."""
    missing = ", ".join(_literal(str(value)) for value in missing_values)
    chosen = []
    for alias, column in columns.items():
        if file.names.count(column.name) != 1:
            raise ValueError(f"{_quote(file.path)} must have one column {column.name!r:.40}.")
        sql = f"c{file.names.index(column.name)}"
        if missing:
            sql = f"CASE WHEN {sql} NOT IN ({missing}) THEN {sql} END"
        chosen.append(f"{sql} AS {alias}")
    return f"SELECT {', '.join(chosen)} FROM {file.sql}"


def _with_types(connection: DuckDBPyConnection, rows: Any, choices: list[Choice]) -> Any:
    """Return rows of text with types; columns of one variable are text if one of them is."""
    columns = columns_of(choices)
    if are_labels(choices):  # So that the files are read once.
        rows.aggregate(f"{', '.join(columns)}, count(*) AS {COUNT}").create("grouped")
        rows = connection.table("grouped")
    casts = {}
    for alias, column in columns.items():
        rule = _literal(f"column {listing([column.name])} must hold numbers; received ")
        casts[alias] = _NUMBER.replace("$", alias).replace("%", rule)
    labels = {alias: column.variable for alias, column in columns.items() if column.variable}
    casts |= _find_casts(rows, labels)
    texts = [variable for alias, variable in labels.items() if casts[alias] == alias]
    casts |= {alias: alias for alias, variable in labels.items() if variable in texts}
    replaced = ", ".join(f"{cast} AS {alias}" for alias, cast in casts.items())
    return rows.project(f"* REPLACE ({replaced})")


def _find_casts(rows: Any, aliases: Collection[str]) -> dict[str, str]:
    """Return SQL of the cast that all values of each column of text allow."""
    if not aliases:
        return {}
    questions = ", ".join(_CAST.replace("$", alias) for alias in aliases)
    [casts] = rows.project(", ".join(aliases)).distinct().aggregate(questions).fetchall()
    return dict(zip(aliases, casts, strict=True))


def _columns_in(where: str, names: Sequence[str]) -> dict[str, Column]:
    """Return the columns that a condition names, by aliases; SQL ignores capital letters."""
    quoted_and_plain = re.findall(r'"((?:[^"]|"")+)"|(\w+)', re.sub(r"'[^']*'", " ", where))
    words = [(quoted or plain).replace('""', '"') for quoted, plain in quoted_and_plain]
    # A name in the letters of the condition wins.
    by_name = {name.casefold(): name for name in sorted(names, key=lambda name: name in words)}
    found = dict.fromkeys(by_name[x.casefold()] for x in words if x.casefold() in by_name)
    return {f"w{i}": Column(name, None) for i, name in enumerate(found)}


def _filter(
    rows: Any,
    aliases: list[str],
    conditions: Mapping[str, Column],
    where: str,
    names: Sequence[str],
) -> Any:
    """Return the rows that meet a condition, which calls values by the names of columns."""
    import duckdb

    types = dict(zip(rows.columns, rows.types, strict=True))
    casts = _find_casts(rows, [alias for alias in conditions if types[alias] == "VARCHAR"])
    chosen = list(aliases)
    for alias, column in conditions.items():
        quoted = column.name.replace('"', '""')
        chosen.append(f'{casts.get(alias, alias)} AS "{quoted}"')
    try:
        found = rows.project(", ".join(chosen)).filter(where)
    except duckdb.Error as error:
        unknown = re.search(r'Referenced column "(.+)" not found', str(error))
        if unknown:
            raise unknown_column(unknown[1], names) from None
        cause = str(error).splitlines()[0].rpartition(" Error: ")[2]
        rule = "where must be one condition of SQL, such as \"age >= 18 AND sex = 'F'\""
        raise ValueError(f"{rule}; received {where!r:.80}: {cause[:120].strip(' .')}.") from None
    if not found.limit(1).fetchall():
        raise ValueError(f"No row meets where; received {where!r:.80}.")
    return found.project(", ".join(aliases))


def _check_header(file: _File, kind: str) -> None:
    """Raise if the first line of CSV has numbers for names, or none."""
    has_names = file.names and not any(re.fullmatch(r"\s*-?[0-9.]+\s*", x) for x in file.names)
    if kind == "csv" and not has_names:
        remedy = "write them first, or pass pandas.read_csv(..., names=[...])"
        raise ValueError(f"{_quote(file.path)} must begin with the names of columns: {remedy}.")


def _literal(text: str) -> str:
    """Return text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _pattern(path: str) -> str:
    """Return a path as SQL writes it: absolute, so that it is no address, and no pattern."""
    # DuckDB before 2.0 knows this ending in small letters only.
    option = ", compression = 'gzip'" if path.lower().endswith(".gz") else ""
    return _literal(glob.escape(os.path.abspath(path))) + option


# Errors.


@contextmanager
def explained(path: Any) -> Iterator[list[str]]:
    """Find files; raise the errors of their readers as one line with the cause, without data."""
    import duckdb

    files = find_files(path)
    try:
        yield files
    except (duckdb.Error, csv.Error) as error:
        # DuckDB repeats the line of the file, says the cause, and then what to do.
        before = re.split(r"\n\s*(?:Possible|This can|Candidate|Try|LINE)|: Object", str(error))[0]
        cause = before.splitlines()[-1].rpartition(" Error: ")[2]
        name = next((name for name in files if os.path.abspath(name) in str(error)), files[0])
        number = re.search(r"on Line: (\d+)", str(error))
        line = f" (line {number[1]})" if number else ""
        message = f"cannot be read{line}: {cause[:150].strip(' .')}"
        for part, meaning in _CAUSES.items():
            if re.search(part, cause):
                message = meaning.format(line=line)
        raise ValueError(f"{_quote(name)} {message}.") from None


def _quote(path: str) -> str:
    """Return a path as a message shows it: its end, if it is long."""
    return repr(path if len(path) <= 80 else f"…{path[-79:]}")
