"""The gap of decisions in two steps: from labels to scores, and from scores to decisions.

Plecko and Bareinboim (NeurIPS 2024, arXiv 2405.15446) split a gap in this way; here is only the
statistical part of it. The gap of the scores is that of the mean share of each class at the scores
of each group.
"""

from __future__ import annotations

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array
from biasamp_adapters.counting.margins import divide
from biasamp_adapters.counting.variables import Codes

#: More distinct scores are put into as many bins of about equal weight.
MOST_SCORES = 20

#: The most decimals with which a threshold is written.
_MOST_DECIMALS = 17


def bin_scores(score: Array, weight: Array | None = None) -> Codes:
    """Return the score of each row as a label, or the lowest of its bin if there are too many.

    Bins are cut once, on the data, over all rows: draws do not move them.

    Parameters
    ----------
    score : ndarray of shape (rows,)
        Finite numbers.
    weight : ndarray of shape (rows,), optional

    Examples
    --------
    >>> bin_scores(np.array([3.0, 1.0, 3.0])).labels
    (1.0, 3.0)
    """
    lowest = np.unique(score)
    if len(lowest) > MOST_SCORES:
        shares = np.arange(MOST_SCORES) / MOST_SCORES
        lowest = np.unique(np.quantile(score, shares, weights=weight, method="inverted_cdf"))
    codes = np.searchsorted(lowest, score, side="right") - 1
    return Codes(tuple(lowest.tolist()), codes.astype(np.uint8))


def implied_rates(by_group: Array, by_class: Array) -> Array:
    """Return the rates that the scores imply: the mean share of a class at the scores of a group.

    In every draw, the gap of the labels, that of these rates and that of the decisions are two
    steps, whose changes add up.

    Parameters
    ----------
    by_group : ndarray of shape (draws, groups, scores)
        Rows with each score in each group.
    by_class : ndarray of shape (draws, classes, scores)
        Rows with each score in each class.

    Returns
    -------
    ndarray of shape (draws, groups, classes)
        NaN for a group without rows.

    Examples
    --------
    At a score of 1 a quarter is positive, and at 2 a half. The first group has more of the latter.

    >>> by_group = np.array([[[1.0, 3.0], [3.0, 1.0]]])
    >>> by_class = np.array([[[3.0, 2.0], [1.0, 2.0]]])
    >>> implied_rates(by_group, by_class)[0, :, 1]
    array([0.4375, 0.3125])
    """
    shares = divide(by_class, by_class.sum(axis=1, keepdims=True), 0.0)
    return divide(by_group @ shares.swapaxes(1, 2), by_group.sum(axis=2, keepdims=True))


@np.errstate(over="ignore", invalid="ignore")  # Decimals of numbers near the largest one.
def decision_rule(score: Array, is_positive: Array) -> str | None:
    """Return the threshold that decisions follow, such as "5 or more"; None if they follow none.

    Parameters
    ----------
    score : ndarray of shape (rows,)
    is_positive : ndarray of bool, shape (rows,)

    Examples
    --------
    >>> decision_rule(np.array([3.0, 5.0, 7.0]), np.array([False, True, True]))
    '5 or more'
    >>> decision_rule(np.array([0.48, 0.53]), np.array([False, True]))
    '0.5 or more'
    >>> decision_rule(np.array([3.0, 5.0, 7.0]), np.array([False, True, False]))
    """
    highest = score[~is_positive].max(initial=-np.inf)
    lowest = score[is_positive].min(initial=np.inf)
    if highest >= lowest:
        return None
    if np.isinf(lowest):
        return words.MORE_THAN.format(threshold=f"{highest:.15g}")
    for decimals in range(_MOST_DECIMALS):
        threshold = f"{np.floor(lowest * 10.0**decimals) / 10.0**decimals:.15g}"
        if highest < float(threshold) <= lowest:
            return words.OR_MORE.format(threshold=threshold)
    return words.OR_MORE.format(threshold=lowest)
