"""What fitted estimators predict, with the sensitive features where they ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from biasamp_adapters.counting.arrays import level_of_index
from biasamp_adapters.counting.labels import ATTRIBUTE


def find_column(values: Any, X: Any, y: Any, argument: str) -> Any:
    """Return the column of X, or else the level of the index of y, that a text names."""
    if not isinstance(values, str):
        return values
    if values in getattr(X, "columns", ()):
        return X[values]
    return level_of_index(y, values, argument)


def predict(estimators: Any, X: Any, groups: Any) -> Any:
    """Return the predictions of an estimator, or of each of a mapping."""
    if isinstance(estimators, Mapping):
        return {name: _call(model, "predict", X, groups) for name, model in estimators.items()}
    return _call(estimators, "predict", X, groups)


def _call(estimator: Any, method: str, X: Any, groups: Any) -> Any:
    """Return what a method says of X; it is given the groups if it has or requests them."""
    function = getattr(estimator, method)
    asks = ATTRIBUTE in signature(function).parameters
    if not asks and hasattr(estimator, "get_metadata_routing"):
        asks = bool(estimator.get_metadata_routing().consumes(method, {ATTRIBUTE}))
    return function(X, **{ATTRIBUTE: groups}) if asks else function(X)
