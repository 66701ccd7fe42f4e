"""Documents of counts: a header and columns, as JSON to read or Parquet for many; no pickle."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biasamp_adapters._files import replacing, write_text
from biasamp_adapters._typing import Array, Label
from biasamp_adapters._warnings import SmallCellsWarning, warn
from biasamp_adapters.counts.base import Axis, Counts
from biasamp_adapters.counts.tables import PREDICTED
from biasamp_adapters.inputs.files import connect, reading
from biasamp_adapters.inputs.paths import quoted, quoted_path

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The version that is written, and one without a checksum that can still be read.
VERSION, UNCHECKED = 2, 1

_CHECKSUM = "sha256"

#: Cells with fewer rows than this may identify people.
SMALL_CELL = 5


#: The numbers that a column of a document holds.
WHOLE, REAL = np.dtype("<i8"), np.dtype("<f8")


@dataclass(frozen=True)
class Form:
    """What documents of one kind hold.

    Attributes
    ----------
    kind : str
        Name of the format.
    saver : str
        The class whose ``save`` writes them.
    header : tuple of str
        What their header has beside what all kinds have.
    columns : mapping of str to dtype
        The columns that they may have, ``WHOLE`` or ``REAL``.
    """

    kind: str
    saver: str
    header: tuple[str, ...]
    columns: Mapping[str, Any]


def write_document(
    form: Form,
    header: Mapping[str, Any],
    columns: Mapping[str, Array],
    path: str | os.PathLike[str],
    n: Array,
) -> None:
    """Write counts in the format that the ending of ``path`` names, atomically.

    Parameters
    ----------
    form : Form
    header : mapping
        What is not a column.
    columns : mapping of str to array
        Of one length; of two dimensions, each column is one of the file.
    path : path-like
    n : array of int
        Rows of each cell, of which small ones are warned of.
    """
    target = Path(path)
    if target.suffix not in (".json", ".parquet"):
        raise ValueError(f"path must end in .json or .parquet; received {target.name!r}")
    small = int(((n > 0) & (n < SMALL_CELL)).sum())
    if small:
        warnings.warn(
            f"{small} of {int((n > 0).sum())} cells hold fewer than {SMALL_CELL} rows and may "
            "identify people; share such counts only where the rows could be shared",
            SmallCellsWarning,
            stacklevel=4,
        )
    header = {"format": form.kind, "version": VERSION, **header}
    header |= {_CHECKSUM: _checksum(header, columns)}
    if target.suffix == ".json":
        lists = {name: values.tolist() for name, values in columns.items()}
        write_text(json.dumps({**header, **lists}, allow_nan=False) + "\n", target)
        return
    flat = {name: values for name, values in columns.items() if values.ndim == 1}
    for name, values in columns.items():
        if values.ndim == 2:
            flat |= {f"{name}_{i}": column for i, column in enumerate(values.T)}
    # Columns of another length end in nothing.
    table = pd.DataFrame({name: pd.Series(values) for name, values in flat.items()})
    with replacing(target) as temporary:
        _write_parquet(form.kind, table, json.dumps(header, allow_nan=False), temporary)


def read_document(
    form: Form, path: str | os.PathLike[str], fields: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """What ``fields`` makes of a document; any error of it means that it is not one of ours.

    Raises
    ------
    ValueError
        If it is not, or its content has another checksum than the one it was written with.

    Warns
    -----
    AmplificationWarning
        If it is of the version that has no checksum.
    """
    target = Path(path)
    try:
        read = _read_parquet if _is_parquet(target) else _read_json
        document = read(target)
        header, columns, stated = _parts(form, document)
        with np.errstate(all="ignore"):
            found = fields({**header, **columns})
    except _UNREADABLE:
        raise ValueError(
            f"path must be a file that {form.saver}.save wrote, {form.kind} of version {UNCHECKED} "
            f"or {VERSION}; received {str(target)!r}"
        ) from None
    if stated is None:
        warn(
            f"{str(target)!r} has no checksum, as an earlier version of this package wrote it: "
            "changes since then go unnoticed; load and save it to add one"
        )
    elif stated != _checksum(header, columns):
        raise ValueError(
            f"path must be a file as {form.saver}.save wrote it; the content of {str(target)!r} "
            "was changed since, as its SHA-256 shows"
        )
    return found


#: What reading a file of something else may raise: RuntimeError where lists are nested without end,
#: or names of columns are no text.
_UNREADABLE = (KeyError, IndexError, TypeError, ValueError, OverflowError, RuntimeError)


def _checksum(header: Mapping[str, Any], columns: Mapping[str, Array]) -> str:
    """SHA-256 of what a document says, the same for JSON and Parquet."""
    content = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, values in sorted(columns.items()):
        values = values.astype(WHOLE if values.dtype.kind == "i" else REAL)
        content.update(f"\n{name} {values.dtype.str} {values.shape}\n".encode())
        content.update(np.ascontiguousarray(values).tobytes())
    return content.hexdigest()


def _parts(
    form: Form, document: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Array], str | None]:
    """The header and columns of a document, and its checksum if its version has one."""
    version = document["version"]
    require(document["format"] == form.kind)
    require(type(version) is int and version in (UNCHECKED, VERSION))
    columns = {
        name: _column(document[name], dtype)
        for name, dtype in form.columns.items()
        if name in document
    }
    header = {name: value for name, value in document.items() if name not in columns}
    stated = header.pop(_CHECKSUM) if version == VERSION else None
    require(version == UNCHECKED or isinstance(stated, str))
    require(set(header) == {"format", "version", *_COMMON, *form.header})
    return header, columns, stated


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


def check_weights(n: Array, w: Array, w2: Array, *, whole: bool) -> None:
    """Raise unless weights of ``n`` rows can have the sum ``w``, and their squares ``w2``.

    Parameters
    ----------
    n, w, w2 : arrays of one shape
    whole : bool
        Whether each row counts as a whole; where it counts by a probability, its square is more
        than that of what it adds to ``w``.
    """
    # Sums are rounded, and squares of the smallest numbers are lost.
    slack, least = 1 + 1e-6, 1e-300
    # Of Cauchy and Schwarz: equal weights have the smallest squares for their sum.
    require((w**2 <= n * w2 * slack + least).all())
    require(not whole or (w2 <= w**2 * slack + least).all())


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


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """The format of a file of counts; None of one that holds none.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    target = Path(path)
    try:
        return parquet_kind(target) if _is_parquet(target) else str(_read_json(target)["format"])
    except _UNREADABLE:
        return None


def parquet_kind(path: str | os.PathLike[str]) -> str | None:
    """The same of a Parquet file.

    Raises
    ------
    ValueError
        If it is called so and is none.
    """
    target = Path(path)
    _check_is_file(target)
    with reading([str(target)]) as connection:
        return _parquet_header(connection, target)[0]


#: The names in the header of every kind.
_COMMON = ("labels", "groups", "attributes", "axes", "declared", "dropped")


def header_of(counts: Counts) -> dict[str, Any]:
    """What a document says of counts of either kind."""
    return {
        "labels": [plain_label(label) for label in counts.labels],
        "groups": [plain_label(label) for label in counts.groups],
        "attributes": list(counts.attributes),
        "axes": [list(axis) for axis in counts.axes],
        "declared": sorted(counts.declared),
        "dropped": counts.dropped,
    }


def common_fields(document: Any) -> dict[str, Any]:
    """The fields that :func:`header_of` wrote, checked."""
    labels, groups = (_labels(document[name]) for name in ("labels", "groups"))
    axes = axes_of(document["axes"])
    require(len(set(axes)) == len(axes) > 0)
    attributes = _texts(document["attributes"])
    if len(attributes) > 1:
        require(all(isinstance(of, tuple) and len(of) == len(attributes) for of in groups))
    require(set(_texts(document["declared"])) <= {"labels", "groups"})
    require(type(document["dropped"]) is int and document["dropped"] >= 0)
    return {
        "labels": labels,
        "groups": groups,
        "attributes": attributes,
        "axes": axes,
        "declared": frozenset(document["declared"]),
        "dropped": document["dropped"],
    }


def axes_of(values: Any) -> tuple[Axis, ...]:
    """A list of variables, as a document holds it."""
    for role, model in values:
        require(role in (*PREDICTED, *PREDICTED.values()))
        require(isinstance(model, str) if role in PREDICTED.values() else model is None)
    return tuple(Axis(*axis) for axis in values)


def _texts(values: Any) -> tuple[str, ...]:
    require(isinstance(values, list) and all(isinstance(text, str) for text in values))
    return tuple(values)


def _labels(values: Any) -> tuple[Label, ...]:
    """A list of labels, as a document holds it."""
    require(isinstance(values, list))
    labels = tuple(map(_label, values))
    require(len(set(labels)) == len(labels))
    return labels


def _label(value: Any) -> Label:
    label = tuple(map(_label, value)) if isinstance(value, list) else value
    plain_label(label)
    return label


def plain_label(label: Label) -> Any:
    """A label as JSON holds it."""
    if isinstance(label, tuple):
        return [plain_label(part) for part in label]
    if not isinstance(label, str | int | float | bool) or label in (math.inf, -math.inf):
        raise ValueError(
            f"labels must be strings, finite numbers or booleans to be saved; received {label!r}"
        )
    return label


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
