"""Files of counts: JSON with a checksum, of distinct rows or of sums of random blocks of rows."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import warnings
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from biasamp_adapters.atomic import write_text
from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    PREDICTION,
    RIGHT,
    TASK,
    TRUTH,
    Array,
    Label,
)
from biasamp_adapters.counting.margins import margins_of_data
from biasamp_adapters.counting.partition import Partition
from biasamp_adapters.counting.paths import find_files
from biasamp_adapters.counting.reading import Key
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Block, Codes, Variable
from biasamp_adapters.warning import AmplificationWarning

#: What a file of counts begins with.
FORMAT = "biasamp-counts-1"

#: Distinct rows that stand for fewer rows may identify people.
_SMALL = 5

_ARRAYS = ("n", "w", "w2", "cluster")

#: A block has so many rows, and so many of each group on average; fewer blocks than this are one.
_FEWEST_ROWS, _FEWEST_OF_GROUP, _FEWEST_BLOCKS, _MOST_BLOCKS = 50, 10, 20, 1000


def save(rows: Rows, path: Any) -> None:
    """Write counts; a file that exists is replaced at once, or not at all."""
    n_small = int((rows.n < _SMALL).sum())
    if n_small and rows.block_sums is None:
        warnings.warn(
            f"{n_small} of {len(rows)} distinct rows stand for fewer than {_SMALL} rows and may "
            "identify people; share these counts only where the rows could be shared",
            AmplificationWarning,
            stacklevel=3,
        )
    body: dict[str, Any] = {
        "variables": [_write_variable(key, v) for key, v in rows.variables.items()],
        "names": rows.names,
        "listed": [truth for truth in (TASK, ATTRIBUTE) if rows.listed.get(truth) is not None],
        "dropped": rows.dropped,
        "undrawn": [_write_label(label) for label in rows.undrawn],
        "block_sums": None,
    }
    if rows.block_sums is not None:
        body["block_sums"] = [[*key, table.tolist()] for key, table in rows.block_sums.items()]
    for name in _ARRAYS:
        array = getattr(rows, name)
        body[name] = None if array is None else array.tolist()
    write_text(path, json.dumps({"format": FORMAT, "checksum": _checksum(body), **body}))


def load(path: Any) -> Rows:
    """Read counts, and check that the file is unchanged."""
    [path] = map(Path, find_files(path))
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(
            f"{path} must be a file of saved counts; its content is not JSON"
        ) from None
    if not isinstance(body, dict) or body.pop("format", None) != FORMAT:
        raise ValueError(f"{path} must be a file of counts with the format {FORMAT!r}")
    if body.pop("checksum", None) != _checksum(body):
        raise ValueError(f"{path} must be an unchanged file of counts; its checksum differs")
    variables = dict(map(_read_variable, body["variables"]))
    arrays: dict[str, Any] = {
        name: None if body[name] is None else np.array(body[name]) for name in _ARRAYS
    }
    listed = {TRUTH[role]: variable.labels for (role, _), variable in variables.items()}
    block_sums = None
    if body["block_sums"] is not None:
        block_sums = {tuple(key): np.array(table) for *key, table in body["block_sums"]}
    return Rows(
        variables,
        **arrays,
        names={role: _to_tuple(name) for role, name in body["names"].items()},
        listed={TASK: None, ATTRIBUTE: None} | {truth: listed[truth] for truth in body["listed"]},
        dropped=body["dropped"],
        block_sums=block_sums,
        undrawn=tuple(map(_read_label, body["undrawn"])),
    )


def _checksum(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _to_tuple(value: Any) -> Any:
    """Return a tuple for a list of JSON."""
    return tuple(value) if isinstance(value, list) else value


# Labels. JSON has text, numbers and booleans; other kinds are objects with the name of the kind.


def _write_label(label: Label) -> Any:
    if isinstance(label, str | bool | int | float):
        return label
    if isinstance(label, tuple):
        return [_write_label(level) for level in label]
    if isinstance(label, dt.datetime):
        return {"time": label.isoformat()}
    if isinstance(label, dt.date):
        return {"date": label.isoformat()}
    if isinstance(label, Decimal):
        return {"decimal": str(label)}
    raise ValueError(
        "labels of saved counts must be text, numbers, booleans or dates; "
        f"received a {type(label).__name__}"
    )


def _read_label(written: Any) -> Label:
    if isinstance(written, list):
        return tuple(map(_read_label, written))
    if not isinstance(written, dict):
        return written
    [(kind, text)] = written.items()
    if kind == "time":
        return dt.datetime.fromisoformat(text)
    return dt.date.fromisoformat(text) if kind == "date" else Decimal(text)


# Variables.


def _write_variable(key: Key, variable: Variable) -> dict[str, Any]:
    """Return a variable as lists."""
    role, model = key
    labels = [_write_label(label) for label in variable.labels]
    written: dict[str, Any] = {"role": role, "model": model, "labels": labels}
    if isinstance(variable, Codes):
        return written | {"codes": variable.codes.tolist()}
    entries = sparse.csr_array(variable.values)
    return written | {
        "data": entries.data.tolist(),
        "indices": entries.indices.tolist(),
        "starts": entries.indptr.tolist(),
        "missing": np.flatnonzero(variable.missing).tolist(),
        "is_matrix": variable.is_matrix,
    }


def _read_variable(written: dict[str, Any]) -> tuple[Key, Variable]:
    """Return a variable and its key from lists."""
    key = written["role"], written["model"]
    labels = tuple(map(_read_label, written["labels"]))
    if "codes" in written:
        return key, Codes(labels, np.array(written["codes"], np.min_scalar_type(len(labels))))
    entries: tuple[Array, ...] = tuple(
        np.array(written[name]) for name in ("data", "indices", "starts")
    )
    n_rows = len(written["starts"]) - 1
    values = sparse.csr_array(entries, (n_rows, len(labels))).toarray()
    if values.dtype.kind in "iu":
        values = values.astype(np.uint8)
    missing = np.zeros(n_rows, dtype=bool)
    missing[written["missing"]] = True
    return key, Block(labels, values, missing, written["is_matrix"])


# Sums of random blocks, in place of rows.


def without_rows(rows: Rows) -> Rows:
    """Return counts of the same data that hold sums of blocks, and nothing about a row."""
    if rows.block_sums is not None:
        return rows
    if any(variable.has_missing for variable in rows.variables.values()):
        raise ValueError("save(rows=False) must have no missing predictions; received some")
    partition, undrawn = _private_partition(rows.merged())
    n_blocks, part = len(partition.times), partition.part
    tables = {}
    for first, second, model in _pairs(rows):
        table = partition.sums(first, second, model)
        if not isinstance(table, np.ndarray):
            table = table.toarray()
        x, y = rows.variable(first, model), rows.variable(second, model)
        table = table.reshape(n_blocks, x.width, y.width)[:, : len(x.labels), : len(y.labels)]
        tables[first, second, model] = table.reshape(n_blocks, -1)
    w = w2 = None
    if rows.w is not None:
        w = np.bincount(part, partition.weight, n_blocks)
        w2 = np.bincount(part, partition.squared.weight, n_blocks)
    return replace(
        rows,
        variables={key: v.take(np.arange(0)) for key, v in rows.variables.items()},
        n=np.bincount(part, partition.rows.n, n_blocks).astype(np.int64),
        w=w,
        w2=w2,
        cluster=np.arange(n_blocks),
        block_sums=tables,
        undrawn=undrawn,
    )


def _private_partition(rows: Rows) -> tuple[Partition, tuple[Label, ...]]:
    """Return random blocks that show no row, and the groups that are one sum each.

    Each small group is one more block, unless groups overlap: then all rows are one.
    """
    sizes = margins_of_data(rows.unweighted()).joint(ATTRIBUTE, ALL)[0, :, 0]
    is_large = sizes >= _FEWEST_OF_GROUP * _FEWEST_BLOCKS
    groups = rows.variable(ATTRIBUTE)
    if not is_large.any() or not (is_large.all() or isinstance(groups, Codes)):
        return Partition.in_blocks(rows, 1), ()
    most = min(sizes[is_large].sum() // _FEWEST_ROWS, sizes[is_large].min() // _FEWEST_OF_GROUP)
    n_blocks = int(min(most, _MOST_BLOCKS))
    small = np.flatnonzero(~is_large)
    while n_blocks >= _FEWEST_BLOCKS:
        partition = Partition.in_blocks(rows, n_blocks)
        if len(small):
            partition = _with_sums(partition, small)
        n = np.bincount(partition.part, partition.rows.n, len(partition.times))
        if n[:n_blocks].min() >= _FEWEST_ROWS:
            return partition, tuple(groups.labels[i] for i in small)
        n_blocks = n_blocks * 4 // 5
    return Partition.in_blocks(rows, 1), ()


def _with_sums(partition: Partition, groups: Array) -> Partition:
    """Return a partition in which all rows of each of some groups are one more part."""
    codes = partition.rows.variable(ATTRIBUTE).keys()
    part, n_parts = partition.part.copy(), len(partition.times)
    for i, group in enumerate(groups):
        part[codes == group] = n_parts + i
    return replace(partition, part=part, times=np.ones(n_parts + len(groups)))


def _pairs(rows: Rows) -> list[tuple[str, str, str | None]]:
    """Return the pairs of variables whose sums any metric reads."""
    pairs: list[tuple[str, str, str | None]] = [(ATTRIBUTE, ALL, None), (ALL, ALL, None)]
    if rows.has(TASK):
        pairs += [(ATTRIBUTE, TASK, None), (TASK, ALL, None)]
    for role, model in rows.variables:
        if model is None:
            continue
        pairs += [(ATTRIBUTE, role, model), (role, ALL, model)]
        truth = TASK if role == PREDICTION else ATTRIBUTE
        if rows.has(TASK):
            pairs += [(TASK, role, model)]
            pairs += [(other, RIGHT[truth], model) for other in (ATTRIBUTE, ALL)]
        if rows.has(ATTRIBUTE_PREDICTION, model) and rows.has(PREDICTION, model):
            pairs.append((ATTRIBUTE_PREDICTION, PREDICTION, model))
    return list(dict.fromkeys(pairs))
