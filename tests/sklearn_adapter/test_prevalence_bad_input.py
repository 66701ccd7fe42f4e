"""What PrevalenceThresholdClassifier refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from prevalence_cases import Given
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from biasamp_adapters.sklearn import PrevalenceThresholdClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TWO = np.arange(60) % 2
THREE = np.arange(60) % 3
MATRIX = np.c_[TWO, THREE > 0].astype(int)


OF_CLASSES = r"prevalence must be the share of each class, together 1, in \[0, 1\]; received "
OF_LABELS = r"prevalence must be the share of each label, in \[0, 1\]; received "


@pytest.mark.parametrize("folds", [None, 3])
@pytest.mark.parametrize(
    ("y", "prevalence", "message"),
    [
        (TWO, 1.5, OF_CLASSES + "1.5"),
        (TWO, -0.1, OF_CLASSES + "-0.1"),
        (TWO, float("nan"), OF_CLASSES + "nan"),
        (TWO, None, OF_CLASSES + "None"),
        (TWO, [0.2, 0.2], OF_CLASSES + r"\[0.2, 0.2\]"),
        (TWO, [1.2, -0.2], OF_CLASSES + r"\[1.2, -0.2\]"),
        (TWO, [0.5], OF_CLASSES + r"\[0.5\]"),
        (TWO, [0.2, 0.3, 0.5], OF_CLASSES + r"\[0.2, 0.3, 0.5\]"),
        (TWO, [[0.5, 0.5]], OF_CLASSES + r"\[\[0.5, 0.5\]\]"),
        (TWO, {0: 0.4, 1: 0.4}, OF_CLASSES + "{0: 0.4, 1: 0.4}"),
        (TWO, {1: 0.4}, r"prevalence must name each of \[0, 1\]; received \[1\]"),
        (TWO, {"no": 0.6, "yes": 0.4}, r"prevalence must name each of \[0, 1\]; received \['no',"),
        (TWO, "test", "prevalence must be 'train' or numbers; received 'test'"),
        (TWO, [0.5, "x"], r"prevalence must be 'train' or numbers; received \[0.5, 'x'\]"),
        (THREE, 0.2, "prevalence must be a number for each of 3 classes; received one"),
        (THREE, [0.5, 0.5], OF_CLASSES + r"\[0.5, 0.5\]"),
        (MATRIX, [0.5, 1.1], OF_LABELS + r"\[0.5, 1.1\]"),
        (MATRIX, [0.5, 0.5, 0.5], OF_LABELS + r"\[0.5, 0.5, 0.5\]"),
        (MATRIX, {0: 0.5}, r"prevalence must name each of \[0, 1\]; received \[0\]"),
        (MATRIX, "test", "prevalence must be 'train' or numbers; received 'test'"),
    ],
)
def test_what_is_no_prevalence(y: Any, prevalence: Any, message: str, folds: int | None) -> None:
    model = RidgeClassifier() if y.ndim == 2 else LogisticRegression()
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdClassifier(model, prevalence, cv=folds).fit(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.linspace(0, 1, 60), "Unknown label type: continuous; scores of numbers have no thresh"),
        (np.c_[TWO, THREE], "Unknown label type: multiclass-multioutput"),
        (X, "Unknown label type: continuous-multioutput"),
        (np.ones(60), "y must hold at least two classes; received one class, {1.0}"),
        (["a"] * 60, "y must hold at least two classes; received one class, {'a'}"),
    ],
)
def test_what_are_no_classes(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdClassifier(LogisticRegression()).fit(X, y)


@pytest.mark.parametrize("folds", [None, 3])
def test_a_model_without_scores(folds: int | None) -> None:
    class Silent(LogisticRegression):
        """A classifier that hides its scores."""

        @property
        def predict_proba(self) -> Any:
            raise AttributeError

        @property
        def decision_function(self) -> Any:
            raise AttributeError

    message = "estimator must have predict_proba or decision_function; received a Silent"
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdClassifier(Silent(), cv=folds).fit(X, TWO)


def test_a_regressor_is_no_classifier() -> None:
    with pytest.raises(
        ValueError, match=r"estimator must be a classifier; received LinearRegression\(\)"
    ):
        PrevalenceThresholdClassifier(LinearRegression()).fit(X, TWO)


@pytest.mark.parametrize("estimator", [None, "tree", LogisticRegression], ids=str)
def test_what_is_no_estimator(estimator: Any) -> None:
    with pytest.raises(ValueError, match="estimator must be a classifier; received"):
        PrevalenceThresholdClassifier(estimator).fit(X, TWO)


@pytest.mark.parametrize("score", [np.nan, np.inf])
@pytest.mark.parametrize("folds", [None, 3])
def test_scores_that_are_not_finite(folds: int | None, score: float) -> None:
    class Bad(LogisticRegression):
        def predict_proba(self, x: Any) -> Any:
            return np.full((len(x), 2), score)

    rule = r"scores that are finite; received \d+ NaN or infinite value\(s\) from Bad"
    with pytest.raises(ValueError, match=rule):
        PrevalenceThresholdClassifier(Bad(), cv=folds).fit(X, TWO)


@pytest.mark.parametrize("folds", [None, 3])
@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline], ids=["alone", "pipeline"])
@pytest.mark.parametrize(("n_classes", "n_scores"), [(3, 3), (4, 6)])
def test_scores_of_pairs_of_classes(
    n_classes: int, n_scores: int, wrap: Any, folds: int | None
) -> None:
    # Of three classes there are three pairs.
    pairwise = wrap(SVC(decision_function_shape="ovo"))
    message = f"estimator must score each of the {n_classes} classes; received {n_scores} scores"
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdClassifier(pairwise, cv=folds).fit(X, np.arange(60) % n_classes)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_a_model_that_is_not_fitted(method: str) -> None:
    model = PrevalenceThresholdClassifier(LogisticRegression())
    with pytest.raises(NotFittedError, match="PrevalenceThresholdClassifier instance is not fitte"):
        getattr(model, method)(X)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(60), "sample_weight must be finite and not negative; received -1.0 in 60 row"),
        (np.zeros(60), "weights must have a positive sum; received only zeros"),
        (np.ones(59), "inputs must have the same length; received sample_weight 59, X 60"),
        (np.ones((60, 1)), r"sample_weight must have one dimension; received the shape \(60, 1\)"),
        (np.full(60, np.nan), "must be finite and not negative; received nan in 60 row"),
    ],
    ids=["negative", "zero", "short", "a matrix", "NaN"],
)
def test_what_are_no_weights(weight: np.ndarray, message: str) -> None:
    # Of a model that takes any weights.
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdClassifier(Given(), cv=None).fit(X[:, :1], TWO, sample_weight=weight)
