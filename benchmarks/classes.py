"""Many classes: blind errors from the confusions that occur, against tables of all of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.measure import peak_megabytes, side_by_side
from benchmarks.table import Scale, Table, seconds

#: Rows, classes and groups, and the ratio of times to reach. Ours include what a verdict reads,
#: whose signs are drawn for each of the 250,000 pairs of the last one.
_SIZES = ((20_000, 100, 5, ">= 1"), (20_000, 1000, 2, ">= 5"), (20_000, 500, 500, ""))

_REPLICATES = 200


def classes(table: Table, scale: Scale) -> None:
    """A replicate of BA-> and its excess, of many classes or groups."""
    metric = bam.DirectionalBiasAmplification()
    for n_rows, n_classes, n_groups, goal in _SIZES:
        data = _rows(n_rows, n_classes, n_groups)
        size = f"{n_classes} classes, {n_groups} groups, n = {n_rows:.0e}"
        counts = bam.JointCounts.from_arrays(*data)
        sign = np.sign(np.asarray(metric.from_counts(counts).by_pair["sign"]))
        sizes = (n_groups, n_classes)
        of_rows = partial(_by_tables, *data, sign.reshape(sizes))
        result = metric.from_counts(counts)
        found = result.value, getattr(result.excess, "value", np.nan)
        table.close(f"value and excess equal tables, {size}", found, of_rows())
        n_drawn = 2 if scale.quick else 10
        n_ours = 20 if scale.quick else _REPLICATES
        mine, theirs = side_by_side(
            partial(metric.from_counts, counts, n_boot=n_ours),
            partial(_resampled, of_rows, n_rows, n_drawn),
            times=3,
        )
        mine, theirs = mine / n_ours, theirs / n_drawn
        what = f"a replicate, whole tables / ours, {size}"
        table.ratio(what, theirs / mine, goal, seconds(theirs, mine))
    n_rows = scale.of(1_000_000)
    counts = bam.JointCounts.from_arrays(*_rows(n_rows, 1000, 2))
    draw = partial(metric.from_counts, counts, n_boot=20)
    # What the rows share, such as the order of their pairs, is made once.
    what = f"extra memory of 20 replicates, 1000 classes, n = {n_rows:.0e}"
    table.ratio(what, peak_megabytes(draw), "<= 100", "", unit="MB")


def _rows(n_rows: int, n_classes: int, n_groups: int) -> tuple[Any, Any, Any]:
    """Truth, predictions that are right in four rows of five, and groups."""
    rng = np.random.default_rng(0)
    truth, other = rng.integers(0, n_classes, (2, n_rows))
    predicted = np.where(rng.random(n_rows) < 0.8, truth, other)
    return truth, predicted, rng.integers(0, n_groups, n_rows)


def _by_tables(
    truth: Any, predicted: Any, group: Any, sign: Any, rows: Any = slice(None)
) -> tuple[float, float]:
    """BA-> A->T and its excess, from whole tables of pairs of labels."""
    truth, predicted, group = truth[rows], predicted[rows], group[rows]
    n_groups, n_classes = sign.shape

    def crossed(one: Any, other: Any, n: int) -> Any:
        flat = np.bincount(one * n_classes + other, minlength=n * n_classes)
        return flat.reshape(n, n_classes)

    joint = crossed(group, truth, n_groups)
    made = crossed(group, predicted, n_groups)
    confusion = crossed(truth, predicted, n_classes)
    blind = joint @ (confusion / np.maximum(confusion.sum(axis=1), 1)[:, None])
    size = joint.sum(axis=1)[:, None]
    value, excess = (np.nanmean(sign * (made - other) / size) for other in (joint, blind))
    return float(value), float(excess)


def _resampled(work: Any, n_rows: int, n_drawn: int) -> None:
    """The same of rows that are drawn anew."""
    rng = np.random.default_rng(0)
    for _ in range(n_drawn):
        work(rows=rng.integers(0, n_rows, n_rows))
