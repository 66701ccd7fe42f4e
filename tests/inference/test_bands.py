"""Simultaneous bands. Replicates alternate between one error above and one below the value, so that
|t| and k are 1, unless a test says otherwise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters.inference.bands import simultaneous_bands


def alternating(values, errors, n_boot=40):
    """Values and replicates one error above and below them."""
    values = np.array(values)
    return values, values + np.array([1, -1] * (n_boot // 2))[:, None] * np.array(errors)


def clear(low, high):
    return ((low > 0) | (high < 0)).tolist()


def test_bands_of_errors_reach_k_of_them_to_both_sides():
    low, high = simultaneous_bands(*alternating([0.05, 0.01, -0.03], [0.02, 0.02, 0.02]))
    assert low == pytest.approx([0.03, -0.01, -0.05])
    assert high == pytest.approx([0.07, 0.03, -0.01])
    assert clear(low, high) == [True, False, True]


def test_bands_factor_is_the_quantile_of_the_largest_t():
    # |t| is 3 in 6 of 60 replicates, and the standard deviation stays 1: 6 x 9 + 6 x 1 = 60.
    replicates = np.array([3, -3] * 3 + [1, -1] * 3 + [0] * 48, dtype=float)[:, None]
    _, high = simultaneous_bands(np.array([0.0]), replicates, confidence=0.95)
    assert high == pytest.approx([3])
    _, high = simultaneous_bands(np.array([0.0]), replicates, confidence=0.85)
    assert high == pytest.approx([1])


def test_bands_half_row_is_added_to_what_is_not_always_0():
    values, replicates = alternating([0.021, 0.021, 0.001], [0.02, 0.02, 0])
    low, high = simultaneous_bands(values, replicates, half_row=np.array([0.0005, 0.002, 0.002]))
    assert high == pytest.approx([0.0415, 0.043, 0.003])
    assert clear(low, high) == [True, False, False]


def test_bands_of_equal_models_have_no_width_and_are_not_clear():
    low, high = simultaneous_bands(*alternating([0.0, -1e-17, 0.1], [0, 0, 0.02]), half_row=0.001)
    assert low[:2].tolist() == [0, 0]
    assert high[:2].tolist() == [0, 0]
    assert clear(low, high) == [False, False, True]


def test_bands_undefined_value_has_none_and_leaves_the_others():
    low, high = simultaneous_bands(*alternating([np.nan, 0.05], [0.02, 0.02]))
    assert low == pytest.approx([np.nan, 0.03], nan_ok=True)
    assert clear(low, high) == [False, True]


@pytest.mark.parametrize(("n_undefined", "has_band"), [(4, True), (5, False)])
def test_bands_number_undefined_in_over_one_in_twenty_replicates_has_none(n_undefined, has_band):
    values, replicates = alternating([0.05, 0.05], [0.02, 0.02], n_boot=80)
    replicates[:n_undefined, 0] = np.nan
    low, _ = simultaneous_bands(values, replicates)
    assert np.isfinite(low).tolist() == [has_band, True]


@pytest.mark.parametrize(("n_boot", "confidence"), [(0, 0.95), (38, 0.95), (40, 0.99)])
def test_bands_of_too_few_replicates_are_undefined(n_boot, confidence):
    low, high = simultaneous_bands(*alternating([0.05], [0.02], n_boot), confidence=confidence)
    assert np.isnan([low, high]).all()


@st.composite
def families(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m = draw(st.integers(2, 6))
    values = rng.normal(0, draw(st.sampled_from([0.01, 1.0])), m)
    return values, values + rng.normal(0, 0.5, (60, m)) @ rng.normal(0, 1, (m, m))


@given(families())
def test_bands_of_a_larger_family_are_wider(family):
    values, replicates = family
    low, high = simultaneous_bands(values[:-1], replicates[:, :-1])
    lower, higher = simultaneous_bands(*family)
    assert (lower[:-1] <= low + 1e-12).all()
    assert (higher[:-1] >= high - 1e-12).all()


@given(families(), st.randoms(use_true_random=False))
def test_bands_other_order_of_numbers_and_replicates_changes_nothing(family, random):
    values, replicates = family
    numbers, draws = list(range(len(values))), list(range(len(replicates)))
    random.shuffle(numbers)
    random.shuffle(draws)
    before = simultaneous_bands(values, replicates)
    after = simultaneous_bands(values[numbers], replicates[draws][:, numbers])
    for end_before, end_after in zip(before, after, strict=True):
        assert end_after == pytest.approx(end_before[numbers])
