"""Label sets: those that rows show, and which rows contain them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.rows import Rows, blocks_of, distinct
from biasamp_adapters.counts.variables import Axis, LabelSet

#: More sets than this are neither counted nor read.
MAX_SETS = 100_000


class ShownSets(NamedTuple):
    """The exact label sets that rows show, without the empty one.

    Attributes
    ----------
    labels : array of int, shape (sets,), or matrix of 0 and 1, shape (sets, labels)
        One of the rows that show each set.
    n : ndarray of int, shape (sets,)
        How many rows of the data show it.
    size : ndarray of int, shape (sets,)
        How many labels it has.
    """

    labels: Any
    n: Array
    size: Array

    @classmethod
    def of(cls, rows: Rows, axis: Axis) -> Self:
        """The sets of labels of a variable."""
        labels = rows.codes[axis] if axis in rows.codes else rows.indicators[axis]
        first, which = distinct(labels)
        n, size = np.zeros(len(first), dtype=np.int64), np.ones(len(first), dtype=np.int64)
        np.add.at(n, which, rows.n)
        labels = labels[first]
        if labels.ndim > 1:
            size = np.asarray(labels.sum(axis=1, dtype=np.int64)).reshape(-1)
        return cls(labels, n, size).taken(size > 0)

    def among(self, min_rows: int, max_size: int | None) -> Array:
        """Which of the sets as many rows show, and have no more labels."""
        of_size = self.size <= (max_size or np.inf)
        return of_size & (self.n >= min_rows)

    def taken(self, where: Array) -> Self:
        """Those of the sets where an array of bool is true."""
        chosen = np.flatnonzero(where)
        return type(self)(self.labels[chosen], self.n[chosen], self.size[chosen])

    def to_dict(self) -> dict[LabelSet, int]:
        """The sets in order, and how many rows show each."""
        labels = self.labels if self.labels.ndim == 1 else self.labels.nonzero()[1]
        flat, ends = labels.tolist(), np.cumsum(self.size).tolist()
        members = (tuple(sorted(flat[start:end])) for start, end in pairwise([0, *ends]))
        return dict(sorted(zip(members, self.n.tolist(), strict=True)))


def rows_that_contain(
    members: Array, present: tuple[Array, Array], dense: Callable[[Array], Array]
) -> tuple[Array, Array]:
    """Pairs of a row and a label set that it contains.

    A set is looked for only in the rows that have the rarest of its labels, since labels of
    matrices are rare: in a few per cent of all rows.

    Parameters
    ----------
    members : array of float32, shape (labels, sets)
        1 where a set has a label; no set is empty.
    present : tuple of two int arrays
        Rows and labels that they have.
    dense : callable
        The labels of rows at given positions, as float32 of shape (rows, labels).

    Returns
    -------
    tuple of two int arrays
        The row and the set of each pair.
    """
    rows, labels = present
    rows = rows[np.argsort(labels, kind="stable")]
    n_rows = np.bincount(labels, minlength=len(members))
    ends = np.cumsum(n_rows)
    sizes = members.sum(axis=0)
    rarest = np.where(members > 0, n_rows[:, None], len(rows) + 1).argmin(axis=0)
    # Half the memory of other integers: there may be many pairs.
    pairs = [np.zeros((2, 0), dtype=np.int32)]
    for label in np.unique(rarest).tolist():
        sets = np.flatnonzero(rarest == label)
        having = rows[ends[label] - n_rows[label] : ends[label]]
        for part in blocks_of(len(having), len(members) + len(sets)):
            among = having[part]
            which, found = np.nonzero(dense(among) @ members[:, sets] == sizes[sets])
            pairs.append(np.stack([among[which], sets[found]], dtype=np.int32, casting="unsafe"))
    row, of_set = np.concatenate(pairs, axis=1)
    return row, of_set
