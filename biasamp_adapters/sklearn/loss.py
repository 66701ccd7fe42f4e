"""How much bias a prediction amplifies, as a loss that scikit-learn's ``make_scorer`` takes."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics.base import Metric, ReferencedMetric
from biasamp_adapters.metrics.bound import T_TO_A, UNDIRECTED
from biasamp_adapters.metrics.multi import MultiAttributeBiasAmplification
from biasamp_adapters.sklearn.locate import Place, located, names_of, row_count

Objective: TypeAlias = Literal["absolute", "signed"]
Predicts: TypeAlias = Literal["task", "attribute"]


class AmplificationLoss:
    """A metric as a loss for ``sklearn.metrics.make_scorer(..., greater_is_better=False)``.

    :func:`amplification_scorer` is made of it, and is what most searches need. The loss is for
    what calls a function instead of a scorer: ``TunedThresholdClassifierCV``, and ``RFECV``, which
    turns ``y`` into an array.

    Parameters
    ----------
    metric : MALS, DirectionalBiasAmplification or another metric object of this package
    objective : {"absolute", "signed"}
        Its size, so that de-biasing costs as much as amplification, or its value.
    predicts : {"task", "attribute"}
        What the estimator predicts. T->A metrics are for those that predict the attribute.
    sensitive_features : str or list of str, optional
        Level(s) of the index of ``y`` that hold the attribute (``predicts="task"``). Without, it is
        metadata.
    task : str, optional
        Level of the index of ``y`` that holds the true task (``predicts="attribute"``). Without, it
        is metadata.
    reference : "evaluated", optional
        Says that a metric without a reference takes the sign of correlations from the test fold.

    Raises
    ------
    ValueError
        If the metric gives every estimator the same score, would need a reference, or a parameter
        is unknown.

    Examples
    --------
    Both groups have 40 % positives in the training data and in the fold; the model exaggerates the
    difference that the training data have between "a" and "b".

    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.sklearn import AmplificationLoss
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> loss = AmplificationLoss(DirectionalBiasAmplification(reference=(y, group)))
    >>> round(loss(y, [1] * 40 + [0] * 60, sensitive_features=group), 4)
    0.3
    """

    def __init__(
        self,
        metric: Metric,
        *,
        objective: Objective = "absolute",
        predicts: Predicts = "task",
        sensitive_features: Place = None,
        task: Place = None,
        reference: Literal["evaluated"] | None = None,
    ) -> None:
        if not isinstance(metric, Metric):
            raise ValueError(
                "metric must be a metric object of biasamp_adapters, such as "
                f"DirectionalBiasAmplification(reference=...); received {metric!r}"
            )
        for name, value, allowed in (
            ("objective", objective, ("absolute", "signed")),
            ("predicts", predicts, ("task", "attribute")),
            ("reference", reference, (None, "evaluated")),
        ):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {list(allowed)}; received {value!r}")
        _check_prediction(metric, predicts)
        _check_reference(metric, reference)
        unused = "task" if predicts == "task" else "sensitive_features"
        if {"task": task, "sensitive_features": sensitive_features}[unused] is not None:
            raise ValueError(
                f"{unused} must not be given with predicts={predicts!r}, where it is y; received it"
            )
        self.predicts = predicts
        self.place = sensitive_features if predicts == "task" else task
        if self.place is not None and not names_of(self.place):
            raise ValueError(f"{self.beside} must name at least one place; received {self.place!r}")
        self.metric = metric
        self.objective = objective

    @property
    def __name__(self) -> str:
        return f"{self.objective} {self.metric.__name__}"

    def __repr__(self) -> str:
        place = "" if self.place is None else f", {self.beside}={self.place!r}"
        return (
            f"{type(self).__name__}({self.metric!r}, objective={self.objective!r}, "
            f"predicts={self.predicts!r}{place})"
        )

    @property
    def beside(self) -> str:
        """The variable that is not ``y``: "sensitive_features", or "task"."""
        return "sensitive_features" if self.predicts == "task" else "task"

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        sensitive_features: Any = None,
        task: Any = None,
        sample_weight: Any = None,
    ) -> float:
        """The loss on one fold.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,) or (n, tasks)
            What the estimator predicts, the task or the attribute, true and predicted.
        sensitive_features, task : array-like of shape (n,) or (n, columns), optional
            The other variable, where it is metadata.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the other variable is missing or has another length, or the metric is undefined.
        """
        given = {"sensitive_features": sensitive_features, "task": task}
        beside = given.pop(self.beside)
        if beside is None and self.place is not None:
            beside = located(self.place, self.beside, y_true)
        if beside is None:
            raise ValueError(self.forgotten())
        if next(iter(given.values())) is not None:
            raise ValueError(
                f"{next(iter(given))} is y with predicts={self.predicts!r}; received it as metadata"
            )
        for name, values in ((self.beside, beside), ("sample_weight", sample_weight)):
            if values is not None and row_count(values) != row_count(y_true):
                raise ValueError(
                    f"{name} must have a row for each row of the fold; received "
                    f"{row_count(values)} for {row_count(y_true)}: scikit-learn splits metadata of "
                    "the length of X only"
                )
        if self.place is None:
            inputs = {"y": y_true, self.beside: beside, "sample_weight": sample_weight}
            warn_of_order(((name, index_of(of)) for name, of in inputs.items()), fold=True)
        if self.predicts == "task":
            rows = {"y_true": y_true, "y_pred": y_pred, "sensitive_features": beside}
        else:
            rows = {"y_true": beside, "y_pred": None, "sensitive_features": y_true}
            rows["sensitive_features_pred"] = y_pred
        value = self.metric(**rows, sample_weight=sample_weight)
        if np.isnan(value):
            raise ValueError(
                f"{self.metric.__name__} is undefined on these {row_count(y_true)} rows"
            )
        return abs(value) if self.objective == "absolute" else value

    def forgotten(self) -> str:
        """What to say where the other variable is missing."""
        name = self.beside
        return (
            f"{name} must reach the scorer; received None. With "
            "sklearn.set_config(enable_metadata_routing=True), pass it as metadata: "
            f"search.fit(X, y, {name}=...), cross_validate(..., params={{'{name}': ...}}); with "
            f"make_scorer also call .set_score_request({name}=True). Without metadata routing, "
            f"name a level of y's index or, for amplification_scorer, a column of X: {name}='...'"
        )


def _check_prediction(metric: Metric, predicts: str) -> None:
    direction = metric.short_direction
    if predicts == "task" and direction == T_TO_A:
        raise ValueError(
            f"{metric.__name__} reads no predicted task, so every estimator that predicts the task "
            "would get one score: predicts must be 'attribute', for one that predicts the "
            "attribute; received 'task'"
        )
    if predicts == "attribute" and direction != T_TO_A:
        raise ValueError(
            f"{metric.__name__} needs predicted tasks, which an estimator that predicts the "
            "attribute does not give: direction must be 'T->A' with predicts='attribute'; received "
            f"{direction!r}"
        )


def _check_reference(metric: Metric, reference: str | None) -> None:
    if not isinstance(metric, ReferencedMetric):
        return
    if metric.reference is not None and reference is not None:
        raise ValueError("reference='evaluated' is for a metric without a reference; received one")
    unsigned = isinstance(metric, MultiAttributeBiasAmplification) and (
        metric.short_direction != UNDIRECTED
    )
    if metric.reference is None and reference is None and not unsigned:
        raise ValueError(
            f"{metric.__name__} must have a reference, from training data: "
            f"{type(metric).__name__}(reference=(y_train, sensitive_features_train)); received "
            "None, and the signs would come from the test fold (reference='evaluated' of the "
            "scorer, not of the metric, says that they should)"
        )
