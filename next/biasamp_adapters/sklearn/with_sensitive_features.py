"""A classifier that hands groups to its estimator, so that a search may compare any."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from biasamp_adapters.counting.counts import read_rows
from biasamp_adapters.counting.labels import ATTRIBUTE, Array, listing
from biasamp_adapters.sklearn.groups import ReadsGroups, takes_groups


class WithSensitiveFeatures(ReadsGroups, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Hand groups to an estimator whose ``fit`` or ``predict`` takes ``sensitive_features``.

    It makes one kind of candidate of a plain model, Fairlearn's reductions, which read groups in
    ``fit``, and its ``ThresholdOptimizer``, which also reads them in ``predict``. Thresholds by
    group read the attribute for each decision, which may be unlawful.

    Parameters
    ----------
    estimator : estimator
    sensitive_features : str or int, optional
        The column of X (its position, if X is an array) that holds the groups. The estimator does
        not see it. By default, groups are an argument of ``fit`` and ``predict``. Metadata routing
        passes them to ``fit`` alone, so in a search an estimator that decides by groups needs the
        column.
    random_state : int, RandomState or None
        For estimators whose ``predict`` draws at random, as Fairlearn's do; None is 0.

    Attributes
    ----------
    estimator_ : estimator
        Fitted.
    classes_ : ndarray of shape (classes,)

    Examples
    --------
    >>> from fairlearn.postprocessing import ThresholdOptimizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from biasamp_adapters.sklearn import WithSensitiveFeatures
    >>> X, y, group = [[0], [1], [2], [3]] * 5, [0, 0, 1, 1] * 5, ["a", "b", "b", "a"] * 5
    >>> parity = ThresholdOptimizer(estimator=LogisticRegression(), predict_method="auto")
    >>> model = WithSensitiveFeatures(parity).fit(X, y, sensitive_features=group)
    >>> model.predict(X[:4], sensitive_features=group[:4]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive_features: str | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Self:
        """Fit the estimator, with the groups if its ``fit`` takes them.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
        y : array-like of shape (rows,)
        sensitive_features : array-like of shape (rows,), optional
            Groups, unless they are a column of X.
        """
        features, groups = self._split(X, sensitive_features)
        estimator, params = clone(self.estimator), {}
        if groups is not None and takes_groups(estimator, "fit"):
            is_step = (
                isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]
            )
            prefix = f"{estimator.steps[-1][0]}__" if is_step else ""
            params[prefix + ATTRIBUTE] = groups
        estimator.fit(features, y, **params)
        self.estimator_ = estimator
        self.classes_ = getattr(estimator, "classes_", np.unique(np.asarray(y)))
        self._known = set() if groups is None else _groups_of(groups)
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Return what the estimator predicts, with the groups if its ``predict`` takes them.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
        sensitive_features : array-like of shape (rows,), optional
            Groups, unless they are a column of X.

        Raises
        ------
        ValueError
            If a group was not there in ``fit``.
        """
        check_is_fitted(self)
        features, groups = self._split(X, sensitive_features)
        params: dict[str, Any] = {}
        if takes_groups(self.estimator_, "predict"):
            if groups is None:
                raise ValueError(
                    "sensitive_features must be given to predict; in a search, name a column of X: "
                    "scorers of scikit-learn pass no groups to predict"
                )
            unknown = _groups_of(groups) - self._known
            if unknown:  # ThresholdOptimizer would predict 0 for them.
                known = listing(sorted(self._known, key=str))
                raise ValueError(f"groups must be among {known}; received {listing(unknown)}")
            params[ATTRIBUTE] = groups
        if "random_state" in signature(self.estimator_.predict).parameters:
            params["random_state"] = self.random_state or 0
        return np.asarray(self.estimator_.predict(features, **params))


def _groups_of(groups: Any) -> set[Any]:
    """Return the groups that occur; several columns are crossed."""
    return set(read_rows({ATTRIBUTE: groups}).variable(ATTRIBUTE).seen)
