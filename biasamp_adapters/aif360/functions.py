"""The metrics as functions in the conventions of ``aif360.sklearn``.

The protected attributes are levels of the index of ``y_true``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd
from aif360.sklearn.utils import check_groups

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.aif360.groups import PRIVILEGED, UNPRIVILEGED
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.host_functions import MetricFunctions
from biasamp_adapters.inputs.order import warn_of_order
from biasamp_adapters.metrics.base import Metric


@partial(MetricFunctions, attribute="prot_attr", predicted="prot_attr_pred")
def metric_function(
    metric: type[Metric],
    /,
    y_true: Any,
    y_pred: Any,
    *,
    prot_attr: Any = None,
    prot_attr_pred: Any = None,
    priv_group: Label | None = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> float:
    """{description}

    Parameters
    ----------
    y_true : pandas.Series
        True labels, with the protected attributes as levels of the index. ``reference`` takes such
        a Series as well.
    y_pred : array-like of shape (n,)
        Predicted labels.
    prot_attr : label, array-like or list of them, optional
        Levels of the index that hold the protected attributes, or the values themselves. By
        default, all levels. Several attributes are crossed.
    prot_attr_pred : array-like of shape (n,) or (n, attributes), optional
        Predicted protected attributes. T->A needs them; in MALS the true ones take their place; LA
        ignores them.
    priv_group : label or tuple, optional
        The privileged group. All others are then one group. By default, groups are not combined.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    {parameters}

    Returns
    -------
    float
        The value. Its meaning and range are described above.

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.

    {notes}

    Examples
    --------
    Men are positive in 40 of 50 rows, women in 10 of 50; the model predicts no positive woman.

    >>> import pandas as pd
    >>> from biasamp_adapters.aif360 import {name}
    >>> sex = pd.Index(["male"] * 50 + ["female"] * 50, name="sex")
    >>> y_true = pd.Series([0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, index=sex)
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 50
    >>> value = {name}(
    ...     y_true, y_pred, prot_attr="sex"{example}
    ... )
    >>> round(value, 4)
    {value}
    """
    warn_of_order([("y_true", y_true), *(("prot_attr", level) for level in _levels(prot_attr))])
    groups = _groups_of_rows(y_true, prot_attr)
    if priv_group is not None and priv_group not in groups:
        names = listing(ordered(group for group in groups if not _is_missing(group)))
        raise ValueError(f"priv_group must be one of the groups {names}; received {priv_group!r}")
    if "reference" in parameters:
        parameters["reference"] = _reference(parameters["reference"], prot_attr, priv_group)
    predicted = None
    if prot_attr_pred is not None:
        # An array would turn numbers into text if another column holds text.
        rows = pd.DataFrame(prot_attr_pred).itertuples(index=False, name=None)
        predicted = _sides((row if len(row) > 1 else row[0] for row in rows), priv_group)
    return metric(**parameters)(
        y_true,
        y_pred,
        sensitive_features=_sides(groups, priv_group),
        sensitive_features_pred=predicted,
        sample_weight=sample_weight,
    )


# Written out for editors and type checkers.
mals_bias_amplification = metric_function["mals_bias_amplification"]
directional_bias_amplification = metric_function["directional_bias_amplification"]
multi_attribute_bias_amplification = metric_function["multi_attribute_bias_amplification"]
leakage_amplification = metric_function["leakage_amplification"]
directional_predictability_amplification = metric_function[
    "directional_predictability_amplification"
]


def _groups_of_rows(y: Any, prot_attr: Any) -> list[Label]:
    """The group of each row, as AIF360 reads it from the index."""
    if isinstance(y, pd.Series | pd.DataFrame):
        names = list(y.index.names)
        if prot_attr is None and None in names:
            raise ValueError(
                "prot_attr must be given where levels of the index have no name; received an "
                f"index with the names {names}"
            )
        unknown = [x for x in _levels(prot_attr) if _is_name(x) and x not in names]
        if unknown:
            raise ValueError(
                f"prot_attr must name levels of the index of y_true, {names}, or hold one value "
                f"per row; received {', '.join(map(repr, unknown))}"
            )
    elif prot_attr is None:
        raise ValueError(
            "y_true must be a Series with the protected attributes in its index, or prot_attr must "
            f"hold their values; received a {type(y).__name__} and no prot_attr"
        )
    return list(check_groups(y, prot_attr)[0])


def _levels(prot_attr: Any) -> list[Any]:
    """The names of levels, or columns of values, that are the protected attributes."""
    if prot_attr is None:
        return []
    return prot_attr if isinstance(prot_attr, list) else [prot_attr]


def _is_name(level: Any) -> bool:
    return isinstance(level, str) or not hasattr(level, "__len__")


def _sides(groups: Iterable[Label], privileged: Label | None) -> Array:
    """Groups as labels, or as two sides if one is privileged. Missing groups stay missing."""

    def side(group: Label) -> Label:
        if _is_missing(group):
            return None
        if privileged is None:
            return group
        return PRIVILEGED if group == privileged else UNPRIVILEGED

    return pd.Series([side(group) for group in groups], dtype=object).to_numpy()


def _is_missing(group: Label) -> bool:
    """Whether a group, or a part of a crossed one, is missing."""
    return any(pd.isna(part) for part in (group if isinstance(group, tuple) else (group,)))


def _reference(reference: Any, prot_attr: Any, priv_group: Label | None) -> Any:
    """The training data as metrics take them."""
    if isinstance(reference, pd.Series):
        if not all(map(_is_name, _levels(prot_attr))):
            raise ValueError(
                "reference must be (y_true, prot_attr) where prot_attr holds values, which are "
                "those of the evaluated rows; received a Series"
            )
        return reference.to_numpy(), _sides(_groups_of_rows(reference, prot_attr), priv_group)
    if isinstance(reference, tuple) and len(reference) == 2 and priv_group is not None:
        return reference[0], _sides(reference[1], priv_group)
    return reference
