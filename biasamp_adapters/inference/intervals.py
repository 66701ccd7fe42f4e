"""Intervals of numbers, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array
from biasamp_adapters.counting.partition import students_factor

#: Rates of fewer rows give no interval, where they carry more than this share of the variance.
FEW_ROWS, _MAX_SHARE = 15, 0.85

#: With more undefined replicates than this share, no interval is given.
_MAX_UNDEFINED = 0.05


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, or the reason why it has none.

    Attributes
    ----------
    value : float
    low, high : float
        The ends of the interval; NaN if there is none.
    reason : str
        Why there is no interval; empty if there is one.
    """

    value: float
    low: float = np.nan
    high: float = np.nan
    reason: str = words.NOT_REQUESTED
    replicates: Any = field(default=None, repr=False, compare=False)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if np.isnan(self.low) else (self.low, self.high)

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:+z.4f}"
        return f"{self.value:+z.4f} ({self.low:+z.4f} to {self.high:+z.4f})"


class Trust(NamedTuple):
    """What is known of a score in addition to its replicates.

    Attributes
    ----------
    replicates : ndarray of shape (n_boot,)
        Replicates, moved to where they lie around the value.
    reason : str
        Why they give no interval; empty if they do.
    margin : (float, float)
        How far the interval reaches below and above them.
    noise : float
        How far the value may lie outside because of its own noise.
    limits : (float, float)
        The range of the score.
    others : ndarray, optional
        Further replicates, whose interval is covered too.
    row : float
        How far one row moves the score. By the rule of three, up to three rows of a kind that the
        data do not show may be expected in another sample (at the 95 % level).
    """

    replicates: Array
    reason: str = ""
    margin: tuple[float, float] = (0.0, 0.0)
    noise: float = 0.0
    limits: tuple[float, float] = (-np.inf, np.inf)
    others: Array | None = None
    row: float = 0.0


def are_few(rows: Any, least: int = FEW_ROWS) -> Any:
    """Return whether rows, effective rows or clusters are fewer than needed, but for rounding."""
    return rows < least * (1 - 1e-9)


def min_replicates(confidence: float) -> int:
    """Return the fewest replicates from which an interval of this level can be read."""
    return ceil(2 / (1 - confidence) - 1e-9)


def are_enough(n_defined: Any, n_boot: int, confidence: float) -> Any:
    """Return whether the replicates that are defined give an interval, also of several numbers."""
    are_most = n_boot - n_defined <= _MAX_UNDEFINED * n_boot
    return are_most & (n_defined >= min_replicates(confidence))


def reason_of_number(n_defined: int, n_boot: int, confidence: float) -> str:
    """Return why so many replicates give no interval, or an empty text."""
    if n_boot == 0:
        return words.NOT_REQUESTED
    if n_boot < min_replicates(confidence):
        fewest = min_replicates(confidence)
        return words.TOO_FEW_REPLICATES.format(level=100 * confidence, n=fewest)
    if not are_enough(n_defined, n_boot, confidence):
        return words.RARE.format(k=n_boot - n_defined, n=n_boot)
    return ""


def estimate(
    value: float, trust: Trust, confidence: float, narrower: float | None = None
) -> Estimate:
    """Return a value with its percentile interval, or the reason why there is none.

    A narrower interval is one of the same replicates, judged by the one of ``confidence``.
    """
    replicates = trust.replicates
    defined = replicates[np.isfinite(replicates)]
    reason = trust.reason
    if not np.isfinite(value):
        reason = reason or (words.UNDEFINED if np.isnan(value) else words.UNBOUNDED)
    reason = reason or reason_of_number(len(defined), len(replicates), confidence)
    if reason:
        return Estimate(value, reason=reason, replicates=replicates)
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = np.quantile(defined, tails).tolist()
    slack = trust.noise + 1e-12 * max(abs(value), 1)
    if not low - slack <= value <= high + slack:
        return Estimate(value, reason=words.SHIFTED, replicates=replicates)
    if narrower is not None:
        confidence, tails = narrower, ((1 - narrower) / 2, (1 + narrower) / 2)
        low, high = np.quantile(defined, tails).tolist()
    if trust.others is not None:
        others = np.quantile(trust.others[np.isfinite(trust.others)], tails).tolist()
        low, high = min(low, others[0]), max(high, others[1])
    (lowest, highest), (below, above) = trust.limits, trust.margin
    reach = -log(1 - confidence) * trust.row
    low, high = min(low, value - reach) - below, max(high, value + reach) + above
    return Estimate(value, max(low, lowest), min(high, highest), "", replicates)


def mean_and_spread(replicates: Array) -> tuple[float, float]:
    """Return mean and standard deviation of the replicates that are finite."""
    finite = replicates[np.isfinite(replicates)]
    if not len(finite):
        return np.nan, np.nan
    return float(finite.mean()), float(finite.std())


def widening(rows: Array) -> float:
    """Return how much wider than a bootstrap's the interval of a mean over groups has to be.

    The degrees of freedom are those of Welch and Satterthwaite, with variances of 1 / rows. Fewer
    than 15 rows count as 15: where they matter, there is no interval.
    """
    rows = np.maximum(rows[rows > 0], FEW_ROWS)
    if not len(rows):
        return 1.0
    return students_factor((1 / rows).sum() ** 2 / (1 / (rows**2 * (rows - 1))).sum())


def share_of_few_rows(rows: Array, counted: Array) -> tuple[float, Array]:
    """Return the share of the variance of a mean of rates that rates of few rows carry.

    Parameters
    ----------
    rows : ndarray
        The rows that each rate is a share of.
    counted : ndarray of bool
        Which rates take part in the mean.

    Returns
    -------
    share : float
        0 if it is small enough for an interval.
    few : ndarray of bool
        Which of the rates have few rows.
    """
    variance = np.divide(1.0, rows, out=np.zeros(counted.shape), where=counted & (rows > 0))
    few = are_few(rows) & (variance > 0)
    share = variance[few].sum()
    if share <= _MAX_SHARE * variance.sum():
        return 0.0, few
    return float(share / variance.sum()), few
