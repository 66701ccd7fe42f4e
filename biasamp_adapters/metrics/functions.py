"""The five metrics as functions, in the shape of those of Fairlearn, and by their names."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from biasamp_adapters.counting.labels import Label
from biasamp_adapters.figures import unknown_name
from biasamp_adapters.metrics.attacks import (
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
)
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A, UNDIRECTED, Metric
from biasamp_adapters.metrics.multi import MultiAttributeBiasAmplification
from biasamp_adapters.metrics.quality import UNCERTAINTY
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification, MALSBiasAmplification

__all__ = [
    "directional_bias_amplification",
    "directional_predictability_amplification",
    "leakage_amplification",
    "mals_bias_amplification",
    "multi_attribute_bias_amplification",
]


def mals_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    reference: Any = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
) -> float:
    """Return BiasAmp_MALS; see :class:`MALSBiasAmplification`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (rows,) or (rows, columns)
        Labels, or a label matrix of 0 and 1; ``y_pred`` may hold probabilities.
    sensitive_features : array-like of shape (rows,)
        Groups. A text is a level of ``y_true``'s index.
    sensitive_features_pred : array-like of shape (rows,), optional
        Predicted groups.
    reference : pair (y_true, sensitive_features), Counts or BaseRates, optional
        Data that decide which groups are over-represented; by default the evaluated labels.
    pos_label : label, optional
        The only class that is evaluated.
    sample_weight : array-like of shape (rows,), optional

    Returns
    -------
    float
        Between -1 and 1.

    Raises
    ------
    ValueError
        If an input cannot be read, there are fewer than two groups, or a setting is unknown.

    Examples
    --------
    >>> mals_bias_amplification([1, 1, 1, 0], [1, 1, 0, 0], sensitive_features=list("aabb"))
    0.33333333333333337
    """
    return _call(MALSBiasAmplification, locals())


def directional_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    reference: Any = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    direction: str = "A->T",
) -> float:
    """Return BA->, directional bias amplification; see :class:`DirectionalBiasAmplification`.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight
        As in :func:`mals_bias_amplification`.
    reference : pair (y_true, sensitive_features), Counts or BaseRates, optional
        Data that decide the signs; by default the evaluated labels.
    pos_label : label, optional
        The only class that is evaluated.
    direction : {"A->T", "T->A"}

    Returns
    -------
    float
        Between -1 and 1.

    Raises
    ------
    ValueError
        If an input cannot be read, there are fewer than two groups, or a setting is unknown.

    Examples
    --------
    >>> groups = ["a", "a", "b", "b", "b", "b"]
    >>> y_true, y_pred = [1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0]
    >>> directional_bias_amplification(y_true, y_pred, sensitive_features=groups)
    0.375
    """
    return _call(DirectionalBiasAmplification, locals())


def multi_attribute_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    reference: Any = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    direction: str = "A->T",
) -> float:
    """Return Multi: how far rates change; see :class:`MultiAttributeBiasAmplification`.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight
        As in :func:`mals_bias_amplification`; ``y_pred`` holds no probabilities.
    reference : pair (y_true, sensitive_features) or Counts, optional
        Data that decide which label sets are compared; by default the evaluated labels.
    pos_label : label, optional
        The only class that is evaluated.
    direction : {"A->T", "T->A", "undirected"}

    Returns
    -------
    float
        Between 0 and 1; undirected between 0 and 2.

    Raises
    ------
    ValueError
        If an input cannot be read, there are fewer than two groups, or a setting is unknown.

    Examples
    --------
    >>> groups = ["a", "a", "b", "b", "b", "b"]
    >>> y_true, y_pred = [1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0]
    >>> multi_attribute_bias_amplification(y_true, y_pred, sensitive_features=groups)
    0.375
    """
    return _call(MultiAttributeBiasAmplification, locals())


def leakage_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    reference: Any = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    attacker: Any = "exact",
    quality: Any = "balanced_accuracy",
) -> float:
    """Return LA, leakage amplification; see :class:`LeakageAmplification`.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight
        As in :func:`mals_bias_amplification`.
    reference : pair (y_true, sensitive_features) or Counts, optional
        Data whose classes and groups are known.
    pos_label : label, optional
        The class whose F1 is asked for; other qualities read all classes.
    attacker : "exact", "logistic", "dense" or scikit-learn estimator
    quality : str or callable

    Returns
    -------
    float
        Between -1 and 1 for qualities between 0 and 1.

    Raises
    ------
    ValueError
        If an input cannot be read, there are fewer than two groups, or a setting is unknown.

    Examples
    --------
    >>> y_true, y_pred = [1, 0, 1, 0], [1, 0, 1, 0]
    >>> leakage_amplification(y_true, y_pred, sensitive_features=["a", "a", "a", "b"])
    0.0
    """
    return _call(LeakageAmplification, locals())


def directional_predictability_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    reference: Any = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    direction: str = "A->T",
    attacker: Any = "exact",
    quality: Any = "inverse_cross_entropy",
) -> float:
    """Return DPA; see :class:`DirectionalPredictabilityAmplification`.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight
        As in :func:`mals_bias_amplification`.
    reference : pair (y_true, sensitive_features) or Counts, optional
        Data whose classes and groups are known.
    pos_label : label, optional
        The class whose F1 is asked for; other qualities read all classes.
    direction : {"A->T", "T->A"}
    attacker : "exact", "logistic", "dense" or scikit-learn estimator
    quality : str or callable

    Returns
    -------
    float
        Between -1 and 1; NaN, with a warning, if levels of a quality that may be below 0 are.

    Raises
    ------
    ValueError
        If an input cannot be read, there are fewer than two groups, or a setting is unknown.

    Examples
    --------
    >>> y_true, y_pred = [1, 1, 0, 0], [1, 1, 0, 0]
    >>> directional_predictability_amplification(y_true, y_pred, sensitive_features=list("abab"))
    0.0
    """
    return _call(DirectionalPredictabilityAmplification, locals())


def _call(metric_type: type[Metric], arguments: dict[str, Any]) -> float:
    """Return the value of a metric, from its settings and columns by their names."""
    settings = {x.name: arguments.pop(x.name) for x in fields(metric_type) if x.name in arguments}
    return metric_type(**settings)(**arguments)


#: The metric of each function, for hosts.
METRIC_OF: dict[Any, type[Metric]] = {
    mals_bias_amplification: MALSBiasAmplification,
    directional_bias_amplification: DirectionalBiasAmplification,
    multi_attribute_bias_amplification: MultiAttributeBiasAmplification,
    leakage_amplification: LeakageAmplification,
    directional_predictability_amplification: DirectionalPredictabilityAmplification,
}

# Metrics by their names and keys, such as "BA", "DPA(U) T->A" and "ba_t_to_a".

_NAMED: tuple[Metric, ...] = (
    MALSBiasAmplification(),
    DirectionalBiasAmplification(direction=A_TO_T),
    DirectionalBiasAmplification(direction=T_TO_A),
    MultiAttributeBiasAmplification(direction=A_TO_T),
    MultiAttributeBiasAmplification(direction=T_TO_A),
    MultiAttributeBiasAmplification(direction=UNDIRECTED),
    LeakageAmplification(),
    DirectionalPredictabilityAmplification(direction=A_TO_T),
    DirectionalPredictabilityAmplification(direction=T_TO_A),
    DirectionalPredictabilityAmplification(direction=A_TO_T, quality=UNCERTAINTY),
    DirectionalPredictabilityAmplification(direction=T_TO_A, quality=UNCERTAINTY),
)

#: Names without a direction mean "A->T".
_SHORT = {metric.name.removesuffix(" A->T"): metric for metric in _NAMED}
_BY_NAME = _SHORT | {name: x for x in _NAMED for name in (x.name, x.key)}


def get_metric(metric: Any, **settings: Any) -> Metric:
    """Return a metric object, or the one of a name or key with some settings.

    Parameters
    ----------
    metric : Metric or str
    **settings
        Settings of a metric that is named, such as ``reference``.
    """
    if isinstance(metric, Metric):
        given = [name for name, value in settings.items() if value is not None]
        if given:
            rule = f"{given[0]} must be a setting of the metric object, if there is one"
            raise ValueError(f"{rule}; received both {metric.name} and {given[0]}")
        return metric
    if not isinstance(metric, str):
        rule = 'metric must be an object or a name, such as "BA"'
        raise ValueError(f"{rule}; received {type(metric).__name__}")
    name = metric.replace("→", "->")
    if name not in _BY_NAME:
        raise ValueError(unknown_name("metric", name, _SHORT, _BY_NAME))
    return _BY_NAME[name].with_settings(settings)


def get_class_metric(metric: Any, reference: Any) -> Metric:
    """Return a metric of a name or an object; raise if it reads no predicted classes."""
    metric = get_metric(metric, reference=reference)
    if metric.direction == T_TO_A:
        raise ValueError(f"metric must read predicted classes; {metric.name} reads none")
    return metric
