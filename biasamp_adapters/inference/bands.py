"""Bands: intervals of several numbers that hold at once.

The numbers of one family share k, a quantile of the largest |t| of the family in each replicate.
The band of a number reaches k standard errors to both sides, and half a row more if it is a rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array, Label, name_list
from biasamp_adapters.inference.intervals import (
    FEW_ROWS,
    Estimate,
    are_enough,
    are_few,
    reason_of_number,
)

#: Smaller numbers and standard errors are rounding noise, and count as 0.
NOISE = 1e-12

#: A ratio of rates has no interval if some group has fewer positives.
FEW_POSITIVES = 5


class Numbers(NamedTuple):
    """Numbers of the data with their standard errors, which are 0 where all replicates agree."""

    values: Array
    errors: Array

    def reach(self, k: float, half_row: Array | float = 0.0) -> Array:
        """Return how far each band reaches to both sides; 0 in every replicate has no band."""
        return np.where((self.errors > 0) | (self.values != 0), k * self.errors + half_row, 0.0)

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
    has_band = np.isfinite(values) & are_enough(n_defined, n_boot, confidence)
    draws = np.vstack([values, replicates])[:, has_band]
    draws = draws[np.isfinite(draws).all(axis=1)]
    if are_enough(len(draws) - 1, 0, confidence):
        numbers = measure(draws)
        k = family_quantile([largest_t(draws, numbers)], confidence)
        reach = numbers.reach(k, np.broadcast_to(half_row, len(values))[has_band])
        low[has_band], high[has_band] = numbers.values - reach, numbers.values + reach
    return low, high


# The largest difference between groups in one rate, and the ratio of lowest to highest.


class Largest(NamedTuple):
    """The largest difference between two groups, and the ratio of lowest to highest."""

    difference: Estimate
    ratio: Estimate


def largest_gap(
    rates: Array,
    rows: Array,
    groups: Sequence[Label],
    *,
    is_rate: bool = True,
    unit: str = "rows",
    confidence: float = 0.95,
) -> Largest:
    """Return the largest difference and the ratio over groups, with intervals or reasons.

    Simultaneous bands of all pairs give the interval of the difference: from the largest lower end
    of a size (0 if all bands hold 0) to the largest upper end. The ratio gets the same on the log
    scale, with half a row added to rates and bands. Both exist only if every group has a value.

    Parameters
    ----------
    rates : ndarray of shape (1 + replicates, groups)
        The rate of each group, that of the data first. Any number if `is_rate` is False.
    rows : ndarray of shape (groups,)
        Rows in the denominators: effective rows where rows have weights, clusters where clusters
        are drawn.
    groups : sequence of labels
    is_rate : bool
        Whether the numbers are shares of rows. Others get bands without half a row, and an interval
        of the ratio only if they are above 0 in every replicate.
    unit : str
        What `rows` counts, for the reasons: "rows labelled 1", "clusters".
    confidence : float
    """
    undefined = ~np.isfinite(rates[0])
    if undefined.any():
        none = Estimate(np.nan, reason=words.NO_VALUE.format(have=_have(groups, undefined)))
        return Largest(none, none)
    draws = rates[np.isfinite(rates).all(axis=1)]
    small = are_few(rows)
    if small.any():
        reason = reason_of_few(groups, small, unit)
    else:
        reason = reason_of_number(len(draws) - 1, len(rates) - 1, confidence)
    if not reason and not measure(draws - draws[:, :1]).errors.any():
        reason = words.NO_VARIATION if len(groups) > 1 else words.ONE_GROUP_ONLY
    ratio = _ratio(draws, rows if is_rate else None, groups, confidence, reason)
    if reason:
        return Largest(Estimate(float(np.ptp(draws[0])), reason=reason), ratio)
    half_row = 0.5 / rows if is_rate else np.zeros(len(rows))
    low, high = _ends_of_largest(draws, half_row, confidence)
    high = min(high, 1.0) if is_rate else high
    return Largest(Estimate(float(np.ptp(draws[0])), low, high, ""), ratio)


def _ratio(
    draws: Array, rows: Array | None, groups: Sequence[Label], confidence: float, reason: str
) -> Estimate:
    """Return the ratio of lowest to highest; a reason for both numbers goes before its own.

    Only rates have rows.
    """
    least, most = float(draws[0].min()), float(draws[0].max())
    if most <= 0 or least < 0:
        return Estimate(np.nan, reason=words.NO_RATIO)
    half_row = np.zeros(len(groups))
    if rows is not None:
        rare = are_few(draws[0] * rows, FEW_POSITIVES)
        draws = (draws * rows + 0.5) / (rows + 1)
        half_row = 0.5 / (rows + 1) / draws[0]  # Of a logarithm.
        if rare.any() and not reason:
            reason = reason_of_few(groups, rare, words.COUNTED_ROWS, FEW_POSITIVES)
    elif (draws <= 0).any() and not reason:
        reason = words.NOT_ABOVE_0
    if reason:
        return Estimate(least / most, reason=reason)
    low, high = _ends_of_largest(np.log(draws), half_row, confidence)
    return Estimate(least / most, float(np.exp(-high)), float(np.exp(-low)), "")


def _ends_of_largest(draws: Array, half_row: Array, confidence: float) -> tuple[float, float]:
    """Return the largest lower end (at least 0) and the largest upper end of the sizes of pairs."""
    parts, largest = [], []
    for first in range(draws.shape[1] - 1):
        pairs = draws[:, first + 1 :] - draws[:, [first]]
        numbers = measure(pairs)
        parts.append([*numbers, np.maximum(half_row[first], half_row[first + 1 :])])
        largest.append(largest_t(pairs, numbers))
    values, errors, margins = np.concatenate(parts, axis=1)
    reach = Numbers(values, errors).reach(family_quantile(largest, confidence), margins)
    sizes = np.abs(values)
    return max(float((sizes - reach).max()), 0.0), float((sizes + reach).max())


def reason_of_few(groups: Sequence[Label], few: Array, unit: str, least: int = FEW_ROWS) -> str:
    """Return why groups of few rows, or of another unit, give no interval."""
    return words.FEW_OF_A_KIND.format(have=_have(groups, few), n=least, unit=unit)


def _have(groups: Sequence[Label], chosen: Array) -> str:
    """Return the names of groups and the verb that agrees with them."""
    names = list(compress(groups, chosen))
    return f"{name_list(names, groups)} {'has' if len(names) == 1 else 'have'}"
