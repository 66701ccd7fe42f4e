"""Attackers whose answers are no probabilities, classes or numbers: refused, not scored."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from biasamp_adapters import DirectionalPredictabilityAmplification, LeakageAmplification
from biasamp_adapters.metrics.base import Metric

GROUP = ["a", "b"] * 20
Y_TRUE = [0, 0, 1, 1] * 10
Y_PRED = [0, 1, 1, 1] * 10
MATRIX = np.stack([Y_TRUE, Y_PRED], axis=1)


class Constant(ClassifierMixin, BaseEstimator):
    """A classifier that gives the same answer to every row."""

    def __init__(self, answer: Any = (0.5, 0.5)) -> None:
        self.answer = answer

    def fit(self, x: Any, y: Any, sample_weight: Any = None) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, x: Any) -> Any:
        return np.tile(self.answer, (len(x), 1))

    def predict(self, x: Any) -> Any:
        return np.full(len(x), self.answer)


class Number(RegressorMixin, Constant):
    """The same as a regressor."""


class OfColumns(Constant):
    """One that takes a matrix of labels, and answers each of its columns alike."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def predict_proba(self, x: Any) -> Any:
        return self.answer(len(x))


NAN = float("nan")
BETWEEN = "must give probabilities between 0 and 1; received"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((NAN, NAN), f"{BETWEEN} nan"),
        ((0.5, NAN), f"{BETWEEN} nan"),
        ((7.0, 7.0), f"{BETWEEN} 7.0"),
        ((1.5, -0.5), f"{BETWEEN} 1.5"),
        ((float("inf"), 0.0), f"{BETWEEN} inf"),
        (("much", "little"), "must give numbers; received .*much"),
        ((0.4, 0.4), "must give rows that sum to 1; received 0.8"),
        ((0.0, 0.0), r"must give rows that sum to 1; received 0\.0"),
        ((1.0,), r"must give the shape \(\d+, 2\); received \(\d+, 1\)"),
        ((0.2, 0.3, 0.5), r"must give the shape \(\d+, 2\); received \(\d+, 3\)"),
    ],
    ids=str,
)
@pytest.mark.parametrize("quality", ["inverse_cross_entropy", "uncertainty_coefficient"])
def test_probabilities(answer: tuple[Any, ...], message: str, quality: str) -> None:
    metric = DirectionalPredictabilityAmplification(attacker=Constant(answer), quality=quality)
    with pytest.raises(ValueError, match=f"predict_proba of the attacker Constant {message}"):
        metric(Y_TRUE, Y_PRED, sensitive_features=GROUP)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_probabilities_are_as_exact_as_their_type(dtype: Any) -> None:
    thirds = np.array([1 / 3, 2 / 3], dtype=dtype)
    metric = DirectionalPredictabilityAmplification(attacker=Constant(thirds), equalize=None)
    # The loss of truth and predictions on the same answers: 1 in 2 and 3 in 4 are positive.
    dataset = -(np.log(1 / 3) + np.log(2 / 3)) / 2
    model = -(np.log(1 / 3) + 3 * np.log(2 / 3)) / 4
    value = metric(Y_TRUE, Y_PRED, sensitive_features=GROUP)
    slack = float(np.sqrt(np.finfo(dtype).eps))
    assert value == pytest.approx((dataset - model) / (dataset + model), abs=slack)


@pytest.mark.parametrize("answer", [NAN, 7.0, -1, 0.5], ids=str)
@pytest.mark.parametrize(
    "metric",
    [LeakageAmplification, DirectionalPredictabilityAmplification],
    ids=lambda m: m.__name__,
)
def test_classes(answer: float, metric: type[Metric]) -> None:
    attack: Any = metric(attacker=Constant(answer), quality="accuracy")
    with pytest.raises(ValueError, match=rf"must give classes that it was .* received {answer}"):
        attack(Y_TRUE, Y_PRED, sensitive_features=GROUP)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.full((n, 2), NAN), f"{BETWEEN} nan"),
        (lambda n: np.full((n, 2), 2.0), f"{BETWEEN} 2.0"),
        (lambda n: np.full((n, 3), 0.5), r"the shape \(\d+, 2\); received \(\d+, 3\)"),
        (lambda n: [np.full((n, 2), 0.3)] * 2, r"rows that sum to 1; received 0\.6"),
        (lambda n: [np.full((n, 2), 0.5)], r"the shape \(2,\); received \(1,\)"),
        (lambda n: [np.full((n, 1), 1.0)] * 2, r"the shape \(\d+, 2\); received \(\d+, 1\)"),
    ],
)
def test_columns_of_a_matrix(answer: Any, message: str) -> None:
    metric = DirectionalPredictabilityAmplification(attacker=OfColumns(answer))
    with pytest.raises(ValueError, match=message):
        metric(MATRIX, MATRIX[:, ::-1], sensitive_features=GROUP)


def test_classes_of_columns() -> None:
    class Sevens(OfColumns):
        def predict(self, x: Any) -> Any:
            return np.full((len(x), 2), 7)

    metric = DirectionalPredictabilityAmplification(attacker=Sevens(), quality="accuracy")
    with pytest.raises(ValueError, match="must give classes that it was fitted on; received 7"):
        metric(MATRIX, MATRIX[:, ::-1], sensitive_features=GROUP)


@pytest.mark.parametrize("answer", [NAN, float("inf")], ids=str)
def test_numbers(answer: float) -> None:
    metric = DirectionalPredictabilityAmplification(
        attacker=Number(answer), quality="inverse_rmse", equalize=None
    )
    with pytest.raises(ValueError, match=f"must give finite numbers; received {answer}"):
        metric(np.array(Y_TRUE) + 0.5, Y_PRED, sensitive_features=GROUP)
