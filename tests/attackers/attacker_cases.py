"""What the tests of attackers share: rows, metrics of all attacks, and estimators that take notes.

The estimators are real: each is a classifier of scikit-learn that also writes down its fits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from metric_cases import quietly
from sklearn.neighbors import KNeighborsClassifier

from biasamp_adapters import (
    AmplificationResult,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
)

#: Who predicts whom: LA, and the two directions of DPA.
ATTACKS = ["LA", "A->T", "T->A"]


def metric_of(attack: str, **options: Any) -> Any:
    """LA or DPA in a direction."""
    if attack == "LA":
        return LeakageAmplification(**options)
    return DirectionalPredictabilityAmplification(direction=attack, **options)


def value_of(attack: str, rows: dict[str, Any], **options: Any) -> float:
    """The value of some rows, without its warnings."""
    return result_of(attack, rows, **options).value


def result_of(attack: str, rows: dict[str, Any], **options: Any) -> AmplificationResult:
    """The result of some rows, without its warnings."""
    return quietly(metric_of(attack, **options).result, **rows)


def binary_rows(n: int = 200, seed: int = 0) -> dict[str, np.ndarray]:
    """Two groups with rates of .3 and .7, and predictions of both that are right in 80 %."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    task = (rng.random(n) < 0.3 + 0.4 * group).astype(int)
    wrong, mistaken = rng.random((2, n)) < 0.2
    return {
        "y_true": task,
        "y_pred": task ^ wrong,
        "sensitive_features": group,
        "sensitive_features_pred": group ^ mistaken,
    }


def matrix_rows(n: int = 200, tasks: int = 4, seed: int = 0) -> dict[str, np.ndarray]:
    """The same with a matrix of tasks that all lean to group 1."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    task = (rng.random((n, tasks)) < 0.3 + 0.4 * group[:, None]).astype(int)
    wrong, mistaken = rng.random((n, tasks)) < 0.15, rng.random(n) < 0.2
    return {
        "y_true": task,
        "y_pred": task ^ wrong,
        "sensitive_features": group,
        "sensitive_features_pred": group ^ mistaken,
    }


class Fit(NamedTuple):
    """What an estimator was told in one fit, and in the question that followed."""

    was_fitted: bool
    seed: Any
    inputs: np.ndarray
    target: np.ndarray
    asked: list[np.ndarray]


#: The fits of noting estimators since a test emptied it.
FITS: list[Fit] = []


class NotingNeighbors(KNeighborsClassifier):
    """Neighbours that note what they are fitted on and asked for; they have a seed, for show."""

    def __init__(self, n_neighbors: int = 5, random_state: Any = None) -> None:
        super().__init__(n_neighbors=n_neighbors)
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Any:  # noqa: N803
        self.note_ = Fit(hasattr(self, "classes_"), self.random_state, np.array(X), np.array(y), [])
        FITS.append(self.note_)
        return super().fit(X, y)

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        self.note_.asked.append(np.array(X))
        return super().predict_proba(X)


class NotingOneColumn(NotingNeighbors):
    """The same without a word that they take label matrices."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags


class NeighborsOfOneColumn(KNeighborsClassifier):
    """Neighbours that do not say that they take label matrices."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags
