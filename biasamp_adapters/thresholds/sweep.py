"""A metric at every threshold of a score, and integrated over them."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import is_whole
from biasamp_adapters._warnings import AmplificationWarning, warn
from biasamp_adapters.inputs.matrices import one_shape
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.bound import T_TO_A
from biasamp_adapters.thresholds.curve import Curve, Rows, from_calls, from_counts
from biasamp_adapters.thresholds.scores import read_scores


def threshold_sweep(
    metric: Metric,
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    q: int | None = None,
) -> pd.DataFrame:
    """The metric at every threshold, against the share of rows that are predicted positive.

    At a threshold, the rows whose score is at least as high are predicted positive.

    Parameters
    ----------
    metric : metric object
        One that reads the predicted task: MALS, LA, or another one A->T or undirected. The
        positive label is ``metric.pos_label``; without, 1 of 0/1, -1/1 and booleans, and the last
        of two other labels.
    y_true : array-like of shape (n,) or (n, K)
        Two labels; a 0/1 matrix where ``y_score`` is a matrix. None where the metric can do without
        the truth.
    y_score : array-like of shape (n,) or (n, K)
        Scores of the positive label on any scale. One threshold is that of all columns of a
        matrix, so their scores should share a scale.
    sensitive_features, sensitive_features_pred, sample_weight
        As the metric takes them.
    q : int, optional
        Evaluate at q thresholds, those at which the share first reaches 1/(q + 1), ...,
        q/(q + 1), and at both ends. Without, at every distinct score: of large data, that is long.

    Returns
    -------
    DataFrame
        One row a threshold: ``threshold``, from infinity down to the lowest score; ``share``, the
        weighted share of rows predicted positive (of all entries of a matrix), from 0 to 1; and
        ``value``, NaN where the metric is undefined.

    Raises
    ------
    ValueError
        If the metric does not read the predicted task, a score is NaN or infinite, the task has
        other than two labels, or an input breaks a rule of the metric.

    Warns
    -----
    AmplificationWarning
        Once for each caveat that holds at every threshold, and once for all others.

    Notes
    -----
    The rows of a vector are counted once; then only counts move from negative to positive. For a
    matrix, the metric is called at each threshold. LA and DPA draw their flips at each threshold
    from the same seed, so a sweep can be repeated.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 3.3 ([W21]).

    Examples
    --------
    Both rows of group 1 are positive and one of two in group 2, so group 1 goes with 1. At 0.6 the
    rates are 1 and 0: P(1 | group 2) is one half too low, which is one half of amplification, and
    the mean over both groups is .25. Where all rows are predicted alike, the rates of 1 and .5
    have become equal: -.25.

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
    """
    _check(metric, q)
    inputs = {
        "y_true": y_true,
        "y_score": y_score,
        "sensitive_features": sensitive_features,
        "sensitive_features_pred": sensitive_features_pred,
        "sample_weight": sample_weight,
    }
    warn_of_order((name, index_of(values)) for name, values in inputs.items())
    y_true, y_score = one_shape([y_true, y_score])
    rows = Rows(
        y_true,
        *read_scores(y_score),
        sensitive_features,
        sensitive_features_pred,
        sample_weight,
    )
    with warnings.catch_warnings():
        # Thousands of thresholds would repeat what is said once below.
        warnings.simplefilter("ignore", AmplificationWarning)
        curve = (from_counts if rows.single_label else from_calls)(metric, rows, q)
    _warn_once(metric, curve)
    return pd.DataFrame({"threshold": curve.threshold, "share": curve.share, "value": curve.value})


def threshold_free(
    metric: Metric,
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    q: int | None = None,
) -> float:
    """The metric integrated over the share of rows that are predicted positive.

    The trapezoid integral over [0, 1] of the curve that
    :func:`~biasamp_adapters.threshold_sweep` gives. It has the unit and the range of the metric,
    and depends on the order of the scores only. Undefined points, such as MALS at share 0, are left
    out: neighbours are joined across them, and at an end of the curve the integral stops short.

    Parameters
    ----------
    metric, y_true, y_score, sensitive_features, sensitive_features_pred, sample_weight, q
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
    The curve of the example there: quarter steps from -.25 up to .25 and down again.

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
        sample_weight=sample_weight,
        q=q,
    ).dropna()
    if len(curve) < 2:
        warn(
            f"{metric.__name__}: the value is NaN, because an integral over thresholds needs two "
            f"at which the metric is defined; there are {len(curve)}"
        )
        return float("nan")
    return float(np.trapezoid(curve["value"], curve["share"]))


def _check(metric: Metric, q: int | None) -> None:
    if not isinstance(metric, Metric):
        raise ValueError(f"metric must be a metric object such as MALS(); received {metric!r}")
    if metric.short_direction == T_TO_A:
        raise ValueError(
            "metric must read the predicted task: the task's scores do not enter T->A, which "
            f"compares predicted and true attributes; received {metric.__name__}"
        )
    if q is not None and not (is_whole(q) and q >= 1):
        raise ValueError(f"q must be a whole number of at least 1; received {q!r}")


def _warn_once(metric: Metric, curve: Curve) -> None:
    """Warn of what holds at every threshold, each, and of the rest together.

    An undefined value is there to be seen, and MALS always has one; its note is given only if there
    is no other value.
    """
    defined = [own for own, value in zip(curve.notes, curve.value, strict=True) if value == value]
    noted = defined or curve.notes
    often = Counter(note for own in noted for note in own)
    for note, n in often.items():
        if n == len(noted):
            warn(f"{metric.__name__}: {note}")
    others = [own for own in noted if any(often[note] < len(noted) for note in own)]
    if others:
        example = next(note for note in others[0] if often[note] < len(noted))
        warn(
            f"{metric.__name__}: caveats apply at {len(others)} of {len(noted)} thresholds, "
            f"such as: {example}"
        )
