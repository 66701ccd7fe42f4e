"""The columns of a frame that hold label matrices, and their readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.base import MODEL
from biasamp_adapters.counts.labels import listing, lookup, ordered
from biasamp_adapters.counts.readers import Variables, read_variables
from biasamp_adapters.inputs.columns import Weights
from biasamp_adapters.inputs.frames import check_columns, grouped
from biasamp_adapters.inputs.matrices import Indicators

#: One name or several; Indicators of names are groups that are columns.
Names = str | Sequence[str] | Indicators


@dataclass(frozen=True)
class FrameColumns:
    """Names of columns, as ``CooccurrenceCounts.from_frame`` takes them."""

    task: str | Sequence[str] | None
    prediction: Sequence[str] | Mapping[str, Sequence[str]] | None
    attribute: Names | None
    attribute_prediction: Names | Mapping[str, Names] | None
    weight: str | None

    def all(self) -> list[str]:
        """Every column that is read, each once."""
        found: list[str] = []
        for value in (self.task, self.prediction, self.attribute, self.attribute_prediction):
            for names in value.values() if isinstance(value, Mapping) else [value]:
                found += _names(names)
        return list(dict.fromkeys([*found, *_names(self.weight)]))


class ReadFrame(NamedTuple):
    """Readers of the columns of a frame, and how often each row is there."""

    variables: Variables
    weight: Weights | None
    repeated: Array | None


def _by_model(names: Any, models: Iterable[str]) -> dict[str, Any]:
    """Names of columns by model; what is not a mapping is for every model."""
    return dict(names) if isinstance(names, Mapping) else dict.fromkeys(models, names)


def _names(names: Names | None) -> list[str]:
    if names is None:
        return []
    columns = names.values if isinstance(names, Indicators) else names
    return [columns] if isinstance(columns, str) else list(columns)


def read_frame(
    frame: Any,
    columns: FrameColumns,
    labels: tuple[Label, ...] | None,
    groups: tuple[Label, ...] | None,
) -> ReadFrame:
    """Readers of a frame; of one that is not in memory, only its distinct rows are fetched."""
    names = columns.all()
    if not names:
        raise ValueError("counts need at least one column; received none")
    repeated = None
    table = nw.from_native(frame, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        table, repeated = _distinct_rows(frame, names)
    check_columns(table.columns, names)
    picked = _Picked(table, columns, labels)
    models = _by_model(columns.prediction, [MODEL])
    predicted = _by_model(columns.attribute_prediction, models)
    variables = read_variables(
        picked.tasks(columns.task),
        {model: picked.tasks(chosen) for model, chosen in models.items()},
        picked.groups(columns.attribute),
        {model: picked.groups(chosen) for model, chosen in predicted.items()},
        labels,
        groups,
        {
            "y_true": _called("task", columns.task),
            "y_pred": _called("prediction", next(iter(models.values()))),
            "sensitive_features": _called("attribute", columns.attribute),
            "sensitive_features_pred": _called("attribute", next(iter(predicted.values()))),
        },
    )
    weight = columns.weight
    weights = None if weight is None else Weights(table[weight].to_native(), f"column {weight!r}")
    return ReadFrame(variables, weights, repeated)


class _Picked:
    """Columns of a table as the arguments of counts from arrays.

    Those of truth and predictions have different names, so they correspond by position, and are
    named as the truth is.
    """

    def __init__(
        self, table: nw.DataFrame[Any], columns: FrameColumns, labels: tuple[Label, ...] | None
    ) -> None:
        self._table = table
        by_column = columns.task is not None and not isinstance(columns.task, str)
        self._labels = labels or (tuple(_names(columns.task)) if by_column else None)
        of_groups = columns.attribute
        self._groups: tuple[Label, ...] | None = None
        if isinstance(of_groups, Indicators):
            self._groups = tuple(of_groups.names or _names(of_groups))

    def tasks(self, chosen: str | Sequence[str] | None) -> Any:
        """Task labels, or a matrix of them."""
        if chosen is None or isinstance(chosen, str):
            return None if chosen is None else self._table[chosen].to_native()
        if self._labels is not None and len(chosen) != len(self._labels):
            raise ValueError(
                f"there must be a column for each of the {len(self._labels)} tasks; "
                f"received {len(chosen)}: {list(chosen)}"
            )
        if len(set(chosen)) < len(chosen):
            raise ValueError(f"tasks must have distinct columns; received {list(chosen)}")
        return Indicators(self._table.select(*chosen), self._labels)

    def groups(self, chosen: Names | None) -> Any:
        """Labels of an attribute, or its groups as columns."""
        if chosen is None:
            return None
        if not isinstance(chosen, Indicators):
            return {name: self._table[name].to_native() for name in _names(chosen)}
        names = _names(chosen)
        alike = self._groups is not None and len(self._groups) == len(names)
        return Indicators(
            self._table.select(*names), chosen.names or (self._groups if alike else None)
        )


def _called(what: str, names: Names | None) -> str:
    """What to call columns in an error."""
    return f"{what} column(s) {listing(_names(names))}"


def _distinct_rows(frame: Any, names: Sequence[str]) -> tuple[nw.DataFrame[Any], Array]:
    """The distinct rows of some columns, fetched from their engine, and how often each is there."""
    coded, sums = grouped(frame, names, None)
    values = {}
    # Engines promise no order of rows; what is drawn from them should not depend on it.
    order = np.lexsort([_ranks(codes, labels) for codes, labels in coded])
    for name, (codes, labels) in zip(names, coded, strict=True):
        book = np.empty(len(labels) + 1, dtype=object)
        book[: len(labels)], book[-1] = list(labels), None
        values[name] = pd.Series(book[codes.astype(np.intp)[order]]).infer_objects()
    return nw.from_native(pd.DataFrame(values), eager_only=True), sums[0][order]


def _ranks(codes: Array, labels: Sequence[Label]) -> Array:
    """Codes in the order of the labels and not of their appearance; -1 where missing."""
    return np.append(lookup(labels, ordered(labels)), -1)[codes.astype(np.intp)]
