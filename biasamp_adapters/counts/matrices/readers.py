"""Readers of variables as columns of indicators, for counts of label matrices."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array, Label, is_real
from biasamp_adapters.counts.assemble import cross
from biasamp_adapters.counts.base import Axis
from biasamp_adapters.counts.collect import argument_of, by_model, tasks_of_one_shape
from biasamp_adapters.counts.labels import check_labels, declared, listing, lookup, ordered
from biasamp_adapters.inputs.columns import Column, chunks, read_columns
from biasamp_adapters.inputs.matrices import Indicators, Matrix, is_matrix


class LabelVector:
    """Labels, one a row, read as columns of 0 and 1; several columns are crossed.

    Attributes
    ----------
    labels : tuple
        The labels seen, in order.
    probability : bool
        Whether the values are probabilities of class 1, the other class being 0.
    index : pandas.Index or None
        The index of a pandas input.
    """

    named = True

    def __init__(
        self, columns: Sequence[Column], name: str, *, may_be_chance: bool = False
    ) -> None:
        self.name = name
        self.index = columns[0].index
        self._columns = columns
        seen: set[Label] = set()
        split = False
        for start, stop in chunks(len(self)):
            codes, labels = self._codes(start, stop)
            found: list[Any] = [labels[code] for code in np.unique(codes).tolist() if code >= 0]
            if may_be_chance:
                # Probabilities are not collected: there may be as many as rows.
                whole = [x for x in found if not (is_real(x) and 0 < x < 1)]
                split = split or len(whole) < len(found)
                found = whole
            seen.update(found)
        check_labels(seen, name)
        if split and not seen <= {0, 1}:
            raise ValueError(
                f"probabilities in {name} must lie in [0, 1]; received "
                f"{listing(ordered(seen - {0, 1}))}"
            )
        self.probability = self.found_soft = split
        self.labels: tuple[Label, ...] = (0, 1) if split else ordered(seen)

    def __len__(self) -> int:
        return min(map(len, self._columns))

    @property
    def may_be_split(self) -> bool:
        """Whether the values are probabilities."""
        return self.probability

    def _codes(self, start: int, stop: int) -> tuple[Array, Sequence[Label]]:
        read = [column.chunk(start, stop) for column in self._columns]
        codes = np.stack([codes.astype(np.int64) for codes, _ in read], axis=1)
        return cross(codes, [labels for _, labels in read])

    def read(self, start: int, stop: int, out: Array, order: Array) -> Array | None:
        """Write rows ``start`` to ``stop`` to ``out``, the columns in ``order``."""
        codes, labels = self._codes(start, stop)
        missing = codes < 0
        if self.probability:
            there = ~missing
            p = np.array(labels, dtype=np.float64)[codes[there]]
            both = np.stack([1 - p, p], axis=1)
            out[there] = np.where(order >= 0, both[:, order], 0)
        else:
            position = np.full(len(self.labels) + 1, -1)
            position[order[order >= 0]] = np.flatnonzero(order >= 0)
            columns = np.append(position[lookup(labels, self.labels)], -1)[codes]
            there = columns >= 0
            out[np.flatnonzero(there), columns[there]] = 1
        return missing if missing.any() else None


Reader = LabelVector | Matrix


@dataclass
class Variables:
    """Readers of all variables, over common lists of labels and groups."""

    readers: dict[Axis, Reader] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    groups: tuple[Label, ...] = ()
    declared: frozenset[str] = frozenset()

    def order(self, axis: Axis) -> Array:
        """Position, among the reader's own columns, of each label of the common list; or -1."""
        domain = self.groups if axis.of_attribute else self.labels
        return lookup(domain, self.readers[axis].labels)


def read_variables(
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    sensitive_features_pred: Any,
    labels: tuple[Label, ...] | None,
    groups: tuple[Label, ...] | None,
    called: Mapping[str, str] | None = None,
) -> Variables:
    """Readers of the arguments of ``CooccurrenceCounts.from_arrays``.

    Parameters
    ----------
    called : mapping, optional
        What to call the arguments in an error, where a user knows them by other names.
    """
    y_true, y_pred = tasks_of_one_shape(y_true, y_pred)
    out = Variables()
    arguments = ("y_true", "y_pred", "sensitive_features", "sensitive_features_pred")
    name_of = {name: (called or {}).get(name, name) for name in arguments}
    if sensitive_features is not None:
        reader, out.attributes = _attribute(
            sensitive_features, name_of["sensitive_features"], soft=False
        )
        out.readers[Axis("attribute")] = reader
    if y_true is not None:
        out.readers[Axis("task")] = _task(y_true, name_of["y_true"], soft=False)
    models, predicted = by_model(y_pred, sensitive_features_pred)
    for model, values in predicted.items():
        if values is not None:
            argument = argument_of(name_of["sensitive_features_pred"], model)
            reader, names = _attribute(values, argument, soft=True)
            out.readers[Axis("attribute_prediction", model)] = reader
            expected = len(out.attributes)
            both = (out.readers.get(Axis("attribute")), reader)
            if all(isinstance(r, LabelVector) for r in both) and len(names) != expected:
                raise ValueError(
                    f"{argument} must have one column for each of the {expected} attribute(s); "
                    f"received {len(names)}"
                )
            out.attributes = out.attributes or names
    for model, values in models.items():
        if values is not None:
            argument = argument_of(name_of["y_pred"], model)
            truth = out.readers.get(Axis("task"))
            binary = set(truth.labels if truth is not None else labels or ()) or {None}
            reader = _task(values, argument, soft=True, binary=binary <= {0, 1})
            out.readers[Axis("prediction", model)] = reader
    if not out.readers:
        raise ValueError("counts need at least one column; received none")
    _check_alike(out.readers)
    listed = {"labels": labels, "groups": groups}
    by_name = {
        "labels": [reader for axis, reader in out.readers.items() if not axis.of_attribute],
        "groups": [reader for axis, reader in out.readers.items() if axis.of_attribute],
    }
    common = {name: _common(by_name[name], listed[name], name) for name in listed}
    out.labels, out.groups = common["labels"], common["groups"]
    out.declared = frozenset(
        name
        for name in listed
        if listed[name] is not None or any(isinstance(each, Matrix) for each in by_name[name])
    )
    return out


def _attribute(values: Any, name: str, *, soft: bool) -> tuple[Reader, tuple[str, ...]]:
    if isinstance(values, Indicators):
        return _named_matrix(values, name, soft=soft), (_ATTRIBUTE,)
    columns = read_columns(values, name)
    return LabelVector([column for _, column in columns], name), tuple(key for key, _ in columns)


def _named_matrix(values: Indicators, name: str, *, soft: bool) -> Matrix:
    names = values.names
    if isinstance(names, str) or not all(isinstance(each, Hashable) for each in names or ()):
        names = declared(names, f"names of {name}")
    matrix = Matrix(values.values, name, names, soft=soft)
    matrix.labels = declared(matrix.labels, f"names of {name}") or ()
    return matrix


#: What the attribute is called where its groups are columns.
_ATTRIBUTE = "sensitive_features"


def _task(values: Any, name: str, *, soft: bool, binary: bool = False) -> Reader:
    if isinstance(values, Indicators):
        return _named_matrix(values, name, soft=soft)
    if is_matrix(values):
        return Matrix(values, name, soft=soft)
    return LabelVector([Column(values, name)], name, may_be_chance=soft and binary)


def _check_alike(readers: dict[Axis, Reader]) -> None:
    """Truth and predictions of the task are matrices alike, or label vectors alike."""
    truth = readers.get(Axis("task"))
    for axis, reader in readers.items():
        if axis.role != "prediction" or truth is None:
            continue
        if isinstance(truth, Matrix) != isinstance(reader, Matrix):
            shapes = ["a matrix" if isinstance(r, Matrix) else "labels" for r in (truth, reader)]
            raise ValueError(
                f"{reader.name} must have the shape of y_true; received {shapes[1]} for {shapes[0]}"
            )


def _common(
    readers: Sequence[Reader], listed: tuple[Label, ...] | None, argument: str
) -> tuple[Label, ...]:
    """The list of labels of all readers of a task, or of an attribute."""
    matrices = [reader for reader in readers if isinstance(reader, Matrix)]
    vectors = [reader for reader in readers if isinstance(reader, LabelVector)]
    if listed is None and not matrices:
        return ordered(label for reader in vectors for label in reader.labels)
    first = next((reader for reader in matrices if reader.named), matrices[0] if matrices else None)
    domain = listed or (first.labels if first is not None else ())
    source = argument if listed or first is None else first.name
    for reader in matrices:
        if reader.named:
            _check_same(reader, domain, source)
        elif len(reader.labels) != len(domain):
            raise ValueError(
                f"{reader.name} must have a column for each of the {len(domain)} of {source}; "
                f"received {len(reader.labels)}"
            )
        else:
            reader.labels = domain
    for vector in vectors:
        unknown = [label for label in vector.labels if label not in set(domain)]
        if unknown:
            raise ValueError(
                f"{vector.name} must hold only labels known from {source}; received "
                f"{listing(unknown)}, known are {listing(domain)}"
            )
    return tuple(domain)


def _check_same(reader: Matrix, domain: Sequence[Label], source: str) -> None:
    if set(reader.labels) != set(domain):
        missing = [label for label in domain if label not in reader.labels]
        unknown = [label for label in reader.labels if label not in domain]
        wrong = ([f"without {listing(missing)}"] if missing else []) + (
            [f"with {listing(unknown)}"] if unknown else []
        )
        raise ValueError(
            f"{reader.name} must have the same columns as {source}; received one "
            f"{' and '.join(wrong)}"
        )
