"""Scorers of several metrics: one prediction and one count for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import wraps
from inspect import signature
from typing import Any, Literal

from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from biasamp_adapters._roles import Inputs
from biasamp_adapters._typing import is_real
from biasamp_adapters._warnings import warn
from biasamp_adapters.metrics.base import Metric, values_of
from biasamp_adapters.sklearn.attribute_arguments import ARGUMENT, is_routed, respond
from biasamp_adapters.sklearn.places import Place
from biasamp_adapters.sklearn.scorer import AmplificationLoss, Objective, Predicts

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
    error_score: float | Literal["raise"] = "raise",
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
    error_score : "raise" or float
        What becomes of a metric that is undefined on a test fold: an error, or this score, with a
        warning. It replaces the ``error_score`` of the search, which knows no names of scores:
        give ``error_score="raise"`` there.

    Returns
    -------
    AmplificationScorers
        Called with (estimator, X, y); returns a dictionary of scores, greater is better. It can be
        cloned and pickled.

    Raises
    ------
    ValueError
        If there is no metric, a name is given twice or is no string, another score is no scorer, or
        a metric or parameter is refused by :func:`amplification_scorer`.

    Notes
    -----
    An estimator whose ``predict`` takes ``sensitive_features`` gets them, and scikit-learn's own
    scorers in ``others`` score the same predictions. Other scorers get the estimator itself.

    ``HalvingGridSearchCV`` and ``HalvingRandomSearchCV`` take a scorer of one number only.

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
    if not (isinstance(metrics, Mapping) and metrics):
        raise ValueError(
            "metrics must be a mapping from names of scores to metrics, at least one; received "
            f"{metrics!r}"
        )
    if not (error_score == "raise" or is_real(error_score)):
        raise ValueError(f"error_score must be 'raise' or a number; received {error_score!r}")
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
    for name, scorer in scorers.items():
        if not callable(scorer) or isinstance(scorer, Metric | AmplificationScorers):
            raise ValueError(
                "others must be names of scikit-learn's scorers, or scorers of one number; "
                f"received {scorer!r} for {name!r}"
            )
    both = losses.keys() & scorers.keys()
    if both:
        raise ValueError(f"scores must have different names; received {sorted(both)} twice")
    return AmplificationScorers(losses, scorers, error_score)


class AmplificationScorers:
    """The scorer that ``amplification_scorers`` returns.

    Parameters
    ----------
    losses : dict of str to AmplificationLoss
        All read the same variables from the same places.
    others : dict of str to scorer
    error_score : float or "raise"
    """

    def __init__(
        self,
        losses: dict[str, AmplificationLoss],
        others: dict[str, Any],
        error_score: float | Literal["raise"] = "raise",
    ) -> None:
        self.losses, self.others, self.error_score = losses, others, error_score

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
        of_losses, of_others = self._routed(
            {name: values for name, values in metadata.items() if values is not None}
        )
        loss = self._any_loss
        found = loss.found(of_losses, X, y)
        known = _Responses(estimator, X, found.get(ARGUMENT))
        inputs = loss.inputs(y, known.predict(X), **found)
        scores = self._scores(inputs, y)
        for name, scorer in self.others.items():
            # Scorers of scikit-learn only ask for responses; others may look into the model.
            of_sklearn = isinstance(scorer, type(get_scorer("accuracy")))
            scores[name] = scorer(known if of_sklearn else estimator, X, y, **of_others[name])
        return scores

    def _scores(self, inputs: Inputs, y: Any) -> dict[str, float]:
        """The scores of the metrics."""
        try:
            return _counted_once(self.losses, inputs, y)
        except ValueError:
            if self.error_score == "raise":
                raise
        # One of them is undefined: each by itself.
        scores: dict[str, float] = {}
        for name, loss in self.losses.items():
            try:
                scores |= _counted_once({name: loss}, inputs, y)
            except ValueError as error:
                warn(f"{name}: {error}; its score is {self.error_score}")
                scores[name] = self.error_score
        return scores

    @property
    def _any_loss(self) -> AmplificationLoss:
        """A loss that stands for all where they read the variables."""
        return next(iter(self.losses.values()))

    def _routed(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """The metadata of the losses, and those of each other scorer."""
        if is_routed():
            routed = process_routing(self, "score", **given)
            requested = self._any_loss.requested(repr(self)).consumes("score", given)
            of_losses = {name: given[name] for name in requested}
            return of_losses, {name: routed[f"others: {name}"].score for name in self.others}
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
        others = {f"others: {name}": scorer for name, scorer in self.others.items()}
        return router.add(**others, method_mapping=mapping)

    def _accept_sample_weight(self) -> bool:
        # Without metadata routing, searches call this before they pass weights on.
        return True

    def __repr__(self) -> str:
        return f"amplification_scorers({self.losses!r}, others={self.others!r})"


def _counted_once(losses: dict[str, AmplificationLoss], inputs: Inputs, y: Any) -> dict[str, float]:
    """The scores of several losses, from one count where they count alike."""
    values = values_of([loss.metric for loss in losses.values()], inputs)
    return {
        name: -loss.of_value(value, y)
        for (name, loss), value in zip(losses.items(), values, strict=True)
    }


def _takes_weights(scorer: Any) -> bool:
    """Whether a scorer gets weights without metadata routing."""
    if hasattr(scorer, "_accept_sample_weight"):  # scikit-learn 1.7 and newer ask this too
        return bool(scorer._accept_sample_weight())
    return "sample_weight" in signature(scorer).parameters


class _Responses:
    """A fitted estimator that answers for one ``X`` once, however many scorers ask.

    It answers with the attribute, which scorers of scikit-learn do not hand over, if its methods
    take it.
    """

    def __init__(self, estimator: Any, X: Any, attribute: Any) -> None:  # noqa: N803
        self._estimator, self._X, self._attribute = estimator, X, attribute
        self._known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        answer = getattr(self._estimator, name)
        if name not in _RESPONSES:
            return answer

        @wraps(answer)
        def remembered(X: Any, *rest: Any, **options: Any) -> Any:  # noqa: N803
            if X is not self._X or rest or options:
                return answer(X, *rest, **options)
            if name not in self._known:
                self._known[name] = respond(self._estimator, name, X, self._attribute)
            # A scorer may sort or change what it gets.
            return deepcopy(self._known[name])

        return remembered
