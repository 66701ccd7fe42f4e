"""What attackers that name one class gain from ties, and how far an interval allows for that."""

import numpy as np
import pytest

import biasamp_adapters as bam
from biasamp_adapters.metrics.quality import get_quality

ACCURACY, BALANCED = get_quality("accuracy"), get_quality("balanced_accuracy")
HARD = get_quality("hard_inverse_cross_entropy")
DPA = bam.DirectionalPredictabilityAmplification

#: The first input has 100 of 400 rows, half of each class: an error of sqrt(1 / 100), of which ties
#: gain .4. The second is clear.
TIED = np.array([[50.0, 50.0], [300.0, 0.0]])
GAIN = 0.4 * np.sqrt(1 / 100) * 100 / 400

#: 20 of 80 rows of class 0 and 5 of 20 of class 1 have the first input; its share has an error of
#: sqrt(.25 * .75 / 80 + .25 * .75 / 20), and so has that of the other. Each class counts 1/2.
EVEN = np.array([[20.0, 5.0], [60.0, 15.0]])
GAIN_OF_EVEN = 2 * 0.4 * np.sqrt(0.25 * 0.75 / 80 + 0.25 * 0.75 / 20) / 2


@pytest.mark.parametrize(
    ("quality", "table", "n_rows", "expected"),
    [
        (ACCURACY, TIED, 400, GAIN),
        # Of several tables it is the mean, whatever the order of inputs and the scale of weights.
        (ACCURACY, [TIED, TIED[::-1], 2 * TIED, 0 * TIED + [1000, 0]], 400, 3 / 4 * GAIN),
        # Shares that differ by .18 are within 2 sqrt((1 - .18^2) / 100) = .197; .22 is not.
        (ACCURACY, [[59, 41]], 100, 0.4 * np.sqrt((1 - 0.18**2) / 100)),
        (ACCURACY, [[61, 39]], 100, 0),
        (BALANCED, EVEN, 100, GAIN_OF_EVEN),
        (BALANCED, EVEN / 1000, 100, GAIN_OF_EVEN),
        # A class without rows is no class, and ties with none; a single class always wins.
        (BALANCED, [[20, 5, 0], [60, 15, 0]], 100, GAIN_OF_EVEN),
        (ACCURACY, np.ones((3, 5, 1)), 5, 0),
    ],
)
def test_mean_gain_of_ties_is_part_of_the_standard_error(quality, table, n_rows, expected) -> None:
    assert quality.mean_gain(np.array(table), n_rows) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("table", "n_rows", "is_clear"),
    [
        # Shares of .6 and .4: 3 sqrt(.96 / n) is .204 of 208 rows, and .199 of 218.
        ([[60, 40]], 208, False),
        ([[60, 40]], 218, True),
        # Each input must have a winner, and the first has half of the rows.
        ([[60, 40], [100, 0]], 2 * 208, False),
        ([[60, 40], [100, 0]], 2 * 218, True),
        (np.ones((3, 5, 1)), 5, True),
    ],
)
def test_winner_is_clear_beyond_three_errors(table, n_rows, is_clear) -> None:
    assert ACCURACY.has_clear_winners(np.array(table, dtype=float), n_rows, axis=-2) == is_clear


# How far an interval reaches: ties gain .01 in the labels and .02 in the predictions.


@pytest.mark.parametrize(
    ("quality", "levels", "name", "is_absolute", "expected"),
    [
        # A level of the model that ties raised by .02 makes the difference too large.
        (ACCURACY, (0.6, 0.7), "psi_dataset", True, (0.01, 0)),
        (ACCURACY, (0.6, 0.7), "psi_model", True, (0.02, 0)),
        (ACCURACY, (0.6, 0.7), "value", True, (0.02, 0.01)),
        # Without its gain the model has .68, and the dataset .59.
        (ACCURACY, (0.6, 0.7), "value", False, (0.1 / 1.3 - 0.08 / 1.28, 0.11 / 1.29 - 0.1 / 1.3)),
        # Losses of 40 and 30, which are 1 and 2 higher without the gains.
        (HARD, (1 / 40, 1 / 30), "psi_dataset", False, (1 / 40 - 1 / 41, 0)),
        (HARD, (1 / 40, 1 / 30), "psi_model", False, (1 / 30 - 1 / 32, 0)),
        (HARD, (1 / 40, 1 / 30), "value", False, (10 / 70 - 8 / 72, 11 / 71 - 10 / 70)),
    ],
)
def test_margin_is_what_a_number_loses_without_the_gains(
    quality, levels, name, is_absolute, expected
) -> None:
    margin = quality.tie_margin(name, levels, (0.01, 0.02), is_absolute)
    assert margin == pytest.approx(expected, abs=1e-15)


def test_interval_of_tied_guesses_reaches_below_its_replicates() -> None:
    # Labels and predictions tell nothing of the group, so that whatever is gained is chance.
    group, truth, predicted = np.random.default_rng(0).integers(2, size=(3, 200))
    metric = bam.LeakageAmplification(quality="accuracy", equalize=None)
    result = metric.result(truth, predicted, sensitive_features=group)
    tails = np.quantile(result.estimate.replicates, [0.025, 0.975])
    low, high = result.interval
    assert low < min(tails[0], result.value) - 0.01
    assert high > max(tails[1], result.value) + 0.01


def test_level_of_a_small_group_that_may_be_tied_reaches_as_far_as_its_rate() -> None:
    # 1 is predicted for .33, .624 and .6 of three groups, so the level is (.624 + .67) / 3. If the
    # rate of the third, of 40 rows, is two standard errors higher, .6 + 2 * .077, it is .043 more.
    sizes, ones = [5000, 5000, 40], [1650, 3120, 24]
    groups = np.repeat([0, 1, 2], sizes)
    predicted = np.concatenate([np.arange(n) < k for n, k in zip(sizes, ones, strict=True)])
    result = bam.LeakageAmplification().result(predicted, predicted, sensitive_features=groups)
    level = result.estimates["psi_model"]
    assert level.value == pytest.approx((0.624 + 0.67) / 3)
    assert level.high == pytest.approx(level.value + 0.043, abs=0.01)


def test_level_of_guesses_is_never_below_chance() -> None:
    # Of .57 the interval would begin at .57 - 1.96 * sqrt(.57 * .43 / 200) = .501, but for ties.
    predicted, groups = np.repeat([1, 0, 1, 0], [57, 43, 43, 57]), np.repeat([0, 1], 100)
    metric = DPA(quality="accuracy", equalize=None)
    result = metric.result([1, 0] * 100, predicted, sensitive_features=groups, n_boot=500)
    assert result.estimates["psi_model"].low == 1 / 2


def test_interval_of_a_smooth_level_keeps_its_skew() -> None:
    # 1/cross-entropy is never below 1/log(2) = 1.44, and rises without end.
    predicted, groups = np.repeat([1, 0, 1, 0], [90, 210, 165, 135]), np.repeat([0, 1], 300)
    result = DPA(equalize=None).result(predicted, predicted, sensitive_features=groups, n_boot=500)
    level = result.estimates["psi_model"]
    assert level.high - level.value > level.value - level.low


def test_interval_of_a_ratio_ends_at_1() -> None:
    # Labels are a tie. One of 200 predictions is not the group: a third of the replicates hold no
    # error, and have the ratio 1. The tie would add to it.
    group, truth = np.repeat([0, 1], 100), np.tile([0, 1], 100)
    predicted = np.where(np.arange(200) == 0, 1, group)
    metric = DPA(quality="hard_inverse_cross_entropy", equalize=None)
    result = metric.result(truth, predicted, sensitive_features=group)
    assert result.value == pytest.approx((1 / 2 - 1 / 200) / (1 / 2 + 1 / 200), abs=1e-12)
    assert result.interval[1] == 1


def test_guesses_that_are_never_wrong_have_no_margin() -> None:
    group = np.repeat([0, 1], 50)
    metric = DPA(quality="hard_inverse_cross_entropy")
    result = metric.result(group, group, sensitive_features=group)
    assert (result.value, result.interval) == (0, (0, 0))
