"""AIF360: a metric class and its explainers, a report, and thresholds as a postprocessing."""

from biasamp_adapters.aif360 import host as host  # First: it imports AIF360 without its messages.
from biasamp_adapters.aif360.metric import (
    BiasAmplificationJSONExplainer,
    BiasAmplificationMetric,
    BiasAmplificationTextExplainer,
)
from biasamp_adapters.aif360.postprocessing import PrevalenceThresholdPostprocessing
from biasamp_adapters.aif360.report import audit_report

__all__ = [
    "BiasAmplificationJSONExplainer",
    "BiasAmplificationMetric",
    "BiasAmplificationTextExplainer",
    "PrevalenceThresholdPostprocessing",
    "audit_report",
]
