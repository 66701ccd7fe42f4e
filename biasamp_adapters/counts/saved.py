"""Counts as files: one format for both kinds; those of earlier versions are still read."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters._warnings import SmallCellsWarning, warn
from biasamp_adapters.counts.blocks import ONE, Layout
from biasamp_adapters.counts.counts import Counts
from biasamp_adapters.counts.documents import (
    REAL,
    UNREADABLE,
    WHOLE,
    check_ending,
    checksum,
    numbers_of,
    parquet_format,
    read_document,
    require,
    write_document,
)
from biasamp_adapters.counts.probabilities import STEPS
from biasamp_adapters.counts.rows import MOST_ROWS, Rows
from biasamp_adapters.counts.second_moments import SecondMoments
from biasamp_adapters.counts.variables import Axis
from biasamp_adapters.inputs.columns import check_total_weight

#: Cells with fewer rows than this may identify people.
SMALL_CELL = 5

#: The classes whose counts are saved.
KINDS = ("JointCounts", "CooccurrenceCounts")

#: Columns of distinct rows; of sums over rows, and of their second moments.
_ROWS = {"codes": WHOLE, "n": WHOLE, "w": REAL, "w2": REAL, "unit": REAL}
_SUMS, _SECOND = ("n", "w", "w2"), ("left", "sums", "squares")
_OF_SECOND = {f"second_{name}": REAL for name in _SECOND}
_OF_SUMS = {f"sum_{name}": REAL for name in _SUMS} | _OF_SECOND

#: The number of the cluster of each row; a cluster has no other name in a file.
_CLUSTER = {"cluster": WHOLE}

#: In the header only if clusters of several parts were added up, or probabilities were merged.
_PARTS, _STEP = "cluster_parts", "probability_step"
_OPTIONAL = {"cluster": _PARTS, "codes": _STEP}

#: The name of the format of counts, and the version that is written.
FORMAT, VERSION = "biasamp-counts", 4

#: The names of the header and the columns of each format. Up to version 3 the name of the task was
#: not saved, up to version 2 labels and matrices had a format each, and files of version 1 have no
#: checksum.
_HEADER = ("format", "version", "labels", "groups", "attributes", "axes", "declared", "dropped")
_OF_JOINT = ({*_HEADER, "levels"}, _ROWS)
_OF_MATRICES = ({*_HEADER, "matrices", "sets", "soft"}, dict.fromkeys(_SUMS, REAL) | _OF_SECOND)
_OF_BOTH = ({"counts"} | _OF_JOINT[0] | _OF_MATRICES[0], _ROWS | _OF_SUMS)
_FORMATS: dict[tuple[str, int], tuple[set[str], dict[str, Any]]] = {
    (FORMAT, VERSION): ({"task_name"} | _OF_BOTH[0], _OF_BOTH[1] | _CLUSTER),
    (FORMAT, 3): _OF_BOTH,
    ("biasamp-joint-counts", 1): _OF_JOINT,
    ("biasamp-joint-counts", 2): _OF_JOINT,
    ("biasamp-cooccurrence-counts", 1): _OF_MATRICES,
    ("biasamp-cooccurrence-counts", 2): _OF_MATRICES,
}


class SavableCounts(Counts):
    """Counts that files can hold."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a JSON or Parquet file, atomically.

        Of ``CooccurrenceCounts`` the sums are written, and no rows.

        Parameters
        ----------
        path : path-like
            Ends in ``.json`` or ``.parquet``.

        Raises
        ------
        ValueError
            If the ending is another one, the folder does not exist, or a label is neither a
            string, a finite number nor a boolean.

        Warns
        -----
        SmallCellsWarning
            If cells, or co-occurrences, hold fewer than five rows: such counts may identify people.
        """
        check_ending(Path(path))
        kind = type(self).__name__
        header = _header(self, kind)
        columns = _columns(self, self.rows if kind == "JointCounts" else None)
        _warn_of_small_cells(columns)
        write_document(header, columns, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read counts that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        JointCounts or CooccurrenceCounts
            Of the class that it is called on.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If :meth:`save` did not write the file, or its checksum shows that it was changed.

        Warns
        -----
        AmplificationWarning
            If an earlier version of this package wrote it, without a checksum.
        """
        return cls(**fields_of(path, cls.__name__)[1])


def _header(counts: Counts, kind: str) -> dict[str, Any]:
    """Everything that is not a column of numbers."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "counts": kind,
        "labels": [plain_label(label) for label in counts.labels],
        "groups": [plain_label(label) for label in counts.groups],
        "attributes": list(counts.attributes),
        "task_name": counts.task_name,
        "axes": [list(axis) for axis in counts.axes],
        "declared": sorted(counts.declared),
        "dropped": counts.dropped,
        "matrices": sorted(counts.matrices),
        "sets": [list(members) for members in counts.sets],
        "soft": sorted(map(list, counts.soft_axes)),
        "levels": counts.levels.tolist(),
    }
    if counts.clustered and counts.cluster_parts > 1:
        header[_PARTS] = counts.cluster_parts
    if kind == "JointCounts" and counts.probability_step is not None:
        header[_STEP] = counts.probability_step
    return header


def _columns(counts: Counts, rows: Rows | None) -> dict[str, Array]:
    """The columns of distinct rows or, without any, of sums."""
    if rows is not None:
        codes = np.stack([rows.codes[axis] for axis in counts.axes], axis=1)
        sums = rows.sums()
        # If the weight of each row is known, w and w2 follow from it and are not written.
        kept = ("n", "unit") if "unit" in sums else ("n", "w", "w2")
        cluster = {} if rows.cluster is None else {"cluster": rows.cluster}
        return {"codes": codes, **cluster} | {name: sums[name] for name in kept if name in sums}
    columns = {f"sum_{name}": values.ravel() for name, values in counts.moments.items()}
    for name in _SECOND if counts.second is not None else ():
        columns[f"second_{name}"] = getattr(counts.second, name).ravel()
    return columns


def _warn_of_small_cells(columns: dict[str, Array]) -> None:
    cells = [columns[name] for name in ("n", "sum_n", "second_squares") if name in columns]
    n = np.concatenate(cells)
    small = int(((n > 0) & (n < SMALL_CELL)).sum())
    if small:
        warn(
            f"{small} of {int((n > 0).sum())} cells hold fewer than {SMALL_CELL} rows and may "
            "identify people; share such counts only where the rows could be shared",
            SmallCellsWarning,
        )


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a Parquet file holds counts, and not a table.

    Raises
    ------
    ValueError
        If it is damaged: it may have held either.
    """
    return parquet_format(path) in {name for name, _ in _FORMATS}


def fields_of(path: str | os.PathLike[str], kind: str | None = None) -> tuple[str, dict[str, Any]]:
    """The kind of the counts that a file holds, and their fields, checked.

    Parameters
    ----------
    path : path-like
    kind : {"JointCounts", "CooccurrenceCounts"}, optional
        The kind that the file must hold.

    Raises
    ------
    ValueError
        If it holds something else, or its content does not match its checksum.

    Warns
    -----
    AmplificationWarning
        If it has no checksum, as an earlier version wrote it.
    """
    target = Path(path)
    writer = " or ".join(f"{name}.save" for name in (KINDS if kind is None else [kind]))
    try:
        header, columns, stated = _parts(read_document(target))
        with np.errstate(all="ignore"):
            found, fields = _fields(header, columns)
        require(kind in (None, found))
    except UNREADABLE:
        raise ValueError(
            f"path must be a file that {writer} wrote, {FORMAT} of version {VERSION} or an earlier "
            f"one; received {str(target)!r}"
        ) from None
    if header["version"] == 1:
        warn(
            f"{str(target)!r} has no checksum, as an earlier version of this package wrote it: "
            "changes since then go unnoticed; load and save it to add one"
        )
    elif stated != checksum(header, columns):
        raise ValueError(
            f"path must be a file as {writer} wrote it; the content of {str(target)!r} was changed "
            "since, as its SHA-256 shows"
        )
    return found, fields


def _parts(document: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array], str | None]:
    """The header, the columns and the checksum of a file, each name known and each number typed."""
    require(type(document["version"]) is int)
    names, dtypes = _FORMATS[document["format"], document["version"]]
    columns = {
        name: numbers_of(document.pop(name), dtypes[name]) for name in {*dtypes} & {*document}
    }
    stated = document.pop("sha256") if document["version"] > 1 else None
    require(document["version"] == 1 or isinstance(stated, str))
    further = {name for column, name in _OPTIONAL.items() if column in columns}
    require(set(document) - further == names)
    return document, columns, stated


def _fields(header: dict[str, Any], columns: dict[str, Array]) -> tuple[str, dict[str, Any]]:
    """The kind and fields of counts; any error means that the file is not valid."""
    if header["format"] == "biasamp-joint-counts":
        header = header | {"counts": "JointCounts", "matrices": [], "sets": [], "soft": None}
    elif header["format"] == "biasamp-cooccurrence-counts":
        header = header | {"counts": "CooccurrenceCounts", "levels": []}
        columns = {f"sum_{x}" if x in _SUMS else x: values for x, values in columns.items()}
    kind, fields = header["counts"], _schema(header)
    if kind == "JointCounts":
        known = _ROWS.keys() | _CLUSTER.keys()
        require(columns.keys() <= known and not (fields["matrices"] or fields["sets"]))
        return kind, fields | _rows(header["soft"], columns, fields)
    require(kind == "CooccurrenceCounts" and columns.keys() <= _OF_SUMS.keys())
    return kind, fields | _sums(_axes(header["soft"]), columns, fields)


def _schema(document: Any) -> dict[str, Any]:
    labels, groups = (_labels(document[name]) for name in ("labels", "groups"))
    axes = _axes(document["axes"])
    require(len(set(axes)) == len(axes) > 0)
    attributes = _texts(document["attributes"])
    if len(attributes) > 1:
        require(all(isinstance(g, tuple) and len(g) == len(attributes) for g in groups))
    task_name = document.get("task_name")
    require(task_name is None or isinstance(task_name, str))
    for name in ("declared", "matrices"):
        require(set(_texts(document[name])) <= {"labels", "groups"})
    require(type(document["dropped"]) is int and document["dropped"] >= 0)
    parts = document.get(_PARTS, 1)
    require(type(parts) is int and parts >= 1)
    levels, step = numbers_of(document["levels"], REAL), document.get(_STEP)
    require(step is None or (step in STEPS and len(levels) > 0))
    require(levels.ndim == 1 and (np.diff(levels, prepend=0, append=1) > 0).all())
    return {
        "labels": labels,
        "groups": groups,
        "attributes": attributes,
        "task_name": task_name,
        "axes": axes,
        "matrices": frozenset(document["matrices"]),
        "sets": _sets(document["sets"], len(labels)),
        "declared": frozenset(document["declared"]),
        "dropped": document["dropped"],
        "cluster_parts": parts,
        "levels": levels,
        "probability_step": step,
    }


def _sets(values: Any, n_labels: int) -> tuple[tuple[int, ...], ...]:
    sets = tuple(tuple(members) for members in values)
    require(list(sets) == sorted(set(sets)))
    for members in sets:
        require(members and list(members) == sorted(set(members)))
        require(all(type(label) is int and 0 <= label < n_labels for label in members))
    return sets


def _rows(listed: Any, columns: dict[str, Array], fields: dict[str, Any]) -> dict[str, Any]:
    """The distinct rows of labels; their predictions with probabilities are ``listed``, or seen."""
    axes, levels = fields["axes"], fields["levels"]
    codes, n = columns["codes"], columns["n"]
    require(codes.ndim == 2 and n.shape == codes.shape[:1] and len(n) > 0 and (n > 0).all())
    soft = set()
    for axis, column in zip(axes, codes.T, strict=True):
        size = len(fields["groups" if axis.role.of_attribute else "labels"])
        most = size + axis.role.predicted + len(levels) * (axis.role == Role.PREDICTION)
        require(((column >= 0) & (column < most)).all())
        soft |= {axis} if (column > size).any() else set()
    require(sum(n.tolist()) < MOST_ROWS)
    sums: dict[str, Any] = {x: columns[x] for x in ("w", "w2", "unit") if x in columns}
    require(set(sums) in (set(), {"w", "w2"}, {"unit"}))
    if "unit" in sums:
        sums |= {"w": n * sums["unit"], "w2": n * sums["unit"] ** 2}
    if sums:
        require(all(_numbers(values).shape == n.shape for values in sums.values()))
        check_total_weight(float(sums["w"].sum()))
        _check_weights(n, sums["w"], sums["w2"], whole=True)
    if "cluster" in columns:
        cluster = sums["cluster"] = columns["cluster"]
        require(cluster.shape == n.shape)
        require(np.array_equal(np.unique(cluster), np.arange(cluster.max() + 1)))
    of_axes = dict(zip(axes, codes.T.astype(np.int32), strict=True))
    rows = Rows(of_axes, n, **sums).merged()
    require(len(rows) == len(n))
    if listed is not None:
        soft = set(_axes(listed))
        require(soft <= set(axes))
    return {"rows": rows, "soft_axes": frozenset(soft)}


def _sums(
    soft: Sequence[Axis], columns: dict[str, Array], fields: dict[str, Any]
) -> dict[str, Any]:
    """Sums over rows, and second moments."""
    require(set(soft) <= set(fields["axes"]) and all(axis.role.predicted for axis in soft))
    layout = Layout(fields["axes"], len(fields["labels"]), len(fields["groups"]), fields["sets"])
    sums = {
        name: _numbers(columns[f"sum_{name}"]).reshape(layout.zeros().shape)
        for name in _SUMS
        if f"sum_{name}" in columns
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
    second = _second(columns, layout, sums) if columns.keys() & _OF_SECOND.keys() else None
    return {"stored": sums, "second": second, "soft_axes": frozenset(soft)}


def _numbers(values: Array) -> Array:
    require(values.ndim == 1 and np.isfinite(values).all() and (values >= 0).all())
    return values


def _second(columns: dict[str, Array], layout: Layout, sums: dict[str, Array]) -> SecondMoments:
    """The second moments, which must agree with the sums."""
    left, of_rows, squares = (_numbers(columns[name]) for name in _OF_SECOND)
    left = left.reshape(-1, len(sums["n"]))
    second = SecondMoments(
        left,
        of_rows.reshape(len(left), layout.width),
        squares.reshape(len(left), layout.width, layout.width),
    )
    require(((left == 0) | (left == 1)).all() and len(np.unique(left, axis=0)) == len(left))
    require(_near(left.T @ second.sums, sums.get("w", sums["n"])))
    # The products with the column that is 1 in every row.
    with_one = second.squares[:, layout.blocks[ONE].start]
    require(_near(left.T @ with_one, sums.get("w2", sums["n"])))
    require(_near(second.squares, second.squares.swapaxes(1, 2)))
    # The Cauchy-Schwarz inequality, as for any covariance.
    spread = np.sqrt(np.diagonal(second.squares, axis1=1, axis2=2))
    require((second.squares <= spread[:, :, None] * spread[:, None, :] * (1 + 1e-6)).all())
    return second


def _check_sums(values: Array, layout: Layout) -> None:
    """Raise unless rows can have these sums: no more than their number, and symmetric."""
    left = values[:, layout.left]
    require(_near(left, left.T))
    # No sum exceeds the number of the rows with its left column.
    require((values <= values[:, layout.blocks[ONE]] * (1 + 1e-9)).all())


def _check_weights(n: Array, w: Array, w2: Array, *, whole: bool) -> None:
    """Raise unless weights of ``n`` rows can have the sum ``w``, and their squares ``w2``.

    Where a row counts by a probability, and not as a ``whole``, its square is more than that of
    what it adds to ``w``.
    """
    # Sums are rounded, and squares of the smallest numbers are lost.
    slack, least = 1 + 1e-6, 1e-300
    # The Cauchy-Schwarz inequality: equal weights have the smallest squares for their sum.
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
