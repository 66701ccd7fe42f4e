"""Fairlearn: metric functions, a MetricFrame with intervals, and a constraint for reductions."""

try:
    import fairlearn  # noqa: F401
except ModuleNotFoundError:
    raise ImportError('Fairlearn is missing: pip install "biasamp-adapters[fairlearn]"') from None

from biasamp_adapters.fairlearn.build import amplification_frame
from biasamp_adapters.fairlearn.zero_amplification import ZeroAmplification
from biasamp_adapters.metrics import functions
from biasamp_adapters.metrics.functions import *  # noqa: F403

__all__ = ["ZeroAmplification", "amplification_frame", *functions.__all__]
