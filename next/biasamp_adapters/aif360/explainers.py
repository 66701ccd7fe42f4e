"""Explainers, in text and JSON, of bias amplification and of every inherited metric."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from aif360.explainers import MetricJSONExplainer, MetricTextExplainer

from biasamp_adapters import words
from biasamp_adapters.aif360.datasets import Datasets
from biasamp_adapters.aif360.metric import MetricMethods
from biasamp_adapters.result import AmplificationResult


class BiasAmplificationTextExplainer(MetricMethods, MetricTextExplainer):  # type: ignore[misc]
    """AIF360's ``MetricTextExplainer``, which also explains bias amplification.

    Parameters
    ----------
    metric : BiasAmplificationMetric or ClassificationMetric

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
    >>> explain.multi_attribute_bias_amplification()
    'Multi A->T: 0.0000. The mean size of the changes of rates, without sign.'
    >>> explain.accuracy()
    'Classification accuracy (ACC): 1.0'
    """

    def _answer(self, name: str, settings: dict[str, Any]) -> str:
        metric, columns = Datasets.of(self.metric).metric(name, settings)
        return self._explain(metric.result(**columns, n_boot=0), words.GLOSSARY[metric.short])

    def _explain(self, result: AmplificationResult, meaning: str) -> str:
        label = result.pos_label
        of_label = "" if label is None else words.OF_LABEL.format(label=label)
        return f"{result.metric}{of_label}: {result.value:z.4f}. {meaning}"


def _valid_json(method: Callable[..., str]) -> Callable[..., str]:
    """Return a method of AIF360's explainer with null in place of NaN and infinity."""

    @wraps(method)
    def valid(*args: Any, **options: Any) -> str:
        return json.dumps(json.loads(method(*args, **options), parse_constant=lambda name: None))

    return valid


class BiasAmplificationJSONExplainer(BiasAmplificationTextExplainer, MetricJSONExplainer):  # type: ignore[misc]
    """AIF360's ``MetricJSONExplainer``, which also explains bias amplification.

    All that it returns is valid JSON: a NaN is null, that of an inherited metric too.

    Parameters
    ----------
    metric : BiasAmplificationMetric or ClassificationMetric
    """

    def _explain(self, result: AmplificationResult, meaning: str) -> str:
        about = result.to_dict().items()
        record = {name: x["value"] if isinstance(x, dict) else x for name, x in about}
        record |= {"message": super()._explain(result, meaning), "label": result.pos_label}
        record |= {"description": meaning, "ideal": words.IDEAL}
        return json.dumps(record)


for _name, _method in vars(MetricJSONExplainer).items():
    if not _name.startswith("_"):
        setattr(BiasAmplificationJSONExplainer, _name, _valid_json(_method))
