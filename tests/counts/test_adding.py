"""Adding what only counts of labels hold: probabilities of a class, rows of each weight."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from drawn_rows import row_of
from hypothesis import assume, given
from hypothesis import strategies as st

from biasamp_adapters import JointCounts

# A row is (attribute, truth, predicted attribute, prediction, whole weight, part it goes to).
N_PARTS = 4
PARTS = range(N_PARTS)
WEIGHTS = range(6)


def _rows(labels: list[Any], predictions: list[Any]) -> Any:
    row = row_of("abc", labels, "abc", predictions, WEIGHTS, PARTS)
    return st.lists(row, min_size=1, max_size=30)


CLASSES = ["cat", "dog", "eel", "fly"]
ROWS = _rows(CLASSES, CLASSES)
SOFT_ROWS = _rows([0, 1], [0.0, 0.125, 0.3, 0.5, 1.0])


def _count(rows: list[Any], *, weighted: bool = False, **options: Any) -> JointCounts:
    attribute, truth, guess, prediction, weight, _ = map(list, zip(*rows, strict=True))
    return JointCounts.from_arrays(
        truth, prediction, attribute, guess, weight if weighted else None, **options
    )


def _parts(rows: list[Any]) -> list[list[Any]]:
    parts = [[row for row in rows if row[-1] == part] for part in range(N_PARTS)]
    return [part for part in parts if part]


@given(SOFT_ROWS)
def test_parts_add_up_exactly(rows: list[Any]) -> None:
    assert reduce(add, map(_count, _parts(rows))) == _count(rows)


@given(SOFT_ROWS, st.booleans())
def test_whole_weights_add_up_exactly(rows: list[Any], by_weight: bool) -> None:
    parts = _parts(rows)
    assume(all(any(row[4] for row in part) for part in parts))
    added = reduce(add, [_count(part, weighted=True, by_weight=by_weight) for part in parts])
    assert added == _count(rows, weighted=True, by_weight=by_weight)
    assert added.knows_rows == by_weight


@given(ROWS, st.floats(1e-3, 1e3))
def test_other_weights_add_up_to_rounding(rows: list[Any], scale: float) -> None:
    rows = [(*row[:4], (row[4] + 1) * scale, row[5]) for row in rows]
    added = reduce(add, [_count(part, weighted=True) for part in _parts(rows)])
    whole = _count(rows, weighted=True)
    np.testing.assert_array_equal(added.cells.codes, whole.cells.codes)
    np.testing.assert_array_equal(added.n, whole.n)
    for name in ("w", "w2"):
        np.testing.assert_allclose(
            added.cells._asdict()[name], whole.cells._asdict()[name], rtol=1e-13
        )


@given(ROWS, st.floats(1e-3, 1e3))
def test_other_weights_kept_apart_add_up_exactly(rows: list[Any], scale: float) -> None:
    rows = [(*row[:4], (row[4] + 1) * scale, row[5]) for row in rows]
    options: dict[str, Any] = {"weighted": True, "by_weight": True}
    added = reduce(add, [_count(part, **options) for part in _parts(rows)])
    assert added == _count(rows, **options)


@given(SOFT_ROWS, SOFT_ROWS)
def test_addition_commutes(first: list[Any], second: list[Any]) -> None:
    assert _count(first) + _count(second) == _count(second) + _count(first)


@given(SOFT_ROWS, SOFT_ROWS, SOFT_ROWS)
def test_addition_is_associative(first: list[Any], second: list[Any], third: list[Any]) -> None:
    a, b, c = map(_count, (first, second, third))
    assert (a + b) + c == a + (b + c)


@given(ROWS, ROWS, st.permutations(["eel", "dog", "cat", "fly"]))
def test_addition_commutes_where_one_part_lists_its_labels(
    first: list[Any], second: list[Any], labels: list[str]
) -> None:
    a, b = _count(first, labels=labels), _count(second)
    assert a + b == b + a


def test_rows_of_one_weight_sum_without_rounding() -> None:
    # One after the other, ten weights of .1 sum to less than 1.
    # (Python's own sum corrects itself since 3.12.)
    assert np.cumsum([0.1] * 10)[-1] != 1
    for first in range(1, 10):
        parts = [
            JointCounts.from_arrays([0] * n, sample_weight=[0.1] * n, by_weight=True)
            for n in (first, 10 - first)
        ]
        weights = (parts[0] + parts[1]).w
        assert weights is not None
        assert weights.tolist() == [10 * 0.1]


def test_labels_that_only_one_part_knows() -> None:
    first = JointCounts.from_arrays([2, 0], [2, 2], ["b", "b"])
    second = JointCounts.from_arrays([1, 2], [1, 2], ["a", "b"])
    added = first + second
    assert added.labels == (0, 1, 2)
    assert added.groups == ("a", "b")
    # Rows (b, 2, 2) twice, (b, 0, 2) and (a, 1, 1) once.
    assert added.cells.codes.tolist() == [[0, 1, 1], [1, 0, 2], [1, 2, 2]]
    assert added.n.tolist() == [1, 1, 2]


def test_labels_that_only_one_part_knows_move_abstentions_and_probabilities() -> None:
    first = JointCounts.from_arrays([1, 1], [0.5, None], ["a", "a"], missing="abstain")
    second = JointCounts.from_arrays([0, 1], [0.25, 0.5], ["b", "a"])
    added = first + second
    assert added.levels.tolist() == [0.25, 0.5]
    # Predictions: 0, 1, then 2 for an abstention, 3 for .25 and 4 for .5.
    assert added.cells.codes.tolist() == [[0, 1, 2], [0, 1, 4], [1, 0, 3]]
    assert added.n.tolist() == [1, 2, 1]
    # Group a expects .5 + .5 zeros and as many ones, group b .75 and .25.
    assert added.tables().joint("attribute", "prediction").tolist() == [[1, 1], [0.75, 0.25]]


def test_labels_both_parts_list_stay_listed() -> None:
    first = JointCounts.from_arrays([0], labels=[1, 0], sensitive_features=["a"])
    second = JointCounts.from_arrays([1], labels=[1, 0], sensitive_features=["a"])
    assert (first + second).labels == (1, 0)
    assert (first + second).declared == {"labels"}
    other = JointCounts.from_arrays([1], labels=[1, 2], sensitive_features=["a"])
    assert (first + other).declared == frozenset()
    assert set((first + other).labels) == {0, 1, 2}


def test_the_parts_do_not_change() -> None:
    first = JointCounts.from_arrays([0, 1], [0.5, 1], ["a", "b"])
    second = JointCounts.from_arrays([1, 1], [0.25, 1], ["b", "c"])
    assert first + second == first + second
    assert first == JointCounts.from_arrays([0, 1], [0.5, 1], ["a", "b"])
    assert second == JointCounts.from_arrays([1, 1], [0.25, 1], ["b", "c"])


def test_counts_differ_in_labels_and_probabilities() -> None:
    rows: dict[str, Any] = {"y_true": [0, 1], "y_pred": [0, 1], "sensitive_features": ["a", "b"]}
    counts = JointCounts.from_arrays(**rows)
    others = [
        JointCounts.from_arrays(**rows | {"y_true": [0, 2], "y_pred": [0, 2]}),
        JointCounts.from_arrays(**rows | {"y_pred": [0, 0.5]}),
    ]
    assert counts not in others
