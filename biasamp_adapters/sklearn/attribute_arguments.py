"""Hand the protected attribute to estimators whose methods take it."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any, ClassVar

from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object

from biasamp_adapters.attackers.weights import last_step

ARGUMENT = "sensitive_features"


class TakesAttribute(ClassifierMixin):  # type: ignore[misc]
    """A classifier around an estimator, whose ``predict`` takes the attribute: tags and score."""

    estimator: Any
    # Always requested, as a search routes by its own estimator and not by its candidates; without
    # these, it would ask for a call of set_fit_request.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {ARGUMENT: True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {ARGUMENT: True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {ARGUMENT: True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        return tags

    def score(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
    ) -> float:
        """The share of right predictions.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,) or (n, n_labels)
        sample_weight : array-like of shape (n,), optional
        sensitive_features : array-like of shape (n,) or (n, attributes), optional
            As in ``predict``.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            As in ``predict``.
        """
        predicted = self.predict(X, sensitive_features=sensitive_features)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))


def takes(estimator: Any, method: str, argument: str = ARGUMENT) -> bool:
    """Whether a method of an estimator takes an argument.

    It does if its signature names it, as that of the last step of a pipeline does, or if it
    requests it by metadata routing.
    """
    if is_routed() and argument in get_routing_for_object(estimator).consumes(method, [argument]):
        return True
    return _parameter(estimator, method, argument) is not None


def requires_attribute(estimator: Any, method: str) -> bool:
    """Whether a method of an estimator cannot be called without the attribute."""
    parameter = _parameter(estimator, method, ARGUMENT)
    return parameter is not None and parameter.default is parameter.empty


def fit_prefix(estimator: Any) -> str:
    """What stands before the names of arguments of ``fit``: the steps of a pipeline."""
    return "" if is_routed() else last_step(estimator)[0]


def respond(estimator: Any, method: str, X: Any, attribute: Any) -> Any:  # noqa: N803
    """What a method of an estimator says about ``X``, and about the attribute if it takes it."""
    answer = getattr(estimator, method)
    if attribute is not None and takes(estimator, method):
        return answer(X, **{ARGUMENT: attribute})
    return answer(X)


def is_routed() -> bool:
    """Whether metadata routing is enabled."""
    return bool(get_config()["enable_metadata_routing"])


def _parameter(estimator: Any, method: str, argument: str) -> Parameter | None:
    """The parameter of a method that has the name of an argument."""
    last = last_step(estimator)[1]
    functions: list[Any] = [getattr(last, method, None)]
    if method == "fit":
        # The reductions of Fairlearn hand all keywords of fit to their constraints.
        functions.append(getattr(getattr(last, "constraints", None), "load_data", None))
    for function in functions:
        try:
            parameters = signature(function).parameters
        except (TypeError, ValueError):
            # No function, or a compiled one without a signature.
            continue
        if argument in parameters:
            return parameters[argument]
    return None
