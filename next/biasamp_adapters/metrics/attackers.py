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
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.metrics import quality as qualities

#: How the names of qualities and scorers of numbers begin.
_OF_NUMBERS = (*qualities.OF_NUMBERS, "r2", "explained_variance", "d2_abs", "neg_m", "neg_root")

#: The lowest probability that a log loss is taken of, as in scikit-learn.
_LOWEST = float(np.finfo(np.float64).eps)

#: A class that no fitted row has counts as so many rows, since it cannot be ruled out.
_UNSEEN = 0.5


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
        for fold in np.unique(self.fold):
            is_judged = self.fold == fold
            is_fitted = ~is_judged if self.fold.any() else is_judged
            yield self.take(is_fitted), self.take(is_judged)


#: Rows on which an estimator is tried: a quarter are of class 1, whatever the input.
_CLASSES, _ONES = (np.arange(80) // 2 % 4 == 0).astype(np.int64), np.ones(80)
_FEW = Sample(np.tile([[0.0], [1.0]], (40, 1)), _CLASSES, _ONES, _ONES / 80, 0 * _ONES)


def get_estimator(attacker: Any, quality: Any) -> Any:
    """Return an estimator: the given one, or that of a name."""
    if not isinstance(attacker, str):
        return attacker
    if attacker == "exact" and quality in qualities.OF_NUMBERS:
        return LinearRegression()
    if attacker in ("exact", "logistic"):
        return LogisticRegression(max_iter=1000)
    return MLPClassifier((40, 40)) if attacker == "dense" else attacker


def check_attacker(attacker: Any, quality: Any) -> None:
    """Raise if there is no such attacker, or if a quality cannot score what it guesses."""
    estimator = get_estimator(attacker, quality)
    is_estimator = hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type)
    if not is_estimator or not (is_classifier(estimator) or is_regressor(estimator)):
        raise ValueError(
            "attacker must be 'exact', 'logistic', 'dense', or a classifier or regressor of "
            f"scikit-learn; received {attacker!r:.80}"
        )
    for part in (estimator, *estimator.get_params().values()):
        if isinstance(part, KNeighborsClassifier | KNeighborsRegressor):
            rule = "attacker must read all rows of equal input"
            raise ValueError(f"{rule}; received {type(part).__name__}, which chooses some of them")
    Attacker(attacker, quality).check_quality()


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
    is_regressor, is_balanced, takes_weights : bool
    divides : bool
        Whether it guesses from P(class | input) / P(class).
    """

    def __init__(self, attacker: Any, quality: Any) -> None:
        self.estimator, self.quality = get_estimator(attacker, quality), quality
        self.is_regressor = is_regressor(self.estimator)
        self.few = self._fit_few_rows()
        # Not all that accept weights use them: with these, all rows are guessed to be of class 1.
        weighted = self._fit_few_rows(sample_weight=1.0 + 19 * _CLASSES)
        self.takes_weights = weighted is not None and weighted.predict(_FEW.inputs).mean() > 0.5
        self.is_balanced = quality == qualities.BALANCED
        has_probabilities = hasattr(self.few, "predict_proba")
        self.divides = self.is_balanced and has_probabilities and not self.takes_weights

    def _fit_few_rows(self, **params: Array) -> Any:
        """Return a clone that is fitted on a few rows; None if that fails."""
        try:
            with warnings.catch_warnings(action="ignore"):
                return clone(self.estimator).fit(_FEW.inputs, _FEW.target, **params)
        except Exception:  # Whatever an estimator raises, it cannot be fitted like this.
            return None

    def check_quality(self) -> None:
        """Raise if the quality is not of what is guessed, or cannot score a few rows."""
        quality = self.quality
        if not callable(quality):
            is_of_numbers = quality.startswith(_OF_NUMBERS)
            if quality == "f1":
                raise self._error("it needs the best threshold, which only attacker='exact' knows")
            if is_of_numbers != self.is_regressor:
                scored = "numbers" if is_of_numbers else "classes"
                raise self._error(f"it scores {scored}, which the attacker does not guess")
            if self.few is not None and not is_of_numbers:
                with warnings.catch_warnings(action="ignore"):
                    self.score(_FEW, 0)
            return
        try:
            inspect.signature(quality).bind("y_true", "y_pred")
        except TypeError as error:
            raise self._error(error) from None

    def _error(self, reason: object) -> ValueError:
        name = type(self.estimator).__name__
        reason = str(reason).splitlines()[0]
        return ValueError(f"quality={self.quality!r:.60} cannot score {name}: {reason}")

    def score(self, rows: Sample, seed: int) -> float:
        """Return the score of guesses of rows that are not in the fit; of 1/loss the loss."""
        try:
            return self._score(rows, seed)
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise self._error(error) from error

    def _score(self, rows: Sample, seed: int) -> float:
        scorer, score, quality = None, 0.0, self.quality
        if callable(quality):
            scorer = make_scorer(quality)
        elif quality == "f1_macro" or quality not in qualities.QUALITIES:
            scorer = get_scorer(quality)
        for fitted, judged in rows.splits():
            estimator = self._fit(fitted, seed)
            if scorer is None:
                score += float(judged.share @ self._losses(estimator, fitted, judged))
                continue
            weights = {} if np.ptp(judged.weight) == 0 else {"sample_weight": judged.weight}
            mean = float(scorer(estimator, judged.inputs, judged.target, **weights))
            if not np.isfinite(mean):
                raise ValueError(f"it is {mean} in a fold")
            score += float(judged.share.sum()) * mean
        if scorer is not None:
            return score
        if quality == qualities.UNCERTAINTY:
            whole = float(qualities.entropy(np.bincount(rows.target, rows.share)[None]))
            return max(0.0, 1 - score / whole) if whole > 0 else 0.0
        if quality == "inverse_rmse":
            return score**0.5
        if quality == "hard_inverse_cross_entropy":
            return qualities.HARD_LOSS * score
        return score if qualities.QUALITIES[quality].inverse else 1 - score

    def _fit(self, rows: Sample, seed: int) -> Any:
        """Return an estimator that is fitted on rows, with all its seeds set."""
        weight = rows.weight
        if self.is_balanced and not self.divides:
            weight = balance(weight, rows.target)
        weights = {"sample_weight": weight / weight.mean()}
        if not self.takes_weights:
            rows, weights = rows.take(_draw_rows(rows.target, weight, seed)), {}
        settings: dict[str, Any] = {}
        for name in self.estimator.get_params():
            if name.endswith("random_state"):
                settings[name] = seed
            if name.endswith("class_weight") and self.is_balanced:
                settings[name] = None
        estimator = clone(self.estimator).set_params(**settings)
        if not self.is_regressor and (rows.target == rows.target[0]).all():
            estimator = DummyClassifier()  # Some classifiers cannot be fitted on a single class.
        return estimator.fit(rows.inputs, rows.target, **weights)

    def _losses(self, estimator: Any, fitted: Sample, judged: Sample) -> Array:
        """Return the log loss or the squared error of each guess, or whether it is wrong."""
        target = judged.target
        if not self.divides and self.quality not in qualities.OF_PROBABILITIES:
            guess = np.ravel(estimator.predict(judged.inputs))
            return (target - guess) ** 2 if self.is_regressor else target != guess
        n_classes = 1 + max(fitted.target.max(), target.max())
        chances = np.full((len(target), n_classes), _UNSEEN / (len(fitted.target) + 1))
        chances[:, estimator.classes_] = estimator.predict_proba(judged.inputs)
        if self.divides:
            total = np.bincount(fitted.target, fitted.weight, n_classes)
            return target != (chances / np.where(total > 0, total, np.inf)).argmax(axis=1)
        chance = chances[np.arange(len(target)), target] / chances.sum(axis=1)
        return -np.log(np.maximum(chance, _LOWEST))


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
