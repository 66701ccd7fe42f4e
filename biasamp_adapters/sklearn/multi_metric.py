"""Scorers of several metrics: one prediction and one count for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from inspect import signature
from typing import Any, Literal

from sklearn import get_config
from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from biasamp_adapters.metrics.base import Metric, values_of
from biasamp_adapters.sklearn.scorer import AmplificationLoss, Objective, Place, Predicts

#: The methods by which an estimator answers a scorer.
_RESPONSES = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def amplification_scorers(
    metrics: Mapping[str, Metric],
    *,
    others: Mapping[str, Any] | None = None,
    objective: Objective = "absolute",
    predicts: Predicts = "task",
    sensitive_features: Place = None,
    task: Place = None,
    reference: Literal["evaluated"] | None = None,
) -> AmplificationScorers:
    """One scorer of several metrics, and of other scores, for multi-metric searches.

    A dictionary of scorers predicts once for each :func:`amplification_scorer` in it, and counts
    the rows as often. This scorer asks each estimator once, and counts once where the metrics count
    alike.

    Parameters
    ----------
    metrics : mapping of str to metric
        Metric objects of this package by the names of their scores.
    others : mapping of str to str or scorer, optional
        Other scores by their names: scorers, or names of scikit-learn's, such as "accuracy".
    objective, predicts, sensitive_features, task, reference
        As in :func:`amplification_scorer`, for all metrics.

    Returns
    -------
    AmplificationScorers
        Called with (estimator, X, y); returns a dictionary of scores, greater is better. It can be
        cloned and pickled.

    Raises
    ------
    ValueError
        If there is no metric, a name is given twice or is no string, or a metric or parameter is
        refused by :func:`amplification_scorer`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from biasamp_adapters import MALS, DirectionalBiasAmplification
    >>> from biasamp_adapters.sklearn import MostAccurateWithin, amplification_scorers
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=1000)
    >>> X = np.column_stack([group, rng.normal(size=1000)])
    >>> y = pd.Series((X[:, 1] + group > 0.5).astype(int), index=pd.Index(group, name="group"))
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 2]},
    ...     scoring=amplification_scorers(
    ...         {
    ...             "amplification": DirectionalBiasAmplification(reference=(y, group)),
    ...             "mals": MALS(reference=(y, group)),
    ...         },
    ...         others={"accuracy": "accuracy"},
    ...         sensitive_features="group",
    ...     ),
    ...     refit=MostAccurateWithin(bound=0.15),
    ...     error_score="raise",
    ... )
    >>> search.fit(X, y).best_params_
    {'max_depth': 2}
    """
    if not metrics:
        raise ValueError("metrics must name at least one metric; received none")
    losses = {
        name: AmplificationLoss(
            metric,
            objective=objective,
            predicts=predicts,
            sensitive_features=sensitive_features,
            task=task,
            reference=reference,
        )
        for name, metric in metrics.items()
    }
    scorers = {
        name: get_scorer(scorer) if isinstance(scorer, str) else scorer
        for name, scorer in (others or {}).items()
    }
    for name in (*losses, *scorers):
        if not isinstance(name, str):
            raise ValueError(f"names of scores must be strings; received {name!r}")
    both = losses.keys() & scorers.keys()
    if both:
        raise ValueError(f"scores must have different names; received {sorted(both)} twice")
    return AmplificationScorers(losses, scorers)


class AmplificationScorers:
    """The scorer that ``amplification_scorers`` returns.

    Parameters
    ----------
    losses : dict of str to AmplificationLoss
        All read the same variables from the same places.
    others : dict of str to scorer
    """

    def __init__(self, losses: dict[str, AmplificationLoss], others: dict[str, Any]) -> None:
        self.losses, self.others = losses, others

    def __call__(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        **metadata: Any,
    ) -> dict[str, float]:
        """The scores of a fitted estimator on the rows of ``X`` and ``y``.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n, features)
        y : array-like of shape (n,) or (n, columns)
        **metadata
            ``sample_weight``, and ``sensitive_features`` or ``task`` unless its place was named;
            with metadata routing also what the other scorers request.

        Returns
        -------
        dict of str to float

        Raises
        ------
        ValueError
            If metadata are missing, unknown or of another length than ``y``, or a metric is
            undefined.
        """
        own, of_others = self._routed(
            {name: values for name, values in metadata.items() if values is not None}
        )
        loss = self._any_loss
        known = _Responses(estimator, X)
        inputs = loss.inputs(y, known.predict(X), **loss.found(own, X, y))
        values = values_of([loss.metric for loss in self.losses.values()], inputs)
        scores = {
            name: -loss.of_value(value, y)
            for (name, loss), value in zip(self.losses.items(), values, strict=True)
        }
        for name, scorer in self.others.items():
            scores[name] = scorer(known, X, y, **of_others[name])
        return scores

    @property
    def _any_loss(self) -> AmplificationLoss:
        """A loss that stands for all where they read the variables."""
        return next(iter(self.losses.values()))

    def _routed(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """The metadata of the losses, and those of each other scorer."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "score", **given)
            requested = self._any_loss.requested(repr(self)).consumes("score", given)
            own = {name: given[name] for name in requested}
            return own, {name: routed[name].score for name in self.others}
        weight = {name: given[name] for name in given.keys() & {"sample_weight"}}
        others = self.others.items()
        return given, {name: weight if _takes_weights(scorer) else {} for name, scorer in others}

    def get_metadata_routing(self) -> MetadataRouter:
        """The metadata that the losses and the other scorers request.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        request = self._any_loss.requested(repr(self))
        router = MetadataRouter(owner=repr(self)).add_self_request(request)
        mapping = MethodMapping().add(caller="score", callee="score")
        return router.add(**self.others, method_mapping=mapping)

    def _accept_sample_weight(self) -> bool:
        # Without metadata routing, searches call this before they pass weights on.
        return True

    def __repr__(self) -> str:
        return f"amplification_scorers({self.losses!r}, others={self.others!r})"


def _takes_weights(scorer: Any) -> bool:
    """Whether a scorer gets weights without metadata routing."""
    if hasattr(scorer, "_accept_sample_weight"):  # scikit-learn 1.7 and newer ask this too
        return bool(scorer._accept_sample_weight())
    return "sample_weight" in signature(scorer).parameters


class _Responses:
    """A fitted estimator that answers for one ``X`` once, however many scorers ask."""

    def __init__(self, estimator: Any, X: Any) -> None:  # noqa: N803
        self._estimator, self._X = estimator, X
        self._known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        respond = getattr(self._estimator, name)
        if name not in _RESPONSES:
            return respond

        @wraps(respond)
        def remembered(X: Any) -> Any:  # noqa: N803
            if X is not self._X:
                return respond(X)
            if name not in self._known:
                self._known[name] = respond(X)
            return self._known[name]

        return remembered
