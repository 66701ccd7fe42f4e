"""The metrics as functions, with the signature of ``demographic_parity_difference``."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.host_functions import MetricFunctions
from biasamp_adapters.metrics.base import Metric


@partial(MetricFunctions, attribute="sensitive_features", predicted="sensitive_features_pred")
def metric_function(
    metric: type[Metric],
    /,
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    attribute: Any = None,
    **parameters: Any,
) -> float:
    """{description}

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, tasks)
        True and predicted task labels.
    sensitive_features : array-like of shape (n,) or (n, attributes)
        Protected attribute; several columns are crossed.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute. T->A needs it; in MALS the true one takes its place; LA ignores it.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    attribute : same as ``sensitive_features``, optional
        Another name for it, as ``make_derived_metric`` reserves ``sensitive_features``.
    {parameters}

    Returns
    -------
    float
        The value. Its meaning and range are described above.

    Raises
    ------
    ValueError
        If an input breaks a rule, or MetricFrame has repeated a parameter once per row.

    {notes}

    Examples
    --------
    Group 1 is positive in 40 of 50 rows, group 2 in 10 of 50; the model predicts no positive in
    group 2.

    >>> from biasamp_adapters.fairlearn import {name}
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 50
    >>> group = [1] * 50 + [2] * 50
    >>> value = {name}(
    ...     y_true, y_pred, sensitive_features=group{example}
    ... )
    >>> round(value, 4)
    {value}
    """
    for name, value in parameters.items():
        if isinstance(value, np.ndarray) and _is_repeated(name, value, y_pred):
            raise ValueError(
                f"{name} must be one value; received an array of {value.size}: MetricFrame repeats "
                "whatever sample_params holds once per row: bind parameters with a metric object, "
                "such as MALS(pos_label=1), or, in a dict of metrics, with functools.partial"
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
    """Whether an array stands for one value, repeated once per row: all but lists of labels do."""
    if name not in ("labels", "groups"):
        return True
    return len(value) == len(y_pred) and len({str(label) for label in value}) < max(len(value), 2)


# Written out for editors and type checkers.
mals_bias_amplification = metric_function["mals_bias_amplification"]
directional_bias_amplification = metric_function["directional_bias_amplification"]
multi_attribute_bias_amplification = metric_function["multi_attribute_bias_amplification"]
leakage_amplification = metric_function["leakage_amplification"]
directional_predictability_amplification = metric_function[
    "directional_predictability_amplification"
]
