"""Calibrated thresholds: as many predicted positives as the prevalence asks for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from biasamp_adapters.thresholds import calibrated_threshold

TEN = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


@pytest.mark.parametrize(
    ("scores", "prevalence", "expected"),
    [
        (TEN, 0.3, 0.8),  # 3 rows
        (TEN, 0.34, 0.8),  # 3.4 rows: 3 is nearer than 4
        (TEN, 0.36, 0.7),  # 3.6 rows: 4 is nearer
        (TEN, 0.35, 0.8),  # 3.5 rows: the smaller of 3 and 4
        (TEN, 0, inf),
        (TEN, 0.05, inf),  # half a row: the smaller of 0 and 1
        (TEN, 0.06, 1.0),
        (TEN, 1, 0.1),
        ([0.9, 0.5, 0.5, 0.5], 0.5, 0.9),  # 2 rows: 1 is nearer than 4
        ([0.9, 0.5, 0.5, 0.1], 0.5, 0.9),  # 2 rows: the smaller of 1 and 3
        ([0.9, 0.5, 0.5, 0.1], 0.6, 0.5),  # 2.4 rows: 3 is nearer than 1
        ([0.5, 0.5, 0.5, 0.5], 0.5, inf),  # 2 rows: the smaller of 0 and 4
        ([0.5, 0.5, 0.5, 0.5], 0.51, 0.5),
        ([-3, 7, 0, -3], 0.5, 0.0),  # any scale, any order
    ],
)
def test_by_hand(scores: list[float], prevalence: float, expected: float) -> None:
    threshold = calibrated_threshold(scores, prevalence)
    assert isinstance(threshold, float)
    assert threshold == expected


# 3 of 10 are wanted, and 2 or 4 can be had: the smaller. As floats, some of these shares are just
# above 3/10 and some just below.
@pytest.mark.parametrize("prevalence", [0.3, 0.1 * 3, 1 - 0.7, 0.1 + 0.2, 900 / 3000])
def test_rounding_does_not_decide_a_tie(prevalence: float) -> None:
    assert calibrated_threshold([0.9, 0.8, 0.6, 0.6, *[0.1] * 6], prevalence) == 0.8


def test_a_share_that_is_off_a_tie_by_more_than_rounding_is_heeded() -> None:
    # 3,000,001 of 10,000,000 rows: .000001 rows of 10 above 3, so 4 are nearer than 2.
    assert calibrated_threshold([0.9, 0.8, 0.6, 0.6, *[0.1] * 6], 0.3000001) == 0.6


few_values = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5001, 2.0, 1e300]), min_size=1, max_size=30)
shares = st.integers(1, 1000).flatmap(
    lambda rows: st.integers(0, rows).map(lambda positives: Fraction(positives, rows))
)


@given(few_values, shares)
def test_no_other_count_is_nearer(scores: list[float], prevalence: Fraction) -> None:
    threshold = calibrated_threshold(scores, float(prevalence))
    assert threshold in {*scores, inf}
    predicted = sum(score >= threshold for score in scores)
    wanted = len(scores) * prevalence
    possible = {sum(score >= limit for score in scores) for limit in [*scores, inf]}
    distances = {count: abs(count - wanted) for count in possible}
    nearest = min(distances.values())
    assert predicted == min(count for count in possible if distances[count] == nearest)


@given(few_values, shares, st.randoms(use_true_random=False))
def test_only_the_order_of_scores_counts(
    scores: list[float], prevalence: Fraction, random: Any
) -> None:
    order = sorted({*scores})
    ranks = [order.index(score) for score in random.sample(scores, len(scores))]
    by_rank = calibrated_threshold(ranks, float(prevalence))
    by_score = calibrated_threshold(scores, float(prevalence))
    assert by_score == (inf if by_rank == inf else order[int(by_rank)])


MATRIX = [[0.9, 0.1], [0.4, 0.3], [0.2, 0.8], [0.1, 0.7]]


def test_each_column_of_a_matrix_by_itself() -> None:
    assert calibrated_threshold(MATRIX, [0.25, 0.5]).tolist() == [0.9, 0.7]  # 1 and 2 of 4 rows
    assert calibrated_threshold(MATRIX, 0.75).tolist() == [0.2, 0.3]  # 3 of 4 rows in each
    assert calibrated_threshold(MATRIX, [0, 1]).tolist() == [inf, 0.1]
    one = calibrated_threshold([[0.9], [0.4]], 0.5)
    assert isinstance(one, np.ndarray)
    assert one.tolist() == [0.9]


def test_it_calibrates_the_predicted_rate() -> None:
    rng = np.random.default_rng(0)
    y_train = rng.random(500) < 0.3
    y_score = rng.normal(size=200)
    predicted = y_score >= calibrated_threshold(y_score, y_train.mean())
    assert predicted.sum() == round(200 * y_train.mean())


def _polars(kind: str) -> Callable[[Any], Any]:
    def construct(values: Any) -> Any:
        return getattr(pytest.importorskip("polars"), kind)(values)

    return construct


@pytest.mark.parametrize(
    "construct",
    [
        list,
        tuple,
        np.array,
        lambda values: np.array(values, dtype=object),
        pd.Series,
        lambda values: pd.Series(values, dtype="Float64", index=[7, 7, 7, 1], name="score"),
        pd.Categorical,
        _polars("Series"),
    ],
)
def test_vectors_of_any_kind(construct: Callable[[Any], Any]) -> None:
    assert calibrated_threshold(construct([0.9, 0.4, 0.2, 0.1]), 0.5) == 0.4


@pytest.mark.parametrize(
    "construct",
    [
        np.array,
        pd.DataFrame,
        lambda rows: pd.DataFrame(rows, dtype="Float64", columns=["oven", "dog"]),
        lambda rows: _polars("DataFrame")(dict(enumerate_columns(rows))),
    ],
)
def test_matrices_of_any_kind(construct: Callable[[Any], Any]) -> None:
    expected = [0.9, 0.7]
    assert calibrated_threshold(construct(MATRIX), [0.25, 0.5]).tolist() == expected
    assert calibrated_threshold(construct(MATRIX), pd.Series([0.25, 0.5])).tolist() == expected


def enumerate_columns(rows: list[list[float]]) -> list[tuple[str, list[float]]]:
    """Named columns of a list of rows."""
    return [(f"c{i}", list(column)) for i, column in enumerate(zip(*rows, strict=True))]


@pytest.mark.parametrize(
    "scores",
    [
        [0.1, np.nan, np.inf, -np.inf],
        [0.1, None, None, np.nan],
        pd.Series([0.1, None, pd.NA, 0.0], dtype="Float64").replace(0.0, np.inf),
        [[0.1, np.nan], [np.inf, -np.inf]],
    ],
)
def test_scores_that_are_not_finite_are_counted(scores: Any) -> None:
    with pytest.raises(ValueError, match=r"finite; received 3 NaN or infinite value\(s\)"):
        calibrated_threshold(scores, 0.5)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (["0.1", "0.2"], "y_score must hold numbers; received values such as '0.1'"),
        ([0.1, "high"], "y_score must hold numbers; received values such as 'high'"),
        (pd.DataFrame({"dog": ["x"]}), r"y_score\['dog'\] must hold numbers; .* 'x'"),
        ([], "at least one row; received none"),
        (0.5, "must be a column of values; received 0.5"),
        ([[0.1, 0.2], [0.3]], "rows of different lengths"),
    ],
)
def test_what_are_no_scores(scores: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        calibrated_threshold(scores, 0.5)


@pytest.mark.parametrize(
    ("prevalence", "message"),
    [
        (1.1, r"prevalence must lie in \[0, 1\]; received 1.1"),
        (-0.1, r"prevalence must lie in \[0, 1\]; received -0.1"),
        (float("nan"), r"prevalence must lie in \[0, 1\]; received nan"),
        ("half", "prevalence must be numbers; received 'half'"),
        ([0.5], r"one number for a vector y_score; received the shape \(1,\)"),
    ],
)
def test_what_is_no_prevalence(prevalence: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        calibrated_threshold([0.1, 0.2], prevalence)


@pytest.mark.parametrize("prevalence", [[0.5], [0.1, 0.2, 0.3], [[0.1, 0.2]]])
def test_a_prevalence_for_each_column(prevalence: Any) -> None:
    with pytest.raises(ValueError, match="for each of the 2 columns of y_score; received"):
        calibrated_threshold(MATRIX, prevalence)


def test_one_of_several_prevalences_outside() -> None:
    with pytest.raises(ValueError, match=r"prevalence must lie in \[0, 1\]; received 2.0"):
        calibrated_threshold(MATRIX, [0.5, 2])


def test_prevalences_with_names_are_those_of_the_columns() -> None:
    scores = pd.DataFrame({"a": [0.9, 0.4, 0.2, 0.1], "b": [0.1, 0.3, 0.8, 0.7]})
    wanted = {"b": 1 / 4, "a": 3 / 4}
    # Three of four for a, one for b, whatever the order of the names.
    assert calibrated_threshold(scores, wanted).tolist() == [0.2, 0.8]
    assert calibrated_threshold(scores, pd.Series(wanted)).tolist() == [0.2, 0.8]
    with pytest.raises(ValueError, match="prevalence with names must have those of the columns"):
        calibrated_threshold(scores, {"a": 0.5, "c": 0.5})
    with pytest.raises(ValueError, match="prevalence with names must have those of the columns"):
        calibrated_threshold(scores.to_numpy(), {"a": 0.5, "b": 0.5})


def test_sparse_scores() -> None:
    scores = np.array([[0.9, 0.0], [0.4, 0.3], [0.0, 0.8], [0.1, 0.7]])
    found = calibrated_threshold(csr_array(scores), [1 / 4, 1 / 2])
    assert found.tolist() == calibrated_threshold(scores, [1 / 4, 1 / 2]).tolist() == [0.9, 0.7]
