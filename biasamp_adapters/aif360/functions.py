"""MALS, BA-> and Multi in the conventions of ``aif360.sklearn``."""

from __future__ import annotations

from typing import Any

from biasamp_adapters._typing import Label
from biasamp_adapters.aif360.attributes import Attribute, value
from biasamp_adapters.metrics import (
    MALS,
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
)


def mals_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    prot_attr: Any = None,
    prot_attr_pred: Any = None,
    priv_group: Label | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    reference: Any = None,
    **parameters: Any,
) -> float:
    """BiasAmp_MALS: how much more predictions join a label with the group it already favours.

    Parameters
    ----------
    y_true : pandas.Series
        True labels, with the protected attributes as levels of the index.
    y_pred : array-like of shape (n,)
        Predicted labels.
    prot_attr : label, array-like or list of them, optional
        Levels of the index that are the protected attributes, or their values. Without, all levels
        are. Several are crossed.
    prot_attr_pred : array-like of shape (n,) or (n, attributes), optional
        Predicted protected attributes.
    priv_group : label or tuple, optional
        The privileged group, which is compared with all others as one. Without, every group stands
        for itself.
    pos_label : label, optional
        The one label to look at.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    reference : pandas.Series, (y_true, prot_attr), counts or BaseRates, optional
        The training data; a Series carries the protected attributes in its index.
    **parameters
        As in :class:`biasamp_adapters.MALS`.

    Returns
    -------
    float
        In ``[-1, 1 - 1/|A|]``, without a unit; 0 is no amplification and worse is positive.

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.

    References
    ----------
    Zhao et al. (2017), as Eq. 1 of Wang and Russakovsky, "Directional Bias Amplification", 2021.

    Examples
    --------
    >>> import pandas as pd
    >>> from biasamp_adapters.aif360 import mals_bias_amplification
    >>> sex = pd.Index(["male"] * 50 + ["female"] * 50, name="sex")
    >>> y_true = pd.Series([0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, index=sex)
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 50
    >>> round(mals_bias_amplification(y_true, y_pred, prot_attr="sex", pos_label=1), 4)
    0.2
    """
    return value(
        MALS,
        y_true,
        y_pred,
        Attribute(prot_attr, prot_attr_pred, priv_group),
        sample_weight,
        pos_label=pos_label,
        reference=reference,
        **parameters,
    )


def directional_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    prot_attr: Any = None,
    prot_attr_pred: Any = None,
    priv_group: Label | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    direction: str = "attribute_to_task",
    reference: Any = None,
    **parameters: Any,
) -> float:
    """BiasAmp directional: how far predictions strengthen the reference's correlations.

    Parameters
    ----------
    y_true, y_pred, prot_attr, priv_group, sample_weight
        As in :func:`mals_bias_amplification`.
    prot_attr_pred : array-like of shape (n,) or (n, attributes), optional
        Predicted protected attributes, for T->A.
    pos_label : label, optional
        The one label to look at.
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A", in any case.
    reference : pandas.Series, (y_true, prot_attr), counts or BaseRates, optional
        The training data; a Series carries the protected attributes in its index.
    **parameters
        As in :class:`biasamp_adapters.DirectionalBiasAmplification`.

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
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Eq. 2.

    Examples
    --------
    >>> import pandas as pd
    >>> from biasamp_adapters.aif360 import directional_bias_amplification
    >>> sex = pd.Index(["male"] * 50 + ["female"] * 50, name="sex")
    >>> y_true = pd.Series([0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, index=sex)
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 50
    >>> round(directional_bias_amplification(y_true, y_pred, prot_attr="sex"), 4)
    0.1
    """
    return value(
        DirectionalBiasAmplification,
        y_true,
        y_pred,
        Attribute(prot_attr, prot_attr_pred, priv_group),
        sample_weight,
        direction=direction,
        pos_label=pos_label,
        reference=reference,
        **parameters,
    )


def multi_attribute_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    prot_attr: Any = None,
    prot_attr_pred: Any = None,
    priv_group: Label | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    direction: str = "attribute_to_task",
    reference: Any = None,
    **parameters: Any,
) -> float:
    """Multi: how far predictions move the rates of groups and labels, whichever way.

    Parameters
    ----------
    y_true, y_pred, prot_attr, priv_group, sample_weight
        As in :func:`mals_bias_amplification`.
    prot_attr_pred : array-like of shape (n,) or (n, attributes), optional
        Predicted protected attributes, for T->A.
    pos_label : label, optional
        The one label to look at.
    direction : {"attribute_to_task", "task_to_attribute", "undirected"}
        Also "A->T" and "T->A", in any case.
    reference : pandas.Series, (y_true, prot_attr), counts or BaseRates, optional
        The training data; a Series carries the protected attributes in its index.
    **parameters
        As in :class:`biasamp_adapters.MultiAttributeBiasAmplification`.

    Returns
    -------
    float
        In [0, 1], undirected [0, 2), without a unit. It has no sign.

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.

    References
    ----------
    Zhao et al. (2023), as Eq. 10-12 of Tokas et al., "DPA", 2025.

    Examples
    --------
    >>> import pandas as pd
    >>> from biasamp_adapters.aif360 import multi_attribute_bias_amplification
    >>> sex = pd.Index(["male"] * 50 + ["female"] * 50, name="sex")
    >>> y_true = pd.Series([0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, index=sex)
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 50
    >>> round(multi_attribute_bias_amplification(y_true, y_pred, prot_attr="sex"), 4)
    0.1
    """
    return value(
        MultiAttributeBiasAmplification,
        y_true,
        y_pred,
        Attribute(prot_attr, prot_attr_pred, priv_group),
        sample_weight,
        direction=direction,
        pos_label=pos_label,
        reference=reference,
        **parameters,
    )
