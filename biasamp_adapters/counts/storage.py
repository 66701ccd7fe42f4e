"""Joint counts as frames and files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biasamp_adapters.counts.cells import MOST_ROWS, Cells
from biasamp_adapters.counts.documents import (
    REAL,
    WHOLE,
    Form,
    check_weights,
    common_fields,
    header_of,
    numbers_of,
    read_document,
    require,
    write_document,
)
from biasamp_adapters.inputs.columns import check_total_weight

if TYPE_CHECKING:
    from biasamp_adapters.counts.joint import JointCounts

FORM = Form(
    "biasamp-joint-counts",
    "JointCounts",
    ("levels",),
    {"codes": WHOLE, "n": WHOLE, "w": REAL, "w2": REAL, "unit": REAL},
)


def to_frame(counts: JointCounts) -> pd.DataFrame:
    """One row a cell, as ``JointCounts.to_frame`` promises."""
    columns: dict[str, Any] = {}

    def put(name: str, values: Any) -> None:
        # Two columns may bear the same name, such as an attribute called "task".
        while name in columns:
            name += "_"
        columns[name] = values

    for i, axis in enumerate(counts.axes):
        values = [*counts.labels_of(axis.role), None, *counts.levels.tolist()]
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
    header = header_of(counts) | {"levels": counts.levels.tolist()}
    columns = counts.cells.arrays()
    if "unit" in columns:
        # They follow from the weight of a row; what is kept once cannot contradict itself.
        del columns["w"], columns["w2"]
    write_document(FORM, header, columns, path, counts.n)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The fields of the JointCounts that ``path`` holds, checked."""
    return read_document(FORM, path, _fields)


def _fields(document: Any) -> dict[str, Any]:
    """Fields from what a file says; any error means that the file is not one of ours."""
    common = common_fields(document)
    labels, groups, axes = (common[name] for name in ("labels", "groups", "axes"))
    levels = numbers_of(document["levels"], REAL)
    require(levels.ndim == 1 and (np.diff(levels, prepend=0, append=1) > 0).all())
    codes, n = document["codes"], document["n"]
    require(codes.ndim == 2 and n.shape == codes.shape[:1] and len(n) > 0 and (n > 0).all())
    for axis, column in zip(axes, codes.T, strict=True):
        size = len(groups if axis.of_attribute else labels) + axis.predicted
        size += len(levels) * (axis.role == "prediction")
        require(((column >= 0) & (column < size)).all())
    require(sum(n.tolist()) < MOST_ROWS)
    sums = {name: document[name] for name in ("w", "w2", "unit") if name in document}
    require(set(sums) in ({*()}, {"w", "w2"}, {"unit"}))
    if "unit" in sums:
        sums |= {"w": n * sums["unit"], "w2": n * sums["unit"] ** 2}
    for values in sums.values():
        require(values.shape == n.shape and np.isfinite(values).all() and (values >= 0).all())
    if sums:
        check_total_weight(float(sums["w"].sum()))
        check_weights(n, sums["w"], sums["w2"], whole=True)
    cells = Cells(codes.astype(np.int32), n, **sums).consolidated()
    require(len(cells.n) == len(n))
    return common | {"cells": cells, "levels": levels}
