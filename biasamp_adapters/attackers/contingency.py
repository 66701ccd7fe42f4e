"""The exact attacker as a classifier: the table of columns against classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from biasamp_adapters._typing import Array
from biasamp_adapters.attackers.weights import checked_weights


class ContingencyAttacker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict a class from discrete columns by how often each combination has each class.

    On the rows it was fitted on, no attacker has a better log loss or accuracy. It is
    ``attacker="exact"`` as an estimator, which can be cross-fitted, put into a pipeline or tuned.

    Parameters
    ----------
    alpha : float, default=0.0
        Pseudo-count of each class in each combination of values, at least 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of ndarray
        Values of each column, sorted.
    combinations_ : ndarray of int, shape (n_combinations, n_features)
        Combinations of values that were seen, as positions in ``categories_``.
    table_ : ndarray of shape (n_combinations, n_classes)
        Weight of the rows of each combination and class.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if ``X`` had such names.

    Notes
    -----
    A combination that was not seen gets the overall counts of the classes, with ``alpha`` added. Of
    equally likely classes, the first is predicted.

    References
    ----------
    The attacker f of Tokas, Nair and Kerner, "DPA", 2025, Eq. 1-4, as conditional frequencies.

    Examples
    --------
    >>> from biasamp_adapters.sklearn import ContingencyAttacker
    >>> X = [["a"], ["a"], ["a"], ["b"]]
    >>> attacker = ContingencyAttacker().fit(X, [1, 1, 0, 0])
    >>> attacker.predict_proba([["a"], ["b"], ["unseen"]]).round(3).tolist()
    [[0.333, 0.667], [1.0, 0.0], [0.5, 0.5]]
    >>> ContingencyAttacker(alpha=1).fit(X, [1, 1, 0, 0]).predict_proba([["a"]]).tolist()
    [[0.4, 0.6]]
    """

    def __init__(self, alpha: float = 0.0) -> None:
        self.alpha = alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Count the rows of each combination and class.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Discrete columns: numbers or strings.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        ContingencyAttacker

        Raises
        ------
        ValueError
            If ``alpha`` is negative or not finite, or an input breaks a rule of scikit-learn.
        """
        number = isinstance(self.alpha, float | int | np.number)
        if not (number and 0 <= self.alpha < np.inf):
            raise ValueError(f"alpha must be a number of at least 0; received {self.alpha!r}")
        X, y = validate_data(self, X, y, dtype=None)  # noqa: N806
        check_classification_targets(y)
        weight = checked_weights(sample_weight, len(y))
        used = weight > 0
        self.classes_, label = np.unique(y[used], return_inverse=True)
        self._encoder = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-1, dtype=np.intp
        )
        codes = self._encoder.fit_transform(X[used])
        self.categories_ = self._encoder.categories_
        self.combinations_, row = np.unique(codes, axis=0, return_inverse=True)
        shape = len(self.combinations_), len(self.classes_)
        cell = row.ravel() * shape[1] + label
        self.table_ = np.bincount(cell, weight[used], shape[0] * shape[1]).reshape(shape)
        return self

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=None)  # noqa: N806
        seen = pd.MultiIndex.from_arrays([*self.combinations_.T])
        requested = pd.MultiIndex.from_arrays([*self._encoder.transform(X).T])
        # The last row, at -1, is for combinations that were not seen.
        table = np.vstack([self.table_, self.table_.sum(axis=0)]) + self.alpha
        shares = table / table.sum(axis=1, keepdims=True)
        return np.asarray(shares[seen.get_indexer(requested)])

    def predict(self, X: Any) -> Array:  # noqa: N803
        """The most likely class.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
        """
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(axis=1)])
