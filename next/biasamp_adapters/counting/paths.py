"""Files as tables: CSV, Parquet and JSON, which DuckDB reads in a stream."""

from __future__ import annotations

import csv
import difflib
import glob
import gzip
import os
import re
import stat
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from biasamp_adapters.counting.columns import UnknownColumnError, position_of, positions_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_CSV, _JSON = (".csv", ".tsv", ".txt", ".data"), (".json", ".jsonl", ".ndjson")
_PARQUET = (".parquet", ".pq")
_DELIMITERS = ",;\t|"

#: How files of a format begin, and what their names end in.
_BEGINNINGS = {b"\x1f\x8b": ("gzip", (".gz",)), b"PAR1": ("Parquet", _PARQUET)}

#: Functions of pandas that read other files, by their ending.
_PANDAS = {".xlsx": "read_excel", ".dta": "read_stata", ".feather": "read_feather"}

#: DuckDB's longest line of CSV. A last line that is much longer it leaves out without a word.
_LONGEST_LINE = 2_000_000

#: Parts of errors of DuckDB, which may show data, and what they mean.
_CAUSES = {
    "unicode": "is not UTF-8{line}: pass the frame of pandas.read_csv(..., encoding=...)",
    "aximum line size|Parallel CSV Reader": "has a line that is too long{line}",
    "unterminated quote": "has a quote that does not end{line}",
    "state machine": "mixes line ends (LF and CRLF), or has a quote that does not end",
    "Expected Number of Columns": "has more or fewer cells than its header{line}",
    "Could not convert string": "has text in a column that must hold numbers",
    "'trim": "has lists or records in a column that must hold labels",
}

#: SQL of the type that all values of a column of text, $, have. Codes such as "01" are text, and
#: NaN is a missing number.
_TYPE = """CASE
    WHEN bool_and($ IS NULL OR coalesce(TRY_CAST($ AS BIGINT)::VARCHAR = trim($), false))
        THEN 'BIGINT'
    WHEN bool_and(regexp_full_match(trim($), '[+-]?((0|[1-9][0-9]{0,17})([.][0-9]*)?|[.][0-9]+)'
        || '([eE][+-]?[0-9]+)?|[nN][aA][nN]')) THEN 'DOUBLE'
    WHEN bool_and(lower(trim($)) IN ('true', 'false', '0', '1')) THEN 'BOOLEAN'
    ELSE 'VARCHAR' END"""

#: SQL of text as a number. Most are 0 and 1, and true and false take long to find.
_NUMBER = """CAST(CASE WHEN strlen($) < 4 THEN $ WHEN lower(trim($)) = 'true' THEN '1'
    WHEN lower(trim($)) = 'false' THEN '0' ELSE $ END AS DOUBLE)"""


class _Reader(NamedTuple):
    """A file, the names of its columns, and SQL of a table that calls these c0, c1, ..."""

    file: str
    names: tuple[str, ...]
    sql: str


@dataclass(frozen=True)
class Files:
    """The rows of files as one table.

    Attributes
    ----------
    paths : list of str
    connection : DuckDBPyConnection
        A database of their own.
    readers : list of _Reader
    is_text : bool
        Whether all values are text, whose types are still to be found.
    """

    paths: list[str]
    connection: DuckDBPyConnection
    readers: list[_Reader]
    is_text: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the first file."""
        return self.readers[0].names

    def check_header(self) -> None:
        """Raise if the first line of CSV has numbers for names, or is unlike the second line."""
        name = self.paths[0]
        if _kind_of(name) != _CSV:
            return
        delimiter, names = _read_header(name)
        _, second = _first_lines(name, delimiter, 2)
        has_numbers = any(re.fullmatch(r"\s*-?[0-9.]+\s*", cell) for cell in names)
        if has_numbers or len(second) not in (0, len(names)):
            raise ValueError(
                f"{_quote(name)} seems to have no header line. Read it with "
                "pandas.read_csv(..., names=[...]) and pass the frame."
            )

    def read(
        self,
        columns: Mapping[str, int],
        labels: Sequence[Sequence[str]],
        missing_values: Collection[Any],
        count: str | None,
    ) -> DuckDBPyRelation:
        """Return some columns of all files, with the types of all their values.

        Parameters
        ----------
        columns : mapping of str to int
            The positions of columns in the first file, by their names in the result.
        labels : sequence of sequences of str
            Columns that hold labels; those that belong together are text if one of them is. Other
            columns hold numbers.
        missing_values : collection
            Text that stands for a missing value.
        count : str or None
            The column of the number of rows, if distinct rows are returned.
        """
        rows = " UNION ALL ".join(self._select(columns, missing_values))
        if not self.is_text:
            return self.connection.sql(rows)
        if count is not None:  # So that the files are read once.
            grouped = f"SELECT *, count(*) AS {count} FROM ({rows}) GROUP BY ALL"
            self.connection.execute(f"CREATE TEMP TABLE grouped AS {grouped}")
            rows = "FROM grouped"
        casts = {column: _NUMBER.replace("$", column) for column in columns}
        for column, kind in self._find_types(rows, labels).items():
            casts[column] = column if kind == "VARCHAR" else f"CAST(trim({column}) AS {kind})"
        chosen = [f"{cast} AS {column}" for column, cast in casts.items()]
        chosen += [] if count is None else [count]
        return self.connection.sql(f"SELECT {', '.join(chosen)} FROM ({rows})")

    def _select(self, columns: Mapping[str, int], missing_values: Collection[Any]) -> Iterator[str]:
        """Yield SQL of the columns of each reader."""
        missing = ", ".join(_literal(str(value)) for value in missing_values)
        for reader in self.readers:
            table, chosen = positions_of(reader.names), []
            for alias, position in columns.items():
                try:
                    column = f"c{position_of(self.names[position], table)}"
                except UnknownColumnError as error:
                    raise ValueError(f"{_quote(reader.file)}: {error}") from None
                if missing and self.is_text:
                    column = f"CASE WHEN {column} NOT IN ({missing}) THEN {column} END"
                chosen.append(f"{column} AS {alias}")
            yield f"SELECT {', '.join(chosen)} FROM {reader.sql}"

    def _find_types(self, rows: str, labels: Sequence[Sequence[str]]) -> dict[str, str]:
        """Return the types of the columns of labels."""
        columns = list(dict.fromkeys(column for together in labels for column in together))
        if not columns:
            return {}
        questions = ", ".join(_TYPE.replace("$", column) for column in columns)
        query = f"SELECT {questions} FROM (SELECT DISTINCT {', '.join(columns)} FROM ({rows}))"
        types = dict(zip(columns, self.connection.execute(query).fetchall()[0], strict=True))
        for together in [*labels, *labels]:  # Twice, as a column may belong to two.
            if "VARCHAR" in [types[column] for column in together]:
                types |= dict.fromkeys(together, "VARCHAR")
        return types


def is_saved_counts(path: Any) -> bool:
    """Return whether a path is that of counts that this package saved."""
    path = os.path.expanduser(path)
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return re.match(rb'\s*\{\s*"format"\s*:\s*"biasamp-counts', file.read(1024)) is not None


def open_files(paths: Sequence[Any]) -> Files:
    """Return the table of the files that paths and patterns name."""
    import duckdb

    files = list(dict.fromkeys(name for path in paths for name in find_files(path)))
    kinds = {_kind_of(name) for name in files}
    if len(kinds) != 1:
        raise ValueError("Files must be all CSV, all Parquet or all JSON, and at least one.")
    options = "autoinstall_known_extensions", "autoload_known_extensions"
    connection = duckdb.connect(
        config=dict.fromkeys([*options, "enable_external_file_cache"], False)
    )
    connection.execute("SET TimeZone = 'UTC'")  # Labels do not depend on the machine.
    with explained(files):
        if kinds == {_CSV}:
            readers = list(map(_csv_reader, files))
        else:
            readers = [_typed_reader(connection, files, is_json=kinds == {_JSON})]
    return Files(files, connection, readers, is_text=kinds != {_PARQUET})


def find_files(path: Any) -> list[str]:
    """Return the files of a path or pattern."""
    path = os.path.expanduser(os.fspath(path))
    names = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not names:
        folder, name = os.path.split(path)
        if not os.path.isdir(folder or "."):
            raise FileNotFoundError(f"There is no folder {_quote(folder)}.")
        similar = difflib.get_close_matches(name, os.listdir(folder or "."), 1, cutoff=0.75)
        guess = f" Did you mean {_quote(os.path.join(folder, similar[0]))}?" if similar else ""
        raise FileNotFoundError(f"There is no file {_quote(path)}.{guess}")
    for name in names:
        mode = os.stat(name).st_mode
        if stat.S_ISDIR(mode):
            raise ValueError(f"{_quote(name)} is a folder: name its files, as in 'folder/*.csv'.")
        if not stat.S_ISREG(mode):
            kind = "pipe" if stat.S_ISFIFO(mode) else "device"
            raise ValueError(f"{_quote(name)} is a {kind}: write its rows to a file first.")
        if not os.path.getsize(name):
            raise ValueError(f"{_quote(name)} is empty.")
    return names


def _kind_of(name: str) -> tuple[str, ...]:
    """Return the endings that files of the same kind have."""
    lower = name.lower()
    with open(name, "rb") as file:
        beginning = file.read(4)
    for begins, (kind, endings) in _BEGINNINGS.items():
        if beginning.startswith(begins) and not lower.endswith(endings):
            raise ValueError(f"{_quote(name)} is {kind}: let its name end in {endings[0]!r}.")
    if lower.endswith(_PARQUET):
        return _PARQUET
    for kinds in (_CSV, _JSON):
        if lower.removesuffix(".gz").endswith(kinds):
            return kinds
    reader = _PANDAS.get(os.path.splitext(lower)[1], "read_csv")
    raise ValueError(
        f"{_quote(name)} must be CSV, Parquet or JSON. Read it with pandas and pass the frame: "
        f"pandas.{reader}({_quote(name)})"
    )


# Tables of SQL.


def _csv_reader(name: str) -> _Reader:
    """Return a table of text, without the guesses of DuckDB, which takes "yes" for true."""
    with explained([name]):
        _check_last_line(name)
        delimiter, names = _read_header(name)
    columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(names)))
    sql = (
        f"read_csv({_literals([name])}, auto_detect = false, header = true, strict_mode = true, "
        f"delim = {_literal(delimiter)}, quote = '\"', escape = '\"', comment = '', nullstr = '', "
        f"columns = {{{columns}}})"
    )
    return _Reader(name, names, sql)


def _read_header(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter of a file, which is the one that gives most columns, and their names."""
    headers = {delimiter: _first_lines(name, delimiter, 1) for delimiter in _DELIMITERS}
    delimiter, (names, *_) = max(headers.items(), key=lambda header: len(header[1][0]))
    if not names:
        raise ValueError(f"{_quote(name)} has no header line.")
    "".join(names).encode()  # Raises for what is not UTF-8.
    return delimiter, names


def _first_lines(name: str, delimiter: str, n_lines: int) -> list[tuple[str, ...]]:
    """Return the cells of the first lines; empty ones for lines that are not there."""
    with _open(name, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        lines = csv.reader(file, delimiter=delimiter)
        return [tuple(next(lines, ())) for _ in range(n_lines)]


def _check_last_line(name: str) -> None:
    """Raise if a file ends with a line that DuckDB leaves out without a word."""
    with _open(name, "rb") as file:
        if not name.lower().endswith(".gz"):
            file.seek(max(0, os.path.getsize(name) - 2 * _LONGEST_LINE))
        while len(block := file.read(_LONGEST_LINE)) == _LONGEST_LINE:
            if b"\n" not in block and b"\r" not in block:
                raise ValueError(f"{_quote(name)} has a line that is too long.")


def _open(name: str, mode: str, **options: Any) -> Any:
    """Open a file, whether it is gzip or not."""
    return (gzip.open if name.lower().endswith(".gz") else open)(name, mode, **options)


def _typed_reader(
    connection: DuckDBPyConnection, files: Sequence[str], *, is_json: bool
) -> _Reader:
    """Return a table of Parquet, or one of JSON whose values are text but for lists and records."""
    sql = f"read_parquet({_literals(files)}, union_by_name = true)"
    if is_json:
        options = f"{_literals(files)}, format = 'auto'"
        found = connection.sql(
            f"FROM read_json({options}, sample_size = -1, map_inference_threshold = -1)"
        )
        columns = ", ".join(
            f"{_literal(name)}: {_literal(kind if kind[-1] in ')]' else 'VARCHAR')}"
            for name, kind in zip(found.columns, map(str, found.types), strict=True)
        )
        sql = f"read_json({options}, columns = {{{columns}}})"
    names = tuple(connection.sql(f"FROM {sql}").columns)
    return _Reader(files[0], names, f"{sql} AS t({', '.join(f'c{i}' for i in range(len(names)))})")


def _literal(text: str) -> str:
    """Return text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _literals(files: Sequence[str]) -> str:
    """Return paths as SQL writes them: absolute, so that none is an address, and no patterns."""
    paths = [re.sub(r"([*?\[])", r"[\1]", os.path.abspath(name)) for name in files]
    return f"[{', '.join(map(_literal, paths))}]"


# Errors.


@contextmanager
def explained(files: Sequence[str]) -> Iterator[None]:
    """Raise the errors of readers as one line with the cause, and without the data."""
    import duckdb

    try:
        yield
    except UnicodeError:
        raise ValueError(_explain("unicode", files)) from None
    except csv.Error:
        raise ValueError(_explain("aximum line size", files)) from None
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise ValueError(f"{_quote(files[0])} is no gzip file, or is cut short.") from None
    except duckdb.Error as error:
        raise ValueError(_explain(str(error), files)) from None


def _explain(text: str, files: Sequence[str]) -> str:
    """Return what the text of an error means."""
    name = next((name for name in files if os.path.abspath(name) in text), files[0])
    number = re.search(r"on Line: (\d+)", text)
    line = f" (line {number[1]})" if number else ""
    for part, cause in _CAUSES.items():
        if re.search(part, text):
            return f"{_quote(name)} {cause.format(line=line)}."
    first = re.split(r"\n|Original Line|: Object", text.partition(": ")[2])[0]
    return f"{_quote(name)} cannot be read: {first[:150].strip(' .')}."


def _quote(path: str) -> str:
    """Return a path as a message shows it: its end, if it is long."""
    return repr(path if len(path) <= 80 else f"…{path[-79:]}")
