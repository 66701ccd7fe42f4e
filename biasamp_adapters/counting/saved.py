"""Counts as files and frames.

Files are JSON with a checksum, of distinct rows or of sums of random blocks of rows.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from biasamp_adapters.atomic import write_text
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    PREDICTION,
    SCORE,
    TASK,
    TRUTH,
    Array,
    Key,
    Label,
    listing,
    show,
)
from biasamp_adapters.counting.margins import Margins, count_rows, divide, margins_of_data, pairs_of
from biasamp_adapters.counting.partition import Partition
from biasamp_adapters.counting.paths import find_files
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Block, Codes, Variable
from biasamp_adapters.warning import warn

#: What a file of counts begins with.
FORMAT = "biasamp-counts-1"

#: Distinct rows that stand for fewer rows may identify people.
_SMALL = 5

#: A block has so many rows, and so many of each group on average; fewer blocks than this are one.
_FEWEST_ROWS, _FEWEST_OF_GROUP, _FEWEST_BLOCKS, _MOST_BLOCKS = 50, 10, 20, 1000


def save(rows: Rows, path: Any) -> None:
    """Write counts; a file that exists is replaced at once, or not at all."""
    if rows.block_sums is None:
        _warn_of_few(rows.n, "distinct rows")
    body = {field.name: getattr(rows, field.name) for field in fields(rows) if field.init}
    del body["undropped"]
    body["variables"] = [_write_variable(key, v) for key, v in rows.variables.items()]
    if rows.block_sums is not None:
        body["block_sums"] = list(rows.block_sums.items())
    written = {"format": FORMAT, "checksum": _checksum(body), **body}
    write_text(Path(path), json.dumps(written, default=_write))


def _warn_of_few(n: Array, what: str) -> None:
    """Warn if some of the numbers of rows that will be written may identify people."""
    n_small = int((n < _SMALL).sum())
    if n_small:
        warn(
            f"{n_small} of {len(n)} {what} stand for fewer than {_SMALL} rows and may "
            "identify people; share these counts only where the rows could be shared"
        )


def load(path: Any) -> Rows:
    """Read counts, and check that the file is unchanged."""
    [path] = map(Path, find_files(path))
    try:
        body = json.loads(path.read_text(encoding="utf-8-sig"), object_hook=_read)
    except ValueError:
        body = None
    received = listing([body.pop("format", None)]) if isinstance(body, dict) else "no whole object"
    if received != repr(FORMAT):
        rule = f"{path} must be a file of counts: JSON with the format {FORMAT!r}"
        raise ValueError(f"{rule}; received {received}")
    if body.pop("checksum", None) != _checksum(body):
        raise ValueError(f"{path} must be an unchanged file of counts; its checksum differs")
    for name in ("n", "w", "cluster"):
        body[name] = None if body[name] is None else np.array(body[name])
    if body["block_sums"] is not None:
        body["block_sums"] = {tuple(key): np.array(sums) for key, sums in body["block_sums"]}
    body["variables"] = dict(map(_read_variable, body["variables"]))
    body["names"] = {truth: _to_label(name) for truth, name in body["names"].items()}
    body["listed"] = {truth: _to_labels(labels) for truth, labels in body["listed"].items()}
    for name in ("undrawn", "gone"):
        body[name] = _to_labels(body.get(name, []))
    return Rows(**body)


def _checksum(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, default=_write).encode()).hexdigest()


def _write(value: Any) -> Any:
    """Return what JSON lacks: arrays, and dates as labels."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    # Times are dates too, and other Python reads them without nanoseconds.
    if isinstance(value, dt.date) and not getattr(value, "nanosecond", 0):
        return {"isoformat": value.isoformat()}
    kind = type(value).__name__
    raise ValueError(f"labels of saved counts must be text, numbers or dates; received a {kind}")


def _read(written: dict[str, Any]) -> Any:
    """Return a date or a time of an object of JSON; others as they are."""
    text = written.get("isoformat")
    if not isinstance(text, str):
        return written
    return dt.datetime.fromisoformat(text) if "T" in text else dt.date.fromisoformat(text)


def _to_label(value: Any) -> Any:
    """Return a label or a name; those of several levels were written as lists."""
    return tuple(value) if isinstance(value, list) else value


def _to_labels(values: list[Any]) -> tuple[Label, ...]:
    return tuple(map(_to_label, values))


def _write_variable(key: Key, variable: Variable) -> dict[str, Any]:
    """Return a variable as labels and arrays; of indicators those that are not 0 or all 1."""
    written = {"role": key[0], "model": key[1], "labels": variable.labels}
    if isinstance(variable, Codes):
        return written | {"codes": variable.codes}
    held = variable.sparse
    values = None if (held.data == 1).all() else held.data
    entries = {"values": values, "columns": held.indices, "starts": held.indptr}
    return written | entries | {"is_matrix": variable.is_matrix}


def _read_variable(written: dict[str, Any]) -> tuple[Key, Variable]:
    """Return a variable and its key."""
    key = written["role"], written["model"]
    labels = _to_labels(written["labels"])
    if "codes" in written:
        codes = written["codes"] or range(len(labels))  # Without rows, those of the block sums.
        return key, Codes(labels, np.array(codes, np.min_scalar_type(len(labels))))
    columns, starts = np.array(written["columns"], int), np.array(written["starts"])
    if len(starts) == 1:
        columns, starts = np.arange(len(labels)), np.arange(len(labels) + 1)
    is_binary = written["values"] is None
    values = np.ones(len(columns), np.uint8) if is_binary else np.array(written["values"])
    shape = len(starts) - 1, len(labels) + 1  # The last column is a missing value.
    held = sparse.csr_array((values, columns, starts), shape).toarray()
    return key, Block(labels, held[:, :-1], held[:, -1] == 1, written["is_matrix"])


# Sums of random blocks, in place of rows.


def without_rows(rows: Rows) -> Rows:
    """Return counts of the same data that hold sums of blocks; warn of sums of few rows."""
    if rows.block_sums is not None:
        return rows
    rows = rows.without(SCORE)
    if any(variable.has_missing for variable in rows.variables.values()):
        raise ValueError("save(rows=False) must have no missing predictions; received some")
    rows = rows.merged()
    whole = _sum_pairs(margins_of_data(rows.unweighted()))
    n = np.concatenate([sums.ravel() for sums in whole.values()])
    _warn_of_few(n[n > 0], "sums")
    partition, undrawn = _private_partition(rows)
    n_blocks, part = len(partition.times), partition.part
    w = None
    if rows.w is not None:
        squares = np.bincount(part, partition.squared.weight, n_blocks)
        w = divide(squares, np.bincount(part, partition.weight, n_blocks), 1.0)
    return replace(
        rows,
        variables={key: v.take(np.arange(0)) for key, v in rows.variables.items()},
        n=np.bincount(part, partition.rows.n, n_blocks).astype(np.int64),
        w=w,
        cluster=np.arange(n_blocks),
        block_sums=_sum_pairs(Margins(partition, None, np.eye(n_blocks))),
        undrawn=undrawn,
    )


def _sum_pairs(margins: Margins) -> dict[tuple[str, str, str | None], Array]:
    """Return the sums by two variables that any metric reads, for each model."""
    return {(x, y, m): margins.of_model(m).joint(x, y) for x, y, m in pairs_of(margins.rows)}


def _private_partition(rows: Rows) -> tuple[Partition, tuple[Label, ...]]:
    """Return random blocks of many rows, and the groups that are one sum each.

    Each small group is one more block, unless groups overlap: then all rows are one.
    """
    sizes = count_rows(rows, ATTRIBUTE)
    is_large = sizes >= _FEWEST_OF_GROUP * _FEWEST_BLOCKS
    groups, small = rows.variable(ATTRIBUTE), np.flatnonzero(~is_large)
    n_blocks = 0
    if is_large.any() and (isinstance(groups, Codes) or is_large.all()):
        large = sizes[is_large]
        most = large.sum() // _FEWEST_ROWS, large.min() // _FEWEST_OF_GROUP, _MOST_BLOCKS
        n_blocks = int(min(most))
    while n_blocks >= _FEWEST_BLOCKS:
        partition = Partition.in_blocks(rows, n_blocks)
        part = partition.part.copy()
        for i, group in enumerate(small):
            part[partition.rows.variable(ATTRIBUTE).keys() == group] = n_blocks + i
        if np.bincount(part, partition.rows.n, n_blocks)[:n_blocks].min() >= _FEWEST_ROWS:
            times = np.ones(n_blocks + len(small))
            undrawn = tuple(groups.labels[i] for i in small)
            return replace(partition, part=part, times=times), undrawn
        n_blocks = n_blocks * 4 // 5
    return Partition.in_blocks(rows, 1), ()


# Frames of pandas.


def frame_of(rows: Rows) -> pd.DataFrame:
    """Return a row for each distinct row; of matrices and sums for each pair."""
    if rows.is_matrix(TASK) or rows.is_matrix(ATTRIBUTE) or rows.block_sums is not None:
        return _frame_of_pairs(rows)
    rows = replace(rows, cluster=None).merged()
    columns: dict[str | None, Any] = {}
    for (role, model), variable in rows.variables.items():
        name = model if role == PREDICTION else role if model is None else f"{role}[{model}]"
        if isinstance(variable, Codes):
            labels = [show(x) if isinstance(x, tuple) else x for x in variable.labels]
            columns[name] = pd.Series([*labels, None], dtype=object).to_numpy()[variable.codes]
        else:
            columns[name] = variable.values[:, 1]  # The probabilities of class 1.
    columns["count"] = rows.n
    if rows.w is not None:
        columns["sum_of_weights"] = rows.weight
    return pd.DataFrame(columns).infer_objects()


def _frame_of_pairs(rows: Rows) -> pd.DataFrame:
    """Return sums of truth and predictions for each group and class or column."""
    margins = margins_of_data(rows)
    groups = [show(label) for label in rows.group_labels]
    names = ["group", "class"]
    index = pd.MultiIndex.from_product([groups, rows.class_labels], names=names)
    sums = {
        model or role: margins.of_model(model).joint(ATTRIBUTE, role)[0].ravel()
        for role, model in rows.variables
        if TRUTH[role] == TASK
    }
    return pd.DataFrame(sums, index=index).reset_index()
