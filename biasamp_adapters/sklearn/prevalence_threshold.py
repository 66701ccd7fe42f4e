"""A classifier that predicts each class as often as the training data contain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import cross_val_predict
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.attackers.weights import checked_weights, last_step
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.sklearn.attribute_arguments import ARGUMENT, TakesAttribute, is_routed
from biasamp_adapters.sklearn.places import Place, columns_of, levels_of, look_up
from biasamp_adapters.thresholds.by_group import (
    Others,
    check_options,
    decided,
    place_of,
    thresholds_by_group,
)
from biasamp_adapters.thresholds.scored_rows import ScoredRows, read_groups

#: The value of ``by`` for an attribute that is passed as metadata.
METADATA = "metadata"


class PrevalenceThresholdClassifier(TakesAttribute, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predict each class as often as it occurs, by thresholds that are fixed by ``fit``.

    A model that predicts positives more often than they occur can amplify bias for that reason
    alone. [W21] 3.3 compares models at thresholds calibrated to the prevalence. Here, the
    thresholds are part of the model and do not depend on the rows that are predicted.

    With ``by``, each group has thresholds of its own, at which its rates are those of its truth.
    The model then repeats the gap of the data and does not amplify it, which is not fairness. These
    thresholds read the attribute whenever they decide, which the law may forbid. The rates are kept
    on the scores that set the thresholds (``cv``); on other rows, what is left is sampling noise.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``predict_proba`` or ``decision_function``.
    prevalence : "train", float, array-like, dict or Series, default="train"
        Share of each class: "train" for that in the training rows; a number for the share of the
        second of two classes; an array with one share per class of ``classes_``, which sum to 1, or
        per column of a label matrix; or a mapping from classes to shares. With ``by``, "train" or a
        mapping from groups to any of these.
    by : str, int, list of them or "metadata", optional
        Where the attribute is found, in ``fit`` and in ``predict``: a level of the index, or a
        column of X (a position, if X is an array), which the estimator has to drop unless it shall
        learn from it; several names are crossed. With "metadata", it is the argument
        ``sensitive_features``, which metadata routing passes on. By default, all rows share their
        thresholds.
    tolerance : float, default=0.0
        Most by which a rate may differ from the requested share. Within it, the thresholds are the
        most accurate ones; 0 keeps the share, as nearly as ties permit.
    other_groups : {"error", "pooled"}, default="error"
        What happens to groups in which a class is missing or all scores are equal, and to those
        that are met first at prediction: an error, or the threshold of all rows.
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
        The requested shares; with ``by`` of each group, along a first axis. NaN of a group without
        weight.
    threshold_ : float or ndarray of shape (n_classes,) or (n_labels,)
        A class, or label, is predicted if its score is above the threshold. Of several classes, the
        class with the highest difference of score and threshold is predicted. With ``by`` those of
        each group, along a first axis.
    groups_ : list
        The groups, in the order of ``threshold_``; only with ``by``.
    pooled_threshold_ : ndarray of shape () or (n_classes,) or (n_labels,)
        The thresholds of all rows; only with ``by``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if the estimator has them.

    Notes
    -----
    If ties rule out the exact share, the nearest possible share is used, and the smaller of two
    equally near ones. Thresholds of several classes are fitted in turn; without ties, the resulting
    shares are within a few rows of the requested ones, or of the tolerance. With a tolerance, these
    thresholds need not be the most accurate ones.

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

    In the second of two groups, the score is lower for the same chance. With a threshold of its
    own, as many of its rows are predicted positive as there are.

    >>> group = rng.integers(0, 2, size=3000)
    >>> shifted = X - 2 * group[:, None]
    >>> by_group = PrevalenceThresholdClassifier(LogisticRegression(), by="metadata")
    >>> by_group = by_group.fit(shifted, y, sensitive_features=group)
    >>> second = group == 1
    >>> predicted = by_group.predict(shifted, sensitive_features=group)
    >>> round(float(y[second].mean()), 2), round(float(predicted[second].mean()), 2)
    (0.33, 0.33)
    """

    __metadata_request__decision_function: ClassVar[dict[str, bool]] = {ARGUMENT: True}

    def __init__(
        self,
        estimator: Any,
        prevalence: Any = "train",
        *,
        by: Place = None,
        tolerance: float = 0.0,
        other_groups: Others = "error",
        cv: Any = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.prevalence = prevalence
        self.by = by
        self.tolerance = tolerance
        self.other_groups = other_groups
        self.cv = cv
        self.n_jobs = n_jobs

    def get_metadata_routing(self) -> MetadataRouter:
        """The metadata that the estimator requests, which are passed on to it.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=repr(self)).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        *,
        sensitive_features: Any = None,
        **params: Any,
    ) -> Self:
        """Fit the estimator, and the thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        y : array-like of shape (n,) or (n, n_labels)
            Class labels, or a 0/1 matrix.
        sensitive_features : array-like of shape (n,) or (n, attributes), optional
            The groups of the rows; read only with ``by="metadata"``.
        **params
            For the ``fit`` of the estimator. ``sample_weight`` also weights the rows in shares.

        Returns
        -------
        PrevalenceThresholdClassifier

        Raises
        ------
        ValueError
            If ``y`` holds no classes, the estimator gives no scores, a parameter is invalid, or a
            group lacks a class.
        """
        check_options(self.tolerance, self.other_groups)
        X, y = self._checked(X, y)  # noqa: N806
        given = self._attribute(X, sensitive_features, y)
        scores, sample_weight = self._fit_estimator(X, y, params)
        names, truth = self._truth(y)
        truth = truth[:, 1] if scores.ndim == 1 else truth
        weight = checked_weights(sample_weight, len(truth))
        weighted = np.flatnonzero(weight)
        exclusive = scores.ndim == 2 and not self._is_matrix
        rows = ScoredRows(scores, truth, weight, exclusive).of(weighted)
        if given is None:
            self._fit_thresholds(names, rows)
        else:
            groups, codes = read_groups(given, len(scores))
            self._fit_groups(names, rows, groups, codes[weighted])
        return self

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:  # noqa: N803
        """The rows, if the estimator is a classifier and there are classes."""
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
        return X, y

    def _fit_estimator(self, X: Any, y: Any, params: dict[str, Any]) -> tuple[Array, Any]:  # noqa: N803
        """Fit the estimator; scores of all rows, and their weights if it was given any."""
        fit_params, fold_params = params, params
        if is_routed():
            fit_params = process_routing(self, "fit", **params).estimator.fit
            consumed = get_routing_for_object(self.estimator).consumes("fit", params)
            fold_params = {name: params[name] for name in consumed}
        self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
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
            output = cross_val_predict(self.estimator, X, y, method=self._method, **folds)
        return self._scores(output), fit_params.get("sample_weight")

    def _truth(self, y: Any) -> tuple[list[Any], Array]:
        """The names of the classes or labels, and where they are true, of shape (n, names)."""
        if self._is_matrix:
            names = [*getattr(y, "columns", range(np.shape(y)[-1]))]
            return names, np.asarray(y.toarray() if hasattr(y, "toarray") else y) > 0
        return self.classes_.tolist(), np.asarray(y)[:, None] == self.classes_

    def _fit_thresholds(self, names: list[Any], rows: ScoredRows) -> None:
        """One threshold, or one for each class or label."""
        self.prevalence_: Any = self._shares(self.prevalence, names, rows)
        self.threshold_: Any = rows.thresholds(self.prevalence_, float(self.tolerance))
        if rows.scores.ndim == 1:
            self.prevalence_, self.threshold_ = map(float, (self.prevalence_, self.threshold_))

    def _fit_groups(
        self, names: list[Any], rows: ScoredRows, groups: Sequence[Label], codes: Array
    ) -> None:
        """The same for each group, and for groups that have none of their own."""
        self.groups_: Any = list(groups)
        parts = rows.by_group(codes, len(groups))
        self.prevalence_ = self._shares_of_groups(names, parts)
        self.threshold_, self.pooled_threshold_ = thresholds_by_group(
            rows,
            parts,
            groups,
            names,
            tolerance=float(self.tolerance),
            other_groups=self.other_groups,
            shares=self.prevalence_,
        )

    def _attribute(self, X: Any, sensitive_features: Any, y: Any = None) -> Any:  # noqa: N803
        """The attribute as metadata or from its place; None if thresholds are those of all rows."""
        if isinstance(self.by, str) and self.by == METADATA:
            if sensitive_features is None:
                raise ValueError(
                    "sensitive_features must be given with by='metadata', to fit and to predict; "
                    "received None. Pass it to the call, or with sklearn.set_config("
                    "enable_metadata_routing=True) to the search or pipeline; score with this "
                    "classifier's own score, or with amplification_scorers(..., others=...): "
                    "scorers of scikit-learn do not pass it on"
                )
            warn_of_order([("X", X), (ARGUMENT, sensitive_features)])
            return sensitive_features
        # Searches and scorers hand it to whatever takes it, also where it is not to be read.
        if self.by is None:
            return None
        sources = {} if y is None else {"levels of y's index": levels_of(y)}
        sources |= {"levels of X's index": levels_of(X), "columns of X": columns_of(X)}
        return look_up(self.by, "by", sources, index_of(X))

    def decision_function(self, X: Any, *, sensitive_features: Any = None) -> Array:  # noqa: N803
        """Scores less their thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        sensitive_features : array-like of shape (n,) or (n, attributes), optional
            The groups of the rows; read only with ``by="metadata"``.

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_labels)

        Raises
        ------
        ValueError
            If the attribute is missing, or a group has no threshold.
        """
        check_is_fitted(self)
        scores = self._scores(getattr(self.estimator_, self._method)(X))
        given = self._attribute(X, sensitive_features)
        if given is None:
            return scores - self.threshold_
        place = place_of(given, len(scores), self.groups_, self.other_groups)
        return scores - np.concatenate([self.threshold_, [self.pooled_threshold_]])[place]

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:  # noqa: N803
        """The classes or labels whose scores are above their thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        sensitive_features : array-like of shape (n,) or (n, attributes), optional
            The groups of the rows; read only with ``by="metadata"``.

        Returns
        -------
        ndarray of shape (n,) or (n, n_labels)

        Raises
        ------
        ValueError
            If the attribute is missing, or a group has no threshold.
        """
        decision = self.decision_function(X, sensitive_features=sensitive_features)
        return decided(decision, self.classes_, is_matrix=self._is_matrix)

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
        bad = int((~np.isfinite(scores)).sum())
        if bad:
            raise ValueError(
                f"estimator must give scores that are finite; received {bad} NaN or infinite "
                f"value(s) from {type(self.estimator_).__name__}"
            )
        return scores

    def _shares_of_groups(self, names: list[Any], parts: Sequence[ScoredRows]) -> Array:
        """The requested shares of each group, of shape (groups,) or (groups, labels)."""
        given = self.prevalence
        if isinstance(given, str) and given == "train":
            given = dict.fromkeys(self.groups_, given)
        given = dict(given) if isinstance(given, Mapping | pd.Series) else {}
        if set(given) != set(self.groups_):
            raise ValueError(
                "prevalence of groups (by=...) must be 'train', or map each of "
                f"{listing(self.groups_)} to its shares; received {self.prevalence!r}"
            )
        groups = zip(self.groups_, parts, strict=True)
        return np.array([self._shares(given[group], names, part) for group, part in groups])

    def _shares(self, prevalence: Any, names: list[Any], rows: ScoredRows) -> Array:
        """The requested share of the second of two classes, or of each class or label."""
        train = rows.rates
        if isinstance(prevalence, str) and prevalence == "train":
            return train
        given, binary = prevalence, train.ndim == 0
        if isinstance(prevalence, str):
            raise ValueError(f"prevalence must be 'train' or numbers; received {prevalence!r}")
        if isinstance(prevalence, Mapping | pd.Series):
            prevalence = dict(prevalence)
            if set(prevalence) != set(names):
                raise ValueError(
                    f"prevalence must name each of {names}; received {list(prevalence)}"
                )
            prevalence = [prevalence[name] for name in names]
        try:
            shares = np.asarray(prevalence, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"prevalence must be 'train' or numbers; received {given!r}") from None
        if shares.ndim == 0 and rows.exclusive:
            raise ValueError(
                f"prevalence must be a number for each of {len(names)} classes; received one"
            )
        if shares.ndim == 0:
            shares = np.array([1 - shares, shares]) if binary else np.full(len(train), shares)
        valid = shares.shape == (len(names),) and ((shares >= 0) & (shares <= 1)).all()
        if not (valid and (self._is_matrix or abs(shares.sum() - 1) < 1e-9)):
            rule = "of each label" if self._is_matrix else "of each class, together 1"
            raise ValueError(f"prevalence must be the share {rule}, in [0, 1]; received {given!r}")
        return np.asarray(shares[1]) if binary else shares


def _is_label_matrix(y: Any) -> bool:
    """Whether the target is a 0/1 matrix and not a column of class labels."""
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise ValueError(
            f"y must hold class labels or a 0/1 matrix. Unknown label type: {kind}; scores of "
            "numbers have no thresholds"
        )
    return bool(kind == "multilabel-indicator")
