"""Thresholds at which a model predicts positives as often as its training data contain them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array
from biasamp_adapters.inputs.columns import read_weights
from biasamp_adapters.thresholds.cuts import lowest_positive
from biasamp_adapters.thresholds.scores import read_scores


def calibrated_threshold(
    y_score: Any, prevalence: Any, *, sample_weight: Any = None
) -> float | Array:
    """The threshold at which as many rows are predicted positive as the prevalence asks for.

    With the prevalence p of the training data and N validation scores, the N p highest should be
    predicted positive, by ``score >= threshold``. If ties rule this out, the number of predicted
    positives is the possible one nearest to N p, and the smaller of two equally near ones.

    Parameters
    ----------
    y_score : array-like of shape (n,) or (n, K)
        Scores of the validation data on any scale, higher for likelier positives. The columns of
        a matrix are tasks.
    prevalence : float, array-like of shape (K,), Series or mapping
        Share of positives in the training data, in [0, 1]. For a matrix, one number for all
        columns or one for each, in the order of the columns; for a table of scores also by the
        names of its columns. Rounding errors do not decide ties: ``0.1 * 3`` is 3/10.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights. With them, sums of weights are compared instead of numbers of rows.

    Returns
    -------
    float or ndarray of shape (K,)
        The lowest score that is predicted positive, or infinity if there is none. For a matrix,
        one number for each column, found separately.

    Raises
    ------
    ValueError
        If a score is not a finite number; if a prevalence lies outside [0, 1], or there is not one
        for each column; if a weight is negative, or there is not one for each row.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 3.3 ([W21]).

    Examples
    --------
    Two of five training rows are positive, so the two highest of five scores should be as well.

    >>> from biasamp_adapters import calibrated_threshold
    >>> calibrated_threshold([0.9, 0.8, 0.6, 0.4, 0.2], prevalence=2 / 5)
    0.8

    With these ties, 0, 1 or 4 rows can be predicted positive; 1 is nearest to 4 * 0.5 = 2.

    >>> calibrated_threshold([0.9, 0.5, 0.5, 0.5], prevalence=0.5)
    0.9

    Of four rows, one should be positive in the first task and two in the second.

    >>> scores = [[0.9, 0.1], [0.4, 0.3], [0.2, 0.8], [0.1, 0.7]]
    >>> calibrated_threshold(scores, prevalence=[0.25, 0.5]).tolist()
    [0.9, 0.7]
    """
    scores, names = read_scores(y_score)
    shares = _read_prevalence(_in_order(prevalence, names), scores.shape[1:])
    weight = None
    if sample_weight is not None:
        weight = read_weights(sample_weight, ("y_score", len(scores)))
    if scores.ndim == 1:
        return lowest_positive(scores, float(shares), weight)
    columns = zip(scores.T, shares.tolist(), strict=True)
    return np.array([lowest_positive(column, share, weight) for column, share in columns])


def _in_order(prevalence: Any, names: list[str] | None) -> Any:
    """The prevalences of named tasks in the order of the columns of a table of scores."""
    if isinstance(prevalence, pd.Series):
        # Whole numbers are positions and not names of tasks.
        named = prevalence.index.dtype.kind not in "iu"
        prevalence = prevalence.to_dict() if named else prevalence.to_numpy()
    if not isinstance(prevalence, Mapping):
        return prevalence
    by_name = {str(name): share for name, share in prevalence.items()}
    if names is None or set(by_name) != set(names):
        columns = "a vector or matrix without names" if names is None else f"columns {names}"
        raise ValueError(
            f"prevalence with names must have those of the columns of y_score; received "
            f"{list(by_name)} for {columns}"
        )
    return [by_name[name] for name in names]


def _read_prevalence(prevalence: Any, shape: tuple[int, ...]) -> Array:
    try:
        shares = np.asarray(prevalence, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"prevalence must be numbers; received {prevalence!r}") from None
    if shares.ndim and shares.shape != shape:
        rule = f"for each of the {shape[0]} columns of y_score" if shape else "for a vector y_score"
        raise ValueError(f"prevalence must be one number {rule}; received the shape {shares.shape}")
    outside = shares[~((shares >= 0) & (shares <= 1))]
    if outside.size:
        raise ValueError(f"prevalence must lie in [0, 1]; received {outside.flat[0]}")
    return np.broadcast_to(shares, shape)
