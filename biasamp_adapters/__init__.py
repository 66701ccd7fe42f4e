"""Bias amplification metrics, with intervals, for the tools that auditors already use.

Begin with :func:`audit`, whose report has ``check``, ``to_html`` and ``to_frame``. For the tools
there are ``biasamp_adapters.fairlearn`` (``amplification_frame``), ``.aif360`` (``audit_report``)
and ``.sklearn`` (``amplification_scorer``), and for a shell the command ``biasamp audit``.

Everything public is an attribute of this module and is imported when it is first asked for, so
that ``import biasamp_adapters`` itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biasamp_adapters.auditing.answer import Verdict as Verdict
    from biasamp_adapters.auditing.check import Failure as Failure
    from biasamp_adapters.counting.base_rates import BaseRates as BaseRates
    from biasamp_adapters.counting.counts import Counts as Counts
    from biasamp_adapters.counting.variables import OverlappingGroups as OverlappingGroups
    from biasamp_adapters.inference.intervals import Estimate as Estimate
    from biasamp_adapters.inference.verdict import Gap as Gap
    from biasamp_adapters.metrics.attacks import (
        DirectionalPredictabilityAmplification as DirectionalPredictabilityAmplification,
    )
    from biasamp_adapters.metrics.attacks import LeakageAmplification as LeakageAmplification
    from biasamp_adapters.metrics.compare import Comparison as Comparison
    from biasamp_adapters.metrics.compare import compare as compare
    from biasamp_adapters.metrics.functions import *  # noqa: F403
    from biasamp_adapters.metrics.multi import (
        MultiAttributeBiasAmplification as MultiAttributeBiasAmplification,
    )
    from biasamp_adapters.metrics.rates import (
        DirectionalBiasAmplification as DirectionalBiasAmplification,
    )
    from biasamp_adapters.metrics.rates import MALSBiasAmplification as MALSBiasAmplification
    from biasamp_adapters.report.audit_report import AuditReport as AuditReport
    from biasamp_adapters.report.audit_report import audit as audit
    from biasamp_adapters.report.runs import over_runs as over_runs
    from biasamp_adapters.report.runs import track as track
    from biasamp_adapters.result import AmplificationResult as AmplificationResult
    from biasamp_adapters.thresholds.prevalence import PrevalenceThreshold as PrevalenceThreshold
    from biasamp_adapters.thresholds.sweep import ThresholdSweep as ThresholdSweep
    from biasamp_adapters.thresholds.sweep import threshold_sweep as threshold_sweep
    from biasamp_adapters.warning import AmplificationWarning as AmplificationWarning

__version__ = "0.2.0"

_HOMES = {
    "counting.base_rates": ("BaseRates",),
    "counting.counts": ("Counts",),
    "counting.variables": ("OverlappingGroups",),
    "auditing.answer": ("Verdict",),
    "auditing.check": ("Failure",),
    "inference.verdict": ("Gap",),
    "inference.intervals": ("Estimate",),
    "metrics.attacks": ("DirectionalPredictabilityAmplification", "LeakageAmplification"),
    "metrics.compare": ("Comparison", "compare"),
    "metrics.functions": (
        "directional_bias_amplification",
        "directional_predictability_amplification",
        "leakage_amplification",
        "mals_bias_amplification",
        "multi_attribute_bias_amplification",
    ),
    "metrics.multi": ("MultiAttributeBiasAmplification",),
    "metrics.rates": ("DirectionalBiasAmplification", "MALSBiasAmplification"),
    "report.audit_report": ("AuditReport", "audit"),
    "report.runs": ("over_runs", "track"),
    "result": ("AmplificationResult",),
    "thresholds.prevalence": ("PrevalenceThreshold",),
    "thresholds.sweep": ("ThresholdSweep", "threshold_sweep"),
    "warning": ("AmplificationWarning",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_SUBMODULES = ("datasets", "plot", "sklearn", "studies")

#: Submodules that need an extra, and so are not in ``__all__``.
_HOSTS = ("aif360", "fairlearn")

__all__ = sorted([*_HOME_OF, *_SUBMODULES])


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES or name in _HOSTS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_HOSTS])
