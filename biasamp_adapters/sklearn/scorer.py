"""A scorer of how much bias a model amplifies, for searches and cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.metrics import make_scorer

from biasamp_adapters.counting.reference import read_reference
from biasamp_adapters.metrics.base import READING, T_TO_A, Metric, check_choice
from biasamp_adapters.metrics.functions import get_metric
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification, MALSBiasAmplification

#: What says that signs come from the rows that are evaluated.
EVALUATED = "evaluated"


def amplification_scorer(
    metric: Metric | str = "BA", *, sensitive_features: str | None = None, reference: Any = None
) -> Any:
    """Return a scorer of scikit-learn: minus the size of a metric, so that greater is better.

    It works in searches, cross-validation, pipelines and ``TunedThresholdClassifierCV``. Groups are
    a level of the index of ``y``, which ``sensitive_features`` names; or metadata, if metadata
    routing is enabled: the scorer then requests ``sensitive_features`` (and ``sample_weight``) by
    itself.

    Parameters
    ----------
    metric : Metric or str
        An object, or a name such as "BA", "MALS" or "LA". It reads predicted classes.
    sensitive_features : str, optional
        The level of y's index that holds the groups.
    reference : pair (y_train, sensitive_features_train), Counts or BaseRates, or "evaluated"
        Training data that decide the signs of BA and MALS, which need it. With "evaluated", the
        rows of each fold decide them, which adds noise. For a metric that is named.

    Returns
    -------
    scorer
        Called with (estimator, X, y). An error of a scorer becomes NaN in searches, and one with
        NaN alone picks its first candidate: give them ``error_score="raise"``.

    Raises
    ------
    ValueError
        If no level is named while routing is disabled, a reference is missing, or the metric is one
        of T->A, which reads no predicted classes.

    Examples
    --------
    All three positives are in group a. A constant prediction removes the gap of the rates in the
    labels, .75 and 0, of which BA is minus the half.

    >>> import pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> from biasamp_adapters.sklearn import amplification_scorer
    >>> group = pd.Index(["a"] * 4 + ["b"] * 4, name="group")
    >>> y = pd.Series([1, 1, 1, 0, 0, 0, 0, 0], index=group)
    >>> score = amplification_scorer(sensitive_features="group", reference=(y, group))
    >>> score(DummyClassifier().fit(y, y), y, y)
    -0.375

    In a search it is scored like accuracy, and a rule picks the candidate.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from biasamp_adapters.sklearn import MostAccurateWithin
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(),
    ...     {"max_depth": [1, 2]},
    ...     scoring={"accuracy": "accuracy", "amplification": score},
    ...     refit=MostAccurateWithin(0.02),
    ...     cv=2,
    ...     error_score="raise",
    ... )
    >>> search.fit(y.to_frame(), y).best_params_
    {'max_depth': 1}
    """
    is_evaluated = isinstance(reference, str)
    if is_evaluated:
        check_choice("reference", reference, (EVALUATED,))
    metric = get_metric(metric, reference=None if is_evaluated else reference)
    if metric.direction == T_TO_A:
        raise ValueError(f"metric must read predicted classes; {metric.name} reads none")
    has_signs = isinstance(metric, DirectionalBiasAmplification | MALSBiasAmplification)
    if has_signs and metric.reference is None and not is_evaluated:
        raise ValueError(
            f"{metric.short} needs reference=(y_train, groups_train), or reference={EVALUATED!r}"
        )
    # What is wrong with it is an error here, and not in the folds.
    read_reference(metric.reference, None, {name: getattr(metric, name) for name in READING})
    is_routed = get_config()["enable_metadata_routing"]
    if sensitive_features is None and not is_routed:
        raise ValueError(
            'name a level of y\'s index (sensitive_features="race"), or enable metadata routing '
            "first: sklearn.set_config(enable_metadata_routing=True)"
        )
    level: Any = sensitive_features
    if not isinstance(level, str | None):
        rule = "sensitive_features must be the name of a level of y's index"
        raise ValueError(f"{rule}; received a {type(level).__name__}")
    scorer = make_scorer(_size, greater_is_better=False, metric=metric, level=level)
    if not is_routed:
        return scorer
    requests = {"sample_weight": True}
    if sensitive_features is None:
        requests["sensitive_features"] = True
    return scorer.set_score_request(**requests)


def _size(
    y_true: Any,
    y_pred: Any,
    *,
    metric: Metric,
    level: str | None,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the size of a metric on the rows of a fold; raise if it is undefined on these."""
    groups = level if sensitive_features is None else sensitive_features
    if groups is None:
        raise ValueError(
            "sensitive_features must be passed on: search.fit(X, y, sensitive_features=race), "
            'or cross_validate(..., params={"sensitive_features": race})'
        )
    value = metric(y_true, y_pred, sensitive_features=groups, sample_weight=sample_weight)
    if np.isnan(value):
        raise ValueError(f"{metric.name} is undefined on these {len(y_pred)} rows")
    return abs(value)
