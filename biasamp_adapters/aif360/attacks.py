"""LA and DPA in the conventions of ``aif360.sklearn``."""

from __future__ import annotations

from typing import Any

from biasamp_adapters._typing import Label
from biasamp_adapters.aif360.attributes import Attribute, value
from biasamp_adapters.metrics import DirectionalPredictabilityAmplification, LeakageAmplification


def leakage_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    prot_attr: Any = None,
    prot_attr_pred: Any = None,
    priv_group: Label | None = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> float:
    """LA: how much better the predicted label gives the group away than the true one.

    Parameters
    ----------
    y_true, y_pred, prot_attr, priv_group, sample_weight
        As in :func:`~biasamp_adapters.aif360.mals_bias_amplification`.
    prot_attr_pred : array-like of shape (n,) or (n, attributes), optional
        Predicted protected attributes; LA does not read them.
    **parameters
        As in :class:`biasamp_adapters.LeakageAmplification`.

    Returns
    -------
    float
        For accuracy in [-1, 1], without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.

    References
    ----------
    Wang et al. (2019), as in Tokas et al., "DPA", 2025, Sec. 1 and Appendix I.

    Examples
    --------
    >>> import pandas as pd
    >>> from biasamp_adapters.aif360 import leakage_amplification
    >>> sex = pd.Index(["male"] * 50 + ["female"] * 50, name="sex")
    >>> y_true = pd.Series([1] * 30 + [0] * 20 + [1] * 20 + [0] * 30, index=sex)
    >>> y_pred = [1] * 50 + [0] * 50
    >>> round(leakage_amplification(y_true, y_pred, prot_attr="sex", equalize=None), 4)
    0.4
    """
    return value(
        LeakageAmplification,
        y_true,
        y_pred,
        Attribute(prot_attr, prot_attr_pred, priv_group),
        sample_weight,
        **parameters,
    )


def directional_predictability_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    prot_attr: Any = None,
    prot_attr_pred: Any = None,
    priv_group: Label | None = None,
    sample_weight: Any = None,
    direction: str = "attribute_to_task",
    **parameters: Any,
) -> float:
    """DPA: how much better one variable predicts the model's other one than the true one.

    Parameters
    ----------
    y_true, y_pred, prot_attr, priv_group, sample_weight
        As in :func:`~biasamp_adapters.aif360.mals_bias_amplification`.
    prot_attr_pred : array-like of shape (n,) or (n, attributes), optional
        Predicted protected attributes, for T->A.
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A", in any case.
    **parameters
        As in :class:`biasamp_adapters.DirectionalPredictabilityAmplification`.

    Returns
    -------
    float
        In [-1, 1], without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Eq. 1-6.

    Examples
    --------
    >>> import pandas as pd
    >>> from biasamp_adapters.aif360 import directional_predictability_amplification
    >>> sex = pd.Index(["male"] * 50 + ["female"] * 50, name="sex")
    >>> y_true = pd.Series(([1] * 25 + [0] * 25) * 2, index=sex)
    >>> y_pred = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> value = directional_predictability_amplification(
    ...     y_true, y_pred, prot_attr="sex", equalize="expected"
    ... )
    >>> round(value, 4)
    0.0147
    """
    return value(
        DirectionalPredictabilityAmplification,
        y_true,
        y_pred,
        Attribute(prot_attr, prot_attr_pred, priv_group),
        sample_weight,
        direction=direction,
        **parameters,
    )
