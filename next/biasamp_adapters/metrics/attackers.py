"""Attackers of scikit-learn: which there are, what scores them, and how one is fitted and asked."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context, dummy, linear_model, metrics, neighbors, neural_network
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.metrics.quality import BALANCED, OF_NUMBERS, OF_PROBABILITIES, QUALITIES

#: Qualities that score probabilities.
SOFT = (*OF_PROBABILITIES, "f1")

#: How the names of the scorers of numbers begin, in scikit-learn.
_SCORERS_OF_NUMBERS = ("r2", "explained_variance", "d2_absolute", "neg_m", "neg_root")

#: A class that no fitted row has counts as so many rows, since it cannot be ruled out.
_UNSEEN = 0.5

#: Rows on which an estimator is tried: a quarter are of class 1, whatever the input.
_FEW_ROWS = np.tile([[0.0], [1.0]], (40, 1))
_FEW_CLASSES = (np.arange(80) // 2 % 4 == 0).astype(np.int64)


def get_estimator(attacker: Any, quality: Any) -> Any:
    """Return an estimator: the given one, or that of a name."""
    if not isinstance(attacker, str):
        return attacker
    regression = linear_model.LogisticRegression(max_iter=1000)
    named = {
        "exact": regression,
        "logistic": regression,
        "dense": neural_network.MLPClassifier((40, 40)),
    }
    if quality in OF_NUMBERS:
        named["exact"] = linear_model.LinearRegression()
    return named.get(attacker, attacker)


# What goes together.


def check_attacker(attacker: Any, quality: Any) -> None:
    """Raise if there is no such attacker, or if a quality cannot score what it guesses."""
    estimator = get_estimator(attacker, quality)
    name, kind = type(estimator).__name__, kind_of(estimator)
    if kind not in ("classifier", "regressor"):
        raise ValueError(
            "attacker must be 'exact', 'logistic', 'dense', or a classifier or regressor with fit, "
            f"predict and get_params; received {attacker!r:.80}"
        )
    if callable(quality):
        _check_function(quality)
        return
    if quality not in (*QUALITIES, *metrics.get_scorer_names()):
        raise ValueError(
            f"quality must be one of {list(QUALITIES)}, the name of a scorer of scikit-learn, or a "
            f"function of y_true and y_pred; received {quality!r:.60}"
        )
    is_of_numbers = quality.startswith((*OF_NUMBERS, *_SCORERS_OF_NUMBERS))
    if is_of_numbers != (kind == "regressor"):
        raise ValueError(
            f"quality={quality!r} scores {'numbers' if is_of_numbers else 'classes'}, which {name} "
            "does not guess; 'inverse_rmse', 'inverse_mse' and scorers such as 'r2' score numbers"
        )
    if quality in SOFT and not has_probabilities(estimator):
        raise ValueError(
            f"quality={quality!r} needs an attacker with predict_proba; received {name} "
            "(CalibratedClassifierCV gives a classifier predict_proba)"
        )
    if kind == "classifier" and quality not in QUALITIES:
        _check_scorer(quality, estimator)


def kind_of(estimator: Any) -> str | None:
    """Return "classifier", "regressor" or another type; None of what is no estimator."""
    methods = ("fit", "predict", "get_params")
    if not all(hasattr(type(estimator), name) for name in methods):
        return None
    if hasattr(estimator, "__sklearn_tags__"):
        return str(estimator.__sklearn_tags__().estimator_type)
    return str(getattr(estimator, "_estimator_type", "classifier"))


def _check_function(quality: Any) -> None:
    """Raise unless a function takes two arguments."""
    try:
        inspect.signature(quality).bind("y_true", "y_pred")
    except TypeError:
        raise ValueError(
            "a function as quality must take y_true and y_pred if the attacker is fitted; "
            f"received {quality!r:.60}"
        ) from None


def _check_scorer(quality: str, estimator: Any) -> None:
    """Raise if a scorer fails with an estimator that was fitted on a few rows of two classes."""
    fitted = _try(estimator, {})
    try:
        with warnings.catch_warnings(action="ignore"):
            if fitted is not None:
                metrics.get_scorer(quality)(fitted, _FEW_ROWS, _FEW_CLASSES)
    except (AttributeError, ValueError) as error:
        raise ValueError(f"quality={quality!r} cannot score the attacker: {error}") from None


def has_probabilities(estimator: Any) -> bool:
    """Return whether an estimator has predict_proba, which some know after a fit only."""
    return hasattr(estimator, "predict_proba") or hasattr(_try(estimator, {}), "predict_proba")


def takes_weights(estimator: Any) -> bool:
    """Return whether weights have an effect on an estimator: not all that accept them use them."""
    weight = np.where(_FEW_CLASSES == 1, 20.0, 1.0)
    fitted = _try(estimator, {_name_of_weights(estimator): weight})
    return fitted is not None and bool(np.mean(fitted.predict(_FEW_ROWS)) > 0.5)


def _try(estimator: Any, params: dict[str, Array]) -> Any:
    """Return a clone that is fitted on a few rows; None if that fails."""
    try:
        with (
            config_context(enable_metadata_routing=False),
            warnings.catch_warnings(action="ignore"),
        ):
            return clone(estimator).fit(_FEW_ROWS, _FEW_CLASSES, **params)
    except Exception:  # Whatever an estimator raises, it cannot be fitted like this.
        return None


def _name_of_weights(estimator: Any) -> str:
    """Return the argument of fit that hands weights to an estimator, or to its last step."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return f"{prefix}sample_weight"


def check_neighbors(estimator: Any, inputs: Array) -> None:
    """Raise if neighbours are chosen among more rows that are equally near."""
    for part in (estimator, *estimator.get_params().values()):
        if isinstance(part, neighbors.KNeighborsClassifier | neighbors.KNeighborsRegressor):
            most = int(np.unique(inputs, axis=0, return_counts=True)[1].max())
            if most > part.n_neighbors:
                raise ValueError(
                    f"{type(part).__name__} must read all rows of equal input, as it chooses among "
                    f"them at random; received n_neighbors={part.n_neighbors} and {most:,} equal "
                    "rows (attacker='exact' reads all)"
                )


# Fitting.


class Sample(NamedTuple):
    """Rows that an attacker sees, and what it guesses of them.

    Attributes
    ----------
    inputs : ndarray of shape (rows, columns)
    target : ndarray of shape (rows,)
        Numbers, classes 0, 1, ..., or labels.
    weight : ndarray of shape (rows,)
    fold : ndarray of int, shape (rows,)
    """

    inputs: Array
    target: Array
    weight: Array
    fold: Array

    def take(self, rows: Array) -> Sample:
        """Return some of the rows."""
        return Sample(*(values[rows] for values in self))

    def parts(self) -> Iterator[tuple[int, Sample, Array]]:
        """Yield each fold, the rows outside of it, and which are in it; all if it is the only."""
        for fold in np.unique(self.fold):
            is_asked = self.fold == fold
            yield int(fold), self if is_asked.all() else self.take(~is_asked), is_asked


class Attacker:
    """An estimator that is fitted on some rows and asked about others.

    Parameters
    ----------
    estimator : estimator
        It is cloned for every fit.
    quality : str or callable
        Probabilities are asked for if it scores them. If it is balanced accuracy, classes weigh the
        same: by weights of rows, or by dividing probabilities by the shares of the classes, or by
        drawing rows, whichever the estimator allows first.
    """

    def __init__(self, estimator: Any, quality: Any) -> None:
        self.estimator = estimator
        self.is_regressor = kind_of(estimator) == "regressor"
        self.is_soft = not callable(quality) and quality in SOFT
        self.is_weighted, is_balanced = takes_weights(estimator), quality == BALANCED
        self.divides = is_balanced and not self.is_weighted and has_probabilities(estimator)
        self.is_balanced = is_balanced and not self.divides

    def fit(self, rows: Sample, seed: int) -> Any:
        """Return a clone that is fitted on rows, with all its seeds set."""
        names, weight = self.estimator.get_params(), rows.weight
        seeds = [name for name in names if name.split("__")[-1] == "random_state"]
        estimator = clone(self.estimator).set_params(**dict.fromkeys(seeds, seed))
        if (rows.target == rows.target[0]).all():
            estimator = dummy.DummyRegressor() if self.is_regressor else dummy.DummyClassifier()
        if self.is_balanced:
            weight = weight / np.bincount(rows.target, weight)[rows.target]
        if np.ptp(weight) <= 1e-9 * weight.max():
            return estimator.fit(rows.inputs, rows.target)
        if self.is_weighted:
            weights = {_name_of_weights(estimator): weight * len(weight) / weight.sum()}
            return estimator.fit(rows.inputs, rows.target, **weights)
        drawn = _draw_rows(rows.target, weight, seed)
        return estimator.fit(rows.inputs[drawn], rows.target[drawn])

    def answer(self, rows: Sample, asked: Array, n_classes: int, seed: int) -> Array:
        """Return guesses of other rows, or probabilities (rows, classes)."""
        fitted = self.fit(rows, seed)
        if not (self.is_soft or self.divides):
            return np.ravel(fitted.predict(asked))
        chances = np.full((len(asked), n_classes), _UNSEEN / (len(rows.target) + 1))
        chances[:, np.asarray(fitted.classes_, dtype=np.int64)] = fitted.predict_proba(asked)
        if self.is_soft:
            return chances / chances.sum(axis=1, keepdims=True)
        total = np.bincount(rows.target, rows.weight, n_classes)
        return np.divide(chances, total, where=total > 0, out=0 * chances).argmax(axis=1)


def _draw_rows(target: Array, weight: Array, seed: int) -> Array:
    """Return rows, each as often as its weight says, at even steps from a random start.

    The steps go through the rows in the order of the target, so each class gets its exact share.
    """
    rng, order = np.random.default_rng(seed), np.argsort(target, kind="stable")
    ends = weight[order].cumsum()
    steps = (np.arange(len(order)) + rng.random()) * (ends[-1] / len(order))
    return rng.permutation(order[np.minimum(np.searchsorted(ends, steps), len(order) - 1)])
