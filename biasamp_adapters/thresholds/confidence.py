"""Probabilities as predictions: the decisions that follow, and how sure and how right they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biasamp_adapters._text import renaming_errors
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.inputs.columns import read_weights
from biasamp_adapters.inputs.matrices import is_matrix, one_shape
from biasamp_adapters.inputs.numbers import read_given
from biasamp_adapters.thresholds.scored_rows import ScoredRows, read_scored

#: The probability above which a positive is predicted, where each label is a decision of its own.
_HALF = 0.5

#: Probabilities of a row may sum to 1 up to this, as those of single precision do.
_SUM = 1e-4


class Decided(NamedTuple):
    """Decisions that follow from probabilities.

    Attributes
    ----------
    decisions : ndarray of bool, in the shape of the probabilities
        Of several classes the most probable one, and otherwise what is more probable than not.
    accuracy : float
        The share of decisions that are right.
    mean_confidence : float
        The mean probability of what was decided.
    calibration_error : float
        The expected calibration error.
    """

    decisions: Array
    accuracy: float
    mean_confidence: float
    calibration_error: float


class Probabilities(NamedTuple):
    """Probabilities beside the truth: of class 1, of several classes, or of the tasks of a matrix.

    Attributes
    ----------
    scored : ScoredRows
        Of several classes, ``exclusive``.
    labels : tuple of labels
    """

    scored: ScoredRows
    labels: tuple[Label, ...]

    def decided(self, n_bins: int) -> Decided:
        """The decisions; each class or, of a matrix, each cell of a row and a column, is one."""
        chances, truth, weight, exclusive = self.scored
        decisions = self.scored.decided(np.array(0.0 if exclusive else _HALF))
        if exclusive:
            confidence, right = chances.max(axis=1), (decisions & truth).any(axis=1)
        else:
            confidence, right = np.where(decisions, chances, 1 - chances), decisions == truth
        weight = np.ones(len(chances)) if weight is None else weight
        # Each cell of a row has the weight of the row.
        weight = np.repeat(weight, confidence[0].size)
        confidence, right = confidence.ravel(), right.ravel()
        return Decided(
            decisions,
            float(np.average(right, weights=weight)),
            float(np.average(confidence, weights=weight)),
            calibration_error(confidence, right, weight, n_bins),
        )

    def labelled(self, decisions: Array) -> Any:
        """Decisions as predictions."""
        if self.scored.exclusive:
            return [self.labels[i] for i in decisions.argmax(axis=1).tolist()]
        return self.named(decisions.astype(int))

    def named(self, cells: Array) -> Any:
        """Numbers in the shape of the truth; those of a label matrix have the names of its columns.

        Without the names, ``labels=`` of a metric would name the columns by their position.
        """
        names = list(self.labels)
        if self.scored.exclusive or cells.ndim < 2 or names == list(range(len(names))):
            return cells
        return pd.DataFrame(cells, columns=names)


def calibration_error(confidence: Array, right: Array, weight: Array, n_bins: int) -> float:
    """The expected calibration error of decisions.

    The sum over bins b of ``(weight of b / all weight) * |share right in b - mean confidence in
    b|``. The bins divide confidences from 0 to 1 into ``n_bins`` of equal width, of which each
    holds its upper end and not its lower one, but for 0 in the first.

    Parameters
    ----------
    confidence : ndarray of shape (n,)
        Between 0 and 1.
    right : ndarray of bool, of shape (n,)
    weight : ndarray of shape (n,)
    n_bins : int
    """
    number = np.digitize(confidence, np.arange(1, n_bins) / n_bins, right=True)
    gaps = np.bincount(number, weights=weight * (right - confidence), minlength=n_bins)
    return float(np.abs(gaps).sum() / weight.sum())


def are_probabilities(y_true: Any, y_pred: Any) -> bool:
    """Whether predictions are probabilities: numbers that are no labels, or one for each class."""
    y_true, y_pred = one_shape([y_true, y_pred])
    if is_matrix(y_pred) and not is_matrix(y_true):
        return True
    return read_given(y_pred, "y_pred", predicted=False).kind == "numbers"


def read_probabilities(y_true: Any, y_pred: Any, sample_weight: Any) -> Probabilities:
    """Checked probabilities: of class 1 where the classes are 0 and 1, else of all classes.

    Raises
    ------
    ValueError
        If they lie outside of [0, 1], those of a row do not sum to 1, or they do not fit the truth.
    """
    with renaming_errors({"y_score": "probabilities"}):
        scored, labels, positive = read_scored(y_true, y_pred, None)
    chances, truth = scored.scores, scored.truth
    outside = chances[(chances < 0) | (chances > 1)]
    if outside.size:
        raise ValueError(
            "predictions must be labels, or probabilities from 0 to 1; received "
            f"{outside.flat[0]:g}"
        )
    if scored.exclusive:
        _check_sums(chances)
    if scored.exclusive and set(labels) == {0, 1}:
        one = labels.index(1)
        scored = ScoredRows(chances[:, one], truth[:, one], None, exclusive=False)
    elif positive is not None and set(labels) != {0, 1}:
        # In the order of the labels.
        order = [0, 1] if positive == 1 else [1, 0]
        scored = ScoredRows(
            np.stack([1 - chances, chances], axis=1)[:, order],
            np.stack([~truth, truth], axis=1)[:, order],
            None,
            exclusive=True,
        )
    if sample_weight is not None:
        weight = read_weights(sample_weight, ("y_true", len(chances)))
        scored = scored._replace(weight=weight)
    return Probabilities(scored, labels)


def _check_sums(chances: Array) -> None:
    totals = chances.sum(axis=1)
    wrong = totals[np.abs(totals - 1) > _SUM]
    if len(wrong):
        raise ValueError(
            f"probabilities of all classes must sum to 1 in each row; received {wrong[0]:g}"
        )
