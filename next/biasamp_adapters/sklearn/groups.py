"""Groups for estimators: a column of X or an argument, handed on to methods that take them."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from biasamp_adapters.counting.arrays import warn_of_order
from biasamp_adapters.counting.labels import ATTRIBUTE, listing


class ReadsGroups(ClassifierMixin):  # type: ignore[misc]
    """A classifier around another one, whose methods take groups: its tags, requests and score."""

    estimator: Any
    sensitive_features: Any
    # With metadata routing, searches then pass groups on without a call of set_fit_request.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {ATTRIBUTE: True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {ATTRIBUTE: True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {ATTRIBUTE: True}

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        return tags

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None
    ) -> float:
        """Return the share of right predictions."""
        predicted = self.predict(X, sensitive_features=sensitive_features)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _split(self, X: Any, groups: Any) -> tuple[Any, Any]:
        """Return what the estimator reads of X, and the groups: those of a column, if one is named.

        A scorer hands over the groups that it measures, which may be others than those of X.
        """
        column = self.sensitive_features
        if column is None:
            warn_of_order([("X", X), (ATTRIBUTE, groups)])
            return X, groups
        if isinstance(X, np.ndarray) and column in range(X.shape[-1]):
            return np.delete(X, column, axis=1), X[:, column]
        frame = nw.from_native(X, pass_through=True)
        columns = frame.columns if isinstance(frame, nw.DataFrame) else []
        if column not in columns:
            received = listing(columns) or "no columns with names"
            raise ValueError(
                f"X must have the column {column!r} (sensitive_features=); received {received}"
            )
        if isinstance(X, pd.DataFrame):
            return X.drop(columns=column), X[column]
        return frame.drop(column).to_native(), frame[column].to_native()


def takes_groups(estimator: Any, method: str) -> bool:
    """Return whether a method of an estimator, or of the last step of a pipeline, takes groups."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    if method == "fit" and hasattr(estimator, "constraints"):
        return True  # The reductions of Fairlearn hand all arguments to their constraints.
    function = getattr(estimator, method, None)
    return function is not None and ATTRIBUTE in signature(function).parameters
