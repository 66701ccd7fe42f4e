"""Cross-fitting: fit clones of an attacker on some folds and score their answers on the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.base import clone

from biasamp_adapters._typing import Array
from biasamp_adapters.attackers.weights import fit_weighted, takes_weights
from biasamp_adapters.quality import BALANCED, HARD_LOSS, entropy

#: The lowest probability that a log loss is taken of, as scikit-learn clips it.
_LOWEST = float(np.finfo(np.float64).eps)

#: Qualities of probabilities that score the same answers.
LOG_LOSSES = ("inverse_cross_entropy", "uncertainty_coefficient", "one_minus_cross_entropy")

#: Qualities of probabilities; the others are of predicted classes.
SOFT = (*LOG_LOSSES, "f1")


def scored_alike(quality: str) -> tuple[str, ...]:
    """The qualities that score the same answers of the same attackers as one does."""
    return LOG_LOSSES if quality in LOG_LOSSES else (quality,)


def seed_names(attacker: Any) -> list[str]:
    """The parameters, nested ones too, that make an attacker random."""
    names = sorted(attacker.get_params())
    return [name for name in names if name.rpartition("__")[2] == "random_state"]


@dataclass(eq=False)
class CrossFit:
    """An attacker that predicts the rows of each fold after it was fitted on the other folds.

    Attributes
    ----------
    attacker : estimator
        Cloned for every fit, each clone with a seed of its own.
    qualities : tuple of str
        Those that score the same answers; see :func:`scored_alike`.
    weight, folds : arrays of shape (rows,)
        With a single fold, attackers predict the rows that they were fitted on.
    rng : numpy.random.Generator
    positive : int or None
        The class whose F1 score is asked for; None for the mean over all.
    n_clipped : int
        Number of probabilities so far that were too close to 0 for a logarithm.
    """

    attacker: Any
    qualities: tuple[str, ...]
    weight: Array
    folds: Array
    rng: np.random.Generator
    positive: int | None = None
    n_clipped: int = 0

    def _parts(self, row: Array) -> Iterator[tuple[Array, Array]]:
        """For each fold, which of some rows to fit on, and which to predict."""
        folds = self.folds[row]
        for fold in np.unique(folds):
            test = folds == fold
            yield (test if test.all() else ~test), test

    @cached_property
    def _seeds(self) -> list[str]:
        return seed_names(self.attacker)

    def _fitted(self, inputs: Array, target: Array, weight: Array) -> Any:
        seeds = {name: int(self.rng.integers(2**31 - 1)) for name in self._seeds}
        return fit_weighted(clone(self.attacker).set_params(**seeds), inputs, target, weight)

    @property
    def _soft(self) -> bool:
        return self.qualities[0] in SOFT

    def of_numbers(self, inputs: Array, shares: Array, values: Array) -> list[float]:
        """Mean square error of predicted numbers, or its root.

        Parameters
        ----------
        shares, values : arrays that broadcast to (rows, classes)
            The numbers in each row, and the share of each.
        """
        values = np.broadcast_to(values, shares.shape)
        row, label = np.nonzero(shares)
        target, weight = values[row, label], self.weight[row] * shares[row, label]
        guess = np.zeros(len(target))
        for train, test in self._parts(row):
            attacker = self._fitted(_read(inputs, row[train]), target[train], weight[train])
            guess[test] = _numbers(attacker, _read(inputs, row[test]))
        error = float(np.average((target - guess) ** 2, weights=weight))
        return [error if quality == "inverse_mse" else error**0.5 for quality in self.qualities]

    def of_classes(self, inputs: Array, shares: Array, alike: Array | None = None) -> list[float]:
        """The score of each quality on classes.

        Parameters
        ----------
        shares : array of shape (rows, classes)
            The share of each class in each row. A row with several classes counts once for each,
            weighted by its share.
        alike : array of int of shape (rows,), optional
            Numbers of the inputs. Rows with the same number and class are fitted as one row with
            the sum of their weights.
        """
        row, label = np.nonzero(shares)
        weight = self.weight[row] * shares[row, label]
        # Classes without rows are left out.
        seen, label = np.unique(label, return_inverse=True)
        answers = np.zeros((len(row), len(seen)))
        for train, test in self._parts(row):
            fitted = row[train], label[train], weight[train]
            answers[test] = self._answers(inputs, fitted, row[test], len(seen), alike)
        scored = seen if self.positive is None else seen[seen == self.positive]
        return self._scores(label, answers, weight, np.searchsorted(seen, scored))

    def _answers(
        self,
        inputs: Array,
        fitted: tuple[Array, Array, Array],
        test: Array,
        n_classes: int,
        alike: Array | None,
    ) -> Array:
        """Probabilities of the classes, or 1 for the predicted one, of shape (rows, classes).

        A class that no fitted row has counts as half a row, since it cannot be ruled out.

        Parameters
        ----------
        fitted : row, class and weight of what is fitted
        test : array of int
            The rows to predict.
        """
        row, label, weight = fitted
        present = np.unique(label)
        out = np.full((len(test), n_classes), _unseen(len(label)) if self._soft else 0.0)
        if len(present) == 1:
            out[:, present] = 1
        else:
            # Some attackers require the classes to be 0, 1, ...
            label = np.searchsorted(present, label)
            weight = self._balanced(label, weight)
            if alike is not None:
                row, label, weight = _merged(row, label, weight, alike[row] * len(present) + label)
            attacker = self._fitted(_read(inputs, row), label, weight)
            asked, shape = _read(inputs, test), (len(test), len(present))
            if not self._soft:
                return np.eye(n_classes)[present[_classes(attacker, asked, shape[1], shape[:1])]]
            out[:, present] = _chances(attacker, _predict_proba(attacker, asked), shape)
        return out / out.sum(axis=1, keepdims=True)

    def _balanced(self, label: Array, weight: Array) -> Array:
        """Weights with which classes 0, 1, ... weigh the same, if the quality treats them so."""
        if BALANCED not in self.qualities or not takes_weights(self.attacker):
            return weight
        total = np.bincount(label, weight)
        return (
            weight * weight.sum() / (np.count_nonzero(total) * np.where(total > 0, total, 1))[label]
        )

    def of_columns(self, inputs: Array, labels: Array) -> list[list[float]]:
        """The scores on each column of 0 and 1, from one attacker that predicts all of them."""
        yes = np.zeros(labels.shape)
        varies = np.ptp(labels, axis=0) > 0
        for train, test in self._parts(np.arange(len(labels))):
            attacker = self._fitted(_read(inputs, train), labels[train], self.weight[train])
            asked = _read(inputs, test)
            if not self._soft:
                yes[test] = _classes(attacker, asked, 2, yes[test].shape)
                continue
            yes[test] = _chances_of_ones(attacker, asked, labels[train])
            # As for classes, an unseen value counts as half a row.
            rare = _unseen(train.sum()) * varies
            alone = np.ptp(labels[train], axis=0) == 0
            sure = np.where(labels[train][0] == 1, 1, rare) / (1 + rare)
            yes[test] = np.where(alone, sure, yes[test])
        answers = np.stack([1 - yes, yes], axis=-1)
        scored = np.array([1 if self.positive is None else self.positive])
        return [
            self._scores(labels[:, t], answers[:, t], self.weight, scored)
            for t in range(len(yes.T))
        ]

    def _scores(self, label: Array, answers: Array, weight: Array, scored: Array) -> list[float]:
        """The score of each quality, the loss itself for an inverse one.

        Parameters
        ----------
        label : array of int, shape (rows,)
        answers : array of shape (rows, classes)
            Probabilities of the classes, or 1 for the predicted one.
        weight : array of shape (rows,)
        scored : array of int
            The classes whose F1 scores are averaged; none if the only one does not occur.
        """
        share = weight / weight.sum()
        if self.qualities == ("f1",):
            best = [_best_f1(label == k, answers[:, k], weight) for k in scored]
            return [float(np.mean(best)) if best else 0.0]
        if self._soft:
            chance = answers[np.arange(len(label)), label]
            self.n_clipped += int((chance < _LOWEST).sum())
            loss = float(-(share * np.log(np.maximum(chance, _LOWEST))).sum())
            # With a single class, entropy and loss are 0 up to rounding.
            most = float(entropy(np.bincount(label, share)[None])) if np.ptp(label) else 0.0
            return [loss, max(0.0, 1 - loss / most) if most else 0.0, 1 - loss]
        (quality,), guess = self.qualities, answers.argmax(axis=1)
        if quality == "hard_inverse_cross_entropy":
            return [HARD_LOSS * float(share[guess != label].sum())]
        true, guessed = (np.bincount(codes, weight, len(answers.T)) for codes in (label, guess))
        right = np.bincount(label, weight * (guess == label), len(answers.T))
        if quality == "accuracy":
            return [float(right.sum() / true.sum())]
        # Scikit-learn's functions take longer than most fits.
        occurs, twice = true > 0, {"balanced_accuracy": 2 * true, "f1_macro": true + guessed}
        return [float((2 * right[occurs] / twice[quality][occurs]).mean())]


def _best_f1(is_class: Array, chance: Array, weight: Array) -> float:
    """The largest F1 score of a class over all cut-offs of its probability."""
    if not is_class.any():
        return 0.0
    precision, recall, _ = metrics.precision_recall_curve(is_class, chance, sample_weight=weight)
    total = precision + recall
    ratio = 2 * precision * recall / np.where(total > 0, total, 1)
    return float(ratio.max())


def _read(inputs: Array, rows: Array) -> Array:
    """Some rows as attackers get them."""
    return inputs[rows].astype(np.float64, copy=False)


def _merged(row: Array, label: Array, weight: Array, cell: Array) -> tuple[Array, Array, Array]:
    """One row, its class and the sum of the weights, of each cell that has rows."""
    total = np.bincount(cell, weight)
    place = np.zeros(len(total), dtype=np.intp)
    place[cell] = np.arange(len(cell))
    used = np.flatnonzero(total)
    return row[place[used]], label[place[used]], total[used]


def _unseen(n_rows: int) -> float:
    """The probability, before all are scaled to 1, of a class that no fitted row has."""
    return 0.5 / (n_rows + 1)


def _numbers(attacker: Any, asked: Array) -> Array:
    """The numbers that a regressor predicts, of shape (rows,)."""
    numbers = np.asarray(attacker.predict(asked), dtype=np.float64).ravel()
    _check_shape(attacker, "predict", numbers, (len(asked),))
    _check(attacker, "predict", "finite numbers", numbers, np.isfinite(numbers))
    return numbers


def _classes(attacker: Any, asked: Array, n_classes: int, shape: tuple[int, ...]) -> Array:
    """The classes that a classifier predicts, 0, 1, ..., of each column if there are several."""
    classes = np.asarray(attacker.predict(asked))
    _check_shape(attacker, "predict", classes, shape)
    known = np.isin(classes, np.arange(n_classes))
    _check(attacker, "predict", "classes that it was fitted on", classes, known)
    return classes.astype(np.int64)


def _predict_proba(attacker: Any, asked: Array) -> Any:
    if not hasattr(attacker, "predict_proba"):
        raise ValueError(
            f"the qualities {' and '.join(SOFT)} need an attacker with predict_proba; "
            f"received {type(attacker).__name__}"
        )
    return attacker.predict_proba(asked)


def _chances_of_ones(attacker: Any, asked: Array, known: Array) -> Array:
    """The probability of 1 in each column that was not constant, of shape (rows, columns).

    Attackers give such a matrix, or a list with the probabilities of the classes of each column.
    """
    answer = _predict_proba(attacker, asked)
    if not isinstance(answer, list):
        return _chances(attacker, answer, (len(asked), known.shape[1]), sum_to_1=False)
    _check_shape(attacker, "predict_proba", answer, (known.shape[1],))
    columns = []
    for of_classes, column in zip(answer, known.T, strict=True):
        chances = _chances(attacker, of_classes, (len(asked), len(np.unique(column))))
        columns.append(chances[:, -1])
    return np.column_stack(columns)


def _chances(attacker: Any, answer: Any, shape: tuple[int, ...], *, sum_to_1: bool = True) -> Array:
    """Probabilities as an array, checked."""
    chances, method = np.asarray(answer), "predict_proba"
    _check_shape(attacker, method, chances, shape)
    is_number = np.full(shape, chances.dtype.kind in "biuf")
    _check(attacker, method, "numbers", chances, is_number)
    # As in scikit-learn, the tolerance is that of the type in which the attacker computes.
    dtype = chances.dtype if chances.dtype.kind == "f" else np.dtype(np.float64)
    slack = float(np.sqrt(np.finfo(dtype).eps))
    inside = (chances >= -slack) & (chances <= 1 + slack)
    _check(attacker, method, "probabilities between 0 and 1", chances, inside)
    if sum_to_1:
        total = chances.sum(axis=-1, dtype=np.float64)
        _check(attacker, method, "rows that sum to 1", total, np.abs(total - 1) <= slack)
    return chances.clip(0, 1)


def _check_shape(attacker: Any, method: str, answer: Any, shape: tuple[int, ...]) -> None:
    """Raise for an answer of another shape, or a list of another length."""
    received = (len(answer),) if isinstance(answer, list) else np.shape(answer)
    if received != shape:
        raise _bad_answer(attacker, method, f"the shape {shape}", received)


def _check(attacker: Any, method: str, rule: str, answer: Array, is_good: Array) -> None:
    """Raise for the first number of an answer that breaks a rule."""
    if not is_good.all():
        raise _bad_answer(attacker, method, rule, answer[~is_good][0])


def _bad_answer(attacker: Any, method: str, rule: str, received: Any) -> ValueError:
    return ValueError(
        f"{method} of the attacker {type(attacker).__name__} must give {rule}; received {received}"
    )
