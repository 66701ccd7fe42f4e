"""A classifier that predicts each class as often as the training data contain it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import cross_val_predict
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from biasamp_adapters._typing import Array
from biasamp_adapters.attackers.weights import checked_weights, last_step
from biasamp_adapters.thresholds.calibrated import calibrate

#: Most rounds over the classes in which their thresholds are fitted in turn.
_ROUNDS = 50


class PrevalenceThresholdClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predict each class as often as it occurs, by thresholds that are fixed by ``fit``.

    A model that predicts positives more often than they occur can amplify bias for that reason
    alone. [W21] 3.3 compares models at thresholds calibrated to the prevalence. Here, the
    thresholds are part of the model and do not depend on the rows that are predicted.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``predict_proba`` or ``decision_function``.
    prevalence : "train", float, array-like, dict or Series, default="train"
        Share of each class: "train" for that in the training rows; a number for the share of the
        second of two classes; an array with one share per class of ``classes_``, which sum to 1, or
        per column of a label matrix; or a mapping from classes to shares.
    cv : int, cross-validation generator, iterable or None, default=5
        Thresholds are fitted to the scores of estimators that were not fitted on the scored rows.
        With None, the scores of the estimator on its training rows are used, which are
        overconfident if it overfits.
    n_jobs : int, optional
        Number of folds that run in parallel.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on all rows.
    classes_ : ndarray of shape (n_classes,), or list of them of a label matrix
    prevalence_ : float or ndarray of shape (n_classes,) or (n_labels,)
        The requested shares.
    threshold_ : float or ndarray of shape (n_classes,) or (n_labels,)
        A class, or label, is predicted if its score is above the threshold. Of several classes, the
        class with the highest difference of score and threshold is predicted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if the estimator has them.

    Notes
    -----
    If ties rule out the exact share, the nearest possible share is used, and the smaller of two
    equally near ones. Thresholds of several classes are fitted in turn; the resulting shares are
    within a few rows of the requested ones.

    There is no ``predict_proba``, because it would contradict ``predict``; ``estimator_`` may have
    one. ``decision_function`` is the score less the threshold.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 3.3 ([W21]).

    Examples
    --------
    A third of the rows is positive. The regression predicts half as many.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from biasamp_adapters.sklearn import PrevalenceThresholdClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 1))
    >>> y = (0.5 * X[:, 0] + rng.normal(size=3000) > np.sqrt(1.25) * 0.4307).astype(int)
    >>> plain = LogisticRegression().fit(X, y)
    >>> round(float(y.mean()), 2), round(float(plain.predict(X).mean()), 2)
    (0.33, 0.17)
    >>> calibrated = PrevalenceThresholdClassifier(LogisticRegression()).fit(X, y)
    >>> round(float(calibrated.predict(X).mean()), 2)
    0.33
    """

    def __init__(
        self, estimator: Any, prevalence: Any = "train", *, cv: Any = 5, n_jobs: int | None = None
    ) -> None:
        self.estimator = estimator
        self.prevalence = prevalence
        self.cv = cv
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """The metadata that the estimator requests, which are passed on to it.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=repr(self)).add(
            estimator=self.estimator, method_mapping=mapping
        )

    def fit(self, X: Any, y: Any, **params: Any) -> Self:  # noqa: N803
        """Fit the estimator, and the thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        y : array-like of shape (n,) or (n, n_labels)
            Class labels, or a 0/1 matrix.
        **params
            For the ``fit`` of the estimator. ``sample_weight`` also weights the rows in shares.

        Returns
        -------
        PrevalenceThresholdClassifier

        Raises
        ------
        ValueError
            If ``y`` holds no classes, the estimator gives no scores, or a prevalence is invalid.
        """
        estimator = self.estimator
        if isinstance(estimator, type) or not (
            hasattr(estimator, "fit") and is_classifier(estimator)
        ):
            raise ValueError(f"estimator must be a classifier; received {estimator!r}")
        X, y = indexable(X, y)  # noqa: N806
        self._is_matrix = _is_label_matrix(y)
        if not self._is_matrix:
            y = y if np.ndim(y) == 1 else column_or_1d(y, warn=True)
            classes = set(np.asarray(y).tolist())
            if len(classes) < 2:
                raise ValueError(f"y must hold at least two classes; received one class, {classes}")
        fit_params, fold_params = params, params
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **params).estimator.fit
            consumed = get_routing_for_object(estimator).consumes("fit", params)
            fold_params = {name: params[name] for name in consumed}
        self.estimator_ = clone(estimator).fit(X, y, **fit_params)
        methods = ("predict_proba", "decision_function")
        self._method = next((name for name in methods if hasattr(self.estimator_, name)), "")
        if not self._method:
            raise ValueError(
                "estimator must have predict_proba or decision_function; received a "
                f"{type(self.estimator_).__name__}"
            )
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        if self.cv is None:
            output = getattr(self.estimator_, self._method)(X)
        else:
            folds = {"cv": self.cv, "n_jobs": self.n_jobs, "params": fold_params}
            output = cross_val_predict(estimator, X, y, method=self._method, **folds)
        scores = self._scores(output)
        if self._is_matrix:
            names = [*getattr(y, "columns", range(np.shape(y)[-1]))]
            truth = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        else:
            names, truth = self.classes_.tolist(), np.asarray(y)[:, None] == self.classes_
        weight = checked_weights(fit_params.get("sample_weight"), len(truth))
        shares = self._shares(names, np.average(truth, axis=0, weights=weight))
        scores, weight = scores[weight > 0], weight[weight > 0]
        self.prevalence_: Any = shares
        self.threshold_: Any
        if self._is_matrix:
            labels = zip(scores.T, shares, strict=True)
            self.threshold_ = np.array([_threshold(*label, weight) for label in labels])
        elif scores.ndim == 1:
            self.prevalence_ = float(shares[1])
            self.threshold_ = _threshold(scores, self.prevalence_, weight)
        else:
            self.threshold_ = _class_thresholds(scores, shares, weight)
        return self

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """Scores less their thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_labels)
        """
        check_is_fitted(self)
        return self._scores(getattr(self.estimator_, self._method)(X)) - self.threshold_

    def predict(self, X: Any) -> Array:  # noqa: N803
        """The classes or labels whose scores are above their thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,) or (n, n_labels)
        """
        decision = self.decision_function(X)
        if self._is_matrix:
            return np.asarray(decision > 0).astype(int)
        if decision.ndim == 1:
            return np.asarray(self.classes_[(decision > 0).astype(int)])
        return np.asarray(self.classes_[decision.argmax(axis=1)])

    def _scores(self, output: Any) -> Array:
        """Scores of shape (n,) for two classes, else with one column per class or label."""
        if isinstance(output, list):
            # One matrix per label, with one column if the label is constant.
            constant = (float(classes[-1]) for classes in self.estimator_.classes_)
            labels = zip(output, constant, strict=True)
            columns = [p[:, 1] if p.shape[1] > 1 else value * p[:, 0] for p, value in labels]
            output = np.column_stack(columns)
        scores = np.asarray(output, dtype=np.float64)
        if not (self._is_matrix or scores.ndim == 1):
            n_scores = scores.shape[1]
            shape = getattr(last_step(self.estimator_)[1], "decision_function_shape", None)
            pairs = self._method == "decision_function" and shape == "ovo"
            if n_scores != len(self.classes_) or (pairs and n_scores > 2):
                raise ValueError(
                    f"estimator must score each of the {len(self.classes_)} classes; received "
                    f"{n_scores} scores per row{', one per pair of classes' if pairs else ''}"
                )
            scores = scores[:, 1] if n_scores == 2 else scores
        if np.isnan(scores).any():
            raise ValueError(
                f"estimator must give scores that are numbers; received {np.isnan(scores).sum()} "
                f"NaN from {type(self.estimator_).__name__}"
            )
        return scores

    def _shares(self, names: list[Any], train: Array) -> Array:
        """The requested share of each class or label."""
        prevalence = self.prevalence
        if isinstance(prevalence, str) and prevalence == "train":
            return train
        if isinstance(prevalence, str):
            raise ValueError(f"prevalence must be 'train' or numbers; received {prevalence!r}")
        if isinstance(prevalence, Mapping | pd.Series):
            prevalence = dict(prevalence)
            if set(prevalence) != set(names):
                raise ValueError(
                    f"prevalence must name each of {names}; received {list(prevalence)}"
                )
            prevalence = [prevalence[name] for name in names]
        shares = np.asarray(prevalence, dtype=np.float64)
        if shares.ndim == 0 and self._is_matrix:
            shares = np.full(len(train), shares)
        elif shares.ndim == 0:
            if len(train) > 2:
                raise ValueError(
                    f"prevalence must be a number for each of {len(train)} classes; received one"
                )
            shares = np.array([1 - shares, shares])
        valid = shares.shape == train.shape and ((shares >= 0) & (shares <= 1)).all()
        if not (valid and (self._is_matrix or abs(shares.sum() - 1) < 1e-9)):
            rule = "of each label" if self._is_matrix else "of each class, together 1"
            raise ValueError(
                f"prevalence must be the share {rule}, in [0, 1]; received {self.prevalence!r}"
            )
        return shares


def _is_label_matrix(y: Any) -> bool:
    """Whether the target is a 0/1 matrix and not a column of class labels."""
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise ValueError(
            f"y must hold class labels or a 0/1 matrix. Unknown label type: {kind}; scores of "
            "numbers have no thresholds"
        )
    return bool(kind == "multilabel-indicator")


def _threshold(scores: Array, share: float, weight: Array) -> float:
    """A threshold half way between the lowest score that is predicted and the next lower one."""
    lowest = calibrate(scores, share, weight)
    highest = float(scores.max(initial=-np.inf, where=scores < lowest))
    if np.isinf(lowest) or np.isinf(highest):
        return highest if np.isinf(highest) else lowest
    middle = (lowest + highest) / 2
    # The middle of two neighbouring floats is one of the two.
    return middle if middle < lowest else highest


def _class_thresholds(scores: Array, shares: Array, weight: Array) -> Array:
    """Thresholds of several classes, fitted to one another in turn.

    The score of a class less its threshold is the highest one in the requested share of the rows.
    """
    thresholds = np.zeros(len(shares))
    # A class that is always or never predicted has no finite threshold. This one is out of reach.
    far = 1000 * (1 + float(np.ptp(scores)))
    for _ in range(_ROUNDS):
        before = thresholds.copy()
        for k in range(len(shares)):
            rest = np.delete(scores - thresholds, k, axis=1).max(axis=1)
            thresholds[k] = np.clip(_threshold(scores[:, k] - rest, shares[k], weight), -far, far)
        if np.array_equal(thresholds, before):
            break
    return thresholds
