"""Simultaneous intervals: what holds for all numbers of a family at once.

Of 400 intervals at the 95 % level that are each right by themselves, 20 miss by chance. The
largest distance of all replicates from their values, in standard deviations, says how far apart
numbers that are looked at together are by chance (max |t|).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.inference.estimates import NOT_DRAWN, Estimate
from biasamp_adapters.inference.rules import (
    INTERVAL_RULES,
    Request,
    fewest_replicates,
    first_reason,
)

#: Standard deviations that floating-point sums may have.
_ROUNDING = 1e-12

#: Numbers whose replicates are standardised at a time.
_COLUMNS = 500

#: Every replicate is the value, so nothing says how sure it is.
_CONSTANT = "every replicate gave the same value"

#: Replicates without a group say nothing of how far it is from the others.
_NOT_TOGETHER = "hardly any replicate has rows of all groups: some are in too few clusters or rows"


def simultaneous(
    values: Array,
    replicates: Array | None,
    confidence: float,
    family: int | None = None,
    *,
    widening: Array | None = None,
    groups: int | None = None,
) -> list[Estimate]:
    """Intervals that all hold at once, with the given confidence.

    Each is the value and ``c`` standard deviations of its replicates to either side. ``c`` is the
    quantile of the largest ``|replicate - value|`` over all of them, in standard deviations. Two
    numbers that always agree, such as those of two complementary classes, do not widen it.

    Parameters
    ----------
    values : array of shape (k,)
        NaN where a number is undefined.
    replicates : array of shape (n_boot, k), or None
    confidence : float
    family : int, optional
        How many numbers these were selected from, where that is more than ``k``. ``c`` is then at
        least what Bonferroni's inequality asks for with normal replicates, of which as many as
        there are tell the standard deviation.
    widening : array of shape (k,), optional
        How many times as wide as the replicates have them the intervals are to be.
    groups : int, optional
        How many groups the numbers compare in pairs. ``c`` is then at least what Tukey's
        studentized range asks for.

    Returns
    -------
    list of Estimate
        One for each value; those that are undefined or never change have a reason instead of an
        interval, and do not count for the others.

    Examples
    --------
    Ten independent numbers need wider intervals than one: 2.80 standard deviations instead of 1.96.

    >>> import numpy as np
    >>> from biasamp_adapters.inference.bands import simultaneous
    >>> replicates = np.random.default_rng(0).normal(size=(20_000, 10))
    >>> round(simultaneous(np.zeros(10), replicates, 0.95)[0].interval[1], 1)
    2.8
    """
    values = np.asarray(values, dtype=float)
    if replicates is None:
        return [Estimate(value, None, NOT_DRAWN) for value in values.tolist()]
    reasons = _no_intervals(values, replicates, confidence)
    defined = np.array([reason is None for reason in reasons], dtype=bool)
    spread, largest = np.zeros(len(values)), np.zeros(len(replicates))
    for at in np.split(np.flatnonzero(defined), range(_COLUMNS, defined.sum(), _COLUMNS)):
        drawn = np.ascontiguousarray(replicates[:, at].T)
        spread[at] = _spread(drawn)
        largest = np.fmax(largest, _largest_t(drawn - values[at, None], spread[at]))
    times = float(np.quantile(largest, confidence))
    if family is not None and family > len(values):
        from scipy.stats import t

        degrees = max(len(replicates) - 1, 1)
        times = max(times, float(t.isf((1 - confidence) / (2 * family), degrees)))
    if groups is not None:
        times = max(times, _studentized_range(groups, confidence))
    if widening is not None:
        spread = spread * widening
    return [
        Estimate(value, (value - half, value + half), None)
        if half
        else Estimate(value, None, reason or _CONSTANT)
        for value, half, reason in zip(
            values.tolist(), (times * spread).tolist(), reasons, strict=True
        )
    ]


def largest_gap(
    values: Array,
    replicates: Array | None,
    confidence: float,
    rows: Array | None = None,
) -> Estimate:
    """The largest less the smallest rate of a family of groups, with an interval.

    Which two groups differ most is seen in the data, so the interval does not take them for given.
    It is made of intervals of the differences ``d`` between all pairs of groups, from ``|d| - c s``
    to ``|d| + c s``, that hold at once: from the largest lower end, not below 0, to the largest
    upper end, not above 1.

    Parameters
    ----------
    values : array of shape (groups,)
        Rates, from 0 to 1. A group without a rate is NaN, and left out.
    replicates : array of shape (n_boot, groups), or None
    confidence : float
    rows : array of shape (groups,), optional
        Rows of equal weight behind each rate. They are read for rates that are 0 or 1 in every
        replicate, which say nothing of how uncertain they are, and allow replicates without any row
        of a group. Without ``rows``, rates of 0 or 1 count as known, and there is no interval if
        more than 5 % of the replicates of a group are undefined.

    Returns
    -------
    Estimate
        Its value is NaN with fewer than two groups that have a rate.

    Notes
    -----
    ``s`` is the standard deviation of a difference. In it no rate is more certain than the mean of
    all rates would be in as many rows, or than it is itself with one success and one failure more.
    ``c`` is the larger of the quantile of max ``|t|`` over all pairs, from the replicates, and that
    of Tukey's studentized range.

    References
    ----------
    Agresti and Caffo, "Simple and effective confidence intervals for proportions and differences of
    proportions", The American Statistician, 2000.

    Hayter, "A proof of the conjecture that the Tukey-Kramer multiple comparisons procedure is
    conservative", Annals of Statistics, 1984.

    Examples
    --------
    Three rates that are the same in the population, with standard deviations of .05. The two that
    differ most in the data differ by two of them, and the interval reaches 0.

    >>> import numpy as np
    >>> from biasamp_adapters.inference.bands import largest_gap
    >>> rates = np.array([0.45, 0.5, 0.55])
    >>> replicates = rates + np.random.default_rng(0).normal(0, 0.05, (2_000, 3))
    >>> gap = largest_gap(rates, replicates, 0.95)
    >>> round(gap.value, 2), [round(end, 1) for end in gap.interval]
    (0.1, [0.0, 0.3])
    """
    values = np.asarray(values, dtype=float)
    defined = ~np.isnan(values)
    if defined.sum() < 2:
        return Estimate(float("nan"), None, "fewer than two groups have a rate")
    rates = values[defined]
    value = float(rates.max() - rates.min())
    if replicates is None:
        return Estimate(value, None, NOT_DRAWN)
    drawn = replicates[:, defined]
    # Where rows are known, replicates without any of a group are no loss: they make up for it.
    reasons = _no_intervals(rates, drawn, confidence, skip_undefined=rows is not None)
    if reason := next(filter(None, reasons), None):
        return Estimate(value, None, reason)
    present = np.isfinite(drawn).astype(float)
    if (present.T @ present).min() < 2:
        return Estimate(value, None, _NOT_TOGETHER)
    lacking = _lacking_variance(rates, drawn, None if rows is None else np.asarray(rows)[defined])
    distance, spread, largest = _of_pairs(rates, drawn, lacking)
    times = max(float(np.quantile(largest, confidence)), _studentized_range(len(rates), confidence))
    half = times * spread
    low, high = float((distance - half).max()), float((distance + half).max())
    return Estimate(value, (max(low, 0.0), min(high, 1.0)), None)


def _no_intervals(
    values: Array, replicates: Array, confidence: float, *, skip_undefined: bool = False
) -> list[str | None]:
    """For each number the reason why its replicates allow no interval, or None."""
    reasons: list[str | None] = []
    for start in range(0, len(values), _COLUMNS):
        at = slice(start, start + _COLUMNS)
        reasons += _of_some(values[at], replicates[:, at], confidence, skip_undefined)
    return reasons


def _of_some(
    values: Array, replicates: Array, confidence: float, skip_undefined: bool
) -> Iterator[str | None]:
    """The same of a few numbers; the rules are asked where they are not plainly kept."""
    tail, enough = (1 - confidence) / 2, len(replicates) >= fewest_replicates(confidence)
    plain = np.asarray(np.isfinite(replicates).all(axis=0) & enough)
    if plain.any():
        ends = np.quantile(replicates[:, plain], [tail, 1 - tail], axis=0)
        plain[plain] = (ends[0] <= values[plain]) & (values[plain] <= ends[1])
    for value, drawn, is_plain in zip(values.tolist(), replicates.T, plain.tolist(), strict=True):
        if is_plain:
            yield None
            continue
        drawn = drawn[np.isfinite(drawn)] if skip_undefined else drawn
        yield first_reason(INTERVAL_RULES, Request(value, drawn, confidence, confidence, 0.0))


def _spread(replicates: Array) -> Array:
    """Standard deviation of the defined replicates of each number; 0 for rounding.

    Numbers are rows, here and below.
    """
    centred = replicates - replicates.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", centred, centred) / replicates.shape[1])
    if np.isnan(spread).any():
        spread = np.nanstd(replicates, axis=1)
    return np.where(spread > _ROUNDING, spread, 0.0)


def _largest_t(errors: Array, spread: Array) -> Array:
    """The largest error of each replicate in standard deviations, of those that vary at all.

    Errors are overwritten.
    """
    errors *= np.divide(1.0, spread, out=np.zeros(len(spread)), where=spread > 0)[:, None]
    return np.asarray(np.fmax.reduce(np.abs(errors, out=errors), axis=0, initial=0))


def _lacking_variance(rates: Array, replicates: Array, rows: Array | None) -> Array:
    """What the variance of each rate lacks of that of the mean of all rates.

    A rate near 0 or 1 seems more certain than it is, above all where it is so by chance. So each
    variance is at least that of the mean rate, and of the rate with one success and one failure
    more (Agresti and Caffo). rate (1 - rate) / variance tells how many rows a rate is worth.
    """
    variance, of_one_row = _spread(replicates.T) ** 2, rates * (1 - rates)
    varies = (variance > 0) & (of_one_row > 0)
    worth = np.zeros(len(rates)) if rows is None else np.array(rows, dtype=float)
    worth[varies] = of_one_row[varies] / variance[varies]
    if not worth.any():
        return np.zeros(len(rates))
    mean = worth @ rates / worth.sum()
    more = (worth * rates + 1) / (worth + 2)
    of_one_row = np.maximum(mean * (1 - mean), more * (1 - more))
    least = np.divide(of_one_row, worth, out=np.zeros(len(rates)), where=worth > 0)
    return np.asarray(np.maximum(least - variance, 0))


def _of_pairs(rates: Array, replicates: Array, lacking: Array) -> tuple[Array, Array, Array]:
    """What is read of all pairs of groups.

    Returns
    -------
    distance, spread : arrays of shape (pairs,)
        How far apart their rates are, and the standard deviation of that.
    largest : array of shape (n_boot,)
        The largest error of each replicate in such standard deviations.
    """
    errors = np.ascontiguousarray((replicates - rates).T)
    first, second = np.triu_indices(len(rates), 1)
    variance = _variance_of_differences(errors)[first, second]
    spread = np.sqrt(variance + lacking[second] + lacking[first])
    # One group at a time with all later ones, as the errors of all pairs take too much memory.
    largest = [
        _largest_t(errors[i + 1 :] - errors[i], spread[first == i]) for i in range(len(rates) - 1)
    ]
    return np.abs(rates[second] - rates[first]), spread, np.max(largest, axis=0)


def _variance_of_differences(errors: Array) -> Array:
    """Of each pair of rows, over the replicates in which both are defined."""
    present = np.isfinite(errors)
    centred = np.where(present, errors - np.nanmean(errors, axis=1, keepdims=True), 0.0)
    here = present.astype(float)
    n, sums, squares = here @ here.T, centred @ here.T, centred**2 @ here.T
    squares = (squares + squares.T) / n
    variance = squares - 2 * (centred @ centred.T) / n - ((sums - sums.T) / n) ** 2
    # Equal rows differ by what products round.
    return np.where(variance > _ROUNDING * squares, variance, 0.0)


@cache
def _studentized_range(n_groups: int, confidence: float) -> float:
    """How many standard deviations apart two of independent groups are by chance, at most."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(confidence, n_groups, np.inf) / np.sqrt(2))
