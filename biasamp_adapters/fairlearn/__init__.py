"""Bias amplification for Fairlearn: functions for ``MetricFrame``, and a frame with intervals.

Needs the extra ``fairlearn``. The functions have the shape of ``demographic_parity_difference``;
metric objects such as :class:`biasamp_adapters.MALS` work in the same places and carry parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
from biasamp_adapters.fairlearn.functions import *  # noqa: F403
from biasamp_adapters.fairlearn.functions import __all__ as _functions

__all__ = [
    "AmplificationFrame",
    "amplification_frame",
    *_functions,
]
__all__.sort()

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., float]:
        """The functions of all metrics, which are made when this module is imported."""
