"""Fit fresh clones of an attacker on some folds, ask them for the others, and score the answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.base import clone

from biasamp_adapters._typing import Array
from biasamp_adapters.attackers.weights import fit_weighted
from biasamp_adapters.quality import HARD_LOSS, Quality, entropy

#: The lowest probability that a log loss is taken of, as scikit-learn clips it.
_LOWEST = float(np.finfo(np.float64).eps)

#: Qualities of probabilities; the others are of predicted classes.
LOG_LOSSES = ("inverse_cross_entropy", "uncertainty_coefficient")


def seed_names(attacker: Any) -> list[str]:
    """The parameters, nested ones too, that make an attacker random."""
    names = sorted(attacker.get_params())
    return [name for name in names if name.rpartition("__")[2] == "random_state"]


@dataclass(frozen=True, eq=False)
class CrossFit:
    """An attacker that is fitted on the rows of other folds than those it is asked for.

    Attributes
    ----------
    attacker : estimator
        Cloned for every fit, each clone with a seed of its own.
    weight, folds : arrays of shape (rows,)
        With one fold, attackers are asked for the rows that they were fitted on.
    rng : numpy.random.Generator
    """

    attacker: Any
    weight: Array
    folds: Array
    rng: np.random.Generator

    def _parts(self, row: Array) -> Iterator[tuple[Array, Array]]:
        """Which of some rows to fit on, and which to ask for."""
        folds = self.folds[row]
        for fold in np.unique(folds):
            asked = folds == fold
            yield (asked if asked.all() else ~asked), asked

    def _fitted(self, inputs: Array, target: Array, weight: Array) -> Any:
        seeds = {name: int(self.rng.integers(2**31 - 1)) for name in seed_names(self.attacker)}
        return fit_weighted(clone(self.attacker).set_params(**seeds), inputs, target, weight)

    def of_numbers(self, inputs: Array, target: Array) -> float:
        """Root mean square error of predicted numbers."""
        return self._error(inputs, np.arange(len(target)), target, self.weight)

    def of_values(self, inputs: Array, shares: Array, values: Array) -> float:
        """The same for numbers that classes stand for, from the share of each class in a row."""
        row, label = np.nonzero(shares)
        return self._error(inputs, row, values[label], self.weight[row] * shares[row, label])

    def _error(self, inputs: Array, row: Array, target: Array, weight: Array) -> float:
        guess = np.zeros(len(target))
        for known, asked in self._parts(row):
            found = self._fitted(inputs[row[known]], target[known], weight[known])
            guess[asked] = np.asarray(found.predict(inputs[row[asked]]), dtype=np.float64).ravel()
        return float(np.sqrt(np.average((target - guess) ** 2, weights=weight)))

    def of_classes(self, quality: Quality, inputs: Array, shares: Array) -> tuple[float, int]:
        """The score on classes, and how many probabilities were clipped.

        Parameters
        ----------
        shares : array of shape (rows, classes)
            Of each class in each row. A row of several is there once for each, with its share.
        """
        row, label = np.nonzero(shares)
        weight = self.weight[row] * shares[row, label]
        # A class that nobody has cannot be there.
        seen, label = np.unique(label, return_inverse=True)
        answers = np.zeros((len(row), len(seen)))
        soft = quality.name in LOG_LOSSES
        for known, asked in self._parts(row):
            rows = inputs[row[known]], label[known], weight[known]
            answers[asked] = self._answers(soft, *rows, inputs[row[asked]], answers.shape[1])
        return score(quality, label, answers, weight)

    def _answers(
        self, soft: bool, inputs: Array, label: Array, weight: Array, asked: Array, classes: int
    ) -> Array:
        """Probabilities of the classes, or 1 for the predicted one, of shape (rows, classes).

        A class that the attacker saw no row of gets half a row: it cannot be ruled out.
        """
        present = np.unique(label)
        out = np.full((len(asked), classes), _unseen(len(label)) if soft else 0.0)
        if len(present) == 1:
            out[:, present] = 1
        else:
            # Classes are 0, 1, ... for attackers that will have them so.
            found = self._fitted(inputs, np.searchsorted(present, label), weight)
            if not soft:
                return np.eye(classes)[present[np.asarray(found.predict(asked)).astype(np.int64)]]
            out[:, present] = _probabilities(found, asked)
        return out / out.sum(axis=1, keepdims=True)

    def of_columns(self, quality: Quality, inputs: Array, labels: Array) -> list[tuple[float, int]]:
        """The score on each column of 0 and 1, from one attacker that predicts all of them."""
        soft = quality.name in LOG_LOSSES
        yes = np.zeros(labels.shape)
        varies = np.ptp(labels, axis=0) > 0
        for known, asked in self._parts(np.arange(len(labels))):
            found = self._fitted(inputs[known], labels[known], self.weight[known])
            if not soft:
                yes[asked] = found.predict(inputs[asked])
                continue
            yes[asked] = _of_ones(_probabilities(found, inputs[asked]), labels[known])
            # As of classes: what was not seen gets half a row.
            rare = _unseen(known.sum()) * varies
            alone = np.ptp(labels[known], axis=0) == 0
            sure = np.where(labels[known][0] == 1, 1, rare) / (1 + rare)
            yes[asked] = np.where(alone, sure, yes[asked])
        answers = np.stack([1 - yes, yes], axis=-1)
        return [score(quality, labels[:, t], answers[:, t], self.weight) for t in range(len(yes.T))]


def _unseen(n_rows: int) -> float:
    """The probability, before all are scaled to 1, of a class that no fitted row has."""
    return 0.5 / (n_rows + 1)


def _probabilities(attacker: Any, asked: Array) -> Any:
    if not hasattr(attacker, "predict_proba"):
        raise ValueError(
            f"the qualities {' and '.join(LOG_LOSSES)} need an attacker with predict_proba; "
            f"received {type(attacker).__name__}"
        )
    return attacker.predict_proba(asked)


def _of_ones(found: Any, known: Array) -> Array:
    """Probabilities of 1, (rows, columns), from such a matrix or a list of one matrix a column."""
    if not isinstance(found, list):
        return np.asarray(found)
    columns = [
        chance[:, 1] if chance.shape[1] == 2 else np.full(len(chance), float(column[0]))
        for chance, column in zip(found, known.T, strict=True)
    ]
    return np.column_stack(columns)


def score(quality: Quality, label: Array, answers: Array, weight: Array) -> tuple[float, int]:
    """The score of a quality, the loss itself for an inverse one; and how many were clipped.

    Parameters
    ----------
    label : array of int, shape (rows,)
    answers : array of shape (rows, classes)
        Probabilities of the classes, or 1 for the predicted one.
    weight : array of shape (rows,)
    """
    share = weight / weight.sum()
    if quality.name in LOG_LOSSES:
        chance = answers[np.arange(len(label)), label]
        clipped = int((chance < _LOWEST).sum())
        loss = float(-(share * np.log(np.maximum(chance, _LOWEST))).sum())
        if quality.inverse:
            return loss, clipped
        # Of one class, entropy and loss are 0 but for rounding.
        most = float(entropy(np.bincount(label, share)[None])) if np.ptp(label) else 0.0
        return (max(0.0, 1 - loss / most) if most else 0.0), clipped
    guess = answers.argmax(axis=1)
    if quality.name == "hard_inverse_cross_entropy":
        return HARD_LOSS * float(share[guess != label].sum()), 0
    if quality.name == "accuracy":
        return float(metrics.accuracy_score(label, guess, sample_weight=weight)), 0
    options = {"labels": np.unique(label), "average": "macro", "zero_division": 0}
    of_classes = {"balanced_accuracy": metrics.recall_score, "f1_macro": metrics.f1_score}
    return float(of_classes[quality.name](label, guess, sample_weight=weight, **options)), 0
