"""What the tests of sweeps share: eight rows, a call at one threshold, and the warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from metric_cases import quietly

from biasamp_adapters import (
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.thresholds import threshold_sweep

BA = DirectionalBiasAmplification
Multi = MultiAttributeBiasAmplification
DPA = DirectionalPredictabilityAmplification
# Of 4 rows a group, 3 and 1 are positive.
Y_TRUE = [1, 1, 1, 0, 1, 0, 0, 0]
GROUP = ["a"] * 4 + ["b"] * 4
Y_SCORE = [0.9, 0.9, 0.7, 0.3, 0.7, 0.3, 0.3, 0.1]
DATA = {"y_true": Y_TRUE, "y_score": Y_SCORE, "sensitive_features": GROUP}


def called(metric: Any, y_score: Any, threshold: float, **data: Any) -> float:
    """The metric itself at one threshold."""
    y_pred = (np.array(y_score) >= threshold).astype(int)
    return quietly(metric.result, y_pred=y_pred, **data).value


def messages(metric: Any, **data: Any) -> list[str]:
    """Warnings of a sweep."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        threshold_sweep(metric, **data)
    return [str(each.message) for each in caught]
