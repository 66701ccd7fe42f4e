"""Explainers, in text and JSON, of bias amplification and of every inherited metric."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

from aif360.explainers import MetricJSONExplainer, MetricTextExplainer

from biasamp_adapters.metrics import (
    MALS,
    AmplificationResult,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.metrics.result import plain


class _Words(NamedTuple):
    """What is said of a metric.

    Attributes
    ----------
    name : str
    zero : str
        What a value of 0 means, in a few words.
    description : str
        How it is computed.
    reading : str
        Which way is worse, after "The ideal value of this metric is 0."
    """

    name: str
    zero: str
    description: str
    reading: str


_WORDS: dict[Any, _Words] = {
    MALS: _Words(
        "BiasAmp_MALS",
        "no amplification",
        "Computed as the mean over labels of how much more the predictions join a label with the "
        "groups that it favours in the reference, P(group | predicted label) less "
        "P(group | label). It mixes both directions.",
        "A value of > 0 implies that predictions join labels with the groups that they favour "
        "more often than the data do, which is worse; a value of < 0 implies that they do so less "
        "often, or that the model makes mistakes.",
    ),
    DirectionalBiasAmplification: _Words(
        "Directional Bias Amplification",
        "no amplification",
        "Computed as the mean over groups and labels of the change that predictions make to "
        "P(label | group) (A->T) or P(group | label) (T->A), counted positive where it follows "
        "the correlation in the reference.",
        "A value of > 0 implies that the model amplifies bias, which is worse; a value of < 0 "
        "implies that it reduces bias, or that it makes mistakes.",
    ),
    MultiAttributeBiasAmplification: _Words(
        "Multi-Attribute Bias Amplification",
        "no rate changes; it has no sign, and chance alone makes it positive",
        "Computed as the mean size, over groups and labels, of the change that predictions make "
        "to P(label | group) (A->T) or P(group | label) (T->A), whichever way it goes.",
        "It has no sign: a larger value means larger changes, which is worse if they are not due "
        "to chance. Chance alone makes it positive.",
    ),
    LeakageAmplification: _Words(
        "Leakage Amplification",
        "predicted and true labels give as much away",
        "Computed as the success of the best attacker in telling the group from the predicted "
        "label, less that from the true label made as wrong as the model.",
        "A value of > 0 implies that predicted labels give the group away more than true labels "
        "do, which is worse; a value of < 0 implies that they give it away less.",
    ),
    DirectionalPredictabilityAmplification: _Words(
        "Directional Predictability Amplification",
        "as predictable as in the data",
        "Computed as the relative change in how well the best attacker predicts the model's label "
        "from the group (A->T), or its group from the label (T->A), against data made as wrong as "
        "the model.",
        "A value of > 0 implies that the model's output is easier to predict than the data, which "
        "is worse; a value of < 0 implies that it is harder to predict.",
    ),
}


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

    def mals(self, **parameters: Any) -> str:
        """BiasAmp_MALS; parameters as those of the metric."""
        return self._explained(MALS(**parameters))

    def directional_bias_amplification(
        self, direction: str = "attribute_to_task", **parameters: Any
    ) -> str:
        """BA-> in one direction."""
        return self._explained(DirectionalBiasAmplification(direction=direction, **parameters))

    def multi_attribute_bias_amplification(
        self, direction: str = "attribute_to_task", **parameters: Any
    ) -> str:
        """Multi in one direction."""
        return self._explained(MultiAttributeBiasAmplification(direction=direction, **parameters))

    def leakage_amplification(self, **parameters: Any) -> str:
        """LA."""
        return self._explained(LeakageAmplification(**parameters))

    def directional_predictability_amplification(
        self, direction: str = "attribute_to_task", **parameters: Any
    ) -> str:
        """DPA in one direction."""
        metric = DirectionalPredictabilityAmplification(direction=direction, **parameters)
        return self._explained(metric)

    def _explained(self, metric: Any) -> str:
        return _message(metric, self.metric.amplification(metric))


class BiasAmplificationJSONExplainer(
    BiasAmplificationTextExplainer,
    MetricJSONExplainer,  # type: ignore[misc]  # not typed
):
    """AIF360's ``MetricJSONExplainer``, which also explains bias amplification.

    What it returns is valid JSON for the inherited metrics too: a NaN is null.

    Parameters
    ----------
    metric : BiasAmplificationMetric
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self.metric = _PlainNumbers(metric)

    def __getattribute__(self, name: str) -> Any:
        """An attribute; what a public method says is made valid JSON."""
        found = super().__getattribute__(name)
        if name.startswith("_") or not callable(found) or isinstance(found, _PlainNumbers):
            return found

        def valid(*args: Any, **options: Any) -> str:
            return _valid(found(*args, **options))

        return valid

    def _explained(self, metric: Any) -> str:
        result: AmplificationResult = self.metric.amplification(metric)
        words = _WORDS[type(metric)]
        return json.dumps(
            {
                "metric": words.name,
                "message": _message(metric, result),
                "value": _number(result.value),
                "direction": result.direction,
                "label": result.pos_label,
                "randomErrors": _number(result.random_error),
                "numInstances": result.n,
                "notes": list(result.notes),
                "description": words.description,
                "ideal": f"The ideal value of this metric is 0. {words.reading}",
            }
        )


def _message(metric: Any, result: AmplificationResult) -> str:
    words = _WORDS[type(metric)]
    direction = f" {result.direction}" if hasattr(metric, "direction") else ""
    errors = result.random_error
    baseline = "" if errors is None else f", random errors of this accuracy = {errors:z.4f}"
    value = result.estimate.text("")
    label = "" if result.pos_label is None else f" of label {result.pos_label:g}"
    return f"{words.name}{direction}{label} (0 = {words.zero}{baseline}): {value}"


class _PlainNumbers:
    """A metric whose methods return Python's own numbers, which ``json`` can write."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._metric, name)
        if not callable(found):
            return found

        def plain(*args: Any, **options: Any) -> Any:
            value = found(*args, **options)
            return value.item() if getattr(value, "shape", None) == () else value

        return plain


def _valid(text: Any) -> Any:
    """The same JSON with null for what JSON has no number for."""
    if not isinstance(text, str):
        return text
    return json.dumps(_without_nan(json.loads(text)), allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float | None) -> float | None:
    """A value of ours without what rounding leaves of 0; not finite, it becomes null later."""
    return plain(value) if value is not None and math.isfinite(value) else value
