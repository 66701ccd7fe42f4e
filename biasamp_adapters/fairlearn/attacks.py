"""LA and DPA as functions, in the shape of ``demographic_parity_difference``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.fairlearn.binding import call
from biasamp_adapters.metrics import DirectionalPredictabilityAmplification, LeakageAmplification
from biasamp_adapters.metrics.predictability import Equalize, Evaluate


def leakage_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    attacker: Any = "exact",
    quality: str = "accuracy",
    equalize: Equalize = "auto",
    evaluation: Evaluate = "auto",
    n_trials: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    attribute: Any = None,
) -> float:
    """LA: how much better the predicted task gives the attribute away than the true one.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, attribute
        As in :func:`~biasamp_adapters.fairlearn.mals_bias_amplification`.
    sensitive_features_pred : ignored
        LA is not directional; here so that all five functions take the same columns.
    attacker, quality, equalize, evaluation, n_trials, random_state, n_jobs, labels, groups, missing
        As in :class:`biasamp_adapters.LeakageAmplification`.

    Returns
    -------
    float
        For accuracy in [-1, 1], without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        As in :func:`~biasamp_adapters.fairlearn.mals_bias_amplification`.

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
    return call(
        LeakageAmplification,
        (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute),
        attacker=attacker,
        quality=quality,
        equalize=equalize,
        evaluation=evaluation,
        n_trials=n_trials,
        random_state=random_state,
        n_jobs=n_jobs,
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
    attacker: Any = "exact",
    quality: str = "inverse_cross_entropy",
    equalize: Equalize = "auto",
    evaluation: Evaluate = "auto",
    n_trials: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    attribute: Any = None,
) -> float:
    """DPA: how much better one variable predicts the model's other one than the true one.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, attribute
        As in :func:`~biasamp_adapters.fairlearn.mals_bias_amplification`.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute; T->A needs it.
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A", in any case.
    attacker, quality, equalize, evaluation, n_trials, random_state, n_jobs, labels, groups, missing
        As in :class:`biasamp_adapters.DirectionalPredictabilityAmplification`.

    Returns
    -------
    float
        In [-1, 1], without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        As in :func:`~biasamp_adapters.fairlearn.mals_bias_amplification`.

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
    return call(
        DirectionalPredictabilityAmplification,
        (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, attribute),
        direction=direction,
        attacker=attacker,
        quality=quality,
        equalize=equalize,
        evaluation=evaluation,
        n_trials=n_trials,
        random_state=random_state,
        n_jobs=n_jobs,
        labels=labels,
        groups=groups,
        missing=missing,
    )
