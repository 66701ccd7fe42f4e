"""A classifier that hands the attribute to its estimator, so that a search may compare any."""

from __future__ import annotations

from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.sklearn.attribute_arguments import (
    ARGUMENT,
    TakesAttribute,
    fit_prefix,
    requires_attribute,
    takes,
)
from biasamp_adapters.sklearn.places import Place, columns_of, look_up, names_of
from biasamp_adapters.thresholds.scored_rows import read_groups


class WithSensitiveFeatures(TakesAttribute, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Hand the protected attribute to an estimator, if it takes it.

    It makes one kind of candidate of estimators that read the attribute in different places:
    Fairlearn's ``ThresholdOptimizer`` in ``fit`` and ``predict``, its reductions in ``fit``, and
    others nowhere. So a search can choose between mitigations.

    Parameters
    ----------
    estimator : estimator
        A classifier, or a mitigation of Fairlearn.
    sensitive_features : str, int or list of them, optional
        Column(s) of X that hold the attribute (positions, if X is an array). They are taken out of
        X before the estimator sees it. By default, the attribute is metadata of ``fit`` and
        ``predict``, which are requested where metadata routing is enabled.
    random_state : int or RandomState, optional
        For estimators whose ``predict`` draws at random, as those of Fairlearn do. None is 0.

    Attributes
    ----------
    estimator_ : estimator
        A clone of the estimator, fitted.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Thresholds per group read the attribute for each decision, which law may forbid.

    Examples
    --------
    A search over a plain model, parity by thresholds per group, and a reduction without
    amplification. The group is a column of X. Parity turns the sign of the amplification.

    >>> import numpy as np, pandas as pd
    >>> from fairlearn.postprocessing import ThresholdOptimizer
    >>> from fairlearn.reductions import ExponentiatedGradient
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> import biasamp_adapters.sklearn as bas
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.fairlearn import ZeroAmplification
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=400)
    >>> y = (rng.random(400) < np.where(group == 1, 0.6, 0.4)).astype(int)
    >>> X = rng.normal(size=(400, 2)) + np.column_stack([2 * group, 0.5 * y])
    >>> X = pd.DataFrame(X, columns=["u", "v"]).assign(group=group)
    >>> plain = LogisticRegression()
    >>> parity = ThresholdOptimizer(estimator=plain, predict_method="predict_proba")
    >>> reduction = ExponentiatedGradient(plain, ZeroAmplification())
    >>> search = GridSearchCV(
    ...     bas.WithSensitiveFeatures(plain, sensitive_features="group"),
    ...     {"estimator": [plain, parity, reduction]},
    ...     scoring=bas.amplification_scorers(
    ...         {"amplification": DirectionalBiasAmplification(reference=(y, group))},
    ...         others={"accuracy": "accuracy"},
    ...         objective="signed",
    ...         sensitive_features="group",
    ...     ),
    ...     refit=bas.MostAccurateWithin(bound=0.03),
    ...     cv=2,
    ...     error_score="raise",
    ... ).fit(X, y)
    >>> amplification = -search.cv_results_["mean_test_amplification"]
    >>> amplification.round(2).tolist()
    [0.08, -0.07, 0.02]
    >>> type(search.best_estimator_.estimator).__name__
    'ExponentiatedGradient'
    """

    def __init__(
        self, estimator: Any, *, sensitive_features: Place = None, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Fit the estimator, with the attribute if its ``fit`` takes it.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        sensitive_features : array-like of shape (n,) or (n, attributes), optional
            Needed unless the attribute is a column of X, or the estimator does not read it.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        WithSensitiveFeatures

        Raises
        ------
        ValueError
            If the estimator needs the attribute and it is missing, a name is no column of X, or an
            argument differs from the column.
        """
        features, attribute = self._split(X, sensitive_features)
        if sensitive_features is not None and _groups(sensitive_features) != _groups(attribute):
            raise ValueError(
                f"{ARGUMENT} must come from {self.sensitive_features!r} of X or as an argument; "
                "received both, with different values"
            )
        prefix, options = fit_prefix(self.estimator), {}
        if sample_weight is not None:
            options[f"{prefix}sample_weight"] = sample_weight
        if self._is_read(attribute, self.estimator, "fit"):
            options[prefix + ARGUMENT] = attribute
        is_read = any(takes(self.estimator, method) for method in ("fit", "predict"))
        self._groups = set(_known(attribute)) if is_read and attribute is not None else set()
        self.estimator_ = clone(self.estimator)
        # GridSearch of Fairlearn 0.13 returns None.
        self.estimator_.fit(features, y, **options)
        self.classes_ = getattr(self.estimator_, "classes_", np.unique(np.asarray(y)))
        if self.sensitive_features is None:
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self.estimator_, name):
                    setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:  # noqa: N803
        """What the estimator predicts, with the attribute if its ``predict`` takes it.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        sensitive_features : array-like of shape (n,) or (n, attributes), optional
            Needed unless the attribute is a column of X, or the estimator does not read it. The
            column is used if both are there: a scorer hands over the attribute that it measures,
            which may be another.

        Returns
        -------
        ndarray of shape (n,)

        Raises
        ------
        ValueError
            If the estimator needs the attribute and it is missing, or has a group that was not
            there in ``fit``.
        """
        check_is_fitted(self)
        features, attribute = self._split(X, sensitive_features)
        options = {}
        if takes(self.estimator_, "predict", "random_state"):
            options["random_state"] = 0 if self.random_state is None else self.random_state
        if self._is_read(attribute, self.estimator_, "predict"):
            options[ARGUMENT] = attribute
            # ThresholdOptimizer would predict 0 for them.
            unknown = [group for group in _known(attribute) if group not in self._groups]
            if unknown:
                raise ValueError(
                    f"{ARGUMENT} must hold groups that were there in fit; received "
                    f"{listing(unknown)}"
                )
        return np.asarray(self.estimator_.predict(features, **options))

    def _split(self, X: Any, given: Any) -> tuple[Any, Any]:  # noqa: N803
        """X for the estimator, and the attribute."""
        if self.sensitive_features is None:
            warn_of_order([("X", X), (ARGUMENT, given)])
            return X, given
        names: Any = names_of(self.sensitive_features)
        columns, _ = columns_of(X)
        absent = [name for name in names if name not in columns]
        if absent or not names:
            raise ValueError(
                f"{ARGUMENT} must name columns of X; received {self.sensitive_features!r}, but X "
                f"has {listing(columns) if columns else 'no columns with names'}"
            )
        attribute = look_up(names, ARGUMENT, {"columns of X": columns_of(X)}, index_of(X))
        if isinstance(X, np.ndarray):
            return np.delete(X, names, axis=1), attribute
        if isinstance(X, pd.DataFrame):
            return X.drop(columns=names), attribute
        return nw.from_native(X).drop(names).to_native(), attribute

    def _is_read(self, attribute: Any, estimator: Any, method: str) -> bool:
        """Whether an estimator gets the attribute; an error if it cannot do without it."""
        if attribute is not None:
            return takes(estimator, method)
        if requires_attribute(estimator, method):
            raise ValueError(
                f"{ARGUMENT} must reach {method} of {type(estimator).__name__}; received None. "
                f"Pass it, as {method}(..., {ARGUMENT}=...), or name the columns of X that hold "
                f"it: {type(self).__name__}(..., {ARGUMENT}='...')"
            )
        return False


def _known(attribute: Any) -> tuple[Any, ...]:
    """The groups of an attribute, in their natural order; an error if it is missing in a row."""
    return read_groups(attribute, len(attribute))[0]


def _groups(attribute: Any) -> list[Any]:
    """The group of each row: a label, or a tuple of several."""
    values = np.asarray(attribute, dtype=object)
    rows = values.reshape(len(values), -1).tolist()
    return [row[0] if len(row) == 1 else tuple(row) for row in rows]
