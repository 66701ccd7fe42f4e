"""Scorers and losses for model selection: how much bias the predictions of a model amplify."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from biasamp_adapters._roles import Inputs
from biasamp_adapters._typing import check_choice
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics.base import Metric, ReferencedMetric, values_of
from biasamp_adapters.metrics.measurement import T_TO_A, UNDIRECTED
from biasamp_adapters.sklearn.attribute_arguments import ARGUMENT, respond
from biasamp_adapters.sklearn.places import Place, columns_of, levels_of, look_up, names_of

Objective: TypeAlias = Literal["absolute", "signed"]
Predicts: TypeAlias = Literal["task", "attribute"]


def amplification_scorer(
    metric: Metric,
    *,
    objective: Objective = "absolute",
    predicts: Predicts = "task",
    sensitive_features: Place = None,
    task: Place = None,
    reference: Literal["evaluated"] | None = None,
) -> AmplificationScorer:
    """A scorer of how little bias a model amplifies; greater is better.

    It works in ``GridSearchCV`` and the other searches, ``cross_validate``, ``learning_curve``,
    pipelines and nested searches, with or without metadata routing. The protected attribute comes

    - as metadata, with ``sklearn.set_config(enable_metadata_routing=True)``:
      ``search.fit(X, y, sensitive_features=...)``;
    - as a level of the index of ``y``: ``sensitive_features="race"``;
    - as a column of ``X``, which the model has to drop: also ``sensitive_features="race"``.

    Parameters
    ----------
    metric : MALS, DirectionalBiasAmplification or another metric object of this package
        With a ``reference`` from training data, if it has one.
    objective : {"absolute", "signed"}
        "absolute" is minus the size of the value: it prefers models that do not change bias.
        "signed" is minus the value: it prefers models that reduce bias.
    predicts : {"task", "attribute"}
        What the estimator predicts. A T->A metric needs an estimator of the attribute: ``y`` is
        then the attribute, and the true task is metadata, or found by ``task``.
    sensitive_features, task : str, int or list of them, optional
        Level(s) of y's index or column(s) of X (positions, if X is an array) that hold the
        attribute or the task. By default, it is metadata.
    reference : "evaluated", optional
        States that a metric without a reference takes the sign of correlations from the test fold.

    Returns
    -------
    AmplificationScorer
        Called with (estimator, X, y). It can be cloned and pickled. It gets the ``sample_weight``
        that is passed to a search, as do scikit-learn's own scorers that accept it.

    Raises
    ------
    ValueError
        If the metric gives every estimator the same score, would need a reference, or a parameter
        is unknown.

    Notes
    -----
    Set ``error_score="raise"``: otherwise an error is scored as NaN, and a search whose scores are
    all NaN selects its first candidate. ``TunedThresholdClassifierCV`` accepts only scorers of
    ``make_scorer``; use :class:`AmplificationLoss` for it.

    ``permutation_importance`` shuffles the columns of ``X`` before it scores. A scorer that reads
    the attribute from a column of ``X`` gets the shuffled column, so the importance of that column
    is not that of the model. Use a level of y's index instead, or pass metadata by a
    ``functools.partial`` of the scorer.

    An estimator whose ``predict`` takes ``sensitive_features``, as that of Fairlearn's
    ``ThresholdOptimizer`` does, gets them, also as the last step of a pipeline.
    :class:`WithSensitiveFeatures` hands them to its ``fit`` too, so that a search can compare
    it with estimators that take none.

    Examples
    --------
    The attribute is a level of y's index. A tree of depth 1 knows only one of two causes.

    >>> import numpy as np, pandas as pd
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.sklearn import amplification_scorer
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=1000)
    >>> X = np.column_stack([group, rng.normal(size=1000)])
    >>> y = pd.Series((X[:, 1] + group > 0.5).astype(int), index=pd.Index(group, name="group"))
    >>> metric = DirectionalBiasAmplification(reference=(y, group))
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 2]},
    ...     scoring=amplification_scorer(metric, sensitive_features="group"),
    ...     error_score="raise",
    ... )
    >>> search.fit(X, y).best_params_
    {'max_depth': 2}
    """
    loss = AmplificationLoss(
        metric,
        objective=objective,
        predicts=predicts,
        sensitive_features=sensitive_features,
        task=task,
        reference=reference,
    )
    return AmplificationScorer(loss)


@dataclass(frozen=True, eq=False, repr=False)
class AmplificationLoss:
    """A metric as a loss for ``sklearn.metrics.make_scorer(..., greater_is_better=False)``.

    Most searches need :func:`amplification_scorer`, which uses it. The loss is for tools that call
    a function instead of a scorer: ``TunedThresholdClassifierCV``, and ``RFECV``, which
    turns ``y`` into an array.

    Parameters
    ----------
    metric : MALS, DirectionalBiasAmplification or another metric object of this package
    objective : {"absolute", "signed"}
        "absolute" is the size of the value, so that less bias costs as much as more; "signed" is
        the value.
    predicts : {"task", "attribute"}
        What the estimator predicts. T->A metrics need an estimator of the attribute.
    sensitive_features : str or list of str, optional
        Level(s) of the index of ``y`` that hold the attribute (``predicts="task"``). By default, it
        is metadata.
    task : str, optional
        Level of the index of ``y`` that holds the true task (``predicts="attribute"``). By default,
        it is metadata.
    reference : "evaluated", optional
        States that a metric without a reference takes the sign of correlations from the test fold.

    Raises
    ------
    ValueError
        If the metric gives every estimator the same score, would need a reference, or a parameter
        is unknown.

    Examples
    --------
    In the training data and in the fold, 60 % of group "a" and 40 % of group "b" are positive. The
    model increases this difference: it predicts 80 % and 0 %.

    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.sklearn import AmplificationLoss
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> loss = AmplificationLoss(DirectionalBiasAmplification(reference=(y, group)))
    >>> round(loss(y, [1] * 40 + [0] * 60, sensitive_features=group), 4)
    0.3
    """

    metric: Metric
    _: KW_ONLY
    objective: Objective = "absolute"
    predicts: Predicts = "task"
    sensitive_features: Place = None
    task: Place = None
    reference: Literal["evaluated"] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.metric, Metric):
            raise ValueError(
                "metric must be a metric object of biasamp_adapters, such as "
                f"DirectionalBiasAmplification(reference=...); received {self.metric!r}"
            )
        check_choice("objective", self.objective, get_args(Objective))
        check_choice("predicts", self.predicts, get_args(Predicts))
        check_choice("reference", self.reference, (None, "evaluated"))
        _check_prediction(self.metric, self.predicts)
        _check_reference(self.metric, self.reference)
        if getattr(self, self.target) is not None:
            raise ValueError(
                f"{self.target} must not be given with predicts={self.predicts!r}, where it is y; "
                "received it"
            )
        if self.place is not None and not names_of(self.place):
            raise ValueError(f"{self.beside} must name at least one place; received {self.place!r}")

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
    def target(self) -> str:
        """The variable that is ``y``: "task" or "sensitive_features"."""
        return "task" if self.predicts == "task" else "sensitive_features"

    @property
    def beside(self) -> str:
        """The variable that is not ``y``: "sensitive_features" or "task"."""
        return "sensitive_features" if self.predicts == "task" else "task"

    @property
    def place(self) -> Place:
        """The place of the variable that is not ``y``; None if it is metadata."""
        return self.sensitive_features if self.predicts == "task" else self.task

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
            The other variable, if it is metadata.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the other variable is missing or has another length, or the metric is undefined.
        """
        inputs = self.inputs(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            task=task,
            sample_weight=sample_weight,
        )
        return self.of_value(values_of([self.metric], inputs)[0], y_true)

    def found(
        self,
        metadata: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Any,
    ) -> dict[str, Any]:
        """The metadata of a scorer, with the variable that is not ``y`` from its place.

        Raises
        ------
        ValueError
            If metadata are unknown or of another length, or the variable comes from two places or
            from none.
        """
        unknown = metadata.keys() - {self.beside, "sample_weight"}
        if unknown:
            raise ValueError(
                f"metadata of the scorer must be {self.beside} and sample_weight; received "
                f"{sorted(unknown)}"
            )
        if self.place is None:
            self._checked(y, metadata.get(self.beside), metadata.get("sample_weight"))
            return dict(metadata)
        if metadata.get(self.beside) is not None:
            raise ValueError(
                f"{self.beside} must come as metadata or from {self.place!r}; received both"
            )
        return {**metadata, self.beside: self._found(y, X)}

    def _found(self, y: Any, X: Any = None) -> Any:  # noqa: N803
        """The variable that is not ``y``, from its place."""
        sources = {"levels of y's index": levels_of(y)}
        if X is not None:
            sources["columns of X"] = columns_of(X)
        index = index_of(X)
        return look_up(self.place, self.beside, sources, index_of(y) if index is None else index)

    def inputs(
        self, y_true: Any, y_pred: Any, *, sample_weight: Any = None, **metadata: Any
    ) -> Inputs:
        """The arrays that the metric reads; metadata are ``sensitive_features`` and ``task``."""
        if metadata.get(self.target) is not None:
            raise ValueError(
                f"{self.target} is y with predicts={self.predicts!r}; received it as metadata"
            )
        beside = metadata.get(self.beside)
        if beside is None and self.place is not None:
            beside = self._found(y_true)
        arrays = self._checked(y_true, beside, sample_weight)
        if self.place is None:
            warn_of_order(arrays.items(), fold=True)
        if self.predicts == "task":
            return Inputs(y_true, y_pred, beside, sample_weight=sample_weight)
        return Inputs(beside, None, y_true, y_pred, sample_weight)

    def _checked(self, y: Any, beside: Any, sample_weight: Any) -> dict[str, Any]:
        """The arrays of a fold by their arguments; an error if one is missing or too short."""
        name = self.beside
        if beside is None:
            raise ValueError(
                f"{name} must reach the scorer; received None. With "
                "sklearn.set_config(enable_metadata_routing=True), pass it as metadata: "
                f"search.fit(X, y, {name}=...), cross_validate(..., params={{'{name}': ...}}); "
                f"with make_scorer also call .set_score_request({name}=True). Without metadata "
                "routing, name a level of y's index or, for amplification_scorer, a column of X: "
                f"{name}='...'"
            )
        arrays = {"y": y, name: beside, "sample_weight": sample_weight}
        for argument, values in arrays.items():
            if values is not None and _n_rows(values) != _n_rows(y):
                raise ValueError(
                    f"{argument} must have a row for each row of the fold; received "
                    f"{_n_rows(values)} for {_n_rows(y)}: scikit-learn splits metadata of "
                    "the length of X only"
                )
        return arrays

    def of_value(self, value: float, y: Any) -> float:
        """The loss of a value of the metric on a fold with these ``y``."""
        if np.isnan(value):
            raise ValueError(f"{self.metric.__name__} is undefined on these {_n_rows(y)} rows")
        return abs(value) if self.objective == "absolute" else value

    def requested(self, owner: str) -> MetadataRequest:
        """The metadata that a scorer of the loss requests."""
        request = MetadataRequest(owner=owner)
        request.score.add_request(param="sample_weight", alias=True)
        if self.place is None:
            request.score.add_request(param=self.beside, alias=True)
        return request


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
    unsigned = not metric.about.signed and metric.short_direction != UNDIRECTED
    if metric.reference is None and reference is None and not unsigned:
        raise ValueError(
            f"{metric.__name__} must have a reference, from training data: "
            f"{type(metric).__name__}(reference=(y_train, sensitive_features_train)); received "
            "None, and the signs would come from the test fold (reference='evaluated' of the "
            "scorer, not of the metric, says that they should)"
        )


class AmplificationScorer:
    """The scorer that ``amplification_scorer`` returns.

    Parameters
    ----------
    loss : AmplificationLoss
    """

    def __init__(self, loss: AmplificationLoss) -> None:
        self.loss = loss

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> float:  # noqa: N803
        """The score of a fitted estimator on the rows of ``X`` and ``y``.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n, features)
        y : array-like of shape (n,) or (n, columns)
        **metadata
            ``sample_weight``, and ``sensitive_features`` or ``task`` unless its place was named.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If metadata are missing, unknown or of another length than ``y``, or the metric is
            undefined.
        """
        metadata = self.loss.found(metadata, X, y)
        y_pred = respond(estimator, "predict", X, metadata.get(ARGUMENT))
        return -self.loss(y, y_pred, **metadata)

    def get_metadata_routing(self) -> MetadataRequest:
        """The metadata that the scorer requests.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        return self.loss.requested(repr(self))

    def _accept_sample_weight(self) -> bool:
        # Without metadata routing, searches call this before they pass weights on.
        return True

    @property
    def _score_func(self) -> Any:
        raise AttributeError(
            "a tool that needs a function instead of a scorer, as TunedThresholdClassifierCV does, "
            "takes make_scorer(AmplificationLoss(...), greater_is_better=False)"
        )

    def __repr__(self) -> str:
        return f"amplification_scorer({self.loss!r})"


def _n_rows(values: Any) -> int:
    """Rows of an array, table or Indicators."""
    values = values.values if isinstance(values, Indicators) else values
    return int(values.shape[0]) if hasattr(values, "shape") else len(values)
