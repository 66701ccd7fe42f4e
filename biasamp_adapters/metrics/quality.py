"""Qualities: the best score of an attacker that knows the table of what it sees and guesses.

Each is a function of tables (..., inputs, targets) and of the numbers that the targets stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtri

from biasamp_adapters.counting.labels import Array, Label, listing
from biasamp_adapters.counting.margins import divide

#: Log loss of a wrong guess that was certain, as PyTorch cuts it off.
HARD_LOSS = 100.0

#: The mean of the larger of two numbers that are tied is so many standard errors above both.
_GAIN = 0.4

#: Shares of two classes may be tied if they differ by fewer standard errors, and are clearly not if
#: they differ by more.
_TIED, _CLEAR = 2.0, 3.0

#: The quality that is 0 without a dependence.
UNCERTAINTY = "uncertainty_coefficient"

#: The quality of which each class counts alike, and the default one of DPA.
BALANCED, LOSS = "balanced_accuracy", "inverse_cross_entropy"

_INF = float("inf")


@dataclass(frozen=True)
class Quality:
    """A quality of an attacker: higher is more predictable.

    Attributes
    ----------
    name : str
    score : callable
        A function of tables and values.
    inverse : bool
        Whether the score is a loss L, and the quality 1 / L.
    guesses : bool
        Whether the attacker names one class, and so chooses among ties.
    lowest, highest : float
        The range of the quality.
    """

    name: str
    score: Callable[[Array, Array | None], Array]
    inverse: bool = False
    guesses: bool = False
    lowest: float = 0.0
    highest: float = 1.0

    def level(self, score: Array) -> Array:
        """Return Psi, which is infinite if a loss is 0."""
        return divide(np.ones(1), score, np.inf) if self.inverse else score

    def compare(self, dataset: Array, model: Array, is_difference: Any) -> dict[str, Array]:
        """Return the change and both levels, from scores; differences by rounding are none."""
        is_near = np.abs(model - dataset) <= 1e-12 * np.maximum(np.abs(model), np.abs(dataset))
        model = np.where(is_near, dataset, model)
        before, after = self.level(dataset), self.level(model)
        with np.errstate(invalid="ignore"):  # Of two infinite levels, the difference is 0.
            difference = np.where(before == after, 0.0, after - before)
        value = np.where(is_difference, difference, self._relative(dataset, model))
        return {"value": value, "psi_dataset": before, "psi_model": after}

    def _relative(self, dataset: Array, model: Array) -> Array:
        """Return (Psi_M - Psi_D) / (Psi_M + Psi_D); of losses (L_D - L_M) / (L_D + L_M)."""
        if self.inverse:
            return divide(dataset - model, dataset + model, 0.0)
        relative = divide(model - dataset, dataset + model, 0.0)
        is_negative = (np.minimum(dataset, model) < 0) & (dataset != model)
        return np.where(is_negative | np.isnan(dataset) | np.isnan(model), np.nan, relative)

    def values_of(self, labels: Sequence[Label], positive: Label | None) -> Array | None:
        """Return the numbers that targets stand for, or 1 for the class whose F1 is asked for."""
        if self.name == "f1":
            if positive is None:
                return None
            return np.array([*(label == positive for label in labels), False], dtype=float)
        try:
            return np.array(labels, dtype=np.float64)
        except (TypeError, ValueError):
            if self.name not in OF_NUMBERS:
                return None
            rule = f"quality={self.name!r} needs a target of numbers"
            raise ValueError(f"{rule}; received {labels[0]!r}") from None

    # Ties: how much a choice among classes that may be tied gains.

    def tie_margin(
        self, name: str, levels: Sequence[float], gains: Sequence[float], is_absolute: bool
    ) -> tuple[float, float]:
        """Return how far choices among ties may have raised and lowered a score.

        Parameters
        ----------
        name : {"value", "psi_dataset", "psi_model"}
        levels, gains : (float, float)
            The levels of dataset and model, and the most that choices among ties gain in each.
        """
        scores = self.level(np.array(levels))  # A loss is 1 / level.
        lost = -HARD_LOSS * np.array(gains) if self.inverse else np.array(gains)
        # As they are, without the gain of the dataset, and without that of the model.
        dataset, model = scores[:, None] - lost[:, None] * [[0, 1, 0], [0, 0, 1]]
        numbers = self.compare(dataset, model, is_absolute)[name]
        with np.errstate(invalid="ignore"):  # Infinite levels have no interval.
            changes = numbers[0] - numbers[1:]
        return float(changes.clip(min=0).sum()), float(-changes.clip(max=0).sum())

    def mean_gain(self, table: Array, n_rows: float) -> float:
        """Return the most that choices among ties gain, averaged over tables."""
        gap, error, weight = self._lead(table, n_rows)
        gains = np.where(gap < _TIED * error, _GAIN * error * weight, 0.0)
        return float(gains.sum(axis=-1).mean())

    def has_clear_winners(self, table: Array, n_rows: float, axis: int) -> bool:
        """Return whether the two likeliest guesses of each input differ by three standard errors.

        The rule is for accuracy, and for balanced accuracy where inputs (axis -2) are flipped.
        """
        if self.name != "accuracy" and (self.name, axis) != (BALANCED, -2):
            return False
        gap, error, _ = self._lead(table, n_rows)
        return bool((gap >= _CLEAR * error).all())

    def _lead(self, table: Array, n_rows: float) -> tuple[Array, Array, Array]:
        """Return how far the best guess of each input leads, its standard error, and its weight.

        For balanced accuracy, the best guess is the class that has the input most often.
        """
        if table.shape[-1] == 1:  # A single class wins for certain.
            weight = np.ones(table.shape[:-1])
            return weight, 0 * weight, weight
        is_balanced = self.name == BALANCED
        total = table.sum(axis=-2 if is_balanced else -1, keepdims=True)
        share = divide(table, total, 0.0)
        size = divide(total, table.sum(axis=(-2, -1), keepdims=True), 0.0)
        order = np.argsort(share, axis=-1)[..., -2:]
        second, first = np.moveaxis(np.take_along_axis(share, order, axis=-1), -1, 0)
        gap = first - second
        if not is_balanced:
            weight = size[..., 0]
            return gap, np.sqrt(divide(first + second - gap**2, n_rows * weight, 0.0)), weight
        variance = divide(share * (1 - share), n_rows * size, 0.0)
        error = np.sqrt(np.take_along_axis(variance, order, axis=-1).sum(axis=-1))
        n_classes = np.maximum((total > 0).sum(axis=-1), 1)
        return gap, error, np.broadcast_to(1 / n_classes, gap.shape)


def _share(sums: Array, table: Array) -> Array:
    return divide(sums, table.sum(axis=(-2, -1)))


def accuracy(table: Array, values: Any = None) -> Array:
    """Return the share of right guesses of the most frequent class of each input."""
    return _share(table.max(axis=-1).sum(axis=-1), table)


def hard_cross_entropy(table: Array, values: Any = None) -> Array:
    """Return the mean loss if each wrong guess costs 100."""
    return HARD_LOSS * _share((table.sum(axis=-1) - table.max(axis=-1)).sum(axis=-1), table)


def balanced_accuracy(table: Array, values: Any = None) -> Array:
    """Return the mean recall if each input is guessed to be the class that has it most often."""
    truth = table.sum(axis=-2)
    share = divide(table, truth[..., None, :], 0.0)
    return divide(share.max(axis=-1).sum(axis=-1), (truth > 0).sum(axis=-1))


def f1_macro(table: Array, values: Any = None) -> Array:
    """Return the mean F1 of guesses of the most frequent class; no best guess is known."""
    row, truth = table.sum(axis=-1, keepdims=True), table.sum(axis=-2)
    is_chosen = (table >= table.max(axis=-1, keepdims=True) * (1 - 1e-12)) & (row > 0)
    share = is_chosen / np.maximum(is_chosen.sum(axis=-1, keepdims=True), 1)
    hits, guesses = (table * share).sum(axis=-2), (row * share).sum(axis=-2)
    scores = np.where(truth > 0, divide(2 * hits, truth + guesses, 0.0), 0)
    return divide(scores.sum(axis=-1), (truth > 0).sum(axis=-1))


def f1(table: Array, values: Any = None) -> Array:
    """Return the F1 of each class at its best cut of the inputs, by its share in them."""
    truth = table.sum(axis=-2)
    row = np.broadcast_to(table.sum(axis=-1, keepdims=True), table.shape)
    order = np.argsort(-divide(table, row, 0.0), axis=-2, kind="stable")
    hits, guesses = (np.take_along_axis(x, order, axis=-2).cumsum(axis=-2) for x in (table, row))
    best = divide(2 * hits, truth[..., None, :] + guesses, 0.0).max(axis=-2)
    if values is not None:
        return (best * values[: best.shape[-1]]).sum(axis=-1)
    return divide(np.where(truth > 0, best, 0).sum(axis=-1), (truth > 0).sum(axis=-1))


def cross_entropy(table: Array, values: Any = None) -> Array:
    """Return H(target | input) in nats."""
    row = table.sum(axis=-1, keepdims=True)
    ratio = np.divide(row, table, out=np.ones(table.shape), where=table > row * 1e-300)
    return _share((table * np.log(ratio)).sum(axis=(-2, -1)), table)


def one_minus_cross_entropy(table: Array, values: Any = None) -> Array:
    """Return 1 - H(target | input), which is below 0 where H, in nats, is above 1."""
    return 1 - cross_entropy(table)


def leave_one_out(table: Array, values: Any = None) -> Array:
    """Return the log loss on each row of a table without it, with half a row for each class."""
    row = table.sum(axis=-1, keepdims=True)
    classes = (table.sum(axis=-2, keepdims=True) > 0).sum(axis=-1, keepdims=True)
    ratio = (np.maximum(row - 1, 0) + 0.5 * classes) / (np.maximum(table - 1, 0) + 0.5)
    return _share((table * np.log(ratio)).sum(axis=(-2, -1)), table)


def entropy(table: Array) -> Array:
    """Return H(target) in nats."""
    return cross_entropy(table.sum(axis=-2, keepdims=True))


def uncertainty_coefficient(table: Array, values: Any = None) -> Array:
    """Return Theil's U: the share of H(target) that the input explains."""
    whole = entropy(table)
    return divide(np.maximum(whole - cross_entropy(table), 0), whole, 0.0)


def mean_squared_error(table: Array, values: Any = None) -> Array:
    """Return the squared error if each input is guessed to have its mean number."""
    share = divide(table, table.sum(axis=-1, keepdims=True), 0.0)
    mean = (share * values).sum(axis=-1, keepdims=True)
    return _share((table * (values - mean) ** 2).sum(axis=(-2, -1)), table)


def root_mean_squared_error(table: Array, values: Any = None) -> Array:
    """Return the root of the mean squared error."""
    return mean_squared_error(table, values) ** 0.5


_ALL_QUALITIES = (
    Quality("accuracy", accuracy, guesses=True),
    Quality(BALANCED, balanced_accuracy, guesses=True),
    Quality("f1_macro", f1_macro),
    Quality("f1", f1),
    Quality(LOSS, cross_entropy, inverse=True, highest=_INF),
    Quality("hard_inverse_cross_entropy", hard_cross_entropy, True, True, highest=_INF),
    Quality("one_minus_cross_entropy", one_minus_cross_entropy, lowest=-_INF),
    Quality(UNCERTAINTY, uncertainty_coefficient),
    Quality("inverse_mse", mean_squared_error, inverse=True, highest=_INF),
    Quality("inverse_rmse", root_mean_squared_error, inverse=True, highest=_INF),
)

QUALITIES = {quality.name: quality for quality in _ALL_QUALITIES}

#: The quality of evaluation="loo".
LEAVE_ONE_OUT = Quality("leave-one-out", leave_one_out, inverse=True, highest=_INF)

#: Qualities of predicted numbers, and of answers that are probabilities.
OF_NUMBERS = ("inverse_mse", "inverse_rmse")
OF_PROBABILITIES = ("inverse_cross_entropy", "one_minus_cross_entropy", "uncertainty_coefficient")

#: Qualities that rest on no guess of one class, which another sample may turn round.
SMOOTH = (*OF_NUMBERS, *OF_PROBABILITIES)


def get_quality(quality: Any, *, is_fitted: bool = False) -> Quality:
    """Return the quality of a name, or that of a function of tables and values.

    A fitted attacker may have any other one of guesses, which scores no table.
    """
    if isinstance(quality, str) and quality in QUALITIES:
        return QUALITIES[quality]
    if is_fitted and (callable(quality) or isinstance(quality, str)):
        return Quality(name_of(quality), _without_table, lowest=-_INF, highest=_INF)
    if not callable(quality):
        raise ValueError(f"quality must be one of {list(QUALITIES)}; received {listing([quality])}")
    try:
        shape = np.shape(quality(np.ones((3, 2, 2)), np.array([0.0, 1.0])))
    except (TypeError, ValueError):
        shape = None
    if shape != (3,):
        rule = "a function as quality maps tables (..., inputs, targets) and numbers to (...)"
        result = "an error" if shape is None else shape
        remedy = "One of labels and guesses, such as f1_score, needs attacker='logistic'"
        raise ValueError(f"{rule}; received one that returns {result}. {remedy}")
    return Quality(name_of(quality), quality, lowest=-_INF, highest=_INF)


def name_of(quality: Any) -> str:
    """Return the name of a quality; of a functools.partial that of its function."""
    function = getattr(quality, "func", quality)
    return str(getattr(function, "__name__", function))


def _without_table(table: Array, values: Any = None) -> Array:
    """Return NaN, the score of tables by a quality of guesses that were made."""
    return np.full(table.shape[:-2], np.nan)


# Dependence, of tables (trials, ..., inputs, targets).


def g_statistic(tables: Array, n_rows: float) -> tuple[Array, Array]:
    """Return G = 2 n H(T) U, averaged over trials, and its degrees of freedom."""
    g = 2 * n_rows * (entropy(tables) - cross_entropy(tables)).mean(axis=0)
    inputs = (tables.sum(axis=-1) > 0).any(axis=0).sum(axis=-1)
    targets = (tables.sum(axis=-2) > 0).any(axis=0).sum(axis=-1)
    return g, (inputs - 1) * (targets - 1)


def is_dependent(tables: Array, n_rows: float) -> Array:
    """Return whether G exceeds the 95 % quantile of chi-square."""
    g, degrees = g_statistic(tables, n_rows)
    return (degrees > 0) & (g > chdtri(np.maximum(degrees, 1), 0.05) + 1e-9)


def chance_share(dataset: Array, model: Array, n_rows: float) -> Array:
    """Return the share of the dependence in both tables that independence would give."""
    g_dataset, degrees_dataset = g_statistic(dataset, n_rows)
    g_model, degrees_model = g_statistic(model, n_rows)
    total = g_dataset + g_model
    total = np.where(total > 1e-9, total, 0)
    return np.minimum(divide(degrees_dataset + degrees_model, total, 1.0), 1)
