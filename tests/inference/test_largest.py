"""The largest difference and the ratio over groups. Replicates alternate between one error above
and one below a rate, so that |t| and k are 1; half a row is .005 with 100 rows."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters.inference.bands import largest_gap

HUNDRED = np.array([100, 100])


def alternating(rates, errors, n_boot=40):
    signs = np.array([0, *[1, -1] * (n_boot // 2)])[:, None]
    return np.array(rates) + signs * np.array(errors)


def ends(estimate):
    return estimate.value, estimate.low, estimate.high


@pytest.mark.parametrize(
    ("rates", "error", "rows", "expected"),
    [
        ([0.50, 0.30], 0.04, [100, 100], (0.20, 0.20 - 0.045, 0.20 + 0.045)),
        ([0.50, 0.48], 0.04, [100, 100], (0.02, 0, 0.065)),  # Not clear: begins at 0.
        ([0.99, 0.00], 0.01, [100, 100], (0.99, 0.99 - 0.015, 1)),  # Ends at 1.
        ([0.50, 0.30], 0.04, [20, 1000], (0.20, 0.16 - 0.5 / 20, 0.24 + 0.5 / 20)),
    ],
)
def test_largest_difference_of_two_groups_has_the_band_of_their_pair(rates, error, rows, expected):
    largest = largest_gap(alternating(rates, [error, 0]), np.array(rows), "AB")
    assert ends(largest.difference) == pytest.approx(expected)
    assert largest.difference.reason == ""
    assert (largest.ratio.high == 1) == (expected[1] == 0)


def test_largest_difference_of_three_groups_has_ends_of_all_pairs():
    # Sizes: .30 ± .20 (A, B), .28 ± .01 (A, C), .02 ± .21 (B, C); half a row is .0005.
    rates = alternating([0.50, 0.20, 0.22], [0.10, -0.10, 0.09])
    largest = largest_gap(rates, np.array([1000, 1000, 1000]), "ABC")
    assert ends(largest.difference) == pytest.approx((0.30, 0.28 - 0.0105, 0.30 + 0.2005))


def test_largest_ratio_of_rates_has_a_log_scale_and_half_a_row():
    # (200 x .20 + .5) / 201 is fixed; (100 x .50 + .5) / 101 is alternately 1.1 times and 1 / 1.1.
    factors = np.array([1, *[1.1, 1 / 1.1] * 20])
    rates = np.stack([(50.5 * factors - 0.5) / 100, np.full(41, 0.20)], axis=1)
    largest = largest_gap(rates, np.array([100, 200]), "AB")
    ratio = (40.5 / 201) / (50.5 / 101)
    reach = 1.1 * exp(0.5 / 40.5)  # Half a row of 40.5 positives.
    assert ends(largest.ratio) == pytest.approx((0.20 / 0.50, ratio / reach, ratio * reach))


def test_largest_ratio_of_groups_that_are_all_positive_holds_1():
    # (15 + .5) / 16 and (25 + .5) / 26 differ, although both rates are 1.
    rates = np.ones((101, 3))
    rates[1, 1] = 0.95
    assert largest_gap(rates, np.array([15, 20, 25]), "ABC").ratio.high == 1


def test_largest_gap_of_numbers_that_are_no_rates_has_no_half_row():
    logs = alternating([log(3.0), log(1.5)], [0.1, 0])
    largest = largest_gap(np.exp(logs), HUNDRED, "AB", is_rate=False)
    assert largest.difference.value == pytest.approx(1.5)
    assert largest.difference.high > 1
    assert ends(largest.ratio) == pytest.approx((0.5, 0.5 * exp(-0.1), 0.5 * exp(0.1)))


# Values that do not exist


@pytest.mark.parametrize(
    ("undefined", "reason"),
    [
        ("B", "B has no value"),
        ("BD", "B and D have no value"),
        ("BCD", "B, C and D have no value"),
        ("ABCDE", "A, B, C and 2 more have no value"),
    ],
)
def test_largest_gap_without_the_rate_of_a_group_is_undefined_and_names_it(undefined, reason):
    rates = np.where([name in undefined for name in "ABCDE"], np.nan, 0.5)
    largest = largest_gap(np.tile(rates, (41, 1)), np.full(5, 100), "ABCDE")
    for estimate in largest:
        assert np.isnan(ends(estimate)).all()
        assert estimate.reason == reason


def test_largest_ratio_of_zeros_or_of_a_number_below_0_is_undefined():
    zeros = largest_gap(np.zeros((41, 2)), HUNDRED, "AB")
    below = largest_gap(alternating([0.5, -0.1], [0.1, 0]), HUNDRED, "AB", is_rate=False)
    for largest, difference in ((zeros, 0), (below, 0.6)):
        assert largest.difference.value == pytest.approx(difference)
        assert np.isnan(largest.ratio.value)
        assert largest.ratio.reason == "a ratio needs values of at least 0, and one above 0"


# Values without an interval


@pytest.mark.parametrize(
    ("rows", "unit", "reason"),
    [
        ([100, 14], "rows", "B has fewer than 15 rows"),
        ([3, 14], "rows labelled 1", "A and B have fewer than 15 rows labelled 1"),
        ([100, 14.9], "clusters", "B has fewer than 15 clusters"),
    ],
)
def test_largest_gap_of_a_small_group_has_no_interval_and_names_it(rows, unit, reason):
    rates = alternating([0.50, 0.30], [0.04, 0])
    largest = largest_gap(rates, np.array(rows), "AB", unit=unit)
    assert largest.difference.value == pytest.approx(0.20)
    assert largest.ratio.value == pytest.approx(0.60)
    assert [estimate.reason for estimate in largest] == [reason, reason]
    assert np.isnan([largest.difference.low, largest.ratio.high]).all()
    # A number that is 15 but for rounding is enough.
    enough = np.array([100, 15 - 1e-12])
    assert largest_gap(rates, enough, "AB", unit=unit).difference.reason == ""


@pytest.mark.parametrize(
    ("n_boot", "confidence", "reason"),
    [
        (0, 0.95, "no intervals were requested (n_boot=0)"),
        (38, 0.95, "a level of 95% needs at least 40 replicates"),
        (40, 0.99, "a level of 99% needs at least 200 replicates"),
    ],
)
def test_largest_gap_of_too_few_replicates_has_no_interval(n_boot, confidence, reason):
    rates = alternating([0.50, 0.30], [0.04, 0], n_boot)
    largest = largest_gap(rates, HUNDRED, "AB", confidence=confidence)
    assert [estimate.reason for estimate in largest] == [reason, reason]


def test_largest_gap_of_a_rate_that_is_often_undefined_has_no_interval():
    rates = alternating([0.50, 0.30], [0.04, 0], n_boot=80)
    rates[1:5, 0] = np.nan
    assert largest_gap(rates, HUNDRED, "AB").difference.reason == ""
    rates[5, 0] = np.nan
    reason = "5 of 80 replicates are undefined, because a group or class is too rare"
    assert largest_gap(rates, HUNDRED, "AB").difference.reason == reason


@pytest.mark.parametrize(
    ("groups", "reason"),
    [("A", "there is only one group"), ("AB", "every replicate gives the same value")],
)
def test_largest_gap_that_never_varies_has_no_interval(groups, reason):
    largest = largest_gap(np.ones((41, len(groups))), np.full(len(groups), 100), groups)
    assert (largest.difference.value, largest.ratio.value) == (0, 1)
    assert [estimate.reason for estimate in largest] == [reason] * 2


FEW = "B has fewer than 5 rows that the rate counts"


@pytest.mark.parametrize(("rate", "reason"), [(0.05, ""), (0.04, FEW), (0.0, FEW)])
def test_largest_ratio_of_rates_needs_five_positives_in_each_group(rate, reason):
    largest = largest_gap(alternating([0.50, rate], [0.04, 0.01]), HUNDRED, "AB")
    assert largest.ratio.reason == reason
    assert largest.difference.reason == ""
    assert largest.ratio.value == pytest.approx(rate / 0.50)


def test_largest_ratio_of_other_numbers_needs_replicates_above_0():
    rates = alternating([0.50, 0.04], [0.01, 0.04])
    largest = largest_gap(rates, HUNDRED, "AB", is_rate=False)
    assert largest.ratio.reason == "a value is not above 0 in every replicate"
    assert largest.ratio.value == pytest.approx(0.08)


# Properties


@given(st.integers(0, 2**32 - 1), st.permutations(range(4)))
def test_largest_gap_other_order_of_groups_changes_nothing(seed, order):
    rng = np.random.default_rng(seed)
    rows = rng.integers(15, 200, 4)
    counts = rng.binomial(rows, rng.uniform(0.1, 0.9, 4))
    rates = np.concatenate([counts[None], rng.binomial(rows, counts / rows, (60, 4))]) / rows
    before = largest_gap(rates, rows, "ABCD")
    after = largest_gap(rates[:, order], rows[order], "ABCD")
    assert ends(after.difference) == pytest.approx(ends(before.difference))
    assert ends(after.ratio) == pytest.approx(ends(before.ratio), nan_ok=True)
    assert before.difference.low <= before.difference.value <= before.difference.high
