"""Read sample weights, and pass them to the fit of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from biasamp_adapters._typing import Array
from biasamp_adapters.inputs.columns import read_weights


def checked_weights(sample_weight: Any, n_rows: int) -> Array:
    """Weights as floats; all 1 if none are given.

    Raises
    ------
    ValueError
        If a weight is negative or not finite, all are 0, or their number is not that of the rows.
    """
    if sample_weight is None:
        return np.ones(n_rows)
    return read_weights(np.asanyarray(sample_weight), ("X", n_rows))


def last_step(estimator: Any) -> tuple[str, Any]:
    """The prefix of the parameters of the last step of a pipeline, and this step."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix, estimator


def takes_weights(estimator: Any) -> bool:
    """Whether the fit of an estimator, or of the last step of a pipeline, takes weights."""
    return bool(has_fit_parameter(last_step(estimator)[1], "sample_weight"))


def fit_weighted(estimator: Any, X: Any, y: Any, weight: Array) -> Any:  # noqa: N803
    """Fit an estimator; pass weights, unless all are 1, to it or the last step of a pipeline.

    Raises
    ------
    ValueError
        If weights are not all 1 and the estimator does not accept them.
    """
    with config_context(enable_metadata_routing=False):
        if (weight == 1).all():
            return estimator.fit(X, y)
        prefix, last = last_step(estimator)
        if not takes_weights(estimator):
            raise ValueError(
                "rows with weights or probabilities need an attacker whose fit takes "
                f"sample_weight; received {type(last).__name__}"
            )
        return estimator.fit(X, y, **{f"{prefix}sample_weight": weight})
