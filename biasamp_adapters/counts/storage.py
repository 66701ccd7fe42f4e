"""Counts as frames and files: JSON to read, Parquet for many cells; never pickle."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biasamp_adapters._files import replacing, write_text
from biasamp_adapters._typing import Array, Label
from biasamp_adapters._warnings import SmallCellsWarning
from biasamp_adapters.counts.base import Axis
from biasamp_adapters.counts.cells import Cells
from biasamp_adapters.counts.tables import PREDICTED
from biasamp_adapters.inputs.files import quoted

if TYPE_CHECKING:
    from biasamp_adapters.counts.joint import JointCounts

FORMAT = "biasamp-joint-counts"
VERSION = 1

#: Cells with fewer rows than this may identify people.
SMALL_CELL = 5


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
        # As objects where a None among them would turn numbers into floats.
        dtype = object if None in cells else None
        suffix = "" if axis.model is None else f"_{axis.model}"
        if not axis.of_attribute:
            put("task" if axis.model is None else axis.model, pd.Series(cells, dtype=dtype))
            continue
        for j, name in enumerate(counts.attributes or ("attribute",)):
            crossed = len(counts.attributes) > 1
            level = [c[j] if crossed and c is not None else c for c in cells]
            put(f"{name}{suffix}", pd.Series(level, dtype=dtype))
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
    if "unit" in cells:
        # They follow from the weight of a row; what is kept once cannot contradict itself.
        del cells["w"], cells["w2"]
    if target.suffix == ".json":
        write_text(json.dumps(header | cells, allow_nan=False) + "\n", target)
        return
    del cells["codes"]
    codes = {f"code_{i}": counts.cells.codes[:, i] for i in range(len(counts.axes))}
    frame = pd.DataFrame(codes | cells)
    with replacing(target) as temporary:
        _write_parquet(frame, json.dumps(header, allow_nan=False), temporary)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The fields of the JointCounts that ``path`` holds, checked."""
    target = Path(path)
    try:
        if target.suffix == ".parquet":
            document = _read_parquet(target)
        else:
            document = json.loads(target.read_text(encoding="utf-8"))
        return _fields(document)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        raise ValueError(
            f"path must be a file that JointCounts.save wrote, {FORMAT} version {VERSION}; "
            f"received {str(target)!r}"
        ) from None


def _fields(document: Any) -> dict[str, Any]:
    """Fields from what a file says; any error means that the file is not one of ours."""
    _require((document["format"], document["version"]) == (FORMAT, VERSION))
    labels, groups = (_labels(document[name]) for name in ("labels", "groups"))
    axes = tuple(Axis(*axis) for axis in document["axes"])
    _require(len(set(axes)) == len(axes) > 0)
    for axis in axes:
        _require(axis.role in (PREDICTED.values() if axis.predicted else PREDICTED))
    levels = np.array(document["levels"], dtype=np.float64)
    _require(((levels > 0) & (levels < 1)).all())
    codes = _whole(document["codes"], ndim=2)
    for axis, column in zip(axes, codes.T, strict=True):
        size = len(groups if axis.of_attribute else labels) + axis.predicted
        size += len(levels) * (axis.role == "prediction")
        _require(((column >= 0) & (column < size)).all())
    n = _whole(document["n"], ndim=1)
    sums = {
        name: np.array(document[name], dtype=np.float64)
        for name in ("w", "w2", "unit")
        if name in document
    }
    _require(set(sums) in ({*()}, {"w", "w2"}, {"unit"}))
    for values in sums.values():
        _require(values.shape == n.shape and np.isfinite(values).all() and (values >= 0).all())
    if "unit" in sums:
        sums |= {"w": n * sums["unit"], "w2": n * sums["unit"] ** 2}
    _require(n.shape == codes.shape[:1] and (n > 0).all() and len(n) > 0)
    cells = Cells(codes.astype(np.int32), n, **sums)
    _require(len(cells.consolidated().n) == len(n))
    _require(isinstance(document["dropped"], int) and document["dropped"] >= 0)
    attributes = tuple(map(str, document["attributes"]))
    if len(attributes) > 1:
        _require(all(isinstance(of, tuple) and len(of) == len(attributes) for of in groups))
    return {
        "labels": labels,
        "groups": groups,
        "attributes": attributes,
        "axes": axes,
        "cells": cells,
        "levels": levels,
        "declared": frozenset(document["declared"]),
        "dropped": document["dropped"],
    }


def _require(condition: object) -> None:
    if not condition:
        raise ValueError


def _whole(values: Any, ndim: int) -> Array:
    array = np.array(values)
    _require(array.dtype.kind == "i" and array.ndim == ndim)
    return array.astype(np.int64)


def _labels(values: Any) -> tuple[Label, ...]:
    _require(isinstance(values, list))
    labels = tuple(map(_label, values))
    _require(len(set(labels)) == len(labels))
    return labels


def _label(value: Any) -> Label:
    label = tuple(map(_label, value)) if isinstance(value, list) else value
    _plain(label)
    return label


def _plain(label: Label) -> Any:
    """A label as JSON holds it."""
    if isinstance(label, tuple):
        return [_plain(part) for part in label]
    if not isinstance(label, str | int | float | bool) or label in (math.inf, -math.inf):
        raise ValueError(
            f"labels must be strings, finite numbers or booleans to be saved; received {label!r}"
        )
    return label


def _write_parquet(frame: pd.DataFrame, header: str, path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.register("cells", frame)
        connection.execute(
            f"COPY cells TO {quoted(str(path))} "
            f"(FORMAT parquet, KV_METADATA {{{FORMAT.replace('-', '_')}: {quoted(header)}}})"
        )


def _read_parquet(path: Path) -> dict[str, Any]:
    import duckdb

    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    # DuckDB reads a path as a pattern; in brackets its signs stand for themselves.
    pattern = quoted(re.sub(r"([*?\[])", r"[\1]", str(path)))
    with duckdb.connect() as connection:
        try:
            found = connection.execute(
                f"SELECT value FROM parquet_kv_metadata({pattern}) WHERE key = ?",
                [FORMAT.replace("-", "_").encode()],
            ).fetchone()
            cells = connection.execute(f"SELECT * FROM read_parquet({pattern})").fetchnumpy()
        except duckdb.Error:
            found = None
    if found is None:
        raise KeyError(FORMAT)
    document: dict[str, Any] = json.loads(found[0])
    codes = [cells[f"code_{i}"] for i in range(len(document["axes"]))]
    return {**cells, **document, "codes": np.stack(codes, axis=1).tolist()}
