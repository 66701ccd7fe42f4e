"""The metrics as functions: one prototype per host, one table of metrics, one function for each.

A prototype is an ordinary function. It has the argument names of its host, takes the metric class
first and the parameters of the metric as ``**parameters``, and its docstring is a template. A type
checker reads the arguments of every function from the prototype; ``help`` and
``inspect.signature`` show the parameters of the metric as well.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar, get_type_hints

from biasamp_adapters.metrics import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.metrics.base import Metric

P = ParamSpec("P")
R = TypeVar("R")

#: What the attribute and its prediction are called: here and by Fairlearn, in frames and on the
#: command line, by ``aif360.sklearn``, and by AIF360's classes.
_ATTRIBUTE = ("sensitive_features", "prot_attr", "protected_attributes")
_PREDICTED_ATTRIBUTE = (
    "sensitive_features_pred",
    "attribute_prediction",
    "prot_attr_pred",
    "predicted_protected_attributes",
)


class MetricText(NamedTuple):
    """What the docstring of a function says of its metric.

    Attributes
    ----------
    metric : type
    summary : str
        The first line.
    value : str
        Range and reading of the value.
    source : str
    arithmetic : str
        How the value of the example comes about.
    options : str
        Parameters of the call in the example.
    result : str
        What the call returns.
    """

    metric: type[Metric]
    summary: str
    value: str
    source: str
    arithmetic: str
    options: str
    result: str


_SIGNED = "In [-1, 1], without a unit; 0 is no amplification and worse is positive."

_METRICS = {
    "mals_bias_amplification": MetricText(
        MALS,
        "BiasAmp_MALS: how much more predictions join a label with the group it already favours.",
        "In ``[-1, 1 - 1/|A|]``, without a unit; 0 is no amplification and worse is positive.",
        'Zhao et al. (2017), as Eq. 1 of Wang and Russakovsky, "Directional Bias Amplification", '
        "2021.",
        "Of the positives 40 of 50 are in the first group, of the predicted ones all: 1 - .8.",
        "",
        "0.2",
    ),
    "directional_bias_amplification": MetricText(
        DirectionalBiasAmplification,
        "BiasAmp directional: how far predictions strengthen the reference's correlations.",
        _SIGNED,
        'Wang and Russakovsky, "Directional Bias Amplification", 2021, Eq. 2.',
        "For the two groups P(T^|A) - P(T|A) is 0 and -.2. The correlation of the second with the\n"
        "positive class is negative, so its share counts as positive: (0 + .2) / 2.",
        "",
        "0.1",
    ),
    "multi_attribute_bias_amplification": MetricText(
        MultiAttributeBiasAmplification,
        "Multi: how far predictions move the rates of groups and label sets, whichever way.",
        "In [0, 1], undirected [0, 2), without a unit. It has no sign.",
        'Zhao et al. (2023), as Eq. 10-12 of Tokas et al., "DPA", 2025.',
        "For the two groups P(T^|A) - P(T|A) is 0 and -.2: (0 + .2) / 2.",
        "",
        "0.1",
    ),
    "leakage_amplification": MetricText(
        LeakageAmplification,
        "LA: how much better the predicted label gives the group away than the true one.",
        "For accuracy in [-1, 1], without a unit; 0 is no amplification and worse is positive.",
        'Wang et al. (2019), as in Tokas et al., "DPA", 2025, Sec. 1 and Appendix I.',
        "From the true label the group is guessed right in 80 of 100 rows, from the predicted one\n"
        "in 90, if the truth is not made as wrong as the model: .9 - .8.",
        ", equalize=None",
        "0.1",
    ),
    "directional_predictability_amplification": MetricText(
        DirectionalPredictabilityAmplification,
        "DPA: how much better one variable predicts the model's other one than the true one.",
        _SIGNED,
        'Tokas, Nair and Kerner, "DPA", 2025, Eq. 1-6.',
        "In the second group nothing is left to predict, so the entropy of the label given the\n"
        "group is halved and its inverse doubled: (2 - 1) / (2 + 1), if the truth is not made as\n"
        "wrong as the model.",
        ", equalize=None",
        "0.3333",
    ),
}

#: Parameters of metrics that a function describes itself.
_ENTRIES = {
    "direction": """\
direction : str
    "attribute_to_task" or "A->T", "task_to_attribute" or "T->A", in any case; Multi also takes
    "undirected".""",
    "reference": """\
reference : {reference}, counts or BaseRates, optional
    The training data. Without, the evaluated truth is its own reference.""",
}


def names_of_other_hosts(attribute: str, predicted: str) -> dict[str, str]:
    """What to say of arguments that go by the name that another host has for them.

    Parameters
    ----------
    attribute, predicted : str
        The names of the attribute and of its prediction in this host.
    """
    hints = dict.fromkeys(_ATTRIBUTE, f"it takes the attribute as {attribute}")
    predicted = f"it takes the predicted attribute as {predicted}"
    return hints | dict.fromkeys(_PREDICTED_ATTRIBUTE, predicted)


def explains_arguments(hints: Mapping[str, str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function to say, for an argument that it does not have, what to give instead.

    Parameters
    ----------
    hints : mapping of str to str
        By the name of the argument.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **options: P.kwargs) -> R:
            for name in options:
                if name not in signature.parameters:
                    hint = f": {hints[name]}" if name in hints else ""
                    raise TypeError(f"{function.__name__} has no argument {name!r}{hint}")
            try:
                signature.bind(*args, **options)
            except TypeError as error:
                raise TypeError(f"{function.__name__}(): {error}") from None
            return function(*args, **options)

        return checked

    return decorate


class MetricFunctions(Generic[P]):
    """Makes the functions of a host, and knows the metric of each.

    Parameters
    ----------
    prototype : callable
        Returns the value of the metric class that is its first argument.
    attribute, predicted : str
        What the host calls the attribute and its prediction.
    reference : str
        What the host takes for a reference, beside counts and ``BaseRates``.

    Attributes
    ----------
    metrics : dict
        The metric class of each function that was made.
    """

    def __init__(
        self,
        prototype: Callable[Concatenate[type[Metric], P], float],
        *,
        attribute: str,
        predicted: str,
        reference: str,
    ) -> None:
        self._prototype, self._reference = prototype, reference
        self._hints = names_of_other_hosts(attribute, predicted)
        self.metrics: dict[Callable[..., float], type[Metric]] = {}

    def __call__(self, name: str) -> Callable[P, float]:
        """The function of this name, for the module of the prototype."""
        metric, *_ = text = _METRICS[name]

        def function(*args: P.args, **options: P.kwargs) -> float:
            return self._prototype(metric, *args, **options)

        prototype = inspect.signature(self._prototype)
        _, *arguments, _ = prototype.parameters.values()
        signature = prototype.replace(parameters=[*arguments, *_parameters(metric)])
        types = get_type_hints(self._prototype) | get_type_hints(metric)
        described: Any = function
        described.__name__ = described.__qualname__ = name
        described.__module__ = self._prototype.__module__
        described.__signature__ = signature
        described.__annotations__ = {key: types[key] for key in [*signature.parameters, "return"]}
        described.__doc__ = self._docstring(name, text)
        checked = explains_arguments(self._hints)(function)
        self.metrics[checked] = metric
        return checked

    def _docstring(self, name: str, text: MetricText) -> str:
        parameters = [parameter.name for parameter in _parameters(text.metric)]
        entries = [
            entry.format(reference=self._reference)
            for parameter, entry in _ENTRIES.items()
            if parameter in parameters
        ]
        others = ", ".join(parameter for parameter in parameters if parameter not in _ENTRIES)
        entries.append(f"{others}\n    As in :class:`biasamp_adapters.{text.metric.__name__}`.")
        template = inspect.getdoc(self._prototype) or ""
        return template.format(name=name, parameters="\n".join(entries), **text._asdict())


def _parameters(metric: type[Metric]) -> list[inspect.Parameter]:
    """The parameters of a metric: its own before those that it shares with others."""
    by_name = inspect.signature(metric).parameters
    names = [name for kind in metric.__mro__ for name in inspect.get_annotations(kind)]
    return [by_name[name] for name in dict.fromkeys(names)]
