"""The five metrics as functions, in the shape of Fairlearn's ``demographic_parity_difference``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.metrics import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.predictability import Equalize, Evaluate

_WAY_OUT = (
    "MetricFrame repeats whatever sample_params holds once a row: bind parameters with a metric "
    "object, such as MALS(pos_label=1), or with functools.partial"
)


def mals_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    reference: Any = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    attribute: Any = None,
) -> float:
    """BiasAmp_MALS: how much more predictions join a task with the group it already favours.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, tasks)
        True and predicted task labels.
    sensitive_features : array-like of shape (n,) or (n, attributes)
        Protected attribute; several columns are crossed.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute. Without, the true one takes its place.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data.
    pos_label, labels, groups, missing
        As in :class:`biasamp_adapters.MALS`.
    attribute : same as ``sensitive_features``, optional
        Another name of it, for ``make_derived_metric``, which keeps ``sensitive_features``.

    Returns
    -------
    float
        In ``[-1, 1 - 1/|A|]``, without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        If an input breaks a rule, or holds a parameter that MetricFrame has repeated once a row.

    References
    ----------
    Zhao et al. (2017), as Eq. 1 of Wang and Russakovsky, "Directional Bias Amplification", 2021.

    Examples
    --------
    >>> from biasamp_adapters.fairlearn import mals_bias_amplification
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> round(mals_bias_amplification(y_true, y_pred, sensitive_features=[1] * 50 + [2] * 50), 4)
    0.2
    """
    return _call(
        MALS,
        (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute),
        reference=reference,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        missing=missing,
    )


def directional_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    direction: str = "attribute_to_task",
    reference: Any = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    attribute: Any = None,
) -> float:
    """BiasAmp directional: how far predictions strengthen the reference's correlations.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, attribute
        As in :func:`mals_bias_amplification`.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute; T->A needs it.
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A".
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, which set the directions.
    pos_label, labels, groups, missing
        As in :class:`biasamp_adapters.DirectionalBiasAmplification`.

    Returns
    -------
    float
        In [-1, 1], without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        As in :func:`mals_bias_amplification`.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Eq. 2.

    Examples
    --------
    Group 1 is positive in 40 of 50 rows, group 2 in 10 of 50; the model gives group 2 none. For
    the two groups P(T^|A) - P(T|A) is 0 and -.2, the correlation of the second with the positive
    class is negative: (0 + .2) / 2.

    >>> from biasamp_adapters.fairlearn import directional_bias_amplification
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> group = [1] * 50 + [2] * 50
    >>> round(directional_bias_amplification(y_true, y_pred, sensitive_features=group), 4)
    0.1
    """
    return _call(
        DirectionalBiasAmplification,
        (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute),
        direction=direction,
        reference=reference,
        pos_label=pos_label,
        labels=labels,
        groups=groups,
        missing=missing,
    )


def multi_attribute_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    direction: str = "attribute_to_task",
    reference: Any = None,
    pos_label: Label | None = None,
    combinations: str = "observed",
    min_size: int = 1,
    max_size: int | None = None,
    min_support: int = 1,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    attribute: Any = None,
) -> float:
    """Multi: how far predictions move the rates of groups and task sets, whichever way.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, attribute
        As in :func:`mals_bias_amplification`.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute; T->A needs it.
    direction : {"attribute_to_task", "task_to_attribute", "undirected"}
        Also "A->T" and "T->A".
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, which fix the task sets.
    pos_label, combinations, min_size, max_size, min_support, labels, groups, missing
        As in :class:`biasamp_adapters.MultiAttributeBiasAmplification`.

    Returns
    -------
    float
        In [0, 1], undirected [0, 2), without a unit. It has no sign.

    Raises
    ------
    ValueError
        As in :func:`mals_bias_amplification`.

    References
    ----------
    Zhao et al. (2023), as Eq. 10-12 of Tokas et al., "DPA", 2025.

    Examples
    --------
    >>> from biasamp_adapters.fairlearn import multi_attribute_bias_amplification
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> group = [1] * 50 + [2] * 50
    >>> round(multi_attribute_bias_amplification(y_true, y_pred, sensitive_features=group), 4)
    0.1
    """
    return _call(
        MultiAttributeBiasAmplification,
        (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute),
        direction=direction,
        reference=reference,
        pos_label=pos_label,
        combinations=combinations,
        min_size=min_size,
        max_size=max_size,
        min_support=min_support,
        labels=labels,
        groups=groups,
        missing=missing,
    )


def leakage_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    attacker: str = "exact",
    quality: str = "accuracy",
    equalize: Equalize = "auto",
    evaluation: Evaluate = "auto",
    n_trials: int = 100,
    random_state: RandomState = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    attribute: Any = None,
) -> float:
    """LA: how much better the predicted task gives the attribute away than the true one.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, attribute
        As in :func:`mals_bias_amplification`.
    sensitive_features_pred : ignored
        LA is not directional; here so that all five functions take the same columns.
    attacker, quality, equalize, evaluation, n_trials, random_state, labels, groups, missing
        As in :class:`biasamp_adapters.LeakageAmplification`.

    Returns
    -------
    float
        For accuracy in [-1, 1], without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        As in :func:`mals_bias_amplification`.

    References
    ----------
    Wang et al. (2019), as in Tokas et al., "DPA", 2025, Sec. 1 and Appendix I.

    Examples
    --------
    >>> from biasamp_adapters.fairlearn import leakage_amplification
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y_true = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> y_pred = [1] * 50 + [0] * 50
    >>> value = leakage_amplification(y_true, y_pred, sensitive_features=group, equalize=None)
    >>> round(value, 4)
    0.4
    """
    return _call(
        LeakageAmplification,
        (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute),
        attacker=attacker,
        quality=quality,
        equalize=equalize,
        evaluation=evaluation,
        n_trials=n_trials,
        random_state=random_state,
        labels=labels,
        groups=groups,
        missing=missing,
    )


def directional_predictability_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    direction: str = "attribute_to_task",
    attacker: str = "exact",
    quality: str = "inverse_cross_entropy",
    equalize: Equalize = "auto",
    evaluation: Evaluate = "auto",
    n_trials: int = 100,
    random_state: RandomState = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    attribute: Any = None,
) -> float:
    """DPA: how much better one variable predicts the model's other one than the true one.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, attribute
        As in :func:`mals_bias_amplification`.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute; T->A needs it.
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A".
    attacker, quality, equalize, evaluation, n_trials, random_state, labels, groups, missing
        As in :class:`biasamp_adapters.DirectionalPredictabilityAmplification`.

    Returns
    -------
    float
        In [-1, 1], without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        As in :func:`mals_bias_amplification`.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Eq. 1-6.

    Examples
    --------
    >>> from biasamp_adapters.fairlearn import directional_predictability_amplification
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y_true = ([1] * 25 + [0] * 25) * 2
    >>> y_pred = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> value = directional_predictability_amplification(
    ...     y_true, y_pred, sensitive_features=group, equalize="expected"
    ... )
    >>> round(value, 4)
    0.0147
    """
    return _call(
        DirectionalPredictabilityAmplification,
        (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute),
        direction=direction,
        attacker=attacker,
        quality=quality,
        equalize=equalize,
        evaluation=evaluation,
        n_trials=n_trials,
        random_state=random_state,
        labels=labels,
        groups=groups,
        missing=missing,
    )


_METRICS: dict[Callable[..., float], type[Metric]] = {
    mals_bias_amplification: MALS,
    directional_bias_amplification: DirectionalBiasAmplification,
    multi_attribute_bias_amplification: MultiAttributeBiasAmplification,
    leakage_amplification: LeakageAmplification,
    directional_predictability_amplification: DirectionalPredictabilityAmplification,
}

#: Parameters that may be arrays; of all others an array is one value, repeated once a row.
_LISTS = ("labels", "groups", "reference")


def _call(metric: type[Metric], rows: tuple[Any, ...], **parameters: Any) -> float:
    for name, value in parameters.items():
        if isinstance(value, np.ndarray) and name not in _LISTS:
            raise ValueError(
                f"{name} must be one value; received an array of {value.size}: {_WAY_OUT}"
            )
    *columns, attribute = rows
    for name, values in zip(
        ("sensitive_features", "attribute"), (columns[2], attribute), strict=True
    ):
        if isinstance(values, np.ndarray) and isinstance(next(iter(values.flat), None), Indicators):
            raise ValueError(
                f"{name} must hold labels; received Indicators repeated once a row: MetricFrame "
                "cannot split them; call the function itself, or amplification_frame"
            )
    y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight = columns
    return metric(**parameters)(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sensitive_features_pred=sensitive_features_pred,
        sample_weight=sample_weight,
        attribute=attribute,
    )


def as_metric(function: Any) -> Metric | None:
    """The metric object that computes the same as one of these functions, if it is one."""
    if isinstance(function, Metric):
        return function
    if isinstance(function, partial) and function.func in _METRICS and not function.args:
        return _METRICS[function.func](**function.keywords)
    kind = _METRICS.get(function)
    return None if kind is None else kind()
