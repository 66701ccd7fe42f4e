"""The five metrics: counts in, a value with its interval and its table of pairs out."""

from biasamp_adapters.metrics.cooccurrence import MALS, DirectionalBiasAmplification
from biasamp_adapters.metrics.multi import MultiAttributeBiasAmplification
from biasamp_adapters.metrics.predictability import (
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
)
from biasamp_adapters.metrics.result import AmplificationResult

__all__ = [
    "MALS",
    "AmplificationResult",
    "DirectionalBiasAmplification",
    "DirectionalPredictabilityAmplification",
    "LeakageAmplification",
    "MultiAttributeBiasAmplification",
]
