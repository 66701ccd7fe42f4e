"""What fitted estimators predict, with the sensitive features where they ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np

from biasamp_adapters.counting.arrays import level_of_index
from biasamp_adapters.counting.columns import unknown_column
from biasamp_adapters.counting.labels import ATTRIBUTE, Array

_SCORING = ("predict_proba", "decision_function")


def find_column(values: Any, X: Any, y: Any) -> Any:
    """Return the column of X, or else the level of the index of y, that a text names."""
    if not isinstance(values, str):
        return values
    columns, index = list(getattr(X, "columns", ())), getattr(y, "index", None)
    if values in columns:
        return X[values]
    if columns and values not in getattr(index, "names", ()):
        raise unknown_column(values, columns)
    return level_of_index(y, values)


def predict(estimator: Any, X: Any, groups: Any, pos_label: Any) -> tuple[Any, Any]:
    """Return predictions and scores of an estimator, or by model if it is a mapping.

    Only models of two classes have scores, if they have a method for these; None if none has.
    """
    if not isinstance(estimator, Mapping):
        if isinstance(estimator, type) or not hasattr(estimator, "predict"):
            raise TypeError(
                f"estimator must be fitted, or a dict of such; received {estimator!r:.80}"
            )
        return _call(estimator, "predict", X, groups), _score(estimator, X, groups, pos_label)
    both = {name: predict(model, X, groups, pos_label) for name, model in estimator.items()}
    scores = {name: score for name, (_, score) in both.items() if score is not None}
    return {name: predicted for name, (predicted, _) in both.items()}, scores or None


def _score(estimator: Any, X: Any, groups: Any, pos_label: Any) -> Array | None:
    """Return the scores of the positive class of two, by default the last."""
    method = next((name for name in _SCORING if hasattr(estimator, name)), None)
    scores = np.zeros((0, 0)) if method is None else np.asarray(_call(estimator, method, X, groups))
    is_first = pos_label is not None and pos_label == estimator.classes_[0]
    if scores.ndim == 1:
        return -scores if is_first else scores
    return scores[:, 0 if is_first else 1] if scores.shape[1:] == (2,) else None


def _call(estimator: Any, method: str, X: Any, groups: Any) -> Any:
    """Return what a method says of X; it is given the groups if it has or requests them."""
    function = getattr(estimator, method)
    asks = ATTRIBUTE in signature(function).parameters
    if not asks and hasattr(estimator, "get_metadata_routing"):
        asks = bool(estimator.get_metadata_routing().consumes(method, {ATTRIBUTE}))
    return function(X, **{ATTRIBUTE: groups}) if asks else function(X)
