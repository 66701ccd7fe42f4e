"""Thresholds that read the probability of each group, and not the group.

The threshold of a row is the mean of those of the groups by its probabilities. Decisions of this
form are right most often among all that keep the rates of the groups, if scores and probabilities
are calibrated (Menon and Williamson, "The Cost of Fairness in Binary Classification", 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biasamp_adapters.counting import arrays
from biasamp_adapters.counting.labels import Array, Label, listing

#: Probabilities may miss their sum of 1 by so much.
_ROUNDING = 1e-6


def read_group_proba(group_proba: Any, groups: Sequence[Label], n_rows: int) -> Array:
    """Return the probabilities of groups, (rows, groups), in the order of the groups."""
    given = arrays.read_input(group_proba, "group_proba")
    names = given.names if isinstance(given, arrays.Table) else ()
    if set(names) != set(groups) and names != tuple(range(len(groups))):
        received = listing(names) or "one column"
        raise ValueError(
            f"group_proba must have the columns {listing(groups)}; received {received}"
        )
    proba = arrays.to_numbers(given.matrix(), "group_proba")
    if set(names) == set(groups):
        proba = proba[:, [names.index(group) for group in groups]]
    is_sum = np.abs(proba.sum(axis=1) - 1) <= _ROUNDING
    if len(proba) != n_rows or not is_sum.all() or proba.min(initial=0) < 0:
        raise ValueError(
            f"group_proba must have {n_rows} rows of probabilities whose sum is 1; received "
            f"{len(proba)} rows, {np.count_nonzero(~is_sum)} with another sum"
        )
    return proba


def mean_thresholds(
    score: Array, weight: Array, proba: Array, wanted: Array, slack: Array
) -> Array:
    """Return a threshold for each group, of which rows have the mean by their probabilities.

    They are the prices of a linear program: predict positive where the scores are highest, with as
    many positives expected in each group as are wanted.

    Parameters
    ----------
    score, weight : ndarray of shape (rows,)
    proba : ndarray of shape (rows, groups)
    wanted, slack : ndarray of shape (groups,)
        Weight of the positives, and by how much it may be missed.
    """
    from scipy.optimize import linprog

    expected = (weight[:, None] * proba).T
    rows, bounds = np.vstack([expected, -expected]), np.r_[wanted + slack, slack - wanted]
    solved = linprog(weight * (0.5 - score), rows, bounds, bounds=(0, 1), method="highs")
    if not solved.success:
        raise ValueError(
            "group_proba must tell the groups apart: no decisions have the wanted rate in each "
            "group. A prevalence that differs less between groups, or a tolerance, may be reached."
        )
    above, below = np.split(solved.ineqlin.marginals, 2)
    return 0.5 + below - above
