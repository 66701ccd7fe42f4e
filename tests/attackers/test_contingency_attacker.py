"""The table as a classifier: shares of weight, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters.sklearn import ContingencyAttacker

#: Three rows of "a", of which two are 1; one row of "b", which is 0.
X, Y = [["a"], ["a"], ["a"], ["b"]], [1, 1, 0, 0]


def chances(attacker: ContingencyAttacker, asked: Any) -> list[list[float]]:
    """Probabilities of the classes as lists."""
    return attacker.predict_proba(asked).tolist()


def test_probabilities_are_shares_of_the_rows() -> None:
    attacker = ContingencyAttacker().fit(X, Y)
    assert chances(attacker, [["b"], ["a"]]) == [[1, 0], pytest.approx([1 / 3, 2 / 3])]
    assert attacker.predict([["b"], ["a"]]).tolist() == [0, 1]


def test_the_table_is_kept() -> None:
    attacker = ContingencyAttacker().fit(X, Y)
    assert attacker.classes_.tolist() == [0, 1]
    assert [values.tolist() for values in attacker.categories_] == [["a", "b"]]
    assert attacker.combinations_.tolist() == [[0], [1]]
    assert attacker.table_.tolist() == [[1, 2], [1, 0]]


@pytest.mark.parametrize("alpha", [0.5, 1, 3])
def test_alpha_is_added_to_each_class_of_each_combination(alpha: float) -> None:
    attacker = ContingencyAttacker(alpha=alpha).fit(X, Y)
    of_a = [(1 + alpha) / (3 + 2 * alpha), (2 + alpha) / (3 + 2 * alpha)]
    of_b = [(1 + alpha) / (1 + 2 * alpha), (0 + alpha) / (1 + 2 * alpha)]
    assert chances(attacker, [["a"], ["b"]]) == [pytest.approx(of_a), pytest.approx(of_b)]


def test_a_combination_that_was_not_seen_gets_the_shares_of_the_classes() -> None:
    attacker = ContingencyAttacker().fit([["a"], ["a"], ["a"], ["b"]], [1, 1, 1, 0])
    assert chances(attacker, [["c"]]) == [[0.25, 0.75]]


def test_seen_values_that_never_met_are_a_combination_that_was_not_seen() -> None:
    attacker = ContingencyAttacker().fit([[0, 0], [0, 1], [1, 0], [1, 0]], [1, 1, 0, 1])
    assert chances(attacker, [[1, 0], [1, 1]]) == [[0.5, 0.5], [0.25, 0.75]]


def test_columns_count_together() -> None:
    # Exclusive or: neither column tells anything, both tell all.
    both = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert ContingencyAttacker().fit(both, [0, 1, 1, 0]).predict(both).tolist() == [0, 1, 1, 0]
    alone = ContingencyAttacker().fit([row[:1] for row in both], [0, 1, 1, 0])
    assert chances(alone, [[0], [1]]) == [[0.5, 0.5], [0.5, 0.5]]


def test_columns_of_a_frame_may_differ_in_kind() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "red"], "size": [1, 2, 2]})
    attacker = ContingencyAttacker().fit(frame, ["no", "yes", "yes"])
    assert attacker.feature_names_in_.tolist() == ["colour", "size"]
    assert attacker.predict(frame).tolist() == ["no", "yes", "yes"]
    # "blue" was never of size 1, and two of three rows are "yes".
    unseen = pd.DataFrame({"colour": ["blue"], "size": [1]})
    assert chances(attacker, unseen) == [pytest.approx([1 / 3, 2 / 3])]


def test_classes_may_be_strings() -> None:
    attacker = ContingencyAttacker().fit([[0], [1], [1]], ["no", "yes", "yes"])
    assert attacker.classes_.tolist() == ["no", "yes"]
    assert attacker.predict([[1], [0]]).tolist() == ["yes", "no"]


def test_a_number_is_the_same_category_as_a_float() -> None:
    attacker = ContingencyAttacker().fit([[0], [1]], [0, 1])
    assert chances(attacker, [[1.0], [0.0], [0.5]]) == [[0, 1], [1, 0], [0.5, 0.5]]


def test_whole_numbers_that_no_float_tells_apart_are_different_categories() -> None:
    big = np.array([[2**53], [2**53 + 1]])
    assert ContingencyAttacker().fit(big, [0, 1]).predict(big[::-1]).tolist() == [1, 0]


def test_of_equally_likely_classes_the_first_is_predicted() -> None:
    attacker = ContingencyAttacker().fit([["a"], ["a"]], ["second", "first"])
    assert attacker.predict([["a"]]).tolist() == ["first"]


def test_one_class_is_certain_for_any_input() -> None:
    attacker = ContingencyAttacker().fit([[0], [1]], [1, 1])
    assert chances(attacker, [[0], [7]]) == [[1], [1]]


rows = st.tuples(
    st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 2), st.integers(0, 3)
)


@given(st.lists(rows, min_size=1, max_size=20).filter(lambda drawn: any(r[3] for r in drawn)))
def test_weights_are_repetitions(drawn: list[tuple[str, str, int, int]]) -> None:
    """A weight of 0 leaves a row out, a weight of 3 has it there three times."""
    first, second, y, weight = (np.array(values) for values in zip(*drawn, strict=True))
    pairs = np.stack([first, second], axis=1)
    weighted = ContingencyAttacker(alpha=0.5).fit(pairs, y, sample_weight=weight)
    repeated = ContingencyAttacker(alpha=0.5).fit(pairs.repeat(weight, 0), y.repeat(weight))
    asked = np.array([[a, b] for a in "abcd" for b in "xy"])
    assert weighted.classes_.tolist() == repeated.classes_.tolist()
    assert chances(weighted, asked) == chances(repeated, asked)


def test_weights_need_not_be_whole() -> None:
    attacker = ContingencyAttacker().fit(X, Y, sample_weight=[0.5, 0.25, 0.25, 2])
    # .75 of the weight of "a" is 1; of all 3 it is 1/4.
    assert chances(attacker, [["a"], ["c"]]) == [[0.25, 0.75], [0.75, 0.25]]


def test_a_class_without_weight_is_no_class() -> None:
    attacker = ContingencyAttacker().fit([[0], [0], [1]], [0, 1, 2], sample_weight=[1, 0, 1])
    assert attacker.classes_.tolist() == [0, 2]


@pytest.mark.parametrize("alpha", [-1, float("nan"), float("inf"), "much", None])
def test_alpha_must_be_a_number_of_at_least_zero(alpha: Any) -> None:
    with pytest.raises(ValueError, match="alpha must be a number of at least 0; received"):
        ContingencyAttacker(alpha=alpha).fit(X, Y)


@pytest.mark.parametrize(
    ("weight", "rule"),
    [
        ([1, 1, 1, -1], "must be finite and not negative; received -1.0 in 1 row"),
        ([0, 0, 0, 0], "weights must have a positive sum; received only zeros"),
        ([[1]] * 4, r"must have one dimension; received the shape \(4, 1\)"),
        ([1, 1], "inputs must have the same length; received sample_weight 2, X 4"),
        ([1, 1, 1, float("nan")], "must be finite and not negative; received nan in 1 row"),
        ([1, 1, 1, float("inf")], "must be finite and not negative; received inf in 1 row"),
    ],
)
def test_bad_weights(weight: list[Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        ContingencyAttacker().fit(X, Y, sample_weight=weight)


def test_a_label_matrix_is_no_target() -> None:
    with pytest.raises(ValueError, match="y should be a 1d array"):
        ContingencyAttacker().fit([[0], [1]], [[1, 0], [0, 1]])


def test_numbers_are_no_classes() -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        ContingencyAttacker().fit([[0], [1]], [1.5, 0.2])
