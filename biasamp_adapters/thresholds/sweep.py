"""A metric at every threshold of a score, and integrated over them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import pandas as pd

from biasamp_adapters._progress import progress
from biasamp_adapters._roles import Inputs
from biasamp_adapters._text import renaming_errors
from biasamp_adapters._typing import Array, Label, is_whole
from biasamp_adapters._warnings import AmplificationWarning, warn
from biasamp_adapters.counts import JointCounts, count_arrays
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.inference.replicates import BlockDraws
from biasamp_adapters.inputs.columns import read_weights
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.predictability import PredictabilityMetric
from biasamp_adapters.metrics.rate_changes import Cooccurrence
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.reference import labels_of_predictions
from biasamp_adapters.thresholds.curve import Steps, aligned_truth, integral, shares, steps_of
from biasamp_adapters.thresholds.matrix_steps import MatrixSteps, as_chances
from biasamp_adapters.thresholds.swept import SweepInputs, swept_by

#: A block of thresholds holds at most this many numbers.
_BLOCK = 2**21

#: For a matrix of scores, the metric is called at each threshold unless there are more than this.
_MANY = 200

#: Of more scores than this, every threshold would take minutes and gigabytes either way.
_MOST_SCORES = 2**23

_DOING = "Sweeping thresholds", "q evaluates fewer of them"

#: The value at a threshold, and its caveats.
_Point: TypeAlias = tuple[float, tuple[str, ...]]


class _Curve(NamedTuple):
    """Decreasing thresholds from infinity, with the share predicted positive and results."""

    threshold: Array
    share: Array
    result: Callable[[int], AmplificationResult]
    #: The counts of all thresholds, if many of them can be scored at once.
    steps: Steps | None = None
    #: Makes those of a matrix of scores, which is worth it for many thresholds.
    of_matrix: Callable[[], MatrixSteps] | None = None


def threshold_sweep(
    metric: Metric,
    y_true: Any,
    y_score: Any = None,
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    attribute_score: Any = None,
    y_pred: Any = None,
    pos_group: Label | None = None,
    sample_weight: Any = None,
    q: int | None = None,
) -> pd.DataFrame:
    """Evaluate a metric at every threshold, against the share of rows predicted positive.

    At a threshold, the rows whose score is at least as high are predicted positive. Either the
    predicted task is swept, with ``y_score``, or the predicted attribute, with
    ``attribute_score``; the other prediction stays as it is given.

    Parameters
    ----------
    metric : metric object
        With ``y_score``, one that reads the predicted task: MALS, LA, or any other A->T or
        undirected metric. The positive label is ``metric.pos_label``. By default, it is 1 for 0/1,
        -1/1 and booleans, and the last of two other labels. With ``attribute_score``, one that
        reads the predicted attribute: MALS, Multi undirected, or any T->A metric.
    y_true : array-like of shape (n,) or (n, K)
        Labels of two classes, or a 0/1 matrix if ``y_score`` is a matrix. With
        ``attribute_score``, any labels or 0/1 matrix. None if the metric does not need the truth.
    y_score : array-like of shape (n,) or (n, K), optional
        Scores of the positive label on any scale. All columns of a matrix have the same
        threshold, so their scores should share a scale.
    sensitive_features, sample_weight
        As in a call of the metric.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute, as in a call of the metric. Only with ``y_score``.
    attribute_score : array-like of shape (n,) or (n, G), or Indicators of scores, optional
        Scores of the positive one of two groups, or a matrix with one column for each group, by
        the names of its columns or in the order of the groups. All columns have the same
        threshold, and rows may reach it in no column or in several.
    y_pred : same as ``y_true``, optional
        Predicted task, as in a call of the metric: MALS and Multi undirected need it. Only with
        ``attribute_score``.
    pos_group : label, optional
        The group that a vector ``attribute_score`` is of. By default, it is the last one of two,
        and 1 of 0/1, -1/1 and booleans, as for task labels.
    q : int, optional
        Evaluate at q thresholds, those at which the share first reaches 1/(q + 1), ...,
        q/(q + 1), and at both ends. By default, at every distinct score, which is slow on large
        data.

    Returns
    -------
    DataFrame
        One row for each threshold: ``threshold``, from infinity down to the lowest score;
        ``share``, the weighted share of rows predicted positive, or predicted to be of the
        positive group (of all entries of a matrix), from 0 to 1; and ``value``, NaN where the
        metric is undefined.

    Raises
    ------
    ValueError
        If the metric does not read what is swept, a score is NaN or infinite, what a vector of
        scores predicts does not have two labels, or an input breaks a rule of the metric.

    Warns
    -----
    AmplificationWarning
        Once for each caveat that holds at every threshold, and once for all others.

    Notes
    -----
    The rows of a vector are counted once; then only counts move from negative to positive. Those
    of a matrix of up to 8 million scores are counted once too if more than 200 thresholds are
    evaluated. At fewer thresholds, for label sets of Multi, and for DPA of a label matrix, the
    metric is called at each threshold.
    LA and DPA draw their flips at each threshold from the same seed, so a sweep can be repeated.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 3.3 ([W21]). Its earlier
    version of 2020 draws MALS and T->A over the share of people who are predicted to be men, in
    Fig. 3 ([W20]).

    Examples
    --------
    Both rows of group 1 are positive and one of two in group 2, so group 1 correlates with 1. At
    0.6, the predicted rates are 1 and 0: P(1 | group 2) is too low by one half, which amplifies
    bias by one half, and the mean over both groups is .25. If all rows get the same prediction, the
    rates of 1 and .5 become equal: -.25.

    >>> from biasamp_adapters import DirectionalBiasAmplification, threshold_sweep
    >>> metric = DirectionalBiasAmplification(direction="A->T")
    >>> y_true, group = [1, 1, 1, 0], [1, 1, 2, 2]
    >>> threshold_sweep(metric, y_true, [0.9, 0.6, 0.4, 0.2], sensitive_features=group)
       threshold  share  value
    0        inf   0.00  -0.25
    1        0.9   0.25   0.00
    2        0.6   0.50   0.25
    3        0.4   0.75   0.00
    4        0.2   1.00  -0.25

    Another model scores how likely group 2 is, which has a third of the rows of class 1 and all of
    class 0. At 0.8, it has none of class 1: this rate and that of group 1 move by a third, along
    their correlations. The rates of class 0 stay, and the mean of the four is 1/6. If all rows get
    the same group, the classes no longer differ: -1/3.

    >>> metric = DirectionalBiasAmplification(direction="T->A")
    >>> scored = {"attribute_score": [0.1, 0.4, 0.3, 0.8], "sensitive_features": group}
    >>> threshold_sweep(metric, y_true, **scored).round(3)
       threshold  share  value
    0        inf   0.00 -0.333
    1        0.8   0.25  0.167
    2        0.4   0.50  0.000
    3        0.3   0.75 -0.167
    4        0.1   1.00 -0.333
    """
    inputs = Inputs(y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight)
    swept = swept_by(metric, y_score, attribute_score, pos_group)
    _check(q)
    given = SweepInputs.of(swept, inputs, y_score if attribute_score is None else attribute_score)
    with warnings.catch_warnings():
        # Thousands of thresholds would repeat the warnings that are given once below.
        warnings.simplefilter("ignore", AmplificationWarning)
        curve = (_from_counts if given.can_be_counted(metric) else _from_calls)(metric, given)
        chosen = _chosen(curve.share, q)
        points = _evaluated(metric, curve, chosen)
    _warn_once(metric, points)
    values = [value for value, _ in points]
    threshold, share = curve.threshold[chosen], curve.share[chosen]
    return pd.DataFrame({"threshold": threshold, "share": share, "value": values})


def threshold_free(
    metric: Metric,
    y_true: Any,
    y_score: Any = None,
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    attribute_score: Any = None,
    y_pred: Any = None,
    pos_group: Label | None = None,
    sample_weight: Any = None,
    q: int | None = None,
) -> float:
    """Integrate a metric over the share of rows that are predicted positive.

    The trapezoid integral over [0, 1] of the curve that
    :func:`~biasamp_adapters.threshold_sweep` gives. It has the unit and the range of the metric,
    and depends on the order of the scores only. Undefined points, such as MALS at share 0, are left
    out: the curve joins their neighbours, and is shorter if they are at an end.

    Parameters
    ----------
    metric, y_true, y_score, sensitive_features, sensitive_features_pred
        As in :func:`~biasamp_adapters.threshold_sweep`.
    attribute_score, y_pred, pos_group, sample_weight, q
        As in :func:`~biasamp_adapters.threshold_sweep`.

    Returns
    -------
    float
        NaN if fewer than two points of the curve are defined.

    Raises
    ------
    ValueError
        As in :func:`~biasamp_adapters.threshold_sweep`.

    Warns
    -----
    AmplificationWarning
        As in :func:`~biasamp_adapters.threshold_sweep`, and if the value is NaN.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 3.3 ([W21]), which takes the
    idea from Chen and Wu, "Towards Threshold Invariant Fair Classification", 2020.

    Examples
    --------
    The curve of the example in :func:`~biasamp_adapters.threshold_sweep` rises from -.25 to .25 and
    falls again, in steps of a quarter.

    >>> from biasamp_adapters import DirectionalBiasAmplification, threshold_free
    >>> metric = DirectionalBiasAmplification(direction="A->T")
    >>> y_true, group = [1, 1, 1, 0], [1, 1, 2, 2]
    >>> threshold_free(metric, y_true, [0.9, 0.6, 0.4, 0.2], sensitive_features=group)
    0.0
    """
    curve = threshold_sweep(
        metric,
        y_true,
        y_score,
        sensitive_features=sensitive_features,
        sensitive_features_pred=sensitive_features_pred,
        attribute_score=attribute_score,
        y_pred=y_pred,
        pos_group=pos_group,
        sample_weight=sample_weight,
        q=q,
    ).dropna()
    if len(curve) < 2:
        warn(
            f"{metric.__name__}: the value is NaN, because an integral over thresholds needs two "
            f"at which the metric is defined; there are {len(curve)}"
        )
        return float("nan")
    return float(integral(curve["share"].to_numpy(), curve["value"].to_numpy()))


def _check(q: int | None) -> None:
    if q is not None and not (is_whole(q) and q >= 1):
        raise ValueError(f"q must be a whole number of at least 1; received {q!r}")


def _chosen(share: Array, q: int | None) -> Array:
    """The steps to evaluate, of those with the given shares of rows predicted positive."""
    if q is None:
        return np.arange(len(share))
    quantiles = np.arange(1, q + 1) / (q + 1)
    return np.unique([0, *np.searchsorted(share, quantiles), len(share) - 1])


def _from_counts(metric: Metric, given: SweepInputs) -> _Curve:
    """The curve of labels: rows are counted once, by the rank of their score."""
    distinct, rank = np.unique(-given.scores, return_inverse=True)
    flips = isinstance(metric, PredictabilityMetric)
    options = _options(metric)
    # Ranks are labels that no list holds.
    del options[given.swept.role.domain]
    ranked_rows = given.predicting(rank)
    with renaming_errors({given.name: given.swept.argument}):
        ranked = (
            # Only flips move single rows; elsewhere sums of weights make fewer cells.
            JointCounts.from_arrays(*ranked_rows, **options, by_weight=True)
            if flips
            else count_arrays(ranked_rows, **options)
        )
    steps = steps_of(metric, ranked, given.swept)
    return _Curve(
        np.concatenate([[np.inf], -distinct[steps.ranks]]),
        steps.share,
        lambda step: metric.from_counts(steps.counts(step)),
        None if flips else steps,
    )


def _options(metric: Metric) -> dict[str, Any]:
    """How rows are counted for a metric."""
    labels = labels_of_predictions(metric.labels, getattr(metric, "reference", None))
    return {"labels": labels, "groups": metric.groups, "missing": metric.missing}


def _from_calls(metric: Metric, given: SweepInputs) -> _Curve:
    """The curve of scores whose metric is called at a threshold, which all columns share."""
    scores, swept = given.scores, given.swept
    if given.inputs.sample_weight is None:
        # Of millions of scores, their ranks would take most of the time and of the memory.
        distinct, added = np.unique(-scores, return_counts=True)
    else:
        weight = read_weights(given.inputs.sample_weight, (swept.argument, len(scores)))
        distinct, rank = np.unique(-scores, return_inverse=True)
        entries = np.repeat(weight, scores.size // len(scores))
        added = np.bincount(rank.ravel(), weights=entries)
    threshold, share = np.concatenate([[np.inf], -distinct]), shares(added)
    predicted = _predicted(metric, given)

    def result(step: int) -> AmplificationResult:
        with renaming_errors({given.name: swept.argument}):
            called = given.predicting(predicted(scores >= threshold[step]))
            return metric.result(**called._asdict())

    def of_matrix() -> MatrixSteps:
        rank = np.searchsorted(distinct, -scores)
        ranked_rows = given.predicting(predicted(as_chances(rank, len(distinct))))
        ranked = count_arrays(ranked_rows, **_options(metric), merges=False)
        return MatrixSteps(aligned_truth(metric, ranked), swept.role, len(distinct))

    at_once = scores.ndim == 2 and scores.size <= _MOST_SCORES
    return _Curve(threshold, share, result, of_matrix=of_matrix if at_once else None)


def _predicted(metric: Metric, given: SweepInputs) -> Callable[[Array], Any]:
    """A function from which scores reach a threshold to the prediction that a metric takes."""
    role, names = given.swept.role, given.names
    if given.scores.ndim == 2 and not role.of_attribute:
        # A table, so that the metric can match columns by name.
        return lambda above: above if names is None else pd.DataFrame(above, columns=[*names])
    truth = count_arrays(given.predicting(None), **_options(metric))
    listed = aligned_truth(metric, truth).labels_of(role)
    if given.scores.ndim == 2:
        if names is None and len(listed) != given.scores.shape[1]:
            raise ValueError(
                f"attribute_score must have a column for each of the groups {listing(listed)}; "
                f"received {given.scores.shape[1]} columns without names"
            )
        # Names of a table's columns are text, whatever the groups are.
        as_group = {str(group): group for group in listed}
        groups = listed if names is None else [as_group.get(str(name), name) for name in names]
        return lambda above: Indicators(above, groups)
    positive = given.swept.position(listed)
    # As objects: labels may be of any type.
    labels = np.array(listed, dtype=object)
    return lambda above: labels[np.where(above, positive, 1 - positive)]


def _evaluated(metric: Metric, curve: _Curve, chosen: Array) -> list[_Point]:
    """The metric at the chosen steps."""
    if curve.steps is not None:
        # Tables of many steps have the cells of all of them, which may be empty.
        middle = metric.from_counts(curve.steps.counts(chosen[len(chosen) // 2], empty=True))
        if isinstance(middle.measurement, Cooccurrence):
            width = max(curve.steps.width, middle.measurement.width)
            blocks = _blocks(curve.steps, width, middle.measurement, chosen)
            values = np.concatenate(list(progress(blocks, len(chosen), *_DOING)))
            return [(value, middle.notes) for value in values.tolist()]
    if curve.of_matrix is not None and len(chosen) > _MANY:
        measurement = curve.result(chosen[len(chosen) // 2]).measurement
        if isinstance(measurement, Cooccurrence) and not measurement.reads_sets:
            return _of_matrix(metric, curve.of_matrix(), chosen)
    # Results are not kept: each holds its counts.
    results = map(curve.result, chosen)
    called = ((1, (result.value, result.notes)) for result in results)
    return list(progress(called, len(chosen), *_DOING))


def _of_matrix(metric: Metric, steps: MatrixSteps, chosen: Array) -> list[_Point]:
    """A metric of co-occurrences at many steps of a matrix of scores."""
    # Caveats name columns in which nothing is predicted.
    alike = steps.alike(chosen).tolist()
    notes = {step: metric.from_counts(steps.counts(step)).notes for step in {*alike}}
    measured = cast("Cooccurrence", metric.from_counts(steps.counts(alike[0])).measurement)
    blocks = _blocks(steps, steps.width, measured, chosen)
    values = np.concatenate(list(progress(blocks, len(chosen), *_DOING)))
    return [(value, notes[step]) for value, step in zip(values.tolist(), alike, strict=True)]


def _blocks(
    steps: Steps | MatrixSteps, width: int, measurement: Cooccurrence, chosen: Array
) -> Iterator[tuple[int, Array]]:
    """Values of many steps at a time, as one batch of tables like those of bootstrap replicates."""
    size = max(1, _BLOCK // width)
    for start in range(0, len(chosen), size):
        block = chosen[start : start + size]
        tables = steps.tables(block, measurement.evaluation.counts)
        yield len(block), measurement.scores(tables, None, BlockDraws())["value"]


def _warn_once(metric: Metric, points: list[_Point]) -> None:
    """Warn of each caveat that holds at every threshold, and once of all others.

    Undefined values are NaN in the result, and MALS always has one. Their notes are given only if
    no value is defined.
    """
    defined = [notes for value, notes in points if value == value]
    notes = defined or [notes for _, notes in points]
    n_points = Counter(chain(*notes))
    for note, n in n_points.items():
        if n == len(notes):
            warn(f"{metric.__name__}: {note}")
    others = [[note for note in point if n_points[note] < len(notes)] for point in notes]
    others = list(filter(None, others))
    if others:
        warn(
            f"{metric.__name__}: caveats apply at {len(others)} of {len(notes)} thresholds, "
            f"such as: {others[0][0]}"
        )
