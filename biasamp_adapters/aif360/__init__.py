"""AIF360: a metric class and its explainers, a report, and thresholds as a postprocessing."""

try:
    import aif360  # noqa: F401
except ModuleNotFoundError:
    raise ImportError('AIF360 is missing: pip install "biasamp-adapters[aif360]"') from None

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
