"""Explainers, in text and JSON, of bias amplification and of every inherited metric."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from aif360.explainers import MetricJSONExplainer, MetricTextExplainer

from biasamp_adapters.aif360.methods import metric_method, words_of
from biasamp_adapters.metrics import AmplificationResult
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.result import plain


class BiasAmplificationTextExplainer(MetricTextExplainer):  # type: ignore[misc]  # not typed
    """AIF360's ``MetricTextExplainer``, which also explains bias amplification.

    Parameters
    ----------
    metric : BiasAmplificationMetric

    Examples
    --------
    >>> import pandas as pd
    >>> from aif360.datasets import BinaryLabelDataset
    >>> from biasamp_adapters.aif360 import BiasAmplificationMetric, BiasAmplificationTextExplainer
    >>> rows = pd.DataFrame({"sex": [1.0, 1, 0, 0], "hired": [1.0, 0, 1, 0]})
    >>> truth = BinaryLabelDataset(
    ...     df=rows, label_names=["hired"], protected_attribute_names=["sex"]
    ... )
    >>> explain = BiasAmplificationTextExplainer(
    ...     BiasAmplificationMetric(truth, truth.copy(deepcopy=True))
    ... )
    >>> explain.leakage_amplification()
    'Leakage Amplification (0 = predicted and true labels give as much away): 0.0000'
    >>> explain.accuracy()
    'Classification accuracy (ACC): 1.0'
    """

    def _explained(self, metric: Metric) -> str:
        """{name}; parameters as in :class:`biasamp_adapters.{metric}`."""
        return self._said(metric, self.metric.amplification(metric))

    def _said(self, metric: Metric, result: AmplificationResult) -> str:
        words = words_of(metric)
        direction = f" {result.direction}" if hasattr(metric, "direction") else ""
        errors = result.random_error
        baseline = "" if errors is None else f", random errors of this accuracy = {errors:z.4f}"
        label = "" if result.pos_label is None else f" of label {result.pos_label:g}"
        value = result.estimate.text("")
        return f"{words.name}{direction}{label} (0 = {words.zero}{baseline}): {value}"

    mals = metric_method("mals", _explained)
    directional_bias_amplification = metric_method("directional_bias_amplification", _explained)
    multi_attribute_bias_amplification = metric_method(
        "multi_attribute_bias_amplification", _explained
    )
    leakage_amplification = metric_method("leakage_amplification", _explained)
    directional_predictability_amplification = metric_method(
        "directional_predictability_amplification", _explained
    )


def _valid_json(method: Callable[..., str]) -> Callable[..., str]:
    """A method of AIF360's explainer, with null for what JSON has no number for."""

    @wraps(method)
    def valid(*args: Any, **options: Any) -> str:
        return json.dumps(_without_nan(json.loads(method(*args, **options))), allow_nan=False)

    return valid


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


_ValidJSONExplainer: Any = type(
    "_ValidJSONExplainer",
    (MetricJSONExplainer,),
    {
        name: _valid_json(method)
        for name, method in vars(MetricJSONExplainer).items()
        if not name.startswith("_")
    },
)


class BiasAmplificationJSONExplainer(BiasAmplificationTextExplainer, _ValidJSONExplainer):  # type: ignore[misc]
    """AIF360's ``MetricJSONExplainer``, which also explains bias amplification.

    What it returns is valid JSON for the inherited metrics too: a NaN is null.

    Parameters
    ----------
    metric : BiasAmplificationMetric
    """

    def _said(self, metric: Metric, result: AmplificationResult) -> str:
        words = words_of(metric)
        return json.dumps(
            {
                "metric": words.name,
                "message": super()._said(metric, result),
                "value": _number(result.value),
                "direction": result.direction,
                "label": result.pos_label,
                "randomErrors": _number(result.random_error),
                "numInstances": result.n,
                "notes": list(result.notes),
                "description": words.description,
                "ideal": f"The ideal value of this metric is 0. {words.reading}",
            },
            allow_nan=False,
        )


def _number(value: float | None) -> float | None:
    """A value of ours without what rounding leaves of 0; None where it is not finite."""
    return plain(value) if value is not None and math.isfinite(value) else None
