"""Counts as files: one format for both kinds; those of earlier versions are still read."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters._warnings import SmallCellsWarning, warn
from biasamp_adapters.counts.blocks import ONE, Layout
from biasamp_adapters.counts.counts import Counts
from biasamp_adapters.counts.documents import (
    REAL,
    WHOLE,
    ChangedError,
    Form,
    UnreadableError,
    check_ending,
    numbers_of,
    parquet_kind,
    read_document,
    require,
    write_document,
)
from biasamp_adapters.counts.rows import MOST_ROWS, Rows
from biasamp_adapters.counts.second_moments import SecondMoments
from biasamp_adapters.counts.variables import Axis
from biasamp_adapters.inputs.columns import check_total_weight

#: Cells with fewer rows than this may identify people.
SMALL_CELL = 5

#: The classes whose counts are saved.
KINDS = ("JointCounts", "CooccurrenceCounts")

#: Columns of distinct rows, of sums over rows, and of second moments.
_ROWS = {"codes": WHOLE, "n": WHOLE, "w": REAL, "w2": REAL, "unit": REAL}
_SUMS, _SECOND = ("n", "w", "w2"), ("left", "sums", "squares")
_OF_SUMS = {f"sum_{name}": REAL for name in _SUMS} | {f"second_{name}": REAL for name in _SECOND}

#: What the header says of all counts, and of those with label matrices or probabilities.
_HEADER = ("labels", "groups", "attributes", "axes", "declared", "dropped")
_FURTHER = ("matrices", "sets", "soft", "levels")

FORM = Form("biasamp-counts", 3, ("counts", *_HEADER, *_FURTHER), {**_ROWS, **_OF_SUMS})

#: Forms of earlier versions, of which the first had no checksum.
_OF_JOINT, _OF_MATRICES = "biasamp-joint-counts", "biasamp-cooccurrence-counts"
_EARLIER = [
    Form(kind, version, (*_HEADER, *further), columns, checked=version > 1)
    for version in (1, 2)
    for kind, further, columns in (
        (_OF_JOINT, ("levels",), _ROWS),
        (
            _OF_MATRICES,
            ("matrices", "sets", "soft"),
            dict.fromkeys([*_SUMS, *(f"second_{name}" for name in _SECOND)], REAL),
        ),
    )
]


def save(counts: Counts, path: str | os.PathLike[str]) -> None:
    """Write counts in the format that the ending of ``path`` names.

    The distinct rows of labels are written; of counts of matrices, the sums.
    """
    check_ending(Path(path))
    header = {
        "counts": type(counts).__name__,
        "labels": [plain_label(label) for label in counts.labels],
        "groups": [plain_label(label) for label in counts.groups],
        "attributes": list(counts.attributes),
        "axes": [list(axis) for axis in counts.axes],
        "declared": sorted(counts.declared),
        "dropped": counts.dropped,
        "matrices": sorted(counts.matrices),
        "sets": [list(members) for members in counts.sets],
        "soft": sorted(map(list, counts.soft_axes)),
        "levels": counts.levels.tolist(),
    }
    rows = counts.rows if header["counts"] == "JointCounts" else None
    columns = _columns_of_sums(counts) if rows is None else _columns_of_rows(counts, rows)
    _warn_of_small_cells(columns)
    write_document(FORM, header, columns, path)


def _columns_of_rows(counts: Counts, rows: Rows) -> dict[str, Array]:
    codes = np.stack([rows.codes[axis] for axis in counts.axes], axis=1)
    sums = rows.sums()
    if "unit" in sums:
        # They follow from the weight of a row; what is kept once cannot contradict itself.
        del sums["w"], sums["w2"]
    return {"codes": codes, **sums}


def _columns_of_sums(counts: Counts) -> dict[str, Array]:
    columns = {f"sum_{name}": values.ravel() for name, values in counts.moments.items()}
    if counts.second is not None:
        second = {name: getattr(counts.second, name).ravel() for name in _SECOND}
        columns |= {f"second_{name}": values for name, values in second.items()}
    return columns


def _warn_of_small_cells(columns: dict[str, Array]) -> None:
    cells = [columns[name] for name in ("n", "sum_n", "second_squares") if name in columns]
    n = np.concatenate(cells)
    small = int(((n > 0) & (n < SMALL_CELL)).sum())
    if small:
        warnings.warn(
            f"{small} of {int((n > 0).sum())} cells hold fewer than {SMALL_CELL} rows and may "
            "identify people; share such counts only where the rows could be shared",
            SmallCellsWarning,
            stacklevel=4,
        )


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a Parquet file holds counts, and not a table.

    Raises
    ------
    ValueError
        If it is damaged: it may have held either.
    """
    return parquet_kind(path) in (FORM.kind, _OF_JOINT, _OF_MATRICES)


def fields_of(path: str | os.PathLike[str], kind: str | None = None) -> tuple[str, dict[str, Any]]:
    """The kind of the counts that a file holds, and their fields, checked.

    Parameters
    ----------
    path : path-like
    kind : {"JointCounts", "CooccurrenceCounts"}, optional
        What it must hold.

    Raises
    ------
    ValueError
        If it holds something else, or its content has another checksum than the one it was written
        with.

    Warns
    -----
    AmplificationWarning
        If it has no checksum, as an earlier version wrote it.
    """
    target = Path(path)

    def read(form: Form, document: Any) -> tuple[str, dict[str, Any]]:
        found, fields = _fields(form, document)
        require(kind in (None, found))
        return found, fields

    writer = " or ".join(f"{name}.save" for name in (KINDS if kind is None else [kind]))
    try:
        found, checked = read_document(target, [FORM, *_EARLIER], read)
    except UnreadableError:
        raise ValueError(
            f"path must be a file that {writer} wrote, {FORM.kind} of version {FORM.version} or an "
            f"earlier one; received {str(target)!r}"
        ) from None
    except ChangedError:
        raise ValueError(
            f"path must be a file as {writer} wrote it; the content of {str(target)!r} was changed "
            "since, as its SHA-256 shows"
        ) from None
    if not checked:
        warn(
            f"{str(target)!r} has no checksum, as an earlier version of this package wrote it: "
            "changes since then go unnoticed; load and save it to add one"
        )
    return found


def _fields(form: Form, document: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind and fields of counts; any error means that the file is none of ours."""
    if form.kind == _OF_JOINT:
        document |= {"counts": "JointCounts", "matrices": [], "sets": [], "soft": None}
    elif form.kind == _OF_MATRICES:
        document = {f"sum_{k}" if k in _SUMS else k: values for k, values in document.items()}
        document |= {"counts": "CooccurrenceCounts", "levels": []}
    kind = document["counts"]
    require(kind in KINDS)
    fields = _schema(document)
    if kind == "JointCounts":
        require(not (fields["matrices"] or fields["sets"] or set(_OF_SUMS) & set(document)))
        return kind, fields | _rows(document, fields)
    require(not set(_ROWS) & set(document))
    return kind, fields | _sums(document, fields)


def _schema(document: Any) -> dict[str, Any]:
    """What is counted, checked."""
    labels, groups = (_labels(document[name]) for name in ("labels", "groups"))
    axes = _axes(document["axes"])
    require(len(set(axes)) == len(axes) > 0)
    attributes = _texts(document["attributes"])
    if len(attributes) > 1:
        require(all(isinstance(g, tuple) and len(g) == len(attributes) for g in groups))
    for name in ("declared", "matrices"):
        require(set(_texts(document[name])) <= {"labels", "groups"})
    require(type(document["dropped"]) is int and document["dropped"] >= 0)
    levels = numbers_of(document["levels"], REAL)
    require(levels.ndim == 1 and (np.diff(levels, prepend=0, append=1) > 0).all())
    return {
        "labels": labels,
        "groups": groups,
        "attributes": attributes,
        "axes": axes,
        "matrices": frozenset(document["matrices"]),
        "sets": _sets(document["sets"], len(labels)),
        "declared": frozenset(document["declared"]),
        "dropped": document["dropped"],
        "levels": levels,
    }


def _sets(values: Any, n_labels: int) -> tuple[tuple[int, ...], ...]:
    sets = tuple(tuple(members) for members in values)
    require(all(type(label) is int for members in sets for label in members))
    require(list(sets) == sorted(set(sets)))
    for members in sets:
        require(members and list(members) == sorted(set(members)))
        require(members[0] >= 0 and members[-1] < n_labels)
    return sets


def _rows(document: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """The distinct rows of labels."""
    axes, levels = fields["axes"], fields["levels"]
    codes, n = document["codes"], document["n"]
    require(codes.ndim == 2 and n.shape == codes.shape[:1] and len(n) > 0 and (n > 0).all())
    soft = set()
    for axis, column in zip(axes, codes.T, strict=True):
        size = len(fields["groups" if axis.role.of_attribute else "labels"])
        most = size + axis.role.predicted + len(levels) * (axis.role == Role.PREDICTION)
        require(((column >= 0) & (column < most)).all())
        soft |= {axis} if (column > size).any() else set()
    require(sum(n.tolist()) < MOST_ROWS)
    sums = {name: document[name] for name in ("w", "w2", "unit") if name in document}
    require(set(sums) in (set(), {"w", "w2"}, {"unit"}))
    if "unit" in sums:
        sums |= {"w": n * sums["unit"], "w2": n * sums["unit"] ** 2}
    for values in sums.values():
        require(values.shape == n.shape and np.isfinite(values).all() and (values >= 0).all())
    if sums:
        check_total_weight(float(sums["w"].sum()))
        _check_weights(n, sums["w"], sums["w2"], whole=True)
    of_axes = dict(zip(axes, codes.T.astype(np.int32), strict=True))
    rows = Rows(of_axes, n, **sums).merged()
    require(len(rows) == len(n))
    if document["soft"] is not None:
        soft = set(_axes(document["soft"]))
        require(soft <= set(axes))
    return {"rows": rows, "soft_axes": frozenset(soft)}


def _sums(document: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Sums over rows, and second moments."""
    soft = frozenset(_axes(document["soft"]))
    require(soft <= set(fields["axes"]) and all(axis.role.predicted for axis in soft))
    layout = Layout(fields["axes"], len(fields["labels"]), len(fields["groups"]), fields["sets"])
    sums = {
        name: _numbers(document[f"sum_{name}"]).reshape(layout.zeros().shape)
        for name in _SUMS
        if f"sum_{name}" in document
    }
    require(set(sums) in ({"n"}, set(_SUMS)))
    for values in sums.values():
        _check_sums(values, layout)
    n, one = sums["n"], layout.blocks[ONE].start
    require(n[0, one] > 0 and n[0, one] == np.floor(n[0, one]))
    require(soft or (n == np.floor(n)).all())
    if "w" in sums:
        check_total_weight(float(sums["w"][0, one]))
        _check_weights(n, sums["w"], sums["w2"], whole=not soft)
    return {"stored": sums, "second": _second(document, layout, sums), "soft_axes": soft}


def _numbers(values: Array) -> Array:
    require(values.ndim == 1 and np.isfinite(values).all() and (values >= 0).all())
    return values


def _second(document: Any, layout: Layout, sums: dict[str, Array]) -> SecondMoments | None:
    """The second moments, which must lead to the sums."""
    names = [f"second_{name}" for name in _SECOND]
    if not any(name in document for name in names):
        return None
    left, of_rows, squares = (_numbers(document[name]) for name in names)
    left = left.reshape(-1, len(sums["n"]))
    found = SecondMoments(
        left,
        of_rows.reshape(len(left), layout.width),
        squares.reshape(len(left), layout.width, layout.width),
    )
    require(((left == 0) | (left == 1)).all() and len(np.unique(left, axis=0)) == len(left))
    require(_near(left.T @ found.sums, sums.get("w", sums["n"])))
    # The products with the column that is 1 in every row.
    with_one = found.squares[:, layout.blocks[ONE].start]
    require(_near(left.T @ with_one, sums.get("w2", sums["n"])))
    require(_near(found.squares, found.squares.swapaxes(1, 2)))
    # Of Cauchy and Schwarz, as for any covariance.
    spread = np.sqrt(np.diagonal(found.squares, axis1=1, axis2=2))
    require((found.squares <= spread[:, :, None] * spread[:, None, :] * (1 + 1e-6)).all())
    return found


def _check_sums(values: Array, layout: Layout) -> None:
    """Sums that rows can have: none beyond that of its own rows, each pair counted once."""
    left = values[:, layout.left]
    require(_near(left, left.T))
    # Of every left column, the rows that it counts.
    require((values <= values[:, layout.blocks[ONE]] * (1 + 1e-9)).all())


def _check_weights(n: Array, w: Array, w2: Array, *, whole: bool) -> None:
    """Raise unless weights of ``n`` rows can have the sum ``w``, and their squares ``w2``.

    Where a row counts by a probability, and not as a ``whole``, its square is more than that of
    what it adds to ``w``.
    """
    # Sums are rounded, and squares of the smallest numbers are lost.
    slack, least = 1 + 1e-6, 1e-300
    # Of Cauchy and Schwarz: equal weights have the smallest squares for their sum.
    require((w**2 <= n * w2 * slack + least).all())
    require(not whole or (w2 <= w**2 * slack + least).all())


def _near(first: Array, second: Array) -> bool:
    return np.allclose(first, second, rtol=1e-9, atol=0)


def _axes(values: Any) -> tuple[Axis, ...]:
    """A list of variables, as a document holds it."""
    axes = tuple(Axis(Role(role), model) for role, model in values)
    for axis in axes:
        require(isinstance(axis.model, str) if axis.role.predicted else axis.model is None)
    return axes


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
