"""Reading arrays and frames into a tally, with a note of where each axis comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.counts.assemble import Source
from biasamp_adapters.counts.base import MODEL, Axis
from biasamp_adapters.counts.tally import Tally
from biasamp_adapters.inputs.columns import (
    Column,
    NoRowsError,
    Weights,
    check_lengths,
    chunks,
    read_columns,
)
from biasamp_adapters.inputs.frames import check_columns, grouped
from biasamp_adapters.inputs.matrices import one_shape

#: Rows of different weights are kept apart up to this many cells; beyond it, their sums do.
MAX_WEIGHTED_CELLS = 2**17


@dataclass
class Collected:
    """Tallied columns: the axes, the names of the attributes, and the cells.

    Past the columns of the axes come ``n_slices`` that split the rows, and perhaps a weight.
    """

    sources: list[Source] = field(default_factory=list)
    attributes: tuple[str, ...] = ()
    n_columns: int = 0
    n_slices: int = 0
    tally: Tally = field(default_factory=lambda: Tally(0))

    def add(self, axis: Axis, argument: str, n_columns: int) -> None:
        """Say that the next columns make up ``axis``."""
        columns = tuple(range(self.n_columns, self.n_columns + n_columns))
        self.sources.append(Source(axis, argument, columns))
        self.n_columns += n_columns
        if axis.role == "attribute_prediction" and self.attributes:
            expected = len(self.attributes)
            if n_columns != expected:
                raise ValueError(
                    f"{argument} must have one column for each of the {expected} attribute(s); "
                    f"received {n_columns}"
                )


def collect_arrays(
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    sensitive_features_pred: Any,
    sample_weight: Any,
    by_weight: bool,
    slices: Sequence[Column] = (),
) -> Collected:
    """Tally arrays, chunk by chunk; the arguments are those of ``JointCounts.from_arrays``.

    Rows with different values in ``slices`` are kept apart.
    """
    y_true, y_pred = tasks_of_one_shape(y_true, y_pred)
    out = Collected(n_slices=len(slices))
    columns: list[Column] = []
    if sensitive_features is not None:
        read = read_columns(sensitive_features, "sensitive_features")
        out.attributes = tuple(name for name, _ in read)
        out.add(Axis("attribute"), "sensitive_features", len(read))
        columns += [column for _, column in read]
    if y_true is not None:
        out.add(Axis("task"), "y_true", 1)
        columns.append(Column(y_true, "y_true"))
    models, predicted = by_model(y_pred, sensitive_features_pred)
    for model, values in predicted.items():
        if values is not None:
            argument = argument_of("sensitive_features_pred", model)
            read = read_columns(values, argument)
            out.attributes = out.attributes or tuple(name for name, _ in read)
            out.add(Axis("attribute_prediction", model), argument, len(read))
            columns += [column for _, column in read]
    for model, values in models.items():
        if values is not None:
            argument = argument_of("y_pred", model)
            out.add(Axis("prediction", model), argument, 1)
            columns.append(Column(values, argument))
    if not columns:
        raise ValueError("counts need at least one column; received none")
    weight = None if sample_weight is None else Weights(sample_weight, "sample_weight")
    by_weight = by_weight and weight is not None
    out.tally = _tally_for(len(columns) + len(slices), by_weight)
    _tally_rows(out.tally, [*columns, *slices], weight, by_weight)
    return out


def by_model(y_pred: Any, predicted: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Predicted tasks and attributes by model: those of a mapping, or of the one unnamed model."""
    named = is_mapping(y_pred)
    models = dict(y_pred) if named else {MODEL: y_pred}
    if not models:
        raise ValueError("y_pred must name at least one model; received an empty mapping")
    if not all(isinstance(name, str) for name in models):
        raise ValueError(f"names of models in y_pred must be strings; received {list(models)}")
    if not (named and is_mapping(predicted)):
        predicted = dict.fromkeys(models, predicted)
    if set(predicted) != set(models):
        raise ValueError(
            f"sensitive_features_pred must name the models of y_pred, {list(models)}; "
            f"received {list(predicted)}"
        )
    return models, dict(predicted)


def tasks_of_one_shape(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """True and predicted tasks, a matrix of one column beside a vector being that vector."""
    if not is_mapping(y_pred):
        y_true, y_pred = one_shape([y_true, y_pred])
        return y_true, y_pred
    y_true, *predicted = one_shape([y_true, *y_pred.values()])
    return y_true, dict(zip(y_pred, predicted, strict=True))


def is_mapping(values: Any) -> bool:
    """Whether values are given by name: a sparse matrix of scipy may be a mapping as well."""
    return isinstance(values, Mapping) and not hasattr(values, "tocsr")


def argument_of(name: str, model: str) -> str:
    """What to call an argument in an error."""
    return name if model == MODEL else f"{name}[{model!r}]"


def _tally_for(n_columns: int, by_weight: bool) -> Tally:
    """A tally of rows, which keeps apart rows of different weights as a last column."""
    return Tally(n_columns + by_weight, MAX_WEIGHTED_CELLS if by_weight else None)


def _tally_rows(
    tally: Tally, columns: list[Column], weight: Weights | None, by_weight: bool
) -> None:
    n_rows = check_lengths([*columns, *([] if weight is None else [weight])])
    for start, stop in chunks(n_rows):
        coded = [column.chunk(start, stop) for column in columns]
        if weight is None:
            tally.add(coded)
            continue
        w = weight.numbers(start, stop)
        if by_weight:
            codes, units = pd.factorize(w)
            coded.append((codes, units.tolist()))
        tally.add(coded, [np.ones(stop - start, dtype=np.int64), w, w * w])
    if weight is not None:
        weight.check()


class FrameTally:
    """Tallies frames, one after the other, each on its own engine.

    Parameters
    ----------
    task, prediction, attribute, attribute_prediction, weight, by_weight
        As in ``JointCounts.from_frame``.

    Attributes
    ----------
    collected : Collected
        What was tallied so far.
    """

    def __init__(
        self,
        task: str | None,
        prediction: str | Sequence[str] | None,
        attribute: str | Sequence[str] | None,
        attribute_prediction: str | Sequence[str] | None,
        weight: str | None,
        by_weight: bool,
    ) -> None:
        self.collected, self._keys = _axes_of_frames(
            task, prediction, attribute, attribute_prediction
        )
        self._weight = weight
        self._by_weight = by_weight and weight is not None
        self.collected.tally = _tally_for(len(self._keys), self._by_weight)

    def add(self, frame: Any) -> None:
        """Tally the rows of a frame.

        Raises
        ------
        NoRowsError
            If it has none.
        """
        keys, weight, tally = self._keys, self._weight, self.collected.tally
        if not isinstance(frame, pd.DataFrame):
            most = MAX_WEIGHTED_CELLS if self._by_weight else None
            tally.add(*grouped(frame, keys, weight, most))
            return
        # Several times faster through numpy than through the frame's own group-by.
        check_columns(frame.columns, [*keys, *_names(weight)])
        if frame.empty:
            raise NoRowsError("the frame")
        columns = [Column(frame[key], f"column {key!r}") for key in keys]
        weights = None if weight is None else Weights(frame[weight], f"column {weight!r}")
        _tally_rows(tally, columns, weights, self._by_weight)


def _axes_of_frames(
    task: str | None,
    prediction: str | Sequence[str] | None,
    attribute: str | Sequence[str] | None,
    attribute_prediction: str | Sequence[str] | None,
) -> tuple[Collected, list[str]]:
    """What the columns of frames stand for, and their names."""
    out = Collected()
    attributes, models = _names(attribute), _names(prediction)
    predicted = _names(attribute_prediction)
    if len(set(models)) < len(models):
        raise ValueError(f"prediction must name each column once; received {list(models)}")
    keys: list[str] = []

    def add(axis: Axis, names: Sequence[str]) -> None:
        if names:
            out.add(axis, "column " + " x ".join(map(repr, names)), len(names))
            keys.extend(names)

    add(Axis("attribute"), attributes)
    out.attributes = attributes
    add(Axis("task"), _names(task))
    n_models = max(len(models), 1)
    if len(predicted) not in (0, n_models * len(attributes)):
        raise ValueError(
            f"attribute_prediction must name {n_models * len(attributes)} column(s), one for each "
            f"attribute and model; received {list(predicted)}"
        )
    for i, model in enumerate(models or (MODEL,)):
        own = predicted[i * len(attributes) : (i + 1) * len(attributes)]
        add(Axis("attribute_prediction", model), own)
    for model in models:
        add(Axis("prediction", model), (model,))
    if not keys:
        raise ValueError("counts need at least one column; received none")
    return out, keys


def _names(columns: str | Sequence[str] | None) -> tuple[str, ...]:
    if columns is None:
        return ()
    return (columns,) if isinstance(columns, str) else tuple(columns)
