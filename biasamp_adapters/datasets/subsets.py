"""Balanced and ratio-bounded subsets of a dataset: the training sets that the papers compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label, RandomState, generator, is_real
from biasamp_adapters._warnings import warn
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.rows import distinct
from biasamp_adapters.inputs.columns import Column, check_lengths, read_columns
from biasamp_adapters.inputs.combinations import combinations
from biasamp_adapters.inputs.matrices import Indicators, Matrix, is_matrix

#: The largest denominator of a ratio. Programs tell whole rows apart that differ by one over it.
DENOMINATOR = 100_000

#: Share by which a subset of a label matrix may be smaller than the largest one without a warning.
GAP = 0.001

#: Seconds after which each program of a search for a subset of a label matrix ends.
SECONDS = 60.0

#: Kinds of rows, equal in labels and group, about which the search for whole numbers is free.
OPEN_KINDS = 1000


def balanced_subset(
    y: Any, a: Any, *, equal_classes: bool = False, random_state: RandomState = None
) -> Array:
    """Rows of which each class has equally many of every group.

    The subset is the largest one. With one label per row its size follows from the counts: of each
    class it has as many rows of each group as the smallest group has. In a label matrix, the rows
    that have a label are balanced for each label, and so are all rows; this needs a search, see
    :func:`ratio_subset`. Which of the rows that agree in label and group are kept is drawn.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, K)
        Labels, or a matrix of 0 and 1 with one column per label.
    a : array-like of shape (n,) or table
        The group of each row; several columns are crossed.
    equal_classes : bool, default False
        Whether all classes get equally many rows too, so that every pair of class and group has as
        many as the rarest pair. Not for a matrix.
    random_state : int or numpy Generator, optional
        The seed of the draw; None is 0.

    Returns
    -------
    ndarray of int64
        The positions of the rows, in ascending order.

    Raises
    ------
    ValueError
        If a value is missing, there is only one group, no row is left, or ``equal_classes`` is
        neither true nor false. Also if the search finds no subset in time, as it may where the rows
        of a matrix have ten labels or more.

    Warns
    -----
    AmplificationWarning
        If no row of a class is kept because a group has none.

    References
    ----------
    [T25] Eq. 7 and, with ``equal_classes``, Table 6(b).

    Examples
    --------
    Of class 1 there are 40 rows of the first group and 10 of the second, of class 0 the reverse.
    So of 50 rows of each group 20 are kept:

    >>> from biasamp_adapters.datasets import balanced_subset
    >>> y = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> group = [1] * 50 + [2] * 50
    >>> rows = balanced_subset(y, group)
    >>> len(rows), sum(y[row] for row in rows), sum(group[row] == 1 for row in rows)
    (40, 20, 20)
    """
    if not isinstance(equal_classes, bool | np.bool_):
        raise ValueError(f"equal_classes must be True or False; received {equal_classes!r}")
    if equal_classes and is_matrix(y):
        raise ValueError("equal_classes needs one label per row; received a matrix y")
    return _subset(y, a, Fraction(1), random_state, equal_classes=equal_classes)


def ratio_subset(y: Any, a: Any, *, max_ratio: float, random_state: RandomState = None) -> Array:
    """Rows of which no class has more than ``max_ratio`` times as many of one group as of another.

    The subset is the largest one. With one label per row its size follows from the counts: the
    smallest group of a class keeps all rows, and others at most ``max_ratio`` times as many. A
    class in which groups differ more than that has this ratio afterwards, rounded down to whole
    rows.

    In a label matrix the ratio bounds the rows that have a label, for each label, and all rows. A
    row with several labels counts for each of them, so the subset is found by linear and integer
    programming. It has at least 99.9 % of the rows of the largest one; a warning gives both sizes
    where this cannot be shown.

    Parameters
    ----------
    y, a, random_state
        As in :func:`balanced_subset`.
    max_ratio : float
        At least 1 and finite; with 1, the subset is balanced. It is taken as the closest fraction
        with a denominator up to 100,000, so that 2.3 allows 23 rows for 10, and 4 / 3 allows 4 for
        3.

    Returns
    -------
    ndarray of int64
        The positions of the rows, in ascending order.

    Raises
    ------
    ValueError
        If ``max_ratio`` is no finite number of at least 1, a value is missing, there is only one
        group, no row is left, or no subset of a matrix is found in time.

    Warns
    -----
    AmplificationWarning
        If no row of a class or label is kept because a group has none, or if a subset of a label
        matrix may be smaller than the largest by more than a thousandth.

    References
    ----------
    [T25] Eq. 8-9, where the ratio must stay below the bound; here it may reach it, as in the
    subsets of Wang et al. (2019). [W21] Fig. 4 varies the ratio.

    Examples
    --------
    Of each class there are 40 rows of one group and 10 of the other, which allow 20:

    >>> from biasamp_adapters.datasets import ratio_subset
    >>> y = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> group = [1] * 50 + [2] * 50
    >>> rows = ratio_subset(y, group, max_ratio=2)
    >>> len(rows), sum(y[row] == 1 and group[row] == 1 for row in rows)
    (60, 20)
    """
    is_number = is_real(max_ratio) and not isinstance(max_ratio, bool)
    if not (is_number and 1 <= max_ratio < math.inf):
        raise ValueError(f"max_ratio must be a finite number of at least 1; received {max_ratio!r}")
    # 3 rows allow 4 at a ratio of 4 / 3, although the float is a little less.
    ratio = Fraction(str(max_ratio)).limit_denominator(DENOMINATOR)
    return _subset(y, a, ratio, random_state)


def _subset(
    y: Any, a: Any, ratio: Fraction, random_state: RandomState, *, equal_classes: bool = False
) -> Array:
    """The rows of a largest subset within the ratio."""
    draw = generator(random_state)
    if isinstance(a, Indicators):
        raise ValueError("a must hold the one group of each row; received Indicators")
    columns = [column for _, column in read_columns(a, "a")]
    task = Matrix(y, "y", soft=False) if is_matrix(y) else Column(y, "y")
    check_lengths([*columns, task])  # type: ignore[list-item]  # of a Matrix it reads the same
    group, groups = combinations(columns)
    ratio = min(ratio, Fraction(len(group)))  # Beyond, it bounds nothing.
    if len(groups) < 2:
        raise ValueError(f"a must hold at least two groups; received {listing(groups[0])} alone")
    if isinstance(task, Matrix):
        indicators = _read(task)
        first, code = distinct(indicators)
        counts = _table(code, group)
        sets = indicators[first]
        names, by_name = list(task.labels), sets.T @ counts
        kept = _searched(sets, counts, ratio, draw)
    else:
        code, keys = combinations([task])
        counts = _table(code, group)
        names, by_name = [key[0] for key in keys], counts
        kept = np.full_like(counts, counts.min()) if equal_classes else _within(counts, ratio)
    _check_names(names, by_name, nothing=not kept.any())
    return _drawn(code * len(groups) + group, kept.ravel(), draw)


def _read(matrix: Matrix) -> Array:
    values, absent = matrix.read(0, len(matrix), np.arange(len(matrix.labels)))
    if absent is not None:
        raise ValueError(f"y must not have missing values; received {absent.sum()} rows with some")
    return values


def _table(code: Array, group: Array) -> Array:
    """How many rows of each group have each label, or each set of labels."""
    shape = code.max() + 1, group.max() + 1
    cells = np.bincount(code * shape[1] + group, minlength=shape[0] * shape[1])
    return cells.reshape(shape)


def _within(counts: Array, ratio: Fraction) -> Array:
    """The most rows of each class (rows) and group (columns) within the ratio."""
    most = [math.floor(ratio * least) for least in counts.min(axis=1).tolist()]
    return np.minimum(counts, np.array(most)[:, None])


def _searched(sets: Array, counts: Array, ratio: Fraction, draw: np.random.Generator) -> Array:
    """How many rows to keep of each label set and group, so that labels are within the ratio.

    A linear program without the demand for whole rows bounds the number of rows. It already gives
    whole rows of nearly all kinds, and an integer program decides the others and some more.

    Parameters
    ----------
    sets : ndarray of 0 and 1, shape (sets, labels)
    counts : ndarray of int, shape (sets, groups)
    ratio : Fraction
    draw : Generator
        Decides among subsets of the same size, by the order in which the solver meets their rows.
    """
    row, group = draw.permutation(np.argwhere(counts)).T
    n = counts[row, group]
    excess = _excess(sets, row, group, float(ratio))
    linear = _most(n, excess, np.zeros(excess.shape[0]), whole=False)
    _check_in_time(linear)
    most, kept = -linear.fun, np.round(linear.x)
    open_kinds = np.abs(linear.x - kept) > 1e-6
    open_kinds[:OPEN_KINDS] = True
    every = np.ones_like(open_kinds)
    for chosen in [open_kinds] if open_kinds.all() else [open_kinds, every]:
        given = np.where(chosen, 0, kept)
        found = _most(n[chosen], excess[:, chosen], -(excess @ given), whole=True)
        if found.x is not None:
            given[chosen] = np.round(found.x)
            if given.any():
                break
    else:
        # No row at all is a subset too, with which a search may begin, and end if time is over.
        _check_in_time(found)
    kept = given
    if chosen.all():
        most = min(most, -found.mip_dual_bound)
    if kept.sum() < (1 - GAP) * math.floor(most + 1e-6):
        warn(f"this subset has {kept.sum():g} rows, and the largest at most {most:.0f}")
    found_counts = np.zeros_like(counts)
    found_counts[row, group] = kept
    return found_counts


def _excess(sets: Array, row: Array, group: Array, ratio: float) -> Any:
    """What one row of each kind adds to excesses, a sparse matrix of shape (excesses, kinds).

    An excess is the number of rows of one group with a label, less ``ratio`` times that of another
    group. A label that all rows have stands for the rows themselves.
    """
    from scipy.sparse import csr_array, vstack

    labels = csr_array(np.column_stack([np.ones(len(sets)), sets]))[row]
    of_group = [labels.multiply((group == g)[:, None]).T for g in np.unique(group)]
    return csr_array(vstack([one - ratio * other for one, other in permutations(of_group, 2)]))


def _most(n: Array, excess: Any, room: Array, *, whole: bool) -> Any:
    """The result of the program: as many of the ``n`` rows as the room for excess allows."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    return milp(
        -np.ones(len(n)),
        integrality=np.full(len(n), int(whole)),
        bounds=Bounds(0, n),
        constraints=LinearConstraint(excess, ub=room),
        options={"mip_rel_gap": GAP, "time_limit": SECONDS},
    )


def _check_in_time(found: Any) -> None:
    """Raise if a program ended without an answer: it has one, as no row at all is a subset."""
    if found.status != 0:
        raise ValueError(
            f"no subset was found within {SECONDS:g} seconds: choose fewer columns of y, or "
            "ratio_subset with a larger max_ratio, such as 1.01"
        )


def _check_names(names: Sequence[Label], counts: Array, *, nothing: bool) -> None:
    """Warn of classes or labels that a group lacks; raise if nothing is kept."""
    lacks = np.asarray(counts.any(axis=1) & ~counts.all(axis=1))
    lacking = [name for name, lack in zip(names, lacks, strict=True) if lack]
    because = f"some group has no row with {listing(lacking)}"
    if nothing:
        raise ValueError(
            "at least one row must be left; received labels and groups that allow none"
            + (f": {because}" if lacking else "")
        )
    if lacking:
        warn(f"no row with {listing(lacking)} is kept, because some group has none")


def _drawn(kind: Array, kept: Array, draw: np.random.Generator) -> Array:
    """The positions of as many rows of each kind as are to be kept."""
    shuffled = draw.permutation(len(kind))
    of_kind = kind[shuffled]
    before = pd.Series(of_kind).groupby(of_kind).cumcount().to_numpy()
    return np.sort(shuffled[before < kept[of_kind]]).astype(np.int64)
