"""Calibrated thresholds for scores, and a metric at all thresholds."""

from biasamp_adapters.thresholds.calibrated import calibrated_threshold
from biasamp_adapters.thresholds.sweep import threshold_free, threshold_sweep

__all__ = ["calibrated_threshold", "threshold_free", "threshold_sweep"]
