"""Balanced subsets of data and subsets within a ratio: the training sets that papers compare."""

from __future__ import annotations

from itertools import compress, permutations
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, vstack

from biasamp_adapters import words
from biasamp_adapters.counting.counts import read_rows
from biasamp_adapters.counting.labels import ATTRIBUTE, TASK, Array, listing, name_list
from biasamp_adapters.inference.replicates import read_seed
from biasamp_adapters.metrics.base import check_number
from biasamp_adapters.warning import warn

#: A product of a ratio and rows may miss a whole number by so much: 3 rows allow 4 at 4 / 3.
_ROUNDING = 1e-6

#: A subset of a label matrix may be smaller than the largest by this share; seconds of a search.
_GAP, _SECONDS = 0.001, 60.0


def balanced_subset(
    y_true: Any, sensitive_features: Any, *, equal_classes: bool = False, random_state: Any = 0
) -> Array:
    """Return rows of which each class has equally many of every group.

    The subset is the largest one. Of each class it has as many rows of every group as the smallest
    group has; of a label matrix see :func:`ratio_subset`. Which rows are kept is drawn.

    Parameters
    ----------
    y_true : array-like of shape (rows,) or (rows, labels)
        Labels, or a matrix of 0 and 1.
    sensitive_features : array-like of shape (rows,) or frame
        The group of each row; several columns are crossed.
    equal_classes : bool
        Whether all classes get equally many rows too. Not for a matrix.
    random_state : int, Generator or None

    Returns
    -------
    ndarray of int64
        The positions of the rows, in ascending order.

    Raises
    ------
    ValueError
        If a value is missing, there is one group only, or no row is left.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Eq. 7 and, with ``equal_classes``, Table 6(b).

    Examples
    --------
    Of class 1 there are 40 rows of the first group and 10 of the second, of class 0 the reverse, so
    that 10 rows of each pair are kept:

    >>> import biasamp_adapters as bam
    >>> y_true, group = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, [1] * 50 + [2] * 50
    >>> len(bam.studies.balanced_subset(y_true, group))
    40
    """
    return _subset(y_true, sensitive_features, 1.0, random_state, equal_classes)


def ratio_subset(
    y_true: Any, sensitive_features: Any, *, max_ratio: float, random_state: Any = 0
) -> Array:
    """Return rows of which no class has more than so many times as many of one group as of another.

    The subset is the largest one. In a label matrix the ratio bounds the rows that have a label,
    for each label, and all rows. A row with several labels counts for each, so the subset is found
    by integer programming, to within a thousandth of the largest where a minute is enough.

    Parameters
    ----------
    y_true, sensitive_features, random_state
        As in :func:`balanced_subset`.
    max_ratio : float
        At least 1.

    Returns
    -------
    ndarray of int64
        The positions of the rows, in ascending order.

    Raises
    ------
    ValueError
        As :func:`balanced_subset`; also if no subset of a matrix is found within a minute.

    Warns
    -----
    AmplificationWarning
        If no row of a class is kept because a group has none, or if the search for a subset of a
        label matrix ends before it is known to be the largest.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Eq. 8 and 9, where the ratio must stay below the bound;
    here it may reach it, as in the subsets of Wang et al., "Balanced Datasets Are Not Enough",
    ICCV 2019.

    Examples
    --------
    Of each class there are 40 rows of one group and 10 of the other, which allow 20:

    >>> import biasamp_adapters as bam
    >>> y_true, group = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, [1] * 50 + [2] * 50
    >>> len(bam.studies.ratio_subset(y_true, group, max_ratio=2))
    60
    """
    check_number("max_ratio", max_ratio, 1)
    return _subset(y_true, sensitive_features, max_ratio, random_state, False)


def _subset(
    y_true: Any, sensitive_features: Any, ratio: float, random_state: Any, equal_classes: bool
) -> Array:
    """Return the rows of a largest subset within a ratio."""
    rng = np.random.default_rng(read_seed(random_state))
    rows = read_rows({TASK: y_true, ATTRIBUTE: sensitive_features}).complete("error")
    groups = rows.group_labels
    if not rows.has(TASK) or rows.is_matrix(ATTRIBUTE) or len(groups) < 2:
        rule = "y_true and two groups or more, one in each row, must be given"
        raise ValueError(f"{rule}; received {listing(groups) or 'no groups'}")
    truth, group = rows.variable(TASK), rows.variable(ATTRIBUTE).keys()
    values = truth.sparse.toarray() if truth.is_matrix else truth.keys()[:, None]
    sets, kind = np.unique(values, axis=0, return_inverse=True)
    kind = kind.ravel()  # numpy 2.0 keeps an axis.
    counts = by_label = pd.crosstab(kind, group).to_numpy()
    if truth.is_matrix:
        if equal_classes:
            raise ValueError("equal_classes must be False of a label matrix; received True")
        kept, by_label = _search(sets, counts, ratio, rng), sets.T @ counts
    else:
        fewest = counts.min() if equal_classes else counts.min(axis=1, keepdims=True)
        most = np.floor(ratio * fewest + _ROUNDING)
        kept = np.minimum(counts, most).astype(int)
    lacks = np.any(by_label, axis=1) & ~np.all(by_label, axis=1)
    lacking = name_list(compress(rows.class_labels, lacks))
    if not kept.any():
        raise ValueError(f"no row is left; a group has none of {lacking or 'some labels'}")
    if lacking:
        warn(words.LACKING.format(names=lacking))
    shuffled = rng.permutation(len(kind))
    cell = kind[shuffled] * len(groups) + group[shuffled]
    before = pd.Series(cell).groupby(cell).cumcount().to_numpy()
    return np.sort(shuffled[before < kept.ravel()[cell]])


def _search(sets: Array, counts: Array, ratio: float, rng: np.random.Generator) -> Array:
    """Return how many rows to keep of each label set and group, so that labels are in the ratio."""
    row, group = rng.permutation(np.argwhere(counts)).T  # Chance decides among equal subsets.
    labels = csr_array(np.column_stack([np.ones(len(sets)), sets]))[row]
    by_group = [labels.multiply((group == g)[:, None]).T for g in range(counts.shape[1])]
    # Rows of one group with a label, minus what another group allows.
    excess = csr_array(vstack([a - ratio * b for a, b in permutations(by_group, 2)]))
    within, bounds = LinearConstraint(excess, ub=0), Bounds(0, counts[row, group])
    ones = np.ones(len(row))
    options = {"mip_rel_gap": _GAP, "time_limit": _SECONDS}
    found = milp(-ones, integrality=ones, bounds=bounds, constraints=within, options=options)
    if found.x is None:
        raise ValueError(words.NO_SUBSET.format(seconds=_SECONDS))
    kept = np.zeros_like(counts)
    kept[row, group] = np.round(found.x)
    most = np.floor(-found.mip_dual_bound + _ROUNDING)
    if kept.sum() < (1 - _GAP) * most:
        warn(words.SUBSET_IS_SMALLER.format(n=kept.sum(), most=most))
    return kept
