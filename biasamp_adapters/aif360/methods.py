"""The methods that AIF360's classes get: one table of metrics, one method for each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, get_type_hints

from biasamp_adapters.metrics import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.result import about

R = TypeVar("R")


class Words(NamedTuple):
    """The texts of the explanations of a metric.

    Attributes
    ----------
    metric : type
    name : str
    zero : str
        What a value of 0 means, in a few words.
    description : str
        How it is computed.
    reading : str
        Which way is worse, after "The ideal value of this metric is 0."
    """

    metric: type[Metric]
    name: str
    zero: str
    description: str
    reading: str


#: By the name of the method.
_METHODS = {
    "mals": Words(
        MALS,
        "BiasAmp_MALS",
        "no amplification",
        "Computed as the mean over labels of how much more the predictions join a label with the "
        "groups that it favours in the reference, P(group | predicted label) less "
        "P(group | label). It mixes both directions.",
        "A value of > 0 implies that predictions join labels with the groups that they favour "
        "more often than the data do, which is worse; a value of < 0 implies that they do so less "
        "often, or that the model makes mistakes.",
    ),
    "directional_bias_amplification": Words(
        DirectionalBiasAmplification,
        "Directional Bias Amplification",
        "no amplification",
        "Computed as the mean over groups and labels of the change that predictions make to "
        "P(label | group) (A->T) or P(group | label) (T->A), counted positive where it follows "
        "the correlation in the reference.",
        "A value of > 0 implies that the model amplifies bias, which is worse; a value of < 0 "
        "implies that it reduces bias, or that it makes mistakes.",
    ),
    "multi_attribute_bias_amplification": Words(
        MultiAttributeBiasAmplification,
        "Multi-Attribute Bias Amplification",
        "no rate changes; it has no sign, and chance alone makes it positive",
        "Computed as the mean size, over groups and labels, of the change that predictions make "
        "to P(label | group) (A->T) or P(group | label) (T->A), whichever way it goes.",
        "It has no sign: a larger value means larger changes, which is worse if they are not due "
        "to chance. Chance alone makes it positive.",
    ),
    "leakage_amplification": Words(
        LeakageAmplification,
        "Leakage Amplification",
        "predicted and true labels give as much away",
        "Computed as the success of the best attacker in telling the group from the predicted "
        "label, less that from the true label made as wrong as the model.",
        "A value of > 0 implies that predicted labels give the group away more than true labels "
        "do, which is worse; a value of < 0 implies that they give it away less.",
    ),
    "directional_predictability_amplification": Words(
        DirectionalPredictabilityAmplification,
        "Directional Predictability Amplification",
        "as predictable as in the data",
        "Computed as the relative change in how well the best attacker predicts the model's label "
        "from the group (A->T), or its group from the label (T->A), against data made as wrong as "
        "the model.",
        "A value of > 0 implies that the model's output is easier to predict than the data, which "
        "is worse; a value of < 0 implies that it is harder to predict.",
    ),
}


def words_of(metric: Metric) -> Words:
    """The texts for a metric."""
    return next(words for words in _METHODS.values() if words.metric is type(metric))


def metric_method(name: str, read: Callable[[Any, Metric], R]) -> Callable[..., R]:
    """A method that makes a metric from its arguments and returns what ``read`` gives for it.

    Parameters
    ----------
    name : str
        The name of a metric's method; it may end in "_by_pair".
    read : callable
        A method of the same class, which takes the metric. Its docstring is a template.
    """
    method_of_value = name.removesuffix("_by_pair")
    words = _METHODS[method_of_value]
    kind: Callable[..., Metric] = words.metric
    has_direction = "direction" in inspect.signature(kind).parameters

    def with_direction(self: Any, direction: str = "attribute_to_task", **parameters: Any) -> R:
        return read(self, kind(direction=direction, **parameters))

    def without_direction(self: Any, **parameters: Any) -> R:
        return read(self, kind(**parameters))

    method: Any = with_direction if has_direction else without_direction
    method.__name__, method.__module__ = name, read.__module__
    method.__qualname__ = f"{read.__qualname__.rpartition('.')[0]}.{name}"
    method.__annotations__["return"] = get_type_hints(read)["return"]
    method.__doc__ = (read.__doc__ or "").format(
        name=words.name,
        metric=words.metric.__qualname__,
        source=about(words.metric.__qualname__).source,
        direction=' in one direction, such as "A->T"' if has_direction else "",
        method_of_value=method_of_value,
    )
    return method
