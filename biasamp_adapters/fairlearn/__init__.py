"""Bias amplification for Fairlearn: functions, a frame with intervals, and a constraint.

Needs the extra ``fairlearn``. The functions are called like ``demographic_parity_difference``;
metric objects such as :class:`biasamp_adapters.MALS` work in the same places and carry parameters.
The constraint is for the reductions, such as ``ExponentiatedGradient``.
"""

from __future__ import annotations

try:
    import fairlearn.metrics  # noqa: F401
except ImportError as error:
    if (error.name or "").split(".")[0] != "fairlearn":
        raise
    raise ImportError(
        "biasamp_adapters.fairlearn needs Fairlearn: pip install 'biasamp-adapters[fairlearn]'"
    ) from error

from biasamp_adapters.fairlearn.build import amplification_frame
from biasamp_adapters.fairlearn.frame import AmplificationFrame
from biasamp_adapters.fairlearn.functions import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)
from biasamp_adapters.fairlearn.zero_amplification import ZeroAmplification

__all__ = [
    "AmplificationFrame",
    "ZeroAmplification",
    "amplification_frame",
    "directional_bias_amplification",
    "directional_predictability_amplification",
    "leakage_amplification",
    "mals_bias_amplification",
    "multi_attribute_bias_amplification",
]
