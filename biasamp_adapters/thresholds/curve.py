"""The points of a sweep: from counts that move with the threshold, or by calling the metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts, JointCounts, count_arrays
from biasamp_adapters.counts.labels import listing, positive_class
from biasamp_adapters.counts.tables import JointTables
from biasamp_adapters.inputs.columns import Column, check_lengths, read_columns, read_weights
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.cooccurrence import Cooccurrence
from biasamp_adapters.metrics.predictability import PredictabilityMetric
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.reference import align
from biasamp_adapters.thresholds.steps import Steps

#: Numbers that one block of thresholds may hold.
_BLOCK = 2**20

_DOING = "Sweeping thresholds"


class Curve(NamedTuple):
    """Thresholds from infinity down, the share predicted positive, values, and their caveats."""

    threshold: Array
    share: Array
    value: Array
    notes: Sequence[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Rows:
    """What is swept, as the metric takes it, but for the scores.

    Attributes
    ----------
    scores : ndarray of shape (n,) or (n, K)
    names : list of str or None
        Names of the columns of a table of scores, by which the metric may match them.
    """

    y_true: Any
    scores: Array
    names: list[str] | None
    sensitive_features: Any
    sensitive_features_pred: Any
    sample_weight: Any

    @property
    def attributes(self) -> dict[str, Any]:
        """The attribute and its prediction, by argument."""
        return {
            "sensitive_features": self.sensitive_features,
            "sensitive_features_pred": self.sensitive_features_pred,
        }

    @property
    def single_label(self) -> bool:
        """Whether the rows have one label of each variable, so that counts of cells are enough."""
        return self.scores.ndim == 1 and not any(
            isinstance(values, Indicators) for values in self.attributes.values()
        )

    def check_lengths(self) -> None:
        """Raise if lengths differ; counts would call the scores predictions."""
        given = {"y_true": self.y_true, "sample_weight": self.sample_weight}
        columns = [Column(values, name) for name, values in given.items() if values is not None]
        for name, values in self.attributes.items():
            if values is not None:
                columns += [column for _, column in read_columns(values, name)]
        check_lengths([*columns, Column(self.scores, "y_score")])


def _chosen(weight: Array, q: int | None) -> tuple[Array, Array]:
    """Steps to evaluate, and the share at each.

    Parameters
    ----------
    weight : array of shape (distinct scores,)
        Weight of the rows of each, the highest score first.
    q : int, optional
    """
    total = np.cumsum(weight)
    share = np.concatenate([[0.0], total / total[-1]])
    if q is None:
        return np.arange(len(share)), share
    asked = np.arange(1, q + 1) / (q + 1)
    steps = np.unique([0, *np.searchsorted(share, asked), len(share) - 1])
    return steps, share[steps]


def from_counts(metric: Metric, rows: Rows, q: int | None) -> Curve:
    """The curve for single labels: rows are counted once, by the rank of their score."""
    rows.check_lengths()
    distinct, rank = np.unique(-rows.scores, return_inverse=True)
    ranked = JointCounts.from_arrays(
        rows.y_true,
        rank,
        **rows.attributes,
        sample_weight=rows.sample_weight,
        groups=metric.groups,
        missing=metric.missing,
        # Only flips move single rows; elsewhere sums of weights make fewer cells.
        by_weight=isinstance(metric, PredictabilityMetric),
    )
    steps = steps_of(metric, ranked)
    evaluated, share = _chosen(steps.added, q)
    threshold = np.concatenate([[np.inf], -distinct[steps.ranks]])[evaluated]
    return Curve(threshold, share, *_values(metric, steps, evaluated))


def _known(metric: Metric, truth: Counts) -> Counts:
    """The truth over the labels and groups that the metric settles on at every threshold."""
    return align(truth, getattr(metric, "reference", None), metric.labels, metric.groups).counts


def steps_of(metric: Metric, ranked: JointCounts) -> Steps:
    """The counts at every threshold, of counts that hold ranks of the score as predictions."""
    others = [i for i, axis in enumerate(ranked.axes) if axis.role != "prediction"]
    cells = ranked.cells.recoded(ranked.cells.codes[:, others])
    known = _known(metric, replace(ranked, axes=tuple(ranked.axes[i] for i in others), cells=cells))
    # Ranks were counted as labels of the prediction; 1 may be both a label and a rank.
    ranks = [label for label in ranked.labels if label not in known.labels]
    aligned = ranked.align((*known.labels, *ranks), known.groups)
    return Steps(aligned, known.labels, _positive(metric, known.labels))


def _positive(metric: Metric, labels: tuple[Label, ...]) -> int:
    """Which of the two labels is the positive one."""
    pos_label = getattr(metric, "pos_label", None)
    if len(labels) == 2 and pos_label in (None, *labels):
        positive = positive_class(labels) if pos_label is None else pos_label
        return labels.index(positive)
    rule = "" if pos_label is None else f", one of them pos_label={pos_label!r}"
    raise ValueError(f"y_true must have two labels{rule}; received {listing(labels)}")


def _values(
    metric: Metric, steps: Steps, evaluated: Array
) -> tuple[Array, Sequence[tuple[str, ...]]]:
    if not isinstance(metric, PredictabilityMetric):
        middle = metric.from_counts(steps.counts(evaluated[len(evaluated) // 2], empty=True))
        bound = middle.bound
        # Aligned before, the counts of the bound have the cells of the steps, in their order.
        if isinstance(bound, Cooccurrence) and isinstance(bound.evaluation.counts, JointCounts):
            blocks = _blocks(steps, bound, bound.evaluation.counts, evaluated)
            parts = list(progress(blocks, len(evaluated), _DOING))
            return np.concatenate(parts), [middle.notes] * len(evaluated)
    return _one_by_one(lambda step: metric.from_counts(steps.counts(step)), evaluated)


def _blocks(
    steps: Steps, bound: Cooccurrence, counts: JointCounts, evaluated: Array
) -> Iterator[tuple[int, Array]]:
    """Values of many steps at a time: to the formula they are tables like those of replicates."""
    size = max(1, _BLOCK // max(steps.width, bound.width))
    for start in range(0, len(evaluated), size):
        block = evaluated[start : start + size]
        tables = JointTables(counts, steps.weight(block), None, bound.model)
        yield len(block), bound.scores(tables, None, np.random.default_rng(0))["value"]


def _one_by_one(
    result: Callable[[Any], AmplificationResult], points: Array
) -> tuple[Array, Sequence[tuple[str, ...]]]:
    values, notes = [], []
    results = ((1, result(point)) for point in points.tolist())
    for each in progress(results, len(points), _DOING):
        # Not the results: each holds its counts.
        values.append(each.value)
        notes.append(each.notes)
    return np.array(values), notes


def from_calls(metric: Metric, rows: Rows, q: int | None) -> Curve:
    """The curve for matrices: the metric is called at each threshold, one for all columns."""
    distinct, rank = np.unique(-rows.scores, return_inverse=True)
    weight = np.bincount(rank.ravel(), weights=_entry_weights(rows).ravel())
    evaluated, share = _chosen(weight, q)
    threshold = np.concatenate([[np.inf], -distinct])[evaluated]
    prediction = _prediction(metric, rows)

    def result(limit: float) -> AmplificationResult:
        y_pred = prediction(rows.scores >= limit)
        weights = rows.sample_weight
        return metric.result(rows.y_true, y_pred, **rows.attributes, sample_weight=weights)

    return Curve(threshold, share, *_one_by_one(result, threshold))


def _entry_weights(rows: Rows) -> Array:
    """The weight of each score, of their shape."""
    if rows.sample_weight is None:
        return np.ones(rows.scores.shape)
    numbers = read_weights(rows.sample_weight, ("y_score", len(rows.scores)))
    return np.broadcast_to(numbers.reshape(-1, *[1] * (rows.scores.ndim - 1)), rows.scores.shape)


def _prediction(metric: Metric, rows: Rows) -> Callable[[Array], Any]:
    """What the metric takes for predictions, of which rows or entries are positive."""
    names = rows.names
    if rows.scores.ndim == 1:
        truth = count_arrays(
            rows.y_true, None, **rows.attributes, groups=metric.groups, missing=metric.missing
        )
        labels = _known(metric, truth).labels
        positive = _positive(metric, labels)
        # As objects: labels may be of any type.
        either = np.array([labels[1 - positive], labels[positive]], dtype=object)
        return lambda hit: either[hit.astype(int)]
    if names is not None:
        return lambda hit: pd.DataFrame(hit, columns=names)
    return lambda hit: hit
