"""Fit fresh clones of an attacker on some folds, ask them for the others, score the answers."""

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

    def of_numbers(self, inputs: Array, shares: Array, values: Array) -> tuple[float, int]:
        """Root mean square error of predicted numbers; no prediction is clipped.

        Parameters
        ----------
        shares, values : arrays that broadcast to (rows, classes)
            The numbers in each row, and the share of each.
        """
        values = np.broadcast_to(values, shares.shape)
        row, label = np.nonzero(shares)
        target, weight = values[row, label], self.weight[row] * shares[row, label]
        guess = np.zeros(len(target))
        for known, asked in self._parts(row):
            attacker = self._fitted(inputs[row[known]], target[known], weight[known])
            guess[asked] = _numbers(attacker, inputs[row[asked]])
        return float(np.sqrt(np.average((target - guess) ** 2, weights=weight))), 0

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
                return np.eye(classes)[present[_classes(found, asked, len(present))]]
            chances = _predict_proba(found, asked)
            out[:, present] = _checked_chances(found, chances, (len(asked), len(present)))
        return out / out.sum(axis=1, keepdims=True)

    def of_columns(self, quality: Quality, inputs: Array, labels: Array) -> list[tuple[float, int]]:
        """The score on each column of 0 and 1, from one attacker that predicts all of them."""
        soft = quality.name in LOG_LOSSES
        yes = np.zeros(labels.shape)
        varies = np.ptp(labels, axis=0) > 0
        for known, asked in self._parts(np.arange(len(labels))):
            found = self._fitted(inputs[known], labels[known], self.weight[known])
            if not soft:
                yes[asked] = _classes(found, inputs[asked], 2, labels.shape[1])
                continue
            yes[asked] = _of_ones(found, inputs[asked], labels[known])
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


def _numbers(attacker: Any, asked: Array) -> Array:
    """The numbers that a regressor predicts, of shape (rows,)."""
    found = np.asarray(attacker.predict(asked), dtype=np.float64).ravel()
    _check_rows(attacker, "predict", found, (len(asked),))
    if not np.isfinite(found).all():
        raise _bad_answer(attacker, "predict", "finite numbers", found[~np.isfinite(found)][0])
    return found


def _classes(attacker: Any, asked: Array, classes: int, columns: int | None = None) -> Array:
    """The classes that a classifier predicts, 0, 1, ..., of each column if there are several."""
    shape = (len(asked),) if columns is None else (len(asked), columns)
    found = np.asarray(attacker.predict(asked))
    _check_rows(attacker, "predict", found, shape)
    known = np.isin(found, np.arange(classes))
    if not known.all():
        raise _bad_answer(attacker, "predict", "classes that it was fitted on", found[~known][0])
    return found.astype(np.int64)


def _predict_proba(attacker: Any, asked: Array) -> Any:
    if not hasattr(attacker, "predict_proba"):
        raise ValueError(
            f"the qualities {' and '.join(LOG_LOSSES)} need an attacker with predict_proba; "
            f"received {type(attacker).__name__}"
        )
    return attacker.predict_proba(asked)


def _of_ones(attacker: Any, asked: Array, known: Array) -> Array:
    """The probability of 1 in each column, (rows, columns).

    Attackers give such a matrix, or a list with the probabilities of the classes of each column.
    """
    found = _predict_proba(attacker, asked)
    if not isinstance(found, list):
        return _checked_chances(attacker, found, (len(asked), known.shape[1]), whole=False)
    _check_rows(attacker, "predict_proba", found, (known.shape[1],))
    columns = []
    for each, column in zip(found, known.T, strict=True):
        chance = _checked_chances(attacker, each, (len(asked), len(np.unique(column))))
        alone = np.full(len(chance), float(column[0]))
        columns.append(chance[:, 1] if chance.shape[1] == 2 else alone)
    return np.column_stack(columns)


def _checked_chances(
    attacker: Any, found: Any, shape: tuple[int, ...], *, whole: bool = True
) -> Array:
    """Probabilities as an array; ``whole`` rows sum to 1."""
    chances = np.asarray(found)
    _check_rows(attacker, "predict_proba", chances, shape)
    if chances.dtype.kind not in "biuf":
        raise _bad_answer(attacker, "predict_proba", "numbers", repr(chances.flat[0]))
    # As scikit-learn does: as exact as the type that the attacker computes in.
    kind = chances.dtype if chances.dtype.kind == "f" else np.dtype(np.float64)
    slack = float(np.sqrt(np.finfo(kind).eps))
    inside = (chances >= -slack) & (chances <= 1 + slack)
    if not inside.all():
        rule = "probabilities between 0 and 1"
        raise _bad_answer(attacker, "predict_proba", rule, chances[~inside][0])
    total = chances.sum(axis=-1, dtype=np.float64)
    if whole and (np.abs(total - 1) > slack).any():
        worst = total[np.abs(total - 1).argmax()]
        raise _bad_answer(attacker, "predict_proba", "rows that sum to 1", worst)
    return chances.clip(0, 1)


def _check_rows(attacker: Any, method: str, found: Any, shape: tuple[int, ...]) -> None:
    """Raise for answers of another shape, or a list of another length."""
    received = (len(found),) if isinstance(found, list) else np.shape(found)
    if received != shape:
        raise _bad_answer(attacker, method, f"the shape {shape}", received)


def _bad_answer(attacker: Any, method: str, rule: str, received: Any) -> ValueError:
    return ValueError(
        f"{method} of the attacker {type(attacker).__name__} must give {rule}; received {received}"
    )


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
