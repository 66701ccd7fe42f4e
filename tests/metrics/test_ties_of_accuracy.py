"""How much accuracy the best of two nearly equal shares may owe to chance."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from biasamp_adapters import (
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
)
from biasamp_adapters.metrics.attacks.sparse_tables import clear_winners, tie_optimism
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.reference import align


def margin_of(measurement: Measurement, name: str) -> tuple[float, float]:
    return measurement.evidence(name, 0.5).margin


def test_tied_inputs_gain_by_their_share_of_the_rows() -> None:
    # The first input has 100 of 400 rows, tied: a standard error of sqrt(1 / 100). The second is
    # clear.
    tables = np.array([[50, 50], [300, 0]])
    expected = 0.4 * np.sqrt(1 / 100) * 100 / 400
    assert tie_optimism(tables, 400) == pytest.approx(expected)
    several = np.stack([tables, tables[::-1], 2 * tables])
    assert tie_optimism(several, 400) == pytest.approx([expected] * 3)


@pytest.mark.parametrize("quality", ["accuracy", "hard_inverse_cross_entropy"])
def test_the_margin_of_a_ratio_is_its_slope_times_those_of_the_levels(quality: str) -> None:
    group = np.repeat([0, 1], 100)
    truth = np.r_[np.repeat([0, 1], [55, 45]), np.repeat([0, 1], [48, 52])]
    made = np.r_[np.repeat([0, 1], [53, 47]), np.repeat([0, 1], [45, 55])]
    counts = JointCounts.from_arrays(truth, made, group)
    metric = DirectionalPredictabilityAmplification(quality=quality)
    measurement = metric.measure(align(counts, None), counts.first_model)
    margin = partial(margin_of, measurement)
    (of_d, _), (of_m, _) = margin("psi_dataset"), margin("psi_model")
    assert min(of_d, of_m) > 0
    drawn = measurement.drawn_scores
    d, m = (float(drawn[name].mean()) for name in ("psi_dataset", "psi_model"))

    def ratio(d: float, m: float) -> float:
        return (m - d) / (m + d)

    step = 1e-6
    low = (ratio(d, m + step) - ratio(d, m)) / step * of_m
    high = (ratio(d, m) - ratio(d + step, m)) / step * of_d
    # The mean of 1/error over drawn flips is not 1 over the mean error, but for a few 1e-4.
    assert margin("value") == pytest.approx((low, high), rel=1e-3)


def test_the_margins_of_leakage_are_those_of_its_levels() -> None:
    rng = np.random.default_rng(0)
    group, truth, made = rng.integers(2, size=(3, 200))
    counts = JointCounts.from_arrays(truth, made, group)
    for quality in ("accuracy", "hard_inverse_cross_entropy"):
        metric = LeakageAmplification(quality=quality)
        measurement = metric.measure(align(counts, None), counts.first_model)
        margin = partial(margin_of, measurement)
        (of_d, _), (of_m, _) = margin("psi_dataset"), margin("psi_model")
        assert margin("value") == (of_m, of_d)
        assert min(of_d, of_m) > 0


def test_guesses_that_are_never_wrong_have_no_margin() -> None:
    group = np.repeat([0, 1], 50)
    counts = JointCounts.from_arrays(group, group, group)
    metric = DirectionalPredictabilityAmplification(quality="hard_inverse_cross_entropy")
    measurement = metric.measure(align(counts, None), counts.first_model)
    for name in ("value", "psi_dataset", "psi_model"):
        assert margin_of(measurement, name) == (0, 0)
    assert metric.from_counts(counts).value == 0


@pytest.mark.parametrize(("n_rows", "clear"), [(25, False), (400, True)])
def test_a_winner_is_clear_by_the_rows_that_the_weight_is_worth(n_rows: int, clear: bool) -> None:
    # Shares of .6 and .4: 3 sqrt(.96 / 25) = .59 for 25 rows and 3 sqrt(.96 / 400) = .15 for 400.
    assert clear_winners(np.array([[60, 40]]), n_rows) == clear


def test_one_class_always_wins() -> None:
    assert clear_winners(np.ones((3, 5, 1)), 5).tolist() == [True] * 3
