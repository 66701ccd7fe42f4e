"""Bands: intervals of several numbers that hold at once.

The numbers of one family share k, a quantile of the largest |t| of the family in each replicate.
The band of a number reaches k standard errors to both sides, and half a row more if it is a rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.inference.intervals import are_enough

#: Smaller numbers and standard errors are rounding noise, and count as 0.
NOISE = 1e-12


class Numbers(NamedTuple):
    """Numbers of the data with their standard errors, which are 0 where all replicates agree."""

    values: Array
    errors: Array

    def reach(self, k: float, half_row: Array | float = 0.0) -> Array:
        """Return how far each band reaches to both sides; without an error it does not."""
        return np.where(self.errors > 0, k * self.errors + half_row, 0.0)

    def sides(self, k: float, half_row: Array | float = 0.0) -> Array:
        """Return 1, -1 or 0: the side of 0 on which each number clearly lies."""
        is_clear = np.abs(self.values) > self.reach(k, half_row)
        return np.where(is_clear, np.sign(self.values), 0.0)


def measure(draws: Array) -> Numbers:
    """Return numbers and their standard errors from draws: the data first, then the replicates."""
    return Numbers(without_noise(draws[0]), without_noise(draws[1:].std(axis=0)))


def without_noise(values: Array) -> Array:
    """Return values with 0.0 in place of -0.0 and of rounding noise."""
    return np.where(np.abs(values) < NOISE, 0.0, values)


def largest_t(draws: Array, numbers: Numbers) -> Array:
    """Return the largest |t| of the numbers in each replicate."""
    distances: Array = draws[1:] - draws[0]
    np.abs(distances, out=distances)
    distances /= np.where(numbers.errors > 0, numbers.errors, np.inf)
    largest: Array = distances.max(axis=1, initial=0.0)
    return largest


def family_quantile(largest: Sequence[Array], confidence: float) -> float:
    """Return k from the largest |t| of each part of a family."""
    return float(np.quantile(np.maximum.reduce(list(largest)), confidence))


def simultaneous_bands(
    values: Array, replicates: Array, half_row: Array | float = 0.0, confidence: float = 0.95
) -> tuple[Array, Array]:
    """Return both ends of bands of one family, such as differences of models from the first.

    A number that is undefined, in the data or in more than 5 % of the replicates, has no band: its
    ends are NaN.

    Parameters
    ----------
    values : ndarray of shape (m,)
    replicates : ndarray of shape (n_boot, m)
    half_row : float or ndarray of shape (m,)
        For rates, 0.5 / rows of the smallest group that is compared.
    confidence : float
        The chance that all bands hold.
    """
    low, high = np.full((2, len(values)), np.nan)
    n_boot, n_defined = len(replicates), np.isfinite(replicates).sum(axis=0)
    is_enough = [are_enough(n, n_boot, confidence) for n in n_defined.tolist()]
    has_band = np.isfinite(values) & np.array(is_enough, dtype=bool)
    draws = np.vstack([values, replicates])[:, has_band]
    draws = draws[np.isfinite(draws).all(axis=1)]
    if are_enough(len(draws) - 1, 0, confidence):
        numbers = measure(draws)
        k = family_quantile([largest_t(draws, numbers)], confidence)
        reach = numbers.reach(k, np.broadcast_to(half_row, len(values))[has_band])
        low[has_band], high[has_band] = numbers.values - reach, numbers.values + reach
    return low, high
