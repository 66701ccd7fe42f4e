"""Documents: a header and columns of numbers, as JSON or Parquet, with a checksum; no pickle."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biasamp_adapters._files import replacing, write_text
from biasamp_adapters._typing import Array
from biasamp_adapters.inputs.files import connect, quoted, quoted_path, reading

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The numbers that a column of a document holds.
WHOLE, REAL = np.dtype("<i8"), np.dtype("<f8")

#: Errors of reading any other file: RuntimeError if lists are nested too deeply, or if names of
#: columns are not text.
UNREADABLE = (KeyError, IndexError, TypeError, ValueError, OverflowError, RuntimeError)


def write_document(
    header: Mapping[str, Any], columns: Mapping[str, Array], path: str | os.PathLike[str]
) -> None:
    """Write a document in the format that the ending of ``path`` names, atomically.

    Parameters
    ----------
    header : mapping
        Everything that is not a column, such as ``format``; ``sha256`` is added.
    columns : mapping of str to array
        Arrays of one or two dimensions; each column of the latter is a column of the file.
    path : path-like
    """
    target = Path(path)
    header = {**header, "sha256": checksum(header, columns)}
    if target.suffix == ".json":
        lists = {name: values.tolist() for name, values in columns.items()}
        write_text(json.dumps({**header, **lists}, allow_nan=False) + "\n", target)
        return
    flat = {name: values for name, values in columns.items() if values.ndim == 1}
    for name, values in columns.items():
        if values.ndim == 2:
            flat |= {f"{name}_{i}": column for i, column in enumerate(values.T)}
    # Shorter columns are padded with nulls.
    table = pd.DataFrame({name: pd.Series(values) for name, values in flat.items()})
    with replacing(target) as temporary:
        _write_parquet(header["format"], table, json.dumps(header, allow_nan=False), temporary)


def check_ending(path: Path) -> None:
    """Raise unless a path has the ending of a document."""
    if path.suffix not in (".json", ".parquet"):
        raise ValueError(f"path must end in .json or .parquet; received {path.name!r}")


def read_document(path: Path) -> dict[str, Any]:
    """Header and columns of a document; raises one of ``UNREADABLE`` for any other file."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    if path.suffix.lower() == ".parquet":
        return _read_parquet(path)
    document: dict[str, Any] = _parsed(path.read_text(encoding="utf-8"))
    return document


def checksum(header: Mapping[str, Any], columns: Mapping[str, Array]) -> str:
    """SHA-256 of the content of a document, the same for JSON and Parquet."""
    content = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, values in sorted(columns.items()):
        values = values.astype(WHOLE if values.dtype.kind == "i" else REAL)
        content.update(f"\n{name} {values.dtype.str} {values.shape}\n".encode())
        content.update(np.ascontiguousarray(values).tobytes())
    return content.hexdigest()


def numbers_of(values: Any, dtype: np.dtype[Any]) -> Array:
    """A column, or a list of numbers or of lists of numbers, as an array of exactly this kind.

    1.0 is not an integer, and true is not a number.
    """
    if isinstance(values, np.ndarray):
        require(values.dtype.kind == dtype.kind)
        return values.astype(dtype)
    require(isinstance(values, list))
    nested = bool(values) and isinstance(values[0], list)
    types = set(map(type, chain.from_iterable(values) if nested else values))
    require(types <= ({int} if dtype == WHOLE else {int, float}))
    return np.array(values, dtype=dtype)


def require(condition: object) -> None:
    """Raise unless the content of a document is valid."""
    if not condition:
        raise ValueError


def _parsed(text: str | bytes) -> Any:
    """The content of JSON; duplicate names and NaN, which JSON leaves undefined, are refused."""

    def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)


def parquet_format(path: str | os.PathLike[str]) -> str | None:
    """The format of a Parquet document, or None for a table.

    Raises
    ------
    ValueError
        If the file has the ending of Parquet but is not Parquet.
    """
    with reading([str(path)]) as connection:
        return _parquet_header(connection, Path(path))[0]


def _write_parquet(name: str, frame: pd.DataFrame, header: str, path: Path) -> None:
    import duckdb

    with connect() as connection:
        connection.register("cells", frame)
        try:
            # The path is that of a temporary file already.
            connection.execute(
                f"COPY cells TO {quoted(str(path))} (FORMAT parquet, USE_TMP_FILE false, "
                f"KV_METADATA {{{name.replace('-', '_')}: {quoted(header)}}})"
            )
        except duckdb.IOException as error:
            raise OSError(str(error)) from None


def _read_parquet(path: Path) -> dict[str, Any]:
    query = f"SELECT * FROM read_parquet({quoted_path(path)}, hive_partitioning = false)"
    with reading([str(path)]) as connection:
        _, header = _parquet_header(connection, path)
        cells: dict[str, Any] = connection.execute(query).fetchnumpy()
    document = _parsed(header)
    columns: dict[str, Any] = {}
    for name, values in cells.items():
        part = re.fullmatch(r"(.+)_\d+", name)
        if part is None:
            columns[name] = _unpadded(values)
        else:
            columns.setdefault(part[1], []).append(values)
    nested = {k: np.stack(v, axis=1) for k, v in columns.items() if isinstance(v, list)}
    require(columns.keys().isdisjoint(document))
    return {**columns, **nested, **document}


def _unpadded(values: Array) -> Array:
    """A column without the missing values that fill up shorter columns of a Parquet file."""
    if values.dtype.kind != "f":
        return values
    values = np.ma.filled(values, np.nan)
    return values[: len(values) - int(np.isnan(values[::-1]).cumprod().sum())]


def _parquet_header(connection: DuckDBPyConnection, path: Path) -> tuple[str | None, bytes]:
    """The format and the header of a Parquet file of counts; None for any other file."""
    query = f"SELECT key, value FROM parquet_kv_metadata({quoted_path(path)})"
    for key, value in connection.execute(query).fetchall():
        if bytes(key).startswith(b"biasamp_"):
            return bytes(key).decode(errors="replace").replace("_", "-"), value
    return None, b""
