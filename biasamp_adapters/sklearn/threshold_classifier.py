"""A classifier that predicts positives as often as they are labelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_val_predict
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from biasamp_adapters.counting.labels import Array, Label
from biasamp_adapters.sklearn.with_sensitive_features import ReadsGroups
from biasamp_adapters.thresholds.prevalence import PrevalenceThreshold

_METHODS = ("predict_proba", "decision_function")

#: The parameters of the rule.
_OF_RULE = ("prevalence", "tolerance", "pos_label", "unknown_groups")


class PrevalenceThresholdClassifier(ReadsGroups, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a classifier, and thresholds at which positives are predicted as often as labelled.

    With groups, each has a threshold of its own, as in
    :class:`~biasamp_adapters.PrevalenceThreshold`: the model keeps the gap of the labels, which is
    not fairness, and reads the attribute for each decision, which may be unlawful.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` or ``decision_function``.
    sensitive_features : str or int, optional
        The column of X (its position, if X is an array) that holds the groups. The estimator does
        not see it. By default, groups are an argument of ``fit`` and ``predict``; without them, all
        rows have one threshold. Metadata routing passes them to ``fit`` alone, so a search needs
        the column.
    prevalence, tolerance, pos_label, unknown_groups
        As in :class:`~biasamp_adapters.PrevalenceThreshold`.
    cv : int, cross-validation generator, iterable or None
        Thresholds are set on scores of rows that a fit has not seen; None takes the rows of the
        fit, whose scores are too sure.
    n_jobs : int, optional
        Folds at once.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows.
    rule_ : PrevalenceThreshold
        Fitted: it has the thresholds.
    classes_ : ndarray of shape (classes,)

    Examples
    --------
    A third of the rows is positive, and so are a third of the predictions.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from biasamp_adapters.sklearn import PrevalenceThresholdClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 1))
    >>> y = (0.5 * X[:, 0] + rng.normal(size=3000) > 0.49).astype(int)
    >>> plain = LogisticRegression().fit(X, y)
    >>> round(float(y.mean()), 2), round(float(plain.predict(X).mean()), 2)
    (0.33, 0.17)
    >>> model = PrevalenceThresholdClassifier(LogisticRegression()).fit(X, y)
    >>> round(float(model.predict(X).mean()), 2)
    0.33
    """

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive_features: str | int | None = None,
        prevalence: float | Mapping[Label, float] | None = None,
        tolerance: float = 0.0,
        pos_label: Label | None = None,
        unknown_groups: str = "error",
        cv: Any = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.prevalence = prevalence
        self.tolerance = tolerance
        self.pos_label = pos_label
        self.unknown_groups = unknown_groups
        self.cv = cv
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> Self:
        """Fit the estimator and the thresholds.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
        y : array-like of shape (rows,) or (rows, labels)
            Two classes, or a label matrix of 0 and 1.
        sensitive_features : array-like of shape (rows,), optional
            Groups, unless they are a column of X.
        sample_weight : array-like of shape (rows,), optional
            For the estimator, and for shares.
        """
        kind = type_of_target(y)
        if kind == "multiclass":
            rule = "Only binary classification is supported, and label matrices"
            raise ValueError(f"{rule}. The type of the target is {kind}")
        self._is_matrix = kind == "multilabel-indicator"
        y = y if self._is_matrix else column_or_1d(y, warn=True)
        features, groups = self._split(X, sensitive_features)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = clone(self.estimator).fit(features, y, **weights)
        self.classes_ = self.estimator_.classes_
        methods = [name for name in _METHODS if hasattr(self.estimator_, name)]
        if not methods:
            received = type(self.estimator_).__name__
            raise ValueError(f"estimator must have {' or '.join(_METHODS)}; received {received}")
        self._method = methods[0]
        if self.cv is None:
            scores = getattr(self.estimator_, self._method)(features)
        else:
            options = {"cv": self.cv, "n_jobs": self.n_jobs, "params": weights}
            scores = cross_val_predict(self.estimator, features, y, method=self._method, **options)
        rule = PrevalenceThreshold(**{name: getattr(self, name) for name in _OF_RULE})
        scores = self._of_positive(scores)
        self.rule_ = rule.fit(scores, y, sensitive_features=groups, sample_weight=sample_weight)
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Return the classes, or 0 and 1 of a label matrix.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
        sensitive_features : array-like of shape (rows,), optional
            Groups, if ``fit`` had some and they are not a column of X.
        """
        check_is_fitted(self)
        features, groups = self._split(X, sensitive_features)
        scores = self._of_positive(getattr(self.estimator_, self._method)(features))
        return self.rule_.predict(scores, sensitive_features=groups)

    def _of_positive(self, scores: Any) -> Array:
        """Return the scores of the positive class, or a column for each label of a matrix."""
        if isinstance(scores, list):  # A table of two classes for each label.
            return np.column_stack([table[:, -1] for table in scores])
        scores = np.asarray(scores)
        if self._is_matrix:
            return scores
        is_first = self.pos_label is not None and self.pos_label == self.classes_[0]
        if scores.ndim == 2 and scores.shape[1] == 2:
            return scores[:, 0 if is_first else 1]
        return -scores if is_first else scores
