"""Where to cut scores, so that as many rows are above as should be, or so that most are right.

A row is predicted positive if its score is above the threshold. Of several classes, the one with
the highest score less its threshold is predicted.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from biasamp_adapters._typing import Array

#: A share is read as a ratio of counts of at most this many rows, if one is within rounding noise.
#: Two such ratios are at least 2**-48 apart, so at most one is.
_MAX_ROWS, _NOISE = 2**24, Fraction(1, 2**50)

#: Sums of weights are equal if they differ by less than this share of all weight.
_WEIGHT_NOISE = 1e-12

#: Most rounds over the classes in which their thresholds are fitted in turn.
_ROUNDS = 50


def lowest_positive(
    scores: Array,
    share: float,
    weight: Array | None = None,
    gain: Array | None = None,
    tolerance: float = 0.0,
) -> float:
    """The lowest score that is predicted positive; infinity if none is.

    Parameters
    ----------
    scores : array of shape (n,)
        Finite.
    share : float
        Of the rows, or of their weight, that should be positive: as nearly as ties permit, and the
        smaller share of two equally near ones.
    weight : array of shape (n,), optional
    gain : array of shape (n,), optional
        How much more is right if a row is predicted positive. Of the shares that are within the
        ``tolerance`` of the requested one, if there are any, that of the largest sum is chosen.
    tolerance : float
    """
    if weight is not None:
        kept = weight > 0
        scores, weight = scores[kept], weight[kept]
        gain = None if gain is None else gain[kept]
    distinct, which = np.unique(scores, return_inverse=True)
    positive = _from_above(np.bincount(which, weight))
    chosen = _nearest(positive, share, weighted=weight is not None)
    if gain is not None and tolerance > 0:
        total = positive[-1]
        away = np.abs(positive - total * share)
        right = _from_above(np.bincount(which, gain if weight is None else gain * weight))
        within = np.flatnonzero(away <= total * (tolerance + _WEIGHT_NOISE))
        if len(within):
            best = within[right[within] >= right[within].max() - _WEIGHT_NOISE * total]
            chosen = int(best[np.argmin(away[best])])
    return float(distinct[-chosen]) if chosen else np.inf


def _from_above(values: Array) -> Array:
    """Sums of the last 0, 1, 2, ... of the values."""
    return np.concatenate([[0], np.cumsum(values[::-1])])


def _nearest(positive: Array, share: float, *, weighted: bool) -> int:
    """How many distinct scores are above the cut whose share is nearest to the requested one."""
    target = Fraction(positive[-1].item()) * _ratio(share)
    # Exact for numbers of rows; sums of weights have rounding noise.
    noise = float(positive[-1]) * _WEIGHT_NOISE if weighted else 0.0
    most = float(target) + noise if weighted else int(target)
    chosen = int(np.searchsorted(positive, most, side="right")) - 1
    if chosen < len(positive) - 1:
        below, above = (Fraction(positive[chosen + i].item()) for i in (0, 1))
        chosen += above - target < target - below - Fraction(noise)
    return chosen


def _ratio(share: float) -> Fraction:
    """The ratio of counts that a float stands for, or the float itself if there is none."""
    exact = Fraction(share)
    simplest = exact.limit_denominator(_MAX_ROWS)
    return simplest if abs(simplest - exact) <= _NOISE else exact


def threshold(
    scores: Array,
    share: float,
    weight: Array | None = None,
    gain: Array | None = None,
    tolerance: float = 0.0,
) -> float:
    """A threshold half way between the lowest score that is predicted and the next lower one."""
    lowest = lowest_positive(scores, share, weight, gain, tolerance)
    highest = float(scores.max(initial=-np.inf, where=scores < lowest))
    if np.isinf(lowest) or np.isinf(highest):
        return highest if np.isinf(highest) else lowest
    middle = (lowest + highest) / 2
    # The middle of two neighbouring floats is one of the two.
    return middle if middle < lowest else highest


def thresholds(
    scores: Array,
    truth: Array,
    shares: Array,
    weight: Array | None,
    tolerance: float,
    *,
    exclusive: bool,
) -> Array:
    """The thresholds of labels that are decided each on its own, or of classes.

    Parameters
    ----------
    scores : array of shape (n,) or (n, K)
    truth : array of bool, of the same shape
    shares : array of shape () or (K,)
    weight : array of shape (n,), optional
    tolerance : float
    exclusive : bool
        Whether the columns are classes, of which each row has one.

    Returns
    -------
    ndarray of shape () or (K,)
    """
    if scores.ndim == 1:
        gain = np.where(truth, 1.0, -1.0)
        return np.asarray(threshold(scores, float(shares), weight, gain, tolerance))
    if exclusive:
        return _of_classes(scores, truth, shares, weight, tolerance)
    by_label = zip(scores.T, truth.T, shares, strict=True)
    return np.array(
        [thresholds(*label, weight, tolerance, exclusive=False).item() for label in by_label]
    )


def _of_classes(
    scores: Array, truth: Array, shares: Array, weight: Array | None, tolerance: float
) -> Array:
    """Thresholds of several classes, fitted to one another in turn.

    Each threshold moves the rates of the other classes, so that the rounds need not settle, above
    all with ties or a tolerance. Of all rounds, that with the smallest excess of a rate over the
    tolerance is chosen, and of several such the most accurate one.
    """
    found = np.zeros(len(shares))
    # A class that is always or never predicted has no finite threshold. This one is out of reach.
    far = 1000 * (1 + float(np.ptp(scores)))
    rows = np.arange(len(scores))
    best = _judged(found, scores, truth, shares, weight, tolerance), found.copy()
    # Rates that are first kept as they are leave the tolerance less often afterwards.
    for allowed in sorted({0.0, tolerance}):
        for _ in range(_ROUNDS):
            before = found.copy()
            for k in range(len(shares)):
                rest = scores - found
                rest[:, k] = -np.inf
                other = rest.argmax(axis=1)
                gain = truth[:, k].astype(float) - truth[rows, other]
                above = scores[:, k] - rest[rows, other]
                found[k] = np.clip(threshold(above, shares[k], weight, gain, allowed), -far, far)
            if np.array_equal(found, before):
                break
            judged = _judged(found, scores, truth, shares, weight, tolerance)
            if judged < best[0]:
                best = judged, found.copy()
    return best[1]


def _judged(
    found: Array,
    scores: Array,
    truth: Array,
    shares: Array,
    weight: Array | None,
    tolerance: float,
) -> tuple[float, float]:
    """How far a rate at these thresholds exceeds the tolerance, and the share of mistakes."""
    decided = np.eye(len(shares), dtype=bool)[(scores - found).argmax(axis=1)]
    away = np.abs(np.average(decided, axis=0, weights=weight) - shares).max()
    right = np.average((decided & truth).any(axis=1), weights=weight)
    return max(0.0, float(away) - tolerance - _WEIGHT_NOISE), 1 - float(right)
