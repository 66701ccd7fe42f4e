"""The oracle of label matrices, where single labels or a line of arithmetic say what it must give.

One-hot matrices are single labels. [W21] is Wang and Russakovsky, "Directional Bias Amplification",
2021; [T25] is Tokas, Nair and Kerner, "DPA", 2025.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import exact_oracle
import matrix_attack_oracle as attacks
import matrix_oracle as oracle
import pytest
from exact_oracle import Row
from hypothesis import assume, given
from hypothesis import strategies as st
from matrix_oracle import Data
from metric_cases import DIRECTIONS, GROUPS, LABELS, any_rows, quiet, rows_over, same

from biasamp_adapters import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)


def one_hot(rows: Sequence[Row], labels: Sequence[Any], groups: Sequence[Any]) -> Data:
    """Single labels as a matrix with one column per task, and attribute labels."""

    def matrix(variable: str) -> list[list[int]]:
        return [[int(getattr(row, variable) == label) for label in labels] for row in rows]

    a, a_hat = [row.a for row in rows], [row.a_hat for row in rows]
    weights = [row.w for row in rows]
    return oracle.data(matrix("t"), matrix("t_hat"), a, a_hat, weights, groups)


def as_labels(scores: dict[Any, Any]) -> dict[Any, Any]:
    """By pair of one-hot columns, the same by pair of labels."""
    return {(group, LABELS[columns[0]]): score for (group, columns), score in scores.items()}


# [W21] 3.2 and 4.1: by group the rows (T = 0, T = 1), and the task that the model always names.
THREE = ({1: (10, 40), 2: (40, 10), 3: (10, 20)}, {2: 0, 3: 1})
SHORTCOMING_2 = ({1: (60, 30), 2: (10, 20)}, {1: 0, 2: 1})


def scenario(groups: dict[int, tuple[int, int]], always: dict[int, int]) -> list[Row]:
    return [
        Row(a, t, a, always.get(a, t))
        for a, sizes in groups.items()
        for t, size in enumerate(sizes)
        for _ in range(size)
    ]


@pytest.mark.parametrize("columns", [[1], [0, 1]], ids=["one column", "one-hot"])
@pytest.mark.parametrize(
    ("case", "published"),
    [
        # Signs +, -, + for T = 1; D = 0, 0 - 10/50, 1 - 20/30.
        (THREE, (Fraction(10, 50) + (1 - Fraction(20, 30))) / 3),  # .1778
        # Signs - and +; D = 0 - 30/90 and 1 - 20/30.
        (SHORTCOMING_2, (Fraction(30, 90) + (1 - Fraction(20, 30))) / 2),  # .3333
    ],
    ids=["shortcoming 1", "shortcoming 2"],
)
def test_directional_of_w21_section_4_1(case: Any, published: Fraction, columns: list[int]) -> None:
    rows = one_hot(scenario(*case), columns, list(case[0]))
    assert oracle.directional(rows, "A->T").value == published
    assert oracle.directional(rows, "T->A").value == 0  # A is always predicted rightly


@pytest.mark.parametrize(
    ("case", "published"),
    [
        (THREE, 0),  # 40/70 - 40/70
        (({1: (10, 40), 2: (40, 10)}, {2: 0}), Fraction(1, 5)),  # 40/40 - 40/50
        (({1: (10, 40), 2: (40, 10)}, {1: 1}), Fraction(1, 30)),  # 50/60 - 40/50
        (SHORTCOMING_2, Fraction(-3, 5)),  # 0/30 - 30/50
    ],
)
def test_mals_of_w21_section_3_2(case: Any, published: Fraction) -> None:
    rows = one_hot(scenario(*case), [1], list(case[0]))
    assert oracle.mals(rows).value == published


def matched(by_t: list[list[int]], hat_by_t: list[list[int]]) -> list[Row]:
    """Rows with the margins of [T25] Table 6: A by T and A^ by T, matched in order."""
    rows = []
    for t, (true, made) in enumerate(zip(by_t, hat_by_t, strict=True)):
        a, a_hat = ([x for x in (0, 1) for _ in range(sizes[x])] for sizes in (true, made))
        rows += [Row(*pair, 0) for pair in ((x, t, y) for x, y in zip(a, a_hat, strict=True))]
    return rows


@pytest.mark.parametrize(
    ("true", "made", "directional", "multi"),
    [
        # |1056 - 1229| of 2631 rows with T = 0, |1115 - 874| of 2647 with T = 1, against the bias
        (
            [[1229, 1402], [874, 1773]],
            [[1056, 1575], [1115, 1532]],
            -(Fraction(173, 2631) + Fraction(241, 2647)) / 2,  # -.0784
            (Fraction(173, 2631) + Fraction(241, 2647)) / 2,  # .0784
        ),
        # 1083 - 874 and 896 - 874 of 1748 rows each; every sign is a tie
        (
            [[874, 874], [874, 874]],
            [[1083, 665], [896, 852]],
            0,
            (Fraction(209, 1748) + Fraction(22, 1748)) / 2,  # .0661
        ),
    ],
    ids=["unbalanced", "balanced"],
)
def test_t_to_a_of_t25_table_7(true: Any, made: Any, directional: Any, multi: Fraction) -> None:
    rows = one_hot(matched(true, made), [0, 1], [0, 1])
    assert oracle.directional(rows, "T->A").value == directional
    assert oracle.multi(rows, "T->A", oracle.task_sets(rows)).value == multi


@given(any_rows, st.one_of(st.none(), any_rows), st.sampled_from(DIRECTIONS))
def test_one_hot_directional(rows: list[Row], training: list[Row] | None, direction: str) -> None:
    reference = None if training is None else one_hot(training, LABELS, GROUPS)
    scores = oracle.directional(one_hot(rows, LABELS, GROUPS), direction, reference)
    expected = exact_oracle.directional(rows, direction, GROUPS, LABELS, training)
    assert scores.value == expected.value
    assert as_labels(scores.coefficients) == expected.coefficients
    assert as_labels(scores.deltas) == expected.deltas


@given(any_rows, st.one_of(st.none(), any_rows), st.sampled_from([*DIRECTIONS, "undirected"]))
def test_one_hot_mals_and_multi(
    rows: list[Row], training: list[Row] | None, direction: str
) -> None:
    matrix = one_hot(rows, LABELS, GROUPS)
    reference = None if training is None else one_hot(training, LABELS, GROUPS)
    expected = exact_oracle.mals(rows, GROUPS, LABELS, training)
    assert oracle.mals(matrix, reference).value == expected.value
    sets = oracle.task_sets(matrix, reference)
    assume(sets)
    many = exact_oracle.multi(rows, direction, GROUPS, LABELS, training)
    scores = oracle.multi(matrix, direction, sets, reference)
    assert (scores.value, scores.variance) == (many.value, many.variance)


two_classes = rows_over([0, 1], [0, 1])
TWO = {"groups": [0, 1], "labels": [0, 1]}


@given(two_classes)
def test_of_two_classes_blind_errors_are_those_of_single_labels(rows: list[Row]) -> None:
    """One-hot columns of two classes are wrong together, so their confusions are the label's."""
    matrix = one_hot(rows, [0, 1], [0, 1])
    for direction in DIRECTIONS:
        metric = DirectionalBiasAmplification(direction=direction, **TWO)
        found = quiet(metric, rows).blind_errors
        assert found is not None
        assert same(found.value, oracle.blind_directional(matrix, direction))
    one_column = one_hot(rows, [1], [0, 1])
    found = quiet(MALS(pos_label=1, **TWO), rows).blind_errors
    assert found is not None
    assert same(found.value, oracle.blind_mals(one_column))


@given(two_classes)
def test_one_column_is_a_positive_class(rows: list[Row]) -> None:
    matrix = one_hot(rows, [1], [0, 1])
    for direction in DIRECTIONS:
        metric = DirectionalBiasAmplification(direction=direction, pos_label=1, **TWO)
        assert same(quiet(metric, rows).value, oracle.directional(matrix, direction).value)
        if oracle.task_sets(matrix):
            many = MultiAttributeBiasAmplification(direction=direction, pos_label=1, **TWO)
            expected = oracle.multi(matrix, direction, oracle.task_sets(matrix))
            assert same(quiet(many, rows).value, expected.value)
    assert same(quiet(MALS(pos_label=1, **TWO), rows).value, oracle.mals(matrix).value)


@given(
    any_rows,
    st.sampled_from(["inverse_cross_entropy", "hard_inverse_cross_entropy", "accuracy"]),
    st.booleans(),
)
def test_pairs_are_those_of_single_labels(rows: list[Row], quality: str, channel: bool) -> None:
    options: Any = {"quality": quality, "equalize": "expected" if channel else None}
    options |= {"groups": GROUPS, "labels": LABELS}
    metrics: dict[str, Any] = {
        way: DirectionalPredictabilityAmplification(direction=way, **options) for way in DIRECTIONS
    }
    if quality == "accuracy":  # the inverse of a loss of 0 is not a number to compare
        metrics["LA"] = LeakageAmplification(**options)
    for name, metric in metrics.items():
        expected = attacks.pairs(one_hot(rows, LABELS, GROUPS), name, quality, channel)
        for pair in quiet(metric, rows).by_pair.itertuples():
            score = expected[pair.attribute, (LABELS.index(pair.task),)]
            assert same(pair.value, None if score is None else score.value)


# Rows are the columns 0, 1, 2. Sets by support: 0 in four rows, 1 in three, 2 in two, 01 in three.
ROWS = [[1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("max_size", "min_support", "expected"),
    [
        (None, 3, {(0,): 4, (1,): 3, (0, 1): 3}),
        (1, 2, {(0,): 4, (1,): 3, (2,): 2}),
        (2, 1, {(0,): 4, (1,): 3, (2,): 2, (0, 1): 3, (0, 2): 1, (1, 2): 1}),
    ],
)
def test_subsets_by_support(max_size: int | None, min_support: int, expected: dict) -> None:
    assert oracle.subsets_by_support(ROWS, max_size, min_support) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {(0, 1), (0, 1, 2), (0,), (2,)}),
        ({"min_size": 2}, {(0, 1), (0, 1, 2)}),
        ({"max_size": 1}, {(0,), (2,)}),
        ({"min_support": 2}, {(0, 1)}),  # (0,) has four rows, one of them exactly
        ({"combinations": "subsets", "min_support": 3}, {(0,), (1,), (0, 1)}),
        ({"combinations": "subsets", "min_size": 2, "max_size": 2}, {(0, 1), (0, 2), (1, 2)}),
    ],
)
def test_task_sets(options: dict[str, Any], expected: set[Any]) -> None:
    rows = oracle.data(ROWS, None, [0] * len(ROWS), groups=[0, 1])
    assert set(oracle.task_sets(rows, **options)) == expected


def test_sets_of_the_reference_count_where_a_truth_contains_them() -> None:
    truth = oracle.data([[1, 1, 0], [0, 0, 1]], None, [0, 1], groups=[0, 1])
    reference = oracle.data([[1, 0, 0], [1, 0, 1], [0, 1, 0]], None, [0, 1, 0], groups=[0, 1])
    # The truth contains 0 and 1 within 01, and has no row with both 0 and 2.
    assert oracle.task_sets(truth, reference) == [(0,), (1,)]


def test_rows_without_a_label_are_left_out_of_the_sign() -> None:
    # n n_at - n_a n_t is 3 * 1 - 2 * 2; over all eight rows it would be 8 * 1 - 2 * 2.
    rows = [[1], [0], [1], [0], [0], [0], [0], [0]]
    groups = [[1], [1], [0], [0], [0], [0], [0], [0]]
    assert oracle.sign(oracle.data(rows, None, groups), 0, (0,)) == -1


def test_blind_errors_of_columns_and_of_one_label() -> None:
    # Column 0: one of two positives is found, no negative is mistaken; column 1: all is right.
    # Of group 0, with two rows, one is taken for group 1; group 1 is found, group 2 taken for 0.
    truth = [[1, 0], [1, 1], [0, 1], [0, 0]]
    made = [[0, 0], [1, 1], [0, 1], [0, 0]]
    rows = oracle.data(truth, made, [0, 1, 2, 0], [0, 1, 0, 1], groups=[0, 1, 2])
    errors = oracle.with_blind_errors(rows, "at")
    half = Fraction(1, 2)
    assert errors.t_hat == {0: [half, half, 0, 0], 1: [0, 1, 1, 0]}
    assert errors.a_hat == {0: [half, 0, 1, half], 1: [half, 1, 0, half], 2: [0, 0, 0, 0]}


def test_dpa_is_the_mean_over_columns() -> None:
    # Column 0: A names the model's task always and the true one in 3 of 4 rows; column 1: constant.
    truth = [[1, 0], [1, 0], [0, 0], [1, 0]]
    made = [[1, 0], [1, 0], [0, 0], [0, 0]]
    rows = oracle.data(truth, made, [0, 0, 1, 1], groups=[0, 1])
    # Group 0 is always 1, group 1 half so: 2/4 + 1/4; the model is all right.
    assert attacks.dpa(rows, "accuracy", False) == pytest.approx(((1 - 3 / 4) / (1 + 3 / 4)) / 2)
