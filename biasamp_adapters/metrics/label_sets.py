"""Label sets by support: those that rows show, and their subsets; never the power set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.variables import LabelSet

#: More sets than this are neither counted nor read.
MAX_SETS = 100_000


def subsets_by_support(
    observed: Mapping[LabelSet, int], n_labels: int, max_size: int | None, min_support: int
) -> dict[LabelSet, int]:
    """Sets of labels that rows contain, and how many rows contain each.

    A set is grown label by label, and only while enough rows contain it.

    Parameters
    ----------
    observed : mapping of LabelSet to int
        Exact label sets of rows, and how many rows show each.
    n_labels : int
    max_size : int, optional
        Largest size of a set.
    min_support : int
        Rows that must contain a set.

    Raises
    ------
    ValueError
        If more than 100,000 sets have that support.
    """
    n = np.array(list(observed.values()))
    holds = np.zeros((n_labels, len(n)), dtype=bool)
    for i, of in enumerate(observed):
        holds[list(of), i] = True
    found: dict[LabelSet, int] = {}
    growing: list[tuple[LabelSet, Array]] = [((), np.ones(len(n), dtype=bool))]
    while growing:
        of, rows = growing.pop()
        for label in range(of[-1] + 1 if of else 0, n_labels):
            both = rows & holds[label]
            support = int(n[both].sum())
            if support < min_support or not support:
                continue
            found[(*of, label)] = support
            if len(found) > MAX_SETS:
                raise ValueError(
                    f"more than {MAX_SETS:,} label sets have the support min_support="
                    f"{min_support}: raise it, or give a smaller max_size"
                )
            if max_size is None or len(of) + 1 < max_size:
                growing.append(((*of, label), both))
    return dict(sorted(found.items()))
