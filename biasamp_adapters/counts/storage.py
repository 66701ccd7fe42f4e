"""Counts as frames and files: JSON to read, Parquet for many cells; never pickle."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biasamp_adapters._files import replacing, write_text
from biasamp_adapters._typing import Label
from biasamp_adapters._warnings import SmallCellsWarning
from biasamp_adapters.counts.assemble import Axis
from biasamp_adapters.counts.cells import Cells

if TYPE_CHECKING:
    from biasamp_adapters.counts.joint import JointCounts

FORMAT = "biasamp-joint-counts"
VERSION = 1

#: Cells with fewer rows than this may identify people.
SMALL_CELL = 5

_CELL_ARRAYS = {"n": np.int64, "w": np.float64, "w2": np.float64, "unit": np.float64}


def to_frame(counts: JointCounts) -> pd.DataFrame:
    """One row a cell, as ``JointCounts.to_frame`` promises."""
    columns: dict[str, Any] = {}

    def put(name: str, values: Any) -> None:
        # Two columns may bear the same name, such as an attribute called "task".
        while name in columns:
            name += "_"
        columns[name] = values

    for i, axis in enumerate(counts.axes):
        labels = list(counts.groups if axis.of_attribute else counts.labels)
        values = [*labels, None, *counts.levels.tolist()]
        cells = [values[code] for code in counts.cells.codes[:, i].tolist()]
        suffix = "" if axis.model is None else f"_{axis.model}"
        if not axis.of_attribute:
            put("task" if axis.model is None else axis.model, cells)
            continue
        for j, name in enumerate(counts.attributes or ("attribute",)):
            crossed = len(counts.attributes) > 1
            level = [c[j] if crossed and c is not None else c for c in cells]
            put(f"{name}{suffix}", level)
    for name in ("n", "w", "w2"):
        if name in (sums := counts.cells.arrays()):
            put(name, sums[name])
    return pd.DataFrame(columns)


def save(counts: JointCounts, path: str | os.PathLike[str]) -> None:
    """Write ``counts`` in the format that the ending of ``path`` names."""
    target = Path(path)
    if target.suffix not in (".json", ".parquet"):
        raise ValueError(f"path must end in .json or .parquet; received {target.name!r}")
    small = int((counts.n < SMALL_CELL).sum())
    if small:
        warnings.warn(
            f"{small} of {len(counts.n)} cells hold fewer than {SMALL_CELL} rows and may identify "
            "people; share such counts only where the rows could be shared",
            SmallCellsWarning,
            stacklevel=3,
        )
    header = {
        "format": FORMAT,
        "version": VERSION,
        "labels": [_plain(label) for label in counts.labels],
        "groups": [_plain(label) for label in counts.groups],
        "attributes": list(counts.attributes),
        "axes": [list(axis) for axis in counts.axes],
        "levels": counts.levels.tolist(),
        "declared": sorted(counts.declared),
        "dropped": counts.dropped,
    }
    cells = {name: values.tolist() for name, values in counts.cells.arrays().items()}
    if target.suffix == ".json":
        write_text(json.dumps(header | cells, allow_nan=False) + "\n", target)
        return
    del cells["codes"]
    codes = {f"code_{i}": counts.cells.codes[:, i] for i in range(len(counts.axes))}
    frame = pd.DataFrame(codes | cells)
    with replacing(target) as temporary:
        _write_parquet(frame, json.dumps(header, allow_nan=False), temporary)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The fields of the JointCounts that ``path`` holds."""
    target = Path(path)
    try:
        document = (
            _read_parquet(target)
            if target.suffix == ".parquet"
            else json.loads(target.read_text(encoding="utf-8"))
        )
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise KeyError(document["version"])
        codes = np.array(document["codes"], dtype=np.int32).reshape(-1, len(document["axes"]))
        sums = {
            name: np.array(document[name], dtype=dtype)
            for name, dtype in _CELL_ARRAYS.items()
            if name in document
        }
        return {
            "labels": tuple(map(_label, document["labels"])),
            "groups": tuple(map(_label, document["groups"])),
            "attributes": tuple(document["attributes"]),
            "axes": tuple(Axis(*axis) for axis in document["axes"]),
            "cells": Cells(codes, **sums),
            "levels": np.array(document["levels"], dtype=np.float64),
            "declared": frozenset(document["declared"]),
            "dropped": document["dropped"],
        }
    except (KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(
            f"path must be a file that JointCounts.save wrote, {FORMAT} version {VERSION}; "
            f"received {str(target)!r}"
        ) from None


def _plain(label: Label) -> Any:
    if isinstance(label, tuple):
        return [_plain(part) for part in label]
    if not isinstance(label, str | int | float | bool):
        raise ValueError(
            f"labels must be strings, numbers or booleans to be saved; received {label!r}"
        )
    return label


def _label(value: Any) -> Label:
    return tuple(map(_label, value)) if isinstance(value, list) else value


def _write_parquet(frame: pd.DataFrame, header: str, path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.register("cells", frame)
        connection.execute(
            f"COPY cells TO {_quoted(path)} "
            f"(FORMAT parquet, KV_METADATA {{{FORMAT.replace('-', '_')}: {_quoted(header)}}})"
        )


def _read_parquet(path: Path) -> dict[str, Any]:
    import duckdb

    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    with duckdb.connect() as connection:
        try:
            found = connection.execute(
                f"SELECT value FROM parquet_kv_metadata({_quoted(path)}) WHERE key = ?",
                [FORMAT.replace("-", "_").encode()],
            ).fetchone()
            cells = connection.execute(f"SELECT * FROM read_parquet({_quoted(path)})").fetchnumpy()
        except duckdb.Error:
            found = None
    if found is None:
        raise KeyError(FORMAT)
    document: dict[str, Any] = json.loads(found[0])
    codes = [cells[f"code_{i}"] for i in range(len(document["axes"]))]
    return {**cells, **document, "codes": np.stack(codes, axis=1)}


def _quoted(value: str | Path) -> str:
    return "'" + str(value).replace("'", "''") + "'"
