"""Calibrated thresholds of weighted rows: sums of weights take the place of numbers of rows."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters import calibrated_threshold

SCORES = [0.9, 0.8, 0.6, 0.4, 0.2]


@pytest.mark.parametrize(
    ("weight", "prevalence", "expected"),
    [
        ([1, 1, 1, 1, 1], 0.4, 0.8),  # 2 of 5
        ([3, 1, 1, 1, 4], 0.4, 0.8),  # 3 + 1 = 4 of 10
        ([1, 1, 1, 1, 6], 0.4, 0.4),  # all but the last are 4 of 10
        ([0.5, 0.25, 0.25, 0.5, 1], 0.4, 0.6),  # 1 of 2.5
        ([6, 1, 1, 1, 1], 0.4, 0.9),  # 4 of 10: 6 is nearer than 0
        ([9, 1, 1, 1, 1], 0.3, inf),  # 3.9 of 13: 0 is nearer than 9
        ([8, 1, 1, 1, 1], 1 / 3, inf),  # 4 of 12: the smaller of 0 and 8
        ([2, 2, 2, 2, 2], 0.3, 0.9),  # 3 of 10: the smaller of 2 and 4
        ([2, 2, 2, 2, 2], 0, inf),
        ([2, 2, 2, 2, 2], 1, 0.2),
    ],
)
def test_by_hand(weight: list[float], prevalence: float, expected: float) -> None:
    threshold = calibrated_threshold(SCORES, prevalence, sample_weight=weight)
    assert isinstance(threshold, float)
    assert threshold == expected


scores_and_weights = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.5001, 2.0, 1e300]), st.integers(1, 5)),
    min_size=1,
    max_size=25,
)
shares = st.integers(1, 1000).flatmap(
    lambda rows: st.integers(0, rows).map(lambda positives: positives / rows)
)


@given(scores_and_weights, shares)
def test_whole_weights_are_repeated_rows(drawn: list[tuple[float, int]], share: float) -> None:
    scores, weight = zip(*drawn, strict=True)
    found = calibrated_threshold(scores, share, sample_weight=weight)
    assert found == calibrated_threshold(np.repeat(scores, weight), share)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1).filter(
        lambda drawn: any(weight for _, weight in drawn)
    ),
    shares,
)
def test_rows_of_no_weight_are_not_there(drawn: list[tuple[int, int]], share: float) -> None:
    scores, weight = zip(*drawn, strict=True)
    found = calibrated_threshold(scores, share, sample_weight=weight)
    assert found == calibrated_threshold(np.repeat(scores, weight), share)


@given(scores_and_weights, shares, st.sampled_from([Fraction(1, 8), Fraction(1, 2), Fraction(64)]))
def test_the_unit_of_weights_does_not_matter(
    drawn: list[tuple[float, int]], share: float, unit: Fraction
) -> None:
    # Powers of two, which floats multiply exactly.
    scores, weight = zip(*drawn, strict=True)
    scaled = [float(each * unit) for each in weight]
    found = calibrated_threshold(scores, share, sample_weight=scaled)
    assert found == calibrated_threshold(scores, share, sample_weight=weight)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 64)), min_size=1, max_size=20),
    st.integers(1, 100).flatmap(lambda n: st.integers(0, n).map(lambda k: Fraction(k, n))),
)
def test_no_other_sum_is_nearer(drawn: list[tuple[int, int]], share: Fraction) -> None:
    scores, eighths = zip(*drawn, strict=True)
    weight = [each / 8 for each in eighths]
    threshold = calibrated_threshold(scores, float(share), sample_weight=weight)
    sums = {
        limit: sum(
            (Fraction(w) for s, w in zip(scores, weight, strict=True) if s >= limit), Fraction()
        )
        for limit in {*scores, inf}
    }
    wanted = share * sum(map(Fraction, weight))
    best = min(sums.values(), key=lambda total: (abs(total - wanted), total))
    assert sums[threshold] == best


def test_rounding_of_weights_does_not_decide_a_tie() -> None:
    # 3 of 10 are wanted, and 2 or 4 can be had: the smaller, whatever each row weighs.
    scores = [0.9, 0.8, 0.6, 0.6, *[0.1] * 6]
    for unit in (1, 0.1, 0.3, 0.7, 1 / 3):
        assert calibrated_threshold(scores, 0.3, sample_weight=[unit] * 10) == 0.8


def test_each_column_has_the_same_weights() -> None:
    scores = [[0.9, 0.1], [0.4, 0.3], [0.2, 0.8], [0.1, 0.7]]
    # 3 of 6 in the first column, 1 + 2 of 6 in the second.
    found = calibrated_threshold(scores, 0.5, sample_weight=[2, 1, 1, 2])
    assert found.tolist() == [0.4, 0.7]
    single = [
        calibrated_threshold(c, 0.5, sample_weight=[2, 1, 1, 2]) for c in np.transpose(scores)
    ]
    assert found.tolist() == single


@pytest.mark.parametrize(
    "construct",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        lambda w: pd.Series(w, dtype="Float64", index=list("abcde")),
    ],
)
def test_weights_of_any_kind(construct: Any) -> None:
    weight = construct([3.0, 1.0, 1.0, 1.0, 4.0])
    assert calibrated_threshold(SCORES, 0.4, sample_weight=weight) == 0.8


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (
            [1, 1, -1, 1, -2],
            r"sample_weight must be finite and not negative; received -1.0 in 2 row",
        ),
        (
            [1, 1, np.nan, 1, 1],
            "sample_weight must be finite and not negative; received nan in 1 r",
        ),
        (
            [1, 1, np.inf, 1, 1],
            "sample_weight must be finite and not negative; received inf in 1 r",
        ),
        ([1, 1], "the same length; received sample_weight 2, y_score 5"),
        ([[1]] * 5, r"sample_weight must have one dimension; received the shape \(5, 1\)"),
        (["a"] * 5, "sample_weight must hold numbers; received"),
        (1.0, "sample_weight must be a column of values; received 1.0"),
    ],
)
def test_what_are_no_weights(weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        calibrated_threshold(SCORES, 0.4, sample_weight=weight)
