"""Metrics by their names and keys, such as "BA", "DPA(U) T->A" and "ba_t_to_a"."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from biasamp_adapters.metrics.attacks import (
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
)
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.multi import MultiAttributeBiasAmplification
from biasamp_adapters.metrics.quality import UNCERTAINTY
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification, MALSBiasAmplification

#: The classes and settings of the metrics with names; those without a direction mean "A->T".
_METRICS: dict[str, tuple[type[Metric], dict[str, Any]]] = {
    "MALS": (MALSBiasAmplification, {}),
    "BA": (DirectionalBiasAmplification, {}),
    "BA T->A": (DirectionalBiasAmplification, {"direction": "T->A"}),
    "Multi": (MultiAttributeBiasAmplification, {}),
    "Multi T->A": (MultiAttributeBiasAmplification, {"direction": "T->A"}),
    "Multi undirected": (MultiAttributeBiasAmplification, {"direction": "undirected"}),
    "LA": (LeakageAmplification, {}),
    "DPA": (DirectionalPredictabilityAmplification, {}),
    "DPA T->A": (DirectionalPredictabilityAmplification, {"direction": "T->A"}),
    "DPA(U)": (DirectionalPredictabilityAmplification, {"quality": UNCERTAINTY}),
    "DPA(U) T->A": (
        DirectionalPredictabilityAmplification,
        {"quality": UNCERTAINTY, "direction": "T->A"},
    ),
}


def get_metric(metric: Any, **settings: Any) -> Metric:
    """Return a metric object, or the one of a name or key with some settings.

    Parameters
    ----------
    metric : Metric or str
    **settings
        Settings of a metric that is named, such as ``reference``.
    """
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, type) and issubclass(metric, Metric):
        raise ValueError(f"metric must be an object, {metric.__name__}(); received the class")
    by_name = _by_name()
    name = str(metric).replace("→", "->")
    if name not in by_name:
        nearest = get_close_matches(name, by_name, 1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise ValueError(
            f"unknown metric {str(metric)[:40]!r}{hint} The metrics are {', '.join(_METRICS)}."
        )
    kind, own = by_name[name]
    return kind(**own, **settings)


def _by_name() -> dict[str, tuple[type[Metric], dict[str, Any]]]:
    """Return the metrics by short names, full names and keys."""
    by_name = dict(_METRICS)
    for kind, own in _METRICS.values():
        metric = kind(**own)
        by_name[metric.name] = by_name[metric.key] = kind, own
    return by_name
