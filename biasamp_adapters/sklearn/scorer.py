"""Scorers for model selection."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.utils.metadata_routing import MetadataRequest

from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.sklearn.locate import Place, located
from biasamp_adapters.sklearn.loss import AmplificationLoss, Objective, Predicts


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
    pipelines and nested searches, with metadata routing or without. The protected attribute comes

    - as metadata, with ``sklearn.set_config(enable_metadata_routing=True)``:
      ``search.fit(X, y, sensitive_features=...)``;
    - as a level of the index of ``y``: ``sensitive_features="race"``;
    - as a column of ``X``, which the model has to drop: also ``sensitive_features="race"``.

    Parameters
    ----------
    metric : MALS, DirectionalBiasAmplification or another metric object of this package
        With a ``reference`` from training data, if it has one.
    objective : {"absolute", "signed"}
        "absolute" is minus the size of the value: it prefers models that leave bias as it is.
        "signed" is minus the value: it prefers models that reduce bias.
    predicts : {"task", "attribute"}
        What the estimator predicts. A T->A metric needs one that predicts the attribute: ``y`` is
        then the attribute, and the true task is metadata, or found by ``task``.
    sensitive_features, task : str, int or list of them, optional
        Level(s) of y's index or column(s) of X, of an array by position, that hold the attribute or
        the task. Without, it is metadata.
    reference : "evaluated", optional
        Says that a metric without a reference takes the sign of correlations from the test fold.

    Returns
    -------
    AmplificationScorer
        Called with (estimator, X, y). It can be cloned and pickled. ``sample_weight`` given to a
        search reaches it, as it does scikit-learn's own scorers that take it.

    Raises
    ------
    ValueError
        If the metric gives every estimator the same score, would need a reference, or a parameter
        is unknown.

    Notes
    -----
    A scorer that raises is scored NaN unless ``error_score="raise"``, and a search in which all is
    NaN picks its first candidate: set it. ``TunedThresholdClassifierCV`` refuses scorers other than
    those of ``make_scorer``; :class:`AmplificationLoss` is for it.

    ``permutation_importance`` shuffles the columns of ``X`` before it scores. A scorer that finds
    the attribute in a column of ``X`` reads the shuffled one, so the importance shown for that
    column is not that of the model: take a level of y's index there, or metadata in a
    ``functools.partial`` of the scorer.

    The scorer calls ``estimator.predict(X)``. Fairlearn's ``ThresholdOptimizer`` needs the
    attribute to predict, so it has to be wrapped in an estimator that takes it from a column.

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


class AmplificationScorer:
    """What :func:`amplification_scorer` makes.

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
            ``sample_weight``, and ``sensitive_features`` or ``task`` where no place was named.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If metadata are missing, unknown or of another length than ``y``, or the metric is
            undefined.
        """
        beside = self.loss.beside
        unknown = metadata.keys() - {beside, "sample_weight"}
        if unknown:
            raise ValueError(
                f"metadata of the scorer must be {beside} and sample_weight; received "
                f"{sorted(unknown)}"
            )
        if self.loss.place is not None:
            if metadata.get(beside) is not None:
                raise ValueError(
                    f"{beside} must come as metadata or from {self.loss.place!r}; received both"
                )
            metadata[beside] = located(self.loss.place, beside, y, X)
        elif metadata.get(beside) is None:
            raise ValueError(self.loss.forgotten())
        return -self.loss(y, estimator.predict(X), **metadata)

    def get_metadata_routing(self) -> MetadataRequest:
        """The metadata that the scorer asks for.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        request = MetadataRequest(owner=repr(self))
        request.score.add_request(param="sample_weight", alias=True)
        if self.loss.place is None:
            request.score.add_request(param=self.loss.beside, alias=True)
        return request

    def _accept_sample_weight(self) -> bool:
        # Without metadata routing, searches ask this before they pass weights on.
        return True

    @property
    def _score_func(self) -> Any:
        raise AttributeError(
            "what wants a function instead of a scorer, as TunedThresholdClassifierCV does, takes "
            "make_scorer(AmplificationLoss(...), greater_is_better=False)"
        )

    def __repr__(self) -> str:
        return f"amplification_scorer({self.loss!r})"
