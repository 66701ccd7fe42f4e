"""MALS, BA-> and Multi as functions, in the shape of ``demographic_parity_difference``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasamp_adapters._typing import Label
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.fairlearn.binding import call
from biasamp_adapters.metrics import (
    MALS,
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
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
    return call(
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
        Also "A->T" and "T->A", in any case.
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
    return call(
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
        Also "A->T" and "T->A", in any case.
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
    return call(
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
