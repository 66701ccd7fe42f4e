"""Calibrated thresholds for scores, and a metric at all thresholds."""

from biasamp_adapters.thresholds.by_group import GroupThresholds, group_thresholds
from biasamp_adapters.thresholds.calibrated import calibrated_threshold
from biasamp_adapters.thresholds.sweep import threshold_free, threshold_sweep

__all__ = [
    "GroupThresholds",
    "calibrated_threshold",
    "group_thresholds",
    "threshold_free",
    "threshold_sweep",
]
