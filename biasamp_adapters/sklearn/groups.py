"""Classifiers around another one whose methods take groups, and hand them on or decide by them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, ClassVar, Self

import narwhals.stable.v2 as nw
import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from biasamp_adapters.counting.arrays import warn_of_order
from biasamp_adapters.counting.labels import ATTRIBUTE, Array, Label, listing, without
from biasamp_adapters.report.estimators import SCORING, of_positive
from biasamp_adapters.thresholds.prevalence import PrevalenceThreshold, read_groups
from biasamp_adapters.warning import warn

#: The parameters of the rule of thresholds.
_OF_RULE = ("prevalence", "tolerance", "pos_label", "unknown_groups")


class _ReadsGroups(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier around another one, whose methods take groups: its tags and requests."""

    estimator: Any
    sensitive_features: Any
    # With metadata routing, searches then pass groups on without a call of set_fit_request.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {ATTRIBUTE: True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {ATTRIBUTE: True}

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        return tags

    @property
    def n_features_in_(self) -> int:
        """The columns of X in fit; those that the estimator read, and that of the groups."""
        return int(self.estimator_.n_features_in_) + (self.sensitive_features is not None)

    def _split(self, X: Any, groups: Any) -> tuple[Any, Any]:
        """Return what the estimator reads of X, and the groups: those of a column, if one is named.

        A scorer hands over the groups that it measures, which may be others than those of X.
        """
        column = self.sensitive_features
        if column is None:
            if isinstance(groups, str | Mapping):
                rule = "sensitive_features of a call must be an array or a frame"
                hint = f"{type(self).__name__}(..., sensitive_features='race') names a column of X"
                raise ValueError(f"{rule}; received a {type(groups).__name__}. {hint}")
            warn_of_order([("X", X), (ATTRIBUTE, groups)])
            return X, groups
        if np.ndim(column):
            rule = "sensitive_features= must be the name or the position of a column of X"
            raise ValueError(f"{rule}, and groups given to fit; received a {type(column).__name__}")
        features, own = _take_out(column, X)
        if groups is not None and not np.array_equal(groups, own):
            warn(f"sensitive_features of a call is ignored: X has the column {column!r}")
        return features, own


def _take_out(column: Any, X: Any) -> tuple[Any, Any]:
    """Return X without a column, and the column."""
    if isinstance(X, np.ndarray) and column in range(X.shape[-1]):
        return np.delete(X, column, axis=1), X[:, column]
    frame = nw.from_native(X, pass_through=True)
    columns = frame.columns if isinstance(frame, nw.DataFrame) else []
    if column in columns:
        return frame.drop(column).to_native(), frame[column].to_native()
    rule = f"X must have the column {column!r} (sensitive_features=)"
    raise ValueError(f"{rule}; received {listing(columns) or 'no columns with names'}")


class WithSensitiveFeatures(_ReadsGroups):
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
        self.estimator_, params = clone(self.estimator), {}
        self._known = [] if groups is None else read_groups(groups, np.shape(X)[0]).seen
        if groups is not None and _takes(self.estimator_, "fit", ATTRIBUTE):
            is_routed = get_config()["enable_metadata_routing"]
            is_step = isinstance(self.estimator_, Pipeline) and not is_routed
            step = f"{self.estimator_.steps[-1][0]}__" if is_step else ""
            params[f"{step}{ATTRIBUTE}"] = groups
        self.estimator_.fit(features, y, **params)
        self.classes_ = getattr(self.estimator_, "classes_", np.unique(np.asarray(y)))
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
            If a group is missing, or was not there in ``fit``.
        """
        check_is_fitted(self)
        features, groups = self._split(X, sensitive_features)
        params: dict[str, Any] = {}
        if _takes(self.estimator_, "predict", ATTRIBUTE):
            if groups is None:
                # The scorers of scikit-learn pass none.
                rule = "sensitive_features must be given to predict"
                raise ValueError(f"{rule}; in a search, name a column of X that holds them")
            unknown = without(read_groups(groups, np.shape(X)[0]).seen, self._known)
            if unknown:  # ThresholdOptimizer would predict 0 for them.
                rule = f"groups must be among {listing(self._known)}"
                raise ValueError(f"{rule}; received {listing(unknown)}")
            params[ATTRIBUTE] = groups
        if _takes(self.estimator_, "predict", "random_state"):
            params["random_state"] = self.random_state
        return np.asarray(self.estimator_.predict(features, **params))


def _takes(estimator: Any, method: str, argument: str) -> bool:
    """Return whether a method of an estimator, or of the last step of a pipeline, takes this."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    if method == "fit" and hasattr(estimator, "constraints"):
        return True  # The reductions of Fairlearn hand all arguments to their constraints.
    function = getattr(estimator, method, None)
    return function is not None and argument in signature(function).parameters


class PrevalenceThresholdClassifier(_ReadsGroups):
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
        How scikit-learn splits the rows: thresholds are set on scores of rows that a fit has not
        seen. None are five folds.
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
        methods = [name for name in SCORING if hasattr(self.estimator_, name)]
        if not methods:
            received = type(self.estimator_).__name__
            raise ValueError(f"estimator must have {' or '.join(SCORING)}; received {received}")
        self.classes_, self._method = self.estimator_.classes_, methods[0]
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
            Groups, if ``fit`` had some and they are not a column of X; else they are not read.
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
        return scores if self._is_matrix else of_positive(scores, self, self.pos_label)
