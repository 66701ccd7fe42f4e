"""Scores: a metric at all thresholds, each a model of the same rows, and what scores imply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters import words
from biasamp_adapters.counting.counts import columns_among, read_counts
from biasamp_adapters.counting.labels import ALL, PREDICTED, SCORE, Array
from biasamp_adapters.counting.margins import Margins, divide
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes
from biasamp_adapters.inference.bands import simultaneous_bands
from biasamp_adapters.inference.intervals import Estimate, Trust, estimate
from biasamp_adapters.inference.replicates import FurtherScores, replicate
from biasamp_adapters.metrics.base import Metric, check_draws, check_whole, only_model
from biasamp_adapters.metrics.functions import get_class_metric
from biasamp_adapters.progress import watch

#: Bytes that the predictions at all thresholds may take.
_MOST_BYTES = 2**31

#: More distinct scores are put into as many bins of about equal weight.
MOST_SCORES = 20

#: The most decimals with which a threshold is written.
_MOST_DECIMALS = 17

#: Shares are compared after rounding.
_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class ThresholdSweep:
    """A metric at the thresholds of a score.

    Attributes
    ----------
    metric, key : str
        The name of the metric, such as "BA A->T", and in letters, digits and underscores.
    frame : DataFrame
        One row for each threshold, from infinity down to the lowest score: ``threshold`` (rows with
        at least this score are predicted positive), ``share`` (of rows predicted positive),
        ``value``, ``low`` and ``high`` (its interval), ``band_low`` and ``band_high`` (which hold
        at all thresholds at once), and ``reason`` (why there is no interval).
    integral : Estimate
        The mean of the metric over shares from 0 to 1, by the trapezoid rule. Thresholds at which
        the metric is undefined are left out.
    notes : tuple of str
        Caveats.
    """

    metric: str
    key: str
    frame: pd.DataFrame
    integral: Estimate
    notes: tuple[str, ...]

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve by :func:`biasamp_adapters.plot.curves`; return the axes."""
        from biasamp_adapters.plot import curves

        return curves(self, ax=ax)

    def __repr__(self) -> str:
        lines = [f"{self.metric} over all thresholds: {self.integral}", self.frame.to_string()]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        return self.frame.round(4).to_html(index=False, escape=True)


def threshold_sweep(
    data: Any = None,
    y_score: Any = None,
    *,
    y_true: Any = None,
    metric: Metric | str = "BA",
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    reference: Any = None,
    n_thresholds: int | None = 50,
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> ThresholdSweep:
    """Evaluate a metric at the thresholds of a score, and integrate it over them.

    Parameters
    ----------
    data : frame, path or list of paths; or the values of ``y_true``
        One positional argument is data, and the others are names of its columns. Two are
        ``y_true`` and ``y_score``.
    y_score : array-like of shape (rows,), or name of a column
        Finite numbers, higher for likelier positives.
    y_true : array-like of shape (rows,), or name of a column
        Labels of two classes. The score is that of the metric's ``pos_label``; by default of 1 of
        0 or -1 and 1, else of the last class in order.
    metric : Metric or str
        One that reads predicted classes: an object, or a name such as "BA", "MALS" or "la".
    sensitive_features, sensitive_features_pred, sample_weight, clusters : object
        As in :meth:`DirectionalBiasAmplification.result`.
    reference : object, optional
        As for metrics; for a metric that is named.
    n_thresholds : int, optional
        Scores with more distinct values have so many thresholds, each of which adds about the same
        share of rows; None is a threshold at every distinct score.
    n_boot, confidence, random_state
        As in :meth:`DirectionalBiasAmplification.result`.

    Raises
    ------
    ValueError
        If an input cannot be read, a score is not finite, or the metric is one of T->A.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", ICML 2021, Sec. 3.3.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> y_true, score, group = [1, 1, 0, 1, 0, 0], [5, 4, 3, 3, 2, 1], list("aaabbb")
    >>> sweep = bam.threshold_sweep(y_true, score, sensitive_features=group, n_boot=0)
    >>> sweep.frame[["threshold", "share", "value"]].round(3)
       threshold  share  value
    0        inf  0.000 -0.167
    1        5.0  0.167  0.000
    2        4.0  0.333  0.167
    3        3.0  0.667  0.167
    4        2.0  0.833  0.000
    5        1.0  1.000 -0.167
    >>> round(sweep.integral.value, 3)
    0.056
    """
    seed = check_draws(n_boot, confidence, random_state)
    check_whole("n_thresholds", 1 if n_thresholds is None else n_thresholds, 1)
    metric = get_class_metric(metric, reference=reference)
    if y_score is None or (y_true is None and data is None):
        raise ValueError("y_true and y_score must be given; received None")
    columns = columns_among(locals())
    rows, names, thresholds = _read_models(data, columns, metric, n_thresholds)
    evaluation = metric.evaluate(rows, names)
    models = watch(rows.models, len(rows.models), "thresholds", "a smaller n_thresholds")
    measurements = [metric.measure(evaluation, model, seed) for model in models]
    reason = measurements[0].reason_not_to_draw
    shares = FurtherScores(evaluation, None, _share_at_thresholds, reason)
    scores, notes_on_draws = replicate([*measurements, shares], n_boot, seed)
    frame, integral = _summarize(thresholds, measurements, shares, scores, confidence)
    notes = filter(None, [*evaluation.notes, *notes_on_draws])
    return ThresholdSweep(metric.name, metric.key, frame, integral, tuple(notes))


def _share_at_thresholds(margins: Margins) -> dict[str, Array]:
    """Return the share of rows that each threshold predicts positive, (batch, thresholds)."""
    above = np.pad(margins.joint(ALL, SCORE)[:, 0].cumsum(axis=1), ((0, 0), (1, 0)))
    return {"share": above / margins.total[:, 0]}


# Reading. Only distinct rows of labels and ranks are kept: a model is a column of few cells.


def _read_models(
    data: Any, columns: Mapping[str, Any], metric: Metric, n_thresholds: int | None
) -> tuple[Rows, Mapping[str, Any] | None, Array]:
    """Return counted rows with a model for each threshold, and with the ranks of the scores.

    The first threshold is infinity, where no row is predicted positive. The others are decreasing.
    """
    options = metric.reading_options() | {"pos_label": metric.pos_label, "threshold": 0.0}
    counts, names = read_counts(data, columns, options, second=SCORE)
    rows, model = counts.rows, only_model(counts.rows)
    score, classes = rows.scores(model), rows.class_labels
    thresholds = _choose_thresholds(score, rows.weight, n_thresholds)
    rank = np.searchsorted(-thresholds, -score).astype(np.min_scalar_type(len(thresholds)))
    predicted_class, predicted_group = PREDICTED.values()
    kept = (*PREDICTED, predicted_group)
    variables = {key: v for key, v in rows.variables.items() if key[0] in kept}
    variables[SCORE, None] = Codes(tuple(thresholds), rank)
    rows = replace(rows, variables=variables).merged()
    rank, variables = rows.variable(SCORE).keys(), dict(rows.variables)
    groups = variables.pop((predicted_group, model), None)
    code = classes.index(rows.positive(metric.pos_label))
    thresholds = np.r_[np.inf, thresholds]
    if len(rows) * len(thresholds) > _MOST_BYTES:
        raise ValueError(f"n_thresholds must be smaller; received {len(thresholds) - 1} thresholds")
    for step, threshold in enumerate(thresholds):
        rule = f"{SCORE} >= {threshold}"
        codes = np.where(rank < step, code, 1 - code).astype(np.uint8)
        variables[predicted_class, rule] = Codes(classes, codes)
        if groups is not None:
            variables[predicted_group, rule] = groups
    return replace(rows, variables=variables), names, thresholds


def _choose_thresholds(score: Array, weight: Array, n_thresholds: int | None) -> Array:
    """Return decreasing thresholds: all scores, or some that add equal shares of the weight."""
    distinct = np.unique(score)
    if n_thresholds is None or len(distinct) <= n_thresholds:
        return distinct[::-1]
    shares = np.arange(1, n_thresholds + 1) / n_thresholds
    return -np.unique(np.quantile(-score, shares, weights=weight, method="inverted_cdf"))


# Measuring.


def _summarize(
    thresholds: Array,
    measurements: Sequence[Any],
    shares: FurtherScores,
    scores: Mapping[Any, dict[str, Array]],
    confidence: float,
) -> tuple[pd.DataFrame, Estimate]:
    """Return the table of a sweep, and the integral."""
    estimates = [m.result(scores.get(m, {}), (), confidence).estimate for m in measurements]
    ends = {name: np.array([getattr(x, name) for x in estimates]) for name in ("low", "high")}
    values, has_interval = np.array([x.value for x in estimates]), np.isfinite(ends["low"])
    replicates = np.column_stack([x.replicates for x in estimates])
    half_row, trusted = np.array([m.half_row for m in measurements]), values.copy()
    trusted[~has_interval] = np.nan
    bands = simultaneous_bands(trusted, replicates, half_row, confidence)
    share = shares.score(shares.evaluation.margins(None)[0])["share"]
    drawn = scores.get(shares, {"share": share[:0]})["share"]
    table = {"threshold": thresholds, "share": share[0], "value": values, **ends}
    table |= {"band_low": bands[0], "band_high": bands[1], "reason": [x.reason for x in estimates]}
    integrals = _integrate(np.vstack([values, replicates]), np.vstack([share, drawn]))
    reason = "" if has_interval.any() else estimates[-1].reason
    integral = estimate(float(integrals[0]), Trust(integrals[1:], reason), confidence)
    return pd.DataFrame(table), integral


def _integrate(values: Array, shares: Array) -> Array:
    """Return the integral of each row over its shares; what is undefined is left out."""
    integrals = np.full(len(values), np.nan)
    for row, is_defined in enumerate(np.isfinite(values)):
        if is_defined.sum() > 1:
            integrals[row] = np.trapezoid(values[row, is_defined], shares[row, is_defined])
    return integrals


# Thresholds that predict a share of rows positive. Rows are scores, whether they are positive, and
# weights: an array of shape (3, rows).


def can_be_cut(rows: Array) -> bool:
    """Return whether rows have both classes and different scores."""
    return bool(np.ptp(rows[:2], axis=1).all())


def nearest_threshold(
    rows: Array, share: Any = None, tolerance: float = 0.0, pooled: float | None = None
) -> float:
    """Return the threshold with the nearest share, or the one with most right near enough.

    By default, the share is that of the labels. The threshold lies half way between the lowest
    score that is predicted positive and the next lower one. With ``pooled``, rows that cannot be
    cut have that.
    """
    if pooled is not None and not can_be_cut(rows):
        return pooled
    score, positive, weight = rows
    if share is None:
        share = np.average(positive, weights=weight)
    distinct, rank = np.unique(-score, return_inverse=True)
    gains = np.bincount(rank, np.where(positive, weight, -weight))
    shares = np.cumsum(np.r_[0, np.bincount(rank, weight)]) / weight.sum()
    right = np.cumsum(np.r_[0, gains]) / weight.sum()
    distance = np.abs(shares - share).round(_DECIMALS)
    chosen = int(distance.argmin())
    if tolerance and distance.min() <= tolerance:
        right = np.where(distance <= tolerance, right.round(_DECIMALS), -np.inf)
        chosen = int(np.lexsort((distance, -right))[0])
    ends = np.r_[np.inf, -distinct, -np.inf]
    lowest, below = ends[chosen], ends[chosen + 1]
    middle = lowest / 2 + below / 2
    return float(lowest if middle == below > -np.inf else middle)


# What scores and decisions say of each other.


def bin_scores(score: Array, weight: Array | None = None) -> Codes:
    """Return the score of each row as a label, or the lowest of its bin if there are too many.

    Bins are cut once, on the data, over all rows: draws do not move them.

    Parameters
    ----------
    score : ndarray of shape (rows,)
        Finite numbers.
    weight : ndarray of shape (rows,), optional

    Examples
    --------
    >>> bin_scores(np.array([3.0, 1.0, 3.0])).labels
    (1.0, 3.0)
    """
    lowest = np.unique(score)
    if len(lowest) > MOST_SCORES:
        shares = np.arange(MOST_SCORES) / MOST_SCORES
        lowest = np.unique(np.quantile(score, shares, weights=weight, method="inverted_cdf"))
    codes = np.searchsorted(lowest, score, side="right") - 1
    return Codes(tuple(lowest.tolist()), codes.astype(np.uint8))


def implied_rates(by_group: Array, by_class: Array) -> Array:
    """Return the rates that the scores imply: the mean share of a class at the scores of a group.

    In every draw, the gap of the labels, that of these rates and that of the decisions are two
    steps, whose changes add up.

    Parameters
    ----------
    by_group : ndarray of shape (draws, groups, scores)
        Rows with each score in each group.
    by_class : ndarray of shape (draws, classes, scores)
        Rows with each score in each class.

    Returns
    -------
    ndarray of shape (draws, groups, classes)
        NaN for a group without rows.

    Examples
    --------
    At a score of 1 a quarter is positive, and at 2 a half. The first group has more of the latter.

    >>> by_group = np.array([[[1.0, 3.0], [3.0, 1.0]]])
    >>> by_class = np.array([[[3.0, 2.0], [1.0, 2.0]]])
    >>> implied_rates(by_group, by_class)[0, :, 1]
    array([0.4375, 0.3125])
    """
    shares = divide(by_class, by_class.sum(axis=1, keepdims=True), 0.0)
    return divide(by_group @ shares.swapaxes(1, 2), by_group.sum(axis=2, keepdims=True))


@np.errstate(over="ignore", invalid="ignore")  # Decimals of numbers near the largest one.
def decision_rule(score: Array, is_positive: Array) -> str | None:
    """Return the threshold that decisions follow, such as "5 or more"; None if they follow none.

    Parameters
    ----------
    score : ndarray of shape (rows,)
    is_positive : ndarray of bool, shape (rows,)

    Examples
    --------
    >>> decision_rule(np.array([3.0, 5.0, 7.0]), np.array([False, True, True]))
    '5 or more'
    >>> decision_rule(np.array([0.48, 0.53]), np.array([False, True]))
    '0.5 or more'
    >>> decision_rule(np.array([3.0, 5.0, 7.0]), np.array([False, True, False]))
    """
    highest = score[~is_positive].max(initial=-np.inf)
    lowest = score[is_positive].min(initial=np.inf)
    if highest >= lowest:
        return None
    if np.isinf(lowest):
        return words.MORE_THAN.format(threshold=f"{highest:.15g}")
    for decimals in range(_MOST_DECIMALS):
        threshold = f"{np.floor(lowest * 10.0**decimals) / 10.0**decimals:.15g}"
        if highest < float(threshold) <= lowest:
            return words.OR_MORE.format(threshold=threshold)
    return words.OR_MORE.format(threshold=lowest)
