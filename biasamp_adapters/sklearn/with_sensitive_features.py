"""Classifiers that hand groups on: the base of those of this package, and one around any other."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar, Self

import narwhals.stable.v2 as nw
import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from biasamp_adapters.counting.arrays import warn_of_order
from biasamp_adapters.counting.counts import read_rows
from biasamp_adapters.counting.labels import ATTRIBUTE, Array, Label, listing, without
from biasamp_adapters.warning import warn


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

    @property
    def n_features_in_(self) -> int:
        """The columns of X in fit; those that the estimator read, and that of the groups."""
        return int(self.estimator_.n_features_in_) + (self.sensitive_features is not None)

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
        if np.ndim(column):
            rule = "sensitive_features= must be the name or the position of a column of X"
            raise ValueError(f"{rule}, and groups given to fit; received a {type(column).__name__}")
        if groups is not None:
            warn(f"sensitive_features of a call is ignored: X has the column {column!r}")
        if isinstance(X, np.ndarray) and column in range(X.shape[-1]):
            return np.delete(X, column, axis=1), X[:, column]
        frame = nw.from_native(X, pass_through=True)
        columns = frame.columns if isinstance(frame, nw.DataFrame) else []
        if column in columns:
            return frame.drop(column).to_native(), frame[column].to_native()
        received = listing(columns) or "no columns with names"
        raise ValueError(
            f"X must have the column {column!r} (sensitive_features=); received {received}"
        )


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
        For estimators whose ``predict`` draws at random, as Fairlearn's do; None draws anew.

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
        self, estimator: Any, *, sensitive_features: str | int | None = None, random_state: Any = 0
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
        if groups is not None and _takes_groups(estimator, "fit"):
            is_step = (
                isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]
            )
            prefix = f"{estimator.steps[-1][0]}__" if is_step else ""
            params[prefix + ATTRIBUTE] = groups
        estimator.fit(features, y, **params)
        self.estimator_ = estimator
        self.classes_ = getattr(estimator, "classes_", np.unique(np.asarray(y)))
        self._known = [] if groups is None else _groups_of(groups)
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
        if _takes_groups(self.estimator_, "predict"):
            if groups is None:
                raise ValueError(
                    "sensitive_features must be given to predict; in a search, name a column of X: "
                    "scorers of scikit-learn pass no groups to predict"
                )
            unknown = without(_groups_of(groups), self._known)
            if unknown:  # ThresholdOptimizer would predict 0 for them.
                rule = f"groups must be among {listing(self._known)}"
                raise ValueError(f"{rule}; received {listing(unknown)}")
            params[ATTRIBUTE] = groups
        if "random_state" in signature(self.estimator_.predict).parameters:
            params["random_state"] = self.random_state
        return np.asarray(self.estimator_.predict(features, **params))


def _takes_groups(estimator: Any, method: str) -> bool:
    """Return whether a method of an estimator, or of the last step of a pipeline, takes groups."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    if method == "fit" and hasattr(estimator, "constraints"):
        return True  # The reductions of Fairlearn hand all arguments to their constraints.
    function = getattr(estimator, method, None)
    return function is not None and ATTRIBUTE in signature(function).parameters


def _groups_of(groups: Any) -> list[Label]:
    """Return the groups that occur; several columns are crossed."""
    return read_rows({ATTRIBUTE: groups}).variable(ATTRIBUTE).seen
