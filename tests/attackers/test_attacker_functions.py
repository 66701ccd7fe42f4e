"""Attackers through the functions in Fairlearn's shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attacker_cases import binary_rows, value_of
from metric_cases import quietly
from sklearn.linear_model import LinearRegression, LogisticRegression

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from biasamp_adapters.fairlearn import (
    directional_predictability_amplification,
    leakage_amplification,
)

ROWS = binary_rows()
LABELS, GROUPS = (ROWS["y_true"], ROWS["y_pred"]), ROWS["sensitive_features"]


@pytest.mark.parametrize(
    "options",
    [
        {"attacker": LogisticRegression(), "n_trials": 2},
        {"attacker": LogisticRegression(), "n_trials": 2, "n_jobs": 1, "random_state": 5},
        {"attacker": LogisticRegression(), "evaluation": "resubstitution", "n_trials": 2},
        {"evaluation": "cv", "n_trials": 2},
    ],
)
@pytest.mark.parametrize("quality", ["accuracy", "inverse_cross_entropy"])
def test_a_function_has_the_value_of_its_metric(options: dict[str, Any], quality: str) -> None:
    leaked = quietly(
        leakage_amplification, *LABELS, sensitive_features=GROUPS, quality=quality, **options
    )
    read = {name: values for name, values in ROWS.items() if name != "sensitive_features_pred"}
    assert leaked == value_of("LA", read, quality=quality, **options)
    for direction in ("A->T", "T->A"):
        found = quietly(
            directional_predictability_amplification,
            *LABELS,
            sensitive_features=GROUPS,
            sensitive_features_pred=ROWS["sensitive_features_pred"],
            direction=direction,
            quality=quality,
            **options,
        )
        assert found == value_of(direction, ROWS, quality=quality, **options)


def test_numbers_go_through_too() -> None:
    age = np.random.default_rng(0).normal(size=200) + ROWS["y_true"]
    options: dict[str, Any] = {
        "attacker": LinearRegression(), "quality": "inverse_rmse", "n_trials": 2,
    }  # fmt: skip
    value = quietly(leakage_amplification, *LABELS, sensitive_features=age, **options)
    rows = {"y_true": LABELS[0], "y_pred": LABELS[1], "sensitive_features": age}
    assert value == value_of("LA", rows, **options) != 0


def test_a_bad_attacker_is_the_error_of_the_metric() -> None:
    with pytest.raises(ValueError, match="attacker must be 'exact' or an instance of a classifier"):
        leakage_amplification(*LABELS, sensitive_features=GROUPS, attacker="regression")
