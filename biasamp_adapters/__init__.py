"""Bias amplification metrics, with intervals, for the tools that auditors already use.

Everything public is an attribute of this module and is imported when it is first asked for, so
that ``import biasamp_adapters`` itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biasamp_adapters import plot
    from biasamp_adapters._warnings import AmplificationWarning, SmallCellsWarning
    from biasamp_adapters.auditing import AuditReport, audit, audit_counts
    from biasamp_adapters.base_rates import BaseRates
    from biasamp_adapters.counts import CooccurrenceCounts, JointCounts
    from biasamp_adapters.counts.loading import load_counts
    from biasamp_adapters.inference.estimates import Estimate, RunSummary, summarize_runs
    from biasamp_adapters.inputs.matrices import Indicators
    from biasamp_adapters.metrics import (
        MALS,
        AmplificationResult,
        DirectionalBiasAmplification,
        DirectionalPredictabilityAmplification,
        LeakageAmplification,
        MultiAttributeBiasAmplification,
    )
    from biasamp_adapters.metrics.paired import Comparison, compare, compare_counts
    from biasamp_adapters.quality import get_quality, quality_names
    from biasamp_adapters.thresholds import (
        calibrated_threshold,
        threshold_free,
        threshold_sweep,
    )

__version__ = "0.1.0"

__all__ = [
    "MALS",
    "AmplificationResult",
    "AmplificationWarning",
    "AuditReport",
    "BaseRates",
    "Comparison",
    "CooccurrenceCounts",
    "DirectionalBiasAmplification",
    "DirectionalPredictabilityAmplification",
    "Estimate",
    "Indicators",
    "JointCounts",
    "LeakageAmplification",
    "MultiAttributeBiasAmplification",
    "RunSummary",
    "SmallCellsWarning",
    "audit",
    "audit_counts",
    "calibrated_threshold",
    "compare",
    "compare_counts",
    "get_quality",
    "load_counts",
    "plot",
    "quality_names",
    "summarize_runs",
    "threshold_free",
    "threshold_sweep",
]

_HOMES = {
    "biasamp_adapters._warnings": ("AmplificationWarning", "SmallCellsWarning"),
    "biasamp_adapters.auditing": ("AuditReport", "audit", "audit_counts"),
    "biasamp_adapters.base_rates": ("BaseRates",),
    "biasamp_adapters.counts": ("CooccurrenceCounts", "JointCounts"),
    "biasamp_adapters.counts.loading": ("load_counts",),
    "biasamp_adapters.inputs.matrices": ("Indicators",),
    "biasamp_adapters.metrics": (
        "MALS",
        "AmplificationResult",
        "DirectionalBiasAmplification",
        "DirectionalPredictabilityAmplification",
        "LeakageAmplification",
        "MultiAttributeBiasAmplification",
    ),
    "biasamp_adapters.metrics.paired": ("Comparison", "compare", "compare_counts"),
    "biasamp_adapters.quality": ("get_quality", "quality_names"),
    "biasamp_adapters.thresholds": (
        "calibrated_threshold",
        "threshold_free",
        "threshold_sweep",
    ),
    "biasamp_adapters.inference.estimates": ("Estimate", "RunSummary", "summarize_runs"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a type checker would take any name to be there

    def __getattr__(name: str) -> Any:
        if name == "plot":
            return import_module("biasamp_adapters.plot")
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
