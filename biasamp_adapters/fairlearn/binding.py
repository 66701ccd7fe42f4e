"""From a function and its arguments to a metric object."""

from __future__ import annotations

from typing import Any

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.metrics.base import Metric

_WAY_OUT = (
    "MetricFrame repeats whatever sample_params holds once a row: bind parameters with a metric "
    "object, such as MALS(pos_label=1), or, in a dict of metrics, with functools.partial"
)


def call(metric: type[Metric], rows: tuple[Any, ...], **parameters: Any) -> float:
    """The value of a metric with parameters; an array in their place is one repeated."""
    y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute = rows
    for name, value in parameters.items():
        if isinstance(value, np.ndarray) and _is_repeated(name, value, y_pred):
            raise ValueError(
                f"{name} must be one value; received an array of {value.size}: {_WAY_OUT}"
            )
    return metric(**parameters)(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sensitive_features_pred=sensitive_features_pred,
        sample_weight=sample_weight,
        attribute=attribute,
    )


def _is_repeated(name: str, value: Array, y_pred: Any) -> bool:
    """Whether an array stands for one value, repeated once a row: all but lists of labels do."""
    if name not in ("labels", "groups"):
        return True
    return len(value) == len(y_pred) and len({str(each) for each in value}) < max(len(value), 2)
