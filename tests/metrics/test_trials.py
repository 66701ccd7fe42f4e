"""Trials of flips: statistics of drawn tables, in batches where all would not fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import biasamp_adapters as bam
from biasamp_adapters._typing import Array
from biasamp_adapters.metrics.attacks import table_attack
from biasamp_adapters.metrics.attacks.trials import Trials

TABLES = np.arange(1, 37).reshape(6, 2, 3)


def test_statistics_of_batches_are_those_of_all_tables() -> None:
    shapes: list[tuple[int, ...]] = []

    def batches() -> Iterator[Array]:
        for start in range(0, 6, 2):
            shapes.append((2, 2, 3))
            yield TABLES[start : start + 2]

    statistics = {
        "total": lambda tables: tables.sum(axis=(-2, -1)),
        "inputs": lambda tables: tables.sum(axis=-1),
    }
    several = Trials(batches, fits=False).reading(statistics)
    one = Trials(lambda: iter([TABLES])).reading(statistics)
    for trials in (several, one):
        # 1 + ... + 6, 7 + ... + 12, and so on.
        assert trials["total"].tolist() == [21, 57, 93, 129, 165, 201]
        assert trials["inputs"].tolist()[0] == [1 + 2 + 3, 4 + 5 + 6]
    assert len(shapes) == 3  # Each batch is drawn once for all statistics.
    several.reading({"largest": lambda tables: tables.max(axis=(-2, -1))})
    # Those that are asked for later read the same tables again.
    assert several["largest"].tolist() == [6, 12, 18, 24, 30, 36]
    assert len(shapes) == 6


@pytest.mark.parametrize(
    "metric",
    [
        bam.LeakageAmplification(equalize="sampled", n_trials=400),
        bam.DirectionalPredictabilityAmplification(equalize="sampled", n_trials=400),
        bam.DirectionalPredictabilityAmplification(quality="uncertainty_coefficient", n_trials=400),
    ],
    ids=["LA", "DPA", "DPA(U)"],
)
def test_values_of_trials_one_at_a_time(
    metric: bam.LeakageAmplification, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 3000)
    truth = np.where(rng.random(3000) < 0.3, group, rng.integers(0, 3, 3000))
    predicted = np.where(rng.random(3000) < 0.2, group, truth)
    together = metric.result(truth, predicted, sensitive_features=group).by_trial
    monkeypatch.setattr(table_attack, "_BLOCK", 1)
    apart = metric.result(truth, predicted, sensitive_features=group).by_trial
    for name in ("value", "psi_dataset"):
        one, other = (np.asarray(trials[name]) for trials in (together, apart))
        assert one.shape == other.shape == (400,)
        # Means of 400 draws of flips each.
        error = np.hypot(one.std(), other.std()) / np.sqrt(400)
        assert 0 < abs(one.mean() - other.mean()) <= 5 * error
