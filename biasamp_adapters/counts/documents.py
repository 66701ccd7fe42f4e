"""Documents: a header and columns of numbers, as JSON or Parquet, with a checksum; no pickle."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from biasamp_adapters._files import replacing, write_text
from biasamp_adapters._typing import Array
from biasamp_adapters.inputs.files import connect, reading
from biasamp_adapters.inputs.paths import quoted, quoted_path

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")

#: The numbers that a column of a document holds.
WHOLE, REAL = np.dtype("<i8"), np.dtype("<f8")

#: Where the checksum is in the header.
_CHECKSUM = "sha256"

#: What reading a file of something else may raise: RuntimeError where lists are nested without end,
#: or names of columns are no text.
_UNREADABLE = (KeyError, IndexError, TypeError, ValueError, OverflowError, RuntimeError)


@dataclass(frozen=True)
class Form:
    """What documents of one kind and version hold.

    Attributes
    ----------
    kind : str
        Name of the format.
    version : int
    header : tuple of str
        What their header has beside kind and version.
    columns : mapping of str to dtype
        The columns that they may have, ``WHOLE`` or ``REAL``.
    checked : bool
        Whether they have a checksum.
    """

    kind: str
    version: int
    header: tuple[str, ...]
    columns: Mapping[str, Any]
    checked: bool = True


class UnreadableError(ValueError):
    """A file is none of these documents."""


class ChangedError(ValueError):
    """The content of a document has another checksum than the one it was written with."""


def write_document(
    form: Form,
    header: Mapping[str, Any],
    columns: Mapping[str, Array],
    path: str | os.PathLike[str],
) -> None:
    """Write a document in the format that the ending of ``path`` names, atomically.

    Parameters
    ----------
    form : Form
    header : mapping
        What is not a column.
    columns : mapping of str to array
        Of one or two dimensions; of two, each column is one of the file.
    path : path-like
    """
    target = Path(path)
    check_ending(target)
    header = {"format": form.kind, "version": form.version, **header}
    header |= {_CHECKSUM: _checksum(header, columns)}
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
        _write_parquet(form.kind, table, json.dumps(header, allow_nan=False), temporary)


def check_ending(path: Path) -> None:
    """Raise unless a path has the ending of a document."""
    if path.suffix not in (".json", ".parquet"):
        raise ValueError(f"path must end in .json or .parquet; received {path.name!r}")


def read_document(
    path: Path, forms: Sequence[Form], fields: Callable[[Form, Any], T]
) -> tuple[T, bool]:
    """What ``fields`` makes of a document, and whether it has a checksum.

    Raises
    ------
    UnreadableError
        If it is a document of no form, or ``fields`` raises any error.
    ChangedError
        If its content was changed.
    """
    try:
        document = (_read_parquet if _is_parquet(path) else _read_json)(path)
        form, header, columns, stated = _parts(forms, document)
        with np.errstate(all="ignore"):
            found = fields(form, {**header, **columns})
    except _UNREADABLE:
        raise UnreadableError from None
    if form.checked and stated != _checksum(header, columns):
        raise ChangedError
    return found, form.checked


def _checksum(header: Mapping[str, Any], columns: Mapping[str, Array]) -> str:
    """SHA-256 of what a document says, the same for JSON and Parquet."""
    content = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, values in sorted(columns.items()):
        values = values.astype(WHOLE if values.dtype.kind == "i" else REAL)
        content.update(f"\n{name} {values.dtype.str} {values.shape}\n".encode())
        content.update(np.ascontiguousarray(values).tobytes())
    return content.hexdigest()


def _parts(
    forms: Sequence[Form], document: dict[str, Any]
) -> tuple[Form, dict[str, Any], dict[str, Array], str | None]:
    """The form, header and columns of a document, and its checksum if the form has one."""
    kind, version = document["format"], document["version"]
    require(type(version) is int)
    (form,) = (form for form in forms if (form.kind, form.version) == (kind, version))
    columns = {
        name: _column(document[name], dtype)
        for name, dtype in form.columns.items()
        if name in document
    }
    header = {name: value for name, value in document.items() if name not in columns}
    stated = header.pop(_CHECKSUM) if form.checked else None
    require(not form.checked or isinstance(stated, str))
    require(set(header) == {"format", "version", *form.header})
    return form, header, columns, stated


def _column(values: Any, dtype: np.dtype[Any]) -> Array:
    """A column as numbers of exactly this kind: 1.0 is no whole number, and true is none at all."""
    if isinstance(values, np.ndarray):
        require(values.dtype.kind == dtype.kind)
        return values.astype(dtype)
    return numbers_of(values, dtype)


def numbers_of(values: Any, dtype: np.dtype[Any]) -> Array:
    """A list of numbers, or of lists of numbers, of a document."""
    require(isinstance(values, list))
    nested = bool(values) and isinstance(values[0], list)
    types = set(map(type, chain.from_iterable(values) if nested else values))
    require(types <= ({int} if dtype == WHOLE else {int, float}))
    return np.array(values, dtype=dtype)


def require(condition: object) -> None:
    """Raise unless what a document says can be."""
    if not condition:
        raise ValueError


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _read_json(path: Path) -> Any:
    return _parsed(path.read_text(encoding="utf-8"))


def _parsed(text: str | bytes) -> Any:
    """The content of JSON, without what it leaves open: names that are there twice, and NaN."""

    def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)


def parquet_kind(path: str | os.PathLike[str]) -> str | None:
    """The format of a Parquet document; None of a table.

    Raises
    ------
    ValueError
        If it is called so and is none.
    """
    target = Path(path)
    _check_is_file(target)
    with reading([str(target)]) as connection:
        return _parquet_header(connection, target)[0]


def _write_parquet(kind: str, frame: pd.DataFrame, header: str, path: Path) -> None:
    import duckdb

    with connect() as connection:
        connection.register("cells", frame)
        try:
            # The path is that of a temporary file already.
            connection.execute(
                f"COPY cells TO {quoted(str(path))} (FORMAT parquet, USE_TMP_FILE false, "
                f"KV_METADATA {{{kind.replace('-', '_')}: {quoted(header)}}})"
            )
        except duckdb.IOException as error:
            raise OSError(str(error)) from None


def _read_parquet(path: Path) -> dict[str, Any]:
    query = f"SELECT * FROM read_parquet({quoted_path(path)}, hive_partitioning = false)"
    _check_is_file(path)
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


def _check_is_file(path: Path) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")


def _parquet_header(connection: DuckDBPyConnection, path: Path) -> tuple[str | None, bytes]:
    """The format and the header of a Parquet file of counts; None of any other file."""
    query = f"SELECT key, value FROM parquet_kv_metadata({quoted_path(path)})"
    for key, value in connection.execute(query).fetchall():
        if bytes(key).startswith(b"biasamp_"):
            return bytes(key).decode(errors="replace").replace("_", "-"), value
    return None, b""
