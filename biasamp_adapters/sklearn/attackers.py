"""Attackers as classifiers: the exact one of categorical data, and the networks of the papers."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from biasamp_adapters.counting.arrays import read_numbers
from biasamp_adapters.counting.labels import Array
from biasamp_adapters.metrics.base import check_choice, check_number


class ContingencyAttacker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict a class by how often each combination of values has it.

    On the rows that it was fitted on, no attacker has a smaller log loss. It is
    ``attacker="exact"`` as an estimator, to be cross-fitted, tuned or put into a pipeline.

    Parameters
    ----------
    alpha : float
        Rows that are added to each class in each combination, at least 0. A combination that was
        not seen has the shares of all rows.

    Attributes
    ----------
    classes_ : ndarray of shape (classes,)
    table_ : ndarray of shape (combinations + 1, classes)
        The weight of each combination and class; the last row is that of all.

    Examples
    --------
    >>> from biasamp_adapters.sklearn import ContingencyAttacker
    >>> attacker = ContingencyAttacker().fit([["a"], ["a"], ["a"], ["b"]], [1, 1, 0, 0])
    >>> attacker.predict_proba([["a"], ["b"], ["unseen"]]).round(3).tolist()
    [[0.333, 0.667], [1.0, 0.0], [0.5, 0.5]]
    """

    def __init__(self, alpha: float = 0.0) -> None:
        self.alpha = alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the rows of each combination and class.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
            Numbers or text, of which each value is a category.
        y : array-like of shape (rows,)
        sample_weight : array-like of shape (rows,), optional
        """
        check_number("alpha", self.alpha, 0)
        X, y = validate_data(self, X, y, dtype=None)
        check_classification_targets(y)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        weight = read_numbers(weight, "sample_weight")
        check_consistent_length(X, weight)
        X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        self.classes_, code = np.unique(y, return_inverse=True)
        row, self._combinations = pd.factorize(pd.MultiIndex.from_arrays([*X.T]))
        table = coo_array((weight, (row, code))).toarray()
        self.table_ = np.vstack([table, table.sum(axis=0)])
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the classes, (rows, classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=None)
        values = pd.MultiIndex.from_arrays([*X.T])
        table = self.table_[self._combinations.get_indexer(values)] + self.alpha
        return table / table.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Array:
        """Return the most likely classes; of equally likely ones the first."""
        most_likely = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_likely]


#: The networks of the experiments: units of hidden layers, and how Adam trains them.
_SETTINGS = ("hidden_layer_sizes", "activation", "learning_rate_init", "max_iter", "batch_size")
_NETWORKS = {
    "compas": ((4,), "logistic", 0.005, 50, 512),
    "coco": ((40, 40), "relu", 0.001, 100, 64),
    "imsitu": ((40, 40), "relu", 0.001, 100, 128),
}


class DenseAttacker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The dense network by which [T25] attacks, trained by Adam for a fixed number of epochs.

    Parameters
    ----------
    preset : {"compas", "coco", "imsitu"}
        The experiment whose network it is.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : ndarray of shape (classes,)
    network_ : sklearn.neural_network.MLPClassifier
        Fitted; for other layers or epochs use this class itself.

    Notes
    -----
    Learning rate, epochs and batch size are those of tables 12 to 14. For COMPAS, Appendix E names
    one hidden layer of 4 sigmoid units; for COCO and imSitu, Sec. 4.1 and 4.3 name two hidden
    layers without their width, for which 40 units, the largest of Appendix D.2, are chosen here.
    ``sample_weight`` needs scikit-learn 1.7.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025 ([T25]).

    Examples
    --------
    >>> from biasamp_adapters.sklearn import DenseAttacker
    >>> X, y = [[0], [1]] * 100, [0, 1] * 100
    >>> DenseAttacker("coco", random_state=0).fit(X, y).predict([[0], [1]]).tolist()
    [0, 1]
    """

    def __init__(self, preset: str = "compas", *, random_state: Any = None) -> None:
        self.preset = preset
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        # The network of COMPAS is too small for the data of scikit-learn's checks.
        tags.classifier_tags.poor_score = self.preset == "compas"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train a new network.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
        y : array-like of shape (rows,) or (rows, labels)
            Classes, or a label matrix of 0 and 1.
        sample_weight : array-like of shape (rows,), optional
        """
        check_choice("preset", self.preset, tuple(_NETWORKS))
        X, y = validate_data(self, X, y, multi_output=True)
        check_classification_targets(y)
        settings: Any = dict(zip(_SETTINGS, _NETWORKS[self.preset], strict=True))
        settings["batch_size"] = min(settings["batch_size"], len(X))
        settings |= {"alpha": 0.0, "n_iter_no_change": settings["max_iter"]}
        self.network_ = MLPClassifier(**settings, random_state=self.random_state)
        weights = dict[str, Any]()
        if sample_weight is not None:
            weights["sample_weight"] = read_numbers(sample_weight, "sample_weight")
        with warnings.catch_warnings():  # The number of epochs is the rule, and not convergence.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.network_.fit(X, y, **weights)
        self.classes_, self.n_iter_ = self.network_.classes_, self.network_.n_iter_
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the classes, or of each label of a matrix."""
        check_is_fitted(self)
        return self.network_.predict_proba(validate_data(self, X, reset=False))

    def predict(self, X: Any) -> Array:
        """Return the most likely classes, or the labels of probability above 1/2."""
        check_is_fitted(self)
        return self.network_.predict(validate_data(self, X, reset=False))
