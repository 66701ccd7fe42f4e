"""Counts of label matrices as frames and files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.cells import MOST_ROWS
from biasamp_adapters.counts.documents import (
    REAL,
    Form,
    axes_of,
    check_weights,
    common_fields,
    header_of,
    read_document,
    require,
    write_document,
)
from biasamp_adapters.counts.labels import show
from biasamp_adapters.counts.matrices.layout import ONE, Layout
from biasamp_adapters.counts.matrices.second_moments import SecondMoments
from biasamp_adapters.inputs.columns import check_total_weight

if TYPE_CHECKING:
    from biasamp_adapters.counts.cooccurrence import CooccurrenceCounts

#: Sums over rows, and the parts of second moments, in a file each a column.
_MOMENTS, _SECOND = ("n", "w", "w2"), ("left", "sums", "squares")

FORM = Form(
    "biasamp-cooccurrence-counts",
    "CooccurrenceCounts",
    ("matrices", "sets", "soft"),
    dict.fromkeys([*_MOMENTS, *(f"second_{name}" for name in _SECOND)], REAL),
)


def to_frame(counts: CooccurrenceCounts) -> pd.DataFrame:
    """One row a pair, as ``CooccurrenceCounts.to_frame`` promises."""
    first, second = np.indices((len(counts.groups), len(counts.labels))).reshape(2, -1)
    crossed = len(counts.attributes) > 1
    columns: dict[str, Any] = {
        "attribute": [show(counts.groups[i]) if crossed else counts.groups[i] for i in first],
        "task": [counts.labels[i] for i in second],
    }
    if not counts.has("attribute"):
        raise ValueError("co-occurrences need sensitive_features; these counts hold none")

    def values(role: str, model: str | None) -> Any:
        joint = counts.tables(model).joint("attribute", role).reshape(-1)
        whole = (joint == np.floor(joint)).all() and joint.max(initial=0) < MOST_ROWS
        return joint.astype(np.int64) if whole else joint

    if counts.has("task"):
        columns["n"] = values("task", None)
    for model in counts.models:
        if counts.has("prediction", model):
            name = model
            while name in columns:
                name += "_"
            columns[name] = values("prediction", model)
    return pd.DataFrame(columns)


def save(counts: CooccurrenceCounts, path: str | os.PathLike[str]) -> None:
    """Write the sums in the format that the ending of ``path`` names."""
    header = header_of(counts) | {
        "matrices": sorted(counts.matrices),
        "sets": [list(of) for of in counts.sets],
        "soft": sorted(map(list, counts.soft_axes)),
    }
    columns = {name: values.ravel() for name, values in counts.moments.items()}
    every = [columns["n"]]
    if counts.second is not None:
        second = {name: getattr(counts.second, name).ravel() for name in _SECOND}
        columns |= {f"second_{name}": values for name, values in second.items()}
        every.append(second["squares"])
    write_document(FORM, header, columns, path, np.concatenate(every))


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The fields of the CooccurrenceCounts that ``path`` holds, checked."""
    return read_document(FORM, path, _fields)


def _fields(document: Any) -> dict[str, Any]:
    common = common_fields(document)
    labels, groups, axes = (common[name] for name in ("labels", "groups", "axes"))
    sets = tuple(tuple(of) for of in document["sets"])
    require(all(type(t) is int for of in sets for t in of))
    require(list(sets) == sorted(set(sets)))
    for of in sets:
        require(of and list(of) == sorted(set(of)) and of[0] >= 0 and of[-1] < len(labels))
    soft = frozenset(axes_of(document["soft"]))
    require(soft <= set(axes) and all(axis.predicted for axis in soft))
    layout = Layout(axes, len(labels), len(groups), sets)
    shape = layout.left.stop - layout.left.start, layout.width
    moments = {
        name: _numbers(document[name]).reshape(shape) for name in _MOMENTS if name in document
    }
    require(set(moments) in ({"n"}, set(_MOMENTS)))
    for values in moments.values():
        _check_sums(values, layout)
    n = moments["n"]
    rows = n[0, layout.blocks[ONE, None].start]
    require(rows > 0 and rows == np.floor(rows))
    require(soft or (n == np.floor(n)).all())
    if "w" in moments:
        check_total_weight(float(moments["w"][0, layout.blocks[ONE, None].start]))
        check_weights(n, moments["w"], moments["w2"], whole=not soft)
    require(set(document["matrices"]) <= {"labels", "groups"})
    return common | {
        "matrices": frozenset(document["matrices"]),
        "moments": moments,
        "second": _second(document, layout, moments),
        "sets": sets,
        "soft_axes": soft,
    }


def _numbers(values: Array) -> Array:
    require(values.ndim == 1 and np.isfinite(values).all() and (values >= 0).all())
    return values


def _second(document: Any, layout: Layout, moments: dict[str, Array]) -> SecondMoments | None:
    """The second moments, which must lead to the sums."""
    names = [f"second_{name}" for name in _SECOND]
    if not any(name in document for name in names):
        return None
    left, sums, squares = (_numbers(document[name]) for name in names)
    left = left.reshape(-1, len(moments["n"]))
    found = SecondMoments(
        left,
        sums.reshape(len(left), layout.width),
        squares.reshape(len(left), layout.width, layout.width),
    )
    require(((left == 0) | (left == 1)).all() and len(np.unique(left, axis=0)) == len(left))
    require(_near(left.T @ found.sums, moments.get("w", moments["n"])))
    # The products with the column that is 1 in every row.
    of_rows = found.squares[:, layout.blocks[ONE, None].start]
    require(_near(left.T @ of_rows, moments.get("w2", moments["n"])))
    require(_near(found.squares, found.squares.swapaxes(1, 2)))
    # Of Cauchy and Schwarz, as for any covariance.
    spread = np.sqrt(np.diagonal(found.squares, axis1=1, axis2=2))
    require((found.squares <= spread[:, :, None] * spread[:, None, :] * (1 + 1e-6)).all())
    return found


def _check_sums(values: Array, layout: Layout) -> None:
    """Sums that rows can have: none beyond that of its own rows, each pair counted once."""
    left = values[:, layout.left]
    # Of every left column, the rows that it counts.
    own = values[:, layout.blocks[ONE, None]]
    require(_near(left, left.T))
    require((values <= own * (1 + 1e-9)).all())


def _near(first: Array, second: Array) -> bool:
    return np.allclose(first, second, rtol=1e-9, atol=0)
