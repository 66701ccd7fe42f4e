"""Which rows contain which label sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.rows import blocks_of


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
    pairs = [np.zeros((2, 0), dtype=np.intp)]
    for label in np.unique(rarest).tolist():
        sets = np.flatnonzero(rarest == label)
        having = rows[ends[label] - n_rows[label] : ends[label]]
        for part in blocks_of(len(having), len(members) + len(sets)):
            among = having[part]
            which, found = np.nonzero(dense(among) @ members[:, sets] == sizes[sets])
            pairs.append(np.stack([among[which], sets[found]]))
    row, of_set = np.concatenate(pairs, axis=1)
    return row, of_set
