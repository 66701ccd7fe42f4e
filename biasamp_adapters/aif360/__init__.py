"""Bias amplification for AIF360: a metric class, explainers, a report, a mitigation, functions.

Needs the extra ``aif360``. The functions follow the conventions of ``aif360.sklearn``: the
protected attributes are levels of the index of ``y_true``.
"""

from __future__ import annotations

from biasamp_adapters.aif360.quiet import import_quietly

try:
    import_quietly(
        "aif360.algorithms", "aif360.metrics", "aif360.explainers", "aif360.sklearn.metrics"
    )
except ImportError as error:
    if (error.name or "").split(".")[0] != "aif360":
        raise
    raise ImportError(
        "biasamp_adapters.aif360 needs AIF360: pip install 'biasamp-adapters[aif360]'"
    ) from error

from biasamp_adapters.aif360.audit_datasets import audit_report
from biasamp_adapters.aif360.explainers import (
    BiasAmplificationJSONExplainer,
    BiasAmplificationTextExplainer,
)
from biasamp_adapters.aif360.functions import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)
from biasamp_adapters.aif360.metric import BiasAmplificationMetric
from biasamp_adapters.aif360.postprocessing import PrevalenceThresholdPostprocessing
from biasamp_adapters.aif360.signed_scorer import make_scorer

__all__ = [
    "BiasAmplificationJSONExplainer",
    "BiasAmplificationMetric",
    "BiasAmplificationTextExplainer",
    "PrevalenceThresholdPostprocessing",
    "audit_report",
    "directional_bias_amplification",
    "directional_predictability_amplification",
    "leakage_amplification",
    "make_scorer",
    "mals_bias_amplification",
    "multi_attribute_bias_amplification",
]
