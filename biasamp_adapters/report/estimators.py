"""What fitted estimators predict, with the sensitive features where they ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np

from biasamp_adapters.counting.arrays import level_of_index
from biasamp_adapters.counting.columns import unknown_column
from biasamp_adapters.counting.labels import ATTRIBUTE, Array

#: The methods that give scores, the first that an estimator has.
SCORING = ("predict_proba", "decision_function")


def find_column(values: Any, X: Any, y: Any) -> Any:
    """Return the columns of X that names list, or the one, or level of y's index, of a text."""
    columns, index = list(getattr(X, "columns", ())), getattr(y, "index", None)
    if isinstance(values, list) and columns and all(isinstance(x, str) for x in values):
        return X[values] if {*values} <= {*columns} else values
    if not isinstance(values, str):
        return values
    if values in columns:
        return X[values]
    if columns and values not in getattr(index, "names", ()):
        raise unknown_column(values, columns)
    return level_of_index(y, values)


def predict(estimator: Any, X: Any, given: Mapping[str, Any], pos_label: Any) -> tuple[Any, Any]:
    """Return predictions and scores of an estimator, or by model if it is a mapping.

    Only models of two classes have scores, if they have a method for these; None if none has.
    ``given`` are the groups and a seed.
    """
    if not isinstance(estimator, Mapping):
        if isinstance(estimator, type) or not hasattr(estimator, "predict"):
            rule = "estimator must be fitted, or a dict of such"
            raise TypeError(f"{rule}; received {estimator!r:.80}")
        return _call(estimator, "predict", X, given), _score(estimator, X, given, pos_label)
    both = {name: predict(model, X, given, pos_label) for name, model in estimator.items()}
    scores = {name: score for name, (_, score) in both.items() if score is not None}
    return {name: predicted for name, (predicted, _) in both.items()}, scores or None


def _score(estimator: Any, X: Any, given: Mapping[str, Any], pos_label: Any) -> Array | None:
    """Return the scores of the positive class of two; None if there are none."""
    method = next((name for name in SCORING if hasattr(estimator, name)), None)
    scores = np.zeros((0, 0)) if method is None else np.asarray(_call(estimator, method, X, given))
    return of_positive(scores, estimator, pos_label) if scores.shape[1:] in ((), (2,)) else None


def of_positive(scores: Array, classifier: Any, pos_label: Any) -> Array:
    """Return the scores of the positive class of two, by default the last."""
    is_first = pos_label is not None and pos_label == classifier.classes_[0]
    if scores.ndim == 2:
        return scores[:, 0 if is_first else -1]
    return -scores if is_first else scores


def _call(estimator: Any, method: str, X: Any, given: Mapping[str, Any]) -> Any:
    """Return what a method says of X; it is given what it has as parameters or requests."""
    function = getattr(estimator, method)
    asked = {*signature(function).parameters}
    if hasattr(estimator, "get_metadata_routing"):
        asked |= {*estimator.get_metadata_routing().consumes(method, {ATTRIBUTE})}
    return function(X, **{name: value for name, value in given.items() if name in asked})
