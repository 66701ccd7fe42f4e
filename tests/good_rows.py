"""Four good rows, for tests that change one thing about them."""

from __future__ import annotations

from typing import Any

from biasamp_adapters import DirectionalBiasAmplification, JointCounts

TRUTH = [0, 1, 1, 0]
PREDICTION = [0, 1, 0, 1]
GROUP = ["a", "b", "a", "b"]


def count(**changed: Any) -> JointCounts:
    rows: dict[str, Any] = {
        "y_true": TRUTH,
        "y_pred": PREDICTION,
        "sensitive_features": GROUP,
        "sensitive_features_pred": GROUP,
    }
    return JointCounts.from_arrays(**rows | changed)


def measure(truth: Any, prediction: Any, group: Any, guess: Any = None, **parameters: Any) -> float:
    metric = DirectionalBiasAmplification(**parameters)
    return metric(truth, prediction, sensitive_features=group, sensitive_features_pred=guess)
