"""The margin for ties: how much a choice among classes that may be tied gains."""

from __future__ import annotations

import numpy as np

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.counting.margins import divide
from biasamp_adapters.metrics.quality import BALANCED, HARD_LOSS, Quality

#: The mean of the larger of two numbers that are tied is so many standard errors above both.
_GAIN = 0.4

#: Shares of two classes may be tied if they differ by less standard errors, and are clearly not if
#: they differ by more.
_TIED, _CLEAR = 2.0, 3.0


def tie_margin(
    name: str,
    quality: Quality,
    *,
    is_absolute: bool,
    levels: tuple[float, float],
    gains: tuple[float, float],
) -> tuple[float, float]:
    """Return how far choices among ties may have raised and lowered a score.

    Parameters
    ----------
    name : {"value", "psi_dataset", "psi_model"}
    levels, gains : (float, float)
        The levels of dataset and model, and the most that choices among ties gain in each.
    """
    (data, model), (gain_of_data, gain_of_model) = levels, gains
    scale = 1.0
    if quality.inverse:  # Gains are those of the accuracy, 1 - loss / 100.
        data, model = 1 / (HARD_LOSS * data), 1 / (HARD_LOSS * model)
        scale = 1 / (HARD_LOSS * (data if name == "psi_dataset" else model) ** 2 or 1.0)
    if name == "psi_dataset":
        return gain_of_data * scale, 0.0
    if name == "psi_model":
        return gain_of_model * scale, 0.0
    if is_absolute:
        return gain_of_model * scale, gain_of_data * scale
    total = (data + model) ** 2 or 1.0
    return 2 * data * gain_of_model / total, 2 * model * gain_of_data / total


def mean_gain(quality: Quality, table: Array, n_rows: float) -> float:
    """Return the most that choices among ties gain, averaged over tables."""
    if table.shape[-1] == 1:
        return 0.0
    gap, error, weight = _lead(table, n_rows, is_balanced=quality.name == BALANCED)
    gains = np.where(gap < _TIED * error, _GAIN * error * weight, 0.0)
    return float(gains.sum(axis=-1).mean())


def has_clear_winners(quality: Quality, table: Array, n_rows: float) -> bool:
    """Return whether the two likeliest guesses of each input differ by three standard errors."""
    if table.shape[-1] == 1:
        return True
    gap, error, _ = _lead(table, n_rows, is_balanced=quality.name == BALANCED)
    return bool((gap >= _CLEAR * error).all())


def _lead(table: Array, n_rows: float, *, is_balanced: bool) -> tuple[Array, Array, Array]:
    """Return how far the best guess of each input leads, its standard error, and its weight.

    For balanced accuracy, the best guess is the class that has the input most often.
    """
    axis = -2 if is_balanced else -1
    total = table.sum(axis=axis, keepdims=True)
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
