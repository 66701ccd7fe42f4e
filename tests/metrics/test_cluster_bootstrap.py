"""Intervals of clusters of every kind, beside a bootstrap that adds up clusters."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from metric_cases import quietly

import biasamp_adapters as bam
from biasamp_adapters._typing import Array

N_BOOT = 2000
#: 97 of 100 clusters are drawn: 100 / (100 / 99 * (1.9842 / 1.9600)**2) = 96.6.
N_CLUSTERS, DRAWN = 100, 97


def rows(clusters: Array, *, nested: bool) -> tuple[Array, Array, Array]:
    """Group, truth and prediction of rows that depend on their clusters."""
    rng = np.random.default_rng(3)
    group = (rng.random(N_CLUSTERS) < 0.4)[clusters] if nested else rng.random(len(clusters)) < 0.4
    lean = rng.normal(0, 0.15, N_CLUSTERS)[clusters]
    truth = rng.random(len(clusters)) < 0.35 + 0.25 * group + lean
    said = rng.random(len(clusters)) < 0.15 + 0.55 * truth + 0.1 * group + lean
    return group.astype(int), truth.astype(int), said.astype(int)


@cache
def drawn_times() -> Array:
    """How often each sample drew each cluster."""
    draws = np.random.default_rng(4).integers(N_CLUSTERS, size=(N_BOOT, DRAWN))
    return np.eye(N_CLUSTERS)[draws].sum(axis=1)


def drawn_values(group: Array, truth: Array, said: Array, weight: Array, clusters: Array) -> Array:
    """BA A->T of samples of whole clusters: the mean over groups and columns of sign x change."""
    of_group = weight[:, None] * np.eye(2)[group]
    rates = of_group.T @ truth / of_group.sum(axis=0)[:, None]
    signs = np.sign(rates - weight @ truth / weight.sum())
    # Sums of each cluster; a sample adds up those of the clusters that it drew.
    member = np.eye(N_CLUSTERS)[clusters].T
    rows = member @ of_group
    moved = np.stack([member @ (of_group[:, [a]] * (said - truth)) for a in (0, 1)], axis=1)
    times = drawn_times()
    moves = np.tensordot(times, moved, 1) / (times @ rows)[..., None]
    return (signs * moves).mean(axis=(1, 2))


def columns(labels: Array) -> Array:
    """Classes 0 and 1 as columns."""
    return np.stack([labels == 0, labels == 1], axis=1).astype(float)


SIZES = {
    "equal": np.full(N_CLUSTERS, 6),
    # One cluster has as many rows as 60 others.
    "unequal": np.array([360, *[2] * 33, *[6] * 33, *[12] * 33]),
}


@pytest.mark.parametrize("case", ["plain", "weights", "matrix", "abstentions", "several models"])
@pytest.mark.parametrize("nested", [True, False], ids=["nested in groups", "across groups"])
@pytest.mark.parametrize("sizes", SIZES)
def test_intervals_are_those_of_drawn_clusters(sizes: str, nested: bool, case: str) -> None:
    clusters = np.repeat(np.arange(N_CLUSTERS), SIZES[sizes])
    group, truth, said = rows(clusters, nested=nested)
    weight, given = np.ones(len(group)), {"y_true": truth, "y_pred": said}
    expected, predicted = columns(truth), columns(said)
    metric = bam.DirectionalBiasAmplification()
    options: dict[str, Any] = {"sensitive_features": group, "clusters": clusters, "n_boot": N_BOOT}
    if case == "weights":
        weight = np.where(np.arange(len(group)) % 3 == 0, 2.5, 1.0)
        options["sample_weight"] = weight
    elif case == "matrix":
        # A third task beside the two classes.
        third = truth * (np.arange(len(group)) % 2)
        expected, predicted = np.column_stack([expected, third]), np.column_stack([predicted, said])
        given = {"y_true": expected, "y_pred": predicted}
    elif case == "abstentions":
        silent = (np.arange(len(group)) % 7 == 0) & (group == 1)
        predicted = predicted * ~silent[:, None]
        given["y_pred"] = [None if no else int(y) for y, no in zip(said, silent, strict=True)]
        metric = bam.DirectionalBiasAmplification(missing="abstain")
    if case == "several models":
        given["y_pred"] = {"other": 1 - said, "model": said}
        found = quietly(bam.compare, metric, **given, **options).results["model"]
    else:
        found = quietly(metric.result, **given, **options)
    drawn = drawn_values(group, expected, predicted, weight, clusters)
    # Of 2,000 draws a quantile of 2.5 % has a standard error of .06 standard deviations; of two
    # simulations .085, and five of these are .42.
    np.testing.assert_allclose(
        found.interval, np.quantile(drawn, [0.025, 0.975]), rtol=0, atol=0.42 * drawn.std()
    )
    # The standard deviation itself: sqrt(2 / (2 * 2000)) = .022, and five of these.
    assert found.replicated.replicates.std() / drawn.std() == pytest.approx(1, abs=0.11)


@pytest.mark.parametrize("role", ["sensitive_features", "y_true"])
def test_clusters_that_are_a_variable_give_a_reason(role: str) -> None:
    # Ten groups, or ten classes, each of which is one cluster.
    given = {"y_true": [i % 10 for i in range(400)], "y_pred": [i % 9 for i in range(400)]}
    given["sensitive_features"] = [i // 40 for i in range(400)]
    report = quietly(bam.audit, **given, clusters=given[role], n_boot=50)
    name = "group" if role == "sensitive_features" else "class"
    reason = f"each {name} has all of its rows in one cluster"
    for row in report.summary["metrics"]:
        assert row["low"] is None
        assert reason in row["note"]
    for row in report.summary["fairness"]:
        assert reason in row["note"]
