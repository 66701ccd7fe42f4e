"""Clusters: rows that belong together, such as those of one person, and that are drawn together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.blocks import ONE, Block, Categories, Values, sums_of_products
from biasamp_adapters.counts.draws import BLOCK
from biasamp_adapters.counts.rows import Rows, dense, lexicographic_key
from biasamp_adapters.counts.variables import Missing, missing_message
from biasamp_adapters.inputs.columns import Column

#: Of fewer clusters there are no intervals: eight are the fewest that were simulated.
FEWEST_CLUSTERS = 8

#: Variances below this are rounding errors of 0.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Clusters:
    """Where the clusters of rows come from.

    Attributes
    ----------
    name : str
        For messages.
    column : Column or None
        None if an engine reads it.
    numbers : dict
        The number of each cluster that was read so far. Chunks of one stream share it, so that a
        cluster may have rows in several of them.
    """

    name: str
    column: Column | None = None
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return 0 if self.column is None else len(self.column)

    def read(self, start: int, stop: int) -> Array:
        """The numbers of the clusters of some rows; -1 where missing."""
        if self.column is None:
            raise ValueError("the clusters of rows on an engine are not known")
        return self.numbered(*self.column.chunk(start, stop))

    def numbered(self, codes: Array, names: Sequence[Hashable]) -> Array:
        """The numbers of clusters that are given by codes, and the names these stand for."""
        present = np.zeros(len(names) + 1, dtype=bool)
        present[codes] = True
        numbers = np.full(len(names) + 1, -1)
        for code in np.flatnonzero(present[:-1]).tolist():
            numbers[code] = self.numbers.setdefault(names[code], len(self.numbers))
        return numbers[codes]

    def check_absent(self, count: int, missing: Missing) -> None:
        """Raise for ``count`` rows without a cluster, unless rows with missing values are left out.

        Raises
        ------
        ValueError
        """
        if count and missing != "drop":
            raise ValueError(missing_message(self.name, count, predicted=False))


def check_clusters(n_clusters: int | None, n_rows: int) -> None:
    """Raise for clusters that cannot be drawn: a single one, or one for each row."""
    if n_clusters == 1:
        raise ValueError(
            f"clusters must be at least two; received one, which holds all {n_rows} rows"
        )
    if n_clusters == n_rows:
        raise ValueError(
            f"clusters must hold several rows; received {n_rows} clusters of one row each: such "
            "rows are independent, and clusters must be left out"
        )


def by_content(rows: Rows) -> Rows:
    """The rows with clusters numbered from 0 by what they hold.

    Numbers, and therefore draws, then depend neither on names nor on the order of rows or parts.
    Rows with probabilities among their indicators stay in their order, and so do their clusters.
    """
    if rows.cluster is None:
        return rows
    _, cluster = np.unique(rows.cluster, return_inverse=True)
    if rows.soft:
        return replace(rows, cluster=cluster)
    sums = [np.unique(values, return_inverse=True)[1] for values in rows.sums().values()]
    held = lexicographic_key([*replace(rows, cluster=None).keys(), *sums])
    ends = held.itemsize * np.cumsum(np.bincount(cluster))
    # The order of bytes means nothing, but it is the same whatever the clusters are called.
    contents = held[np.lexsort([held, cluster])].tobytes()
    parts = zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    content = [contents[start:end] for start, end in parts]
    number = np.empty(len(content), dtype=np.int64)
    number[sorted(range(len(content)), key=content.__getitem__)] = np.arange(len(content))
    return replace(rows, cluster=number[cluster]).merged()


def with_other_clusters(parts: Sequence[Rows]) -> list[Rows]:
    """Rows of several parts, with numbers of clusters that no two parts share."""
    out, first = [], 0
    for rows in parts:
        if rows.cluster is not None:
            moved = rows.cluster + first
            rows, first = replace(rows, cluster=moved), int(moved.max()) + 1
        out.append(rows)
    return out


def clusters_of_labels(values: Values, block: Block) -> Array:
    """The number of clusters that have rows with each label of a variable, of shape (labels,)."""
    labels, cluster = values[block], np.asarray(values.rows.cluster)
    if not isinstance(labels, Categories):
        columns = (dense(labels[:, [j]])[:, 0] for j in range(labels.shape[1]))
        return np.array([len(np.unique(cluster[column != 0])) for column in columns])
    present = labels.codes >= 0
    pairs = np.unique(np.stack([labels.codes[present], cluster[present]]), axis=1)
    return np.bincount(pairs[0], minlength=labels.size)


def why_not_drawn(n_clusters: int, of_labels: Mapping[str, Array]) -> str | None:
    """Why so many clusters cannot be drawn, or None.

    Parameters
    ----------
    n_clusters : int
    of_labels : mapping of str to ndarray of int
        The number of clusters that have rows with each group, and with each task or class.
    """
    if n_clusters < FEWEST_CLUSTERS:
        return (
            f"{n_clusters} clusters are too few to tell how much clusters differ: it needs "
            f"{FEWEST_CLUSTERS}"
        )
    for name, clusters in of_labels.items():
        if (clusters > 0).sum() > 1 and clusters.max() == 1:
            return (
                f"each {name} has all of its rows in one cluster: nothing tells how much clusters "
                f"of the same {name} differ"
            )
    return None


def design_effect(values: Values) -> float:
    """How many independent rows one of these rows replaces: at least 1.

    The variance of the correlations of groups and tasks if clusters are drawn, over that if rows
    are, averaged over pairs in units of the variance of independent variables: the first-order
    correction of Rao and Scott (1984) of the chi-square statistic of their table. Without one of
    the two variables, it is that of the shares of the other one. Where nothing varies, all rows of
    a cluster count as one.
    """
    rows, layout = values.rows, values.layout
    if rows.cluster is None:
        return 1.0
    groups = next((axis for axis in layout.axes if axis.role.of_attribute), ONE)
    tasks = next((axis for axis in layout.axes if not axis.role.of_attribute), ONE)
    weight, squares = rows.weight, rows.n if rows.w2 is None else rows.w2
    total = weight.sum()
    joint = sums_of_products(weight, values[groups], values[tasks]) / total
    shares = [
        sums_of_products(weight, values[ONE], values[block])[0] / total for block in (groups, tasks)
    ]
    # The constant, which takes the place of a variable, is not centred and has no variance.
    absent = groups == ONE, tasks == ONE
    means = [np.zeros(1) if no else x for no, x in zip(absent, shares, strict=True)]
    spread = [np.ones(1) if no else x * (1 - x) for no, x in zip(absent, shares, strict=True)]
    # A slice may lack some of the clusters.
    cluster = np.unique(rows.cluster, return_inverse=True)[1]
    order = np.argsort(cluster, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(cluster)))
    of_clusters, of_rows = np.zeros(joint.shape), np.zeros(joint.shape)
    for part in whole_clusters(starts, joint.shape[1]):
        index, first = order[part], starts[(starts >= part.start) & (starts < part.stop)]
        group, task = (
            values.dense(block, index) - mean
            for block, mean in zip((groups, tasks), means, strict=True)
        )
        for i in range(len(joint)):
            gap = group[:, [i]] * task - (joint[i] - means[0][i] * means[1])
            sums = np.add.reduceat(weight[index, None] * gap, first - part.start, axis=0)
            of_clusters[i] += (sums**2).sum(axis=0)
            of_rows[i] += squares[index] @ gap**2
    scale = np.outer(*spread)
    varies = scale > _ROUNDING
    drawn, alone = (float((x[varies] / scale[varies]).sum()) for x in (of_clusters, of_rows))
    if alone <= _ROUNDING * squares.sum():
        drawn, alone = float((np.bincount(cluster, weight) ** 2).sum()), float(squares.sum())
    return max(1.0, drawn / alone)


def whole_clusters(starts: Array, width: int) -> Iterator[slice]:
    """Slices of rows in the order of clusters that split no cluster, in bounded memory."""
    step = max(1, BLOCK // max(width, 1))
    ends = np.unique(starts[np.searchsorted(starts, np.arange(0, starts[-1], step))])
    for start, stop in pairwise([*ends.tolist(), int(starts[-1])]):
        if start < stop:
            yield slice(start, stop)
