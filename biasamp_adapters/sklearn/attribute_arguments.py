"""Hand the protected attribute to estimators whose methods take it."""

from __future__ import annotations

from inspect import signature
from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import get_routing_for_object

from biasamp_adapters.attackers.weights import last_step

ARGUMENT = "sensitive_features"


def has_parameter(function: Any, name: str) -> bool:
    """Whether a function names a parameter in its signature."""
    try:
        return name in signature(function).parameters
    except (TypeError, ValueError):
        # No function, or a compiled one without a signature.
        return False


def takes_attribute(estimator: Any, method: str) -> bool:
    """Whether a method of an estimator takes ``sensitive_features``.

    It does if its signature names them, as that of the last step of a pipeline does, or if it
    requests them by metadata routing.
    """
    if get_config()["enable_metadata_routing"] and ARGUMENT in get_routing_for_object(
        estimator
    ).consumes(method, [ARGUMENT]):
        return True
    return has_parameter(getattr(last_step(estimator)[1], method, None), ARGUMENT)


def fit_takes_attribute(estimator: Any) -> bool:
    """The same for ``fit``.

    The reductions of Fairlearn hand all keywords of ``fit`` to ``load_data`` of their constraints,
    which names them.
    """
    load_data = getattr(getattr(estimator, "constraints", None), "load_data", None)
    return takes_attribute(estimator, "fit") or has_parameter(load_data, ARGUMENT)


def respond(estimator: Any, method: str, X: Any, attribute: Any) -> Any:  # noqa: N803
    """What a method of an estimator says about ``X``, and about the attribute if it takes it."""
    answer = getattr(estimator, method)
    if attribute is not None and takes_attribute(estimator, method):
        return answer(X, **{ARGUMENT: attribute})
    return answer(X)
