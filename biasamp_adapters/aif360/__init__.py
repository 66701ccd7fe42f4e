"""Bias amplification for AIF360: a metric class, explainers, an audit report, and functions.

Needs the extra ``aif360``. The functions follow the conventions of ``aif360.sklearn``: the
protected attributes are levels of the index of ``y_true``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biasamp_adapters.aif360.quiet import quietly_imported

try:
    quietly_imported("aif360.metrics", "aif360.explainers", "aif360.sklearn.metrics")
except ImportError as error:
    if (error.name or "").split(".")[0] != "aif360":
        raise
    raise ImportError(
        "biasamp_adapters.aif360 needs AIF360: pip install 'biasamp-adapters[aif360]'"
    ) from error

from biasamp_adapters.aif360.explainers import (
    BiasAmplificationJSONExplainer,
    BiasAmplificationTextExplainer,
)
from biasamp_adapters.aif360.functions import *  # noqa: F403
from biasamp_adapters.aif360.functions import __all__ as _functions
from biasamp_adapters.aif360.metric import BiasAmplificationMetric
from biasamp_adapters.aif360.report import audit_report
from biasamp_adapters.aif360.scorer import make_scorer

__all__ = [
    "BiasAmplificationJSONExplainer",
    "BiasAmplificationMetric",
    "BiasAmplificationTextExplainer",
    "audit_report",
    "make_scorer",
    *_functions,
]
__all__.sort()

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., float]:
        """The functions of all metrics, which are made when this module is imported."""
