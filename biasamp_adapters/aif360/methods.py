"""Add one method per metric to the classes for AIF360."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from biasamp_adapters.metrics import METRICS
from biasamp_adapters.metrics.base import Metric

C = TypeVar("C", bound=type)


def metric_methods(**readers: str) -> Callable[[C], C]:
    """Decorate a class: add a method for each metric and reader, with the metric's parameters.

    Parameters
    ----------
    readers : str
        The suffix of the new methods, and the name of the method that they call with a metric. Its
        docstring is a template. The suffix "value" is left out.
    """

    def decorate(kind: C) -> C:
        for metric in METRICS:
            name = metric.about.method or metric.about.function
            for reads, reader in readers.items():
                full_name = name if reads == "value" else f"{name}_{reads}"
                setattr(kind, full_name, _method(metric, full_name, name, getattr(kind, reader)))
        return kind

    return decorate


def _method(
    metric: type[Metric], name: str, method_of_value: str, read: Callable[[Any, Metric], Any]
) -> Any:
    """A method that makes a metric from its arguments and returns what ``read`` gives for it."""
    kind: Callable[..., Metric] = metric
    has_direction = len(metric.about.directions) > 1

    def with_direction(self: Any, direction: str = "attribute_to_task", **parameters: Any) -> Any:
        return read(self, kind(direction=direction, **parameters))

    def without_direction(self: Any, **parameters: Any) -> Any:
        return read(self, kind(**parameters))

    method: Any = with_direction if has_direction else without_direction
    method.__name__, method.__module__ = name, read.__module__
    method.__qualname__ = f"{read.__qualname__.rpartition('.')[0]}.{name}"
    method.__annotations__["return"] = get_type_hints(read)["return"]
    method.__doc__ = (read.__doc__ or "").format(
        name=metric.about.name,
        metric=metric.__qualname__,
        source=metric.about.source,
        direction=' in one direction, such as "A->T"' if has_direction else "",
        method_of_value=method_of_value,
    )
    return method
