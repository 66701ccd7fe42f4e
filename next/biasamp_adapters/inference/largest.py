"""The largest difference between groups in one rate, and the ratio of lowest to highest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array, Label, name_list
from biasamp_adapters.inference import bands
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate, are_enough, min_replicates

#: A ratio of rates has no interval if some group has fewer positives.
FEW_POSITIVES = 5


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
    scale, with half a row added to rates. Both numbers exist only if every group has a value.

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
    undefined = np.flatnonzero(~np.isfinite(rates[0]))
    if len(undefined):
        none = Estimate(np.nan, reason=words.NO_VALUE.format(have=_have(groups, undefined)))
        return Largest(none, none)
    draws = rates[np.isfinite(rates).all(axis=1)]
    values = _Values(draws, rows, groups, is_rate, unit, confidence)
    reason = values.reason(len(rates) - 1)
    return Largest(values.difference(reason), values.ratio(reason or values.reason_of_ratio()))


@dataclass(frozen=True)
class _Values:
    """The numbers of all groups in the draws in which all of them exist."""

    draws: Array
    rows: Array
    groups: Sequence[Label]
    is_rate: bool
    unit: str
    confidence: float

    def difference(self, reason: str) -> Estimate:
        value = float(np.ptp(self.draws[0]))
        if reason:
            return Estimate(value, reason=reason)
        half_row = 0.5 / self.rows if self.is_rate else np.zeros(len(self.rows))
        low, high = _ends_of_largest(self.draws, half_row, self.confidence)
        return Estimate(value, low, min(high, 1.0) if self.is_rate else high, reason="")

    def ratio(self, reason: str) -> Estimate:
        least, most = float(self.draws[0].min()), float(self.draws[0].max())
        if most <= 0 or least < 0:
            return Estimate(np.nan, reason=words.NO_RATIO)
        if reason:
            return Estimate(least / most, reason=reason)
        shares = self.draws
        if self.is_rate:
            shares = (self.draws * self.rows + 0.5) / (self.rows + 1)
        low, high = _ends_of_largest(np.log(shares), np.zeros(len(self.rows)), self.confidence)
        return Estimate(least / most, float(np.exp(-high)), float(np.exp(-low)), reason="")

    def reason(self, n_boot: int) -> str:
        """Return why neither number has an interval, or an empty text."""
        small = np.flatnonzero(self.rows < FEW_ROWS * (1 - 1e-9))
        fewest, n_defined = min_replicates(self.confidence), len(self.draws) - 1
        if len(small):
            return words.FEW_OF_A_KIND.format(
                have=_have(self.groups, small), n=FEW_ROWS, unit=self.unit
            )
        if n_boot == 0:
            return words.NOT_REQUESTED
        if n_boot < fewest:
            return words.TOO_FEW_REPLICATES.format(level=100 * self.confidence, n=fewest)
        if not are_enough(n_defined, n_boot, self.confidence):
            return words.RARE.format(k=n_boot - n_defined, n=n_boot)
        if not bands.measure(self.draws - self.draws[:, :1]).errors.any():
            return words.NO_VARIATION
        return ""

    def reason_of_ratio(self) -> str:
        """Return why the ratio alone has no interval, or an empty text."""
        if not self.is_rate:
            return "" if (self.draws > 0).all() else words.NOT_ABOVE_0
        rare = np.flatnonzero(self.draws[0] * self.rows < FEW_POSITIVES * (1 - 1e-9))
        if not len(rare):
            return ""
        return words.FEW_OF_A_KIND.format(
            have=_have(self.groups, rare), n=FEW_POSITIVES, unit="positives"
        )


def _ends_of_largest(draws: Array, half_row: Array, confidence: float) -> tuple[float, float]:
    """Return the largest lower end (at least 0) and the largest upper end of the sizes of pairs."""
    values, errors, margins, largest = [], [], [], []
    for first in range(draws.shape[1] - 1):
        pairs = draws[:, first + 1 :] - draws[:, [first]]
        numbers = bands.measure(pairs)
        values.append(np.abs(numbers.values))
        errors.append(numbers.errors)
        margins.append(np.maximum(half_row[first], half_row[first + 1 :]))
        largest.append(bands.largest_t(pairs, numbers))
    sizes = bands.Numbers(np.concatenate(values), np.concatenate(errors))
    k = bands.family_quantile(largest, confidence)
    reach = sizes.reach(k, np.concatenate(margins))
    return max(float((sizes.values - reach).max()), 0.0), float((sizes.values + reach).max())


def _have(groups: Sequence[Label], places: Array) -> str:
    """Return the names of groups and the verb that agrees with them."""
    names = name_list([groups[place] for place in places])
    return f"{names} has" if len(places) == 1 else f"{names} have"
