"""What the tests of PrevalenceThresholdClassifier share: scores that are given, counts by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Given(ClassifierMixin, BaseEstimator):
    """Scores that are its features: one column for two classes, else one a class or label."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Given:  # noqa: N803
        """Nothing to learn but the classes."""
        y = np.asarray(y)
        self.classes_ = np.arange(y.shape[1]) if y.ndim == 2 else np.unique(y)
        return self

    def decision_function(self, X: Any) -> np.ndarray:  # noqa: N803  # scikit-learn's name
        """The features."""
        X = np.asarray(X)  # noqa: N806
        return X[:, 0] if X.shape[1] == 1 else X


def nearest_count(scores: Any, share: Fraction) -> int:
    """How many of the highest scores are nearest to a share of them, the smaller of two."""
    scores = np.asarray(scores)
    possible = {0} | {int((scores >= limit).sum()) for limit in np.unique(scores)}
    return min(possible, key=lambda count: (abs(count - len(scores) * share), count))


def counts(values: Any, classes: Any) -> list[int]:
    """How often each class is there."""
    return [int((np.asarray(values) == each).sum()) for each in classes]
