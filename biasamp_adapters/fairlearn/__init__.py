"""Fairlearn: metric functions, a MetricFrame with intervals, and a constraint for reductions."""

try:
    import fairlearn  # noqa: F401
except ModuleNotFoundError:
    raise ImportError('Fairlearn is missing: pip install "biasamp-adapters[fairlearn]"') from None

from biasamp_adapters.fairlearn.build import amplification_frame
from biasamp_adapters.fairlearn.zero_amplification import ZeroAmplification
from biasamp_adapters.metrics.functions import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)

__all__ = [
    "ZeroAmplification",
    "amplification_frame",
    "directional_bias_amplification",
    "directional_predictability_amplification",
    "leakage_amplification",
    "mals_bias_amplification",
    "multi_attribute_bias_amplification",
]
