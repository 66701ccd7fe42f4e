"""What attackers that name one class gain from ties, and how far an interval allows for that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam
from biasamp_adapters.metrics.quality import get_quality

ACCURACY, BALANCED = get_quality("accuracy"), get_quality("balanced_accuracy")
HARD = get_quality("hard_inverse_cross_entropy")


def test_tied_input_gains_by_its_share_of_the_rows() -> None:
    # The first input has 100 of 400 rows, half of each class: an error of sqrt(1 / 100), of which
    # ties gain .4. The second is clear.
    table = np.array([[50.0, 50.0], [300.0, 0.0]])
    expected = 0.4 * np.sqrt(1 / 100) * 100 / 400
    assert ACCURACY.mean_gain(table, 400) == pytest.approx(expected, abs=1e-15)
    # Of several tables it is the mean, whatever the order of inputs and the scale of weights.
    several = np.stack([table, table[::-1], 2 * table, 0 * table + [1000, 0]])
    assert ACCURACY.mean_gain(several, 400) == pytest.approx(3 / 4 * expected, abs=1e-15)


@pytest.mark.parametrize(("first", "is_tied"), [(0.59, True), (0.61, False)])
def test_shares_within_two_errors_are_tied(first: float, is_tied: bool) -> None:
    # 2 sqrt((1 - d^2) / 100) = .196 for shares that differ by d = .18, and .195 for .22.
    table = np.array([[first, 1 - first]]) * 100
    assert (ACCURACY.mean_gain(table, 100) > 0) == is_tied


def test_gain_of_balanced_accuracy_is_that_of_shares_of_the_classes() -> None:
    # 20 of 80 rows of class 0 and 5 of 20 of class 1 have the first input; it has an error of
    # sqrt(.25 * .75 / 80 + .25 * .75 / 20), and so has the other one. Each class counts 1/2.
    table = np.array([[20.0, 5.0], [60.0, 15.0]])
    error = np.sqrt(0.25 * 0.75 / 80 + 0.25 * 0.75 / 20)
    assert BALANCED.mean_gain(table, 100) == pytest.approx(2 * 0.4 * error / 2, abs=1e-15)
    # Weights may be small. A class without rows is no class, and ties with none.
    small = np.array([[20.0, 5.0], [60.0, 15.0]]) / 1000
    assert BALANCED.mean_gain(small, 100) == pytest.approx(0.4 * error, abs=1e-15)
    wide = np.array([[20.0, 5.0, 0.0], [60.0, 15.0, 0.0]])
    assert BALANCED.mean_gain(wide, 100) == pytest.approx(0.4 * error, abs=1e-15)


@pytest.mark.parametrize(
    ("n_rows", "is_clear"),
    # Shares of .6 and .4: 3 sqrt(.96 / n) is .204 of 208 rows, and .199 of 218.
    [(208, False), (218, True)],
)
def test_winner_is_clear_beyond_three_errors(n_rows: int, is_clear: bool) -> None:
    assert ACCURACY.has_clear_winners(np.array([[60.0, 40.0]]), n_rows, axis=-2) == is_clear
    # Each input must have one.
    table = np.array([[60.0, 40.0], [100.0, 0.0]])
    assert ACCURACY.has_clear_winners(table, 2 * n_rows, axis=-2) == is_clear


def test_single_class_always_wins() -> None:
    alone = np.ones((3, 5, 1))
    assert ACCURACY.has_clear_winners(alone, 5, axis=-2)
    assert ACCURACY.mean_gain(alone, 5) == 0


# How far an interval reaches.

GAINS = (0.01, 0.02)


def margin(quality: Any, name: str, levels: tuple[float, float], *, is_absolute: bool) -> Any:
    return quality.tie_margin(name, is_absolute=is_absolute, levels=levels, gains=GAINS)


def test_margin_of_a_difference_is_that_of_its_levels() -> None:
    # A level of the model that ties raised by .02 makes the difference too large.
    levels = (0.6, 0.7)
    assert margin(ACCURACY, "psi_dataset", levels, is_absolute=True) == (0.01, 0)
    assert margin(ACCURACY, "psi_model", levels, is_absolute=True) == (0.02, 0)
    assert margin(ACCURACY, "value", levels, is_absolute=True) == (0.02, 0.01)


@pytest.mark.parametrize("quality", [ACCURACY, HARD], ids=["accuracy", "loss"])
def test_margin_of_a_ratio_is_its_slope_times_the_gains(quality: Any) -> None:
    # Levels are accuracies .6 and .7, or 1 / (100 e) of error rates e = .4 and .3: gains are those
    # of the accuracy, and lower an error rate.
    d, m = (0.6, 0.7) if quality is ACCURACY else (0.4, 0.3)
    levels = (d, m) if quality is ACCURACY else (1 / (100 * d), 1 / (100 * m))
    low, high = margin(quality, "value", levels, is_absolute=False)
    step = 1e-7

    def ratio(d: float, m: float) -> float:
        return abs((m - d) / (m + d))

    slope_of_model = abs(ratio(d, m + step) - ratio(d, m)) / step
    slope_of_dataset = abs(ratio(d + step, m) - ratio(d, m)) / step
    assert low == pytest.approx(slope_of_model * 0.02, rel=1e-5)
    assert high == pytest.approx(slope_of_dataset * 0.01, rel=1e-5)


def test_margin_of_a_level_of_a_loss_is_its_slope() -> None:
    # Psi = 1 / (100 e), and so 1 / (100 e^2) of each gain: e = .4 and .3.
    levels = (1 / 40, 1 / 30)
    expected = (0.01 / (100 * 0.4**2), 0.02 / (100 * 0.3**2))
    of_dataset = margin(HARD, "psi_dataset", levels, is_absolute=False)
    of_model = margin(HARD, "psi_model", levels, is_absolute=False)
    assert of_dataset == pytest.approx((expected[0], 0), abs=1e-15)
    assert of_model == pytest.approx((expected[1], 0), abs=1e-15)


def test_interval_of_tied_guesses_reaches_below_its_replicates() -> None:
    # Labels and predictions tell nothing of the group, so that whatever is gained is chance.
    rng = np.random.default_rng(0)
    group, truth, predicted = rng.integers(2, size=(3, 200))
    result = bam.LeakageAmplification(quality="accuracy", equalize=None).result(
        truth, predicted, sensitive_features=group
    )
    tails = np.quantile(result.estimate.replicates, [0.025, 0.975])
    low, high = result.interval
    assert low < min(tails[0], result.value) - 0.01
    assert high > max(tails[1], result.value) + 0.01


def test_interval_of_a_ratio_ends_at_1() -> None:
    # Labels are a tie. One of 200 predictions is not the group: a third of the replicates hold no
    # error, and have the ratio 1. The tie would add to it.
    group, truth = np.repeat([0, 1], 100), np.tile([0, 1], 100)
    predicted = np.where(np.arange(200) == 0, 1, group)
    metric = bam.DirectionalPredictabilityAmplification(
        quality="hard_inverse_cross_entropy", equalize=None
    )
    result = metric.result(truth, predicted, sensitive_features=group)
    assert result.value == pytest.approx((1 / 2 - 1 / 200) / (1 / 2 + 1 / 200), abs=1e-12)
    assert result.interval[1] == 1


def test_guesses_that_are_never_wrong_have_no_margin() -> None:
    group = np.repeat([0, 1], 50)
    metric = bam.DirectionalPredictabilityAmplification(quality="hard_inverse_cross_entropy")
    result = metric.result(group, group, sensitive_features=group)
    assert (result.value, result.interval) == (0, (0, 0))
