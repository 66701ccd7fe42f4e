"""Functions of the user read every probability, however many there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biasamp_adapters import DirectionalBiasAmplification
from biasamp_adapters.fairlearn import amplification_frame


def _squared_error(y_true: Any, y_pred: Any) -> float:
    return float(np.mean((y_true - y_pred) ** 2))


def test_what_is_not_linear_reads_every_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biasamp_adapters.counts.probabilities.MOST_CELLS", 8)
    rng = np.random.default_rng(0)
    (truth, group), score = rng.integers(0, 2, (2, 50)), rng.random(50)
    metrics = {"error": _squared_error, "BA": DirectionalBiasAmplification()}
    frame = amplification_frame(truth, score, sensitive_features=group, metrics=metrics)
    assert frame.overall["error"] == pytest.approx(_squared_error(truth, score), abs=1e-15)
    alone = amplification_frame(truth, score, sensitive_features=group, metrics=metrics["BA"])
    assert alone.overall == pytest.approx(frame.overall["BA"], abs=1e-15)
