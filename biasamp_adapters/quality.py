"""Qualities, which score an attacker, with closed forms for the exact attacker.

The exact attacker knows the table of input against target. Each function below gives its best
possible score, for a batch of tables of shape (..., inputs, targets).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from biasamp_adapters._typing import Array, check_choice

#: A smaller G statistic is a rounding error.
_NO_G = 1e-9

#: Scores with a smaller relative difference are equal.
_ROUNDING = 1e-12

#: Floats cannot represent the inverse of a smaller share.
_NO_SHARE = 1e-300

#: Pseudo-count of the leave-one-out log loss: without it singletons would score minus infinity.
_LOO_ALPHA = 0.5

#: Log loss of a wrong guess: PyTorch and the package of [T25] limit -log(0) to this.
HARD_LOSS = 100.0

#: Qualities that are functions of the share of right guesses.
OF_GUESSES = ("accuracy", "hard_inverse_cross_entropy")

#: The quality whose attacker treats all classes as if they were of equal size.
BALANCED = "balanced_accuracy"


@dataclass(frozen=True)
class Quality:
    """A quality Q of an attacker: higher is more predictable, and 0 is the lowest.

    Attributes
    ----------
    name : str
    score : callable
        A function of tables of shape (..., inputs, targets) and of the numeric values of the
        targets. It returns scores of shape (...).
    inverse : bool
        Whether the score is a loss L, and the quality is 1 / L.
    """

    name: str
    score: Callable[[Array, Array | None], Array]
    inverse: bool = False

    def level(self, score: Array) -> Array:
        """Psi, the quality of a score; infinite if a loss is 0."""
        if not self.inverse:
            return score
        return _ratio(1, score, np.inf)

    def absolute_change(self, dataset: Array, model: Array) -> Array:
        """Psi_M - Psi_D from scores; 0 if both are infinite."""
        before, after = self.level(dataset), self.level(model)
        both = np.isinf(before) & np.isinf(after)
        return np.where(both, 0, after) - np.where(both, 0, before)

    def relative_change(self, dataset: Array, model: Array) -> Array:
        """(Psi_M - Psi_D) / (Psi_M + Psi_D) from scores; 0 where both are 0. [T25] Eq. 5-6.

        For an inverse loss this is (L_D - L_M) / (L_D + L_M), which needs no clipping.
        """
        gain = dataset - model if self.inverse else model - dataset
        return _ratio(gain, dataset + model, 0)

    def compare(
        self, dataset: Array, model: Array, absolute: Array | bool = False, *, exact: bool = False
    ) -> dict[str, Array]:
        """The absolute or relative change and both levels, from scores.

        Unless ``exact``, scores that differ only by rounding are treated as equal.
        """
        if not exact:
            near = np.abs(model - dataset) <= _ROUNDING * np.maximum(np.abs(model), np.abs(dataset))
            model = np.where(near, dataset, model)
        changes = self.absolute_change(dataset, model), self.relative_change(dataset, model)
        levels = {"psi_dataset": self.level(dataset), "psi_model": self.level(model)}
        return {"value": np.where(absolute, *changes), **levels}


def _ratio(
    numerator: Array | float, denominator: Array, otherwise: float, least: Array | float = 0
) -> Array:
    """The quotient if the denominator exceeds ``least``, else ``otherwise``."""
    shape = np.broadcast(numerator, denominator).shape
    quotient = np.full(shape, otherwise, dtype=np.float64)
    return np.divide(numerator, denominator, out=quotient, where=denominator > least)


def _mean(sums: Array, table: Array) -> Array:
    """Sums over a table, divided by its number of rows; NaN for a draw without rows."""
    return _ratio(sums, table.sum(axis=(-2, -1)), np.nan)


def _accuracy(table: Array, values: Array | None) -> Array:
    return _mean(table.max(axis=-1).sum(axis=-1), table)


def _hard_cross_entropy(table: Array, values: Array | None) -> Array:
    wrong = table.sum(axis=-1) - table.max(axis=-1)
    return HARD_LOSS * _mean(wrong.sum(axis=-1), table)


def _balanced_accuracy(table: Array, values: Array | None) -> Array:
    truth = table.sum(axis=-2)
    recall = _ratio(table, truth[..., None, :], 0).max(axis=-1)
    return _ratio(recall.sum(axis=-1), (truth > 0).sum(axis=-1), np.nan)


def _f1_macro(table: Array, values: Array | None) -> Array:
    row = table.sum(axis=-1, keepdims=True)
    best = table.max(axis=-1, keepdims=True)
    chosen = (table >= best * (1 - 1e-12)) & (row > 0)
    share = chosen / np.maximum(chosen.sum(axis=-1, keepdims=True), 1)
    hit = (table * share).sum(axis=-2)
    truth = table.sum(axis=-2)
    predicted = (row * share).sum(axis=-2)
    f1 = np.where(truth > 0, _ratio(2 * hit, truth + predicted, 0), 0)
    return _ratio(f1.sum(axis=-1), (truth > 0).sum(axis=-1), np.nan)


def cross_entropy(table: Array, values: Array | None = None) -> Array:
    """H(target | input) in nats: the log loss of the exact attacker."""
    row = table.sum(axis=-1, keepdims=True)
    # A share whose inverse cannot be represented adds nothing to the loss.
    ratio = _ratio(row, table, 1, least=row * _NO_SHARE)
    return _mean((table * np.log(ratio)).sum(axis=(-2, -1)), table)


def loo_cross_entropy(table: Array) -> Array:
    """Leave-one-out log loss of the attacker that adds half a row to each class present."""
    row = table.sum(axis=-1, keepdims=True)
    classes = (table.sum(axis=-2, keepdims=True) > 0).sum(axis=-1, keepdims=True)
    left = np.maximum(table - 1, 0) + _LOO_ALPHA
    ratio = (np.maximum(row - 1, 0) + _LOO_ALPHA * classes) / left
    return _mean((table * np.log(ratio)).sum(axis=(-2, -1)), table)


def _rmse(table: Array, values: Array | None) -> Array:
    if values is None:
        raise ValueError("inverse_rmse needs a numeric target; received labels without a value")
    share = _ratio(table, table.sum(axis=-1, keepdims=True), 0)
    mean = (share * values).sum(axis=-1, keepdims=True)
    return np.sqrt(_mean((table * (values - mean) ** 2).sum(axis=(-2, -1)), table))


def entropy(table: Array) -> Array:
    """H(target) in nats."""
    return cross_entropy(table.sum(axis=-2, keepdims=True))


def _uncertainty_coefficient(table: Array, values: Array | None) -> Array:
    return uncertainty_coefficient(entropy(table), cross_entropy(table))


def uncertainty_coefficient(entropy: Array, cross_entropy: Array) -> Array:
    """Theil's U, the share of H(target) that the input tells; 0 where H(target) is 0."""
    return _ratio(np.maximum(entropy - cross_entropy, 0), entropy, 0)


class Dependence(NamedTuple):
    """What shows whether tables of shape (trials, ..., inputs, targets) have a dependence.

    Attributes
    ----------
    entropy, cross_entropy : arrays of shape (trials, ...)
        H(target) and H(target | input).
    inputs, targets : arrays of bool, shape (trials, ..., inputs) and (trials, ..., targets)
        Which labels occur.
    """

    entropy: Array
    cross_entropy: Array
    inputs: Array
    targets: Array

    @classmethod
    def of(cls, tables: Array) -> Self:
        """That of tables of which all trials are known."""
        return cls(*(part(tables) for part in DEPENDENCE.values()))

    def g_statistic(self, n_rows: float) -> tuple[Array, Array]:
        """G = 2 n H(T) U, averaged over trials, and its degrees of freedom."""
        g = 2 * n_rows * (self.entropy - self.cross_entropy).mean(axis=0)
        inputs, targets = (occur.any(axis=0).sum(axis=-1) for occur in (self.inputs, self.targets))
        return g, (inputs - 1) * (targets - 1)


def _occurring_inputs(tables: Array) -> Array:
    return np.asarray(tables.sum(axis=-1) > 0)


def _occurring_targets(tables: Array) -> Array:
    return np.asarray(tables.sum(axis=-2) > 0)


#: The parts of a :class:`Dependence` as functions of tables, in their order.
DEPENDENCE: dict[str, Callable[[Array], Array]] = {
    "entropy": entropy,
    "cross_entropy": cross_entropy,
    "inputs": _occurring_inputs,
    "targets": _occurring_targets,
}


def is_dependent(dependence: Dependence, n_rows: float) -> Array:
    """Whether G exceeds the 95 % quantile of chi-square; ``n_rows`` are effective rows."""
    from scipy.stats import chi2

    g, degrees = dependence.g_statistic(n_rows)
    # Many rows magnify the rounding of the entropies.
    rounding = 2 * n_rows * 8 * np.finfo(float).eps * dependence.entropy.mean(axis=0)
    return (degrees > 0) & (g > chi2.ppf(0.95, np.maximum(degrees, 1)) + rounding)


def chance_share(dataset: Dependence, model: Dependence, n_rows: float) -> Array:
    """Share of the dependence in two tables that is expected under independence.

    Under independence, G is about its degrees of freedom. The share is the sum of the degrees of
    freedom over the sum of both G, which is about the share by which the ratio of two U is too
    small. It is at most 1, and 1 without any dependence.
    """
    g_dataset, degrees_dataset = dataset.g_statistic(n_rows)
    g_model, degrees_model = model.g_statistic(n_rows)
    share = _ratio(degrees_dataset + degrees_model, g_dataset + g_model, 1, least=_NO_G)
    return np.minimum(share, 1)


_QUALITIES = {
    quality.name: quality
    for quality in (
        Quality("accuracy", _accuracy),
        Quality(BALANCED, _balanced_accuracy),
        Quality("f1_macro", _f1_macro),
        Quality("inverse_cross_entropy", cross_entropy, inverse=True),
        Quality("hard_inverse_cross_entropy", _hard_cross_entropy, inverse=True),
        Quality("inverse_rmse", _rmse, inverse=True),
        Quality("uncertainty_coefficient", _uncertainty_coefficient),
    )
}


def quality_names() -> list[str]:
    """Names that ``quality=`` takes.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from biasamp_adapters.quality import quality_names
    >>> "inverse_cross_entropy" in quality_names()
    True
    """
    return list(_QUALITIES)


def get_quality(name: str) -> Quality:
    """The quality called ``name``.

    Parameters
    ----------
    name : str
        One of :func:`quality_names`.

    Returns
    -------
    Quality

    Raises
    ------
    ValueError
        If there is no such quality.

    Examples
    --------
    >>> import numpy as np
    >>> from biasamp_adapters import get_quality
    >>> table = np.array([[30, 20], [20, 30]])
    >>> float(get_quality("accuracy").score(table, None))
    0.6
    """
    check_choice("quality", name, _QUALITIES)
    return _QUALITIES[name]
