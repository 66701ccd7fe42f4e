"""Make the functions of a host, one per metric, from one prototype.

A prototype is an ordinary function with the argument names of its host. Its first argument is the
metric class, and ``**parameters`` are the parameters of the metric. Its docstring is a template,
which is filled from the docstring of the metric. The metric declares the name and the example of
its function. ``help`` and ``inspect.signature`` show all arguments.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, get_type_hints

from biasamp_adapters._arguments import explains_arguments
from biasamp_adapters._text import renamed, renaming_errors
from biasamp_adapters.metrics import METRICS
from biasamp_adapters.metrics.base import Metric

#: Names of the attribute and its prediction: here and in Fairlearn, in data frames and on the
#: command line, in ``aif360.sklearn``, and in AIF360's classes.
_ATTRIBUTE = ("sensitive_features", "prot_attr", "protected_attributes")
_PREDICTED_ATTRIBUTE = (
    "sensitive_features_pred",
    "attribute_prediction",
    "prot_attr_pred",
    "predicted_protected_attributes",
)

#: Title of a section of a docstring, with the blank line before it.
_TITLE = re.compile(r"\n\n(\w+)\n-+\n")


def names_of_other_hosts(attribute: str, predicted: str) -> dict[str, str]:
    """Hints for arguments that are given by the names of another host.

    Parameters
    ----------
    attribute, predicted : str
        The names of the attribute and of its prediction in this host.
    """
    hints = dict.fromkeys(_ATTRIBUTE, f"it takes the attribute as {attribute}")
    predicted = f"it takes the predicted attribute as {predicted}"
    return hints | dict.fromkeys(_PREDICTED_ATTRIBUTE, predicted)


def errors_of_host(attribute: str, predicted: str) -> AbstractContextManager[None]:
    """Use the host's names of the attribute and its prediction in errors of the metrics."""
    return renaming_errors({"sensitive_features": attribute, "sensitive_features_pred": predicted})


class MetricFunctions:
    """The functions of a host, and the metric of each.

    Parameters
    ----------
    prototype : callable
        Returns the value of the metric class that is its first argument. Its docstring is a
        template with the fields ``description``, ``parameters``, ``notes``, ``name``, ``example``
        and ``value``.
    attribute, predicted : str
        The host's names of the attribute and its prediction.

    Attributes
    ----------
    metrics : dict
        The metric class of each function.
    """

    def __init__(
        self,
        prototype: Callable[..., float],
        *,
        attribute: str,
        predicted: str,
    ) -> None:
        self._prototype = prototype
        self._names = {"sensitive_features": attribute, "sensitive_features_pred": predicted}
        self.metrics = {self._function(metric): metric for metric in METRICS}

    def __getitem__(self, name: str) -> Callable[..., float]:
        """The function of this name."""
        return {function.__name__: function for function in self.metrics}[name]

    def _function(self, metric: type[Metric]) -> Callable[..., float]:
        about, name = metric.about, metric.about.function

        def function(*args: Any, **options: Any) -> float:
            with errors_of_host(*self._names.values()):
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
        template = inspect.getdoc(self._prototype) or ""
        described.__doc__ = template.format(
            name=name,
            example=about.parameters,
            value=about.example,
            **self._sections(metric),
        )
        return explains_arguments(names_of_other_hosts(*self._names.values()))(function)

    def _sections(self, metric: type[Metric]) -> dict[str, str]:
        """Parts of the docstring of a metric, with the argument names of the host."""
        text = renamed(inspect.getdoc(metric) or "", self._names)
        # Sphinx would look for a name without a dot in the module of the host only.
        text = re.sub(":class:`(?=[A-Z])", ":class:`.", text)
        description, *sections = _TITLE.split(text)
        body = dict(zip(sections[::2], sections[1::2], strict=True))
        notes = [
            f"{title}\n{'-' * len(title)}\n{body[title]}"
            for title in ("Notes", "References")
            if title in body
        ]
        return {
            "description": description,
            "parameters": body.get("Parameters", ""),
            "notes": "\n\n".join(notes),
        }


def _parameters(metric: type[Metric]) -> list[inspect.Parameter]:
    """The parameters of a metric: those of its class first, then the inherited ones."""
    by_name = inspect.signature(metric).parameters
    names = [name for kind in metric.__mro__ for name in inspect.get_annotations(kind)]
    return [by_name[name] for name in dict.fromkeys(names) if name in by_name]
