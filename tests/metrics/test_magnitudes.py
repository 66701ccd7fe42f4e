"""Intervals of Multi and its variance, which chance alone makes positive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kinds import Kind
from metric_cases import quietly
from scipy.stats import norm

import biasamp_adapters as bam
from biasamp_adapters.fairlearn import amplification_frame
from biasamp_adapters.inference.estimates import Replicated, steps_below
from biasamp_adapters.inference.rules import Evidence
from biasamp_adapters.metrics.magnitude import (
    ADDED,
    BY_CHANCE,
    evidence_of_magnitude,
    magnitudes,
)

OBSERVED = np.array([0.0, 0.2])
CHANGES = np.array([[0.1, 0.2], [-0.1, 0.3]])
FEW = np.array([False, False])


def mean(pairs: np.ndarray) -> np.ndarray:
    return np.asarray(pairs.mean(axis=-1))


def test_noise_is_how_far_replicates_are_from_the_observed_changes() -> None:
    """It is .1 and 0, and .1 and .1.

    The change of 0 may be all noise. That of .2 may be .2 less twice the noise: with a noise of .1
    nothing is left, and chance may have added .1.
    """
    found = magnitudes("value", CHANGES, OBSERVED, FEW, mean)
    assert found["value"] == pytest.approx([0.15, 0.2])
    assert found["value" + BY_CHANCE] == pytest.approx([0.05, 0.1])
    assert found["value" + ADDED] == pytest.approx([0.05, 0.1])


def test_clear_changes_have_nothing_added() -> None:
    found = magnitudes("value", CHANGES + 0.4, OBSERVED + 0.4, FEW, mean)
    assert found["value" + BY_CHANCE] == pytest.approx([0.05, 0.1])
    assert found["value" + ADDED] == pytest.approx([0, 0])


def test_changes_of_few_rows_may_all_be_noise() -> None:
    found = magnitudes("value", CHANGES, OBSERVED, np.array([False, True]), mean)
    for name in (BY_CHANCE, ADDED):
        assert found["value" + name] == pytest.approx([0.15, 0.15])


def test_a_value_is_clear_above_four_standard_deviations() -> None:
    """By chance it is .075, with a standard deviation of .025."""
    drawn = magnitudes("value", CHANGES, OBSERVED, FEW, mean)
    evidence = evidence_of_magnitude("value", 0.1, drawn)
    assert evidence.clear_above == pytest.approx(0.075 + 4 * 0.025)
    assert evidence.margin == pytest.approx((0.075, 0))
    # Of squares the roots are compared: .2 and .4, on average .3.
    squares = {"variance": np.zeros(2), "variance" + BY_CHANCE: np.array([0.04, 0.16])}
    evidence = evidence_of_magnitude("variance", 0.1, squares, squared=True)
    assert evidence.clear_above == pytest.approx((0.3 + 4 * 0.1) ** 2)
    assert evidence.margin == pytest.approx((0.1, 0))


@pytest.mark.parametrize("distance", [0.5, 1.0, 3.0])
def test_the_lower_end_allows_for_the_selection(distance: float) -> None:
    """A normal number with this mean exceeds the value in .025 of the cases that exceed the limit.

    The mean lies ``steps`` below the value, and the limit ``distance``.
    """
    steps = norm.isf(0.025) + steps_below(distance, 0.025)
    assert norm.sf(steps) / norm.sf(steps - distance) == pytest.approx(0.025)


def test_far_above_the_limit_there_is_nothing_to_allow_for() -> None:
    assert steps_below(9.0, 0.025) == pytest.approx(0, abs=1e-9)
    assert steps_below(1e6, 0.025) == 0
    assert steps_below(0.0, 0.025) == np.inf


@pytest.mark.parametrize(("value", "begins"), [(0.5, 0.0), (5.0, 4.975)])
def test_quantiles_begin_where_intervals_do(value: float, begins: float) -> None:
    replicates = value + np.linspace(-1, 1, 2001)
    evidence = Evidence(limits=(0, np.inf), clear_above=0.6 if value < 1 else -np.inf)
    number = Replicated(value, replicates, evidence=evidence)
    low, _ = number.quantiles([0.4875, 0.9])
    assert low == pytest.approx(begins)


def test_changes_by_chance_have_an_interval_that_begins_at_0(kind: Kind) -> None:
    """Predictions have the rates of the truth, in 40 samples of 200 rows."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        group = rng.integers(3, size=200)
        truth, other = (rng.random((2, 200)) < 0.3 + 0.2 * group).astype(int)
        made = np.where(rng.random(200) < 0.8, truth, other)
        counts = kind.count(truth, made, group, **kind.apart)
        metric = bam.MultiAttributeBiasAmplification()
        result = quietly(metric.from_counts, counts, n_boot=100, random_state=seed)
        assert result.interval is not None
        low, high = result.interval
        assert low == 0 <= result.value < high
        assert result.spread is not None
        assert result.spread.interval is not None
        assert result.spread.interval[0] == 0
        explained = any("chance may explain all of this one" in note for note in result.notes)
        assert explained == (result.value > 0)


def clear_rows() -> dict[str, Any]:
    """All four rates move by .2 along their correlations, .4 to .2 and .6 to .8 of 1,000 rows."""
    truth = [1] * 400 + [0] * 600 + [1] * 600 + [0] * 400
    made = [1] * 200 + [0] * 800 + [1] * 800 + [0] * 200
    return {"y_true": truth, "y_pred": made, "sensitive_features": [0] * 1000 + [1] * 1000}


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_clear_changes_have_the_interval_of_ba(method: Any) -> None:
    """All changes have the sign of the reference, so that both are the same mean."""
    options: dict[str, Any] = {"n_boot": 400, "interval_method": method}
    multi = bam.MultiAttributeBiasAmplification().result(**clear_rows(), **options)
    ba = bam.DirectionalBiasAmplification().result(**clear_rows(), **options)
    assert multi.value == pytest.approx(0.2)
    assert multi.interval == pytest.approx(ba.interval, abs=5e-4)
    assert not multi.notes


def test_two_models_are_compared_whatever_chance_explains() -> None:
    rows = clear_rows()
    kept = np.array(rows["y_true"])
    kept[[0, 399 + 600]] = kept[[399 + 600, 0]]
    rows["y_pred"] = {"amplifies": rows["y_pred"], "keeps": kept}
    found = quietly(bam.compare, bam.MultiAttributeBiasAmplification(), **rows, n_boot=200)
    assert found.difference.interval is not None
    assert found.difference.interval[1] < -0.1


def test_a_group_of_few_rows_does_not_make_it_clear() -> None:
    """Ten rows that all change are no proof: the rates of the other group stay."""
    truth, made = [0, 1] * 500 + [0] * 10, [0, 1] * 500 + [1] * 10
    group = ["a"] * 1000 + ["b"] * 10
    metric = bam.MultiAttributeBiasAmplification()
    result = quietly(metric.result, truth, made, sensitive_features=group, n_boot=200)
    assert result.interval is None
    assert "group 'b', of which there are fewer than 15 rows" in result.notes[-1]
    more = quietly(metric.result, truth * 2, made * 2, sensitive_features=group * 2, n_boot=200)
    assert more.interval is not None
    assert more.interval[0] > 0


def test_the_smallest_and_largest_group_begin_at_0_too() -> None:
    """Rates are kept in three groups, whose magnitudes are all positive by chance."""
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=900)
    truth, other = (rng.random((2, 900)) < 0.3 + 0.2 * group).astype(int)
    made = np.where(rng.random(900) < 0.8, truth, other)
    frame = quietly(
        amplification_frame,
        metrics=bam.MultiAttributeBiasAmplification(),
        y_true=truth,
        y_pred=made,
        sensitive_features=group,
        n_boot=100,
        ci_quantiles=[0.025, 0.5, 0.975],
    )
    for low, _, high in (frame.group_min_ci(), frame.group_max_ci(), frame.difference_ci()):
        assert low == 0 < high


@pytest.mark.parametrize("n_groups", [2, 3, 5])
def test_rates_that_are_kept_have_a_note(n_groups: int) -> None:
    # Of 40 rows a group 20 are positive, and other 20 are called so: every change is 0.
    data = {
        "y_true": [1, 1, 0, 0] * 10 * n_groups,
        "y_pred": [1, 0, 1, 0] * 10 * n_groups,
        "sensitive_features": np.repeat(np.arange(n_groups), 40),
    }
    result = quietly(bam.MultiAttributeBiasAmplification().result, **data, n_boot=200)
    low, high = result.interval
    assert result.value == low == 0 < high
    assert result.notes[0].startswith("no rate changes in these rows: the interval begins at 0")
    right = quietly(
        bam.MultiAttributeBiasAmplification().result,
        **data | {"y_pred": data["y_true"]},
        n_boot=200,
    )
    assert right.interval == (0, 0)
    assert right.notes == ()


def test_silence_on_every_row_is_the_same_in_every_replicate() -> None:
    # Rates fall to 0; those of two classes are 1 together, so half in the mean.
    data = {"y_true": [1, 1, 0, 0, 0] * 400, "sensitive_features": ["a", "b"] * 1000}
    report = bam.audit(y_pred=[None] * 2000, **data, labels=[0, 1], missing="abstain", n_boot=200)
    (row,) = (row for row in report.summary["metrics"] if row["name"] == "Multi A->T")
    assert [row[name] for name in ("value", "low", "high")] == pytest.approx([0.5] * 3)
    assert row["note"].startswith("every replicate gave the same value")
