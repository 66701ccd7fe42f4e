"""Attackers of scikit-learn: which there are, what can score them, and how they are fitted."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.metrics.quality import (
    BALANCED,
    HARD_LOSS,
    OF_NUMBERS,
    OF_PROBABILITIES,
    QUALITIES,
    UNCERTAINTY,
    entropy,
)

#: Scorers of scikit-learn that ask an attacker for the same as our qualities of other names.
_SCORERS = {
    **dict.fromkeys(OF_PROBABILITIES, "neg_log_loss"),
    **dict.fromkeys(OF_NUMBERS, "r2"),
    "hard_inverse_cross_entropy": "accuracy",
}

#: How the names of scorers of numbers begin.
_SCORERS_OF_NUMBERS = ("r2", "explained_variance", "d2_absolute", "neg_m", "neg_root")

#: Named qualities that are means over rows; others are those of scikit-learn, fold by fold.
_OF_ROWS = set(QUALITIES) - {"f1_macro"}

#: The lowest probability that a log loss is taken of, as in scikit-learn.
_LOWEST = float(np.finfo(np.float64).eps)

#: A class that no fitted row has counts as so many rows, since it cannot be ruled out.
_UNSEEN = 0.5

#: Rows on which an estimator is tried: a quarter are of class 1, whatever the input.
_FEW_INPUTS = np.tile([[0.0], [1.0]], (40, 1))
_FEW_CLASSES = (np.arange(80) // 2 % 4 == 0).astype(np.int64)


def check_attacker(attacker: Any, quality: Any) -> None:
    """Raise if there is no such attacker, or if a quality cannot score what it guesses."""
    estimator = _get_estimator(attacker, quality)
    is_estimator = hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type)
    if not is_estimator or not (is_classifier(estimator) or is_regressor(estimator)):
        raise ValueError(
            "attacker must be 'exact', 'logistic', 'dense', or a classifier or regressor of "
            f"scikit-learn; received {attacker!r:.80}"
        )
    for part in (estimator, *estimator.get_params().values()):
        if isinstance(part, KNeighborsClassifier | KNeighborsRegressor):
            raise ValueError(
                f"attacker must read all rows of equal input; received {type(part).__name__}, "
                "which chooses among them at random (RadiusNeighborsClassifier reads all)"
            )
    try:
        if callable(quality):
            inspect.signature(quality).bind("y_true", "y_pred")
        else:
            _try_scorer(estimator, quality)
    except (AttributeError, TypeError, ValueError) as error:
        name = type(estimator).__name__
        raise ValueError(f"quality={quality!r:.60} cannot score {name}: {error}") from None


def _try_scorer(estimator: Any, quality: str) -> None:
    """Raise if a quality fails with an estimator that is fitted on a few rows."""
    name = _SCORERS.get(quality, quality)
    scorer = get_scorer(name)
    is_of_numbers = name.startswith(_SCORERS_OF_NUMBERS)
    if quality == "f1":
        raise ValueError("it is that of the best threshold, which only attacker='exact' knows")
    if is_of_numbers != is_regressor(estimator):
        scored = "numbers" if is_of_numbers else "classes"
        raise ValueError(f"it scores {scored}, which the attacker does not guess")
    fitted = _fit_few_rows(estimator)
    if fitted is not None and not is_of_numbers:
        with warnings.catch_warnings(action="ignore"):
            scorer(fitted, _FEW_INPUTS, _FEW_CLASSES)


def _get_estimator(attacker: Any, quality: Any) -> Any:
    """Return an estimator: the given one, or that of a name."""
    if not isinstance(attacker, str):
        return attacker
    if attacker == "exact" and quality in OF_NUMBERS:
        return LinearRegression()
    if attacker in ("exact", "logistic"):
        return LogisticRegression(max_iter=1000)
    return MLPClassifier((40, 40)) if attacker == "dense" else attacker


def _fit_few_rows(estimator: Any, **params: Array) -> Any:
    """Return a clone that is fitted on a few rows; None if that fails."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return clone(estimator).fit(_FEW_INPUTS, _FEW_CLASSES, **params)
    except Exception:  # Whatever an estimator raises, it cannot be fitted like this.
        return None


class Sample(NamedTuple):
    """Rows that an attacker sees, and what it guesses of them.

    Attributes
    ----------
    inputs : ndarray of shape (rows, columns)
    target : ndarray of shape (rows,)
        Numbers, classes 0, 1, ..., or labels.
    weight : ndarray of shape (rows,)
    share : ndarray of shape (rows,)
        The weight of a row in the score; all add up to 1.
    fold : ndarray of int, shape (rows,)
    """

    inputs: Array
    target: Array
    weight: Array
    share: Array
    fold: Array

    def take(self, rows: Array) -> Sample:
        """Return some of the rows."""
        return Sample(*(values[rows] for values in self))

    def splits(self) -> Iterator[tuple[Sample, Sample]]:
        """Yield rows to fit and rows to judge for each fold; of a single one all are both."""
        if not self.fold.any():
            yield self, self
            return
        for others, judged in PredefinedSplit(self.fold).split():
            yield self.take(others), self.take(judged)


class Attacker:
    """An estimator, and how it is fitted and judged by a quality.

    Balanced accuracy is not best for the likeliest class. Its attacker gives each class the same
    weight in a fit; if it does not take weights, it guesses from P(class | input) / P(class) or, as
    a last resort, is fitted on rows that are drawn by their weight.

    Attributes
    ----------
    estimator : estimator
        It is cloned for every fit.
    quality : str or callable
    is_regressor, takes_weights : bool
    divides : bool
        Whether it guesses from P(class | input) / P(class).
    """

    def __init__(self, attacker: Any, quality: Any) -> None:
        self.estimator, self.quality = _get_estimator(attacker, quality), quality
        self.is_regressor = is_regressor(self.estimator)
        # Not all that accept weights use them: with these, all rows are guessed to be of class 1.
        weighted = _fit_few_rows(self.estimator, sample_weight=1.0 + 19 * _FEW_CLASSES)
        self.takes_weights = weighted is not None and weighted.predict(_FEW_INPUTS).mean() > 0.5
        has_probabilities = hasattr(_fit_few_rows(self.estimator), "predict_proba")
        self.divides = quality == BALANCED and has_probabilities and not self.takes_weights

    def fit(self, rows: Sample, seed: int) -> Any:
        """Return an estimator that is fitted on rows, with all its seeds set."""
        weight = rows.weight
        if self.quality == BALANCED and not self.divides:
            weight = balance(weight, rows.target)
        weights = {"sample_weight": weight / weight.mean()}
        if not self.takes_weights:
            rows, weights = rows.take(_draw_rows(rows.target, weight, seed)), {}
        estimator = clone(self.estimator)
        params = estimator.get_params()
        seeds = [name for name in params if name.endswith("random_state")]
        estimator.set_params(**dict.fromkeys(seeds, seed))
        if self.quality == BALANCED:  # With weights of its own, classes would be balanced twice.
            own_weights = [name for name in params if name.endswith("class_weight")]
            estimator.set_params(**dict.fromkeys(own_weights))
        if not self.is_regressor and (rows.target == rows.target[0]).all():
            estimator = DummyClassifier()  # Some classifiers cannot be fitted on a single class.
        return estimator.fit(rows.inputs, rows.target, **weights)

    def score(self, rows: Sample, seed: int) -> float:
        """Return the score of guesses of rows that are not in the fit; of 1/loss the loss."""
        if callable(self.quality) or self.quality not in _OF_ROWS:
            return sum(self._call_scorer(*fold, seed) for fold in rows.splits())
        n_classes, loss = len(np.unique(rows.target)), 0.0
        for fitted, judged in rows.splits():
            loss += float(judged.share @ self._losses(fitted, judged, n_classes, seed))
        if self.quality == UNCERTAINTY:
            whole = float(entropy(np.bincount(rows.target, rows.share)[None]))
            return max(0.0, 1 - loss / whole) if whole > 0 else 0.0
        if self.quality == "inverse_rmse":
            return loss**0.5
        if self.quality == "hard_inverse_cross_entropy":
            return HARD_LOSS * loss
        return loss if QUALITIES[self.quality].inverse else 1 - loss

    def _losses(self, fitted: Sample, judged: Sample, n_classes: int, seed: int) -> Array:
        """Return the log loss or the squared error of each guess, or whether it is wrong."""
        estimator, target = self.fit(fitted, seed), judged.target
        if self.is_regressor:
            return (target - np.ravel(estimator.predict(judged.inputs))) ** 2
        if not self.divides and self.quality not in OF_PROBABILITIES:
            return target != np.ravel(estimator.predict(judged.inputs))
        chances = np.full((len(target), n_classes), _UNSEEN / (len(fitted.target) + 1))
        chances[:, estimator.classes_] = estimator.predict_proba(judged.inputs)
        if self.divides:
            total = np.bincount(fitted.target, fitted.weight, n_classes)
            return target != (chances / np.where(total > 0, total, np.inf)).argmax(axis=1)
        chance = chances[np.arange(len(target)), target] / chances.sum(axis=1)
        return -np.log(np.maximum(chance, _LOWEST))

    def _call_scorer(self, fitted: Sample, judged: Sample, seed: int) -> float:
        """Return what a fold adds to the mean of a scorer, or of a function of labels."""
        scorer = make_scorer(self.quality) if callable(self.quality) else get_scorer(self.quality)
        weights = {} if np.ptp(judged.weight) == 0 else {"sample_weight": judged.weight}
        try:
            estimator = self.fit(fitted, seed)
            score = float(scorer(estimator, judged.inputs, judged.target, **weights))
            if not np.isfinite(score):
                raise ValueError(f"it is {score} in a fold")
        except (IndexError, TypeError, ValueError) as error:
            raise ValueError(
                f"quality={self.quality!r:.60} cannot score these guesses of "
                f"{type(self.estimator).__name__}: {str(error).splitlines()[0]}"
            ) from error
        return score * float(judged.share.sum())


def balance(weight: Array, classes: Array) -> Array:
    """Return weights of rows with which each class weighs 1."""
    return weight / np.bincount(classes, weight)[classes]


def _draw_rows(target: Array, weight: Array, seed: int) -> Array:
    """Return rows in random order, each as often as its weight says.

    Steps of equal size go through the rows in the order of the target, so each class has its exact
    share, and rows of equal weight are drawn once.
    """
    rng, order = np.random.default_rng(seed), np.argsort(target, kind="stable")
    ends = np.floor(weight[order].cumsum() / weight.mean() + rng.random())
    return rng.permutation(np.repeat(order, np.diff(ends, prepend=0).astype(np.int64)))
